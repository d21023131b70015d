/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the HPRE engine's drivers; private. */
#ifndef WD_HPRE_PRIVATE_H
#define WD_HPRE_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "base/likely.h"
#include "fast.h"
#include "pubkey.h"
#include "queue.h"
#include "hw/hpre_hw.h"

/**
 * struct hpre_area - the memory of the request at one ring index
 * @used:	bytes of data in use, 0 if there are only the caller's operands and room; wiped when the request ends
 * @bytes:	of a request on a curve, on the fast path: length of the result in the caller's memory
 * @out:	where in data the device writes the result, or NULL; valid while data is in use
 */
struct hpre_area {
	__u32 used;
	__u32 bytes;
	__u8 *out;
	__u8 spare[16];
	__u8 data[];
};
static_assert(offsetof(struct hpre_area, data) == 32, "data is aligned");

/*
 * Takes n bytes for operands or results, which the caller fills. The area_bytes that a class passed to hpre_open()
 * suffice.
 */
static inline __u8 *hpre_take(struct hpre_area *a, size_t n)
{
	__u8 *p = a->data + a->used;

	a->used += (__u32)n;
	return p;
}

static inline void hpre_area_begin(struct hpre_area *a)
{
	a->used = 0;
	a->out = NULL;
}

static inline void hpre_area_wipe(struct hpre_area *a)
{
	explicit_bzero(a->data, a->used);
	a->used = 0;
}

/* The part of a descriptor that differs between requests. */
struct hpre_job {
	__u64 head;		/* first words of the descriptor: hpre_head() */
	const void *key;
	const void *in;		/* NULL: the device reads nothing */
	void *out;		/* NULL: the device writes nothing */
	__u32 text;		/* length of SM2's plaintext minus one, or 0 */
};

/* bytes: length of an operand */
static inline __u64 hpre_head(enum hpre_op op, __u32 bytes)
{
	return (__u64)(bytes / 8 - 1) << 32 | op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT;
}

/*
 * A software device may read the descriptor before the doorbell, and must find the old one or the new one: the stores
 * stand together, and the last one goes to the word in which the model last marks a descriptor as taken.
 */
static inline __attribute__((always_inline)) void hpre_write(__le64 *sqe, const struct hpre_job *j, __u32 tag)
{
	sqe[0] = htole64(j->head);
	sqe[1] = htole64((uintptr_t)j->key);
	sqe[2] = htole64((uintptr_t)j->in);
	sqe[3] = htole64((uintptr_t)j->out);
	sqe[4] = htole64(tag);
	sqe[5] = htole64(j->text);
	sqe[6] = 0;
	atomic_store_explicit((_Atomic __u64 *)(void *)&sqe[7], 0, memory_order_release);
}

/* The device's answer, read once: the device shares the memory. */
struct hpre_answer {
	__u64 tag;
	__u64 out;
	__u32 dw0;
};

static inline __attribute__((always_inline)) void hpre_read(const volatile struct hpre_sqe *sqe, struct hpre_answer *a)
{
	a->dw0 = le32toh(sqe->dw0);
	a->tag = le64toh(sqe->tag);
	a->out = le64toh(sqe->out);
}

/* Done, without an error of either kind. */
static inline bool hpre_is_good(__u32 dw0)
{
	return dw0 >> HPRE_DW0_ETYPE_SHIFT == HPRE_DONE_HARDWARE << (HPRE_DW0_DONE_SHIFT - HPRE_DW0_ETYPE_SHIFT);
}

/**
 * struct hpre_ops - what RSA, DH and ECC do differently
 * @fast:	first member
 * @fill:	of messages: fill in the job, and put into the area what the device can't have at the caller's address;
 *		0, -ENOMEM, -E2BIG: no device takes it
 * @finish:	of messages: put results into the caller's memory; 0, or -errno and msg->why. a is NULL if nothing is
 *		in the area
 */
struct hpre_ops {
	struct fast_ops fast;
	int (*fill)(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j);
	int (*finish)(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer);
};

static inline const struct hpre_ops *to_hpre_ops(const struct fast_ops *ops)
{
	return (const struct hpre_ops *)ops;
}

int hpre_open(struct wd_queue *q, const struct uacce_dev_info *dev, size_t area_bytes);
int hpre_send(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m);
void hpre_end(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m, unsigned int index);
bool hpre_stopped(struct wd_queue *q, unsigned int index);
void hpre_abort(struct wd_queue *q, unsigned int index);
extern const char *const hpre_apis[];
extern const char *const hpre_ecc_apis[];

/* --- powers: RSA and DH, with one operand and one result, both of k bytes --- */

/*
 * Room in the area for the operand, which is copied there unless src is NULL, and behind it for the result. Requests
 * need that whose result may overwrite an operand, since they could not be done again, and those with a deadline: after
 * it the memory is the caller's again, even if the device can't be stopped.
 */
__u8 *hpre_bounce(struct hpre_area *a, const void *src, __u32 k);
/* The same in the area of that index; NULL: no memory. */
__u8 *hpre_bounce_at(struct hisi_queue *h, unsigned int index, const void *src, __u32 k);

static inline __u64 hpre_deadline(const struct fast_req *r)
{
	return r->own ? r->own->deadline : 0;
}

/* The area of that index, or NULL if nothing is in it. */
static inline struct hpre_area *hpre_area_used(const struct hisi_queue *h, unsigned int index)
{
	struct hpre_area *a = hisi_queue_scratch_there(h, index);

	return a && a->used ? a : NULL;
}

/* Where the device has written the result: in the area, if one is used, or in the caller's memory. */
static inline const __u8 *hpre_power(const struct hpre_area *a, const void *dst)
{
	return a && a->out ? a->out : dst;
}

/* Puts the result into the caller's memory if it isn't there. */
static inline void hpre_power_put(const struct hpre_area *a, void *dst, size_t k)
{
	if (a && a->out)
		memcpy(dst, a->out, k);
}

/* --- hpre_ecc.c --- */
int hpre_ecc_open(struct wd_queue *q, const struct uacce_dev_info *dev);
/* struct hpre_ops's */
int hpre_ecc_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j);
int hpre_ecc_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer);

/* --- the fast path --- */

/*
 * Fills in the job, where text is 0, and puts into the area what the device can't have at the caller's address, if the
 * request passes the class's check, and needs no more than a short one. After false the area is empty.
 */
typedef bool hpre_job_fn(const struct fast_req *r, struct hisi_queue *h, struct hpre_job *j);

WD_INLINE bool hpre_fill(struct hisi_queue *h, struct fast_req *r, hpre_job_fn *job)
{
	struct hpre_job j;

	/* The area belongs to the slot, and is empty. */
	if (unlikely(!wd_slot_is_free(r->slot)))
		return false;
	j.text = 0;
	if (unlikely(!job(r, h, &j)))
		return false;
	hpre_write(fast_sqe(h, r, HPRE_SQE_SIZE), &j, fast_begin(r));
	return true;
}

/*
 * Puts results into the caller's memory and their length into out, and wipes the area. False, with nothing done, when
 * the slow path has to check them.
 */
typedef bool hpre_told_fn(const struct fast_req *r, const struct hisi_queue *h, __u64 answer, __u64 *out);

WD_INLINE bool hpre_told(const struct hisi_queue *h, const struct fast_req *r, __u64 *in, __u64 *out,
			 hpre_told_fn *told)
{
	const struct wd_arg *arg = r->arg;
	struct hpre_answer answer;

	hpre_read((const volatile void *)fast_sqe(h, r, HPRE_SQE_SIZE), &answer);
	if (unlikely(!hpre_is_good(answer.dw0) || answer.tag != r->tag || !told(r, h, answer.out, out)))
		return false;
	*in = arg->src_len;
	/* A verification has no dst_len. */
	if (arg->dst_len)
		*arg->dst_len = *out;
	return true;
}

#define HPRE_DRIVER \
	.name = "hisi_hpre", \
	.abort = hpre_abort, \
	.stopped = hpre_stopped, \
	HISI_QUEUE_DRIVER

/*
 * Operations of struct fast_ops with these functions of a class: name_fill() and name_told(). Compilers inline through
 * one table, but not through a second.
 */
#define HPRE_OPERATIONS(name, job, told) \
WD_INLINE bool name##_fill(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r) \
{ \
	(void)ops; \
	return hpre_fill(h, r, job); \
} \
\
WD_INLINE bool name##_told(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, \
			   __u64 *in, __u64 *out) \
{ \
	(void)ops; \
	return hpre_told(h, r, in, out, told); \
}

/* The members of struct fast_ops of that class. */
#define HPRE_FAST(name) \
	.fill = name##_fill, .result = name##_told, .send = hpre_send, .end = hpre_end, .abort = hpre_abort

#endif
