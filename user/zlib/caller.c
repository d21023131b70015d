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

/* Compares whole names, because other libraries have names that begin like ours. */
static bool is_ours(const char *name)
{
	static const char *const names[] = {
		"libwd", "libwd_aead", "libwd_cipher", "libwd_comp", "libwd_dh", "libwd_digest", "libwd_ecc",
		"libwd_rsa", "libwd-zstd", "libuacce-emu",
	};
	size_t i, len;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		len = strlen(names[i]);
		if (!strncmp(name, names[i], len) && !strncmp(name + len, ".so", 3) &&
		    (!name[len + 3] || name[len + 3] == '.'))
			return true;
	}
	return false;
}

bool wdz_is_warpdrive(const void *caller)
{
	const char *file = file_of(caller), *slash;

	if (!file)
		return false;
	slash = strrchr(file, '/');
	return is_ours(slash ? slash + 1 : file);
}
