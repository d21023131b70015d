/* SPDX-License-Identifier: Apache-2.0 */
/* This project's kernel modules: finds installed and loaded ones, inserts and removes them (libkmod). */
#ifndef WDCTL_MODULE_H
#define WDCTL_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "buildid.h"
#include "root.h"

enum module_origin {
	MODULE_ABSENT,
	MODULE_BUILTIN,
	MODULE_UPDATES,		/* lib/modules/<release>/updates: this project's; overrides the kernel's */
	MODULE_INTREE,		/* lib/modules/<release>/kernel: part of the kernel's package */
	MODULE_OTHER,		/* elsewhere, for example in a build tree */
};

struct module {
	const char *name;
	enum module_origin origin;
	char path[ROOT_PATH_MAX];	/* "" when absent or built in */
	char version[64], srcversion[64], vermagic[128];
	bool is_signed;
	char signer[128];		/* name of the signature's certificate, "" unknown */
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
 * module_db_open() - prepare for lookups.
 * @from: NULL for the installed modules, else a build folder that is searched before them.
 * Return: 0 or -errno.
 */
int module_db_open(struct module_db **db, const struct root *r, const char *from);
void module_db_close(struct module_db *db);

/** module_read() - fill @m for @name. Return: 0 (also when absent) or -errno. */
int module_read(struct module_db *db, const char *name, struct module *m);

/** module_is_stale() - whether the loaded module is known to be another build than the installed one. */
bool module_is_stale(const struct module *m);

/** module_has_param() - whether the installed module has a parameter. */
bool module_has_param(struct module_db *db, const char *name, const char *param);

/** module_is_blacklisted() - whether modprobe.d keeps udev from loading the module. */
bool module_is_blacklisted(struct module_db *db, const char *name);

/** module_install_command() - the command that modprobe runs instead of loading the module, or NULL. */
const char *module_install_command(struct module_db *db, const char *name);

/** module_is_loaded() - whether the module is loaded now. */
bool module_is_loaded(const struct root *r, const char *name);

/**
 * module_insert() - load a module and its dependencies into the running kernel.
 * Return: 0, -EEXIST when already loaded, -ENOENT when not installed, or the kernel's -errno.
 */
int module_insert(struct module_db *db, const char *name, const char *params);

/** module_remove() - unload without waiting. Return: 0, -ENOENT when not loaded, or -errno. */
int module_remove(struct module_db *db, const char *name);

/** module_error() - the usual cause of a failed insert or remove; NULL if the errno says enough. */
const char *module_error(int err);
const char *module_origin_name(enum module_origin origin);

#endif
