// SPDX-License-Identifier: Apache-2.0
/*
 * The entry of the module that libcrypto loads. Each program with libcrypto loads it at its start. On a machine without
 * devices it offers nothing by itself; otherwise it loads the whole provider, which needs many libraries.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>

#include "core/log.h"
#include "core/params.h"
#include "core/provider.h"

#define CLASS	"/sys/class/uacce"
#define WHOLE	"warpdrive-devices.so"

/* The other file's entry; NULL: this process has not loaded it. It stays mapped. */
static _Atomic(OSSL_provider_init_fn *) whole;

/* A sandbox that refuses this lets nothing be loaded, either. */
static bool device_exists(void)
{
	DIR *class = opendir(CLASS);
	struct dirent *entry = NULL;

	if (!class)
		return false;
	while ((entry = readdir(class)) && entry->d_name[0] == '.')
		;
	closedir(class);
	return entry;
}

/* The other file refuses values, and writes to the log. */
static bool offers_nothing(struct wdp_provider *prov)
{
	char why[WDP_WHY_MAX];

	return !atomic_load(&whole) && wdp_config_read(&prov->config, &prov->core, why) &&
	       prov->config.devices == WDP_DEVICES_AUTO && prov->config.log != WDP_LOG_ALL && !device_exists();
}

/* The name of the other file, which is in this one's folder; links to this one are followed. */
static bool whole_name(char name[PATH_MAX])
{
	Dl_info info;
	char *end;

	if (!dladdr(&whole, &info) || !realpath(info.dli_fname, name))
		return false;
	end = strrchr(name, '/') + 1;
	if ((size_t)(end - name) + sizeof(WHOLE) > PATH_MAX)
		return false;
	memcpy(end, WHOLE, sizeof(WHOLE));
	return true;
}

static OSSL_provider_init_fn *whole_load(void)
{
	OSSL_provider_init_fn *init = atomic_load(&whole);
	char name[PATH_MAX] = WHOLE;
	void *file, *entry;

	if (init)
		return init;
	file = whole_name(name) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
	entry = file ? dlsym(file, "OSSL_provider_init") : NULL;
	memcpy(&init, &entry, sizeof(init));
	atomic_store(&whole, init);
	return init;
}

/* libcrypto drops the errors of providers that its configuration file names. */
static int not_loaded(const struct wdp_provider *prov)
{
	const char *why = dlerror();

	if (!why)
		why = "expected " WHOLE " in this module's folder";
	wdp_raise(&prov->core, ERR_R_INIT_FAIL, "%s", why);
	wdp_log(prov, WDP_LOG_ERRORS, "not loaded: %s", why);
	return 0;
}

static const OSSL_DISPATCH functions[] = {
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_TEARDOWN, free),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, wdp_gettable_params),
	WDP_FUNCTION(OSSL_FUNC_PROVIDER_GET_PARAMS, wdp_get_params),
	{ 0, NULL },
};

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		       void **provctx)
{
	struct wdp_provider *prov = calloc(1, sizeof(*prov));
	OSSL_provider_init_fn *init;
	int ok = 0;

	if (!prov || !wdp_core_read(&prov->core, handle, in))
		goto free_prov;
	if (offers_nothing(prov)) {
		*out = functions;
		*provctx = prov;
		return 1;
	}
	init = whole_load();
	ok = init ? init(handle, in, out, provctx) : not_loaded(prov);

free_prov:
	free(prov);
	return ok;
}
