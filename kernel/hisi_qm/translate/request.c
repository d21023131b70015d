// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A request's way: the copy of its descriptor, the device's descriptor, its results. */
#include "engine.h"

static const struct tr_engine_ops *tr_ops(const struct tr_queue *q)
{
	switch (q->engine) {
	case TR_ZIP:
		return &tr_zip_ops;
	case TR_SEC:
		return &tr_sec_ops;
	case TR_HPRE:
		break;
	}
	return &tr_hpre_ops;
}

/* The first word of a set, which isn't empty. */
static u32 tr_first(u32 words)
{
	return (u32)__builtin_ctz(words);
}

u32 tr_sqe_bytes(const struct tr_queue *q)
{
	return tr_ops(q)->words * 4;
}

u32 tr_pages(const struct tr_queue *q)
{
	return tr_ops(q)->pages;
}

void tr_take(struct tr_request *r, const struct tr_queue *q, const __le32 *sqe)
{
	const struct tr_engine_ops *ops = tr_ops(q);
	u32 i, left;

	/* An access is written when it is added. */
	memset(r, 0, offsetof(struct tr_request, access));
	r->q = *q;
	r->pages = ops->pages;
	for (i = 0; i < ops->words; i++)
		r->word[i] = __le32_to_cpu(tr_load(&sqe[i]));
	for (left = ops->only_results; left; left &= left - 1)
		r->word[tr_first(left)] = 0;
}

u32 tr_check(struct tr_request *r)
{
	return tr_ops(&r->q)->read(r);
}

u32 tr_read(struct tr_request *r, const struct tr_queue *q, const __le32 *sqe)
{
	tr_take(r, q, sqe);
	return tr_check(r);
}

u32 tr_status(const struct tr_queue *q, enum tr_why why)
{
	return tr_ops(q)->status[why];
}

void tr_fail(const struct tr_queue *q, u32 status, __le32 *sqe)
{
	tr_ops(q)->fail(q, status, sqe);
}

static void tr_put_words(__le32 *sqe, const u32 *word, u32 nr)
{
	u32 i;

	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		memcpy(sqe, word, nr * sizeof(*word));
		return;
	}
	for (i = 0; i < nr; i++)
		sqe[i] = __cpu_to_le32(word[i]);
}

/* A device that were told more than there is would leave what is mapped. */
static bool tr_target_fits(const struct tr_access *a, const struct tr_target *target)
{
	if (target->bytes > a->len || (target->list && a->form != HW_FREE))
		return false;
	return target->bytes == a->len || (target->bytes && target->list && a->short_end);
}

int tr_write(const struct tr_request *r, u64 slot, const struct tr_target *target, u64 zeroes, __le32 *sqe)
{
	const struct tr_engine_ops *ops = tr_ops(&r->q);
	const struct tr_access *a;
	u32 word[TR_WORDS_MAX], i;
	u64 dma;
	int err;

	memcpy(word, r->word, sizeof(word));
	for (i = 0; i < r->nr; i++) {
		a = &r->access[i];
		if (a->form != HW_SMALL && !tr_target_fits(a, &target[i]))
			return -EINVAL;
		dma = a->form == HW_SMALL ? slot + a->at : target[i].dma;
		tr_addr_put(word, a->word[0], dma);
		if (a->word[1])
			tr_addr_put(word, a->word[1], dma);
	}
	for (i = 0; i < r->nr_empty; i++)
		tr_addr_put(word, r->empty[i], zeroes);
	err = ops->shape ? ops->shape(r, target, word) : 0;
	if (err)
		return err;
	tr_put_words(sqe, word, ops->words);
	return 0;
}

void tr_results(const struct tr_request *r, const __le32 *device, __le32 *sqe)
{
	const struct tr_engine_ops *ops = tr_ops(&r->q);
	u32 i, bits, left;

	for (left = ops->results; left; left &= left - 1) {
		i = tr_first(left);
		bits = ops->result ? ops->result(r, i) : ~0u;
		if (bits)
			sqe[i] = (sqe[i] & ~__cpu_to_le32(bits)) | (device[i] & __cpu_to_le32(bits));
	}
}

u32 tr_deliver(const struct tr_request *r, u32 i, const __le32 *device)
{
	const struct tr_access *a = &r->access[i];

	return a->dir & HW_WRITE ? tr_ops(&r->q)->deliver(r, a, device) : 0;
}
