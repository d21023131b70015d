// SPDX-License-Identifier: Apache-2.0
/*
 * SM2's encryption on the software path, in the devices' layout (C1, C2, C3), and the digest that it signs: GM/T 0003.
 */
#include <errno.h>
#include <stdlib.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "curve.h"
#include "fetch.h"

/* Hashes of one digest over pieces of memory. */
struct piece {
	const void *at;
	size_t len;
};

/* NULL: no memory. A libcrypto without SM3 leaves the context empty, and sm3() fails. */
static EVP_MD_CTX *sm3_new(void)
{
	EVP_MD *md = EVP_MD_fetch(NULL, "SM3", SOFT_PROPERTIES);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (md && ctx)
		EVP_DigestInit_ex2(ctx, md, NULL);
	EVP_MD_free(md);
	return ctx;
}

static bool sm3(EVP_MD_CTX *ctx, const struct piece *pieces, unsigned int n, __u8 *hash)
{
	unsigned int i;

	if (!ctx || !EVP_DigestInit_ex2(ctx, NULL, NULL))
		return false;
	for (i = 0; i < n; i++)
		if (pieces[i].len && !EVP_DigestUpdate(ctx, pieces[i].at, pieces[i].len))
			return false;
	return EVP_DigestFinal_ex(ctx, hash, NULL);
}

/* to = from, with the key stream of the point added; 0, -EAGAIN: the key stream is all zeroes, -EIO: no SM3. */
static int stream_add(EVP_MD_CTX *ctx, const __u8 *point, const __u8 *from, __u8 *to, size_t len)
{
	__u8 hash[ECC_HASH_BYTES], count[4], any = 0;
	struct piece in[] = { { point, 2 * ECC_HASH_BYTES }, { count, sizeof(count) } };
	bool good = true;
	size_t at, i;

	for (at = 0; good && at < len; at += ECC_HASH_BYTES) {
		__u32 ct = (__u32)(at / ECC_HASH_BYTES) + 1;

		count[0] = (__u8)(ct >> 24);
		count[1] = (__u8)(ct >> 16);
		count[2] = (__u8)(ct >> 8);
		count[3] = (__u8)ct;
		good = sm3(ctx, in, 2, hash);
		for (i = 0; i < ECC_HASH_BYTES && at + i < len; i++) {
			any |= hash[i];
			to[at + i] = from[at + i] ^ hash[i];
		}
	}
	explicit_bzero(hash, sizeof(hash));
	return !good ? -EIO : any ? 0 : -EAGAIN;
}

/* C3: the hash of the point's x, the text, and the point's y. */
static bool text_hash(EVP_MD_CTX *ctx, const __u8 *point, const __u8 *text, size_t len, __u8 *hash)
{
	struct piece in[] = { { point, ECC_HASH_BYTES }, { text, len }, { point + ECC_HASH_BYTES, ECC_HASH_BYTES } };

	return sm3(ctx, in, 3, hash);
}

static int encrypt(struct ecc_sess *s, struct pubkey_msg *c, EVP_MD_CTX *md, const __u8 *k, __u8 *out)
{
	size_t at = 2 * ECC_HASH_BYTES;
	__u8 point[2 * ECC_BYTES_MAX];
	int ret = soft_ecc_multiply(s, k, NULL, out);

	if (!ret)
		ret = soft_ecc_multiply(s, k, s->key->point, point);
	if (!ret)
		ret = stream_add(md, point, c->src, out + at, c->src_len);
	if (!ret && !text_hash(md, point, c->src, c->src_len, out + at + c->src_len))
		ret = -EIO;
	explicit_bzero(point, sizeof(point));
	return ret;
}

int soft_sm2_encrypt(struct ecc_sess *s, struct pubkey_msg *c)
{
	EVP_MD_CTX *md = sm3_new();
	__u8 *out = malloc(c->dst_len), k[ECC_BYTES_MAX];
	int ret;

	do {
		ret = md && out ? 0 : -ENOMEM;
		if (!ret && c->extra)
			ecc_private(s, c, k);
		else if (!ret && !ecc_random(s, k))
			ret = -EIO;
		if (!ret)
			ret = encrypt(s, c, md, k, out);
	} while (ret == -EAGAIN && !c->extra);
	if (ret == -EAGAIN) {
		c->why = "the nonce yields a key stream of zeroes";
		ret = -EINVAL;
	}
	if (ret == -EIO)
		c->why = "libcrypto has no SM3, or no random numbers";
	/* The text may overlap the result's memory. */
	if (!ret)
		memcpy(c->dst, out, c->dst_len);
	explicit_bzero(k, sizeof(k));
	free(out);
	EVP_MD_CTX_free(md);
	return ret;
}

static int decrypt(struct ecc_sess *s, struct pubkey_msg *c, EVP_MD_CTX *md, __u8 *text)
{
	const __u8 *c2 = c->src + 2 * ECC_HASH_BYTES, *c3 = c2 + c->dst_len;
	__u8 point[2 * ECC_BYTES_MAX], hash[ECC_HASH_BYTES];
	int ret = soft_ecc_multiply(s, s->key->d, c->src, point);

	if (ret == -EINVAL)
		c->why = "C1 is not a point of the curve";
	if (!ret)
		ret = stream_add(md, point, c2, text, c->dst_len);
	if (!ret && !text_hash(md, point, text, c->dst_len, hash))
		ret = -EIO;
	if (ret == -EIO)
		c->why = "libcrypto can't compute SM3";
	if (ret == -EAGAIN || (!ret && CRYPTO_memcmp(hash, c3, ECC_HASH_BYTES))) {
		c->why = "the hash of the decrypted text is not C3";
		ret = -EBADMSG;
	}
	explicit_bzero(point, sizeof(point));
	return ret;
}

int soft_sm2_decrypt(struct ecc_sess *s, struct pubkey_msg *c)
{
	EVP_MD_CTX *md = sm3_new();
	__u8 *text = malloc(c->dst_len);
	int ret = -ENOMEM;

	if (md && text)
		ret = decrypt(s, c, md, text);
	if (!ret)
		memcpy(c->dst, text, c->dst_len);
	if (text)
		explicit_bzero(text, c->dst_len);
	free(text);
	EVP_MD_CTX_free(md);
	return ret;
}

bool soft_sm2_digest(const struct ecc_sess *s, const void *id, size_t id_len, const void *msg, size_t len, __u8 *digest)
{
	static const char usual[] = "1234567812345678";
	size_t n = id_len ? id_len : sizeof(usual) - 1;
	const __u8 bits[2] = { (__u8)(n >> 5), (__u8)(n << 3) };
	__u8 z[ECC_HASH_BYTES];
	struct piece who[] = {
		{ bits, 2 }, { id_len ? id : usual, n }, { s->part[ECC_A], s->w }, { s->part[ECC_B], s->w },
		{ s->part[ECC_GX], s->w }, { s->part[ECC_GY], s->w }, { s->key->point, 2 * s->w },
	};
	struct piece what[] = { { z, sizeof(z) }, { msg, len } };
	EVP_MD_CTX *ctx;
	bool good;

	ERR_set_mark();
	ctx = sm3_new();
	good = sm3(ctx, who, sizeof(who) / sizeof(who[0]), z) && sm3(ctx, what, 2, digest);
	ERR_pop_to_mark();
	EVP_MD_CTX_free(ctx);
	return good;
}
