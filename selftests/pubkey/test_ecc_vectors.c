// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves against published vectors: NIST, RFC 6979, 7027 and 7748, GM/T 0003, Wycheproof. */
#include <openssl/evp.h>

#include "ecc_test.h"
#include "harness_long.h"

static const struct {
	const char *name;
	int curve;
} curves[] = {
	{ "P-192", WD_ECC_SECP192R1 }, { "P-224", WD_ECC_SECP224R1 }, { "P-256", WD_ECC_SECP256R1 },
	{ "P-384", WD_ECC_SECP384R1 }, { "P-521", WD_ECC_SECP521R1 }, { "EA", WD_ECC_SECP192R1 },
	{ "EB", WD_ECC_SECP224R1 }, { "EC", WD_ECC_SECP256R1 }, { "ED", WD_ECC_SECP384R1 }, { "EE", WD_ECC_SECP521R1 },
	{ "brainpoolP256r1", WD_ECC_BRAINPOOL_P256R1 }, { "brainpoolP384r1", WD_ECC_BRAINPOOL_P384R1 },
	{ "brainpoolP512r1", WD_ECC_BRAINPOOL_P512R1 }, { "secp192r1", WD_ECC_SECP192R1 },
	{ "secp224r1", WD_ECC_SECP224R1 }, { "secp256r1", WD_ECC_SECP256R1 }, { "secp384r1", WD_ECC_SECP384R1 },
	{ "secp521r1", WD_ECC_SECP521R1 }, { "K-256", WD_ECC_SECP256K1 },
};

/* The curve whose name begins the text, with no letter behind it; 0: no supported curve. */
static int curve_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		size_t n = strlen(curves[i].name);

		if (!strncmp(name, curves[i].name, n) && !isalnum((unsigned char)name[n]))
			return curves[i].curve;
	}
	return 0;
}

/* Each curve has one session, which is never freed. */
static handle_t session(int alg, int curve)
{
	static handle_t open[5][WD_ECC_BRAINPOOL_P512R1 + 1];
	handle_t *h = &open[alg][curve];

	if (!*h)
		*h = ecc_open(alg, curve, WD_SYNC, 0);
	return *h;
}

static bool field(unsigned char *to, size_t w, const char *hex)
{
	struct bytes b = digits(hex);
	bool good = hex && pad_to(to, w, &b);

	free(b.at);
	return good;
}

/* --- ECDSA --- */

static size_t hash(const char *name, const struct bytes *msg, unsigned char *digest)
{
	const char *sha = strstr(name, "SHA");
	char plain[16];
	unsigned int n = 0, i, k;

	for (i = k = 0; sha && sha[i] && sha[i] != ']' && k + 1 < sizeof(plain); i++)
		if (isalnum((unsigned char)sha[i]))
			plain[k++] = sha[i];
	plain[k] = 0;
	EVP_Digest(msg->at, msg->len, digest, &n, EVP_get_digestbyname(plain), NULL);
	return n;
}

/* A slow device runs only some of many similar cases. */
static bool is_one_of_few(int i)
{
	return !getenv("WD_FEW_REQUESTS") || i % (getenv("WD_TEST_BRIEF") ? 60 : 15) == 0;
}

static bool signature_case(void *arg, struct vec *v)
{
	unsigned char digest[64], r_s[2 * ECC_MAX], out[2 * ECC_MAX], k[ECC_MAX];
	int curve = curve_of(v->section + 1);
	handle_t h = session(WD_ECC_ECDSA, curve);
	size_t w = curve ? (size_t)wd_ecc_sess_bytes(h) : 0, n, len = sizeof(out);
	struct bytes b[4] = {
		vec_bytes(v, "Msg"), digits(vec_text(v, "d")), digits(vec_text(v, "Qx")), digits(vec_text(v, "Qy"))
	};
	bool good = true;

	if (curve && is_one_of_few((*(int *)arg)++)) {
		n = hash(v->section, &b[0], digest);
		good = n && field(r_s, w, vec_text(v, "R")) && field(r_s + w, w, vec_text(v, "S")) &&
		       ecc_key_points(h, &b[1], &b[2], &b[3]);
		if (vec_text(v, "k"))
			good = good && field(k, w, vec_text(v, "k")) &&
			       !ecc_do(h, WD_ECC_SIGN, digest, n, k, w, out, &len) && len == 2 * w &&
			       !memcmp(out, r_s, len);
		good = good && !ecc_do(h, WD_ECC_VERIFY, digest, n, r_s, 2 * w, NULL, NULL);
		digest[0] ^= 0x80;
		good = good && ecc_do(h, WD_ECC_VERIFY, digest, n, r_s, 2 * w, NULL, NULL) == -EBADMSG;
	}
	release(b, 4);
	return good;
}

TEST(nist_signatures_with_their_nonces)
{
	static const char *const files[] = { "asymmetric/ECDSA/FIPS_186-3/SigGen.txt", NULL };
	int n = 0;

	VEC_FILES(files, "S", signature_case, &n);
	EXPECT_EQ(375, n);
}

TEST(signatures_of_secp256k1)
{
	static const char *const files[] = { "asymmetric/ECDSA/SECP256K1/SigGen.txt", NULL };
	int n = 0;

	VEC_FILES(files, "S", signature_case, &n);
	EXPECT_LT(0, n);
}

static bool public_case(void *arg, struct vec *v)
{
	int curve = curve_of(v->section + 1);
	struct bytes b[2] = { digits(vec_text(v, "Qx")), digits(vec_text(v, "Qy")) };
	bool good = !curve || ecc_key_points(session(WD_ECC_ECDSA,
						     curve), NULL, &b[0], &b[1]) == (vec_text(v, "Result")[0] == 'P');

	release(b, 2);
	return good;
}

TEST(nist_public_keys_good_and_bad)
{
	static const char *const files[] = {
		"asymmetric/ECDSA/FIPS_186-3/PKV.rsp", "asymmetric/ECDSA/FIPS_186-2/PKV.rsp", NULL
	};

	VEC_FILES(files, "Result", public_case, NULL);
}

static bool wyche_verify(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes msg = json_bytes(test, "msg"), sig = json_bytes(test, "sig"), x, y;
	bool valid = !strcmp(json_text(test, "result"), "valid"), good;
	unsigned char digest[64];
	struct json_object *key;
	size_t n;
	handle_t h;
	int ret;

	if (!json_object_object_get_ex(group, "publicKey", &key))
		return false;
	h = session(WD_ECC_ECDSA, curve_of(json_text(key, "curve")));
	x = digits(json_text(key, "wx"));
	y = digits(json_text(key, "wy"));
	n = hash(json_text(group, "sha"), &msg, digest);
	good = n && ecc_key_points(h, NULL, &x, &y);
	ret = ecc_do(h, WD_ECC_VERIFY, digest, n, sig.at, sig.len, NULL, NULL);
	good &= valid ? !ret : ret == -EBADMSG || ret == -EINVAL;
	free(msg.at);
	free(sig.at);
	free(x.at);
	free(y.at);
	return good;
}

#define WYCHE_TEST(test, file, call) \
TEST(test) \
{ \
	WYCHE(file, call, NULL); \
}

WYCHE_TEST(wycheproof_ecdsa_p192, "ecdsa_secp192r1_sha256_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_p224, "ecdsa_secp224r1_sha256_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_p256, "ecdsa_secp256r1_sha256_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_p384, "ecdsa_secp384r1_sha384_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_p521, "ecdsa_secp521r1_sha512_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_brainpool_256, "ecdsa_brainpoolP256r1_sha256_p1363_test", wyche_verify)
WYCHE_TEST(wycheproof_ecdsa_brainpool_384, "ecdsa_brainpoolP384r1_sha384_p1363_test", wyche_verify)

/* RFC 6979, A.2.5: P-256, SHA-256, "sample" */
TEST(rfc_6979)
{
	struct bytes d = bytes_of("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"), msg = {
		.at = (void *)"sample", .len = 6
	};
	unsigned char digest[64], k[32], want[64], out[64];
	handle_t h = session(WD_ECC_ECDSA, WD_ECC_SECP256R1);
	size_t n = hash("SHA256", &msg, digest), len = sizeof(out);

	ASSERT_TRUE(ecc_key_points(h, &d, NULL, NULL)) TH_LOG("%s", detail(h));
	ASSERT_TRUE(field(k, 32, "A6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60"));
	ASSERT_TRUE(field(want, 32, "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"));
	ASSERT_TRUE(field(want + 32, 32, "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"));
	ASSERT_EQ(0, ecc_do(h, WD_ECC_SIGN, digest, n, k, 32, out, &len)) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(want, out, 64));
	free(d.at);
}

/* --- ECDH --- */

static bool agrees(handle_t h, const char *d, const char *x, const char *y, const char *z)
{
	unsigned char peer[2 * ECC_MAX], want[ECC_MAX], out[ECC_MAX];
	size_t w = (size_t)wd_ecc_sess_bytes(h), len = sizeof(out);
	struct bytes own = digits(d);
	bool good = field(peer, w, x) && field(peer + w, w, y) && field(want, w, z);

	good = good && !ecc_do(h, WD_ECC_AGREE, peer, 2 * w, own.at, own.len, out, &len) && len == w &&
	       !memcmp(out, want, w);
	free(own.at);
	return good;
}

static bool brainpool_case(void *arg, struct vec *v)
{
	handle_t h = session(WD_ECC_ECDH, curve_of(vec_text(v, "curve")));
	const char *z = vec_text(v, "x_Z");

	return agrees(h, vec_text(v, "dA"), vec_text(v, "x_qB"), vec_text(v, "y_qB"), z) &&
	       agrees(h, vec_text(v, "dB"), vec_text(v, "x_qA"), vec_text(v, "y_qA"), z);
}

TEST(rfc_7027)
{
	static const char *const files[] = { "asymmetric/ECDH/brainpool.txt", NULL };

	VEC_FILES(files, "y_Z", brainpool_case, NULL);
}

/* Failing cases have another Z, a bad point, or a bad hash. */
static bool nist_agree_case(void *arg, struct vec *v)
{
	int curve = curve_of(v->section + 1);
	const char *result = vec_text(v, "Result");
	bool good = curve && agrees(session(WD_ECC_ECDH, curve), vec_text(v, "dsIUT"), vec_text(v, "QsCAVSx"),
				    vec_text(v, "QsCAVSy"), vec_text(v, "Z"));

	return result[0] == 'F' || good;
}

TEST(nist_key_agreements)
{
	static const char *const files[] = { "asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax",
					     "asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_resp.fax",
					     NULL };

	VEC_FILES(files, "Result", nist_agree_case, NULL);
}

/* The library takes only points encoded as 4, x, y: valid cases with other encodings are left out. */
static bool wyche_agree(void *arg, struct json_object *group, struct json_object *test)
{
	handle_t h = session(WD_ECC_ECDH, curve_of(json_text(group, "curve")));
	bool valid = !strcmp(json_text(test, "result"), "valid"), asn = !strcmp(json_text(group, "encoding"), "asn");
	size_t w = (size_t)wd_ecc_sess_bytes(h), point = 1 + 2 * w, len = ECC_MAX;
	struct bytes pub = json_bytes(test, "public"), d = digits(json_text(test, "private"));
	unsigned char out[ECC_MAX], want[ECC_MAX];
	const unsigned char *at = pub.at + (pub.len >= point ? pub.len - point : 0);
	bool ours = (asn ? valid && pub.len > point : pub.len == point) && at[0] == 4, good = true;
	int ret;

	if (ours) {
		(*(int *)arg)++;
		ret = ecc_do(h, WD_ECC_AGREE, at + 1, 2 * w, d.at, d.len, out, &len);
		good = valid ? !ret && field(want, w, json_text(test, "shared")) && !memcmp(out, want, w) :
		       ret == -EINVAL;
	}
	free(pub.at);
	free(d.at);
	return good;
}

#define WYCHE_AGREE(test, file) \
TEST(test) \
{ \
	int n = 0; \
	\
	WYCHE(file, wyche_agree, &n); \
	EXPECT_LT(100, n); \
}

WYCHE_AGREE(wycheproof_ecdh_p224, "ecdh_secp224r1_ecpoint_test")
WYCHE_AGREE(wycheproof_ecdh_p256, "ecdh_secp256r1_ecpoint_test")
WYCHE_AGREE(wycheproof_ecdh_p384, "ecdh_secp384r1_ecpoint_test")
WYCHE_AGREE(wycheproof_ecdh_p521, "ecdh_secp521r1_ecpoint_test")
WYCHE_AGREE(wycheproof_ecdh_brainpool_256, "ecdh_brainpoolP256r1_test")
WYCHE_AGREE(wycheproof_ecdh_brainpool_384, "ecdh_brainpoolP384r1_test")

/* --- X25519, X448 --- */

static bool montgomery(handle_t h, const struct bytes *d, const struct bytes *u, const struct bytes *want)
{
	unsigned char out[ECC_MAX];
	size_t len = sizeof(out);
	int ret = ecc_do(h, WD_ECC_AGREE, u->at, u->len, d->at, d->len, out, &len);

	if (ret == -EINVAL && strstr(detail(h), "small order"))
		memset(out, 0, len = want->len);
	else if (ret)
		return false;
	return len == want->len && !memcmp(out, want->at, len);
}

static bool rfc7748_case(void *arg, struct vec *v)
{
	struct bytes b[3] = { vec_bytes(v, "INPUT_SCALAR"), vec_bytes(v, "INPUT_U"), vec_bytes(v, "OUTPUT_U") };
	bool good = montgomery(session(*(int *)arg, 0), &b[0], &b[1], &b[2]);

	release(b, 3);
	return good;
}

TEST(rfc_7748_x25519)
{
	static const char *const files[] = { "asymmetric/X25519/rfc7748.txt", NULL };
	int alg = WD_ECC_X25519;

	VEC_FILES(files, "OUTPUT_U", rfc7748_case, &alg);
}

TEST(rfc_7748_x448)
{
	static const char *const files[] = { "asymmetric/X448/rfc7748.txt", NULL };
	int alg = WD_ECC_X448;

	VEC_FILES(files, "OUTPUT_U", rfc7748_case, &alg);
}

static bool wyche_montgomery(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes b[3] = { json_bytes(test, "private"), json_bytes(test, "public"), json_bytes(test, "shared") };
	handle_t h = session(*(int *)arg, 0);
	bool good;

	/* Another length must be an error. */
	if (b[1].len != (size_t)wd_ecc_sess_bytes(h))
		good = !montgomery(h, &b[0], &b[1], &b[2]) && strcmp(json_text(test, "result"), "valid");
	else
		good = montgomery(h, &b[0], &b[1], &b[2]);
	release(b, 3);
	return good;
}

TEST(wycheproof_x25519)
{
	int alg = WD_ECC_X25519;

	WYCHE("x25519_test", wyche_montgomery, &alg);
}

TEST(wycheproof_x448)
{
	int alg = WD_ECC_X448;

	WYCHE("x448_test", wyche_montgomery, &alg);
}

/* --- SM2: GM/T 0003.5, with its one key and nonce --- */

#define SM2_K	"59276E27D506861A16680F3AD9C02DCCEF3CC1FA3CDBE4CE6D54B80DEAC1BC21"

FIXTURE(sm2) {
	handle_t h;
	unsigned char k[32];
};

FIXTURE_SETUP(sm2)
{
	struct bytes b[3] = {
		bytes_of("3945208F7B2144B13F36E38AC6D39F95889393692860B51A42FB81EF4DF7C5B8"),
		bytes_of("09F9DF311E5421A150DD7D161E4BC5C672179FAD1833FC076BB08FF356F35020"),
		bytes_of("CCEA490CE26775A52DC6EA718CC1AA600AED05FBF35E084A6632F6072DA9AD13"),
	};

	self->h = session(WD_ECC_SM2, 0);
	ASSERT_TRUE(ecc_key_points(self->h, &b[0], &b[1], &b[2])) TH_LOG("%s", detail(self->h));
	ASSERT_TRUE(field(self->k, 32, SM2_K));
	release(b, 3);
}

FIXTURE_TEARDOWN(sm2)
{
}

TEST_F(sm2, signs_the_standards_message)
{
	unsigned char e[32], want[64], out[64];
	size_t len = sizeof(out);

	ASSERT_EQ(0, wd_ecc_sm2_digest(self->h, NULL, 0, "message digest", 14, e));
	ASSERT_TRUE(field(want, 32, "F0B43E94BA45ACCAACE692ED534382EB17E6AB5A19CE7B31F4486FDFC0D28640"));
	EXPECT_EQ(0, memcmp(e, want, 32));
	ASSERT_TRUE(field(want, 32, "F5A03B0648D2C4630EEAC513E1BB81A15944DA3827D5B74143AC7EACEEE720B3"));
	ASSERT_TRUE(field(want + 32, 32, "B1B6AA29DF212FD8763182BC0D421CA1BB9038FD1F7F42D4840B69C485BBC1AA"));
	ASSERT_EQ(0, ecc_do(self->h, WD_ECC_SIGN, e, 32, self->k, 32, out, &len)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(out, want, 64));
	EXPECT_EQ(0, ecc_do(self->h, WD_ECC_VERIFY, e, 32, out, 64, NULL, NULL));
	e[31] ^= 1;
	EXPECT_EQ(-EBADMSG, ecc_do(self->h, WD_ECC_VERIFY, e, 32, out, 64, NULL, NULL));
}

TEST_F(sm2, encrypts_the_standards_text)
{
	struct bytes want = bytes_of("04EBFC718E8D1798620432268E77FEB6415E2EDE0E073C0F4F640ECD2E149A73"
				     "E858F9D81E5430A57B36DAAB8F950A3C64E6EE6A63094D99283AFF767E124DF0"
				     "21886CA989CA9C7D58087307CA93092D651EFA"
				     "59983C18F809E262923C53AEC295D30383B54E39D609D160AFCB1908D0BD8766");
	unsigned char out[128], text[19];
	size_t len = sizeof(out);

	ASSERT_EQ(0, ecc_do(self->h, WD_ECC_ENCRYPT, "encryption standard", 19, self->k, 32, out, &len))
		TH_LOG("%s", detail(self->h));
	ASSERT_EQ(want.len, len);
	EXPECT_EQ(0, memcmp(out, want.at, len));
	len = 19;
	ASSERT_EQ(0, ecc_do(self->h, WD_ECC_DECRYPT, want.at, want.len, NULL, 0, text, &len));
	EXPECT_EQ(19, len);
	EXPECT_EQ(0, memcmp(text, "encryption standard", 19));
	free(want.at);
}

TEST_HARNESS_MAIN
