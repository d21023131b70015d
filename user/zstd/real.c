// SPDX-License-Identifier: Apache-2.0
/*
 * Finds libzstd's own functions. Not behind this library in the search order: a program may have loaded libzstd with a
 * plugin, whose names no other object sees, while the plugin's calls find this library first.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

#define NAME	"libzstd.so.1"
#define TAKES_SINCE	10504	/* ZSTD_registerSequenceProducer() as it is used here */

#define ROW(name)	{ "ZSTD_" #name, offsetof(struct wds_real, name) },

static const struct row {
	const char *name;
	size_t at;
} needed[] = { REAL_FUNCTIONS(ROW) { NULL, 0 } }, others[] = { REAL_OTHERS(ROW) { NULL, 0 } };

static struct wds_real real;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *handle, const struct row *row)
{
	int all = 1;
	void *function;

	for (; row->name; row++) {
		function = handle ? dlsym(handle, row->name) : NULL;
		all &= !!function;
		/* POSIX: a function's address fits a pointer to void; C has no conversion for it. */
		memcpy((char *)&real + row->at, &function, sizeof(function));
	}
	return all;
}

static void real_find(void)
{
	void *handle = dlopen(NAME, RTLD_LAZY | RTLD_LOCAL);

	/* The caller has come by one of these names, so they are in some libzstd, and this can't be it. */
	if (!find(handle, needed))
		abort();
	real.takes = find(handle, others) && real.versionNumber() >= TAKES_SINCE;
}

const struct wds_real *wds_real(void)
{
	pthread_once(&once, real_find);
	return &real;
}
