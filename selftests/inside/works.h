/* SPDX-License-Identifier: Apache-2.0 */
/* One request of each kind that software computes, with its result checked. */
#ifndef INSIDE_WORKS_H
#define INSIDE_WORKS_H

#include <wd_comp.h>

#include "aead_test.h"
#include "dh_test.h"
#include "digest_test.h"
#include "ecc_test.h"
#include "rsa_test.h"

/* 0 or -errno; -EBADMSG: the result is wrong. */
struct work {
	const char *name;
	int (*run)(void);
};

static int same(const void *a, const void *b, size_t len)
{
	return memcmp(a, b, len) ? -EBADMSG : 0;
}

/* --- deflate --- */

static int deflate_do(enum wd_comp_dir_type dir, const void *in, size_t len, void *out, size_t *out_len)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP, .op_type = WD_SYNC, .dir_type = (__u8)dir, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K,
	};
	struct wd_comp_arg arg = { .src = in, .src_len = len, .dst = out, .dst_len = out_len };
	handle_t h = wd_comp_alloc_sess(&setup, NULL);
	int ret = !h ? -errno : dir == WD_DIR_COMPRESS ? wd_compress(h, &arg) : wd_decompress(h, &arg);

	if (h)
		wd_comp_free_sess(h);
	return ret;
}

static int work_deflate(void)
{
	unsigned char plain[4096], packed[8192], again[4096];
	size_t n = sizeof(packed), m = sizeof(again), i;
	int ret;

	for (i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 7);
	ret = deflate_do(WD_DIR_COMPRESS, plain, sizeof(plain), packed, &n);
	if (!ret)
		ret = deflate_do(WD_DIR_DECOMPRESS, packed, n, again, &m);
	return ret ? ret : m != sizeof(plain) ? -EBADMSG : same(plain, again, m);
}

/* --- ciphers, digests, AEAD: NIST SP 800-38A F.2.1, FIPS 180-4, RFC 4231, GCM's specification --- */

static const unsigned char nist_key[16] = {
	0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
};
static const unsigned char nist_plain[16] = {
	0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
};

static int work_cbc(void)
{
	static const unsigned char iv[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const unsigned char expected[16] = {
		0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d,
	};
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, nist_key, sizeof(nist_key), 0);
	unsigned char out[16];
	int ret = h ? cipher_do(h, WD_CIPHER_ENCRYPTION, iv, sizeof(iv), nist_plain, sizeof(nist_plain), out) : -errno;

	if (!ret)
		ret = same(out, expected, sizeof(out));
	if (!ret)
		ret = cipher_do(h, WD_CIPHER_DECRYPTION, iv, sizeof(iv), out, sizeof(out), out);
	if (h)
		wd_cipher_free_sess(h);
	return ret ? ret : same(out, nist_plain, sizeof(out));
}

static int work_xts(void)
{
	unsigned char key[32], iv[16] = { 1 }, out[16];
	handle_t h;
	int ret;

	memcpy(key, nist_key, 16);
	memset(key + 16, 7, 16);
	h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_XTS, key, sizeof(key), 0);
	ret = h ? cipher_do(h, WD_CIPHER_ENCRYPTION, iv, sizeof(iv), nist_plain, sizeof(nist_plain), out) : -errno;
	if (!ret)
		ret = cipher_do(h, WD_CIPHER_DECRYPTION, iv, sizeof(iv), out, sizeof(out), out);
	if (h)
		wd_cipher_free_sess(h);
	return ret ? ret : same(out, nist_plain, sizeof(out));
}

static int digest_once(int mode, const char *key, const char *msg, const unsigned char expected[32])
{
	handle_t h = digest_keyed(WD_DIGEST_SHA256, mode, key, key ? strlen(key) : 0, 0, 0);
	unsigned char md[32];
	int ret = h ? digest_do(h, msg, strlen(msg), md, sizeof(md)) : -errno;

	if (h)
		wd_digest_free_sess(h);
	return ret ? ret : same(md, expected, sizeof(md));
}

static int work_digest(void)
{
	static const unsigned char expected[32] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};

	return digest_once(WD_DIGEST_NORMAL, NULL, "abc", expected);
}

static int work_hmac(void)
{
	static const unsigned char expected[32] = {
		0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
		0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43,
	};

	return digest_once(WD_DIGEST_HMAC, "Jefe", "what do ya want for nothing?", expected);
}

static int work_gcm(void)
{
	static const unsigned char zeroes[16], expected[16] = {
		0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
	};
	handle_t h = aead_keyed((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, zeroes, 16, NULL, 0, 16, 0);
	unsigned char out[16], again[16], tag[16];
	int ret = h ? aead_do(h, WD_CIPHER_ENCRYPTION, zeroes, 12, zeroes, 0, 16, out, tag) : -errno;

	if (!ret)
		ret = same(out, expected, sizeof(out));
	if (!ret)
		ret = aead_do(h, WD_CIPHER_DECRYPTION, zeroes, 12, out, 0, 16, again, tag);
	if (h)
		wd_aead_free_sess(h);
	return ret ? ret : same(again, zeroes, sizeof(again));
}

static int work_cbc_hmac(void)
{
	struct aead_kind kind = { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 };
	handle_t h = aead_keyed(kind, nist_key, sizeof(nist_key), "Jefe", 4, 32, 0);
	unsigned char iv[16] = { 1 }, out[16], again[16], tag[32];
	int ret = h ? aead_do(h, WD_CIPHER_ENCRYPTION, iv, sizeof(iv), nist_plain, 0, 16, out, tag) : -errno;

	if (!ret)
		ret = aead_do(h, WD_CIPHER_DECRYPTION, iv, sizeof(iv), out, 0, 16, again, tag);
	if (h)
		wd_aead_free_sess(h);
	return ret ? ret : same(again, nist_plain, sizeof(again));
}

/* --- public keys --- */

static int work_rsa(void)
{
	unsigned char in[128] = { 0, 1, 2, 3 }, sig[128], again[128];
	size_t n = sizeof(sig), m = sizeof(again);
	static struct rsa_parts parts;
	struct wd_rsa_key key;
	handle_t h;
	int ret = rsa_parts_own(&parts);

	if (ret)
		return ret;
	key = rsa_key_of(&parts, true, true);
	h = rsa_open(1024, WD_SYNC, 0);
	ret = h ? wd_rsa_set_key(h, &key) : -errno;
	if (!ret)
		ret = rsa_do(h, WD_RSA_SIGN, in, sizeof(in), sig, &n);
	if (!ret)
		ret = rsa_do(h, WD_RSA_VERIFY, sig, n, again, &m);
	if (h)
		wd_rsa_free_sess(h);
	return ret ? ret : same(in, again, sizeof(again));
}

static int work_dh(void)
{
	static const unsigned char x[32] = { 7, 1 }, y[32] = { 5, 2 };
	struct wd_number a = number(x, sizeof(x)), b = number(y, sizeof(y));
	unsigned char from_a[256], from_b[256], at_a[256], at_b[256];
	size_t n = 256;
	handle_t h = dh_open(WD_DH_FFDHE2048, WD_SYNC, 0);
	int ret = h ? dh_do(h, WD_DH_PUBLIC, &a, NULL, 0, from_a, &n) : -errno;

	if (!ret)
		ret = dh_do(h, WD_DH_PUBLIC, &b, NULL, 0, from_b, &n);
	if (!ret)
		ret = dh_do(h, WD_DH_SHARED, &a, from_b, n, at_a, &n);
	if (!ret)
		ret = dh_do(h, WD_DH_SHARED, &b, from_a, n, at_b, &n);
	if (h)
		wd_dh_free_sess(h);
	return ret ? ret : same(at_a, at_b, n);
}

/* Two sides of a curve; by_key: one has its key in the session, else both come with the request. */
static int agree(int alg, int curve, size_t w, size_t point, bool by_key)
{
	unsigned char a[3 * ECC_MAX], b[3 * ECC_MAX], at_a[ECC_MAX], at_b[ECC_MAX];
	size_t n = point + w, m = point + w, len = w;
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	struct wd_ecc_key key;
	int ret = h ? ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, a, &n) : -errno;

	if (!ret)
		ret = ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, b, &m);
	key = (struct wd_ecc_key){ .d = number(a + point, w) };
	if (!ret && by_key)
		ret = wd_ecc_set_key(h, &key);
	if (!ret)
		ret = ecc_do(h, WD_ECC_AGREE, b, point, by_key ? NULL : a + point, by_key ? 0 : w, at_a, &len);
	if (!ret)
		ret = ecc_do(h, WD_ECC_AGREE, a, point, b + point, w, at_b, &len);
	if (h)
		wd_ecc_free_sess(h);
	return ret ? ret : same(at_a, at_b, w);
}

static int work_ecdh(void)
{
	return agree(WD_ECC_ECDH, WD_ECC_SECP256R1, 32, 64, true);
}

static int work_x25519(void)
{
	int ret = agree(WD_ECC_X25519, WD_ECC_BY_VALUE, 32, 32, true);

	return ret ? ret : agree(WD_ECC_X25519, WD_ECC_BY_VALUE, 32, 32, false);
}

static int work_x448(void)
{
	return agree(WD_ECC_X448, WD_ECC_BY_VALUE, 56, 56, true);
}

/* Signs and verifies; a changed digest must be refused. */
static int sign(int alg, int curve, handle_t *keyed)
{
	unsigned char pair[96], digest[32] = { 3, 1, 4 }, sig[64];
	size_t n = sizeof(pair), m = sizeof(sig);
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	struct wd_ecc_key key = { .d = number(pair + 64, 32), .x = number(pair, 32), .y = number(pair + 32, 32) };
	int ret = h ? ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &n) : -errno;

	*keyed = h;
	if (!ret)
		ret = wd_ecc_set_key(h, &key);
	if (!ret)
		ret = ecc_do(h, WD_ECC_SIGN, digest, sizeof(digest), NULL, 0, sig, &m);
	if (!ret)
		ret = ecc_do(h, WD_ECC_VERIFY, digest, sizeof(digest), sig, sizeof(sig), NULL, NULL);
	if (ret)
		return ret;
	digest[0]++;
	ret = ecc_do(h, WD_ECC_VERIFY, digest, sizeof(digest), sig, sizeof(sig), NULL, NULL);
	return ret == -EBADMSG ? 0 : -EPROTO;
}

static int work_ecdsa(void)
{
	handle_t h;
	int ret = sign(WD_ECC_ECDSA, WD_ECC_SECP256R1, &h);

	if (h)
		wd_ecc_free_sess(h);
	return ret;
}

static int work_sm2(void)
{
	unsigned char text[32 + WD_ECC_SM2_EXTRA], again[32], digest[32];
	size_t n = sizeof(text), m = sizeof(again);
	handle_t h;
	int ret = sign(WD_ECC_SM2, WD_ECC_BY_VALUE, &h);

	if (!ret)
		ret = ecc_do(h, WD_ECC_ENCRYPT, nist_key, sizeof(nist_key), NULL, 0, text, &n);
	if (!ret)
		ret = ecc_do(h, WD_ECC_DECRYPT, text, n, NULL, 0, again, &m);
	if (!ret)
		ret = m == sizeof(nist_key) ? same(nist_key, again, m) : -EBADMSG;
	if (!ret)
		ret = wd_ecc_sm2_digest(h, NULL, 0, "abc", 3, digest);
	if (h)
		wd_ecc_free_sess(h);
	return ret;
}

static const struct work works[] = {
	{ "deflate", work_deflate }, { "AES-CBC", work_cbc }, { "AES-XTS", work_xts }, { "SHA-256", work_digest },
	{ "HMAC", work_hmac }, { "AES-GCM", work_gcm }, { "AES-CBC with HMAC", work_cbc_hmac }, { "RSA", work_rsa },
	{ "DH", work_dh }, { "ECDH", work_ecdh }, { "X25519", work_x25519 }, { "X448", work_x448 },
	{ "ECDSA", work_ecdsa },
	{ "SM2", work_sm2 },
};

#define WORKS	(sizeof(works) / sizeof(works[0]))

#endif
