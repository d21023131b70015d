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

	/* The result may be elsewhere. */
	a->out = NULL;
	dh_private(s, c, key);
	memcpy(key + s->k, s->p, s->k);
	return key;
}

/* Whether the device overwrites nothing that the request needs when it is done again; src: the peer's value or NULL. */
static inline bool is_apart(const struct dh_sess *s, const void *src, const void *key, size_t key_len, const void *dst)
{
	return (!src || !pubkey_overlap(src, s->k, dst, s->k)) && (!key || !pubkey_overlap(key, key_len, dst, s->k));
}

/* src: the peer's value; NULL: the generator. */
static inline void fill_power(const struct dh_sess *s, const void *src, void *dst, struct hpre_job *j)
{
	j->head = hpre_head(HPRE_DH, s->k);
	j->in = src ? src : s->g;
	j->out = dst;
	if (!src && s->g_is_2) {
		j->head = hpre_head(HPRE_DH_G2, s->k);
		j->in = NULL;
	}
}

static int dh_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	const void *src = c->op == WD_DH_SHARED ? c->src : NULL;
	struct dh_sess *s = to_dh_sess(c->m.sess);
	__u8 *in;

	j->key = c->extra ? own_put(s, c, a) : s->key;
	fill_power(s, src, c->dst, j);
	if (c->m.deadline || !is_apart(s, src, c->extra, c->extra_len, c->dst)) {
		in = hpre_bounce(a, src, s->k);
		fill_power(s, src ? in : NULL, in + s->k, j);
	}
	return 0;
}

static int dh_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	(void)answer;
	if (!c->m.status)
		hpre_power_put(a, c->dst, c->dst_len);
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

/*
 * Whether the class's check would accept the request. The probe, which also refuses NULL, comes first: the compiler
 * reads nothing twice then.
 */
static inline bool dh_arg_fits(const struct dh_sess *s, const struct wd_dh_arg *arg)
{
	const struct wd_span spans[] = { { arg->dst, s->k }, { arg->src, s->k } };
	bool shared = arg->op == WD_DH_SHARED;

	if (unlikely(!wd_probe_recent(spans, shared ? 2 : 1) || arg->op > WD_DH_SHARED ||
		     arg->src_len != (shared ? s->k : 0) || !arg->dst_len || *arg->dst_len < s->k))
		return false;
	return (!shared || pubkey_is_between(arg->src, s->p)) &&
	       (arg->key ? own_plain(s, arg) : s->has_x && !arg->key_len);
}

static inline bool own_fill(struct hisi_queue *h, const struct fast_req *r, struct hpre_job *j)
{
	const struct wd_dh_arg *arg = r->arg;
	struct pubkey_msg own = { .extra = arg->key, .extra_len = arg->key_len };
	struct hpre_area *a = hisi_queue_scratch(h, r->index);

	if (!a)
		return false;
	j->key = own_put(to_dh_sess(r->s), &own, a);
	return true;
}

WD_INLINE bool dh_job(const struct fast_req *r, struct hisi_queue *h, struct hpre_job *j)
{
	const struct dh_sess *s = to_dh_sess(r->s);
	const struct wd_dh_arg *arg = r->arg;
	const void *src;
	__u8 *in;

	if (!dh_arg_fits(s, arg))
		return false;
	src = arg->op == WD_DH_SHARED ? arg->src : NULL;
	j->key = s->key;
	fill_power(s, src, arg->dst, j);
	if (arg->key && !own_fill(h, r, j))
		return false;
	if (unlikely(hpre_deadline(r) || !is_apart(s, src, arg->key, arg->key_len, arg->dst))) {
		in = hpre_bounce_at(h, r->index, src, s->k);
		if (!in)
			return false;
		if (src)
			j->in = in;
		j->out = in + s->k;
	}
	return true;
}

WD_INLINE bool dh_results(const struct fast_req *r, const struct hisi_queue *h, __u64 answer, __u64 *out)
{
	const struct dh_sess *s = to_dh_sess(r->s);
	const struct wd_dh_arg *arg = r->arg;
	struct hpre_area *a = hpre_area_used(h, r->index);

	(void)answer;
	/* A shared secret outside of 2 .. p - 2 goes to the slow path, which checks it in full. */
	if (arg->op == WD_DH_SHARED && !pubkey_is_between(hpre_power(a, arg->dst), s->p))
		return false;
	if (unlikely(a != NULL)) {
		hpre_power_put(a, arg->dst, s->k);
		hpre_area_wipe(a);
	}
	*out = s->k;
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
