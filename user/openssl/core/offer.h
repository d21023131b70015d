/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms that libcrypto is offered. */
#ifndef WDP_OFFER_H
#define WDP_OFFER_H

#include <stdatomic.h>

#include "provider.h"

/*
 * A program's own query about "provider" takes the place of the preference for ours, but not of that for the second
 * one.
 */
#define WDP_PROPERTIES	"provider=warpdrive,warpdrive.device=yes"

/* wdp_offer() - one algorithm more; false: no memory. */
bool wdp_offer(struct wdp_provider *prov, int operation, const OSSL_ALGORITHM *algorithm);

/* Calls on an algorithm of the default provider's. */
typedef int wdp_params_fn(const void *alg, OSSL_PARAM params[]);
typedef void wdp_name_fn(const char *name, void *arg);
typedef int wdp_names_fn(const void *alg, wdp_name_fn *fn, void *arg);

/* wdp_names() - all names of an algorithm, for OSSL_ALGORITHM, on the heap; programs see the first. NULL: no memory. */
char *wdp_names(const char *first, wdp_names_fn *names_do, const void *alg);

/* Numbers that describe an algorithm, the same in each provider of a process. Never freed. */
struct wdp_facts;

/* wdp_facts_read() - ask the default provider, once in a process; false: no memory. */
bool wdp_facts_read(struct wdp_facts *_Atomic *at, const OSSL_PARAM *gettable, wdp_params_fn *get, const void *alg);
int wdp_facts_get(struct wdp_facts *_Atomic *at, OSSL_PARAM params[]);

/*
 * The functions of an algorithm that return numbers, in facts_of[], and lists of parameters. member: an array of struct
 * wdp_provider; evp: prefix of libcrypto's functions.
 */
#define WDP_PARAMS_OF(id, member, index, evp)									\
static int id##_get_params(OSSL_PARAM params[]) { return wdp_facts_get(&facts_of[index], params); }		\
static const OSSL_PARAM *id##_gettable(void *provctx)								\
{														\
	return evp##_gettable_params(((struct wdp_provider *)provctx)->member[index].fetched);			\
}														\
static const OSSL_PARAM *id##_gettable_ctx(void *vctx, void *provctx)						\
{														\
	(void)vctx;												\
	return ((struct wdp_provider *)provctx)->member[index].gettable;					\
}														\
static const OSSL_PARAM *id##_settable_ctx(void *vctx, void *provctx)						\
{														\
	(void)vctx;												\
	return evp##_settable_ctx_params(((struct wdp_provider *)provctx)->member[index].fetched);		\
}

#endif
