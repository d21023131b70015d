/* SPDX-License-Identifier: Apache-2.0 */
/* What RSA, DH and ECC, and their drivers, have in common; private, and compiled into each of the three libraries. */
#ifndef WD_PUBKEY_H
#define WD_PUBKEY_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <wd_number.h>
#include "driver.h"
#include "lists.h"

#define PUBKEY_BYTES_MAX	512	/* of an operand of RSA and DH: 4,096 bits */

/**
 * struct pubkey_msg - one request to a driver
 * @src:	operands, one after the other
 * @dst:	results, the same way; dst_len is what they have
 * @room:	of dst
 * @extra:	a key, nonce or signature that the request itself brings, or NULL
 * @key:	the session's, or NULL
 * @op:		the class's
 * @why:	what is wrong, in words, or NULL
 */
struct pubkey_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order: struct wd_msg_ends */
	size_t produced;
	const __u8 *src;
	__u8 *dst;
	const __u8 *extra;
	size_t src_len;
	size_t dst_len;
	size_t room;
	size_t extra_len;
	__u32 op;
	const char *why;
};
static_assert(sizeof(struct pubkey_msg) <= WD_MSG_BYTES_MAX, "it lies in rows of these");
static_assert(offsetof(struct pubkey_msg, consumed) == offsetof(struct wd_msg_ends, consumed) &&
	      offsetof(struct pubkey_msg, produced) == offsetof(struct wd_msg_ends, produced), "counters read these");

static inline struct pubkey_msg *to_pubkey_msg(struct wd_msg *m)
{
	return (struct pubkey_msg *)m;
}

/* --- pubkey.c --- */

/* 0, -EINVAL, -EBUSY, -EDEADLK; wipe frees what the class's own part holds. */
int pubkey_sess_free(handle_t sess, const struct wd_class *cls, void (*wipe)(struct wd_session *s));
int pubkey_sess_caps(handle_t sess, const struct wd_class *cls);
/* The session, if a key may be set in it now, else NULL and *ret. */
struct wd_session *pubkey_key_begin(handle_t sess, const struct wd_class *cls, const void *key, int *ret);

/* 0, or what is wrong with the ends of a request's buffers; recorded. room: what dst must have, 0: there is no dst. */
int pubkey_check_ends(struct wd_session *s, const void *src, size_t src_len, const void *dst, const size_t *dst_len, size_t room);
/* Members of a setup that are to be 0, and what all classes' have. 0, -EINVAL, recorded. */
int pubkey_setup_attr(struct wd_session_attr *attr, __u8 op_type, __u32 must_be_zero, __u32 flags, __u32 timeout_ms,
		      const __u64 reserved[4]);

/* Whether all that a request names is memory. */
bool pubkey_mapped(const struct pubkey_msg *c);
/* Do a filled request, on a device or here; results in the message. Returns its status. */
int pubkey_do_sync(struct wd_session *s, struct pubkey_msg *c);

/* --- number.c: what is secret decides neither branches nor addresses here --- */

/* Into a field of so many bytes, right-aligned. 0, -EINVAL, recorded: there is none, or it is wider. */
int pubkey_number_put(struct wd_object *obj, const char *name, const struct wd_number *n, __u8 *field, size_t width);
static inline bool pubkey_number_given(const struct wd_number *n)
{
	return n->data || n->len;
}
bool pubkey_is_zero(const __u8 *a, size_t width);
/* a == v, for a small v. */
bool pubkey_is(const __u8 *a, size_t width, __u8 v);
bool pubkey_less(const __u8 *a, const __u8 *b, size_t width);
/* The place of the highest bit, from 1; of what is public. */
unsigned int pubkey_bits(const __u8 *a, size_t width);

#endif
