/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the ZIP engine's drivers: descriptors of both types; private. */
#ifndef WD_ZIP_PRIVATE_H
#define WD_ZIP_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "comp.h"
#include "fast.h"
#include "queue.h"
#include "hw/zip_hw.h"

#define ZIP_PAGE_MIN		4096u
#define ZIP_NOT_WORTH_IT	1024	/* bytes: below this, a real device is slower than the software path */

/* Whether a header of that size may lie on another page than the device's output behind it. */
static inline bool zip_head_apart(const void *dst, size_t head)
{
	return ((uintptr_t)dst + head) % ZIP_PAGE_MIN < head;
}

/**
 * struct zip_job - the part of a descriptor that differs between requests
 * @dw7:	the operation on the stream
 * @dw8_9:	two words that most requests of a session share
 * @state:	state of the request's stream, or NULL
 */
struct zip_job {
	__u64 src;
	__u64 dst;
	__u64 src_len;
	__u64 room;
	__u64 dw7;
	__u64 dw8_9;
	__u32 tag;
	const struct comp_hw_state *state;
};

static inline __u64 pair_of(__u32 low, __u32 high)
{
	return (__u64)high << 32 | low;
}

static inline void zero_pair(__le64 *to)
{
	memset(to, 0, 2 * sizeof(*to));
}

/*
 * A software device may read the descriptor before the doorbell, and must find the old one or the new one: the stores
 * stand together, and the last one goes to the word in which the model last marks a descriptor as taken. type: of the
 * descriptor, a constant on the fast path, here and below.
 */
static inline __attribute__((always_inline)) void zip_write(__le64 *sqe, __u32 type, const struct zip_job *j)
{
	const struct comp_hw_state *st = j->state;

	zero_pair(sqe);
	sqe[2] = htole64(j->src_len);
	sqe[3] = htole64(j->dw7 << 32);
	sqe[4] = htole64(j->dw8_9);
	if (type == ZIP_SQE_TYPE_0) {
		sqe[5] = 0;
		sqe[6] = htole64(pair_of(0, j->tag));
	} else {
		zero_pair(sqe + 5);
	}
	sqe[7] = htole64(st ? pair_of((__u32)j->room, st->ctx_dw[0]) : j->room);
	sqe[8] = 0;
	sqe[9] = htole64(j->src);
	sqe[10] = htole64(j->dst);
	sqe[13] = type == ZIP_SQE_TYPE_0 ? 0 : htole64(j->tag);
	if (!st) {
		zero_pair(sqe + 14);
		hisi_sqe_order((void *)sqe);
		zero_pair(sqe + 11);
		return;
	}
	sqe[12] = 0;
	sqe[14] = htole64(pair_of(st->ctx_dw[1], st->ctx_dw[2]));
	sqe[15] = htole64(pair_of(st->isize, st->checksum));
	hisi_sqe_order((void *)sqe);
	sqe[11] = htole64((uintptr_t)st->ctx + ZIP_CTX_HW_OFFSET);
}

/* The device's answer, read once: the device shares the memory. */
struct zip_answer {
	__u32 consumed;
	__u32 produced;
	__u32 dw3;
	__u32 tag;
};

static inline __attribute__((always_inline)) void zip_read(const volatile struct zip_sqe *sqe, __u32 type,
							   struct zip_answer *a)
{
	a->consumed = le32toh(sqe->consumed);
	a->produced = le32toh(sqe->produced);
	a->dw3 = le32toh(sqe->dw3);
	a->tag = le32toh(type == ZIP_SQE_TYPE_0 ? sqe->dw13 : sqe->tag_l);
}

/* A whole flat buffer: every request of the fast path, and by far most of the others. All but the tag. */
static inline __attribute__((always_inline)) void zip_job_flat(const struct comp_sess *s, __u32 type, __u64 src,
							       __u64 src_len, __u64 dst, __u64 room, struct zip_job *j)
{
	j->src = src;
	j->dst = dst;
	j->src_len = src_len;
	j->room = room;
	j->dw7 = type << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH;
	j->dw8_9 = s->sqe_word;
	j->state = NULL;
}

/* --- zip_msg.c --- */
int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev);
/* zip_status.c: the engine's status, as an errno, and a text in the message; 0: the request succeeded. */
int zip_status_error(struct comp_msg *c, __u32 status);

/* --- zip_lz77.c: zip_send() and zip_end() for sequences --- */
int zip_lz77_send(struct hisi_queue *z, struct comp_msg *c);
void zip_lz77_end(struct hisi_queue *z, struct comp_msg *c, unsigned int index);

/* struct fast_ops's */
int zip_send(const struct fast_ops *ops, struct hisi_queue *z, struct wd_msg *m);
void zip_end(const struct fast_ops *ops, struct hisi_queue *z, struct wd_msg *m, unsigned int index);
bool zip_stopped(struct wd_queue *q, unsigned int index);

#define ZIP_DRIVER \
	.name = "hisi_zip", \
	.min_bytes = ZIP_NOT_WORTH_IT, \
	.open = zip_open, \
	.abort = hisi_queue_abort, \
	.stopped = zip_stopped, \
	HISI_QUEUE_DRIVER

#endif
