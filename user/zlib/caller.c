// SPDX-License-Identifier: Apache-2.0
/* The caller of a function: a program, or a part of WarpDrive. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "caller.h"

/* The file that has the code at an address. dladdr() waits for the loader, whose caller may wait for this thread. */
static const char *file_of(const void *code)
{
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
	struct dl_find_object found;

	return _dl_find_object((void *)(uintptr_t)code, &found) ? NULL : found.dlfo_link_map->l_name;
#else
	Dl_info info;

	return dladdr(code, &info) ? info.dli_fname : NULL;
#endif
}

bool wdz_is_warpdrive(const void *caller)
{
	static const char *const names[] = { "libwd", "libuacce-emu" };
	const char *file = file_of(caller), *name;
	size_t i;

	if (!file)
		return false;
	name = strrchr(file, '/');
	name = name ? name + 1 : file;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}
