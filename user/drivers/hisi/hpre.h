/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the HPRE engine's drivers; private. */
#ifndef WD_HPRE_PRIVATE_H
#define WD_HPRE_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "pubkey.h"
#include "queue.h"
#include "hw/hpre_hw.h"

/**
 * struct hpre_area - the memory of the request at one ring index
 * @used:	bytes of data in use; wiped when the request ends
 * @bytes:	length of the result in the caller's memory, on the fast path
 * @out:	where the device writes the result
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
static inline __attribute__((always_inline)) void hpre_write(__le64 *sqe, const struct hpre_job *j, const void *out,
							     __u32 tag)
{
	sqe[0] = htole64(j->head);
	sqe[1] = htole64((uintptr_t)j->key);
	sqe[2] = htole64((uintptr_t)j->in);
	sqe[3] = htole64((uintptr_t)out);
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
 * struct hpre_class - what RSA, DH and ECC do differently
 * @fill:	put operands into the area, and fill in the job; 0, -ENOMEM, -E2BIG: no device takes it
 * @finish:	put results into the caller's memory; 0, or -errno and msg->why
 */
struct hpre_class {
	int (*fill)(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j);
	int (*finish)(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer);
};

int hpre_open(struct wd_queue *q, const struct uacce_dev_info *dev, size_t area_bytes);
int hpre_send(struct hisi_queue *h, struct wd_msg *m, const struct hpre_class *cls);
void hpre_result(struct wd_queue *q, struct wd_msg *m, unsigned int index, const struct hpre_class *cls);
void hpre_abort(struct wd_queue *q, unsigned int index);
extern const char *const hpre_apis[];
extern const char *const hpre_ecc_apis[];

/* hpre_ecc.c: struct wd_driver's. */
int hpre_ecc_open(struct wd_queue *q, const struct uacce_dev_info *dev);
int hpre_ecc_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n);
void hpre_ecc_result(struct wd_queue *q, struct wd_msg *m, unsigned int index);

#define HPRE_DRIVER \
	.name = "hisi_hpre", \
	.abort = hpre_abort, \
	HISI_QUEUE_DRIVER

#endif
