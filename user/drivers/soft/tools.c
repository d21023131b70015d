// SPDX-License-Identifier: Apache-2.0
/* A thread's memory for computing: making a compressor costs more than a small request. */
#include <pthread.h>
#include <stdlib.h>

#include "soft.h"

static pthread_key_t tools_key;
static pthread_once_t tools_once = PTHREAD_ONCE_INIT;
static bool tools_have_key;

static void tools_free(void *p)
{
	struct soft_tools *t = p;
	int i;

	for (i = 0; i < SOFT_COMPRESSORS; i++)
		libdeflate_free_compressor(t->comp[i].lc);
	if (t->decomp)
		libdeflate_free_decompressor(t->decomp);
	isal_tools_free(t->isal);
	free(t->plain);
	soft_walk_free(t->walk);
	for (i = 0; i < 2; i++) {
		soft_stream_free(t->pieces[i]);
		soft_proof_free(t->proof[i]);
	}
	free(t);
}

static void tools_init(void)
{
	tools_have_key = !pthread_key_create(&tools_key, tools_free);
}

/* The main thread runs no key destructors when the process exits. */
__attribute__((destructor)) static void tools_exit(void)
{
	struct soft_tools *t;

	if (!tools_have_key)
		return;
	t = pthread_getspecific(tools_key);
	pthread_key_delete(tools_key);
	if (t)
		tools_free(t);
	tools_have_key = false;
}

struct soft_tools *soft_tools_get(void)
{
	struct soft_tools *t;

	pthread_once(&tools_once, tools_init);
	if (!tools_have_key)
		return NULL;
	t = pthread_getspecific(tools_key);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && pthread_setspecific(tools_key, t)) {
		free(t);
		return NULL;
	}
	return t;
}
