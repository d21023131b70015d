// SPDX-License-Identifier: Apache-2.0
/* Which libcrypto has loaded this module, and its queue of errors. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "core.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

typedef void any_fn(void);

static any_fn *function_of(const OSSL_DISPATCH *in, int id)
{
	for (; in->function_id; in++)
		if (in->function_id == id)
			return in->function;
	return NULL;
}

/* The file that an address is in; NULL: none. */
static const void *file_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static const void *file_of_function(any_fn *function)
{
	const void *address;

	memcpy(&address, &function, sizeof(address));
	return file_of(address);
}

/*
 * A program that has a part of libcrypto in itself, and shows it to its libraries, replaces that part of ours. The
 * addresses of functions of each part show this. A program that isn't position-independent has addresses of its own for
 * functions that it uses as pointers, so these functions are some that no program uses in that way.
 */
static bool is_whole(const void *file)
{
	any_fn *const parts[] = {
		(any_fn *)OSSL_LIB_CTX_new, (any_fn *)OSSL_PROVIDER_load, (any_fn *)OSSL_PARAM_locate_const,
		(any_fn *)ERR_set_mark, (any_fn *)EVP_PKEY_fromdata, (any_fn *)EVP_PKEY_sign,
		(any_fn *)EVP_PKEY_derive, (any_fn *)EVP_PKEY_decrypt, (any_fn *)EVP_PKEY_generate,
		(any_fn *)EVP_CIPHER_fetch, (any_fn *)EVP_DigestUpdate, (any_fn *)EVP_MAC_fetch,
		(any_fn *)OPENSSL_init_crypto,
	};
	size_t i;

	for (i = 0; i < COUNT(parts); i++)
		if (file_of_function(parts[i]) != file)
			return false;
	return true;
}

static void error_functions(struct wdp_core *core)
{
	const OSSL_DISPATCH *in = core->functions;

	core->mark = (OSSL_FUNC_core_set_error_mark_fn *)function_of(in, OSSL_FUNC_CORE_SET_ERROR_MARK);
	core->unmark = (OSSL_FUNC_core_clear_last_error_mark_fn *)
		       function_of(in, OSSL_FUNC_CORE_CLEAR_LAST_ERROR_MARK);
	core->pop = (OSSL_FUNC_core_pop_error_to_mark_fn *)function_of(in, OSSL_FUNC_CORE_POP_ERROR_TO_MARK);
	core->new_error = (OSSL_FUNC_core_new_error_fn *)function_of(in, OSSL_FUNC_CORE_NEW_ERROR);
	core->debug_error = (OSSL_FUNC_core_set_error_debug_fn *)function_of(in, OSSL_FUNC_CORE_SET_ERROR_DEBUG);
	core->vset_error = (OSSL_FUNC_core_vset_error_fn *)function_of(in, OSSL_FUNC_CORE_VSET_ERROR);
}

static unsigned long number_of(const char *version)
{
	unsigned long major, minor = 0;
	char *end;

	if (!version)
		return 0;
	major = strtoul(version, &end, 10);
	if (*end == '.')
		minor = strtoul(end + 1, NULL, 10);
	return major << 28 | minor << 20;
}

/*
 * With two libcryptos in the process, ours must not read the configuration, which would load this module once more.
 * Ours isn't cleaned up before the program's has unloaded its providers.
 */
static void prepare(void)
{
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

bool wdp_core_read(struct wdp_core *core, const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in)
{
	any_fn *get = function_of(in, OSSL_FUNC_CORE_GET_PARAMS);
	const void *ours = file_of(OpenSSL_version(OPENSSL_VERSION_STRING));
	char *version = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_CORE_VERSION, &version, 0), OSSL_PARAM_END
	};

	*core = (struct wdp_core){ .handle = handle, .functions = in };
	if (!get)
		return false;
	core->get_params = (OSSL_FUNC_core_get_params_fn *)get;
	core->bio_write = (OSSL_FUNC_BIO_write_ex_fn *)function_of(in, OSSL_FUNC_BIO_WRITE_EX);
	core->foreign = file_of_function(get) != ours;
	core->mixed = !is_whole(ours);
	if (core->get_params(handle, params))
		core->version = number_of(version);
	if (core->foreign) {
		error_functions(core);
		prepare();
	}
	return true;
}

bool wdp_core_is_default(const struct wdp_core *core)
{
	any_fn *get = function_of(core->functions, OSSL_FUNC_CORE_GET_LIBCTX);

	return get && !core->foreign && (void *)((OSSL_FUNC_core_get_libctx_fn *)get)(core->handle) ==
					(void *)OSSL_LIB_CTX_get0_global_default();
}

void wdp_raise_from(const struct wdp_core *core, const char *file, int line, const char *function, int reason,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!core->foreign) {
		ERR_new();
		ERR_set_debug(file, line, function);
		ERR_vset_error(ERR_LIB_PROV, reason, format, args);
	} else if (core->new_error && core->vset_error) {
		core->new_error(core->handle);
		if (core->debug_error)
			core->debug_error(core->handle, file, line, function);
		core->vset_error(core->handle, (uint32_t)reason, format, args);
	}
	va_end(args);
}
