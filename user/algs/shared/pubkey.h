/* SPDX-License-Identifier: Apache-2.0 */
/* What RSA, DH and ECC, and their drivers, have in common; private, and compiled into each of the three libraries. */
#ifndef WD_PUBKEY_H
#define WD_PUBKEY_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <wd_number.h>
#include "base/lists.h"
#include "driver.h"

#define PUBKEY_BYTES_MAX	512	/* of an operand of RSA and DH: 4,096 bits */

/**
 * struct pubkey_msg - one request to a driver
 * @src:	operands, one after the other
 * @dst:	results, the same way; dst_len is what they have
 * @room:	of dst
 * @extra:	a key, nonce or signature that the request itself brings, or NULL
 * @key:	the session's, or NULL
 * @ahead:	a secret number that was made for it before the context's lock was taken, or NULL; whoever takes it wipes it
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
	__u8 *ahead;
	__u32 op;
	const char *why;
};
WD_MSG_ASSERT(struct pubkey_msg);

static inline struct pubkey_msg *to_pubkey_msg(struct wd_msg *m)
{
	return (struct pubkey_msg *)m;
}

/* --- pubkey.c --- */

/* The handle of a new session; ret: what became of its class's own part, which wipe frees when that failed. */
handle_t pubkey_sess_made(struct wd_session *s, int ret, int (*wipe)(struct wd_session *s));
int pubkey_sess_caps(handle_t sess, const struct wd_class *cls);

/* 0, or what is wrong with the ends of a request's buffers; recorded. room: what dst must have, 0: there is no dst. */
int pubkey_check_ends(struct wd_session *s, const void *src, size_t src_len, const void *dst, const size_t *dst_len, size_t room);
/* Members of a setup that are to be 0, and what all classes' have. 0, -EINVAL, recorded. */
int pubkey_setup_attr(struct wd_session_attr *attr, __u8 op_type, __u32 must_be_zero, __u32 flags, __u32 timeout_ms,
		      handle_t cq, const __u64 reserved[4]);

/* Whether all that a request names is memory. */
bool pubkey_mapped(const struct pubkey_msg *c);
/* Do a filled request, on a device or here; results in the message. Returns its status. */
int pubkey_do_sync(struct wd_session *s, struct pubkey_msg *c);
/* The same for one that took the fast path, but not to its end. */
int pubkey_do_over(struct wd_session *s, struct pubkey_msg *c);

/* --- number.c: what is secret decides neither branches nor addresses here --- */

/* Into a field of so many bytes, right-aligned. 0, -EINVAL, recorded: there is none, or it is wider. */
int pubkey_number_put(struct wd_object *obj, const char *name, const struct wd_number *n, __u8 *field, size_t width);
static inline bool pubkey_number_given(const struct wd_number *n)
{
	return n->data || n->len;
}

/* The word that a number has there. */
static inline __u64 pubkey_word(const __u8 *p)
{
	__u64 v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

/*
 * One look instead of a scan: true says that the number is neither 0 nor 1, and
 * below the limit, which has the same width of more than a word; when that is
 * odd, below it by more than 1. False says nothing. It is for public numbers,
 * and for those of which nobody comes across a first word that is not between:
 * not for short secrets.
 */
static inline bool pubkey_is_between(const __u8 *a, const __u8 *limit)
{
	__u64 first = pubkey_word(a);

	return __builtin_expect(first && first < pubkey_word(limit), 1);
}

/* a > 1 */
static inline bool pubkey_above_1(const __u8 *a, size_t width)
{
	__u64 any = a[width - 1] & 0xfeu;

	for (width--; width >= sizeof(any); width -= sizeof(any))
		any |= pubkey_word(a + width - sizeof(any));
	while (width--)
		any |= a[width];
	return any != 0;
}

bool pubkey_is_zero(const __u8 *a, size_t width);
/* a == v, for a small v. */
bool pubkey_is(const __u8 *a, size_t width, __u8 v);
bool pubkey_less(const __u8 *a, const __u8 *b, size_t width);
/* The last byte first, of whole words; not in place. */
void pubkey_reverse(const __u8 *from, __u8 *to, size_t width);
/* The place of the highest bit, from 1; of what is public. */
unsigned int pubkey_bits(const __u8 *a, size_t width);

#endif
