// SPDX-License-Identifier: Apache-2.0
/* Loads libraries of zlib's API by full paths, so that each calls itself only. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zlibs.h"

#ifdef __SANITIZE_ADDRESS__
/* The shim's sessions serve the process until its end; LeakSanitizer can't see their handles, which are no pointers. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:wd_comp_alloc_sess\nleak:wd_cq_create\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif

/* The build's folder: OUT, or three folders above the program. */
static void out_folder(char path[PATH_MAX])
{
	const char *out = getenv("OUT");
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	int i;

	if (out) {
		snprintf(path, PATH_MAX, "%s", out);
		return;
	}
	for (i = 0; n > 0 && i < 3; i++) {
		path[n] = '\0';
		n = strrchr(path, '/') - path;
	}
	path[n > 0 ? n : 0] = '\0';
}

/*
 * A sanitizer's dlopen() doesn't search the rpath of the library that calls it, and ld.so reads the variable at the
 * start.
 */
void zlibs_start(char **argv)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	const char *old = getenv("LD_LIBRARY_PATH");
	char out[PATH_MAX], path[3 * PATH_MAX];

	out_folder(out);
	if (old && strstr(old, out))
		return;
	snprintf(path, sizeof(path), "%s/lib%s%s", out, old ? ":" : "", old ? old : "");
	setenv("LD_LIBRARY_PATH", path, 1);
	execv("/proc/self/exe", argv);
#else
	(void)argv;
#endif
}

const char *zlib_shim_path(void)
{
	static char path[PATH_MAX + 64];
	const char *named = getenv("WD_TEST_SHIM");
	char out[PATH_MAX];

	if (named)
		return named;
	out_folder(out);
	snprintf(path, sizeof(path), "%s/lib/warpdrive/zlib/libz.so.1", out);
	return path;
}

bool zlib_shim_built(void)
{
	if (!access(zlib_shim_path(), R_OK))
		return true;
	printf("# the build left out %s, which needs libz.a\n", zlib_shim_path());
	return false;
}

static void *function(const struct zlib *z, const char *name)
{
	void *p = dlsym(z->lib, name);

	if (!p) {
		printf("# %s\n", dlerror());
		exit(1);
	}
	return p;
}

void zlib_open(struct zlib *z, const char *path)
{
	z->lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!z->lib) {
		printf("# %s\n", dlerror());
		exit(1);
	}
#define ZLIB_FIND(name)	*(void **)&z->name = function(z, #name);
	ZLIB_FUNCTIONS(ZLIB_FIND)
}

void zlibs_open(struct zlib z[SIDES])
{
	const char *shim = zlib_shim_path();
	struct link_map *map;

	zlib_open(&z[STOCK], "libz.so.1");
	zlib_open(&z[SHIM], strcmp(shim, "stock") ? shim : "libz.so.1");
	if (strcmp(shim, "stock") && z[STOCK].lib == z[SHIM].lib) {
		map = dlinfo(z[STOCK].lib, RTLD_DI_LINKMAP, &map) ? NULL : map;
		printf("# %s is %s itself\n", shim, map ? map->l_name : "libz.so.1");
		exit(1);
	}
}
