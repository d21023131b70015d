// SPDX-License-Identifier: Apache-2.0
/*
 * Opens the libraries. RTLD_LOCAL keeps their names from the program, which may have other libraries of those names.
 * No lock is held meanwhile: another thread may have the loader's, and wait for this one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

#define NAME	"libwd_comp.so.0"

static const struct wdz_library none;
static const struct wdz_library *_Atomic opened;

/* The library that libwd_comp needs is searched as well: libwd. */
static bool functions_find(struct wdz_library *lib, void *handle)
{
	static const struct {
		const char *name;
		size_t at;
	} functions[] = {
		{ "wd_comp_alloc_sess", offsetof(struct wdz_library, alloc_sess) },
		{ "wd_comp_free_sess", offsetof(struct wdz_library, free_sess) },
		{ "wd_comp_async", offsetof(struct wdz_library, async) },
		{ "wd_cq_create", offsetof(struct wdz_library, cq_create) },
		{ "wd_cq_destroy", offsetof(struct wdz_library, cq_destroy) },
		{ "wd_cq_fd", offsetof(struct wdz_library, cq_fd) },
		{ "wd_cq_arm", offsetof(struct wdz_library, cq_arm) },
		{ "wd_poll_cq", offsetof(struct wdz_library, poll_cq) },
		{ "wd_comp_bound", offsetof(struct wdz_library, bound) },
		{ "wd_decompress", offsetof(struct wdz_library, decompress) },
		{ "wd_strm_decompress", offsetof(struct wdz_library, strm_decompress) },
		{ "wd_comp_adler32", offsetof(struct wdz_library, adler32) },
		{ "wd_comp_crc32", offsetof(struct wdz_library, crc32) },
	};
	void *function;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(handle, functions[i].name);
		if (!function)
			return false;
		/* POSIX: a function's address fits a pointer to void; C has no conversion for it. */
		memcpy((char *)lib + functions[i].at, &function, sizeof(function));
	}
	return true;
}

/* The path of this library, if the loader knows a relative one: the program may change its folder. */
static char *resolved;

static const char *loaded_from(void)
{
	Dl_info info;

	return dladdr(&opened, &info) ? info.dli_fname : NULL;
}

static __attribute__((constructor)) void path_keep(void)
{
	const char *file = loaded_from();

	if (file && *file != '/')
		resolved = realpath(file, NULL);
}

/*
 * Looks beside this library, which is two folders below the others: then both are of the same build. Else the loader
 * looks.
 */
static void *comp_open(void)
{
	const char *file = resolved ? resolved : loaded_from(), *end;
	void *handle = NULL;
	char *path;

	if (file && *file == '/' && (end = strrchr(file, '/')) &&
	    asprintf(&path, "%.*s/../../" NAME, (int)(end - file), file) >= 0) {
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		free(path);
	}
	return handle ? handle : dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
}

static const struct wdz_library *library_open(void)
{
	void *handle = comp_open();
	struct wdz_library *lib = handle ? calloc(1, sizeof(*lib)) : NULL;

	if (lib && functions_find(lib, handle))
		return lib;
	free(lib);
	return &none;
}

const struct wdz_library *wdz_library(void)
{
	const struct wdz_library *lib = atomic_load_explicit(&opened, memory_order_acquire), *mine;
	int saved = errno;

	if (!lib) {
		mine = library_open();
		if (atomic_compare_exchange_strong(&opened, &lib, mine))
			lib = mine;
		else if (mine != &none)
			free((void *)(uintptr_t)mine);
		errno = saved;
	}
	return lib == &none ? NULL : lib;
}
