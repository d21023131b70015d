// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves in the HPRE engine: RFC 7748, RFC 6979, CAVP's signatures, and libcrypto on random operands. */
/* Keys are built from their numbers here: EVP hides these. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <stdio.h>
#include "kselftest_harness.h"
#include "hpre_rig.h"

#define VECTORS		"/usr/lib/python3/dist-packages/cryptography_vectors"	/* of python3-cryptography-vectors */

static const int nids[] = {
	NID_X9_62_prime192v1, NID_secp192k1, NID_secp224r1, NID_X9_62_prime256v1, NID_secp256k1, NID_secp384r1,
	NID_secp521r1, NID_brainpoolP160r1, NID_brainpoolP224t1, NID_brainpoolP256r1, NID_brainpoolP320r1,
	NID_brainpoolP384r1, NID_brainpoolP384t1, NID_brainpoolP512r1, NID_sm2, NID_secp128r1,
};

#define CURVES	(sizeof(nids) / sizeof(nids[0]))

FIXTURE(dev) {
	struct rig r;
	struct named_curve c;
	BIGNUM *d, *k, *x, *y, *e, *t;
};

FIXTURE_SETUP(dev)
{
	hpre_rig_init(&self->r);
	self->d = BN_new();
	self->k = BN_new();
	self->x = BN_new();
	self->y = BN_new();
	self->e = BN_new();
	self->t = BN_new();
}

FIXTURE_TEARDOWN(dev)
{
	BN_free(self->d);
	BN_free(self->k);
	BN_free(self->x);
	BN_free(self->y);
	BN_free(self->e);
	BN_free(self->t);
	rig_free(&self->r);
}

/* RFC 7748 is little-endian, the device isn't: these are digits of numbers, not of the RFC's strings. */
static void reversed(char *to, const char *digits)
{
	size_t n = strlen(digits) / 2, i;

	for (i = 0; i < n; i++)
		memcpy(to + 2 * i, digits + 2 * (n - 1 - i), 2);
	to[2 * n] = '\0';
}

static void put_reversed(struct rig *r, u64 where, u32 i, u32 bytes, const char *digits)
{
	char number[2 * HPRE_ECC_BYTES_576 + 1];

	reversed(number, digits);
	put_hex(r, where, i, bytes, number);
}

/* Software decodes scalars, and clears u's highest bit. */
static void put_x25519(struct rig *r, const char *scalar, const char *u)
{
	unsigned char *k = at(r, AT_KEY) + 2 * 32;

	put_hex(r, AT_KEY, 0, 32, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed");
	put_hex(r, AT_KEY, 1, 32, "01db41");
	put_reversed(r, AT_KEY, 2, 32, scalar);
	k[31] &= 248;
	k[0] = (k[0] & 127) | 64;
	put_reversed(r, AT_IN, 0, 32, u);
	at(r, AT_IN)[0] &= 127;
}

static void put_x448(struct rig *r, const char *scalar, const char *u)
{
	unsigned char *k = at(r, AT_KEY) + 2 * 72;

	put_hex(r, AT_KEY, 0, 72, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe"
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffff");
	put_hex(r, AT_KEY, 1, 72, "98a9");
	put_reversed(r, AT_KEY, 2, 72, scalar);
	k[71] &= 252;
	k[16] |= 128;
	put_reversed(r, AT_IN, 0, 72, u);
}

static bool is_reversed(struct rig *r, u32 bytes, const char *digits)
{
	char number[2 * HPRE_ECC_BYTES_576 + 1];

	reversed(number, digits);
	return is_number(r, AT_OUT, 0, bytes, number);
}

TEST_F(dev, x25519_and_x448_have_the_values_of_rfc_7748)
{
	struct rig *r = &self->r;

	put_x25519(r, "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
		   "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
	ASSERT_EQ(0, hpre_ask(r, HPRE_MONTGOMERY, 32));
	EXPECT_TRUE(is_reversed(r, 32, "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"));
	put_x25519(r, "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
		   "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493");
	ASSERT_EQ(0, hpre_ask(r, HPRE_MONTGOMERY, 32));
	EXPECT_TRUE(is_reversed(r, 32, "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"));
	put_x448(r, "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c"
		    "984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3",
		 "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031"
		 "ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086");
	ASSERT_EQ(0, hpre_ask(r, HPRE_MONTGOMERY, 72));
	EXPECT_TRUE(is_reversed(r, 72, "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaad"
				       "eb445fc66a01b0779d98223961111e21766282f73dd96b6f"));
	put_x448(r, "203d494428b8399352665ddca42f9de8fef600908e0d461cb021f8c538345dd7"
		    "7c3e4806e25f46d3315c44e0a5b4371282dd2c8d5be3095f",
		 "0fbcc2f993cd56d3305b0b7d9e55d4c1a8fb5dbb52f8e9a1e9b6201b165d0158"
		 "94e56c4d3570bee52fe205e28a78b91cdfbde71ce8d157db");
	ASSERT_EQ(0, hpre_ask(r, HPRE_MONTGOMERY, 72));
	EXPECT_TRUE(is_reversed(r, 72, "884a02576239ff7a2f2f63b2db6a9ff37047ac13568e1e30fe63c4a7ad1b3ee3"
				       "a5700df34321d62077e63633c575c1c954514e99da7c179d"));
}

/* RFC 7748, 5.2: each result is the next scalar, the last scalar the next u. */
TEST_F(dev, a_thousand_turns_of_x25519_end_where_they_should)
{
	static const char nine[] = "0900000000000000000000000000000000000000000000000000000000000000";
	struct rig *r = &self->r;
	char k[65], u[65], digits[65];
	int turn, i;

	strcpy(k, nine);
	strcpy(u, nine);
	for (turn = 0; turn < 1000; turn++) {
		put_x25519(r, k, u);
		ASSERT_EQ(0, hpre_ask(r, HPRE_MONTGOMERY, 32));
		strcpy(u, k);
		for (i = 0; i < 32; i++)
			snprintf(digits + 2 * i, 3, "%02x", at(r, AT_OUT)[i]);
		reversed(k, digits);
		if (!turn)
			EXPECT_STREQ("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079", k);
	}
	EXPECT_STREQ("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51", k);
}

TEST_F(dev, both_sides_of_ecdh_get_libcryptos_point)
{
	struct rig *r = &self->r;
	u32 i, turn;

	for (i = 0; i < CURVES; i++) {
		struct named_curve *c = &self->c;

		curve_open(c, nids[i]);
		for (turn = 0; turn < 4; turn++) {
			EC_POINT *q = EC_POINT_new(c->group);

			curve_random(c, self->d);
			curve_random(c, self->k);
			if (turn == 1)
				BN_set_word(self->k, 1);
			if (turn == 2)
				BN_sub(self->k, c->n, BN_value_one());
			curve_base_mul(c, self->d, self->x, self->y);
			curve_put_multiply(r, c, self->d);
			put_bn(r, AT_IN, 0, c->bytes, c->gx);
			put_bn(r, AT_IN, 1, c->bytes, c->gy);
			ASSERT_EQ(0, hpre_ask(r, HPRE_ECC_MULTIPLY, c->bytes)) TH_LOG("%s", c->name);
			EXPECT_TRUE(is_bn(r, AT_OUT, 0, c->bytes, self->x)) TH_LOG("%s", c->name);
			EXPECT_TRUE(is_bn(r, AT_OUT, 1, c->bytes, self->y)) TH_LOG("%s", c->name);
			curve_put_multiply(r, c, self->k);
			memcpy(at(r, AT_IN), at(r, AT_OUT), 2 * c->bytes);
			ASSERT_EQ(0, hpre_ask(r, HPRE_ECC_MULTIPLY, c->bytes)) TH_LOG("%s", c->name);
			EC_POINT_set_affine_coordinates(c->group, q, self->x, self->y, c->ctx);
			EC_POINT_mul(c->group, q, NULL, q, self->k, c->ctx);
			EC_POINT_get_affine_coordinates(c->group, q, self->x, self->y, c->ctx);
			EXPECT_TRUE(is_bn(r, AT_OUT, 0, c->bytes, self->x)) TH_LOG("%s, turn %u", c->name, turn);
			EXPECT_TRUE(is_bn(r, AT_OUT, 1, c->bytes, self->y)) TH_LOG("%s, turn %u", c->name, turn);
			EC_POINT_free(q);
		}
		curve_close(c);
	}
}

/* All numbers of the field, not only those below the order. */
TEST_F(dev, any_scalar_will_do)
{
	struct named_curve *c = &self->c;
	struct rig *r = &self->r;

	curve_open(c, NID_X9_62_prime256v1);
	put_bn(r, AT_IN, 0, c->bytes, c->gx);
	put_bn(r, AT_IN, 1, c->bytes, c->gy);
	BN_add_word(BN_copy(self->k, c->n), 5);
	curve_put_multiply(r, c, self->k);
	ASSERT_EQ(0, hpre_ask(r, HPRE_ECC_MULTIPLY, c->bytes));
	BN_set_word(self->k, 5);
	curve_base_mul(c, self->k, self->x, self->y);
	EXPECT_TRUE(is_bn(r, AT_OUT, 0, c->bytes, self->x));
	/* Infinity has no coordinates. */
	curve_put_multiply(r, c, c->n);
	EXPECT_EQ(HPRE_ERR_RESULT, hpre_ask(r, HPRE_ECC_MULTIPLY, c->bytes));
	BN_zero(self->k);
	curve_put_multiply(r, c, self->k);
	EXPECT_EQ(HPRE_ERR_RESULT, hpre_ask(r, HPRE_ECC_MULTIPLY, c->bytes));
	curve_close(c);
}

static void put_signature_input(struct rig *r, const struct named_curve *c, const BIGNUM *e, const char *s,
				const char *rr)
{
	put_bn(r, AT_IN, 0, c->bytes, e);
	put_hex(r, AT_IN, 1, c->bytes, s);
	put_hex(r, AT_IN, 2, c->bytes, rr);
}

/* RFC 6979, A.2.3 and A.2.5: "sample" with SHA-256 */
TEST_F(dev, signatures_have_the_values_of_rfc_6979)
{
	static const struct {
		int nid;
		const char *d, *k, *r, *s;
	} v[] = {
		{ NID_X9_62_prime192v1, "6fab034934e4c0fc9ae67f5b5659a9d7d1fefd187ee09fd4",
		  "32b1b6d7d42a05cb449065727a84804fb1a3e34d8f261496",
		  "4b0b8ce98a92866a2820e20aa6b75b56382e0f9bfd5ecb55",
		  "ccdb006926ea9565cbadc840829d8c384e06de1f1e381b85" },
		{ NID_X9_62_prime256v1, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
		  "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
		  "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
		  "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8" },
	};
	static const char sample[] = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf";
	struct named_curve *c = &self->c;
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		curve_open(c, v[i].nid);
		BN_hex2bn(&self->d, v[i].d);
		BN_hex2bn(&self->e, sample);
		BN_rshift(self->e, self->e, 256 - (int)c->bits);
		curve_put_sign(r, c, self->d);
		put_bn(r, AT_IN, 0, c->bytes, self->e);
		put_hex(r, AT_IN, 1, c->bytes, v[i].k);
		ASSERT_EQ(0, hpre_ask(r, HPRE_ECDSA_SIGN, c->bytes));
		EXPECT_TRUE(is_number(r, AT_OUT, 0, c->bytes, v[i].r));
		EXPECT_TRUE(is_number(r, AT_OUT, 1, c->bytes, v[i].s));
		curve_base_mul(c, self->d, self->x, self->y);
		curve_put_public(r, c, self->x, self->y);
		put_signature_input(r, c, self->e, v[i].s, v[i].r);
		EXPECT_EQ(1, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes));
		put_signature_input(r, c, self->e, v[i].r, v[i].s);
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes));
		curve_close(c);
	}
}

/* "name = value" */
static bool field(const char *line, const char *name, char *value)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) && !strncmp(line + n, " = ", 3) && sscanf(line + n + 3, "%1023s", value) == 1;
}

struct cavp {
	char msg[1024], d[1024], k[1024], r[1024], s[1024];
};

static void cavp_even(char *digits)
{
	if (strlen(digits) % 2) {
		memmove(digits + 1, digits, strlen(digits) + 1);
		*digits = '0';
	}
}

static void cavp_check(struct __test_metadata *_metadata, FIXTURE_DATA(dev) *self, struct cavp *v, const char *hash)
{
	unsigned char msg[512], digest[EVP_MAX_MD_SIZE];
	struct named_curve *c = &self->c;
	struct rig *r = &self->r;
	unsigned int n;

	cavp_even(v->r);
	cavp_even(v->s);
	EVP_Digest(msg, hex(msg, v->msg), digest, &n, EVP_get_digestbyname(hash), NULL);
	BN_bin2bn(digest, (int)n, self->e);
	if (n * 8 > c->bits)
		BN_rshift(self->e, self->e, (int)(n * 8 - c->bits));
	BN_hex2bn(&self->d, v->d);
	BN_hex2bn(&self->k, v->k);
	curve_put_sign(r, c, self->d);
	put_bn(r, AT_IN, 0, c->bytes, self->e);
	put_bn(r, AT_IN, 1, c->bytes, self->k);
	ASSERT_EQ(0, hpre_ask(r, HPRE_ECDSA_SIGN, c->bytes)) TH_LOG("%s, %s", c->name, hash);
	EXPECT_TRUE(is_number(r, AT_OUT, 0, c->bytes, v->r)) TH_LOG("%s, %s", c->name, hash);
	EXPECT_TRUE(is_number(r, AT_OUT, 1, c->bytes, v->s)) TH_LOG("%s, %s", c->name, hash);
	curve_base_mul(c, self->d, self->x, self->y);
	curve_put_public(r, c, self->x, self->y);
	put_signature_input(r, c, self->e, v->s, v->r);
	EXPECT_EQ(1, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes)) TH_LOG("%s, %s", c->name, hash);
}

TEST_F_TIMEOUT(dev, signatures_have_the_values_of_cavp, 120)
{
	static const struct {
		const char *name;
		int nid;
	} known[] = {
		{ "P-192", NID_X9_62_prime192v1 }, { "P-224", NID_secp224r1 }, { "P-256", NID_X9_62_prime256v1 },
		{ "P-384", NID_secp384r1 }, { "P-521", NID_secp521r1 },
	};
	FILE *f = fopen(VECTORS "/asymmetric/ECDSA/FIPS_186-3/SigGen.txt", "re");
	char line[2048], hash[16] = "", name[16];
	struct cavp v;
	u32 i, nr = 0;

	if (!f)
		SKIP(return, "no python3-cryptography-vectors");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "[%15[^,],%15[^]]", name, hash) == 2) {
			if (self->c.group)
				curve_close(&self->c);
			self->c.group = NULL;
			for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
				if (!strcmp(name, known[i].name))
					curve_open(&self->c, known[i].nid);
			continue;
		}
		if (!self->c.group || field(line, "Msg", v.msg) || field(line, "d", v.d) || field(line, "k", v.k) ||
		    field(line, "R", v.r) || !field(line, "S", v.s))
			continue;
		/* The first ones of each curve and hash. */
		if (nr++ % 15 < 3)
			cavp_check(_metadata, self, &v, hash);
	}
	fclose(f);
	EXPECT_EQ(5 * 5 * 15, nr);
}

/* One signs, the other verifies, on every curve; anything changed is invalid. */
TEST_F(dev, libcrypto_accepts_its_signatures_and_it_those_of_libcrypto)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < CURVES; i++) {
		unsigned char digest[64];
		struct named_curve *c = &self->c;
		EC_KEY *key = EC_KEY_new();
		ECDSA_SIG *sig = ECDSA_SIG_new();
		int n;

		curve_open(c, nids[i]);
		n = (int)c->bits / 8 < 64 ? (int)c->bits / 8 : 64;
		rnd_fill(digest, sizeof(digest));
		digest[0] |= 1;
		EC_KEY_set_group(key, c->group);
		EC_KEY_generate_key(key);
		BN_copy(self->d, EC_KEY_get0_private_key(key));
		EC_POINT_get_affine_coordinates(c->group, EC_KEY_get0_public_key(key), self->x, self->y, c->ctx);
		curve_put_sign(r, c, self->d);
		BN_bin2bn(digest, n, self->e);
		curve_random(c, self->k);
		put_bn(r, AT_IN, 0, c->bytes, self->e);
		put_bn(r, AT_IN, 1, c->bytes, self->k);
		ASSERT_EQ(0, hpre_ask(r, HPRE_ECDSA_SIGN, c->bytes)) TH_LOG("%s", c->name);
		get_bn(r, AT_OUT, 0, c->bytes, self->k);
		get_bn(r, AT_OUT, 1, c->bytes, self->t);
		ECDSA_SIG_set0(sig, BN_dup(self->k), BN_dup(self->t));
		EXPECT_EQ(1, ECDSA_do_verify(digest, n, sig, key)) TH_LOG("%s", c->name);
		ECDSA_SIG_free(sig);
		sig = ECDSA_do_sign(digest, n, key);
		curve_put_public(r, c, self->x, self->y);
		put_bn(r, AT_IN, 1, c->bytes, ECDSA_SIG_get0_s(sig));
		put_bn(r, AT_IN, 2, c->bytes, ECDSA_SIG_get0_r(sig));
		EXPECT_EQ(1, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes)) TH_LOG("%s", c->name);
		at(r, AT_IN)[c->bytes - 1] ^= 1;
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes)) TH_LOG("%s", c->name);
		at(r, AT_IN)[c->bytes - 1] ^= 1;
		at(r, AT_IN)[2 * c->bytes - 1] ^= 1;
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes)) TH_LOG("%s", c->name);
		ECDSA_SIG_free(sig);
		EC_KEY_free(key);
		curve_close(c);
	}
}

TEST_HARNESS_MAIN
