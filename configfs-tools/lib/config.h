/* SPDX-License-Identifier: Apache-2.0 */
/* Sections and settings of devices, as a file requests them or as the kernel has them. */
#ifndef WDCTL_CONFIG_H
#define WDCTL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "attr.h"
#include "ini.h"
#include "value.h"

/* Of further errors only the number is kept. */
#define CONFIG_ERRORS_SHOWN 20
/* Far more than any machine has queues for. */
#define CONFIG_OBJECTS_MAX 65536

/* The remedy for a section with Bandwidth; after the reason why it can't have it. */
#define CONFIG_BANDWIDTH \
	"a limit holds for a whole function, so give the section functions of its own: " \
	"'wdctl device set DEVICE Functions=N' makes N, 'wdctl list' shows their names and contexts"

enum section_state {
	SECTION_CONFIGURED,
	SECTION_IS_LIVE,
	SECTION_DRAINING,
};

struct object {
	char name[OBJECT_NAME_MAX + 1];
	char parent[OBJECT_NAME_MAX + 1];	/* of a device of the kernel; "": none */
	size_t line;				/* in the file */
	char *value[OBJECT_ATTRS_MAX];		/* canonical; NULL: not given */
	enum section_state state;		/* of a section of the kernel */
	bool foreign;				/* of a file: has keys of QAT's */
	bool remove;				/* wanted section: remove it if it exists */
	bool leave;				/* of a file: not to be changed; it has errors, or isn't meant */
	char *reason;				/* why its last live=1 was refused, or NULL */
	/* Of a live section of the kernel, by parents; NULL: unknown. */
	char *members;				/* its devices */
	char *missing;				/* those of them that give no share */
	bool others;				/* it names no devices, and others are present */
	/* Contexts of a device of the kernel; -1: unknown. */
	long total, free;
	long node;				/* its parent's NUMA node, or -1 */
};

struct object_list {
	struct object *item;
	size_t count, room;
};

struct config_error {
	size_t line;
	char *text;	/* printable */
};

struct config {
	struct object_list objects[OBJECT_KINDS];	/* by enum object_kind, in the order of the file */
	struct config_error error[CONFIG_ERRORS_SHOWN];
	size_t errors;			/* number of all errors, including those not kept */
	struct config_error note[CONFIG_ERRORS_SHOWN];
	size_t notes;			/* the same of what is right and has no effect */
};

/**
 * config_parse() - parse a file's text.
 *
 * Goes on after errors, to report all of them; those objects are usable that need not be left as they are.
 * Return: 0, also when @c->errors, or -ENOMEM.
 */
int config_parse(struct config *c, const char *text, size_t len, const struct id_names *names);

/** config_add() - add an object without values; NULL without memory. */
struct object *config_add(struct config *c, enum object_kind kind, const char *name, size_t len);

/** config_drop() - remove an object; the last one takes its place. */
void config_drop(struct config *c, enum object_kind kind, size_t i);

/**
 * config_set() - set one value, given as people write it; errors are added to @c.
 * Return: 0 or -ENOMEM.
 */
int config_set(struct config *c, enum object_kind kind, struct object *o, size_t line,
	       struct ini_word key, struct ini_word value, const struct id_names *names);

/** config_fill() - give a section the values that a file need not have. Return: 0 or -ENOMEM. */
int config_fill(struct object *section);

/** config_check_section() - check what depends on several values. */
void config_check_section(struct config *c, struct object *section);

/** config_slot_contexts() - how many contexts a slot of a section has on a device of this node (-1: unknown). */
uint64_t config_slot_contexts(const struct object *section, long node);

/** config_contexts() - how many contexts a section with all its values reserves on a device of the kernel. */
uint64_t config_contexts(const struct object *section, const struct object *device);

/** config_copy() - copy the values of one object to another. Return: 0 or -ENOMEM. */
int config_copy(struct object *to, const struct object *from);

struct object *config_find(const struct config *c, enum object_kind kind, const char *name);

/** config_print() - print in the syntax of the file; devices under their parents' names, if @kernel knows them. */
void config_print_object(FILE *f, enum object_kind kind, const struct object *o,
			 const struct config *kernel);
void config_print(FILE *f, const struct config *c);

/** config_parents() - list the devices under their permanent names, sorted, each once. NULL without memory. */
char *config_parents(const struct config *kernel, const char *devices);

void config_free(struct config *c);
const char *section_state_name(enum section_state state);

#endif
