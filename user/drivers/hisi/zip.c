// SPDX-License-Identifier: Apache-2.0
/*
 * Compression on ZIP engines: the fast path, which serves a whole flat buffer with enough room and no header to parse.
 * Every line of it counts. The engines of generation 2 have descriptors of their own, and zlib and gzip only.
 */
#include "base/likely.h"
#include "fast.h"
#include "zip.h"

/* Checks as arg_refuse() does, and that the size fits. Each member is read once. */
WD_INLINE bool zip_fill(const struct fast_ops *ops, struct hisi_queue *h, struct fast_req *r)
{
	const struct comp_sess *s = to_comp_sess(r->s);
	const struct wd_comp_arg *arg = r->arg;
	__u64 src = (uintptr_t)arg->src, dst = (uintptr_t)arg->dst, src_len = arg->src_len;
	const size_t *dst_len = arg->dst_len;
	struct zip_job j;

	if (unlikely(!wd_slot_is_free(r->slot) || !src || src_len - 1 >= ZIP_MAX_INPUT || !dst || !dst_len))
		return false;
	zip_job_flat(s, ops->type, src, src_len, dst + s->head, *dst_len - s->head, &j);
	if (unlikely(j.room - COMP_MIN_OUT > ZIP_MAX_OUTPUT - COMP_MIN_OUT))
		return false;
	j.tag = fast_begin(r);
	zip_write(fast_sqe(h, r, ZIP_SQE_SIZE), ops->type, &j);
	return true;
}

/*
 * A header of zlib or gzip, by copies of constant length, without a loop. False: the header's page may not be writable.
 */
static inline bool header_copy(__u8 *to, const struct comp_sess *s)
{
	if (unlikely(zip_head_apart(to, s->head)))
		return false;
	memcpy(to, s->header, 2);
	if (s->head > 2)
		memcpy(to + 2, s->header + 2, 8);
	return true;
}

WD_INLINE bool zip_told(const struct fast_ops *ops, const struct hisi_queue *h, const struct fast_req *r, __u64 *in,
			__u64 *out)
{
	const struct comp_sess *s = to_comp_sess(r->s);
	const struct wd_comp_arg *arg = r->arg;
	size_t *dst_len = arg->dst_len, head = s->head;
	struct zip_answer a;

	zip_read((const volatile void *)fast_sqe(h, r, ZIP_SQE_SIZE), ops->type, &a);
	if (unlikely((a.dw3 & s->sqe_good_mask) != s->sqe_good || a.tag != r->tag || a.consumed > arg->src_len ||
		     a.produced > *dst_len - head))
		return false;
	/* The device wrote behind the header, so the header's page is normally writable, too. */
	if (head && !header_copy(arg->dst, s))
		return false;
	*in = a.consumed;
	*out = a.produced + head;
	*dst_len = *out;
	return true;
}

static const struct fast_ops zip_fast = {
	.arg_bytes = sizeof(struct wd_comp_arg), .type = ZIP_SQE_TYPE_3,
	.fill = zip_fill, .result = zip_told, .send = zip_send, .end = zip_end, .abort = hisi_queue_abort,
};
FAST_ENTRIES(hisi_zip, &zip_fast)

static const struct fast_ops zip_v2_fast = {
	.arg_bytes = sizeof(struct wd_comp_arg), .type = ZIP_SQE_TYPE_0,
	.fill = zip_fill, .result = zip_told, .send = zip_send, .end = zip_end, .abort = hisi_queue_abort,
};
FAST_ENTRIES(hisi_zip_v2, &zip_v2_fast)

/* --- drivers --- */

static const char *const zip_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };
static const char *const zip_v2_apis[] = { "hisi_qm_v2", NULL };

static bool zip_v2_serves(const struct wd_session_attr *attr)
{
	return attr->alg == WD_ZLIB || attr->alg == WD_GZIP;
}

const struct wd_driver hisi_zip_driver = {
	ZIP_DRIVER,
	FAST_DRIVER(hisi_zip),
	.apis = zip_apis,
};

const struct wd_driver hisi_zip_v2_driver = {
	ZIP_DRIVER,
	FAST_DRIVER(hisi_zip_v2),
	.apis = zip_v2_apis,
	.serves = zip_v2_serves,
};
