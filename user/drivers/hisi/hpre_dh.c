// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman on the HPRE engine. */
#include <errno.h>

#include "dh.h"
#include "hpre.h"

#define AREA_BYTES	(4 * PUBKEY_BYTES_MAX)	/* x and p, the peer's value, the result */

static int dh_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct dh_sess *s = to_dh_sess(c->m.sess);
	__u8 *key = hpre_take(a, 2 * s->k), *in;

	dh_private(s, c, key);
	memcpy(key + s->k, s->p, s->k);
	j->bytes = s->k;
	j->key = key;
	if (c->op == WD_DH_PUBLIC && s->g_is_2) {
		j->op = HPRE_DH_G2;
	} else {
		in = hpre_take(a, s->k);
		memcpy(in, dh_base(s, c), s->k);
		j->op = HPRE_DH;
		j->in = in;
	}
	a->out = hpre_take(a, s->k);
	return 0;
}

static int dh_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	(void)answer;
	if (!c->m.status)
		memcpy(c->dst, a->out, c->dst_len);
	return c->m.status;
}

static const struct hpre_class dh_class = { .fill = dh_fill, .finish = dh_finish };

static int dh_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}

static int dh_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hpre_push(q, msgs, n, &dh_class);
}

static void dh_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	hpre_result(q, m, index, &dh_class);
}

const struct wd_driver hisi_dh_driver = {
	HPRE_DRIVER,
	.open = dh_open,
	.push = dh_push,
	.result = dh_result,
};
