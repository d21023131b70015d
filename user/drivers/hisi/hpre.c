// SPDX-License-Identifier: Apache-2.0
/* Drivers of the HPRE engine: one descriptor for each request, its operands in memory of the queue, and what became of it. */
#include <endian.h>
#include <errno.h>

#include "hpre.h"

const char *const hpre_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

int hpre_open(struct wd_queue *q, const struct uacce_dev_info *dev, size_t area_bytes)
{
	return hisi_queue_open(q, dev, HPRE_SQE_SIZE, sizeof(struct hpre_area) + area_bytes);
}

/* --- requests --- */

/*
 * A software device may look before the doorbell, so it must find the old
 * descriptor or the new one: the stores stand together, and the last of them
 * is the last word that the model marks a descriptor with that it has taken.
 */
static void sqe_write(__le64 *sqe, const struct hpre_job *j, const void *out, __u32 tag)
{
	__u32 dw0 = j->op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT;

	sqe[0] = htole64((__u64)(j->bytes / 8 - 1) << 32 | dw0);
	sqe[1] = htole64((uintptr_t)j->key);
	sqe[2] = htole64((uintptr_t)j->in);
	sqe[3] = htole64((uintptr_t)out);
	sqe[4] = htole64(tag);
	sqe[5] = htole64(j->text ? j->text - 1 : 0);
	sqe[6] = 0;
	atomic_store_explicit((_Atomic __u64 *)(void *)&sqe[7], 0, memory_order_release);
}

static void area_wipe(struct hpre_area *a)
{
	explicit_bzero(a->data, a->used);
	a->used = 0;
}

static int msg_send(struct hisi_queue *h, struct pubkey_msg *c, const struct hpre_class *cls)
{
	unsigned int index = HISI_INDEX(&c->m);
	struct hpre_area *a;
	struct hpre_job j = { .text = 0 };
	int ret;

	if (!pubkey_mapped(c))
		return -EFAULT;
	a = hisi_queue_scratch(h, index);
	if (!a)
		return -ENOMEM;
	a->used = 0;
	a->out = NULL;
	ret = cls->fill(c, a, &j);
	if (ret) {
		area_wipe(a);
		return ret;
	}
	sqe_write(wd_ring_slot(&h->ring, (__u16)index), &j, a->out, c->m.tag);
	return 0;
}

int hpre_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n, const struct hpre_class *cls)
{
	struct hisi_queue *h = hisi_queue_of(q);
	unsigned int i;
	int ret = 0;

	/* The core keeps to the limit, with which there is always room in both rings. */
	for (i = 0; i < n; i++) {
		ret = msg_send(h, to_pubkey_msg(msgs[i]), cls);
		if (ret)
			break;
	}
	if (wd_ring_tx_stopped(&h->ring)) {
		while (i--)
			hpre_abort(q, HISI_INDEX(msgs[i]));
		return wd_ring_why(&h->ring);
	}
	if (!i)
		return ret;
	wd_ring_submit_to(&h->ring, i, wd_ring_after(&h->ring, HISI_INDEX(msgs[i - 1])));
	return (int)i;
}

void hpre_abort(struct wd_queue *q, unsigned int index)
{
	struct hisi_queue *h = hisi_queue_of(q);

	if (h && h->scratch)
		area_wipe(hisi_queue_scratch_at(h, index));
}

/* --- results --- */

static int status_of(struct pubkey_msg *c, __u32 dw0)
{
	__u32 error = dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK, error1 = dw0 >> HPRE_DW0_ETYPE1_SHIFT & HPRE_DW0_ETYPE1_MASK;

	c->m.vendor = error | error1 << 16;
	if (dw0 >> HPRE_DW0_DONE_SHIFT != HPRE_DONE_HARDWARE) {
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (!c->m.vendor)
		return 0;
	if (error == HPRE_ERR_ABORTED)
		return WD_STOPPED;
	c->why = error1 & HPRE_ETYPE1_SVA ? "the device couldn't reach the request's memory" : "the device refused the request";
	return -EIO;
}

void hpre_result(struct wd_queue *q, struct wd_msg *m, unsigned int index, const struct hpre_class *cls)
{
	struct hisi_queue *h = hisi_queue_of(q);
	struct pubkey_msg *c = to_pubkey_msg(m);
	/* Shared memory: what is checked must be what is used. */
	const volatile struct hpre_sqe *sqe = wd_ring_slot(&h->ring, (__u16)index);
	__u32 dw0 = le32toh(sqe->dw0);
	__u64 tag = le64toh(sqe->tag), answer = le64toh(sqe->out);

	m->status = status_of(c, dw0);
	if (tag != m->tag) {
		c->why = "the descriptor came back damaged";
		m->status = -EIO;
	}
	if (!m->status || m->status == -EIO)
		m->status = cls->finish(c, hisi_queue_scratch_at(h, index), answer);
	area_wipe(hisi_queue_scratch_at(h, index));
}

/* --- the ring: no request goes the straight way --- */

static bool pull_one(struct wd_queue *q, unsigned int index)
{
	struct wd_slot *slot = &wd_queue_pub(q)->slots[index];

	switch (atomic_load_explicit(&slot->state, memory_order_acquire)) {
	case WD_SLOT_SYNC:
		wd_queue_sync_done(q, slot, index);
		return true;
	case WD_SLOT_ASYNC:
		wd_queue_async_done(q, slot, index);
		return true;
	}
	/* A second completion of the same descriptor is not believed. */
	return false;
}

int hpre_pull(struct wd_queue *q, unsigned int max)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u32 n = 0, may = wd_ring_may_take(&h->ring, max), pos = wd_ring_pos(&h->ring);
	__u16 index;

	while (n < may && wd_ring_next(&h->ring, &pos, &index) > 0) {
		wd_ring_see_sent(&h->ring);
		n += pull_one(q, index);
	}
	wd_ring_took(&h->ring, pos, n);
	wd_ring_end(&h->ring);
	if (n)
		return (int)n;
	return wd_ring_nothing(&h->ring) ? wd_ring_why(&h->ring) : 0;
}
