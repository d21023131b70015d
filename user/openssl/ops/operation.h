/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of contexts of asymmetric operations: a key, the default provider's context, and which path the last
 * operation took.
 */
#ifndef WDP_OPERATION_H
#define WDP_OPERATION_H

#include "device/device.h"
#include "key/key.h"

/* Where a context's operation begins, with parameters or NULL: EVP_PKEY_sign_init_ex() and the like. */
typedef int wdp_init_fn(EVP_PKEY_CTX *ctx, const OSSL_PARAM params[]);

/* libcrypto ends a message in a duplicate of the program's context, which it frees: so the two have this in common. */
struct wdp_last {
	_Atomic unsigned int refs;
	_Atomic unsigned int path;	/* enum wd_path */
};

struct wdp_operation {
	struct wdp_provider *prov;
	enum wdp_kind kind;
	struct wdp_key *key;		/* a reference */
	EVP_PKEY_CTX *ctx;		/* the default provider's */
	unsigned int path;		/* enum wd_path, of the last operation in this context */
	struct wdp_last *last;		/* of a context and its duplicates */
	bool fresh;			/* parameters may differ from what was read of them */
	bool doubted;			/* a device finds the signature wrong, and the default provider is asked */
};

/* wdp_operation_new() - a context of that size, which begins with a struct wdp_operation; all else is zero. */
void *wdp_operation_new(size_t size, struct wdp_provider *prov, enum wdp_kind kind);

/* wdp_operation_init() - begin anew with a key; NULL keeps the one that is there. 1 or 0. */
int wdp_operation_init(struct wdp_operation *op, struct wdp_key *key, wdp_init_fn *init, const OSSL_PARAM params[]);
void wdp_operation_clear(struct wdp_operation *op);

/* wdp_operation_copy() - into one that holds nothing. 1 or 0. */
int wdp_operation_copy(struct wdp_operation *to, const struct wdp_operation *from);

/* wdp_operation_by_default() - the default provider has done it with that result; returns the result. */
int wdp_operation_by_default(struct wdp_operation *op, int result);

/* wdp_operation_verified() - the same for a signature. */
int wdp_operation_verified(struct wdp_operation *op, int result);

/* wdp_operation_ended() - let the context of which this one is a duplicate tell the path, too. */
void wdp_operation_ended(struct wdp_operation *op);

/* EVP_PKEY_sign() and the like. */
typedef int wdp_run_fn(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in, size_t in_len);

/* wdp_operation_end() - what a device did not do, the default provider does; returns the value for libcrypto. */
int wdp_operation_end(struct wdp_operation *op, enum wdp_outcome outcome, wdp_run_fn *run, unsigned char *out,
		      size_t *len, size_t room, const unsigned char *in, size_t in_len);

/*
 * wdp_operation_checked() - a device has computed these bytes; with check_results = all the default provider computes
 * them, too, and wrong ones are its work then. what: the class's name.
 */
#define WDP_CHECKED_MAX	512
enum wdp_outcome wdp_operation_checked(struct wdp_operation *op, const char *what, wdp_run_fn *run,
				       const unsigned char *out, size_t len, const unsigned char *in, size_t in_len);

/* Dispatched as they are: each context begins with a struct wdp_operation. */
int wdp_operation_get_params(void *vctx, OSSL_PARAM params[]);
int wdp_operation_set_params(void *vctx, const OSSL_PARAM params[]);

/* wdp_operation_text() - a parameter of the default provider's context; "" if it has none. */
void wdp_operation_text(const struct wdp_operation *op, const char *name, char *text, size_t size);

/* wdp_operation_int() - a number among the parameters, or other. */
int wdp_operation_int(const struct wdp_operation *op, const char *name, int other);

/* Functions that return a kind's lists of parameters. */
#define WDP_LIST(name, kind, which)							\
static const OSSL_PARAM *name##_##which(void *vctx, void *provctx)			\
{											\
	(void)vctx;									\
	return ((struct wdp_provider *)provctx)->default_provider.which[kind];			\
}

#endif
