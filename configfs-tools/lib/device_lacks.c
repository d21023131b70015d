// SPDX-License-Identifier: Apache-2.0
/* The algorithms that a simulated device can't compute: it takes hashes from its kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* The simulated device computes block ciphers, SM3 and SM4 itself, on every kernel. */
static const struct {
	const char *kernel;
	const char *serves;
} hashes[] = {
	{ "md5", "md5" },
	{ "sha1", "sha1" },
	{ "sha256", "sha224 sha256" },
	{ "sha512", "sha384 sha512 sha512/224 sha512/256" },
};

#define HASHES (sizeof(hashes) / sizeof(hashes[0]))

static size_t hash_find(const char *name)
{
	size_t i;

	for (i = 0; i < HASHES && strcmp(hashes[i].kernel, name); i++)
		;
	return i;
}

/* A kernel in FIPS mode also lists algorithms that it gives to no user. */
static void count_hashes(FILE *f, int *count)
{
	size_t len = 0, i = HASHES;
	char *line = NULL, word[64];

	while (getline(&line, &len, f) > 0) {
		if (sscanf(line, "name : %63s", word) == 1) {
			i = hash_find(word);
			if (i < HASHES)
				count[i]++;
		} else if (i < HASHES && sscanf(line, "fips : %63s", word) == 1 && !strcmp(word, "no")) {
			count[i]--;
		}
	}
	free(line);
}

static bool has_digests(const struct device *d)
{
	return !strcmp(d->algorithms, "digest") || strstr(d->algorithms, "digest ") || strstr(d->algorithms, " digest");
}

void device_lacks_read(const struct root *r, struct device *d)
{
	char path[ROOT_PATH_MAX];
	int count[HASHES] = { 0 };
	size_t i;
	FILE *f;

	d->lacks[0] = '\0';
	if (!d->simulated.known || !d->simulated.value || !has_digests(d))
		return;
	if (root_path(r, path, sizeof(path), "/proc/crypto"))
		return;
	f = fopen(path, "re");
	if (!f)
		return;
	count_hashes(f, count);
	fclose(f);
	for (i = 0; i < HASHES; i++) {
		if (count[i])
			continue;
		if (d->lacks[0])
			strcat(d->lacks, " ");
		strcat(d->lacks, hashes[i].serves);
	}
}
