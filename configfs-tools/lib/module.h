/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel modules of this project: what is installed, what is loaded, insert and remove (libkmod). */
#ifndef WDCTL_MODULE_H
#define WDCTL_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "buildid.h"
#include "root.h"

enum module_origin {
	MODULE_ABSENT,
	MODULE_BUILTIN,
	MODULE_UPDATES,		/* lib/modules/<release>/updates: this project's, wins over the kernel's */
	MODULE_INTREE,		/* lib/modules/<release>/kernel: came with the kernel */
	MODULE_OTHER,		/* elsewhere, a build tree for example */
};

struct module {
	const char *name;
	enum module_origin origin;
	char path[ROOT_PATH_MAX];	/* "" when absent or built in */
	char version[64], srcversion[64];
	bool loaded;
	bool loaded_out_of_tree;
	char loaded_version[64], loaded_srcversion[64];
	struct buildid build, loaded_build;
	long users;			/* reference count, holders included; -1 unknown */
	char holders[256];		/* modules that use it, separated by spaces */
};

struct module_db;

/* Names in the order in which they are loaded; NULL ends the table. */
extern const char *const module_names[];
extern const char module_sim_name[];

/**
 * module_db_open() - make ready for lookups.
 * @from: NULL for the installed modules, else a build folder that goes before them.
 * Return: 0 or -errno.
 */
int module_db_open(struct module_db **db, const struct root *r, const char *from);
void module_db_close(struct module_db *db);

/** module_read() - fill @m for @name. Return: 0 (also when absent) or -errno. */
int module_read(struct module_db *db, const char *name, struct module *m);

/** module_is_stale() - whether what is loaded is known to be another build than what is installed. */
bool module_is_stale(const struct module *m);

/** module_has_param() - whether the installed module knows a parameter. */
bool module_has_param(struct module_db *db, const char *name, const char *param);

/** module_is_loaded() - state of this moment. */
bool module_is_loaded(const struct root *r, const char *name);

/**
 * module_insert() - load a module and what it depends on into the running kernel.
 * Return: 0, -EEXIST when already loaded, -ENOENT when not installed, or the kernel's -errno.
 */
int module_insert(struct module_db *db, const char *name, const char *params);

/** module_remove() - unload without waiting. Return: 0, -ENOENT when not loaded, or -errno. */
int module_remove(struct module_db *db, const char *name);

/** module_error() - what a failed insert or remove usually means, NULL when errno says it all. */
const char *module_error(int err);
const char *module_origin_name(enum module_origin origin);

#endif
