// SPDX-License-Identifier: Apache-2.0
/* Encodings of RFC 8017: sections 9.2 (PKCS #1 v1.5), 9.1 (PSS), 7.1.2 (OAEP), B.2.1 (MGF1). */
#include <stdint.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "rsa.h"
#include "rsa_padding.h"

/* --- PKCS #1 v1.5 --- */

#define OID_MAX	9

/* The object identifiers of NIST's digests differ in the last byte. */
#define NIST(last)	9, { 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last }

static const struct digest {
	const char *name;
	size_t len;
	unsigned char oid_len;		/* 0: no DigestInfo */
	unsigned char oid[OID_MAX];
} digests[] = {
	{ "SHA2-256", 32, NIST(1) },
	{ "SHA2-384", 48, NIST(2) },
	{ "SHA2-512", 64, NIST(3) },
	{ "SHA1", 20, 5, { 0x2b, 0x0e, 0x03, 0x02, 0x1a } },
	{ "SHA2-224", 28, NIST(4) },
	{ "SHA2-512/224", 28, NIST(5) },
	{ "SHA2-512/256", 32, NIST(6) },
	{ "SHA3-224", 28, NIST(7) },
	{ "SHA3-256", 32, NIST(8) },
	{ "SHA3-384", 48, NIST(9) },
	{ "SHA3-512", 64, NIST(10) },
	{ "MD5-SHA1", 36, 0, { 0 } },
};

static const struct digest *digest_find(const EVP_MD *md)
{
	size_t i;

	for (i = 0; i < sizeof(digests) / sizeof(digests[0]); i++)
		if (EVP_MD_is_a(md, digests[i].name))
			return &digests[i];
	return NULL;
}

/* Writes SEQUENCE { SEQUENCE { OID, NULL }, OCTET STRING } up to the string's bytes. Returns the number of bytes. */
static size_t digest_info(unsigned char *to, const struct digest *d)
{
	unsigned char *at = to;

	if (!d->oid_len)
		return 0;
	*at++ = 0x30;
	*at++ = (unsigned char)(d->oid_len + 8 + d->len);
	*at++ = 0x30;
	*at++ = (unsigned char)(d->oid_len + 4);
	*at++ = 0x06;
	*at++ = d->oid_len;
	memcpy(at, d->oid, d->oid_len);
	at += d->oid_len;
	*at++ = 0x05;
	*at++ = 0x00;
	*at++ = 0x04;
	*at++ = (unsigned char)d->len;
	return (size_t)(at - to);
}

bool wdp_pkcs1_encode(unsigned char *em, size_t k, const EVP_MD *md, const unsigned char *tbs, size_t len)
{
	const struct digest *d = md ? digest_find(md) : NULL;
	unsigned char info[OID_MAX + 10];
	size_t info_len, at;

	if (md && (!d || len != d->len))
		return false;
	info_len = d ? digest_info(info, d) : 0;
	if (info_len + len + 11 > k)
		return false;
	at = k - info_len - len;
	em[0] = 0;
	em[1] = 1;
	memset(em + 2, 0xff, at - 3);
	em[at - 1] = 0;
	memcpy(em + at, info, info_len);
	if (len)
		memcpy(em + at + info_len, tbs, len);
	return true;
}

/* --- PSS and OAEP --- */

/* XOR a mask that is made of a seed. */
static bool mgf1_xor(unsigned char *data, size_t len, const unsigned char *seed, size_t seed_len, const EVP_MD *md)
{
	unsigned char mask[EVP_MAX_MD_SIZE], count[4];
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t h = (size_t)EVP_MD_get_size(md), at, i;
	uint32_t n;
	bool ok = ctx;

	for (n = 0, at = 0; ok && at < len; n++, at += h) {
		count[0] = (unsigned char)(n >> 24);
		count[1] = (unsigned char)(n >> 16);
		count[2] = (unsigned char)(n >> 8);
		count[3] = (unsigned char)n;
		ok = EVP_DigestInit_ex2(ctx, md, NULL) && EVP_DigestUpdate(ctx, seed, seed_len) &&
		     EVP_DigestUpdate(ctx, count, 4) && EVP_DigestFinal_ex(ctx, mask, NULL);
		for (i = 0; ok && i < h && at + i < len; i++)
			data[at + i] ^= mask[i];
	}
	OPENSSL_cleanse(mask, sizeof(mask));
	EVP_MD_CTX_free(ctx);
	return ok;
}

/* Bytes of the salt; -1: more than most, or a rule that isn't known here. */
static int salt_bytes(int salt, size_t h, size_t most)
{
	if (salt >= 0)
		return (size_t)salt <= most ? salt : -1;
	switch (salt) {
	case RSA_PSS_SALTLEN_DIGEST:
		return h <= most ? (int)h : -1;
	case RSA_PSS_SALTLEN_MAX:
	case RSA_PSS_SALTLEN_AUTO:
		return (int)most;
	case -4: /* RSA_PSS_SALTLEN_AUTO_DIGEST_MAX of later versions */
		return (int)(h < most ? h : most);
	}
	return -1;
}

/* Hash of eight zeroes, the message's hash, the salt. */
static bool pss_hash(unsigned char *to, const EVP_MD *md, const unsigned char *hash, size_t h,
		     const unsigned char *salt, size_t n)
{
	static const unsigned char zeroes[8];
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool ok = ctx && EVP_DigestInit_ex2(ctx, md, NULL) && EVP_DigestUpdate(ctx, zeroes, sizeof(zeroes)) &&
		  EVP_DigestUpdate(ctx, hash, h) && EVP_DigestUpdate(ctx, salt, n) && EVP_DigestFinal_ex(ctx, to, NULL);

	EVP_MD_CTX_free(ctx);
	return ok;
}

/* The encoded message has 8 k - 1 bits: the first one is 0. */
bool wdp_pss_encode(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, OSSL_LIB_CTX *libctx,
		    const unsigned char *hash, size_t len)
{
	size_t h = (size_t)EVP_MD_get_size(scheme->md), db, salt;
	int n;

	if (len != h || k < h + 2)
		return false;
	n = salt_bytes(scheme->salt, h, k - h - 2);
	if (n < 0)
		return false;
	db = k - h - 1;
	salt = db - (size_t)n;
	memset(em, 0, salt - 1);
	em[salt - 1] = 1;
	if (RAND_bytes_ex(libctx, em + salt, (size_t)n, 0) <= 0 ||
	    !pss_hash(em + db, scheme->md, hash, h, em + salt, (size_t)n) ||
	    !mgf1_xor(em, db, em + db, h, scheme->mgf1))
		return false;
	em[0] &= 0x7f;
	em[k - 1] = 0xbc;
	return true;
}

/* The salt begins behind the first byte that isn't 0; there are no secrets here. */
bool wdp_pss_verify(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, const unsigned char *hash,
		    size_t len)
{
	size_t h = (size_t)EVP_MD_get_size(scheme->md), db, one = 0, salt;
	unsigned char own[EVP_MAX_MD_SIZE];
	int wanted;

	if (len != h || k < h + 2 || em[k - 1] != 0xbc || em[0] & 0x80)
		return false;
	db = k - h - 1;
	wanted = salt_bytes(scheme->salt, h, k - h - 2);
	if (wanted < 0 || !mgf1_xor(em, db, em + db, h, scheme->mgf1))
		return false;
	em[0] &= 0x7f;
	while (one < db && !em[one])
		one++;
	if (one == db || em[one] != 1)
		return false;
	salt = db - one - 1;
	if (scheme->salt != RSA_PSS_SALTLEN_AUTO && salt != (size_t)wanted)
		return false;
	return pss_hash(own, scheme->md, hash, h, em + one + 1, salt) && !memcmp(own, em + db, h);
}

bool wdp_oaep_encode(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, OSSL_LIB_CTX *libctx,
		     const unsigned char *label, size_t label_len, const unsigned char *in, size_t len)
{
	size_t h = (size_t)EVP_MD_get_size(scheme->md), n = k - h - 1;
	unsigned char *block = em + 1 + h;

	if (k < 2 * h + 2 || len > k - 2 * h - 2 || !EVP_Digest(label, label_len, block, NULL, scheme->md, NULL))
		return false;
	em[0] = 0;
	memset(block + h, 0, n - h - len - 1);
	block[n - len - 1] = 1;
	if (len)
		memcpy(block + n - len, in, len);
	return RAND_bytes_ex(libctx, em + 1, h, 0) > 0 && mgf1_xor(block, n, em + 1, h, scheme->mgf1) &&
	       mgf1_xor(em + 1, h, block, n, scheme->mgf1);
}

/* --- without branches on secrets: a mask is all ones or 0 --- */

static size_t mask_zero(size_t a)
{
	return (size_t)0 - ((~a & (a - 1)) >> (8 * sizeof(a) - 1));
}

static size_t mask_equal(size_t a, size_t b)
{
	return mask_zero(a ^ b);
}

/* Of numbers below half of what a size_t holds. */
static size_t mask_less(size_t a, size_t b)
{
	return (size_t)0 - ((a - b) >> (8 * sizeof(a) - 1));
}

static size_t mask_select(size_t mask, size_t a, size_t b)
{
	return (mask & a) | (~mask & b);
}

/*
 * em is 0, the masked seed, the masked block; the block is the label's hash, zeroes, 1, the message. No
 * difference between errors may be seen: Manger's attack needs no more than the first byte.
 */
static int oaep_open(unsigned char *em, size_t k, size_t h, const unsigned char *label_hash, unsigned char *out,
		     size_t *len)
{
	unsigned char *block = em + 1 + h;
	size_t n = k - h - 1, good = mask_zero(em[0]), found = 0, start = 0, size, i, shift, one;
	unsigned char other = 0;

	for (i = 0; i < h; i++)
		other |= block[i] ^ label_hash[i];
	good &= mask_zero(other);
	for (i = h; i < n; i++) {
		one = mask_equal(block[i], 1) & ~found;
		start = mask_select(one, i + 1, start);
		found |= one;
		good &= found | mask_zero(block[i]);
	}
	good &= found;
	/* The message moves to the front by powers of two, whatever its length is. */
	for (shift = 1; shift < n; shift <<= 1) {
		one = ~mask_zero(start & shift);
		for (i = 0; i + shift < n; i++)
			block[i] = (unsigned char)mask_select(one, block[i + shift], block[i]);
	}
	size = n - start;
	*len = mask_select(good, size, *len);
	for (i = 0; i < n - h - 1; i++)
		out[i] = (unsigned char)mask_select(good & mask_less(i, size), block[i], out[i]);
	return (int)(good & 1);
}

int wdp_oaep_decode(unsigned char *em, size_t k, const EVP_MD *md, const EVP_MD *mgf1, const unsigned char *label,
		    size_t label_len, unsigned char *out, size_t *len, size_t room)
{
	unsigned char label_hash[EVP_MAX_MD_SIZE];
	size_t h = (size_t)EVP_MD_get_size(md), n = k - h - 1;

	if (room < k || k < 2 * h + 2 || !EVP_Digest(label, label_len, label_hash, NULL, md, NULL))
		return 0;
	if (!mgf1_xor(em + 1, h, em + 1 + h, n, mgf1) || !mgf1_xor(em + 1 + h, n, em + 1, h, mgf1))
		return 0;
	return oaep_open(em, k, h, label_hash, out, len);
}
