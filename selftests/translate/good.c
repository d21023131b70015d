// SPDX-License-Identifier: Apache-2.0
/* Requests of every kind that succeed. */
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <stdlib.h>
#include "good.h"
#include "hw/hpre_access_hw.h"
#include "hw/qm_hw.h"
#include "hw/sec_access_hw.h"
#include "hw/zip_access_hw.h"

static u32 drawn(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void put_random(struct twin *t, u64 addr, u32 bytes, u32 *seed)
{
	u32 i;
	u8 b;

	for (i = 0; i < bytes; i++) {
		b = (u8)drawn(seed);
		twin_put(t, addr + i, &b, 1);
	}
}

static void put_hex(struct twin *t, u64 addr, const char *text)
{
	unsigned int v;
	u8 b;

	for (; sscanf(text, "%2x", &v) == 1; text += 2, addr++) {
		b = (u8)v;
		twin_put(t, addr, &b, 1);
	}
}

/* ------ lists ------ */

static void put_entry(struct twin *t, u64 at, u64 addr, u32 len)
{
	struct qm_sge sge = { .buf = addr, .len = len, .soft0 = ~0ull, .soft1 = ~0ull };

	twin_put(t, at, &sge, sizeof(sge));
}

void good_list(struct twin *t, u64 where, u64 addr, u32 len, u32 most, u32 skip, u32 capacity)
{
	struct qm_sgl head = { .entry_length_in_sgl = (u16)capacity, .entry_sum_in_chain = 0xffff };
	u32 i, n, left = skip + len;

	memset(head.soft, 0xff, sizeof(head.soft));
	for (; left; where = head.next_dma) {
		for (i = 0; i < capacity && left; i++, left -= n) {
			n = left > len ? left - len : left;
			if (n > most)
				n = most;
			put_entry(t, where + 64 + 32 * i, left > len ? addr : addr + (len - left), n);
		}
		head.entry_sum_in_sgl = (u16)i;
		head.next_dma = left ? where + 64 + 32 * capacity + (32 * capacity & 32) : 0;
		twin_put(t, where, &head, sizeof(head));
	}
}

/* ------ ZIP ------ */

enum {
	ZIP_STREAM = 1,
	ZIP_LATER = 2,		/* goes on with the stream of the request before */
	ZIP_UNPACK = 4,
};

static void zip_sqe(struct twin *t, u32 *sqe, u32 req, u32 in, u32 room, u32 flags)
{
	memset(sqe, 0, ZIP_SQE_SIZE);
	t->q.engine = TR_ZIP;
	t->q.qc_type = flags & ZIP_UNPACK ? ZIP_QC_DECOMPRESS : ZIP_QC_COMPRESS;
	sqe[4] = in;
	sqe[7] = (t->q.generation == 2 ? ZIP_SQE_TYPE_0 : ZIP_SQE_TYPE_3) << ZIP_DW7_SQE_TYPE_SHIFT;
	if (flags & ZIP_STREAM)
		sqe[7] |= ZIP_DW7_STREAM | (flags & ZIP_LATER ? 0 : ZIP_DW7_NEW_STREAM);
	sqe[9] = req | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT;
	sqe[t->q.generation == 2 ? 13 : 26] = 0x12345678;
	sqe[14] = room;
	good_addr(sqe, 18, GOOD_SRC);
	good_addr(sqe, 20, GOOD_DST);
	good_addr(sqe, 22, GOOD_CTX + ZIP_CTX_HW_OFFSET);
	if (req >= ZIP_REQ_LZ77_ONLY) {
		sqe[13] = in + ZIP_LZ77_LITERALS_MORE;
		good_addr(sqe, 24, GOOD_LIT);
	}
}

static void zip_text(struct twin *t, u32 *seed)
{
	u32 i, n = 0;
	u8 b;

	for (i = 0; i < 3000; i++) {
		n = i % 64 ? n : drawn(seed);
		b = (u8)(n >> i % 7);
		twin_put(t, GOOD_SRC + i, &b, 1);
	}
}

/* Software clears a word in the context of lz77 before each request. */
static void zip_context(struct twin *t, bool all)
{
	static const u8 zeroes[ZIP_CTX_HW_CLEARED + 4];

	if (all)
		twin_put(t, GOOD_CTX + ZIP_CTX_HW_OFFSET, zeroes, sizeof(zeroes));
	else
		twin_put(t, GOOD_CTX + ZIP_CTX_HW_OFFSET + ZIP_CTX_HW_CLEARED, zeroes, 4);
}

static void zip_good(struct twin *t, u32 req, u32 flags, u32 *seed, u32 *sqe)
{
	u32 first[TR_WORDS_MAX];

	zip_text(t, seed);
	if (flags & ZIP_UNPACK) {
		zip_sqe(t, first, req, 3000, 8000, 0);
		twin_sva(t, first);
		twin_put(t, GOOD_SRC, twin_at(t, 0, GOOD_DST), first[1]);
		zip_sqe(t, sqe, req, first[1], 8000, flags);
	} else {
		zip_sqe(t, sqe, req, 2000, 8000, flags);
	}
	zip_context(t, true);
	if (!(flags & ZIP_LATER))
		return;
	/* The request before */
	memcpy(first, sqe, sizeof(first));
	first[7] |= ZIP_DW7_NEW_STREAM;
	first[4] = 300;
	twin_sva(t, first);
	zip_context(t, false);
	sqe[15] = first[15];
	memcpy(sqe + 28, first + 28, 16);
	sqe[4] -= 300;
	good_addr(sqe, 18, GOOD_SRC + 300);
	twin_sync(t);
}

/* ------ SEC ------ */

void good_sec_set(u32 *sqe, u32 generation, u32 f, u32 value)
{
	u32 field = sec_layouts[HW_ROW(generation)].field[f];

	if (!field && f != SEC_F_TYPE)
		return;
	sqe[field >> 16] &= ~sec_field_mask(field);
	sqe[field >> 16] |= value << (field >> 8 & 0xff) & sec_field_mask(field);
}

void good_sec_set64(u32 *sqe, u32 generation, u32 l, u64 value)
{
	good_addr(sqe, sec_layouts[HW_ROW(generation)].first[l], value);
}

struct set {
	u8 f;
	u32 value;
};

#define ENC		{ SEC_F_CIPHER, SEC_CIPHER_ENCRYPT }
#define DEC		{ SEC_F_CIPHER, SEC_CIPHER_DECRYPT }
#define ALG(a, k, m)	{ SEC_F_C_ALG, SEC_C_##a }, { SEC_F_C_KEY_LEN, k }, { SEC_F_C_MODE, SEC_C_##m }
#define DATA(n)		{ SEC_F_C_LEN, n }
#define AAD(n)		{ SEC_F_A_LEN, n }, { SEC_F_CIPHER_SRC_OFFSET, n }
#define ICV(n)		{ SEC_F_C_ICV_LEN, n }
#define APART		{ SEC_F_DE, 1 }
#define DIGEST(a, n, m)	{ SEC_F_AUTH, SEC_AUTH_CALCULATE }, { SEC_F_A_ALG, SEC_A_##a }, { SEC_F_A_LEN, n }, \
			{ SEC_F_MAC_LEN, (m) / 4 }
#define KEY(n)		{ SEC_F_A_KEY_LEN, (n) / 4 }
#define STREAM		{ SEC_F_SCENE, SEC_SCENE_STREAM }
#define FIRST		STREAM, { SEC_F_AUTH_PAD, SEC_PAD_NONE }
#define MIDDLE		FIRST, { SEC_F_AI_GEN, SEC_GEN_ADDRESS }
#define END		STREAM, { SEC_F_AI_GEN, SEC_GEN_ADDRESS }
#define CHAIN(a, m, n)	{ SEC_F_A_ALG, SEC_A_##a }, { SEC_F_MAC_LEN, (m) / 4 }, { SEC_F_CIPHER_SRC_OFFSET, 16 }, \
			{ SEC_F_A_LEN, 16 + (n) }, DATA(n), KEY(20), ALG(AES, 0, CBC)
#define CTR128		{ SEC_F_CTR_XTS, SEC_CTR_ROLLOVER_128 }
/* Not fields: the whole message's bytes; the destination is the source by name; the state is where the tag will be */
#define F_TOTAL		SEC_F_NR
#define F_NAMED		(SEC_F_NR + 1)
#define F_GOES_ON	(SEC_F_NR + 2)
#define TOTAL(n)	{ F_TOTAL, n }
#define NAMED		{ F_NAMED, 1 }
#define GOES_ON		{ F_GOES_ON, 1 }

static const struct sec_good {
	const char *name;
	bool only3;
	struct set set[18];
} secs[] = {
	{ "aes-cbc", false, { ENC, ALG(AES, 0, CBC), DATA(64), APART } },
	{ "aes-256-ecb in place", false, { DEC, ALG(AES, 2, ECB), DATA(48) } },
	{ "aes-256-xts", false, { ENC, ALG(AES, 2, XTS), DATA(100), APART } },
	{ "aes-192-cbc in place, named", false, { ENC, ALG(AES, 1, CBC), DATA(160), APART, NAMED } },
	{ "des-cbc", false, { ENC, ALG(DES, 1, CBC), DATA(40), APART } },
	{ "3des-ecb", false, { DEC, ALG(3DES, 3, ECB), DATA(40), APART } },
	{ "3des-cbc", false, { ENC, ALG(3DES, 1, CBC), DATA(40), APART } },
	{ "sm4-cbc", false, { ENC, ALG(SM4, 0, CBC), DATA(64), APART } },
	{ "sm4-xts", false, { ENC, ALG(SM4, 0, XTS), DATA(64), APART } },
	{ "aes-ctr", true, { ENC, ALG(AES, 0, CTR), DATA(77), APART, CTR128 } },
	{ "aes-cbc-cs1", true, { ENC, ALG(AES, 0, CBC_CS), { SEC_F_C_WIDTH, 1 }, DATA(33), APART } },
	{ "sm4-cfb", true, { DEC, ALG(SM4, 0, CFB), DATA(33), APART } },
	{ "sha256", false, { DIGEST(SHA256, 100, 32) } },
	{ "sha1 truncated", false, { DIGEST(SHA1, 100, 12) } },
	{ "empty sm3", true, { DIGEST(SM3, 0, 32) } },
	{ "hmac-sha512", false, { DIGEST(HMAC_SHA512, 300, 64), KEY(128) } },
	{ "sha224 first", false, { DIGEST(SHA224, 128, 28), FIRST } },
	{ "sha384 first, hmac", false, { DIGEST(HMAC_SHA384, 128, 48), KEY(64), FIRST } },
	{ "sha224 middle", false, { DIGEST(SHA224, 64, 28), MIDDLE } },
	{ "sha256 middle in place", false, { DIGEST(SHA256, 64, 32), MIDDLE, GOES_ON } },
	{ "sha512/224 middle, hmac", false, { DIGEST(HMAC_SHA512_224, 128, 28), KEY(4), MIDDLE } },
	{ "sha1 end", false, { DIGEST(SHA1, 30, 20), END, TOTAL(94) } },
	{ "md5 end, hmac", false, { DIGEST(HMAC_MD5, 0, 16), KEY(16), END, TOTAL(64) } },
	{ "cmac", true, { DIGEST(AES_CMAC, 40, 16), KEY(16) } },
	{ "xcbc", true, { DIGEST(AES_XCBC, 40, 12), KEY(16) } },
	{ "gmac", true, { DIGEST(AES_GMAC, 40, 16), KEY(32), { SEC_F_AI_GEN, SEC_GEN_ADDRESS } } },
	{ "gcm", false, { ENC, ALG(AES, 0, GCM), DATA(50), AAD(20), ICV(16), APART } },
	{ "gcm in place", false, { DEC, ALG(AES, 2, GCM), DATA(50), AAD(20), ICV(12), { SEC_F_SEQ, 1 } } },
	{ "gcm without data", true, { ENC, ALG(SM4, 0, GCM), AAD(20), ICV(16), APART } },
	{ "gcm without anything", true, { ENC, ALG(AES, 0, GCM), ICV(16), APART } },
	{ "ccm", false, { ENC, ALG(AES, 0, CCM), DATA(64), AAD(16), ICV(16), APART } },
	{ "ccm, verified", false, { DEC, ALG(AES, 1, CCM), DATA(64), AAD(16), ICV(16), APART } },
	{ "cbc and hmac-sha1", false, { ENC, CHAIN(HMAC_SHA1, 12, 64), { SEC_F_AUTH, SEC_AUTH_CALCULATE }, APART } },
	{ "cbc and hmac-sha256, verified", false, { DEC, CHAIN(HMAC_SHA256, 32, 64), { SEC_F_AUTH, SEC_AUTH_VERIFY },
						    { SEC_F_SEQ, SEC_SEQ_DIGEST_FIRST } } },
	{ "aad of a gcm stream", false, { DIGEST(AES_GMAC, 20, 16), KEY(16), FIRST, { SEC_F_MAC_SEL, 1 }, APART } },
	{ "aad of a gcm stream alone", false, { DIGEST(AES_GMAC, 20, 16), KEY(32), FIRST, { SEC_F_MAC_SEL, 1 } } },
	{ "data of a gcm stream", false, { ENC, ALG(AES, 0, GCM), DATA(64), KEY(16), MIDDLE, { SEC_F_MAC_SEL, 1 },
					   APART } },
	{ "nothing", false, { { SEC_F_INVALID, 1 }, ENC, DATA(1000) } },
};

static void sec_memory(struct twin *t, const struct sec_good *g, u32 *seed)
{
	static const u64 areas[] = { GOOD_SRC, GOOD_DST, GOOD_MAC, GOOD_C_KEY, GOOD_C_IV, GOOD_A_KEY, GOOD_A_IV };
	u32 i;

	for (i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		put_random(t, areas[i], 600, seed);
	if (!strncmp(g->name, "ccm", 3)) {
		put_hex(t, GOOD_C_IV, "01000000000000000000000000000001");
		put_hex(t, GOOD_A_IV, "79000000000000000000000000000040");
	}
	if (!strncmp(g->name, "gcm", 3))
		twin_put(t, GOOD_A_IV, twin_at(t, 0, GOOD_C_IV), 12);
}

static bool sec_good(struct twin *t, const struct sec_good *g, u32 *seed, u32 *sqe)
{
	u32 gen = t->q.generation, total = 0, i;
	bool named = false, goes_on = false;

	if (g->only3 && gen == 2)
		return false;
	t->q.engine = TR_SEC;
	t->q.qc_type = 0;
	sec_memory(t, g, seed);
	memset(sqe, 0, SEC_BD_SIZE);
	good_sec_set(sqe, gen, SEC_F_TYPE, gen);
	for (i = 0; i < 18 && (g->set[i].f || g->set[i].value); i++) {
		if (g->set[i].f == F_TOTAL)
			total = g->set[i].value;
		else if (g->set[i].f == F_NAMED)
			named = true;
		else if (g->set[i].f == F_GOES_ON)
			goes_on = true;
		else
			good_sec_set(sqe, gen, g->set[i].f, g->set[i].value);
	}
	good_sec_set64(sqe, gen, SEC_L_SRC, GOOD_SRC);
	good_sec_set64(sqe, gen, SEC_L_DST, named ? GOOD_SRC : GOOD_DST);
	good_sec_set64(sqe, gen, SEC_L_MAC, GOOD_MAC);
	good_sec_set64(sqe, gen, SEC_L_C_KEY, GOOD_C_KEY);
	good_sec_set64(sqe, gen, SEC_L_A_KEY, GOOD_A_KEY);
	good_sec_set64(sqe, gen, SEC_L_C_IVIN, GOOD_C_IV);
	good_sec_set64(sqe, gen, SEC_L_A_IVIN, goes_on ? GOOD_MAC : GOOD_A_IV);
	good_sec_set64(sqe, gen, SEC_L_TOTAL, (u64)total * 8);
	return true;
}

/* ------ HPRE ------ */

#define HPRE_KEY	GOOD_C_KEY
#define HPRE_IN		GOOD_SRC
#define HPRE_OUT	GOOD_DST

static const struct hpre_good {
	const char *name;
	u32 op;
	u32 bytes;
} hpres[] = {
	{ "rsa", HPRE_RSA, 128 }, { "rsa with crt", HPRE_RSA_CRT, 128 }, { "rsa-2048", HPRE_RSA, 256 },
	{ "rsa key", HPRE_RSA_KEYGEN, 128 }, { "rsa key with crt", HPRE_RSA_KEYGEN_CRT, 128 },
	{ "dh of 2", HPRE_DH_G2, 96 }, { "dh", HPRE_DH, 96 },
	{ "multiply", HPRE_ECC_MULTIPLY, 32 }, { "x25519", HPRE_MONTGOMERY, 32 },
	{ "ecdsa", HPRE_ECDSA_SIGN, 32 }, { "ecdsa, verified", HPRE_ECDSA_VERIFY, 32 },
	{ "sm2 key", HPRE_SM2_KEYGEN, 32 }, { "sm2", HPRE_SM2_SIGN, 32 }, { "sm2, verified", HPRE_SM2_VERIFY, 32 },
	{ "sm2 encryption", HPRE_SM2_ENCRYPT, 32 }, { "sm2 decryption", HPRE_SM2_DECRYPT, 32 },
};

static void put_bn(struct twin *t, u64 addr, u32 i, u32 bytes, const BIGNUM *n)
{
	u8 b[HPRE_MAX_BYTES];

	if (BN_bn2binpad(n, b, (int)bytes) < 0)
		abort();
	twin_put(t, addr + i * bytes, b, bytes);
}

/* Parameters of the curve and a key, in the order that the operation has. */
static void hpre_curve(struct twin *t, u32 op, u32 bytes)
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(op >= HPRE_SM2_KEYGEN ? NID_sm2 : NID_X9_62_prime256v1);
	BIGNUM *n[9];
	enum { P, A, B, N, GX, GY, D, PX, PY };
	static const u8 multiply[] = { P, A, D, B }, sign[] = { P, A, D, B, N, GX, GY },
			verify[] = { P, A, B, N, GX, GY, PX, PY };
	const u8 *order = op == HPRE_ECC_MULTIPLY ? multiply :
			  op == HPRE_ECDSA_SIGN || op == HPRE_SM2_SIGN || op == HPRE_SM2_DECRYPT ? sign : verify;
	u32 i, fields = order == multiply ? 4 : order == sign ? 7 : 8;
	EC_POINT *point = EC_POINT_new(group);

	for (i = 0; i < 9; i++)
		n[i] = BN_new();
	BN_set_word(n[D], 0x1234567);
	if (!EC_GROUP_get_curve(group, n[P], n[A], n[B], NULL) || !EC_GROUP_get_order(group, n[N], NULL) ||
	    !EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), n[GX], n[GY], NULL) ||
	    !EC_POINT_mul(group, point, n[D], NULL, NULL, NULL) ||
	    !EC_POINT_get_affine_coordinates(group, point, n[PX], n[PY], NULL))
		abort();
	for (i = 0; i < fields; i++)
		put_bn(t, HPRE_KEY, i, bytes, n[order[i]]);
	/* A point, or a digest and a small number: good enough for each operation's input */
	put_bn(t, HPRE_IN, 0, bytes, n[GX]);
	put_bn(t, HPRE_IN, 1, bytes, n[op == HPRE_ECC_MULTIPLY || op == HPRE_SM2_KEYGEN ? GY : D]);
	put_bn(t, HPRE_IN, 2, bytes, n[D]);
	if (op == HPRE_SM2_ENCRYPT)
		put_bn(t, HPRE_IN, 0, bytes, n[D]);
	for (i = 0; i < 9; i++)
		BN_free(n[i]);
	EC_POINT_free(point);
	EC_GROUP_free(group);
}

static void hpre_montgomery(struct twin *t)
{
	put_hex(t, HPRE_KEY, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed");
	put_hex(t, HPRE_KEY + 32, "000000000000000000000000000000000000000000000000000000000001db41");
	put_hex(t, HPRE_KEY + 64, "4000000000000000000000000000000000000000000000000000000000000008");
	put_hex(t, HPRE_IN, "0000000000000000000000000000000000000000000000000000000000000009");
}

static void hpre_sqe(u32 *sqe, u32 op, u32 bytes)
{
	memset(sqe, 0, HPRE_SQE_SIZE);
	sqe[0] = op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT;
	sqe[1] = bytes / 8 - 1;
	good_addr(sqe, 2, HPRE_KEY);
	good_addr(sqe, 4, HPRE_IN);
	good_addr(sqe, 6, HPRE_OUT);
	sqe[8] = 0xabcdef01;
	if (op == HPRE_SM2_ENCRYPT || op == HPRE_SM2_DECRYPT)
		sqe[10] = 49;
}

static void hpre_text(struct twin *t, u32 *sqe)
{
	u32 first[TR_WORDS_MAX];

	hpre_curve(t, HPRE_SM2_ENCRYPT, 32);
	hpre_sqe(first, HPRE_SM2_ENCRYPT, 32);
	twin_sva(t, first);
	hpre_curve(t, HPRE_SM2_DECRYPT, 32);
	twin_put(t, HPRE_IN, twin_at(t, 0, HPRE_OUT), 3 * 32 + 50);
	twin_sync(t);
	hpre_sqe(sqe, HPRE_SM2_DECRYPT, 32);
}

static bool hpre_good(struct twin *t, const struct hpre_good *g, u32 *seed, u32 *sqe)
{
	static const u8 odd = 0xff, low = 0;
	u32 i;

	t->q.engine = TR_HPRE;
	t->q.qc_type = g->op >= HPRE_ECC_MULTIPLY;
	if (t->q.qc_type && t->q.generation == 2)
		return false;
	put_random(t, HPRE_KEY, 5 * g->bytes, seed);
	put_random(t, HPRE_IN, 4 * g->bytes, seed);
	put_random(t, HPRE_OUT, 4 * g->bytes, seed);
	hpre_sqe(sqe, g->op, g->bytes);
	if (g->op == HPRE_SM2_DECRYPT) {
		hpre_text(t, sqe);
		return true;
	}
	if (g->op == HPRE_MONTGOMERY) {
		hpre_montgomery(t);
	} else if (t->q.qc_type) {
		hpre_curve(t, g->op, g->bytes);
	} else {
		/* Odd numbers, large moduli, and smaller ones of what is to be below them */
		for (i = 1; i <= 10; i++)
			twin_put(t, HPRE_KEY + i * g->bytes / 2 - 1, &odd, 1);
		twin_put(t, HPRE_KEY + g->bytes, &odd, 1);
		twin_put(t, HPRE_KEY + g->bytes * 3 / 2, &odd, 1);
		twin_put(t, HPRE_KEY + g->bytes * 2, &low, 1);
		twin_put(t, HPRE_IN, &low, 1);
	}
	if (g->op == HPRE_RSA_KEYGEN || g->op == HPRE_RSA_KEYGEN_CRT) {
		/* e = 3; primes: 2^512 - 569 and 2^512 - 629 */
		memset(twin_at(t, 0, HPRE_KEY), 0, g->bytes);
		*twin_at(t, 0, HPRE_KEY + g->bytes - 1) = 5;
		memset(twin_at(t, 0, HPRE_KEY + g->bytes), 0xff, g->bytes);
		*twin_at(t, 0, HPRE_KEY + g->bytes * 3 / 2 - 2) = 0xfd;
		*twin_at(t, 0, HPRE_KEY + g->bytes * 3 / 2 - 1) = 0xc7;
		*twin_at(t, 0, HPRE_KEY + g->bytes * 2 - 2) = 0xfd;
		*twin_at(t, 0, HPRE_KEY + g->bytes * 2 - 1) = 0x8b;
		twin_sync(t);
	}
	return true;
}

/* ------ all ------ */

static const struct zip_good {
	const char *name;
	u32 req, flags;
} zips[] = {
	{ "deflate", ZIP_REQ_DEFLATE, 0 }, { "zlib", ZIP_REQ_ZLIB, 0 }, { "gzip", ZIP_REQ_GZIP, 0 },
	{ "zlib stream", ZIP_REQ_ZLIB, ZIP_STREAM }, { "zlib stream, later", ZIP_REQ_ZLIB, ZIP_STREAM | ZIP_LATER },
	{ "inflate", ZIP_REQ_DEFLATE, ZIP_UNPACK }, { "gunzip", ZIP_REQ_GZIP, ZIP_UNPACK },
	{ "gunzip of a stream", ZIP_REQ_GZIP, ZIP_UNPACK | ZIP_STREAM },
	{ "gunzip of a stream, later", ZIP_REQ_GZIP, ZIP_UNPACK | ZIP_STREAM | ZIP_LATER },
	{ "lz4", ZIP_REQ_LZ4, 0 }, { "lz77_only", ZIP_REQ_LZ77_ONLY, 0 },
	{ "lz77_only price", ZIP_REQ_LZ77_ONLY_PRICE, 0 }, { "lz77_zstd", ZIP_REQ_LZ77_ZSTD, 0 },
	{ "lz77_zstd price", ZIP_REQ_LZ77_ZSTD_PRICE, 0 }, { "lz77_zstd stream", ZIP_REQ_LZ77_ZSTD, ZIP_STREAM },
	{ "lz77_zstd stream, later", ZIP_REQ_LZ77_ZSTD, ZIP_STREAM | ZIP_LATER },
};

#define NR(a)	((u32)(sizeof(a) / sizeof((a)[0])))

u32 good_nr(void)
{
	return NR(zips) + NR(secs) + NR(hpres);
}

const char *good_name(u32 i)
{
	if (i < NR(zips))
		return zips[i].name;
	i -= NR(zips);
	return i < NR(secs) ? secs[i].name : hpres[i - NR(secs)].name;
}

bool good_make(struct twin *t, u32 i, u32 generation, u32 seed, u32 *sqe)
{
	t->q.generation = (u8)generation;
	memset(sqe, 0, sizeof(u32) * TR_WORDS_MAX);
	if (i < NR(zips)) {
		if (!zip_access_req_of(generation, zips[i].req))
			return false;
		zip_good(t, zips[i].req, zips[i].flags, &seed, sqe);
		return true;
	}
	i -= NR(zips);
	return i < NR(secs) ? sec_good(t, &secs[i], &seed, sqe) : hpre_good(t, &hpres[i - NR(secs)], &seed, sqe);
}
