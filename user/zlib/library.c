// SPDX-License-Identifier: Apache-2.0
/* Opens the libraries. RTLD_LOCAL keeps their names from the program, which may have other libraries of those names. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "library.h"

static struct wdz_library library;
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The libraries that libwd_comp needs are searched as well: libdeflate is one. */
static void library_open(void)
{
	static const struct {
		const char *name;
		void *at;
	} functions[] = {
		{ "wd_comp_alloc_sess", &library.alloc_sess },
		{ "wd_comp_free_sess", &library.free_sess },
		{ "wd_comp_async", &library.async },
		{ "wd_comp_poll_wait", &library.poll_wait },
		{ "wd_comp_wakeup", &library.wakeup },
		{ "wd_comp_bound", &library.bound },
		{ "wd_decompress", &library.decompress },
		{ "wd_strm_decompress", &library.strm_decompress },
		{ "libdeflate_adler32", &library.adler32 },
		{ "libdeflate_crc32", &library.crc32 },
	};
	void *handle = dlopen("libwd_comp.so.0", RTLD_NOW | RTLD_LOCAL), *function;
	size_t i;

	for (i = 0; handle && i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(handle, functions[i].name);
		if (!function)
			return;
		/* POSIX: a function's address fits a pointer to void; C has no conversion for it. */
		memcpy(functions[i].at, &function, sizeof(function));
	}
	complete = handle;
}

const struct wdz_library *wdz_library(void)
{
	pthread_once(&once, library_open);
	return complete ? &library : NULL;
}
