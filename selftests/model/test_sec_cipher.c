// SPDX-License-Identifier: Apache-2.0
/* The SEC engine's plain ciphers: published vectors, and libcrypto for every length; flat, lists, in place. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include "block_answers.h"
#include "sec_dev.h"

struct vector {
	const char *name;
	u32 alg, mode, width, key_len, ctr_xts;
	const char *key, *iv, *plain, *cipher;
};

#define CTS_KEY "636869636b656e207465726979616b69"
#define CTS_IV "00000000000000000000000000000000"

static const struct vector vectors[] = {
	/* SP 800-38A */
	{ "ECB-AES128", SEC_C_AES, SEC_C_ECB, 0, 0, 0,
	  K128, "", F4, "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf"
			"43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4" },
	{ "ECB-AES256", SEC_C_AES, SEC_C_ECB, 0, 2, 0,
	  K256, "", F4, "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870"
			"b6ed21b99ca6f4f9f153e7b1beafed1d 23304b7a39f9f3ff067d8d8f9e24ecc7" },
	{ "CBC-AES128", SEC_C_AES, SEC_C_CBC, 0, 0, 0, K128, F_IV, F4, CBC_AES128 },
	{ "CBC-AES192", SEC_C_AES, SEC_C_CBC, 0, 1, 0, K192, F_IV, F4, CBC_AES192 },
	{ "CBC-AES256", SEC_C_AES, SEC_C_CBC, 0, 2, 0, K256, F_IV, F4, CBC_AES256 },
	{ "CFB128-AES128", SEC_C_AES, SEC_C_CFB, 0, 0,
	  0, K128, F_IV, F4, "3b3fd92eb72dad20333449f8e83cfb4a c8a64537a0b3a93fcde3cdad9f1ce58b"
			     "26751f67a3cbb140b1808cf187a4f4df c04b05357c5d1c0eeac4c66f9ff7f2e6" },
	{ "OFB-AES128", SEC_C_AES, SEC_C_OFB, 0, 0, 0,
	  K128, F_IV, F4, "3b3fd92eb72dad20333449f8e83cfb4a 7789508d16918f03f53c52dac54ed825"
			  "9740051e9c5fecf64344f7a82260edcc 304c6528f659c77866a510d9c1d6ae5e" },
	{ "CTR-AES128", SEC_C_AES, SEC_C_CTR, 0, 0, 2, K128, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", F4,
	  "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff "
	  "5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee" },
	/* IEEE 1619: vectors 2, 15 */
	{ "XTS-AES128", SEC_C_AES, SEC_C_XTS, 0, 0, 0,
	  "1111111111111111111111111111111122222222222222222222222222222222", "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0" },
	{ "XTS-AES128, stealing", SEC_C_AES, SEC_C_XTS, 0, 0, 0,
	  "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a785634120000000000000000000000",
	  "000102030405060708090a0b0c0d0e0f10", "6c1625db4671522d3d7599601de7ca09ed" },
	/* RFC 3962's keys and texts; its ciphertext is of CS3 */
	{ "CBC-CS3 17", SEC_C_AES, SEC_C_CBC_CS, 3, 0, 0, CTS_KEY, CTS_IV, "4920776f756c64206c696b652074686520",
	  "c6353568f2bf8cb4d8a580362da7ff7f97" },
	{ "CBC-CS3 32", SEC_C_AES, SEC_C_CBC_CS, 3, 0, 0, CTS_KEY, CTS_IV,
	  "4920776f756c64206c696b65207468652047656e6572616c2047617527732043",
	  "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584" },
	{ "CBC-CS2 17", SEC_C_AES, SEC_C_CBC_CS, 2, 0, 0, CTS_KEY, CTS_IV, "4920776f756c64206c696b652074686520",
	  "c6353568f2bf8cb4d8a580362da7ff7f97" },
	{ "CBC-CS2 32", SEC_C_AES, SEC_C_CBC_CS, 2, 0, 0, CTS_KEY, CTS_IV,
	  "4920776f756c64206c696b65207468652047656e6572616c2047617527732043",
	  "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a8" },
	{ "CBC-CS1 17", SEC_C_AES, SEC_C_CBC_CS, 1, 0, 0, CTS_KEY, CTS_IV, "4920776f756c64206c696b652074686520",
	  "97c6353568f2bf8cb4d8a580362da7ff7f" },
	/* SP 800-67's example of 3DES */
	{ "ECB-3DES", SEC_C_3DES, SEC_C_ECB, 0, 1, 0, "0123456789abcdef23456789abcdef01456789abcdef0123", "",
	  "5468652071756663 6b2062726f776e20 666f78206a756d70", "a826fd8ce53b855f cce21c8112256fe6 68d5c05dd9b6b900" },
	{ "ECB-DES", SEC_C_DES, SEC_C_ECB, 0, 1, 0, "0123456789abcdef", "", "4e6f772069732074", "3fa40e8a984d4815" },
	/* GB/T 32907, GB/T 17964 and the internet draft of SM4 */
	{ "ECB-SM4", SEC_C_SM4, SEC_C_ECB, 0, 0, 0, SM4_KEY, "", SM4_KEY, "681edf34d206965e86b3e94f536e4246" },
	{ "CBC-SM4", SEC_C_SM4, SEC_C_CBC, 0, 0, 0, SM4_KEY, F_IV, SM4_TEXT, CBC_SM4 },
	{ "CTR-SM4", SEC_C_SM4, SEC_C_CTR, 0, 0, 2, SM4_KEY, F_IV,
	  "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
	  "eeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb",
	  "ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7"
	  "f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514" },
	{ "XTS-SM4, IEEE", SEC_C_SM4, SEC_C_XTS, 0, 0, 0, XTS_SM4_KEY, XTS_SM4_TWEAK, XTS_SM4_TEXT, XTS_SM4_IEEE },
	{ "XTS-SM4, GB", SEC_C_SM4, SEC_C_XTS, 0, 0, SEC_XTS_SM4_GB, XTS_SM4_KEY, XTS_SM4_TWEAK, XTS_SM4_TEXT,
	  XTS_SM4_GB },
};

TEST_F(dev, published_vectors_by_both_types)
{
	struct rig *r = &self->r;
	unsigned char plain[128];
	u32 i, type;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		for (type = SEC_BD_TYPE2; type <= SEC_BD_TYPE3; type++) {
			const struct vector *v = &vectors[i];
			struct ask a = { .type = type, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = v->alg, .c_mode = v->mode,
					 .c_width = v->width, .c_key_len = v->key_len, .ctr_xts = v->ctr_xts };

			if (type == SEC_BD_TYPE2 && v->ctr_xts == SEC_XTS_SM4_GB)
				continue;
			hex(at(r, AT_C_KEY), v->key);
			hex(at(r, AT_C_IV), v->iv);
			a.c_len = hex(plain, v->plain);
			memcpy(at(r, AT_SRC), plain, a.c_len);
			if (type == SEC_BD_TYPE2 && !sec_has2(&a)) {
				EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(r, &a)) TH_LOG("%s", v->name);
				continue;
			}
			EXPECT_EQ(0, ask_do(r, &a)) TH_LOG("%s, type %u", v->name, type);
			EXPECT_TRUE(is_hex(at(r, AT_DST), v->cipher)) TH_LOG("%s, type %u", v->name, type);
			hex(at(r, AT_SRC), v->cipher);
			a.cipher = SEC_CIPHER_DECRYPT;
			EXPECT_EQ(0, ask_do(r, &a));
			EXPECT_EQ(0, memcmp(at(r, AT_DST), plain, a.c_len))
				TH_LOG("%s, type %u decrypts", v->name, type);
		}
}

/* libcrypto's name of the device's algorithm. */
struct mode {
	const char *name;
	u32 alg, mode, width, key_len, key_bytes, step, least;
};

static const struct mode modes[] = {
	{ "AES-128-ECB", SEC_C_AES, SEC_C_ECB, 0, 0, 16, 16, 16 },
	{ "AES-192-CBC", SEC_C_AES, SEC_C_CBC, 0, 1, 24, 16, 16 },
	{ "AES-256-CBC", SEC_C_AES, SEC_C_CBC, 0, 2, 32, 16, 16 },
	{ "AES-128-CFB", SEC_C_AES, SEC_C_CFB, 0, 0, 16, 1, 1 },
	{ "AES-192-OFB", SEC_C_AES, SEC_C_OFB, 0, 1, 24, 1, 1 },
	{ "AES-256-CTR", SEC_C_AES, SEC_C_CTR, 0, 2, 32, 1, 1 },
	{ "AES-128-XTS", SEC_C_AES, SEC_C_XTS, 0, 0, 32, 1, 16 },
	{ "AES-256-XTS", SEC_C_AES, SEC_C_XTS, 0, 2, 64, 1, 16 },
	{ "AES-128-CBC-CTS", SEC_C_AES, SEC_C_CBC_CS, 1, 0, 16, 1, 17 },
	{ "AES-192-CBC-CTS", SEC_C_AES, SEC_C_CBC_CS, 2, 1, 24, 1, 17 },
	{ "AES-256-CBC-CTS", SEC_C_AES, SEC_C_CBC_CS, 3, 2, 32, 1, 17 },
	{ "DES-EDE3-CBC", SEC_C_3DES, SEC_C_CBC, 0, 1, 24, 8, 8 },
	{ "DES-EDE-CBC", SEC_C_3DES, SEC_C_CBC, 0, 3, 16, 8, 8 },
	{ "SM4-ECB", SEC_C_SM4, SEC_C_ECB, 0, 0, 16, 16, 16 },
	{ "SM4-CBC", SEC_C_SM4, SEC_C_CBC, 0, 0, 16, 16, 16 },
	{ "SM4-CFB", SEC_C_SM4, SEC_C_CFB, 0, 0, 16, 1, 1 },
	{ "SM4-OFB", SEC_C_SM4, SEC_C_OFB, 0, 0, 16, 1, 1 },
	{ "SM4-CTR", SEC_C_SM4, SEC_C_CTR, 0, 0, 16, 1, 1 },
};

static int libcrypto(const struct mode *t, bool encrypt, const unsigned char *key, const unsigned char *iv,
		     const unsigned char *in, unsigned char *out, u32 len)
{
	static char cs[][4] = { "", "CS1", "CS2", "CS3" };
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, t->name, NULL);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, cs[t->width], 0),
		OSSL_PARAM_construct_end(),
	};
	int n = 0, ok = cipher && EVP_CipherInit_ex2(c, cipher, key, iv, encrypt, t->width ? params : NULL) &&
			EVP_CIPHER_CTX_set_padding(c, 0) && EVP_CipherUpdate(c, out, &n, in, (int)len);

	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	return ok ? n : -1;
}

static u32 length(const struct mode *t, u32 most)
{
	u32 len = t->least + rnd() % (most - t->least);

	return len - len % t->step;
}

static void compare(struct __test_metadata *_metadata, struct rig *r, const struct mode *t, u32 len)
{
	unsigned char key[64], iv[16], *in = malloc(len), *out = malloc(len + 64), *got = malloc(len);
	struct ask a = { .type = 3, .cipher = 1 + rnd() % 2, .c_alg = t->alg, .c_mode = t->mode, .c_width = t->width,
			 .c_key_len = t->key_len, .c_len = len, .scene = rnd() % 2, .src_type = rnd() % 2,
			 .dst_type = rnd() % 2 };
	u64 src = AT_SRC + rnd() % 64, dst = AT_DST + rnd() % 64;

	if (sec_has2(&a))
		a.type = 2 + rnd() % 2;
	a.in_place = rnd() % 3 == 0;
	a.ctr_xts = a.type == SEC_BD_TYPE3 ? SEC_CTR_ROLLOVER_128 : 0;
	rnd_fill(key, sizeof(key));
	rnd_fill(iv, sizeof(iv));
	if (rnd() % 4 == 0)
		memset(iv + 8, 0xff, 8);
	rnd_fill(in, len);
	memcpy(at(r, AT_C_KEY), key, sizeof(key));
	memcpy(at(r, AT_C_IV), iv, sizeof(iv));
	a.src = a.src_type ? AT_SGL : src;
	a.dst = a.dst_type ? AT_SGL + 8192 : dst;
	if (a.src_type)
		sgl_make(r, AT_SGL, src, len);
	if (a.dst_type)
		sgl_make(r, AT_SGL + 8192, dst, len);
	if (a.src_type)
		sgl_put(r, AT_SGL, in, len);
	else
		memcpy(at(r, src), in, len);
	ASSERT_EQ((int)len, libcrypto(t, a.cipher == SEC_CIPHER_ENCRYPT, key, iv, in, out, len))
		TH_LOG("%s %u", t->name, len);
	ASSERT_EQ(0, ask_do(r, &a)) TH_LOG("%s %u", t->name, len);
	if (a.in_place ? a.src_type : a.dst_type)
		sgl_get(r, a.in_place ? AT_SGL : AT_SGL + 8192, got, len);
	else
		memcpy(got, at(r, a.in_place ? src : dst), len);
	ASSERT_EQ(0, memcmp(out, got, len)) TH_LOG("%s, %u bytes", t->name, len);
	free(in);
	free(out);
	free(got);
}

TEST_F(dev, random_requests_are_as_libcrypto_has_them)
{
	u32 i, round;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		for (round = 0; round < 100; round++)
			compare(_metadata, &self->r, &modes[i], length(&modes[i], 300));
		for (round = 0; round < 12; round++)
			compare(_metadata, &self->r, &modes[i], length(&modes[i], 200000));
	}
}

/* Lengths at the ends of the device's own pieces. */
TEST_F(dev, every_length_around_the_pieces_of_the_device)
{
	u32 i, len;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		for (len = 32768 - 20; len < 32768 + 40; len++)
			if (len % modes[i].step == 0)
				compare(_metadata, &self->r, &modes[i], len);
}

TEST_F(dev, the_longest_request)
{
	struct rig *r = &self->r;
	struct ask a = { .type = SEC_BD_TYPE3, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CTR,
			 .c_len = SEC_MAX_BYTES, .ctr_xts = SEC_CTR_ROLLOVER_128 };
	unsigned char key[64], iv[16], *out = malloc(SEC_MAX_BYTES);

	rnd_fill(key, 64);
	rnd_fill(iv, 16);
	memcpy(at(r, AT_C_KEY), key, 64);
	memcpy(at(r, AT_C_IV), iv, 16);
	rnd_fill(at(r, AT_SRC), SEC_MAX_BYTES);
	ASSERT_EQ(0, ask_do(r, &a));
	libcrypto(&(struct mode){ .name = "AES-128-CTR" }, true, key, iv, at(r, AT_SRC), out, SEC_MAX_BYTES);
	EXPECT_EQ(0, memcmp(out, at(r, AT_DST), SEC_MAX_BYTES));
	free(out);
}

/* Whatever the key length's code is, and wherever old software puts it. */
TEST_F(dev, des_has_one_key_size)
{
	struct rig *r = &self->r;
	struct ask a = { .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_DES, .c_mode = SEC_C_ECB, .c_len = 8 };

	hex(at(r, AT_C_KEY), "0123456789abcdef");
	hex(at(r, AT_SRC), "4e6f772069732074");
	for (a.type = SEC_BD_TYPE2; a.type <= SEC_BD_TYPE3; a.type++)
		for (a.c_key_len = 0; a.c_key_len < 4; a.c_key_len++) {
			EXPECT_EQ(0, ask_do(r, &a));
			EXPECT_TRUE(is_hex(at(r, AT_DST), "3fa40e8a984d4815"));
		}
	a.c_key_len = 0;
	a.c_icv_len = SEC_C_KEY_DES;
	a.type = SEC_BD_TYPE2;
	EXPECT_EQ(0, ask_do(r, &a));
	a.type = SEC_BD_TYPE3;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &a));
}

TEST_F(dev, a_counter_that_wraps_its_last_word_must_say_how)
{
	struct rig *r = &self->r;
	struct ask a = {
		.type = SEC_BD_TYPE3, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CTR, .c_len = 32
	};

	hex(at(r, AT_C_IV), "000000000000000000000000ffffffff");
	EXPECT_EQ(SEC_ERR_VALUE, ask_do(r, &a));
	a.ctr_xts = SEC_CTR_ROLLOVER_128;
	EXPECT_EQ(0, ask_do(r, &a));
	a.ctr_xts = 0;
	a.c_len = 16;
	EXPECT_EQ(0, ask_do(r, &a));
}

TEST_F(dev, an_invalid_descriptor_completes_and_does_nothing)
{
	struct rig *r = &self->r;
	struct ask a = {
		.type = SEC_BD_TYPE3, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CTR, .c_len = 32
	};
	struct sec_bd bd;

	memset(at(r, AT_DST), 0x55, 32);
	ask_fill(&bd, &a);
	sec_put(&bd, SEC_BD3_INVALID, 1);
	EXPECT_EQ(0, sec_do(r, &bd));
	a.type = SEC_BD_TYPE2;
	ask_fill(&bd, &a);
	sec_put(&bd, SEC_BD2_INVALID, 1);
	EXPECT_EQ(0, sec_do(r, &bd));
	EXPECT_TRUE(is_hex(at(r, AT_DST), "55555555555555555555555555555555"));
}

TEST_HARNESS_MAIN
