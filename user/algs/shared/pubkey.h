/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by RSA, DH and ECC and their drivers; private, and compiled into each of the three libraries. */
#ifndef WD_PUBKEY_H
#define WD_PUBKEY_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <wd_number.h>
#include "base/likely.h"
#include "base/lists.h"
#include "driver.h"

#define PUBKEY_BYTES_MAX	512	/* size of an operand of RSA and DH: 4,096 bits */

/**
 * struct pubkey_msg - one request to a driver
 * @src:	operands, one after the other
 * @dst:	results, one after the other; dst_len is their length
 * @room:	size of dst
 * @extra:	the request's own key, nonce or signature, or NULL
 * @key:	the session's key, or NULL
 * @ahead:	a secret number that was prepared before the context's lock was taken, or NULL; wiped by its user
 * @kept:	a copy of the operand, which the result has overwritten, or NULL; freed with the result
 * @unproved:	dst has a result that must be verified before it is handed out
 * @op:		operation, numbered by the class
 * @why:	text of the error, or NULL
 */
struct pubkey_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order because of struct wd_msg_ends */
	size_t produced;
	const __u8 *src;
	__u8 *dst;
	const __u8 *extra;
	size_t src_len;
	size_t dst_len;
	size_t room;
	size_t extra_len;
	__u8 *ahead;
	__u8 *kept;
	bool unproved;
	__u32 op;
	const char *why;
};
WD_MSG_ASSERT(struct pubkey_msg);

static inline struct pubkey_msg *to_pubkey_msg(struct wd_msg *m)
{
	return (struct pubkey_msg *)m;
}

/* Whether these ranges have a byte in common. */
static inline bool pubkey_overlap(const void *a, size_t a_len, const void *b, size_t b_len)
{
	return (uintptr_t)a - (uintptr_t)b < b_len || (uintptr_t)b - (uintptr_t)a < a_len;
}

/* --- pubkey.c --- */

/* The handle of a new session; ret: result of setting up the class's own part, which wipe frees on failure. */
handle_t pubkey_sess_made(struct wd_session *s, int ret, int (*wipe)(struct wd_session *s));
int pubkey_sess_caps(handle_t sess, const struct wd_class *cls);

/* Checks a request's buffers: 0, or -errno, recorded. room: the size that dst needs, 0: there is no dst. */
int pubkey_check_ends(struct wd_session *s, const void *src, size_t src_len, const void *dst, const size_t *dst_len,
		      size_t room);
/* Checks the setup members that must be 0, and those that all classes have. 0, -EINVAL, recorded. */
int pubkey_setup_attr(struct wd_session_attr *attr, __u8 op_type, __u32 must_be_zero, __u32 flags, __u32 timeout_ms,
		      handle_t cq, const __u64 reserved[4]);

/* Whether all the request's memory is mapped. */
bool pubkey_mapped(const struct pubkey_msg *c);

/* --- struct wd_class's, for all three classes --- */

/* For refill(): fills in everything; dst_len: length of the result. extra is the class's, none here. */
struct pubkey_msg *pubkey_msg_begin(struct wd_session *s, void *req, struct wd_msg *m, __u32 op, size_t dst_len);
int pubkey_fill(struct wd_session *s, void *req, struct wd_msg *m);
/* Executes a filled request, on a device or on the software path; results in the message. Returns its status. */
int pubkey_run(struct wd_session *s, struct wd_msg *m);
int pubkey_run_over(struct wd_session *s, struct wd_msg *m);
/* For result(): check says whether a result is right; 0, or -errno and the message's why. */
int pubkey_result(struct wd_session *s, void *req, struct wd_msg *m, int ret, int (*check)(struct pubkey_msg *c));
int pubkey_ended(struct wd_msg *m);

/* The members of a class's table that the three have in common; name: as for FRAME_PUBLIC(). */
#define PUBKEY_CLASS(name) \
	FRAME_CLASS(name), \
	.run_over = pubkey_run_over, \
	.ended = pubkey_ended

/* --- number.c: no branch or address depends on secret values here --- */

/* Copies a number into a field of width bytes, right-aligned. 0, -EINVAL, recorded: no number, or it is longer. */
int pubkey_number_put(struct wd_object *obj, const char *name, const struct wd_number *n, __u8 *field, size_t width);
static inline bool pubkey_number_given(const struct wd_number *n)
{
	return n->data || n->len;
}

/* The big-endian word at p. */
static inline __u64 pubkey_word(const __u8 *p)
{
	__u64 v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

/*
 * A test of the first word instead of a scan. True: the number is neither 0 nor 1, and
 * below the limit, which has the same width of more than a word; if the limit is odd,
 * below limit - 1, too. False: unknown. For public numbers, and for secret ones whose
 * first word practically never makes this false: not for short secrets.
 */
static inline bool pubkey_is_between(const __u8 *a, const __u8 *limit)
{
	__u64 first = pubkey_word(a);

	return likely(first && first < pubkey_word(limit));
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
/* Reverses the order of bytes, for whole words; not in place. */
void pubkey_reverse(const __u8 *from, __u8 *to, size_t width);
/* The position of the highest bit, from 1; for public numbers. */
unsigned int pubkey_bits(const __u8 *a, size_t width);

#endif
