// SPDX-License-Identifier: Apache-2.0
/* RSA on the HPRE engine. */
#include <errno.h>
#include <stdlib.h>

#include "base/likely.h"
#include "rsa.h"
#include "fast.h"
#include "hpre.h"

/* For a new key: e, p, q; d, n, qinv, dq, dp. */
#define AREA_BYTES	(2 * RSA_BYTES_MAX + 7 * RSA_BYTES_MAX / 2)

/*
 * Whether the device gets the caller's addresses. One wrong result computed with the primes reveals them: nobody may
 * change the operand meanwhile, or see the result before it is verified.
 */
static inline bool is_direct(const struct rsa_sess *s, const __u8 *part, const void *src, const void *dst,
			     __u64 deadline)
{
	return part != s->key->crt && !deadline && !pubkey_overlap(src, s->k, dst, s->k);
}

static inline void fill_power(const struct rsa_sess *s, const __u8 *part, const void *in, void *out, struct hpre_job *j)
{
	j->head = hpre_head(part == s->key->crt ? HPRE_RSA_CRT : HPRE_RSA, s->k);
	j->key = part;
	j->in = in;
	j->out = out;
}

static void fill_genkey(const struct rsa_sess *s, const struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	__u8 *key = hpre_take(a, 2 * s->k);

	memcpy(key, c->src, 2 * s->k);
	j->head = hpre_head(c->op == WD_RSA_GENKEY ? HPRE_RSA_KEYGEN : HPRE_RSA_KEYGEN_CRT, s->k);
	j->key = key;
	j->out = a->out = hpre_take(a, c->dst_len);
}

static int rsa_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct rsa_sess *s = to_rsa_sess(c->m.sess);
	const __u8 *part;
	__u8 *in;

	if (rsa_is_genkey(c->op)) {
		fill_genkey(s, c, a, j);
		return 0;
	}
	/* The result of hardware for an operand of 0 is unknown. */
	if (pubkey_is_zero(c->src, s->k))
		return -E2BIG;
	part = s->key->part[c->op];
	fill_power(s, part, c->src, c->dst, j);
	if (!is_direct(s, part, c->src, c->dst, c->m.deadline)) {
		in = hpre_bounce(a, c->src, s->k);
		fill_power(s, part, in, in + s->k, j);
	}
	return 0;
}

/*
 * A wrong result computed with the primes reveals them. The class verifies it when no lock is held any more
 * (msg_end()); by then the area belongs to another request.
 */
static bool is_to_prove(const struct rsa_sess *s, __u32 op)
{
	return op == WD_RSA_SIGN && s->key->proves;
}

static int rsa_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	struct rsa_sess *s = to_rsa_sess(c->m.sess);

	(void)answer;
	if (c->m.status)
		return c->m.status;
	if (is_to_prove(s, c->op)) {
		if (pubkey_overlap(c->src, c->src_len, c->dst, c->dst_len)) {
			c->kept = malloc(s->k);
			if (!c->kept)
				return -ENOMEM;
			/* A copy of the operand is at the start of the area. */
			memcpy(c->kept, a->data, s->k);
		}
		c->unproved = true;
	}
	hpre_power_put(a, c->dst, c->dst_len);
	return 0;
}

/* --- the fast path --- */

/*
 * Whether the class's check would accept the request. The probe, which also refuses NULL, comes first: the compiler
 * reads nothing twice then.
 */
static inline bool rsa_arg_fits(const struct rsa_sess *s, const struct wd_rsa_arg *arg)
{
	if (unlikely(!wd_probe_pair(arg->src, s->k, arg->dst, s->k) || !s->key || arg->op > WD_RSA_VERIFY ||
		     arg->reserved32 || arg->src_len != s->k || !arg->dst_len || *arg->dst_len < s->k ||
		     !s->key->part[arg->op]))
		return false;
	return pubkey_is_between(arg->src, rsa_key_n(s->key));
}

WD_INLINE bool rsa_job(const struct fast_req *r, struct hisi_queue *h, struct hpre_job *j)
{
	const struct rsa_sess *s = to_rsa_sess(r->s);
	const struct wd_rsa_arg *arg = r->arg;
	const __u8 *part;
	__u8 *in;

	if (!rsa_arg_fits(s, arg))
		return false;
	part = s->key->part[arg->op];
	fill_power(s, part, arg->src, arg->dst, j);
	if (unlikely(!is_direct(s, part, arg->src, arg->dst, hpre_deadline(r)))) {
		in = hpre_bounce_at(h, r->index, arg->src, s->k);
		if (!in)
			return false;
		j->in = in;
		j->out = in + s->k;
	}
	return true;
}

/* False when the result is to be proved. */
static __attribute__((noinline)) bool bounced_put(const struct rsa_sess *s, const struct wd_rsa_arg *arg,
						  struct hpre_area *a)
{
	if (is_to_prove(s, arg->op))
		return false;
	hpre_power_put(a, arg->dst, s->k);
	hpre_area_wipe(a);
	return true;
}

WD_INLINE bool rsa_results(const struct fast_req *r, const struct hisi_queue *h, __u64 answer, __u64 *out)
{
	const struct rsa_sess *s = to_rsa_sess(r->s);
	struct hpre_area *a = hpre_area_used(h, r->index);

	(void)answer;
	if (unlikely(a != NULL) && !bounced_put(s, r->arg, a))
		return false;
	*out = s->k;
	return true;
}

/* --- the driver --- */

HPRE_OPERATIONS(hisi_rsa, rsa_job, rsa_results)

static const struct hpre_ops rsa_ops = {
	.fast = { HPRE_FAST(hisi_rsa), .arg_bytes = sizeof(struct wd_rsa_arg) },
	.fill = rsa_fill, .finish = rsa_finish,
};
FAST_ENTRIES(hisi_rsa, &rsa_ops.fast)

static int rsa_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}

const struct wd_driver hisi_rsa_driver = {
	HPRE_DRIVER,
	.apis = hpre_apis,
	FAST_DRIVER(hisi_rsa),
	.open = rsa_open,
};
