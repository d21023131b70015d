// SPDX-License-Identifier: Apache-2.0
/* Ciphers against published vectors, in both directions, in place, and cut out of larger memory at odd addresses. */
#include "block_answers.h"
#include "crypto_test.h"
#include "sm4_modes.h"
#include "vectors.h"
#include "harness_long.h"

struct job {
	int alg;
	int mode;
	int ran;
	int unsupported;
};

/* One direction: into other memory, then in place, at an odd address. */
static bool one_way(handle_t h, int op, const struct bytes *iv, const struct bytes *in, const struct bytes *want)
{
	unsigned char *buf = malloc(in->len + 3);
	bool good;
	int ret;

	ret = cipher_do(h, op, iv->at, iv->len, in->at, in->len, buf + 1);
	good = !ret && !memcmp(buf + 1, want->at, want->len);
	memcpy(buf + 1, in->at, in->len);
	ret = cipher_do(h, op, iv->at, iv->len, buf + 1, in->len, buf + 1);
	good = good && !ret && !memcmp(buf + 1, want->at, want->len);
	if (ret)
		fprintf(stderr, "# %d: %s\n", ret, detail(h));
	free(buf);
	return good;
}

static bool both_ways(struct job *j, const struct bytes *key, const struct bytes *iv, const struct bytes *plain,
		      const struct bytes *secret)
{
	handle_t h = cipher_keyed(j->alg, j->mode, key->at, key->len, 0);
	bool good;

	if (!h) {
		j->unsupported += errno == EOPNOTSUPP;
		return errno == EOPNOTSUPP;
	}
	good = one_way(h, WD_CIPHER_ENCRYPTION, iv, plain, secret) &&
	       one_way(h, WD_CIPHER_DECRYPTION, iv, secret, plain);
	j->ran++;
	return !wd_cipher_free_sess(h) && good;
}

static bool nist_record(void *arg, struct vec *v)
{
	struct job *j = arg;
	struct bytes key = vec_bytes(v, vec_text(v, "KEYs") ? "KEYs" : "KEY"), iv = vec_bytes(v, "IV");
	struct bytes plain = vec_bytes(v, "PLAINTEXT"), secret = vec_bytes(v, "CIPHERTEXT");
	bool good;

	/* Three keys in separate lines, or one key for all three. */
	if (j->alg == WD_CIPHER_3DES) {
		const char *k1 = vec_text(v, vec_text(v, "KEYs") ? "KEYs" : "KEY1");
		const char *k2 = vec_text(v, "KEY2") ? vec_text(v, "KEY2") : k1,
			   *k3 = vec_text(v, "KEY3") ? vec_text(v, "KEY3") : k1;
		char all[64];

		snprintf(all, sizeof(all), "%s%s%s", k1, k2, k3);
		free(key.at);
		key = bytes_of(all);
	}
	if (j->mode == WD_CIPHER_ECB)
		iv.len = 0;
	good = both_ways(j, &key, &iv, &plain, &secret);
	free(key.at);
	free(iv.at);
	free(plain.at);
	free(secret.at);
	return good;
}

/* Data units of whole bytes only. */
static bool xts_record(void *arg, struct vec *v)
{
	struct bytes key = vec_bytes(v, "Key"), iv = vec_bytes(v, "i"), plain = vec_bytes(v, "PT"),
		     secret = vec_bytes(v, "CT");
	bool good = vec_number(v, "DataUnitLen") % 8 || both_ways(arg, &key, &iv, &plain, &secret);

	free(key.at);
	free(iv.at);
	free(plain.at);
	free(secret.at);
	return good;
}

static void run(struct __test_metadata *_metadata, struct job j, const char *const names[], const char *last,
		vec_call_t *call)
{
	VEC_FILES(names, last, call, &j);
	if (!j.ran && j.unsupported)
		SKIP(return, "neither a device nor libcrypto supports it: %s", detail(0));
	EXPECT_LT(0, j.ran);
}

#define NIST(name, alg_, mode_, ...) \
TEST(name) \
{ \
	static const char *const names[] = { __VA_ARGS__, NULL }; \
	run(_metadata, (struct job){ .alg = alg_, .mode = mode_ }, names, "CIPHERTEXT", nist_record); \
}

#define SIZES(dir, what) dir what "128.rsp", dir what "192.rsp", dir what "256.rsp"
#define ALL_OF(mode, file) \
	SIZES("ciphers/AES/" mode "/", file "GFSbox"), SIZES("ciphers/AES/" mode "/", file "KeySbox"), \
	SIZES("ciphers/AES/" mode "/", file "MMT"), SIZES("ciphers/AES/" mode "/", file "VarKey"), \
	SIZES("ciphers/AES/" mode "/", file "VarTxt")

NIST(aes_ecb, WD_CIPHER_AES, WD_CIPHER_ECB, ALL_OF("ECB", "ECB"))
NIST(aes_cbc, WD_CIPHER_AES, WD_CIPHER_CBC, ALL_OF("CBC", "CBC"))
NIST(aes_cfb, WD_CIPHER_AES, WD_CIPHER_CFB, ALL_OF("CFB", "CFB128"))
NIST(aes_ofb, WD_CIPHER_AES, WD_CIPHER_OFB, ALL_OF("OFB", "OFB"))
NIST(aes_ctr_of_rfc_3686, WD_CIPHER_AES, WD_CIPHER_CTR, "ciphers/AES/CTR/aes-128-ctr.txt",
     "ciphers/AES/CTR/aes-192-ctr.txt", "ciphers/AES/CTR/aes-256-ctr.txt")
NIST(triple_des_ecb, WD_CIPHER_3DES, WD_CIPHER_ECB, "ciphers/3DES/ECB/TECBMMT1.rsp", "ciphers/3DES/ECB/TECBMMT2.rsp",
     "ciphers/3DES/ECB/TECBMMT3.rsp", "ciphers/3DES/ECB/TECBvarkey.rsp", "ciphers/3DES/ECB/TECBsubtab.rsp")
NIST(triple_des_cbc, WD_CIPHER_3DES, WD_CIPHER_CBC, "ciphers/3DES/CBC/TCBCMMT1.rsp", "ciphers/3DES/CBC/TCBCMMT2.rsp",
     "ciphers/3DES/CBC/TCBCMMT3.rsp", "ciphers/3DES/CBC/TCBCvarkey.rsp", "ciphers/3DES/CBC/TCBCpermop.rsp")
#define SM4(mode) "ciphers/SM4/draft-ribose-cfrg-sm4-10-" mode ".txt"
NIST(sm4_ecb, WD_CIPHER_SM4, WD_CIPHER_ECB, SM4("ecb"))
NIST(sm4_cbc, WD_CIPHER_SM4, WD_CIPHER_CBC, SM4("cbc"))
NIST(sm4_cfb, WD_CIPHER_SM4, WD_CIPHER_CFB, SM4("cfb"))
NIST(sm4_ofb, WD_CIPHER_SM4, WD_CIPHER_OFB, SM4("ofb"))
NIST(sm4_ctr, WD_CIPHER_SM4, WD_CIPHER_CTR, SM4("ctr"))

TEST(aes_xts)
{
	static const char *const names[] = {
		"ciphers/AES/XTS/tweak-128hexstr/XTSGenAES128.rsp", "ciphers/AES/XTS/tweak-128hexstr/XTSGenAES256.rsp",
		NULL
	};

	run(_metadata, (struct job){ .alg = WD_CIPHER_AES, .mode = WD_CIPHER_XTS }, names, "CT", xts_record);
}

/* --- ciphertext stealing: RFC 3962, appendix B (CS3); CS1 and CS2 order the same blocks differently --- */

struct cts_vector {
	const char *plain;
	const char *cs3;
};

static const struct cts_vector cts_vectors[] = {
	{ "4920776f756c64206c696b652074686520", "c6353568f2bf8cb4d8a580362da7ff7f97" },
	{ "4920776f756c64206c696b65207468652047656e6572616c20476175277320",
	  "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5" },
	{ "4920776f756c64206c696b65207468652047656e6572616c2047617527732043",
	  "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584" },
	{ "4920776f756c64206c696b65207468652047656e6572616c20476175277320436869636b656e2c20706c656173652c",
	  "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5" },
	{ "4920776f756c64206c696b65207468652047656e6572616c20476175277320436869636b656e2c20706c656173652c20",
	  "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8" },
	{ "4920776f756c64206c696b65207468652047656e6572616c2047617527732043"
	  "6869636b656e2c20706c656173652c20616e6420776f6e746f6e20736f75702e",
	  "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a8"
	  "4807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8" },
};

/* Swaps the last two blocks: for CS1 always, for CS2 when the data ends with a whole block. */
static void unswap(struct bytes *c)
{
	size_t d = (c->len - 1) % 16 + 1, at = c->len - d - 16;
	unsigned char last[32];

	memcpy(last, c->at + at + 16, d);
	memcpy(last + d, c->at + at, 16);
	memcpy(c->at + at, last, d + 16);
}

static void stealing(struct __test_metadata *_metadata, int mode)
{
	static const unsigned char key[] = "chicken teriyaki", zeroes[16];
	struct bytes iv = { (unsigned char *)zeroes, 16, true };
	handle_t h = cipher_keyed(WD_CIPHER_AES, mode, key, 16, 0);
	unsigned int i;

	ASSERT_NE(0, h);
	for (i = 0; i < sizeof(cts_vectors) / sizeof(cts_vectors[0]); i++) {
		struct bytes plain = bytes_of(cts_vectors[i].plain), secret = bytes_of(cts_vectors[i].cs3);

		if (mode == WD_CIPHER_CBC_CS1 || (mode == WD_CIPHER_CBC_CS2 && !(plain.len % 16)))
			unswap(&secret);
		EXPECT_TRUE(one_way(h, WD_CIPHER_ENCRYPTION, &iv, &plain, &secret)) TH_LOG("vector %u", i);
		EXPECT_TRUE(one_way(h, WD_CIPHER_DECRYPTION, &iv, &secret, &plain)) TH_LOG("vector %u", i);
		free(plain.at);
		free(secret.at);
	}
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST(aes_cbc_cs1_of_rfc_3962)
{
	stealing(_metadata, WD_CIPHER_CBC_CS1);
}

TEST(aes_cbc_cs2_of_rfc_3962)
{
	stealing(_metadata, WD_CIPHER_CBC_CS2);
}

TEST(aes_cbc_cs3_of_rfc_3962)
{
	stealing(_metadata, WD_CIPHER_CBC_CS3);
}

/* --- SM4 in modes that only devices have --- */

TEST(sm4_xts_with_the_tweaks_of_ieee_1619)
{
	struct bytes key = bytes_of(XTS_SM4_KEY), iv = bytes_of(XTS_SM4_TWEAK), plain = bytes_of(XTS_SM4_TEXT),
		     ct = bytes_of(XTS_SM4_IEEE);
	struct job j = { .alg = WD_CIPHER_SM4, .mode = WD_CIPHER_XTS };
	unsigned char expected[64];

	EXPECT_TRUE(both_ways(&j, &key, &iv, &plain, &ct));
	ecb_xts(key.at, iv.at, plain.at, plain.len, expected);
	EXPECT_EQ(0, memcmp(expected, ct.at, ct.len));
	free(key.at);
	free(iv.at);
	free(plain.at);
	free(ct.at);
	if (j.unsupported)
		SKIP(return, "%s", detail(0));
}

/* There are no published vectors: the expected values come from CBC and the definition of stealing. */
static void sm4_stealing(struct __test_metadata *_metadata, int mode)
{
	struct bytes key = bytes_of(SM4_KEY), iv = bytes_of(F_IV), plain = bytes_of(F4), ct = bytes_of(F4);
	struct job j = { .alg = WD_CIPHER_SM4, .mode = mode };
	unsigned int cs = 1 + (unsigned int)(mode - WD_CIPHER_CBC_CS1);

	for (; plain.len >= 16; plain.len--) {
		ct.len = plain.len;
		ecb_cbc_cs(cs, key.at, iv.at, plain.at, plain.len, ct.at);
		EXPECT_TRUE(both_ways(&j, &key, &iv, &plain, &ct)) TH_LOG("CS%u of %zu bytes", cs, plain.len);
	}
	free(key.at);
	free(iv.at);
	free(plain.at);
	free(ct.at);
	if (j.unsupported)
		SKIP(return, "%s", detail(0));
}

TEST(sm4_cbc_cs1_as_it_is_defined)
{
	sm4_stealing(_metadata, WD_CIPHER_CBC_CS1);
}

TEST(sm4_cbc_cs2_as_it_is_defined)
{
	sm4_stealing(_metadata, WD_CIPHER_CBC_CS2);
}

TEST(sm4_cbc_cs3_as_it_is_defined)
{
	sm4_stealing(_metadata, WD_CIPHER_CBC_CS3);
}

/* --- Wycheproof --- */

/* The file has tweaks shorter than a block, and keys with equal halves, which the library refuses. */
static bool wyche_xts(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes key = json_bytes(test, "key"), iv = json_bytes(test, "iv"), msg = json_bytes(test, "msg"),
		     ct = json_bytes(test, "ct");
	unsigned char whole[16] = { 0 };
	struct bytes tweak = { whole, 16, true };
	bool good = true;

	(void)group;
	memcpy(whole, iv.at, iv.len < 16 ? iv.len : 16);
	if (msg.len >= 16 && key.len != 48 && !strcmp(json_text(test, "result"), "valid"))
		good = both_ways(arg, &key, &tweak, &msg, &ct);
	free(key.at);
	free(iv.at);
	free(msg.at);
	free(ct.at);
	return good;
}

/* The vectors have padding, which the library leaves to its caller. */
static bool wyche_cbc(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes key = json_bytes(test, "key"), iv = json_bytes(test, "iv"), msg = json_bytes(test, "msg"),
		     ct = json_bytes(test, "ct");
	size_t pad = 16 - msg.len % 16;
	bool good = true;

	(void)group;
	msg.at = realloc(msg.at, msg.len + pad);
	memset(msg.at + msg.len, (int)pad, pad);
	msg.len += pad;
	if (!strcmp(json_text(test, "result"), "valid"))
		good = both_ways(arg, &key, &iv, &msg, &ct);
	free(key.at);
	free(iv.at);
	free(msg.at);
	free(ct.at);
	return good;
}

static void wyche(struct __test_metadata *_metadata, int mode, const char *name, wyche_call_t *call)
{
	struct job j = { .alg = WD_CIPHER_AES, .mode = mode };

	WYCHE(name, call, &j);
	EXPECT_LT(0, j.ran);
}

TEST(wycheproof_aes_xts)
{
	wyche(_metadata, WD_CIPHER_XTS, "aes_xts_test", wyche_xts);
}

TEST(wycheproof_aes_cbc_pkcs5)
{
	wyche(_metadata, WD_CIPHER_CBC, "aes_cbc_pkcs5_test", wyche_cbc);
}

TEST_HARNESS_MAIN
