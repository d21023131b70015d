/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for every file of sections that was read, whatever its source. */
#ifndef CONFIG_CHECKS_H
#define CONFIG_CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
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

/* The attribute of an object, or of one that is missing: values that an object has anyway need not be printed. */
static inline const char *value_or_default(enum object_kind kind, const struct object *o, size_t i)
{
	if (o && o->value[i])
		return o->value[i];
	if (kind == OBJECT_DEVICE && i == DEVICE_ZONE_ID)
		return "-1";
	return kind == OBJECT_SECTION ? attr_get(kind, i)->absent : attr_get(kind, i)->initial;
}

static inline bool values_same(enum object_kind kind, const struct object *a, const struct object *b)
{
	const char *one, *other;
	size_t i;

	for (i = 0; i < attr_count(kind); i++) {
		one = value_or_default(kind, a, i);
		other = value_or_default(kind, b, i);
		if (!one != !other || (one && strcmp(one, other)))
			return false;
	}
	return true;
}

/* Devices may be printed in another order: look up each of them. One without values of its own may be missing. */
static inline bool config_has(const struct config *c, const struct config *wanted)
{
	const struct object *o, *other;
	size_t i;
	int kind;

	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++)
		for (i = 0; i < wanted->objects[kind].count; i++) {
			o = &wanted->objects[kind].item[i];
			other = config_find(c, kind, o->name);
			if ((!other && kind == OBJECT_SECTION) || !values_same(kind, o, other))
				return false;
		}
	return true;
}

static inline bool config_same(const struct config *a, const struct config *b)
{
	return config_has(a, b) && config_has(b, a);
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
