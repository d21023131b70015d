/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a program into which a library was preloaded, and messages about it. */
#ifndef PRELOAD_ENV_H
#define PRELOAD_ENV_H

#include "zlib_settings.h"

/* At the program's start: keeps what its standard error is. */
void preload_begin(void);
/* Programs with more privileges than their caller ignore the environment. An empty variable counts as unset: NULL. */
const char *preload_variable(const char *key);
/* On that standard error: a library that is preloaded can't refuse to load. who: its name. */
void preload_complain(const char *who, const char *key, const char *value, const char *expected);
/* Takes all settings that the environment has a value for, and complains of bad ones. */
void preload_settings(const char *who, const struct wdz_setting *settings, unsigned int nr, struct wdz_config *c);
/*
 * A path for use at exit, when the program may have another folder, malloc'ed; NULL without memory. If this folder has
 * no name, the path stays.
 */
char *preload_absolute(const char *path);

#endif
