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
	{ ".zst", "" }, { ".tzst", ".tar" }, { ".lz4", "" }, { ".tlz4", ".tar" }, { ".zz", "" },
};

/* Return: bytes of the suffix behind a base name, or 0; @plain takes its place. */
static size_t suffix_find(const struct settings *set, const char *name, const char **plain)
{
	const char *base = strrchr(name, '/');
	size_t i, len, have;

	base = base ? base + 1 : name;
	have = strlen(base);
	len = strlen(set->suffix);
	*plain = "";
	if (have > len && !strcasecmp(base + have - len, set->suffix))
		return len;
	/* With -S, only this suffix marks a compressed file. */
	if (set->mode == MODE_COMPRESS && set->own_suffix)
		return 0;
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		len = strlen(suffixes[i].suffix);
		*plain = suffixes[i].plain;
		if (have > len && !strcasecmp(base + have - len, suffixes[i].suffix))
			return len;
	}
	return 0;
}

bool name_has_suffix(const struct settings *set, const char *name)
{
	const char *plain;

	return suffix_find(set, name, &plain);
}

char *name_resolve(const struct settings *set, const char *name)
{
	struct stat st;
	char *with;

	if (set->mode == MODE_COMPRESS || name_has_suffix(set, name) || !lstat(name, &st))
		return strdup(name);
	with = name_compressed(set, name);
	if (!with || !lstat(with, &st))
		return with;
	free(with);
	return strdup(name);
}

char *name_compressed(const struct settings *set, const char *name)
{
	char *out;

	return asprintf(&out, "%s%s", name, set->suffix) < 0 ? NULL : out;
}

char *name_decompressed(const struct settings *set, const char *name)
{
	const char *plain;
	size_t len = suffix_find(set, name, &plain);
	char *out;

	if (!len || asprintf(&out, "%.*s%s", (int)(strlen(name) - len), name, plain) < 0)
		return NULL;
	return out;
}

char *name_beside(const char *name, const char *base)
{
	const char *slash = strrchr(name, '/');
	char *out;

	return asprintf(&out, "%.*s%s", slash ? (int)(slash + 1 - name) : 0, name, base) < 0 ? NULL : out;
}
