// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman on the HPRE engine. */
#include <errno.h>

#include "base/likely.h"
#include "dh.h"
#include "fast.h"
#include "hpre.h"

#define AREA_BYTES	(4 * PUBKEY_BYTES_MAX)	/* x and p, the peer's value, the result */

/* Puts the request's own private value, with p behind it, into the area. */
static __u8 *own_put(const struct dh_sess *s, const struct pubkey_msg *c, struct hpre_area *a)
{
	__u8 *key = hpre_take(a, 2 * s->k);

	dh_private(s, c, key);
	memcpy(key + s->k, s->p, s->k);
	return key;
}

static inline void fill_power(const struct dh_sess *s, __u32 op, const void *src, struct hpre_area *a,
			      struct hpre_job *j)
{
	__u8 *in;

	j->head = hpre_head(HPRE_DH, s->k);
	j->in = s->g;
	if (op == WD_DH_SHARED) {
		in = hpre_take(a, s->k);
		memcpy(in, src, s->k);
		j->in = in;
	} else if (s->g_is_2) {
		j->head = hpre_head(HPRE_DH_G2, s->k);
		j->in = NULL;
	}
	a->out = hpre_take(a, s->k);
}

static int dh_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct dh_sess *s = to_dh_sess(c->m.sess);

	j->key = c->extra ? own_put(s, c, a) : s->key;
	fill_power(s, c->op, c->src, a, j);
	return 0;
}

static int dh_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	(void)answer;
	if (!c->m.status)
		memcpy(c->dst, a->out, c->dst_len);
	return c->m.status;
}

/* --- the fast path --- */

/*
 * The request's own private value, which most requests don't have: if it is a word shorter than p, only the lower end
 * of its range has to be checked.
 */
static __attribute__((noinline)) bool own_plain(const struct dh_sess *s, const struct wd_dh_arg *arg)
{
	const struct wd_span span = { arg->key, arg->key_len };

	return arg->key_len && arg->key_len <= s->k - 8 && wd_probe_recent(&span, 1) &&
	       pubkey_above_1(arg->key, arg->key_len);
}

/* Whether the class's check would accept the request. */
static inline bool dh_arg_fits(const struct dh_sess *s, const struct wd_dh_arg *arg)
{
	bool shared = arg->op == WD_DH_SHARED;
	const struct wd_span spans[] = { { arg->dst, s->k }, { arg->src, s->k } };

	if (unlikely(arg->op > WD_DH_SHARED || arg->src_len != (shared ? s->k : 0) || (shared && !arg->src) ||
		     !arg->dst || !arg->dst_len || *arg->dst_len < s->k || !wd_probe_recent(spans, shared ? 2 : 1)))
		return false;
	return arg->key ? own_plain(s, arg) : s->has_x && !arg->key_len;
}

WD_INLINE bool dh_job(const struct fast_req *r, struct hpre_area *a, struct hpre_job *j)
{
	const struct dh_sess *s = to_dh_sess(r->s);
	const struct wd_dh_arg *arg = r->arg;

	if (!dh_arg_fits(s, arg))
		return false;
	j->key = s->key;
	if (arg->key) {
		struct pubkey_msg own = { .extra = arg->key, .extra_len = arg->key_len };

		j->key = own_put(s, &own, a);
	}
	fill_power(s, arg->op, arg->src, a, j);
	a->bytes = s->k;
	/* Checks the copy, because the caller's memory may change meanwhile. */
	return arg->op != WD_DH_SHARED || pubkey_is_between(j->in, s->p);
}

WD_INLINE bool dh_results(const struct fast_req *r, const struct hpre_area *a, __u64 answer)
{
	const struct wd_dh_arg *arg = r->arg;

	(void)answer;
	/* A shared secret outside of 2 .. p - 2 goes to the slow path, which checks it in full. */
	if (arg->op == WD_DH_SHARED && !pubkey_is_between(a->out, to_dh_sess(r->s)->p))
		return false;
	memcpy(arg->dst, a->out, a->bytes);
	return true;
}

/* --- the driver --- */

HPRE_OPERATIONS(hisi_dh, dh_job, dh_results)

static const struct hpre_ops dh_ops = {
	.fast = { HPRE_FAST(hisi_dh), .arg_bytes = sizeof(struct wd_dh_arg) },
	.fill = dh_fill, .finish = dh_finish,
};
FAST_ENTRIES(hisi_dh, &dh_ops.fast)

static int dh_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}

const struct wd_driver hisi_dh_driver = {
	HPRE_DRIVER,
	.apis = hpre_apis,
	FAST_DRIVER(hisi_dh),
	.open = dh_open,
};
