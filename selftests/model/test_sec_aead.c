// SPDX-License-Identifier: Apache-2.0
/* The SEC engine's AEADs: published vectors, libcrypto for random ones, mismatches, streams of GCM. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include "sec_dev.h"

/* The two initial values in the form that software makes. */
static void gcm_iv(struct rig *r, const unsigned char *iv)
{
	memcpy(at(r, AT_C_IV), iv, 12);
	memcpy(at(r, AT_A_IV), iv, 12);
}

static void ccm_iv(struct rig *r, const unsigned char *nonce, u32 l, u32 tag, u32 aad, u32 len)
{
	unsigned char *c = at(r, AT_C_IV), *a = at(r, AT_A_IV);
	u32 i;

	memset(c, 0, 16);
	c[0] = (unsigned char)(l - 1);
	memcpy(c + 1, nonce, 15 - l);
	memcpy(a, c, 16);
	c[15] = 1;
	a[0] = (unsigned char)((l - 1) | (tag - 2) / 2 << 3 | (aad ? 0x40 : 0));
	for (i = 0; i < l; i++)
		a[15 - i] = (unsigned char)(i < 4 ? len >> 8 * i : 0);
}

static struct ask aead(u32 type, u32 alg, u32 mode, u32 key_len, bool encrypt, u32 aad, u32 len, u32 tag)
{
	return (struct ask){ .type = type, .cipher = encrypt ? SEC_CIPHER_ENCRYPT : SEC_CIPHER_DECRYPT, .c_alg = alg,
			     .c_mode = mode, .c_key_len = key_len, .c_icv_len = tag, .a_len = aad, .c_len = len,
			     .offset = aad, .seq = encrypt ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST };
}

struct vector {
	const char *name;
	u32 alg, mode, key_len;
	const char *key, *iv, *aad, *plain, *cipher, *tag;
};

#define GCM_PLAIN \
	"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
	"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define SM4_PLAIN \
	"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd" \
	"eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"

static const struct vector vectors[] = {
	{ "GCM 2", SEC_C_AES, SEC_C_GCM, 0, "00000000000000000000000000000000", "000000000000000000000000", "",
	  "00000000000000000000000000000000", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf" },
	{ "GCM 4", SEC_C_AES, SEC_C_GCM, 0, "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
	  GCM_AAD, GCM_PLAIN,
	  "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
	  "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
	  "5bc94fbc3221a5db94fae95ae7121a47" },
	{ "GCM 16", SEC_C_AES, SEC_C_GCM, 2,
	  "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
	  "cafebabefacedbaddecaf888", GCM_AAD, GCM_PLAIN,
	  "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
	  "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
	  "76fc6ece0f4e1768cddf8853bb2d551b" },
	/* RFC 8998 */
	{ "GCM-SM4", SEC_C_SM4, SEC_C_GCM, 0, "0123456789abcdeffedcba9876543210", "00001234567800000000abcd",
	  GCM_AAD, SM4_PLAIN,
	  "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735"
	  "d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d",
	  "83de3541e4c2b58177e065a9bf7b62ec" },
	{ "CCM-SM4", SEC_C_SM4, SEC_C_CCM, 0, "0123456789abcdeffedcba9876543210", "00001234567800000000abcd",
	  GCM_AAD, SM4_PLAIN,
	  "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094"
	  "fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b",
	  "16842d4fa186f56ab33256971fa110f4" },
	/* SP 800-38C, examples 1 to 3 */
	{ "CCM 1", SEC_C_AES, SEC_C_CCM, 0, "404142434445464748494a4b4c4d4e4f", "10111213141516", "0001020304050607",
	  "20212223", "7162015b", "4dac255d" },
	{ "CCM 2", SEC_C_AES, SEC_C_CCM, 0, "404142434445464748494a4b4c4d4e4f", "1011121314151617",
	  "000102030405060708090a0b0c0d0e0f", "202122232425262728292a2b2c2d2e2f", "d2a1f0e051ea5f62081a7792073d593d",
	  "1fc64fbfaccd" },
	{ "CCM 3", SEC_C_AES, SEC_C_CCM, 0, "404142434445464748494a4b4c4d4e4f", "101112131415161718191a1b",
	  "000102030405060708090a0b0c0d0e0f10111213", "202122232425262728292a2b2c2d2e2f3031323334353637",
	  "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5", "484392fbc1b09951" },
};

TEST_F(dev, published_vectors_by_both_types)
{
	struct rig *r = &self->r;
	unsigned char iv[16], in[128], tag[16];
	u32 i, type, aad, len, n, tag_len;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		for (type = SEC_BD_TYPE2; type <= SEC_BD_TYPE3; type++) {
			const struct vector *v = &vectors[i];
			struct ask a;

			hex(at(r, AT_C_KEY), v->key);
			n = hex(iv, v->iv);
			aad = hex(in, v->aad);
			len = hex(in + aad, v->plain);
			tag_len = hex(tag, v->tag);
			if (v->mode == SEC_C_CCM)
				ccm_iv(r, iv, 15 - n, tag_len, aad, len);
			else
				gcm_iv(r, iv);
			memcpy(at(r, AT_SRC), in, aad + len);
			a = aead(type, v->alg, v->mode, v->key_len, true, aad, len, tag_len);
			if (type == SEC_BD_TYPE2 && !sec_has2(&a)) {
				EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(r, &a)) TH_LOG("%s", v->name);
				continue;
			}
			EXPECT_EQ(0, ask_do(r, &a)) TH_LOG("%s, type %u", v->name, type);
			EXPECT_EQ(0, memcmp(in, at(r, AT_DST), aad)) TH_LOG("%s, AAD", v->name);
			EXPECT_TRUE(is_hex(at(r, AT_DST) + aad, v->cipher)) TH_LOG("%s, type %u", v->name, type);
			EXPECT_TRUE(is_hex(at(r, AT_MAC), v->tag)) TH_LOG("%s, type %u, tag", v->name, type);
			memcpy(at(r, AT_SRC), at(r, AT_DST), aad + len);
			a = aead(type, v->alg, v->mode, v->key_len, false, aad, len, tag_len);
			EXPECT_EQ(0, ask_do(r, &a));
			EXPECT_EQ(0, memcmp(in, at(r, AT_DST), aad + len))
				TH_LOG("%s, type %u decrypts", v->name, type);
			at(r, AT_MAC)[tag_len - 1] ^= 1;
			EXPECT_EQ(SEC_RIG_MISMATCH, ask_do(r, &a)) TH_LOG("%s, type %u, wrong tag", v->name, type);
		}
}

struct message {
	unsigned char key[32], nonce[16], mac_key[128], *in, *out, tag[64];
	u32 aad, len, key_bytes, nonce_bytes, tag_bytes, mac_key_bytes;
};

static void message_make(struct message *m, u32 aad, u32 len)
{
	m->aad = aad;
	m->len = len;
	m->in = malloc(aad + len + 1);
	m->out = malloc(aad + len + 64);
	rnd_fill(m->in, aad + len);
	memcpy(m->out, m->in, aad);
	rnd_fill(m->key, sizeof(m->key));
	rnd_fill(m->nonce, sizeof(m->nonce));
	rnd_fill(m->mac_key, sizeof(m->mac_key));
}

static void message_free(struct message *m)
{
	free(m->in);
	free(m->out);
}

/* Encrypts by libcrypto. */
static bool libcrypto(struct message *m, bool ccm)
{
	static const char * const names[2][3] = {
		{ "AES-128-GCM", "AES-192-GCM", "AES-256-GCM" }, { "AES-128-CCM", "AES-192-CCM", "AES-256-CCM" }
	};
	const EVP_CIPHER *cipher = EVP_get_cipherbyname(names[ccm][m->key_bytes / 8 - 2]);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned char none[1];
	int n, ok;

	ok = EVP_EncryptInit_ex(c, cipher, NULL, NULL, NULL) &&
	     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, (int)m->nonce_bytes, NULL) &&
	     (!ccm || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)m->tag_bytes, NULL)) &&
	     EVP_EncryptInit_ex(c, NULL, NULL, m->key, m->nonce) &&
	     (!ccm || EVP_EncryptUpdate(c, NULL, &n, NULL, (int)m->len)) &&
	     (!m->aad || EVP_EncryptUpdate(c, NULL, &n, m->in, (int)m->aad)) &&
	     EVP_EncryptUpdate(c, m->len ? m->out + m->aad : none, &n, m->in + m->aad, (int)m->len) &&
	     EVP_EncryptFinal_ex(c, none, &n) &&
	     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, (int)m->tag_bytes, m->tag);
	EVP_CIPHER_CTX_free(c);
	return ok;
}

/* CBC, then HMAC over AAD and ciphertext. */
static bool libcrypto_authenc(struct message *m, const char *hash)
{
	static const char * const names[3] = { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC" };
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned int tag;
	int n, ok;

	ok = EVP_EncryptInit_ex(c, EVP_get_cipherbyname(names[m->key_bytes / 8 - 2]), NULL, m->key, m->nonce) &&
	     EVP_CIPHER_CTX_set_padding(c, 0) &&
	     EVP_EncryptUpdate(c, m->out + m->aad, &n, m->in + m->aad, (int)m->len) &&
	     HMAC(EVP_get_digestbyname(hash), m->mac_key, (int)m->mac_key_bytes, m->out, m->aad + m->len, m->tag, &tag);
	EVP_CIPHER_CTX_free(c);
	return ok;
}

/* Both directions through random memory: flat or lists, in place or not. */
static int both_ways(struct rig *r, struct ask *a, const struct message *m)
{
	u32 all = m->aad + m->len, way;
	u64 src = AT_SRC + rnd() % 64, dst = AT_DST + rnd() % 64;
	unsigned char *got = malloc(all + 1);
	int ret = 0;

	a->src_type = rnd() % 2;
	a->dst_type = rnd() % 2;
	a->in_place = rnd() % 2;
	for (way = 0; way < 2 && !ret; way++) {
		a->src = a->src_type ? AT_SGL : src;
		a->dst = a->dst_type ? AT_SGL + 8192 : dst;
		if (a->src_type) {
			sgl_make(r, AT_SGL, src, all ? all : 1);
			sgl_put(r, AT_SGL, way ? m->out : m->in, all);
		} else {
			memcpy(at(r, src), way ? m->out : m->in, all);
		}
		if (a->dst_type)
			sgl_make(r, AT_SGL + 8192, dst, all ? all : 1);
		a->cipher = way ? SEC_CIPHER_DECRYPT : SEC_CIPHER_ENCRYPT;
		a->seq = way;
		if (a->auth)
			a->auth = way ? SEC_AUTH_VERIFY : SEC_AUTH_CALCULATE;
		ret = ask_do(r, a);
		if (a->in_place ? a->src_type : a->dst_type)
			sgl_get(r, a->in_place ? AT_SGL : AT_SGL + 8192, got, all);
		else
			memcpy(got, at(r, a->in_place ? src : dst), all);
		if (!ret && (memcmp(got, way ? m->in : m->out, all) || memcmp(m->tag, at(r, AT_MAC), m->tag_bytes)))
			ret = -10 - (int)way;
	}
	/* Only the tag reveals a wrong key, nonce or text. */
	if (!ret && m->tag_bytes >= 8) {
		if (!a->src_type && all)
			at(r, src)[0] ^= 1;
		else
			at(r, AT_MAC)[rnd() % m->tag_bytes] ^= 0x10;
		if (a->in_place && !a->src_type && all) {
			memcpy(at(r, src), m->out, all);
			at(r, src)[rnd() % all] ^= 4;
		}
		ret = ask_do(r, a) == SEC_RIG_MISMATCH ? 0 : -20;
	}
	free(got);
	return ret;
}

static u32 random_length(u32 round)
{
	return round % 10 ? rnd() % 300 : rnd() % 100000;
}

TEST_F(dev, random_gcm_is_as_libcrypto_has_it)
{
	struct rig *r = &self->r;
	struct message m;
	struct ask a;
	u32 round;

	for (round = 0; round < 400; round++) {
		message_make(&m, round % 3 ? random_length(round) % SEC_MAX_AAD : 0, random_length(round + 1));
		m.len *= round > 3;
		m.key_bytes = 16 + rnd() % 3 * 8;
		m.nonce_bytes = 12;
		m.tag_bytes = 4 + rnd() % 13;
		gcm_iv(r, m.nonce);
		memcpy(at(r, AT_C_KEY), m.key, 32);
		ASSERT_TRUE(libcrypto(&m, false));
		a = aead(m.len ? 2 + rnd() % 2 : 3, SEC_C_AES, SEC_C_GCM, m.key_bytes / 8 - 2, true, m.aad, m.len,
			 m.tag_bytes);
		ASSERT_EQ(0, both_ways(r, &a, &m)) TH_LOG("AAD %u, data %u, tag %u", m.aad, m.len, m.tag_bytes);
		message_free(&m);
	}
}

TEST_F(dev, random_ccm_is_as_libcrypto_has_it)
{
	struct rig *r = &self->r;
	struct message m;
	struct ask a;
	u32 round, l;

	for (round = 0; round < 400; round++) {
		l = 2 + rnd() % 7;
		message_make(&m, round % 3 ? random_length(round) % SEC_MAX_CCM_AAD : 0,
			     random_length(round + 1) % (l == 2 ? 65536 : 1 << 24));
		m.len *= round > 3;
		m.key_bytes = 16 + rnd() % 3 * 8;
		m.nonce_bytes = 15 - l;
		m.tag_bytes = 4 + rnd() % 7 * 2;
		ccm_iv(r, m.nonce, l, m.tag_bytes, m.aad, m.len);
		memcpy(at(r, AT_C_KEY), m.key, 32);
		ASSERT_TRUE(libcrypto(&m, true));
		a = aead(m.len ? 2 + rnd() % 2 : 3, SEC_C_AES, SEC_C_CCM, m.key_bytes / 8 - 2, true, m.aad, m.len,
			 m.tag_bytes);
		ASSERT_EQ(0, both_ways(r, &a, &m))
			TH_LOG("AAD %u, data %u, tag %u, L %u", m.aad, m.len, m.tag_bytes, l);
		message_free(&m);
	}
}

TEST_F(dev, random_authenc_is_as_libcrypto_has_it)
{
	static const struct {
		const char *name;
		u32 alg, bytes, block;
	} hashes[] = {
		{ "SHA1", SEC_A_HMAC_SHA1, 20, 64 }, { "SHA256", SEC_A_HMAC_SHA256, 32, 64 },
		{ "SHA512", SEC_A_HMAC_SHA512, 64, 128 },
		{ "SM3", SEC_A_HMAC_SM3, 32, 64 },
	};
	struct rig *r = &self->r;
	struct message m;
	struct ask a;
	u32 round, i;

	for (round = 0; round < 400; round++) {
		i = round % 4;
		message_make(&m, random_length(round) % SEC_MAX_AAD, (1 + random_length(round) / 16) * 16);
		m.key_bytes = 16 + rnd() % 3 * 8;
		m.mac_key_bytes = 4 + rnd() % hashes[i].block / 4 * 4;
		m.tag_bytes = 4 + rnd() % hashes[i].bytes / 4 * 4;
		memcpy(at(r, AT_C_KEY), m.key, 32);
		memcpy(at(r, AT_A_KEY), m.mac_key, 128);
		memcpy(at(r, AT_C_IV), m.nonce, 16);
		ASSERT_TRUE(libcrypto_authenc(&m, hashes[i].name));
		a = aead(i == 3 ? 3 : 2 + rnd() % 2, SEC_C_AES, SEC_C_CBC, m.key_bytes / 8 - 2, true, m.aad + m.len,
			 m.len, 0);
		a.offset = m.aad;
		a.auth = SEC_AUTH_CALCULATE;
		a.a_alg = hashes[i].alg;
		a.mac_bytes = m.tag_bytes;
		a.a_key_bytes = m.mac_key_bytes;
		ASSERT_EQ(0, both_ways(r, &a, &m))
			TH_LOG("%s, AAD %u, data %u, tag %u", hashes[i].name, m.aad, m.len, m.tag_bytes);
		message_free(&m);
	}
}

TEST_F(dev, a_mismatch_comes_with_the_plaintext)
{
	struct rig *r = &self->r;
	struct ask a;
	unsigned char iv[12] = { 0 };

	gcm_iv(r, iv);
	memset(at(r, AT_C_KEY), 0, 16);
	hex(at(r, AT_SRC), "0388dace60b6a392f328c2b971b2fe78");
	memset(at(r, AT_MAC), 0, 16);
	memset(at(r, AT_DST), 0xff, 16);
	a = aead(3, SEC_C_AES, SEC_C_GCM, 0, false, 0, 16, 16);
	EXPECT_EQ(SEC_RIG_MISMATCH, ask_do(r, &a));
	EXPECT_TRUE(is_hex(at(r, AT_DST), "00000000000000000000000000000000"));
}

static void sec_clear64(struct sec_bd *bd, u32 dw)
{
	bd->dw[dw] = bd->dw[dw + 1] = 0;
}

/* UADK's request without data begins like the request with data, and keeps some of its fields. */
static void uadk_keeps(struct sec_bd *bd, u32 aad, bool encrypt)
{
	u32 seq = encrypt ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST;

	if (sec_get(bd, SEC_BD_TYPE) == SEC_BD_TYPE2) {
		sec_put(bd, SEC_BD2_DE, 1);
		sec_put(bd, SEC_BD2_CIPHER_SRC_OFFSET, aad);
		sec_put(bd, SEC_BD2_SEQ, seq);
		sec_clear64(bd, SEC_BD2_C_KEY);
		sec_clear64(bd, SEC_BD2_A_IVIN);
		return;
	}
	sec_put(bd, SEC_BD3_DE, 1);
	sec_put64(bd, SEC_BD3_DST, AT_DST);
	sec_put(bd, SEC_BD3_CIPHER_SRC_OFFSET, aad);
	sec_put(bd, SEC_BD3_SEQ, seq);
	sec_put(bd, SEC_BD3_C_MODE, SEC_C_GCM);
	sec_put(bd, SEC_BD3_C_ICV_LEN, 16);
}

/* One stream with its data in parts: the running hash is at AT_MAC, software keeps the counter. */
static int gcm_stream(struct rig *r, const struct message *m, u32 type, bool encrypt)
{
	struct ask a = { .type = type, .scene = SEC_SCENE_STREAM, .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_AES_GMAC,
			 .a_len = m->aad, .a_key_bytes = m->key_bytes, .mac_bytes = 16, .pad = SEC_PAD_NONE,
			 .mac_sel = 1 };
	const unsigned char *in = (encrypt ? m->in : m->out) + m->aad, *want = (encrypt ? m->out : m->in) + m->aad;
	u32 done, n, i, blocks = 1;
	struct sec_bd bd;
	int ret;

	memcpy(at(r, AT_SRC), m->in, m->aad);
	ask_fill(&bd, &a);
	uadk_keeps(&bd, m->aad, encrypt);
	ret = sec_do(r, &bd);
	a = (struct ask){ .type = type, .scene = SEC_SCENE_STREAM,
			  .cipher = encrypt ? SEC_CIPHER_ENCRYPT : SEC_CIPHER_DECRYPT, .c_alg = SEC_C_AES,
			  .c_mode = SEC_C_GCM, .c_key_len = m->key_bytes / 8 - 2, .ai_gen = SEC_GEN_ADDRESS,
			  .a_key_bytes = m->key_bytes, .pad = SEC_PAD_NONE, .mac_sel = 1, .a_iv = AT_MAC };
	for (done = 0; done < m->len && !ret; done += n) {
		n = (1 + rnd() % ((m->len - done) / 16)) * 16;
		memcpy(at(r, AT_SRC), in + done, n);
		memcpy(at(r, AT_C_IV), m->nonce, 12);
		for (i = 0; i < 4; i++)
			at(r, AT_C_IV)[15 - i] = (unsigned char)(blocks >> 8 * i);
		a.c_len = n;
		a.c_icv_len = type == SEC_BD_TYPE2 ? 16 : 0;
		ask_fill(&bd, &a);
		/* Without shared address spaces, software for type 2 gives the key in one place only. */
		if (type == SEC_BD_TYPE2 && rnd() % 2)
			sec_clear64(&bd, SEC_BD2_C_KEY);
		ret = sec_do(r, &bd);
		if (!ret && sec_get(&bd, SEC_BD_FLAG) != SEC_FLAG_AEAD)
			ret = -31;
		if (!ret && memcmp(want + done, at(r, AT_DST), n))
			ret = -30;
		blocks += n / 16;
	}
	return ret;
}

static void ecb(const unsigned char *key, u32 key_bytes, const unsigned char *in, unsigned char *out)
{
	static const char * const names[3] = { "AES-128-ECB", "AES-192-ECB", "AES-256-ECB" };
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	EVP_EncryptInit_ex(c, EVP_get_cipherbyname(names[key_bytes / 8 - 2]), NULL, key, NULL);
	EVP_EncryptUpdate(c, out, &n, in, 16);
	EVP_CIPHER_CTX_free(c);
}

/* One more block of GHASH than the device made: H times x, bit by bit. */
static void ghash(unsigned char *y, const unsigned char *block, const unsigned char *h)
{
	unsigned char v[16], z[16] = { 0 };
	u32 i, j, carry;

	memcpy(v, h, 16);
	for (i = 0; i < 16; i++)
		y[i] ^= block[i];
	for (i = 0; i < 128; i++) {
		for (j = 0; j < 16 && y[i / 8] >> (7 - i % 8) & 1; j++)
			z[j] ^= v[j];
		carry = v[15] & 1;
		for (j = 15; j; j--)
			v[j] = (unsigned char)(v[j] >> 1 | v[j - 1] << 7);
		v[0] = (unsigned char)(v[0] >> 1 ^ (carry ? 0xe1 : 0));
	}
	memcpy(y, z, 16);
}

/* The tag that software makes from the state after the last part. */
static void stream_tag(const struct message *m, unsigned char *y)
{
	unsigned char h[16] = { 0 }, lengths[16] = { 0 }, j0[16] = { [15] = 1 };
	u32 i;

	ecb(m->key, m->key_bytes, h, h);
	for (i = 0; i < 4; i++) {
		lengths[7 - i] = (unsigned char)((u64)m->aad * 8 >> 8 * i);
		lengths[15 - i] = (unsigned char)((u64)m->len * 8 >> 8 * i);
	}
	ghash(y, lengths, h);
	memcpy(j0, m->nonce, 12);
	ecb(m->key, m->key_bytes, j0, j0);
	for (i = 0; i < 16; i++)
		y[i] ^= j0[i];
}

TEST_F(dev, a_stream_of_gcm_is_as_libcrypto_has_the_whole)
{
	struct rig *r = &self->r;
	struct message m;
	u32 round;

	for (round = 0; round < 200; round++) {
		message_make(&m, 1 + rnd() % 300, (1 + rnd() % 300) * 16);
		m.key_bytes = 16 + rnd() % 3 * 8;
		m.nonce_bytes = 12;
		m.tag_bytes = 16;
		memcpy(at(r, AT_C_KEY), m.key, 32);
		memcpy(at(r, AT_A_KEY), m.key, 32);
		ASSERT_TRUE(libcrypto(&m, false));
		ASSERT_EQ(0, gcm_stream(r, &m, 2 + round / 2 % 2, round % 2));
		stream_tag(&m, at(r, AT_MAC));
		ASSERT_EQ(0, memcmp(m.tag, at(r, AT_MAC), 16)) TH_LOG("AAD %u, data %u", m.aad, m.len);
		message_free(&m);
	}
}

TEST_HARNESS_MAIN
