/* SPDX-License-Identifier: Apache-2.0 */
/* Reads installed test vectors: NIST's response files and files of the same format, and Wycheproof's JSON. */
#ifndef VECTORS_H
#define VECTORS_H

#include <ctype.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Debian's package python3-cryptography-vectors, or WD_VECTORS. */
#define VECTORS_DIR	"/usr/lib/python3/dist-packages/cryptography_vectors"

#define VEC_BYTES_MAX	(1u << 17)
#define VEC_FIELDS	16

struct bytes {
	unsigned char *at;
	size_t len;
	bool set;
};

struct vec_field {
	char name[24];
	char *value;
	bool fresh;
};

/**
 * struct vec - the fields of a record by name
 * @section:	the last line in brackets
 * @fail:	the record has the line FAIL
 */
struct vec {
	struct vec_field field[VEC_FIELDS];
	unsigned int nr;
	unsigned long met;
	char section[128];
	bool fail;
};

static inline const char *vec_dir(void)
{
	const char *dir = getenv("WD_VECTORS");

	return dir ? dir : VECTORS_DIR;
}

static inline struct vec_field *vec_find(struct vec *v, const char *name)
{
	unsigned int i;

	for (i = 0; i < v->nr; i++)
		if (!strcasecmp(v->field[i].name, name))
			return &v->field[i];
	return NULL;
}

static inline const char *vec_text(struct vec *v, const char *name)
{
	struct vec_field *f = vec_find(v, name);

	return f ? f->value : NULL;
}

static inline void vec_set(struct vec *v, const char *name, const char *value)
{
	struct vec_field *f = vec_find(v, name);

	if (!f) {
		if (v->nr == VEC_FIELDS)
			abort();
		f = &v->field[v->nr++];
		snprintf(f->name, sizeof(f->name), "%s", name);
		f->value = NULL;
	}
	free(f->value);
	f->value = strdup(value);
	f->fresh = true;
}

static inline int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* The result has memory of exactly its length, so that a sanitizer finds reads beyond it; the caller frees it. */
static inline struct bytes bytes_of(const char *hex)
{
	struct bytes b = { .set = hex };
	size_t i;

	if (!hex)
		return b;
	b.len = strlen(hex) / 2;
	b.at = malloc(b.len ? b.len : 1);
	for (i = 0; b.at && i < b.len; i++)
		b.at[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	return b;
}

/* Right-aligned in width bytes; a longer number must begin with zeroes. */
static inline bool pad_to(unsigned char *to, size_t width, const struct bytes *b)
{
	size_t lead = b->len > width ? b->len - width : 0, i;

	for (i = 0; i < lead; i++)
		if (b->at[i])
			return false;
	memset(to, 0, width);
	memcpy(to + width - (b->len - lead), b->at + lead, b->len - lead);
	return true;
}

/* A hexadecimal number, perhaps without a leading zero digit. */
static inline struct bytes digits(const char *hex)
{
	char even[1200];

	if (!hex || strlen(hex) % 2 == 0 || strlen(hex) > sizeof(even) - 2)
		return bytes_of(hex);
	snprintf(even, sizeof(even), "0%s", hex);
	return bytes_of(even);
}

static inline void release(struct bytes *b, unsigned int n)
{
	while (n--)
		free(b[n].at);
}

static inline struct bytes vec_bytes(struct vec *v, const char *name)
{
	return bytes_of(vec_text(v, name));
}

static inline unsigned long vec_number(struct vec *v, const char *name)
{
	const char *text = vec_text(v, name);

	return text ? strtoul(text, NULL, 10) : 0;
}

typedef bool vec_call_t(void *arg, struct vec *v);

/* WD_VECTORS_EVERY=N: only every Nth record of each file, beginning with the first. */
static inline unsigned long vec_every(void)
{
	const char *n = getenv("WD_VECTORS_EVERY");

	return n && strtoul(n, NULL, 10) ? strtoul(n, NULL, 10) : 1;
}

static inline bool vec_emit(struct vec *v, const char *last, vec_call_t *call, void *arg)
{
	struct vec_field *f = vec_find(v, last);
	bool good = true;

	if (f && f->fresh) {
		good = v->met++ % vec_every() || call(arg, v);
		if (!good)
			fprintf(stderr, "# %s: %s = %s\n", v->section, last, f->value);
		f->fresh = false;
		v->fail = false;
	}
	return good;
}

static inline void vec_pair(struct vec *v, char *line)
{
	char *value = strchr(line, '='), *end;

	if (!value)
		return;
	for (end = value; end > line && isspace((unsigned char)end[-1]); end--)
		;
	*end = 0;
	for (value++; isspace((unsigned char)*value); value++)
		;
	vec_set(v, line, value);
}

/* A section's name may hold fields for all records below it. */
static inline void vec_line(struct vec *v, char *line)
{
	char *save, *part;

	if (line[0] == '[') {
		snprintf(v->section, sizeof(v->section), "%s", line);
		for (part = strtok_r(line + 1, ",]", &save); part; part = strtok_r(NULL, ",]", &save))
			vec_pair(v, part + strspn(part, " "));
		return;
	}
	if (!strncmp(line, "FAIL", 4))
		v->fail = true;
	if (line[0] != '#')
		vec_pair(v, line);
}

/*
 * Calls call for each record of the file that has the field last. Returns how many; -1: there is no
 * such file; -2: call returned false for a record.
 */
static inline int vec_file(const char *name, const char *last, vec_call_t *call, void *arg)
{
	struct vec v = { .nr = 0 };
	char path[512], *line = NULL;
	size_t room = 0;
	int n = 0;
	ssize_t len;
	unsigned int i;
	bool good = true;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", vec_dir(), name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	do {
		struct vec_field *f = vec_find(&v, last);

		len = getline(&line, &room, file);
		while (len > 0 && isspace((unsigned char)line[len - 1]))
			line[--len] = 0;
		if (len > 0) {
			vec_line(&v, line);
			continue;
		}
		n += f && f->fresh;
		good = vec_emit(&v, last, call, arg) && good;
	} while (len >= 0);
	for (i = 0; i < v.nr; i++)
		free(v.field[i].value);
	free(line);
	fclose(file);
	return good ? n : -2;
}

/* The same for several files, up to the first that is missing (*missing is its name) or has a failing record. */
static inline int vec_files(const char *const names[], const char *last, vec_call_t *call, void *arg,
			    const char **missing)
{
	int all = 0, n;

	for (*missing = NULL; *names; names++, all += n) {
		n = vec_file(*names, last, call, arg);
		if (n == -1)
			*missing = *names;
		if (n <= 0)
			return n;
	}
	return all;
}

/* Runs the files in a test; skips the test without the files. */
#define VEC_FILES(names, last, call, arg) do { \
	const char *missing_; \
	int n_ = vec_files(names, last, call, arg, &missing_); \
	\
	if (missing_) \
		SKIP(return, "no %s/%s: install python3-cryptography-vectors", vec_dir(), missing_); \
	EXPECT_LT(0, n_); \
} while (0)

/* --- Wycheproof --- */

static inline bool wyche_path(char *path, size_t room, const char *name)
{
	const char *dir = getenv("WYCHEPROOF"), *top = getenv("TOP");

	if (dir)
		snprintf(path, room, "%s/%s.json", dir, name);
	else
		snprintf(path, room, "%s/../shared/vectors/wycheproof/%s.json", top ? top : ".", name);
	return !access(path, R_OK);
}

static inline const char *json_text(struct json_object *o, const char *name)
{
	struct json_object *v;

	return json_object_object_get_ex(o, name, &v) ? json_object_get_string(v) : NULL;
}

static inline int json_number(struct json_object *o, const char *name)
{
	struct json_object *v;

	return json_object_object_get_ex(o, name, &v) ? json_object_get_int(v) : -1;
}

static inline struct bytes json_bytes(struct json_object *o, const char *name)
{
	return bytes_of(json_text(o, name));
}

typedef bool wyche_call_t(void *arg, struct json_object *group, struct json_object *test);

/*
 * Calls call for each test of the file. Returns how many; -1: there is no such file; -2: call returned false for a
 * test.
 */
static inline int wyche_file(const char *name, wyche_call_t *call, void *arg)
{
	struct json_object *root, *groups, *tests;
	size_t g, t;
	char path[512];
	int n = 0;
	bool good = true;

	if (!wyche_path(path, sizeof(path), name))
		return -1;
	root = json_object_from_file(path);
	if (!root || !json_object_object_get_ex(root, "testGroups", &groups))
		return -1;
	for (g = 0; g < json_object_array_length(groups); g++) {
		struct json_object *group = json_object_array_get_idx(groups, g);

		if (!json_object_object_get_ex(group, "tests", &tests))
			continue;
		for (t = 0; t < json_object_array_length(tests); t++) {
			struct json_object *test = json_object_array_get_idx(tests, t);

			n++;
			if (call(arg, group, test))
				continue;
			good = false;
			fprintf(stderr, "# %s: test %d\n", name, json_number(test, "tcId"));
		}
	}
	json_object_put(root);
	return good ? n : -2;
}

/* Runs a file in a test; skips the test without the file. */
#define WYCHE(name, call, arg) do { \
	int n_ = wyche_file(name, call, arg); \
	\
	if (n_ == -1) \
		SKIP(return, "no %s.json: set WYCHEPROOF to the folder of Wycheproof's vectors", name); \
	EXPECT_LT(0, n_); \
} while (0)

#endif
