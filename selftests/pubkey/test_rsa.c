// SPDX-License-Identifier: Apache-2.0
/* RSA against published vectors, generated keys, and refusals. */
#include <openssl/bn.h>
#include <openssl/evp.h>

#include "rsa_test.h"
#include "kselftest_harness.h"

/* --- PKCS #1, as the vectors need it --- */

static const struct {
	const char *wyche, *nist, *evp, *der;
} hashes[] = {
	{ "SHA-1", "SHA1", "SHA1", "3021300906052b0e03021a05000414" },
	{ "SHA-224", "SHA224", "SHA224", "302d300d06096086480165030402040500041c" },
	{ "SHA-256", "SHA256", "SHA256", "3031300d060960864801650304020105000420" },
	{ "SHA-384", "SHA384", "SHA384", "3041300d060960864801650304020205000430" },
	{ "SHA-512", "SHA512", "SHA512", "3051300d060960864801650304020305000440" },
	{ "SHA-512/224", "SHA512224", "SHA512-224", "302d300d06096086480165030402050500041c" },
	{ "SHA-512/256", "SHA512256", "SHA512-256", "3031300d060960864801650304020605000420" },
	{ "SHA3-224", "", "SHA3-224", "302d300d06096086480165030402070500041c" },
	{ "SHA3-256", "", "SHA3-256", "3031300d060960864801650304020805000420" },
	{ "SHA3-384", "", "SHA3-384", "3041300d060960864801650304020905000430" },
	{ "SHA3-512", "", "SHA3-512", "3051300d060960864801650304020a05000440" },
};

static bool padded(unsigned char *em, size_t k, const char *hash, const struct bytes *msg)
{
	unsigned char digest[64];
	struct bytes der;
	unsigned int n, i;
	size_t at;

	for (i = 0; strcmp(hash, hashes[i].wyche) && strcmp(hash, hashes[i].nist); i++)
		if (i + 1 == sizeof(hashes) / sizeof(hashes[0]))
			return false;
	if (!EVP_Digest(msg->at, msg->len, digest, &n, EVP_get_digestbyname(hashes[i].evp), NULL))
		return false;
	der = bytes_of(hashes[i].der);
	at = k - n - der.len;
	memset(em, 0xff, k);
	em[0] = 0;
	em[1] = 1;
	em[at - 1] = 0;
	memcpy(em + at, der.at, der.len);
	memcpy(em + at + der.len, digest, n);
	free(der.at);
	return true;
}

/* Signing gives sig, and verifying gives em again. */
static bool signs(handle_t h, const unsigned char *em, const struct bytes *sig, size_t k)
{
	unsigned char out[RSA_MAX], back[RSA_MAX];
	size_t len = sizeof(out), back_len = sizeof(back);

	if (rsa_do(h, WD_RSA_SIGN, em, k, out, &len) || len != k || sig->len != k || memcmp(out, sig->at, k)) {
		printf("# %s\n", detail(h));
		return false;
	}
	return !rsa_do(h, WD_RSA_VERIFY, out, k, back, &back_len) && back_len == k && !memcmp(back, em, k);
}

/* --- signatures: n, e, d --- */

static bool sign_case(struct bytes b[5], const char *hash)
{
	unsigned char em[RSA_MAX];
	struct wd_rsa_key key = { .n = number_of(&b[0]), .e = number_of(&b[1]), .d = number_of(&b[2]) };
	size_t k = b[4].len;
	handle_t h = rsa_open((unsigned int)k * 8, WD_SYNC, 0);
	bool good = h && !wd_rsa_set_key(h, &key) && padded(em, k, hash, &b[3]) && signs(h, em, &b[4], k);

	wd_rsa_free_sess(h);
	release(b, 5);
	return good;
}

static bool wyche_sign(void *arg, struct json_object *group, struct json_object *test)
{
	struct json_object *key;
	struct bytes b[5];

	if (!json_object_object_get_ex(group, "privateKey", &key))
		return false;
	b[0] = json_bytes(key, "modulus");
	b[1] = json_bytes(key, "publicExponent");
	b[2] = json_bytes(key, "privateExponent");
	b[3] = json_bytes(test, "msg");
	b[4] = json_bytes(test, "sig");
	return sign_case(b, json_text(group, "sha"));
}

TEST(wycheproof_signatures_of_1024_bits)
{
	WYCHE("rsa_pkcs1_1024_sig_gen_test", wyche_sign, NULL);
}

TEST(wycheproof_signatures_of_2048_bits)
{
	WYCHE("rsa_pkcs1_2048_sig_gen_test", wyche_sign, NULL);
}

TEST(wycheproof_signatures_of_3072_bits)
{
	WYCHE("rsa_pkcs1_3072_sig_gen_test", wyche_sign, NULL);
}

TEST(wycheproof_signatures_of_4096_bits)
{
	WYCHE("rsa_pkcs1_4096_sig_gen_test", wyche_sign, NULL);
}

/* A public key only. */
static bool nist_verify(void *arg, struct vec *v)
{
	struct bytes b[4] = { vec_bytes(v, "n"), vec_bytes(v, "e"), vec_bytes(v, "Msg"), vec_bytes(v, "S") };
	struct wd_rsa_key key = { .n = number_of(&b[0]), .e = number_of(&b[1]) };
	unsigned char em[RSA_MAX], out[RSA_MAX];
	size_t k = b[3].len, len = sizeof(out);
	handle_t h = rsa_open((unsigned int)k * 8, WD_SYNC, 0);
	bool good;

	/* An unsupported size. */
	if (k == 192)
		good = !h && errno == EINVAL;
	else
		good = h && !wd_rsa_set_key(h, &key) && padded(em, k, vec_text(v, "SHAAlg"), &b[2]) &&
		       !rsa_do(h, WD_RSA_VERIFY, b[3].at, k, out, &len) && len == k && !memcmp(em, out, k);
	wd_rsa_free_sess(h);
	release(b, 4);
	return good;
}

TEST(nist_signatures)
{
	static const char *const files[] = { "asymmetric/RSA/FIPS_186-2/SigGen15_186-3.rsp", NULL };

	VEC_FILES(files, "S", nist_verify, NULL);
}

/* --- decryption, by both kinds of private key --- */

struct both {
	handle_t crt, plain;
	struct json_object *group;
};

static bool both_keys(struct both *x, struct json_object *key)
{
	static const char *const names[] = {
		"modulus", "publicExponent", "privateExponent", "prime1", "prime2", "exponent1", "exponent2",
		"coefficient",
	};
	struct bytes b[8];
	struct wd_rsa_key k;
	unsigned int i;
	bool good;

	for (i = 0; i < 8; i++)
		b[i] = json_bytes(key, names[i]);
	k = (struct wd_rsa_key){ .n = number_of(&b[0]), .e = number_of(&b[1]), .d = number_of(&b[2]) };
	good = !wd_rsa_set_key(x->plain, &k);
	k.p = number_of(&b[3]);
	k.q = number_of(&b[4]);
	k.dp = number_of(&b[5]);
	k.dq = number_of(&b[6]);
	k.qinv = number_of(&b[7]);
	good &= !wd_rsa_set_key(x->crt, &k);
	release(b, 8);
	return good;
}

static bool unpadded(const unsigned char *em, size_t k, const struct bytes *msg)
{
	size_t at = k - msg->len, i;

	if (em[0] || em[1] != 2 || em[at - 1] || memcmp(em + at, msg->at, msg->len))
		return false;
	for (i = 2; i + 1 < at; i++)
		if (!em[i])
			return false;
	return at >= 11;
}

static bool wyche_decrypt(void *arg, struct json_object *group, struct json_object *test)
{
	unsigned char a[RSA_MAX], b[RSA_MAX];
	size_t a_len = sizeof(a), b_len = sizeof(b);
	struct json_object *key;
	struct both *x = arg;
	struct bytes ct = json_bytes(test, "ct"), msg = json_bytes(test, "msg");
	bool good = true;
	int ret, plain;

	if (x->group != group) {
		x->group = group;
		good = json_object_object_get_ex(group, "privateKey", &key) && both_keys(x, key);
	}
	ret = rsa_do(x->crt, WD_RSA_SIGN, ct.at, ct.len, a, &a_len);
	plain = rsa_do(x->plain, WD_RSA_SIGN, ct.at, ct.len, b, &b_len);
	good &= ret == plain;
	/* The library refuses operands of a wrong length, or above the modulus: all of these are invalid. */
	if (ret)
		good &= ret == -EINVAL && strcmp(json_text(test, "result"), "valid");
	else
		good &= a_len == 256 && b_len == 256 && !memcmp(a, b, 256) &&
			(strcmp(json_text(test, "result"), "valid") || unpadded(a, 256, &msg));
	free(ct.at);
	free(msg.at);
	return good;
}

TEST(wycheproof_decryption_is_the_same_with_and_without_the_primes)
{
	struct both x = { .crt = rsa_open(2048, WD_SYNC, 0), .plain = rsa_open(2048, WD_SYNC, 0) };

	WYCHE("rsa_pkcs1_2048_test", wyche_decrypt, &x);
	EXPECT_EQ(0, wd_rsa_free_sess(x.crt));
	EXPECT_EQ(0, wd_rsa_free_sess(x.plain));
}

/* --- keys from primes --- */

FIXTURE(rsa) {
	struct rsa_parts parts;
	struct wd_rsa_key key;
	handle_t h;
};

FIXTURE_SETUP(rsa)
{
	ASSERT_EQ(0, rsa_parts_own(&self->parts)) TH_LOG("%s", detail(0));
	self->key = rsa_key_of(&self->parts, true, true);
	self->h = rsa_open(1024, WD_SYNC, 0);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, wd_rsa_set_key(self->h, &self->key)) TH_LOG("%s", detail(self->h));
}

FIXTURE_TEARDOWN(rsa)
{
	EXPECT_EQ(0, wd_rsa_free_sess(self->h));
}

TEST_F(rsa, a_key_made_of_primes_signs_and_verifies)
{
	unsigned char m[128], sig[128], back[128], plain[128];
	size_t len;
	int i;

	for (i = 0; i < 20; i++) {
		fill_noise(m, sizeof(m), i + 1);
		m[0] = 0;
		self->key = rsa_key_of(&self->parts, true, true);
		ASSERT_EQ(0, wd_rsa_set_key(self->h, &self->key));
		len = 128;
		ASSERT_EQ(0, rsa_do(self->h, WD_RSA_SIGN, m, 128, sig, &len));
		len = 128;
		ASSERT_EQ(0, rsa_do(self->h, WD_RSA_VERIFY, sig, 128, back, &len));
		ASSERT_EQ(0, memcmp(m, back, 128));
		self->key = rsa_key_of(&self->parts, true, false);
		ASSERT_EQ(0, wd_rsa_set_key(self->h, &self->key));
		len = 128;
		ASSERT_EQ(0, rsa_do(self->h, WD_RSA_SIGN, m, 128, plain, &len));
		ASSERT_EQ(0, memcmp(sig, plain, 128));
	}
}

TEST_F(rsa, both_forms_of_a_made_key_are_the_same)
{
	unsigned char in[256], d_n[256];
	size_t len = sizeof(d_n);

	memcpy(in, self->parts.e, 128);
	memcpy(in + 128, self->parts.p_q, 128);
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_GENKEY, in, 256, d_n, &len));
	EXPECT_EQ(256, len);
	EXPECT_EQ(0, memcmp(d_n, self->parts.out, 256));
}

TEST(an_exponent_of_65_bits_goes_with_4096_bits)
{
	handle_t h = rsa_open(4096, WD_SYNC, 0);
	unsigned char n[512], m[512] = { 0 }, out[512];
	struct wd_rsa_key key = { .n = number(n, 512), .e = number("\1\0\0\0\0\0\0\0\5", 9) };
	size_t len = sizeof(out);

	/* Modulo 2^4096 - 1, exponents of 2 can be reduced modulo 4096. */
	memset(n, 0xff, sizeof(n));
	m[511] = 2;
	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_rsa_set_key(h, &key)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, rsa_do(h, WD_RSA_VERIFY, m, 512, out, &len)) TH_LOG("%s", detail(h));
	m[511] = 32;
	EXPECT_EQ(0, memcmp(m, out, 512));
	EXPECT_EQ(0, wd_rsa_free_sess(h));
}

TEST_F(rsa, the_smallest_and_largest_operands_are_operands)
{
	unsigned char m[128] = { 0 }, out[128], last[128];
	const unsigned char *n = self->parts.out + 128;
	int op;

	memcpy(last, n, 128);
	last[127]--;
	for (op = WD_RSA_SIGN; op <= WD_RSA_VERIFY; op++) {
		size_t len = 128;

		m[127] = 0;
		ASSERT_EQ(0, rsa_do(self->h, op, m, 128, out, &len));
		EXPECT_EQ(0, memcmp(m, out, 128));
		m[127] = 1;
		ASSERT_EQ(0, rsa_do(self->h, op, m, 128, out, &len));
		EXPECT_EQ(0, memcmp(m, out, 128));
		/* -1 to an odd power */
		ASSERT_EQ(0, rsa_do(self->h, op, last, 128, out, &len));
		EXPECT_EQ(0, memcmp(last, out, 128));
	}
}

TEST_F(rsa, src_and_dst_may_be_the_same)
{
	unsigned char m[128], was[128];
	size_t len = 128;

	fill_noise(m, sizeof(m), 3);
	m[0] = 0;
	memcpy(was, m, 128);
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_SIGN, m, 128, m, &len));
	EXPECT_NE(0, memcmp(m, was, 128));
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_VERIFY, m, 128, m, &len));
	EXPECT_EQ(0, memcmp(m, was, 128));
}

TEST_F(rsa, numbers_of_a_key_may_begin_with_zeroes)
{
	unsigned char n[140] = { 0 }, e[3] = { 1, 0, 1 }, m[128] = { 0 }, a[128], b[128];
	struct wd_rsa_key key = { .n = number(n, 140), .e = number(e, 3) };
	size_t len = 128;

	memcpy(n + 12, self->parts.out + 128, 128);
	m[5] = 9;
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_VERIFY, m, 128, a, &len));
	ASSERT_EQ(0, wd_rsa_set_key(self->h, &key)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_VERIFY, m, 128, b, &len));
	EXPECT_EQ(0, memcmp(a, b, 128));
}

/* --- refusals --- */

TEST(a_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_rsa_sess_setup good = { .key_bits = 2048 }, setup;

	NO_SESSION(EINVAL, wd_rsa_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(wd_rsa_alloc_sess, setup.key_bits = 0, EINVAL, "key_bits");
	BAD_SETUP(wd_rsa_alloc_sess, setup.key_bits = 512, EINVAL, "key_bits is 512");
	BAD_SETUP(wd_rsa_alloc_sess, setup.key_bits = 1536, EINVAL, "key_bits");
	BAD_SETUP(wd_rsa_alloc_sess, setup.key_bits = 2047, EINVAL, "key_bits");
	BAD_SETUP(wd_rsa_alloc_sess, setup.key_bits = 8192, EINVAL, "key_bits");
	BAD_SETUP(wd_rsa_alloc_sess, setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(wd_rsa_alloc_sess, setup.reserved8 = 1, EINVAL, "reserved8");
	BAD_SETUP(wd_rsa_alloc_sess, setup.reserved16 = 1, EINVAL, "reserved16");
	BAD_SETUP(wd_rsa_alloc_sess, setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(wd_rsa_alloc_sess, setup.reserved[2] = 1, EINVAL, "reserved[2]");
}

#define BAD_KEY(change, word) do { \
	key = self->key; \
	change; \
	REFUSED(EINVAL, self->h, wd_rsa_set_key(self->h, &key), word); \
} while (0)

/* Replaces a part of the key by the same number with one bit flipped. */
#define TURNED(part, bit) \
	(memcpy(other, key.part.data, key.part.len), other[key.part.len - 1] ^= (bit), key.part.data = other)

TEST_F(rsa, keys_with_parts_missing_or_wrong_are_refused_and_the_key_before_stays)
{
	unsigned char other[RSA_MAX], zero[128] = { 0 }, m[128] = { 0, 7 }, a[128], b[128];
	struct wd_rsa_key key;
	size_t len = 128;

	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_SIGN, m, 128, a, &len));
	REFUSED(EINVAL, self->h, wd_rsa_set_key(self->h, NULL), "key is NULL");
	BAD_KEY(key.n = number(NULL, 0), "n is missing");
	BAD_KEY(key.e = number(NULL, 0), "e is missing");
	BAD_KEY(key.e = number(zero, 0), "e has no bytes");
	BAD_KEY(key.d = number(NULL, 0), "d is missing");
	BAD_KEY(key.p = number(NULL, 0), "p is missing");
	BAD_KEY(key.q = number(NULL, 0), "q is missing");
	BAD_KEY(key.dp = number(NULL, 0), "dp is missing");
	BAD_KEY(key.dq = number(NULL, 0), "dq is missing");
	BAD_KEY(key.qinv = number(NULL, 0), "qinv is missing");
	BAD_KEY(key.reserved[3] = 1, "reserved[3]");
	BAD_KEY(key.n.len = 127, "n has 1016 bits");
	BAD_KEY(TURNED(n, 1), "n is even");
	BAD_KEY(TURNED(n, 2), "n is not p times q");
	BAD_KEY(TURNED(e, 1), "e is even, or 1");
	BAD_KEY(key.e = number("\1", 1), "e is even, or 1");
	BAD_KEY(key.e = key.n, "e is not below");
	BAD_KEY(key.d = number(zero, 128), "d is below 2");
	BAD_KEY(key.d = key.n, "d is below 2, or not below the modulus");
	BAD_KEY(TURNED(d, 2), "is not d modulo");
	BAD_KEY(TURNED(p, 1), "even");
	BAD_KEY(key.p = key.q, "the same");
	BAD_KEY(key.p = key.n, "p is longer than 64 bytes");
	BAD_KEY(TURNED(dp, 2), "dp is not");
	BAD_KEY(TURNED(dq, 2), "dq is not");
	BAD_KEY(TURNED(qinv, 2), "qinv is not");
	BAD_KEY(key.e = number("\3", 1), "inverse of e");
	ASSERT_EQ(0, rsa_do(self->h, WD_RSA_SIGN, m, 128, b, &len));
	EXPECT_EQ(0, memcmp(a, b, 128));
}

TEST_F(rsa, a_private_exponent_that_is_no_inverse_is_refused_without_the_primes_as_well)
{
	struct wd_rsa_key key = rsa_key_of(&self->parts, true, false);
	unsigned char other[RSA_MAX];

	EXPECT_EQ(0, wd_rsa_set_key(self->h, &key)) TH_LOG("%s", detail(self->h));
	TURNED(d, 2);
	REFUSED(EINVAL, self->h, wd_rsa_set_key(self->h, &key), "d is not an inverse of e");
	key = rsa_key_of(&self->parts, true, false);
	key.e = number("\3", 1);
	REFUSED(EINVAL, self->h, wd_rsa_set_key(self->h, &key), "d is not an inverse of e");
}

/* Makes n, modulo which 2 is a square, and d, wrong by half of the group's exponent. False: try again. */
static bool half_off(BN_CTX *ctx, unsigned char *n_field, unsigned char *d_field)
{
	BIGNUM *p = BN_CTX_get(ctx), *q = BN_CTX_get(ctx), *n = BN_CTX_get(ctx), *l = BN_CTX_get(ctx),
	       *gcd = BN_CTX_get(ctx);
	BIGNUM *e = BN_CTX_get(ctx), *d = BN_CTX_get(ctx), *eight = BN_CTX_get(ctx), *seven = BN_CTX_get(ctx);

	if (!seven || !BN_set_word(eight, 8) || !BN_set_word(seven, 7) || !BN_set_word(e, 65537) ||
	    !BN_generate_prime_ex(p, 512, 0, eight, seven, NULL) ||
	    !BN_generate_prime_ex(q, 512, 0, eight, seven, NULL) || !BN_mul(n, p, q, ctx) || BN_num_bits(n) != 1024)
		return false;
	BN_sub_word(p, 1);
	BN_sub_word(q, 1);
	if (!BN_gcd(gcd, p, q, ctx) || !BN_mul(l, p, q, ctx) || !BN_div(l, NULL, l, gcd, ctx) ||
	    !BN_mod_inverse(d, e, l, ctx))
		return false;
	BN_rshift1(l, l);
	return BN_add(d, d, l) && BN_cmp(d, n) < 0 && BN_bn2binpad(n, n_field, 128) == 128 &&
	       BN_bn2binpad(d, d_field, 128) == 128;
}

TEST_F(rsa, a_private_exponent_that_is_off_by_half_is_no_inverse)
{
	unsigned char n[128], d[128];
	struct wd_rsa_key key = { .n = number(n, 128), .e = number("\1\0\1", 3), .d = number(d, 128) };
	BN_CTX *ctx = BN_CTX_new();
	int tries;
	bool good = false;

	for (tries = 0; ctx && !good && tries < 50; tries++) {
		BN_CTX_start(ctx);
		good = half_off(ctx, n, d);
		BN_CTX_end(ctx);
	}
	BN_CTX_free(ctx);
	ASSERT_TRUE(good);
	REFUSED(EINVAL, self->h, wd_rsa_set_key(self->h, &key), "d is not an inverse of e");
}

TEST_F(rsa, a_public_key_signs_nothing_and_no_key_does_nothing)
{
	handle_t h = rsa_open(1024, WD_SYNC, 0);
	struct wd_rsa_key key = rsa_key_of(&self->parts, false, false);
	unsigned char m[128] = { 0 }, out[128];
	size_t len = 128;

	REFUSED(EINVAL, h, rsa_do(h, WD_RSA_VERIFY, m, 128, out, &len), "no key");
	EXPECT_EQ(0, len);
	ASSERT_EQ(0, wd_rsa_set_key(h, &key));
	len = 128;
	REFUSED(EINVAL, h, rsa_do(h, WD_RSA_SIGN, m, 128, out, &len), "private key");
	len = 128;
	EXPECT_EQ(0, rsa_do(h, WD_RSA_VERIFY, m, 128, out, &len));
	EXPECT_EQ(0, wd_rsa_free_sess(h));
}

TEST_F(rsa, operands_that_are_none_are_refused)
{
	const unsigned char *n = self->parts.out + 128;
	unsigned char m[129] = { 0 }, out[128], over[128];
	size_t len = 128;
	int op;

	for (op = WD_RSA_SIGN; op <= WD_RSA_VERIFY; op++) {
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, n, 128, out, &len), "not below the modulus");
		len = 128;
		memset(over, 0xff, 128);
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, over, 128, out, &len), "not below the modulus");
		len = 128;
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, m, 127, out, &len), "src_len is 127");
		len = 128;
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, m, 129, out, &len), "src_len is 129");
		len = 128;
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, NULL, 128, out, &len), "src is NULL");
		len = 128;
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, m, 128, NULL, &len), "dst is NULL");
		REFUSED(EINVAL, self->h, rsa_do(self->h, op, m, 128, out, NULL), "dst_len is NULL");
		len = 127;
		REFUSED(ENOSPC, self->h, rsa_do(self->h, op, m, 128, out, &len), "room for 127");
		EXPECT_EQ(0, len);
		len = 128;
		REFUSED(EFAULT, self->h, rsa_do(self->h, op, (void *)4096, 128, out, &len), "mapped");
		len = 128;
		EXPECT_EQ(-EFAULT, rsa_do(self->h, op, m, 128, (void *)4096, &len));
		len = 128;
	}
	REFUSED(EINVAL, self->h, rsa_do(self->h, 4, m, 128, out, &len), "op 4 is unknown");
}

TEST_F(rsa, primes_that_make_no_key_are_refused)
{
	unsigned char in[256], out[448];
	size_t len = sizeof(out), i;
	static const struct {
		int at, value;
		const char *word;
	} bad[] = { { 127, 2, "e is even" }, { 191, 2, "p or q is even" }, { 255, 2, "p or q is even" },
		    { 128, 0, "bits" } };

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(in, self->parts.e, 128);
		memcpy(in + 128, self->parts.p_q, 128);
		in[bad[i].at] = (unsigned char)bad[i].value;
		REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY_CRT, in, 256, out, &len), bad[i].word);
		len = sizeof(out);
	}
	memcpy(in, self->parts.e, 128);
	memcpy(in + 128, self->parts.p_q, 64);
	memcpy(in + 192, self->parts.p_q, 64);
	REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY, in, 256, out, &len), "the same");
	memcpy(in + 128, self->parts.p_q, 128);
	/* A factor of p - 1. */
	memset(in, 0, 128);
	in[127] = 3;
	len = sizeof(out);
	REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY, in, 256, out, &len), "in common");
	len = sizeof(out);
	REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY, in, 255, out, &len), "src_len is 255");
	len = 255;
	REFUSED(ENOSPC, self->h, rsa_do(self->h, WD_RSA_GENKEY, in, 256, out, &len), "room");
	/* Both multiples of 3. */
	memcpy(in, self->parts.e, 128);
	in[191] = 0x05;
	in[255] = 0x01;
	len = sizeof(out);
	REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY, in, 256, out, &len), "p and q have a factor in common");
	len = sizeof(out);
	REFUSED(EINVAL, self->h, rsa_do(self->h, WD_RSA_GENKEY_CRT, in, 256, out, &len),
		"p and q have a factor in common");
}

TEST_F(rsa, members_that_are_unknown_are_refused)
{
	unsigned char m[128] = { 0 };
	size_t len = 128;
	struct wd_rsa_arg good = { .src = m, .src_len = 128, .dst = m, .dst_len = &len, .op = WD_RSA_VERIFY },
			  arg = good;
	handle_t a = rsa_open(1024, WD_ASYNC, 0);

	arg.flags = 1;
	REFUSED(EINVAL, self->h, wd_rsa_sync(self->h, &arg), "flags");
	arg = good;
	arg.reserved32 = 1;
	REFUSED(EINVAL, self->h, wd_rsa_sync(self->h, &arg), "reserved32");
	arg = good;
	arg.reserved[1] = 1;
	REFUSED(EINVAL, self->h, wd_rsa_sync(self->h, &arg), "reserved[1]");
	REFUSED(EINVAL, self->h, wd_rsa_sync(self->h, NULL), "arg is NULL");
	REFUSED(EINVAL, 0, wd_rsa_sync(0, &good), "");
	REFUSED(EINVAL, a, wd_rsa_sync(a, &good), "asynchronous session");
	REFUSED(EINVAL, self->h, wd_rsa_async(self->h, &good, NULL), "synchronous session");
	len = 128;
	REFUSED(EINVAL, a, wd_rsa_async(a, &good, NULL), "cb is NULL");
	EXPECT_EQ(0, wd_rsa_free_sess(a));
	EXPECT_EQ(-EINVAL, wd_rsa_free_sess(a));
	EXPECT_EQ(-EINVAL, wd_rsa_set_key(a, &self->key));
	EXPECT_EQ(-EINVAL, wd_rsa_sess_caps(a));
}

TEST_HARNESS_MAIN
