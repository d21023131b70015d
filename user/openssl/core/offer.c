// SPDX-License-Identifier: Apache-2.0
/* Lists of the algorithms that libcrypto is offered, under the default provider's names. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/params.h>

#include "offer.h"

/* --- parameters of an algorithm, which libcrypto asks for without saying which provider is meant --- */

#define FACTS_MAX	24

struct wdp_facts {
	size_t nr;
	struct {
		const char *key;	/* constant data of libcrypto */
		uint64_t value;
	} at[FACTS_MAX];
};

static void fact_read(struct wdp_facts *facts, const char *key, wdp_params_fn *get, const void *alg)
{
	uint64_t value = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint64(key, &value), OSSL_PARAM_END };

	if (facts->nr == FACTS_MAX || !get(alg, params) || !OSSL_PARAM_modified(params))
		return;
	facts->at[facts->nr].key = key;
	facts->at[facts->nr++].value = value;
}

bool wdp_facts_read(struct wdp_facts *_Atomic *at, const OSSL_PARAM *gettable, wdp_params_fn *get, const void *alg)
{
	struct wdp_facts *facts, *none = NULL;

	if (atomic_load(at))
		return true;
	facts = calloc(1, sizeof(*facts));
	if (!facts)
		return false;
	for (; gettable && gettable->key; gettable++)
		fact_read(facts, gettable->key, get, alg);
	if (!atomic_compare_exchange_strong(at, &none, facts))
		free(facts);
	return true;
}

int wdp_facts_get(struct wdp_facts *_Atomic *at, OSSL_PARAM params[])
{
	const struct wdp_facts *facts = atomic_load(at);
	OSSL_PARAM *p;
	size_t i;

	for (i = 0; i < facts->nr; i++) {
		p = OSSL_PARAM_locate(params, facts->at[i].key);
		if (p && !OSSL_PARAM_set_uint64(p, facts->at[i].value))
			return 0;
	}
	return 1;
}

/* --- names --- */

struct names {
	const char *first;
	char *text;			/* NULL: no memory */
};

static void name_add(const char *name, void *arg)
{
	struct names *names = arg;
	char *longer;
	size_t len;

	if (!names->text || !strcasecmp(name, names->first))
		return;
	len = strlen(names->text);
	longer = realloc(names->text, len + strlen(name) + 2);
	if (!longer) {
		free(names->text);
		names->text = NULL;
		return;
	}
	names->text = longer;
	longer[len] = ':';
	strcpy(longer + len + 1, name);
}

char *wdp_names(const char *first, wdp_names_fn *names_do, const void *alg)
{
	struct names names = { first, strdup(first) };

	if (!names_do(alg, name_add, &names)) {
		free(names.text);
		return NULL;
	}
	return names.text;
}

/* --- lists --- */

bool wdp_offer(struct wdp_provider *prov, int operation, const OSSL_ALGORITHM *algorithm)
{
	OSSL_ALGORITHM **list = &prov->offers[operation], *longer;
	size_t n = 0;

	while (*list && (*list)[n].algorithm_names)
		n++;
	longer = reallocarray(*list, n + 2, sizeof(*longer));
	if (!longer)
		return false;
	longer[n] = *algorithm;
	longer[n + 1] = (OSSL_ALGORITHM){ NULL, NULL, NULL, NULL };
	*list = longer;
	return true;
}
