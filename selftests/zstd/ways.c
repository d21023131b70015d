// SPDX-License-Identifier: Apache-2.0
/*
 * Each way in which programs call libzstd, on one file: ways FILE FOLDER [WAY...]. The result of each goes to
 * FOLDER/WAY, and is decompressed again. It says which failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "way.h"

static bool save(const char *folder, const char *name, const unsigned char *p, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	return f && fwrite(p, 1, n, f) == n && !fclose(f);
}

static const char *saved_fails(const struct way *w, const char *folder)
{
	const unsigned char *result;
	const char *why;
	size_t n;

	why = way_fails(w, &result, &n);
	if (why)
		return why;
	return save(folder, w->name, result, n) ? NULL : "not saved";
}

static bool wanted(int argc, char **argv, const char *name)
{
	int i;

	for (i = 3; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 3;
}

static bool read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned char *all;
	bool ok;
	size_t n;

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	n = (size_t)ftell(f);
	rewind(f);
	all = malloc(n);
	ok = all && fread(all, 1, n, f) == n && ways_begin(all, n);
	free(all);
	fclose(f);
	return ok;
}

int main(int argc, char **argv)
{
	const char *why;
	int bad = 0;
	size_t i;

	if (argc < 3 || !read_file(argv[1]))
		return 2;
	for (i = 0; i < ways_nr; i++) {
		why = wanted(argc, argv, ways[i].name) ? saved_fails(&ways[i], argv[2]) : NULL;
		if (why)
			printf("%s: %s\n", ways[i].name, why);
		bad += why != NULL;
	}
	ways_end();
	return bad != 0;
}
