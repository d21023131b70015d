// SPDX-License-Identifier: Apache-2.0
/* File names with and without the suffix of compressed files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wdzip.h"

static const struct {
	const char *suffix, *plain;
} suffixes[] = {
	{ ".gz", "" }, { ".tgz", ".tar" }, { ".taz", ".tar" },
	{ "-gz", "" }, { ".z", "" }, { "-z", "" }, { "_z", "" },
};

/* Index of the suffix that leaves a base name, or -1. */
static int suffix_find(const char *name)
{
	const char *base = strrchr(name, '/');
	size_t i, len, have;

	base = base ? base + 1 : name;
	have = strlen(base);
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		len = strlen(suffixes[i].suffix);
		if (have > len && !strcasecmp(base + have - len, suffixes[i].suffix))
			return i;
	}
	return -1;
}

bool name_has_suffix(const char *name)
{
	return suffix_find(name) >= 0;
}

char *name_resolve(const struct settings *set, const char *name)
{
	struct stat st;
	char *with;

	if (set->mode == MODE_COMPRESS || name_has_suffix(name) || !lstat(name, &st))
		return strdup(name);
	with = name_compressed(name);
	if (!with || !lstat(with, &st))
		return with;
	free(with);
	return strdup(name);
}

char *name_compressed(const char *name)
{
	char *out;

	return asprintf(&out, "%s.gz", name) < 0 ? NULL : out;
}

char *name_decompressed(const char *name)
{
	int i = suffix_find(name);
	char *out;

	if (i < 0)
		return NULL;
	if (asprintf(&out, "%.*s%s", (int)(strlen(name) - strlen(suffixes[i].suffix)), name,
		     suffixes[i].plain) < 0)
		return NULL;
	return out;
}
