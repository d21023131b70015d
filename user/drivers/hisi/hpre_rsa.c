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

static inline void fill_power(const struct rsa_sess *s, __u32 op, const void *src, struct hpre_area *a,
			      struct hpre_job *j)
{
	const __u8 *part = s->key->part[op];
	__u32 k = s->k;
	__u8 *in = hpre_take(a, 2 * k);

	memcpy(in, src, k);
	j->head = hpre_head(part == s->key->crt ? HPRE_RSA_CRT : HPRE_RSA, k);
	j->key = part;
	j->in = in;
	a->out = in + k;
}

static void fill_genkey(const struct rsa_sess *s, const struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	__u8 *key = hpre_take(a, 2 * s->k);

	memcpy(key, c->src, 2 * s->k);
	j->head = hpre_head(c->op == WD_RSA_GENKEY ? HPRE_RSA_KEYGEN : HPRE_RSA_KEYGEN_CRT, s->k);
	j->key = key;
	a->out = hpre_take(a, c->dst_len);
}

static int rsa_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct rsa_sess *s = to_rsa_sess(c->m.sess);

	/* The result of hardware for an operand of 0 is unknown. */
	if (!rsa_is_genkey(c->op) && pubkey_is_zero(c->src, s->k))
		return -E2BIG;
	if (rsa_is_genkey(c->op))
		fill_genkey(s, c, a, j);
	else
		fill_power(s, c->op, c->src, a, j);
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

static bool overlap(const struct pubkey_msg *c)
{
	return (uintptr_t)c->src < (uintptr_t)c->dst + c->dst_len && (uintptr_t)c->dst < (uintptr_t)c->src + c->src_len;
}

static int rsa_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	struct rsa_sess *s = to_rsa_sess(c->m.sess);

	(void)answer;
	if (c->m.status)
		return c->m.status;
	if (is_to_prove(s, c->op)) {
		if (overlap(c)) {
			c->kept = malloc(s->k);
			if (!c->kept)
				return -ENOMEM;
			/* The operand is at the start of the area. */
			memcpy(c->kept, a->data, s->k);
		}
		c->unproved = true;
	}
	memcpy(c->dst, a->out, c->dst_len);
	return 0;
}

/* --- the fast path --- */

/* Whether the class's check would accept the request. */
static inline bool rsa_arg_fits(const struct rsa_sess *s, const struct wd_rsa_arg *arg)
{
	if (unlikely(!s->key || arg->op > WD_RSA_VERIFY || arg->reserved32 || arg->src_len != s->k ||
		     !arg->src || !arg->dst || !arg->dst_len || *arg->dst_len < s->k || !s->key->part[arg->op]))
		return false;
	return wd_probe_pair(arg->src, s->k, arg->dst, s->k);
}

WD_INLINE bool rsa_job(const struct fast_req *r, struct hpre_area *a, struct hpre_job *j)
{
	const struct rsa_sess *s = to_rsa_sess(r->s);
	const struct wd_rsa_arg *arg = r->arg;

	if (!rsa_arg_fits(s, arg))
		return false;
	fill_power(s, arg->op, arg->src, a, j);
	a->bytes = s->k;
	/* Checks the copy, because the caller's memory may change meanwhile. */
	return pubkey_is_between(j->in, rsa_key_n(s->key));
}

WD_INLINE bool rsa_results(const struct fast_req *r, const struct hpre_area *a, __u64 answer)
{
	const struct wd_rsa_arg *arg = r->arg;

	(void)answer;
	if (is_to_prove(to_rsa_sess(r->s), arg->op))
		return false;
	memcpy(arg->dst, a->out, a->bytes);
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
