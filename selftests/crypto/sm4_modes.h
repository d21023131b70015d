/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SM4 in the modes that OpenSSL 3.0 lacks, built from its block cipher as the standards define them: the reference for
 * results of devices. Encryption only; a decryption is right if encrypting its result gives its input.
 */
#ifndef SM4_MODES_H
#define SM4_MODES_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline EVP_CIPHER_CTX *ecb_keyed(const unsigned char *key)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	if (!c || !EVP_EncryptInit_ex(c, EVP_sm4_ecb(), NULL, key, NULL) || !EVP_CIPHER_CTX_set_padding(c, 0))
		abort();
	return c;
}

static inline void ecb_block(EVP_CIPHER_CTX *c, const unsigned char *in, unsigned char *out)
{
	int n;

	if (!EVP_EncryptUpdate(c, out, &n, in, 16) || n != 16)
		abort();
}

static inline void xor_into(unsigned char *to, const unsigned char *from, size_t n)
{
	while (n--)
		*to++ ^= *from++;
}

/* One step of CBC or of the CBC-MAC: the next chaining block. */
static inline void ecb_chain(EVP_CIPHER_CTX *c, unsigned char state[16], const unsigned char *in, size_t n)
{
	xor_into(state, in, n);
	ecb_block(c, state, state);
}

/* --- XTS: IEEE 1619 --- */

static inline void xts_one(EVP_CIPHER_CTX *c, const unsigned char tweak[16], const unsigned char *in,
			   unsigned char *out)
{
	unsigned char b[16];

	memcpy(b, in, 16);
	xor_into(b, tweak, 16);
	ecb_block(c, b, b);
	xor_into(b, tweak, 16);
	memcpy(out, b, 16);
}

static inline void xts_next(unsigned char tweak[16])
{
	unsigned int carry = 0, i;

	for (i = 0; i < 16; i++) {
		unsigned int v = (unsigned int)tweak[i] << 1 | carry;

		tweak[i] = (unsigned char)v;
		carry = v >> 8;
	}
	tweak[0] ^= (unsigned char)(carry * 0x87);
}

static inline void ecb_xts(const unsigned char *key, const unsigned char *iv, const unsigned char *in, size_t len,
			    unsigned char *out)
{
	EVP_CIPHER_CTX *c = ecb_keyed(key), *c2 = ecb_keyed(key + 16);
	unsigned char tweak[16], last[16];
	size_t at;

	ecb_block(c2, iv, tweak);
	for (at = 0; len - at >= 16; at += 16, xts_next(tweak))
		xts_one(c, tweak, in + at, out + at);
	if (at < len) {
		memcpy(last, out + at - 16, 16);
		memcpy(out + at, last, len - at);
		memcpy(last, in + at, len - at);
		xts_one(c, tweak, last, out + at - 16);
	}
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(c2);
}

/* --- CBC with ciphertext stealing: SP 800-38A's addendum; cs is 1 to 3 --- */

static inline void ecb_cbc_cs(unsigned int cs, const unsigned char *key, const unsigned char *iv,
			       const unsigned char *in, size_t len, unsigned char *out)
{
	size_t d = (len - 1) % 16 + 1, before = len - d, at;
	EVP_CIPHER_CTX *c = ecb_keyed(key);
	unsigned char state[16], swapped[32];

	memcpy(state, iv, 16);
	for (at = 0; at < before; at += 16) {
		ecb_chain(c, state, in + at, 16);
		memcpy(out + at, state, 16);
	}
	/* The last block, padded with zeroes, is encrypted; the block before it is cut to the last block's length. */
	ecb_chain(c, state, in + before, d);
	at = before ? before - 16 + d : 0;
	memcpy(out + at, state, 16);
	if (before && (cs == 3 || (cs == 2 && d < 16))) {
		memcpy(swapped, state, 16);
		memcpy(swapped + 16, out + before - 16, d);
		memcpy(out + before - 16, swapped, 16 + d);
	}
	EVP_CIPHER_CTX_free(c);
}

/* --- GCM: SP 800-38D, with a nonce of 12 bytes; CCM: SP 800-38C --- */

/* Both modes count in the last four bytes, which is enough for the tests' lengths. */
static inline void ecb_ctr(EVP_CIPHER_CTX *c, const unsigned char first[16], const unsigned char *in, size_t len,
			    unsigned char *out)
{
	unsigned char counter[16], stream[16];
	size_t at, n;
	int i;

	memcpy(counter, first, 16);
	for (at = 0; at < len; at += n) {
		n = len - at < 16 ? len - at : 16;
		for (i = 15; i > 11 && !++counter[i]; i--)
			;
		ecb_block(c, counter, stream);
		memmove(out + at, in + at, n);
		xor_into(out + at, stream, n);
	}
}

/* y = (y ^ block) * h, bit by bit. */
static inline void ghash_block(const unsigned char h[16], unsigned char y[16], const unsigned char *block, size_t n)
{
	unsigned char z[16] = { 0 }, v[16];
	unsigned int bit, i;

	xor_into(y, block, n);
	memcpy(v, h, 16);
	for (bit = 0; bit < 128; bit++) {
		bool odd = v[15] & 1;

		if (y[bit / 8] >> (7 - bit % 8) & 1)
			xor_into(z, v, 16);
		for (i = 15; i; i--)
			v[i] = (unsigned char)(v[i] >> 1 | v[i - 1] << 7);
		v[0] = (unsigned char)(v[0] >> 1 ^ (odd ? 0xe1 : 0));
	}
	memcpy(y, z, 16);
}

static inline void ghash(const unsigned char h[16], unsigned char y[16], const unsigned char *p, size_t len)
{
	size_t at;

	for (at = 0; at < len; at += 16)
		ghash_block(h, y, p + at, len - at < 16 ? len - at : 16);
}

static inline void big_endian(unsigned char *end, unsigned long long v, unsigned int bytes)
{
	for (; bytes--; v >>= 8)
		*--end = (unsigned char)v;
}

/* in and out: the data without associated data. The tag has full length. */
static inline void ecb_gcm(const unsigned char *key, const unsigned char iv[12], const unsigned char *assoc,
			    size_t assoc_len, const unsigned char *in, size_t len, unsigned char *out,
			    unsigned char tag[16])
{
	unsigned char h[16] = { 0 }, y[16] = { 0 }, counter[16] = { 0 }, lengths[16];
	EVP_CIPHER_CTX *c = ecb_keyed(key);

	ecb_block(c, h, h);
	memcpy(counter, iv, 12);
	counter[15] = 1;
	ecb_ctr(c, counter, in, len, out);
	ghash(h, y, assoc, assoc_len);
	ghash(h, y, out, len);
	big_endian(lengths + 8, 8ull * assoc_len, 8);
	big_endian(lengths + 16, 8ull * len, 8);
	ghash(h, y, lengths, 16);
	ecb_block(c, counter, tag);
	xor_into(tag, y, 16);
	EVP_CIPHER_CTX_free(c);
}

/* Only for associated data below 65,280 bytes, whose length field has two bytes. */
static inline void ecb_ccm(const unsigned char *key, const unsigned char *nonce, size_t nonce_len,
			    const unsigned char *assoc, size_t assoc_len, const unsigned char *in, size_t len,
			    unsigned char *out, unsigned char *tag, size_t tag_len)
{
	unsigned int field = 15 - (unsigned int)nonce_len;
	unsigned char counter[16] = { (unsigned char)(field - 1) }, y[16], s[16], first[16];
	size_t n = assoc_len < 14 ? assoc_len : 14, at;
	EVP_CIPHER_CTX *c = ecb_keyed(key);

	memcpy(counter + 1, nonce, nonce_len);
	memcpy(y, counter, 16);
	y[0] |= (unsigned char)((tag_len - 2) / 2 << 3 | (assoc_len ? 0x40 : 0));
	big_endian(y + 16, len, field);
	ecb_block(c, y, y);
	if (assoc_len) {
		big_endian(first + 2, assoc_len, 2);
		memcpy(first + 2, assoc, n);
		ecb_chain(c, y, first, 2 + n);
	}
	for (at = n; at < assoc_len; at += 16)
		ecb_chain(c, y, assoc + at, assoc_len - at < 16 ? assoc_len - at : 16);
	for (at = 0; at < len; at += 16)
		ecb_chain(c, y, in + at, len - at < 16 ? len - at : 16);
	ecb_ctr(c, counter, in, len, out);
	ecb_block(c, counter, s);
	memcpy(tag, s, tag_len);
	xor_into(tag, y, tag_len);
	EVP_CIPHER_CTX_free(c);
}

#endif
