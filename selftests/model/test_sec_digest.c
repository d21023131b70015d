// SPDX-License-Identifier: Apache-2.0
/* The SEC engine's digests: published vectors, libcrypto for every length, messages in parts, MACs of AES. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include "sec_dev.h"

static const struct hash {
	const char *name;
	u32 alg, hmac, bytes, block, state;
	const char *abc;	/* FIPS 180, RFC 1321, GB/T 32905 */
} hashes[] = {
	{ "MD5", SEC_A_MD5, SEC_A_HMAC_MD5, 16, 64, 16, "900150983cd24fb0d6963f7d28e17f72" },
	{ "SHA1", SEC_A_SHA1, SEC_A_HMAC_SHA1, 20, 64, 20, "a9993e364706816aba3e25717850c26c9cd0d89d" },
	{ "SHA224", SEC_A_SHA224, SEC_A_HMAC_SHA224, 28, 64, 32,
	  "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7" },
	{ "SHA256", SEC_A_SHA256, SEC_A_HMAC_SHA256, 32, 64, 32,
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "SHA384", SEC_A_SHA384, SEC_A_HMAC_SHA384, 48, 128, 64,
	  "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7" },
	{ "SHA512", SEC_A_SHA512, SEC_A_HMAC_SHA512, 64, 128, 64,
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
	{ "SHA512-224", SEC_A_SHA512_224, SEC_A_HMAC_SHA512_224, 28, 128, 64,
	  "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa" },
	{ "SHA512-256", SEC_A_SHA512_256, SEC_A_HMAC_SHA512_256, 32, 128, 64,
	  "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23" },
	{ "SM3", SEC_A_SM3, SEC_A_HMAC_SM3, 32, 64, 32,
	  "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0" },
};

#define HASHES (sizeof(hashes) / sizeof(hashes[0]))

static void libcrypto(const struct hash *h, bool keyed, const unsigned char *key, u32 key_len, const unsigned char *in,
		      u32 len, unsigned char *out)
{
	unsigned int n;

	if (keyed)
		HMAC(EVP_get_digestbyname(h->name), key, (int)key_len, in, len, out, &n);
	else
		EVP_Digest(in, len, out, &n, EVP_get_digestbyname(h->name), NULL);
}

static struct ask digest(const struct hash *h, bool keyed, u32 len)
{
	return (struct ask){ .type = SEC_BD_TYPE3, .auth = SEC_AUTH_CALCULATE, .a_alg = keyed ? h->hmac : h->alg,
			     .mac_bytes = h->bytes, .a_len = len };
}

TEST_F(dev, published_vectors_by_both_types)
{
	struct rig *r = &self->r;
	struct ask a;
	u32 i;

	memcpy(at(r, AT_SRC), "abc", 3);
	for (i = 0; i < HASHES; i++) {
		a = digest(&hashes[i], false, 3);
		for (a.type = SEC_BD_TYPE2; a.type <= SEC_BD_TYPE3; a.type++) {
			memset(at(r, AT_MAC), 0xaa, 80);
			EXPECT_EQ(0, ask_do(r, &a)) TH_LOG("%s", hashes[i].name);
			EXPECT_TRUE(is_hex(at(r, AT_MAC), hashes[i].abc)) TH_LOG("%s", hashes[i].name);
			EXPECT_EQ(0xaa, at(r, AT_MAC)[hashes[i].bytes]);
		}
	}
}

TEST_F(dev, an_empty_message_has_a_digest_by_type_3_only)
{
	struct rig *r = &self->r;
	struct ask a = digest(&hashes[3], false, 0);

	EXPECT_EQ(0, ask_do(r, &a));
	EXPECT_TRUE(is_hex(at(r, AT_MAC), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
	a.type = SEC_BD_TYPE2;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(r, &a));
}

/* RFC 4231, test case 2 */
TEST_F(dev, hmac_has_the_published_value)
{
	struct rig *r = &self->r;
	struct ask a = digest(&hashes[3], true, 28);

	memcpy(at(r, AT_A_KEY), "Jefe", 4);
	memcpy(at(r, AT_SRC), "what do ya want for nothing?", 28);
	a.a_key_bytes = 4;
	EXPECT_EQ(0, ask_do(r, &a));
	EXPECT_TRUE(is_hex(at(r, AT_MAC), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
}

static void compare(struct __test_metadata *_metadata, struct rig *r, const struct hash *h, bool keyed, u32 len)
{
	struct ask a = digest(h, keyed, len);
	unsigned char want[64], *in = malloc(len + 1), key[128];
	u64 src = AT_SRC + rnd() % 64;

	a.type = len ? 2 + rnd() % 2 : 3;
	a.scene = rnd() % 2 ? SEC_SCENE_IPSEC : SEC_SCENE_COMMON;
	a.src_type = rnd() % 2;
	a.mac_bytes = 4 + rnd() % h->bytes / 4 * 4;
	a.a_key_bytes = keyed ? 4 + rnd() % h->block / 4 * 4 : 0;
	rnd_fill(key, sizeof(key));
	rnd_fill(in, len);
	memcpy(at(r, AT_A_KEY), key, sizeof(key));
	a.src = a.src_type ? AT_SGL : src;
	if (a.src_type) {
		sgl_make(r, AT_SGL, src, len ? len : 1);
		sgl_put(r, AT_SGL, in, len);
	} else {
		memcpy(at(r, src), in, len);
	}
	libcrypto(h, keyed, key, a.a_key_bytes, in, len, want);
	ASSERT_EQ(0, ask_do(r, &a)) TH_LOG("%s %u", h->name, len);
	ASSERT_EQ(0, memcmp(want, at(r, AT_MAC), a.mac_bytes))
		TH_LOG("%s%s, %u bytes", keyed ? "HMAC-" : "", h->name, len);
	free(in);
}

TEST_F(dev, random_messages_are_as_libcrypto_has_them)
{
	u32 i, round;

	for (i = 0; i < HASHES; i++) {
		for (round = 0; round < 260; round++)
			compare(_metadata, &self->r, &hashes[i], round % 2, round);
		for (round = 0; round < 20; round++)
			compare(_metadata, &self->r, &hashes[i], round % 2, rnd() % 200000);
	}
}

/* One message in parts, as software sends it. */
static int in_parts(struct rig *r, const struct hash *h, bool keyed, u32 type, const unsigned char *in, u32 len,
		    u32 key_bytes)
{
	struct ask a = digest(h, keyed, 0);
	u32 done = 0, n, parts = 0;
	int ret = 0;

	a.type = type;
	a.scene = type == SEC_BD_TYPE3 ? SEC_SCENE_STREAM : SEC_SCENE_IPSEC;
	a.a_key_bytes = key_bytes;
	a.a_iv = AT_MAC;
	while (!ret && len - done > h->block) {
		n = (1 + rnd() % ((len - done) / h->block)) * h->block;
		n = n > 50000 ? 50048 - 50048 % h->block : n;
		memcpy(at(r, AT_SRC), in + done, n);
		a.a_len = n;
		a.pad = SEC_PAD_NONE;
		a.ai_gen = parts++ ? SEC_GEN_ADDRESS : SEC_GEN_STANDARD;
		a.mac_bytes = !keyed && rnd() % 2 ? 0 : h->bytes;
		ret = ask_do(r, &a);
		done += n;
	}
	if (ret || !parts)
		return ret ? ret : -2;
	memcpy(at(r, AT_SRC), in + done, len - done);
	a.a_len = len - done;
	a.pad = SEC_PAD_DEVICE;
	a.ai_gen = SEC_GEN_ADDRESS;
	a.mac_bytes = h->bytes;
	a.total = len;
	return ask_do(r, &a);
}

TEST_F(dev, a_message_in_parts_has_the_digest_of_the_whole)
{
	struct rig *r = &self->r;
	unsigned char *in = malloc(300000), key[128], want[64];
	u32 i, round, len, key_bytes;

	for (i = 0; i < HASHES; i++)
		for (round = 0; round < 60; round++) {
			len = hashes[i].block + 1 + rnd() % (round < 50 ? 3000 : 290000);
			/* The last part may be empty. */
			len -= round % 5 ? 0 : len % hashes[i].block;
			len += len <= hashes[i].block ? hashes[i].block : 0;
			key_bytes = round % 2 ? 4 + rnd() % hashes[i].block / 4 * 4 : 0;
			rnd_fill(in, len);
			rnd_fill(key, sizeof(key));
			memcpy(at(r, AT_A_KEY), key, sizeof(key));
			libcrypto(&hashes[i], round % 2, key, key_bytes, in, len, want);
			ASSERT_EQ(0, in_parts(r, &hashes[i], round % 2, 2 + rnd() % 2, in, len, key_bytes))
				TH_LOG("%s %u", hashes[i].name, len);
			ASSERT_EQ(0, memcmp(want, at(r, AT_MAC), hashes[i].bytes))
				TH_LOG("%s, %u bytes", hashes[i].name, len);
		}
	free(in);
}

TEST_F(dev, a_part_leaves_the_whole_state_of_a_truncated_hash)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < HASHES; i++) {
		struct ask a = digest(&hashes[i], false, hashes[i].block);

		a.pad = SEC_PAD_NONE;
		a.scene = SEC_SCENE_STREAM;
		memset(at(r, AT_MAC), 0, 80);
		ASSERT_EQ(0, ask_do(r, &a));
		EXPECT_NE(0, at(r, AT_MAC)[hashes[i].state - 1] | at(r, AT_MAC)[hashes[i].state - 2]);
		EXPECT_EQ(0, at(r, AT_MAC)[hashes[i].state]);
	}
}

static struct ask mac(u32 alg, u32 len)
{
	return (struct ask){
		.type = SEC_BD_TYPE3, .auth = SEC_AUTH_CALCULATE, .a_alg = alg, .mac_bytes = 16, .a_key_bytes = 16,
		.a_len = len
	};
}

TEST_F(dev, macs_of_aes_have_the_published_values)
{
	static const struct {
		u32 alg, mac_bytes;
		const char *key, *in, *mac;
	} v[] = {
		/* RFC 3566 */
		{ SEC_A_AES_XCBC, 16, "000102030405060708090a0b0c0d0e0f", "000102",
		  "5b376580ae2f19afe7219ceef172756f" },
		{ SEC_A_AES_XCBC, 16, "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f",
		  "d2a246fa349b68a79998a4394ff7a263" },
		{ SEC_A_AES_XCBC, 12, "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f10111213",
		  "47f51b4564966215b8985c63" },
		{ SEC_A_AES_XCBC, 16, "000102030405060708090a0b0c0d0e0f",
		  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		  "f54f0ec8d2b9f3d36807734bd5283fd4" },
		/* RFC 4493 */
		{ SEC_A_AES_CMAC, 16, "2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a",
		  "070a16b46b4d4144f79bdd9dd04a287c" },
		{ SEC_A_AES_CMAC, 16, "2b7e151628aed2a6abf7158809cf4f3c",
		  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
		  "dfa66747de9ae63030ca32611497c827" },
	};
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct ask a = mac(v[i].alg, hex(at(r, AT_SRC), v[i].in));

		hex(at(r, AT_A_KEY), v[i].key);
		a.mac_bytes = v[i].mac_bytes;
		EXPECT_EQ(0, ask_do(r, &a));
		EXPECT_TRUE(is_hex(at(r, AT_MAC), v[i].mac)) TH_LOG("vector %u", i);
	}
}

static void libcrypto_mac(const char *name, const unsigned char *key, u32 key_bytes, const unsigned char *iv,
			  const unsigned char *in, u32 len, unsigned char *out)
{
	static char cbc[] = "AES-128-CBC", gcm[3][12] = { "AES-128-GCM", "AES-192-GCM", "AES-256-GCM" };
	EVP_MAC *m = EVP_MAC_fetch(NULL, name, NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(m);
	size_t n;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, iv ? gcm[key_bytes / 8 - 2] : cbc, 0),
		iv ? OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, (void *)iv, 12) : OSSL_PARAM_construct_end(),
		OSSL_PARAM_construct_end(),
	};

	EVP_MAC_init(c, key, key_bytes, params);
	EVP_MAC_update(c, in, len);
	EVP_MAC_final(c, out, &n, 16);
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(m);
}

TEST_F(dev, random_cmacs_and_gmacs_are_as_libcrypto_has_them)
{
	struct rig *r = &self->r;
	unsigned char key[32], iv[12], want[16];
	u32 round, len;

	for (round = 0; round < 300; round++) {
		bool gmac = round % 2;
		struct ask a = mac(gmac ? SEC_A_AES_GMAC : SEC_A_AES_CMAC,
				   len = (round < 250 ? round : rnd() % 100000) + !gmac);

		a.ai_gen = gmac;
		a.a_key_bytes = gmac ? 16 + rnd() % 3 * 8 : 16;
		rnd_fill(key, 32);
		rnd_fill(iv, 12);
		rnd_fill(at(r, AT_SRC), len);
		memcpy(at(r, AT_A_KEY), key, 32);
		memcpy(at(r, AT_A_IV), iv, 12);
		libcrypto_mac(gmac ? "GMAC" : "CMAC", key, a.a_key_bytes, gmac ? iv : NULL, at(r, AT_SRC), len, want);
		ASSERT_EQ(0, ask_do(r, &a)) TH_LOG("%u", len);
		ASSERT_EQ(0, memcmp(want, at(r, AT_MAC), 16)) TH_LOG("%s, %u bytes", gmac ? "GMAC" : "CMAC", len);
	}
}

TEST_HARNESS_MAIN
