/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a session, which each of its sessions of ours gets. */
#ifndef UADK_KEY_H
#define UADK_KEY_H

#include "class.h"

typedef int crypto_set_key_t(own_handle_t own, const __u8 *key, __u32 len);

struct crypto_key {
	__u8 *data;			/* NULL: none */
	__u32 len;
};

/* Gives the key to all sessions of ours, and keeps a copy for later ones. Return: 0, or -WD_E*. */
int crypto_key_set(struct uadk_sess *sess, struct crypto_key *key, const __u8 *data, __u32 len, crypto_set_key_t *set);
/* Gives it to one that has just been made, unless there is none. Return: 0, or -errno. */
int crypto_key_give(const struct crypto_key *key, own_handle_t own, crypto_set_key_t *set);
/* Returns a session of ours with the key, or 0 and errno. */
own_handle_t crypto_keyed(const struct uadk_sess *sess, own_handle_t own, const struct crypto_key *key,
			  crypto_set_key_t *set);
void crypto_key_wipe(struct crypto_key *key);

/* A list or a flat buffer of a request; *@block is freed after it. Return: 0, -WD_ENOMEM. */
int crypto_buffers(const void **src, void **dst, bool lists, void **block);

/* The result of a request that writes as much as it reads. */
#define CRYPTO_DELIVER(x) \
static void x##_deliver(struct uadk_slot *slot) \
{ \
	struct x##_slot *s = (struct x##_slot *)slot; \
	s->req.out_bytes = (__u32)s->room; \
	s->req.cb(&s->req, s->req.cb_param); \
}

#endif
