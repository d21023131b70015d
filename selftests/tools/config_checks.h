/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for every file of sections that was read, whatever its source. */
#ifndef CONFIG_CHECKS_H
#define CONFIG_CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* The users and groups of a machine whose only user is alice. */
static inline int names_find(void *arg, bool group, const char *name, uint32_t *id)
{
	*id = 1000;
	return strcmp(name, "alice") ? -1 : 0;
}

static const struct id_names names = { NULL, names_find };

static inline bool printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text >= 0x7f)
			return false;
	return true;
}

static inline bool errors_good(const struct config *c, size_t lines)
{
	size_t i, last = 1;

	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++) {
		if (!printable(c->error[i].text) || c->error[i].line < last || c->error[i].line > lines)
			return false;
		last = c->error[i].line;
	}
	return true;
}

static inline bool values_same(const struct object *a, const struct object *b)
{
	size_t i;

	for (i = 0; i < OBJECT_ATTRS_MAX; i++)
		if (!a->value[i] != !b->value[i] || (a->value[i] && strcmp(a->value[i], b->value[i])))
			return false;
	return !strcmp(a->name, b->name);
}

/* Devices may be printed in another order: look up each of them. */
static inline bool config_same(const struct config *a, const struct config *b)
{
	const struct object *other;
	size_t i;
	int kind;

	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++) {
		if (a->objects[kind].count != b->objects[kind].count)
			return false;
		for (i = 0; i < a->objects[kind].count; i++) {
			other = config_find(b, kind, a->objects[kind].item[i].name);
			if (!other || !values_same(&a->objects[kind].item[i], other))
				return false;
		}
	}
	return true;
}

static inline bool survives_printing(const struct config *c)
{
	struct config again;
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);
	bool same;

	config_print(f, c);
	fclose(f);
	same = !config_parse(&again, text, size, &names) && !again.errors && config_same(c, &again);
	if (!same)
		fprintf(stderr, "printed:\n%s\n", text);
	config_free(&again);
	free(text);
	return same;
}

#endif
