// SPDX-License-Identifier: Apache-2.0
/* The configuration that a kernel was built with, from any of the usual files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kconfig.h"

#define KCONFIG_MAX_BYTES (4U << 20)

static int text_load(struct kconfig *k, const char *path)
{
	gzFile f = gzopen(path, "rbe");		/* reads plain text as well */
	int got;

	if (!f)
		return -ENOENT;
	k->text = malloc(KCONFIG_MAX_BYTES);
	if (!k->text) {
		gzclose(f);
		return -ENOMEM;
	}
	got = gzread(f, k->text, KCONFIG_MAX_BYTES - 1);
	gzclose(f);
	if (got <= 0) {
		kconfig_close(k);
		return -EIO;
	}
	k->text[got] = '\0';
	return 0;
}

int kconfig_open(struct kconfig *k, const struct root *r)
{
	static const struct {
		const char *before, *after;
	} places[] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/lib/modules/", "/build/.config" },
	};
	size_t i;

	memset(k, 0, sizeof(*k));
	if (!root_path(r, k->source, sizeof(k->source), "/proc/config.gz") &&
	    !text_load(k, k->source))
		return 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!root_path(r, k->source, sizeof(k->source), "%s%s%s", places[i].before,
			       r->release, places[i].after) && !text_load(k, k->source))
			return 0;
	k->source[0] = '\0';
	return -ENOENT;
}

void kconfig_close(struct kconfig *k)
{
	free(k->text);
	k->text = NULL;
}

char kconfig_get(const struct kconfig *k, const char *option)
{
	const char *line = k->text;
	char key[96];
	int len;

	len = snprintf(key, sizeof(key), "CONFIG_%s=", option);
	while (line) {
		if (!strncmp(line, key, len))
			return line[len];
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return 'n';
}
