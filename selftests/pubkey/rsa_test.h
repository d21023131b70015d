/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of RSA: sessions, keys, one request. */
#ifndef RSA_TEST_H
#define RSA_TEST_H

#include <wd_rsa.h>
#include "pubkey_test.h"

#define RSA_MAX	512

static inline handle_t rsa_open(unsigned int bits, int op_type, unsigned int flags)
{
	struct wd_rsa_sess_setup setup = { .key_bits = bits, .op_type = (__u8)op_type, .flags = flags };

	return wd_rsa_alloc_sess(&setup, NULL);
}

static inline int rsa_do(handle_t h, int op, const void *in, size_t len, void *out, size_t *out_len)
{
	struct wd_rsa_arg arg = { .src = (void *)in, .src_len = len, .dst = out, .dst_len = out_len, .op = (__u32)op };
	int path = expected_path("rsa"), ret;
	const unsigned char *p = in;
	size_t zeroes = 0;

	while (p && zeroes < len && (uintptr_t)p > 4096 && !p[zeroes])
		zeroes++;
	/* Devices don't take a zero. */
	if (zeroes == len)
		path = WD_PATH_SOFT;
	ret = wd_rsa_sync(h, &arg);
	return arg.status != ret || (!ret && arg.path != path) ? -EPROTO : ret;
}

/* A key of 1,024 bits, from its two primes: hexadecimal, most significant first. */
#define RSA_P_HEX \
	"d32737e7267ffe1341b2d5c0d150a81b586fb3132bed2f8d5262864a9cb9f30a" \
	"f38be448598d413a172efb802c21acf1c11c520c2f26a471dcad212eac7ca39d"
#define RSA_Q_HEX \
	"cc8853d1d54da630fac004f471f281c7b8982d8224a490edbeb33d3e3d5cc93c" \
	"4765703d1dd791642f1f116a0dd852be2419b2af72bfe9a030e860b0288b5d77"

/* A key with all parts, each in its field. */
struct rsa_parts {
	size_t k;
	unsigned char e[RSA_MAX], p_q[RSA_MAX], out[7 * RSA_MAX / 2];
};

static inline struct wd_rsa_key rsa_key_of(const struct rsa_parts *r, bool priv, bool crt)
{
	size_t k = r->k, half = k / 2;
	const unsigned char *d = r->out, *n = d + k, *tail = n + k;
	struct wd_rsa_key key = { .n = number(n, k), .e = number(r->e, k) };

	if (priv)
		key.d = number(d, k);
	if (crt) {
		key.p = number(r->p_q, half);
		key.q = number(r->p_q + half, half);
		key.qinv = number(tail, half);
		key.dq = number(tail + half, half);
		key.dp = number(tail + 2 * half, half);
	}
	return key;
}

/* From two primes of half the size, with e = 65537. */
static inline int rsa_parts_make(struct rsa_parts *r, const struct bytes *p, const struct bytes *q, size_t k)
{
	handle_t h = rsa_open(8 * (unsigned int)k, WD_SYNC, 0);
	unsigned char in[2 * RSA_MAX];
	size_t len = 7 * k / 2;
	int ret;

	memset(r, 0, sizeof(*r));
	r->k = k;
	r->e[k - 3] = r->e[k - 1] = 1;
	if (!pad_to(r->p_q, k / 2, p) || !pad_to(r->p_q + k / 2, k / 2, q))
		return -EINVAL;
	memcpy(in, r->e, k);
	memcpy(in + k, r->p_q, k);
	ret = rsa_do(h, WD_RSA_GENKEY_CRT, in, 2 * k, r->out, &len);
	explicit_bzero(in, sizeof(in));
	wd_rsa_free_sess(h);
	return ret;
}

static inline int rsa_parts_own(struct rsa_parts *r)
{
	struct bytes p = bytes_of(RSA_P_HEX), q = bytes_of(RSA_Q_HEX);
	int ret = rsa_parts_make(r, &p, &q, 128);

	explicit_bzero(p.at, p.len);
	explicit_bzero(q.at, q.len);
	free(p.at);
	free(q.at);
	return ret;
}

#endif
