/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by libwd_dh and its drivers; private. */
#ifndef WD_DH_PRIVATE_H
#define WD_DH_PRIVATE_H

#include <wd_dh.h>
#include "pubkey.h"

WD_ARG_ASSERT(struct wd_dh_arg);

struct soft_dh;

/**
 * struct dh_sess - a session
 * @k:		length of p in bytes
 * @g_is_2:	descriptors have an operation of its own for this generator
 * @p, @g:	in fields of k bytes
 * @top:	p - 1
 * @key:	x, p, as descriptors need them
 */
struct dh_sess {
	struct wd_session s;
	__u32 k;
	bool g_is_2;
	bool has_x;
	struct soft_dh *soft;
	__u8 p[PUBKEY_BYTES_MAX];
	__u8 top[PUBKEY_BYTES_MAX];
	__u8 g[PUBKEY_BYTES_MAX];
	__u8 key[2 * PUBKEY_BYTES_MAX];
};

static inline struct dh_sess *to_dh_sess(struct wd_session *s)
{
	return (struct dh_sess *)s;
}

/* Copies the request's private value into a field of k bytes. */
static inline void dh_private(const struct dh_sess *s, const struct pubkey_msg *c, __u8 *x)
{
	size_t skip = c->extra_len > s->k ? c->extra_len - s->k : 0, n = c->extra_len - skip;

	if (!c->extra) {
		memcpy(x, s->key, s->k);
		return;
	}
	memset(x, 0, s->k - n);
	memcpy(x + s->k - n, c->extra + skip, n);
}

/* The base of a request's power: its operand, or the generator. */
static inline const __u8 *dh_base(const struct dh_sess *s, const struct pubkey_msg *c)
{
	return c->op == WD_DH_PUBLIC ? s->g : c->src;
}

/* --- group.c --- */

/* Sets k, p, top and g of a session. 0, -EINVAL, -EOPNOTSUPP, -ENOMEM, recorded. */
int dh_group_set(struct dh_sess *s, const struct wd_dh_sess_setup *setup);
/* Whether v is in 2 .. p - 2. */
bool dh_in_range(const struct dh_sess *s, const __u8 *v);

/* --- soft/dh.c --- */

/* Puts p of the group with libcrypto's name into a field; returns its length, or 0. */
__u32 soft_dh_group(const char *name, __u8 p[PUBKEY_BYTES_MAX]);
int soft_dh_make(struct dh_sess *s);
void soft_dh_free(struct soft_dh *d);

extern const struct wd_driver hisi_dh_driver;
extern const struct wd_driver soft_dh_driver;

#endif
