// SPDX-License-Identifier: Apache-2.0
/*
 * The base of the HPRE engine's drivers: one descriptor per request, with operands in the caller's or the queue's
 * memory, and its result.
 */
#include <errno.h>

#include "hpre.h"

/* RSA and DH have the same descriptors in all generations; generation 2 has no elliptic curves. */
const char *const hpre_apis[] = { "hisi_qm_v2", "hisi_qm_v3", "hisi_qm_v5", NULL };
const char *const hpre_ecc_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

int hpre_open(struct wd_queue *q, const struct uacce_dev_info *dev, size_t area_bytes)
{
	return hisi_queue_open(q, dev, HPRE_SQE_SIZE, sizeof(struct hpre_area) + area_bytes);
}

/* --- requests --- */

int hpre_send(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m)
{
	struct pubkey_msg *c = to_pubkey_msg(m);
	unsigned int index = HISI_INDEX(m);
	struct hpre_area *a;
	struct hpre_job j = { .text = 0 };
	int ret;

	if (!pubkey_mapped(c))
		return -EFAULT;
	a = hisi_queue_scratch(h, index);
	if (!a)
		return -ENOMEM;
	hpre_area_begin(a);
	ret = to_hpre_ops(ops)->fill(c, a, &j);
	if (ret) {
		hpre_area_wipe(a);
		return ret;
	}
	hpre_write(wd_ring_slot(&h->ring, (__u16)index), &j, m->tag);
	return 0;
}

__u8 *hpre_bounce(struct hpre_area *a, const void *src, __u32 k)
{
	__u8 *in = hpre_take(a, 2 * k);

	if (src)
		memcpy(in, src, k);
	a->out = in + k;
	return in;
}

__u8 *hpre_bounce_at(struct hisi_queue *h, unsigned int index, const void *src, __u32 k)
{
	struct hpre_area *a = hisi_queue_scratch(h, index);

	return a ? hpre_bounce(a, src, k) : NULL;
}

void hpre_abort(struct wd_queue *q, unsigned int index)
{
	struct hisi_queue *h = hisi_queue_of(q);
	struct hpre_area *a = h ? hpre_area_used(h, index) : NULL;

	if (a)
		hpre_area_wipe(a);
}

/* --- results --- */

static __u32 error_of(__u32 dw0)
{
	return dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK;
}

/* Whether the device has the addresses of the caller's memory, and can't access that memory. */
static bool is_no_memory(const struct pubkey_msg *c, const struct hpre_area *a)
{
	return c->dst_len && hpre_power(a, c->dst) == c->dst &&
	       !(wd_probe(WD_PROBE_READ, false, c->src, c->src_len) &&
		 wd_probe(WD_PROBE_WRITE, false, c->dst, c->dst_len));
}

static int status_of(struct pubkey_msg *c, const struct hpre_area *a, __u32 dw0)
{
	__u32 error = error_of(dw0),
	      error1 = dw0 >> HPRE_DW0_ETYPE1_SHIFT & HPRE_DW0_ETYPE1_MASK;

	c->m.vendor = error | error1 << 16;
	if (hpre_is_good(dw0))
		return 0;
	if (dw0 >> HPRE_DW0_DONE_SHIFT != HPRE_DONE_HARDWARE) {
		c->m.vendor = 0;
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (error == HPRE_ERR_ABORTED)
		return WD_STOPPED;
	if (is_no_memory(c, a))
		return -EFAULT;
	c->why = error1 & HPRE_ETYPE1_SVA ? "the device can't access the request's memory" :
		 "the device refused the request";
	return -EIO;
}

bool hpre_stopped(struct wd_queue *q, unsigned int index)
{
	const volatile struct hpre_sqe *sqe = wd_ring_slot(&hisi_queue_of(q)->ring, (__u16)index);
	__u32 dw0 = le32toh(sqe->dw0);

	return dw0 >> HPRE_DW0_DONE_SHIFT == HPRE_DONE_HARDWARE && error_of(dw0) == HPRE_ERR_ABORTED;
}

void hpre_end(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m, unsigned int index)
{
	struct hpre_area *a = hpre_area_used(h, index);
	struct pubkey_msg *c = to_pubkey_msg(m);
	struct hpre_answer answer;

	hpre_read(wd_ring_slot(&h->ring, (__u16)index), &answer);
	m->status = status_of(c, a, answer.dw0);
	if (answer.tag != m->tag) {
		c->m.vendor = 0;
		c->why = "the descriptor came back damaged";
		m->status = -EIO;
	}
	if (!m->status || m->status == -EIO)
		m->status = to_hpre_ops(ops)->finish(c, a, answer.out);
	if (a)
		hpre_area_wipe(a);
}
