/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's default provider, in a library context of our own, in which this provider can't be found. If the
 * program has the libcrypto that this module is linked with, the context has loaded the default provider itself. Else
 * the context is a child of the program's, so that the program's own libcrypto computes all that isn't a device's.
 */
#ifndef WDP_DEFAULT_PROVIDER_H
#define WDP_DEFAULT_PROVIDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <openssl/types.h>

#include "core.h"

/* Operations whose contexts have parameters. */
enum wdp_kind {
	WDP_KIND_RSA_SIGN,
	WDP_KIND_ECDSA,
	WDP_KIND_SM2,
	WDP_KIND_RSA_CIPHER,
	WDP_KIND_SM2_CIPHER,
	WDP_KIND_ECDH,
	WDP_KIND_XDH,
	WDP_KIND_DH,
	WDP_KINDS,
};

struct wdp_default_provider {
	const struct wdp_core *core;
	OSSL_LIB_CTX *libctx;
	OSSL_PROVIDER *provider;	/* the default one; of a child, not ours to unload */
	OSSL_PARAM *gettable[WDP_KINDS];	/* the default provider's, and "warpdrive-path"; ours */
	const OSSL_PARAM *settable[WDP_KINDS];	/* the default provider's */
	OSSL_PROVIDER *_Atomic legacy;		/* NULL: nothing has needed its digests */
	bool in_default_ctx;			/* the program's context, which has loaded us, is libcrypto's default
						 * one */
};

#define WDP_PARAM_PATH	"warpdrive-path"
#define WDP_NOT_OURS	"warpdrive.device!=yes"

/* wdp_with_path() - a list on the heap: that one, or none, and "warpdrive-path"; NULL: no memory. */
OSSL_PARAM *wdp_with_path(const OSSL_PARAM *list);

/*
 * wdp_default_provider_load() - false: no memory, or the program's context has no default provider, which a child can't
 * do without.
 */
bool wdp_default_provider_load(struct wdp_default_provider *dp, const struct wdp_core *core);

/*
 * wdp_default_provider_learns() - the default provider has refused these parameters, or NULL, because of a digest of
 * the provider "legacy", which the program's context has. The default provider's context has it, too, after this: the
 * caller sets them again.
 */
bool wdp_default_provider_learns(struct wdp_default_provider *dp, const OSSL_PARAM params[]);

/*
 * wdp_default_provider_again() - after wdp_errors_mark() and a first try, which was ok or not: whether to do it again,
 * the errors of the first try being gone. It takes the mark away in any case.
 */
bool wdp_default_provider_again(struct wdp_default_provider *dp, bool ok, const OSSL_PARAM params[]);

void wdp_default_provider_unload(struct wdp_default_provider *dp);

#endif
