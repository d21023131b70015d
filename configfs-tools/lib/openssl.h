/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider for OpenSSL: where its module is, for which algorithms it needs devices, and a configuration that turns
 * it on.
 */
#ifndef WDCTL_OPENSSL_H
#define WDCTL_OPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ini.h"

#define OPENSSL_LIBCRYPTO "libcrypto.so.3"
#define OPENSSL_MODULE "warpdrive.so"
#define OPENSSL_MODULE_DEVICES "warpdrive-devices.so"	/* in the same folder; the module loads it if needed */

/**
 * openssl_symbol() - find a function of the opened libcrypto, and copy its address to @to. Return: whether it has it.
 */
bool openssl_symbol(void *lib, void *to, const char *name);
/**
 * openssl_modules_dir() - copy the name of libcrypto's own folder of modules. Return: 0; -ENOENT without libcrypto 3.
 */
int openssl_modules_dir(char *buf, size_t len);
/** openssl_module_beside() - find the module that was installed with this program. Return: 0 or -ENOENT. */
int openssl_module_beside(char *buf, size_t len);

/** The algorithms that devices of one kind compute for the provider. */
enum openssl_work {
	OPENSSL_KEYS,
	OPENSSL_BULK,			/* ciphers and digests */
	OPENSSL_WORKS,
};

/** openssl_names() - has a list for the key algorithms such work? @list: NULL for the provider's default. */
bool openssl_names(const char *list, enum openssl_work work);
/** openssl_jobs_only() - does a list leave some operations to the CPU, except in asynchronous jobs? */
bool openssl_jobs_only(const char *list);
/**
 * openssl_device_fits() - does a device compute some of the work that a list names?
 * @algorithms: the device's, separated by spaces.
 * @list: as for openssl_names().
 */
bool openssl_device_fits(const char *algorithms, const char *list, enum openssl_work work);
/**
 * openssl_algorithms_check() - check a list for the provider's key of this name.
 * @wrong: the first word that is none; without text if all are good, but take everything away.
 * Return: 0 or -EINVAL.
 */
int openssl_algorithms_check(const char *list, struct ini_word *wrong);
/**
 * export_openssl() - print a configuration for libcrypto.
 * @module: the module's path; NULL if it is in libcrypto's folder.
 * @algorithms: NULL for the provider's default.
 */
void export_openssl(FILE *f, const char *module, const char *algorithms);

#endif
