// SPDX-License-Identifier: Apache-2.0
/* What RSA, DH and ECC share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pubkey.h"

int pubkey_state_init(struct pubkey_state *p, void *now, size_t len)
{
	*p = (struct pubkey_state){ .now = now, .given = calloc(1, len), .len = len };
	return p->given ? 0 : -ENOMEM;
}

void pubkey_state_wipe(struct pubkey_state *p)
{
	if (!p->given)
		return;
	explicit_bzero(p->now, p->len);
	explicit_bzero(p->given, p->len);
	free(p->given);
}

int pubkey_refresh(struct uadk_sess *sess, struct pubkey_state *p, pubkey_give_t *give)
{
	int ret = 0;

	pthread_mutex_lock(&sess->lock);
	if (!p->fresh || memcmp(p->now, p->given, p->len)) {
		for (unsigned int kind = 0; kind < UADK_KINDS && !ret; kind++) {
			own_handle_t own = atomic_load(&sess->own[kind]);

			/* Requests in flight keep the key: those that have ended make room for the next. */
			if (own)
				do {
					ret = give(sess, own);
				} while (ret == -EBUSY && uadk_drain(sess->class));
		}
		p->fresh = !ret;
		memcpy(p->given, p->now, p->len);
	}
	pthread_mutex_unlock(&sess->lock);
	return ret;
}
