// SPDX-License-Identifier: Apache-2.0
/* Published vectors of RSA, ECDSA, ECDH, X25519, X448, DH and SM2, by way of EVP. */
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

#include "provider_test.h"
#include "vectors.h"
#include "harness_long.h"

FIXTURE(keys) {
	struct both b;
	uint64_t before;
};

FIXTURE_SETUP(keys)
{
	setenv("WD_OPENSSL_ALGORITHMS", "pkey rsa-public", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	self->before = taken(&self->b);
}

FIXTURE_TEARDOWN(keys)
{
	both_close(&self->b);
}

/* Each vector was right. Did the provider give some of the work to where it goes here, or is all of it libcrypto's? */
#define BY_DEVICE(self)	EXPECT_LT((self)->before, taken(&(self)->b))
#define BY_DEFAULT(self)	EXPECT_EQ(0, sim(&(self)->b))

#define NIST(test, who, last, call, ...) \
TEST_F(keys, test) \
{ \
	static const char *const names[] = { __VA_ARGS__, NULL }; \
	\
	VEC_FILES(names, last, call, &self->b); \
	who(self); \
}

#define WYCHEPROOF(file, who, call) \
TEST_F(keys, wycheproof_##file) \
{ \
	WYCHE(#file "_test", call, &self->b); \
	who(self); \
}

/* --- keys from numbers --- */

struct parts {
	const char *type, *group;
	struct bytes point;		/* the public key as it is transmitted */
	struct {
		const char *name;
		struct bytes value;
	} number[6];
};

static EVP_PKEY *key_of(const struct both *b, const struct parts *p, int selection)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(b->ours, p->type, NULL);
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;
	BIGNUM *bn[6] = { 0 };
	unsigned int i;

	if (p->group)
		OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, p->group, 0);
	if (p->point.at)
		OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, p->point.at, p->point.len);
	for (i = 0; i < 6 && p->number[i].name; i++) {
		bn[i] = BN_bin2bn(p->number[i].value.at, (int)p->number[i].value.len, NULL);
		OSSL_PARAM_BLD_push_BN(build, p->number[i].name, bn[i]);
	}
	params = OSSL_PARAM_BLD_to_param(build);
	if (EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &key, selection, params);
	for (i = 0; i < 6; i++)
		BN_free(bn[i]);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(build);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

static const char *sha_of(const char *text, char name[16])
{
	const char *sha = text ? strstr(text, "SHA") : NULL;
	size_t n = 0;

	for (; sha && *sha && *sha != ']' && n < 15; sha++)
		if (isalnum((unsigned char)*sha))
			name[n++] = *sha;
	name[n] = '\0';
	return name;
}

/* --- RSA --- */

static const OSSL_PARAM none[] = { OSSL_PARAM_END };

static EVP_PKEY *wyche_rsa_key(const struct both *b, struct json_object *group)
{
	struct bytes der = json_bytes(group, "privateKeyPkcs8");
	const unsigned char *at = der.at;
	EVP_PKEY *key = d2i_AutoPrivateKey_ex(NULL, &at, (long)der.len, b->ours, NULL);

	free(der.at);
	return key;
}

static bool wyche_sign(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes msg = json_bytes(test, "msg"), want = json_bytes(test, "sig");
	struct both *b = arg;
	EVP_PKEY *key = wyche_rsa_key(b, group);
	char digest[16];
	unsigned char sig[1024];
	size_t len = 0;
	bool good;

	sha_of(json_text(group, "sha"), digest);
	if (key)
		sign(b->ours, key, digest, none, msg.at, msg.len, sig, &len);
	good = len == want.len && !memcmp(sig, want.at, len) &&
	       verify(b->ours, key, digest, none, msg.at, msg.len, want.at, want.len);
	EVP_PKEY_free(key);
	free(msg.at);
	free(want.at);
	return good;
}

WYCHEPROOF(rsa_pkcs1_1024_sig_gen, BY_DEVICE, wyche_sign)
WYCHEPROOF(rsa_pkcs1_2048_sig_gen, BY_DEVICE, wyche_sign)
WYCHEPROOF(rsa_pkcs1_3072_sig_gen, BY_DEVICE, wyche_sign)
WYCHEPROOF(rsa_pkcs1_4096_sig_gen, BY_DEVICE, wyche_sign)

static bool rsa_verdict(const struct both *b, struct vec *v, const OSSL_PARAM *params)
{
	const char *result = vec_text(v, "Result");
	struct bytes msg = vec_bytes(v, "Msg"), sig = vec_bytes(v, "S");
	struct parts p = { .type = "RSA", .number = {
		{ OSSL_PKEY_PARAM_RSA_N, vec_bytes(v, "n") }, { OSSL_PKEY_PARAM_RSA_E, digits(vec_text(v, "e")) },
	} };
	EVP_PKEY *key = key_of(b, &p, EVP_PKEY_PUBLIC_KEY);
	char digest[16];
	bool good = key && verify(b->ours, key, sha_of(vec_text(v, "SHAAlg"), digest), params, msg.at, msg.len, sig.at,
				  sig.len);

	ERR_clear_error();
	EVP_PKEY_free(key);
	free(p.number[0].value.at);
	free(p.number[1].value.at);
	free(msg.at);
	free(sig.at);
	return good == (!result || *result == 'P');
}

static bool pkcs1_record(void *arg, struct vec *v)
{
	return rsa_verdict(arg, v, none);
}

static bool pss_record(void *arg, struct vec *v)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, (char *)"pss", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)"auto", 0), OSSL_PARAM_END,
	};

	return rsa_verdict(arg, v, params);
}

NIST(rsa_pkcs1_signatures, BY_DEVICE, "S", pkcs1_record, "asymmetric/RSA/FIPS_186-2/SigGen15_186-3.rsp")
NIST(rsa_pss_signatures, BY_DEVICE, "S", pss_record, "asymmetric/RSA/FIPS_186-2/SigGenPSS_186-3.rsp")
NIST(rsa_pkcs1_good_and_bad, BY_DEVICE, "Result", pkcs1_record, "asymmetric/RSA/FIPS_186-2/SigVer15_186-3.rsp")
NIST(rsa_pss_good_and_bad, BY_DEVICE, "Result", pss_record, "asymmetric/RSA/FIPS_186-2/SigVerPSS_186-3.rsp")

/* Always libcrypto's own work, which may answer a bad padding with a random text. */
static bool wyche_decrypt(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes ct = json_bytes(test, "ct"), msg = json_bytes(test, "msg");
	struct both *b = arg;
	EVP_PKEY *key = wyche_rsa_key(b, group);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(b->ours, key, NULL);
	unsigned char out[512];
	size_t len = sizeof(out);
	bool good;

	good = key && EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_decrypt(ctx, out, &len, ct.at, ct.len) > 0 &&
	       len == msg.len && !memcmp(out, msg.at, len);
	ERR_clear_error();
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(key);
	free(ct.at);
	free(msg.at);
	return good == !strcmp(json_text(test, "result"), "valid");
}

WYCHEPROOF(rsa_pkcs1_2048, BY_DEFAULT, wyche_decrypt)

/* --- curves --- */

static const struct {
	const char *published, *name;
	size_t width;
} curves[] = {
	{ "P-192", "P-192", 24 }, { "P-224", "P-224", 28 }, { "P-256", "P-256", 32 },
	{ "P-384", "P-384", 48 }, { "P-521", "P-521", 66 }, { "secp192r1", "P-192", 24 }, { "secp224r1", "P-224", 28 },
	{ "secp256r1", "P-256", 32 }, { "secp384r1", "P-384", 48 }, { "secp521r1", "P-521", 66 },
	{ "brainpoolP256r1", "brainpoolP256r1", 32 }, { "brainpoolP384r1", "brainpoolP384r1", 48 },
	{ "EA", "P-192", 24 }, { "EB", "P-224", 28 }, { "EC", "P-256", 32 }, { "ED", "P-384", 48 },
	{ "EE", "P-521", 66 },
};

/* The curve whose name begins the text; -1: none of these. */
static int curve_of(const char *text)
{
	int i;

	for (i = 0; i < (int)(sizeof(curves) / sizeof(curves[0])); i++) {
		size_t n = strlen(curves[i].published);

		if (!strncmp(text, curves[i].published, n) && !isalnum((unsigned char)text[n]))
			return i;
	}
	return -1;
}

/* The point as it is transmitted; at is NULL if a coordinate is too long. */
static struct bytes point_of(const char *x, const char *y, size_t width)
{
	struct bytes b[2] = { digits(x), digits(y) }, point = { .at = malloc(1 + 2 * width), .len = 1 + 2 * width };

	point.at[0] = 4;
	if (!pad_to(point.at + 1, width, &b[0]) || !pad_to(point.at + 1 + width, width, &b[1])) {
		free(point.at);
		point.at = NULL;
	}
	release(b, 2);
	return point;
}

static EVP_PKEY *ec_public(const struct both *b, int curve, const char *x, const char *y)
{
	struct parts p = { .type = "EC", .group = curves[curve].name, .point = point_of(x, y, curves[curve].width) };
	EVP_PKEY *key = p.point.at ? key_of(b, &p, EVP_PKEY_PUBLIC_KEY) : NULL;

	free(p.point.at);
	return key;
}

/* The encoding that EVP takes, of two numbers of the same width. */
static struct bytes der_of(const unsigned char *r_s, size_t width)
{
	ECDSA_SIG *sig = ECDSA_SIG_new();
	struct bytes der = { 0 };
	int n;

	ECDSA_SIG_set0(sig, BN_bin2bn(r_s, (int)width, NULL), BN_bin2bn(r_s + width, (int)width, NULL));
	n = i2d_ECDSA_SIG(sig, &der.at);
	der.len = n > 0 ? (size_t)n : 0;
	ECDSA_SIG_free(sig);
	return der;
}

static bool ecdsa_verdict(const struct both *b, EVP_PKEY *key, const char *digest, const struct bytes *msg,
			  const unsigned char *r_s, size_t width)
{
	struct bytes der = der_of(r_s, width);
	bool good = key && verify(b->ours, key, digest, none, msg->at, msg->len, der.at, der.len);

	ERR_clear_error();
	OPENSSL_free(der.at);
	return good;
}

static bool ecdsa_record(void *arg, struct vec *v)
{
	int curve = curve_of(v->section + 1);
	struct bytes b[3] = { vec_bytes(v, "Msg"), digits(vec_text(v, "R")), digits(vec_text(v, "S")) };
	unsigned char r_s[2 * 66];
	EVP_PKEY *key;
	char digest[16];
	size_t width;
	bool good = true;

	if (curve >= 0) {
		width = curves[curve].width;
		key = ec_public(arg, curve, vec_text(v, "Qx"), vec_text(v, "Qy"));
		sha_of(v->section, digest);
		good = pad_to(r_s, width, &b[1]) && pad_to(r_s + width, width, &b[2]) &&
		       ecdsa_verdict(arg, key, digest, &b[0], r_s, width);
		b[0].at[0] ^= 1;
		good = good && !ecdsa_verdict(arg, key, digest, &b[0], r_s, width);
		EVP_PKEY_free(key);
	}
	release(b, 3);
	return good;
}

NIST(ecdsa_signatures, BY_DEVICE, "S", ecdsa_record, "asymmetric/ECDSA/FIPS_186-3/SigGen.txt")

/* The vectors' encoding isn't EVP's: numbers of another width can't be encoded, and are left out. */
static bool wyche_ecdsa(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes msg = json_bytes(test, "msg"), sig = json_bytes(test, "sig");
	bool good = true;
	struct json_object *pub;
	EVP_PKEY *key;
	char digest[16];
	int curve;

	if (!json_object_object_get_ex(group, "publicKey", &pub))
		return false;
	curve = curve_of(json_text(pub, "curve"));
	if (sig.len == 2 * curves[curve].width) {
		key = ec_public(arg, curve, json_text(pub, "wx"), json_text(pub, "wy"));
		good = key && ecdsa_verdict(arg, key, sha_of(json_text(group, "sha"), digest), &msg, sig.at,
					    sig.len / 2) == !strcmp(json_text(test, "result"), "valid");
		EVP_PKEY_free(key);
	}
	free(msg.at);
	free(sig.at);
	return good;
}

WYCHEPROOF(ecdsa_secp192r1_sha256_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_secp224r1_sha256_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_secp256r1_sha256_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_secp384r1_sha384_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_secp521r1_sha512_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_brainpoolP256r1_sha256_p1363, BY_DEVICE, wyche_ecdsa)
WYCHEPROOF(ecdsa_brainpoolP384r1_sha384_p1363, BY_DEVICE, wyche_ecdsa)

/* --- agreements --- */

/* want NULL: the agreement has to be refused. */
static bool agrees(const struct both *b, EVP_PKEY *own, EVP_PKEY *peer, const struct bytes *want)
{
	unsigned char secret[1024];
	size_t len = own && peer ? derive(b->ours, own, peer, -1, secret) : 0;

	ERR_clear_error();
	return want ? len == want->len && !memcmp(secret, want->at, len) : !len;
}

static EVP_PKEY *ec_private(const struct both *b, int curve, const char *d)
{
	struct parts p = {
		.type = "EC", .group = curves[curve].name, .number = { { OSSL_PKEY_PARAM_PRIV_KEY, digits(d) } }
	};
	EVP_PKEY *key = key_of(b, &p, EVP_PKEY_KEYPAIR);

	free(p.number[0].value.at);
	return key;
}

/* Failing cases have another Z, a bad point, or a bad hash. */
static bool ecdh_record(void *arg, struct vec *v)
{
	int curve = curve_of(v->section + 1);
	EVP_PKEY *own = ec_private(arg, curve, vec_text(v, "dsIUT"));
	EVP_PKEY *peer = ec_public(arg, curve, vec_text(v, "QsCAVSx"), vec_text(v, "QsCAVSy"));
	struct bytes z = digits(vec_text(v, "Z"));
	bool good = agrees(arg, own, peer, &z);

	EVP_PKEY_free(own);
	EVP_PKEY_free(peer);
	free(z.at);
	return good || vec_text(v, "Result")[0] == 'F';
}

NIST(ecdh, BY_DEVICE, "Result", ecdh_record, "asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax",
     "asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_resp.fax")

/* Encodings that are merely acceptable may be taken or not. libcrypto finds a named curve by its equation alone. */
static bool wyche_ecdh(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes pub = json_bytes(test, "public"), want = json_bytes(test, "shared");
	struct parts p = { .type = "EC", .group = curves[curve_of(json_text(group, "curve"))].name, .point = pub };
	const char *result = json_text(test, "result");
	EVP_PKEY *own = ec_private(arg, curve_of(json_text(group, "curve")), json_text(test, "private")), *peer;
	const unsigned char *at = pub.at;
	struct both *b = arg;
	bool good;

	if (!strcmp(json_text(group, "encoding"), "asn"))
		peer = d2i_PUBKEY_ex(NULL, &at, (long)pub.len, b->ours, NULL);
	else
		peer = key_of(b, &p, EVP_PKEY_PUBLIC_KEY);
	good = agrees(b, own, peer, *result == 'i' ? NULL : &want) || *result == 'a' ||
	       strstr(json_text(test, "flags"), "UnnamedCurve");
	EVP_PKEY_free(own);
	EVP_PKEY_free(peer);
	free(pub.at);
	free(want.at);
	return good;
}

WYCHEPROOF(ecdh_secp224r1_ecpoint, BY_DEVICE, wyche_ecdh)
WYCHEPROOF(ecdh_secp256r1_ecpoint, BY_DEVICE, wyche_ecdh)
WYCHEPROOF(ecdh_secp384r1_ecpoint, BY_DEVICE, wyche_ecdh)
WYCHEPROOF(ecdh_secp521r1_ecpoint, BY_DEVICE, wyche_ecdh)
WYCHEPROOF(ecdh_brainpoolP256r1, BY_DEVICE, wyche_ecdh)
WYCHEPROOF(ecdh_brainpoolP384r1, BY_DEVICE, wyche_ecdh)

/* A secret of zeroes is refused, as RFC 7748 permits. */
static bool montgomery(const struct both *b, const char *type, const struct bytes *d, const struct bytes *u,
		       const struct bytes *want)
{
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key_ex(b->ours, type, NULL, d->at, d->len);
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(b->ours, type, NULL, u->at, u->len);
	size_t i = 0;
	bool good;

	while (i < want->len && !want->at[i])
		i++;
	good = agrees(b, own, peer, i < want->len ? want : NULL);
	EVP_PKEY_free(own);
	EVP_PKEY_free(peer);
	return good;
}

static bool rfc7748_record(void *arg, struct vec *v)
{
	struct bytes b[3] = { vec_bytes(v, "INPUT_SCALAR"), vec_bytes(v, "INPUT_U"), vec_bytes(v, "OUTPUT_U") };
	bool good = montgomery(arg, b[0].len == 32 ? "X25519" : "X448", &b[0], &b[1], &b[2]);

	release(b, 3);
	return good;
}

NIST(rfc_7748, BY_DEVICE, "OUTPUT_U", rfc7748_record, "asymmetric/X25519/rfc7748.txt", "asymmetric/X448/rfc7748.txt")

static bool wyche_montgomery(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes b[3] = { json_bytes(test, "private"), json_bytes(test, "public"), json_bytes(test, "shared") };
	bool good = montgomery(arg, strstr(json_text(group, "curve"), "25519") ? "X25519" : "X448", &b[0], &b[1],
			       &b[2]);

	release(b, 3);
	/* Another length than the curve's is an error. */
	return good || (b[1].len != b[0].len && strcmp(json_text(test, "result"), "valid"));
}

WYCHEPROOF(x25519, BY_DEVICE, wyche_montgomery)
WYCHEPROOF(x448, BY_DEVICE, wyche_montgomery)

static EVP_PKEY *dh_key(const struct both *b, struct vec *v, const char *name, const char *field, int selection)
{
	struct parts p = { .type = "DHX", .number = {
		{ OSSL_PKEY_PARAM_FFC_P, vec_bytes(v, "P") }, { OSSL_PKEY_PARAM_FFC_Q, vec_bytes(v, "Q") },
		{ OSSL_PKEY_PARAM_FFC_G, vec_bytes(v, "G") }, { name, vec_bytes(v, field) },
	} };
	EVP_PKEY *key = key_of(b, &p, selection);
	unsigned int i;

	for (i = 0; i < 4; i++)
		free(p.number[i].value.at);
	return key;
}

static bool dh_record(void *arg, struct vec *v)
{
	EVP_PKEY *own = dh_key(arg, v, OSSL_PKEY_PARAM_PRIV_KEY, "XstatIUT", EVP_PKEY_KEYPAIR);
	EVP_PKEY *peer = dh_key(arg, v, OSSL_PKEY_PARAM_PUB_KEY, "YstatCAVS", EVP_PKEY_PUBLIC_KEY);
	struct bytes z = vec_bytes(v, "Z");
	bool good = agrees(arg, own, peer, &z);

	EVP_PKEY_free(own);
	EVP_PKEY_free(peer);
	free(z.at);
	return good;
}

NIST(rfc_5114, BY_DEVICE, "Z", dh_record, "asymmetric/DH/RFC5114.txt")

/* --- SM2: GM/T 0003.5, with its identity --- */

static bool sm2_verifies(const struct both *b, EVP_PKEY *key, const char *message, const struct bytes *der)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx = NULL;
	bool good;

	good = EVP_DigestVerifyInit_ex(ctx, &pctx, "SM3", b->ours, NULL, key, NULL) > 0 &&
	       EVP_PKEY_CTX_set1_id(pctx, "1234567812345678", 16) > 0 &&
	       EVP_DigestVerify(ctx, der->at, der->len, (const unsigned char *)message, strlen(message)) > 0;
	EVP_MD_CTX_free(ctx);
	return good;
}

TEST_F(keys, sm2_signature_of_the_standard)
{
	struct bytes r_s = bytes_of("F5A03B0648D2C4630EEAC513E1BB81A15944DA3827D5B74143AC7EACEEE720B3"
				    "B1B6AA29DF212FD8763182BC0D421CA1BB9038FD1F7F42D4840B69C485BBC1AA");
	struct parts p = { .type = "SM2", .group = "SM2", .point = point_of(
		"09F9DF311E5421A150DD7D161E4BC5C672179FAD1833FC076BB08FF356F35020",
		"CCEA490CE26775A52DC6EA718CC1AA600AED05FBF35E084A6632F6072DA9AD13", 32) };
	struct bytes der = der_of(r_s.at, 32);
	EVP_PKEY *key = key_of(&self->b, &p, EVP_PKEY_PUBLIC_KEY);

	ASSERT_NE(NULL, key);
	EXPECT_TRUE(sm2_verifies(&self->b, key, "message digest", &der));
	EXPECT_FALSE(sm2_verifies(&self->b, key, "message digesT", &der));
	BY_DEVICE(self);
	EVP_PKEY_free(key);
	OPENSSL_free(der.at);
	free(r_s.at);
	free(p.point.at);
}

TEST_HARNESS_MAIN
