/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core: the libcrypto that has loaded this module. The module is linked with one, too, which may be another: a
 * program can have its own, under another name or as a part of itself.
 */
#ifndef WDP_CORE_H
#define WDP_CORE_H

#include <stdbool.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>

struct wdp_core {
	const OSSL_CORE_HANDLE *handle;
	const OSSL_DISPATCH *functions;
	OSSL_FUNC_core_get_params_fn *get_params;
	OSSL_FUNC_BIO_write_ex_fn *bio_write;
	bool foreign;			/* it isn't the one that this module is linked with */
	bool mixed;			/* calls of this module reach more than one libcrypto */
	unsigned long version;		/* as OPENSSL_VERSION_NUMBER, major and minor part only; 0: unknown */
	/* The program's queue of errors, if foreign; else NULL. */
	OSSL_FUNC_core_set_error_mark_fn *mark;
	OSSL_FUNC_core_clear_last_error_mark_fn *unmark;
	OSSL_FUNC_core_pop_error_to_mark_fn *pop;
	OSSL_FUNC_core_new_error_fn *new_error;
	OSSL_FUNC_core_set_error_debug_fn *debug_error;
	OSSL_FUNC_core_vset_error_fn *vset_error;
};

/* wdp_core_read() - first of all calls in a provider, also before any of libcrypto; false: no such core is known. */
bool wdp_core_read(struct wdp_core *core, const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in);

/* wdp_core_is_default() - has the program's default context loaded us? Of another libcrypto's contexts none is ours. */
bool wdp_core_is_default(const struct wdp_core *core);

/* As ERR_set_mark(), ERR_pop_to_mark() and ERR_clear_last_mark(): in the program's queue, and in our libcrypto's. */
static inline void wdp_errors_mark(const struct wdp_core *core)
{
	ERR_set_mark();
	if (core->mark)
		core->mark(core->handle);
}

static inline void wdp_errors_drop(const struct wdp_core *core)
{
	ERR_pop_to_mark();
	if (core->pop)
		core->pop(core->handle);
}

static inline void wdp_errors_keep(const struct wdp_core *core)
{
	ERR_clear_last_mark();
	if (core->unmark)
		core->unmark(core->handle);
}

/*
 * wdp_raise() - an error of libcrypto's providers (ERR_LIB_PROV); another libcrypto counts it as one of ours. Format
 * NULL: no data.
 */
void wdp_raise_from(const struct wdp_core *core, const char *file, int line, const char *function, int reason,
		    const char *format, ...);
#define wdp_raise(core, reason, ...) \
	wdp_raise_from(core, OPENSSL_FILE, OPENSSL_LINE, OPENSSL_FUNC, reason, __VA_ARGS__)

#endif
