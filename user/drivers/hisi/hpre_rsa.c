// SPDX-License-Identifier: Apache-2.0
/* RSA on the HPRE engine. */
#include <errno.h>

#include "hpre.h"
#include "rsa.h"

/* e, p, q of a key to be made; d, n, qinv, dq, dp of it */
#define AREA_BYTES	(2 * RSA_BYTES_MAX + 7 * RSA_BYTES_MAX / 2)

static void fill_power(struct rsa_sess *s, struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	const struct rsa_key *key = s->key;
	bool crt = c->op == WD_RSA_SIGN && key->has_crt;
	__u8 *in = hpre_take(a, s->k);

	memcpy(in, c->src, s->k);
	j->op = crt ? HPRE_RSA_CRT : HPRE_RSA;
	j->key = crt ? key->crt : c->op == WD_RSA_SIGN ? key->priv : key->pub;
	j->in = in;
}

static void fill_genkey(struct rsa_sess *s, struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	__u8 *key = hpre_take(a, 2 * s->k);

	memcpy(key, c->src, 2 * s->k);
	j->op = c->op == WD_RSA_GENKEY ? HPRE_RSA_KEYGEN : HPRE_RSA_KEYGEN_CRT;
	j->key = key;
}

static int rsa_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct rsa_sess *s = to_rsa_sess(c->m.sess);

	/* Nobody knows what hardware makes of nothing. */
	if (!rsa_is_genkey(c->op) && pubkey_is_zero(c->src, s->k))
		return -E2BIG;
	j->bytes = s->k;
	if (rsa_is_genkey(c->op))
		fill_genkey(s, c, a, j);
	else
		fill_power(s, c, a, j);
	a->out = hpre_take(a, c->dst_len);
	return 0;
}

static int rsa_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	(void)answer;
	if (!c->m.status)
		memcpy(c->dst, a->out, c->dst_len);
	return c->m.status;
}

static const struct hpre_class rsa_class = { .fill = rsa_fill, .finish = rsa_finish };

static int rsa_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}

static int rsa_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hpre_push(q, msgs, n, &rsa_class);
}

static void rsa_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	hpre_result(q, m, index, &rsa_class);
}

const struct wd_driver hisi_rsa_driver = {
	HPRE_DRIVER,
	.open = rsa_open,
	.push = rsa_push,
	.result = rsa_result,
};
