// SPDX-License-Identifier: Apache-2.0
/* Published vectors of ciphers, authenticated encryption, digests and HMAC, by way of EVP, in requests of any size. */
#include "aead_vectors.h"
#include "provider_test.h"
#include "harness_long.h"

FIXTURE(vectors) {
	struct both b;
};

FIXTURE_SETUP(vectors)
{
	setenv("WD_OPENSSL_ALGORITHMS", "ciphers digests aes-ctr aes-ecb", 1);
	setenv("WD_OPENSSL_MIN_BYTES", "1", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(vectors)
{
	both_close(&self->b);
}

/* One file or several of the same algorithm. */
struct job {
	struct both *b;
	const char *name;		/* in libcrypto; %zu is the bits of the key */
	const char *digest;		/* of HMAC */
	unsigned int ran;
	uint64_t before;		/* requests of devices */
};

static struct job job_of(struct both *b, const char *name, const char *digest)
{
	return (struct job){ .b = b, .name = name, .digest = digest, .before = taken(b) };
}

/*
 * Each vector was right; did the provider give some of the work to where it goes here? A sample may be an empty
 * message.
 */
#define RAN(job) do { \
	EXPECT_LT(0, (job).ran); \
	if (vec_every() == 1) \
		EXPECT_LT((job).before, taken((job).b)); \
} while (0)

static EVP_CIPHER *cipher_of(const struct job *j, size_t key_len)
{
	char name[32];

	snprintf(name, sizeof(name), j->name, key_len * (strstr(j->name, "XTS") ? 4 : 8));
	return EVP_CIPHER_fetch(j->b->ours, name, NULL);
}

/* --- ciphers --- */

/* In two parts, of which the first is a multiple of 16 bytes. XTS takes its data in one part. */
static bool one_way(const struct job *j, int enc, const struct bytes *key, const struct bytes *iv,
		    const struct bytes *in, const struct bytes *want, bool in_place, bool parts)
{
	EVP_CIPHER *cipher = cipher_of(j, key->len);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char *out = malloc(in->len + 32), *from = in_place ? out : in->at;
	int first = parts ? (int)(in->len / 2 & ~15u) : 0, n = 0, m = 0, k = 0;
	bool good;

	memcpy(out, in->at, in_place ? in->len : 0);
	good = cipher && EVP_CipherInit_ex2(ctx, cipher, key->at, iv->len ? iv->at : NULL, enc, NULL) == 1 &&
	       EVP_CIPHER_CTX_set_padding(ctx, 0) && (!first || EVP_CipherUpdate(ctx, out, &n, from, first) == 1) &&
	       EVP_CipherUpdate(ctx, out + n, &m, from + first, (int)in->len - first) == 1 &&
	       EVP_CipherFinal_ex(ctx, out + n + m, &k) == 1 && (size_t)(n + m + k) == want->len &&
	       !memcmp(out, want->at, want->len);
	if (!good)
		errors_print();
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
	free(out);
	return good;
}

static bool both_ways(struct job *j, const struct bytes *key, const struct bytes *iv, const struct bytes *plain,
		      const struct bytes *ct)
{
	bool parts = !strstr(j->name, "XTS");

	j->ran++;
	return one_way(j, 1, key, iv, plain, ct, false, false) && one_way(j, 0, key, iv, ct, plain, false, false) &&
	       one_way(j, 1, key, iv, plain, ct, true, parts) && one_way(j, 0, key, iv, ct, plain, true, parts);
}

/* 3DES has its keys in separate lines, or one key for all three. */
static struct bytes key_of(struct vec *v, bool triple)
{
	const char *all = vec_text(v, "KEYs"), *k1 = all ? all : vec_text(v, "KEY1");
	char three[64];

	if (!triple)
		return vec_bytes(v, "KEY");
	snprintf(three, sizeof(three), "%s%s%s", k1, vec_text(v, "KEY2") ?: k1, vec_text(v, "KEY3") ?: k1);
	return bytes_of(three);
}

static bool cipher_record(void *arg, struct vec *v)
{
	struct job *j = arg;
	struct bytes key = key_of(v, !strncmp(j->name, "DES", 3)), iv = vec_bytes(v, "IV");
	struct bytes plain = vec_bytes(v, "PLAINTEXT"), ct = vec_bytes(v, "CIPHERTEXT");
	bool good;

	if (strstr(j->name, "ECB"))
		iv.len = 0;
	good = both_ways(j, &key, &iv, &plain, &ct);
	free(key.at);
	free(iv.at);
	free(plain.at);
	free(ct.at);
	return good;
}

/* Data units of whole bytes only. */
static bool xts_record(void *arg, struct vec *v)
{
	struct bytes key = vec_bytes(v, "Key"), iv = vec_bytes(v, "i"), plain = vec_bytes(v, "PT"),
		     ct = vec_bytes(v, "CT");
	bool good = vec_number(v, "DataUnitLen") % 8 || both_ways(arg, &key, &iv, &plain, &ct);

	free(key.at);
	free(iv.at);
	free(plain.at);
	free(ct.at);
	return good;
}

#define NIST(test, name, last, call, ...) \
TEST_F(vectors, test) \
{ \
	static const char *const names[] = { __VA_ARGS__, NULL }; \
	struct job j = job_of(&self->b, name, NULL); \
	\
	VEC_FILES(names, last, call, &j); \
	RAN(j); \
}
#define SIZES(what) what "128.rsp", what "192.rsp", what "256.rsp"
#define AES(mode, file) SIZES("ciphers/AES/" mode "/" file "MMT"), SIZES("ciphers/AES/" mode "/" file "GFSbox")
#define DES3(mode, file) "ciphers/3DES/" mode "/" file "MMT1.rsp", "ciphers/3DES/" mode "/" file "MMT2.rsp", \
	"ciphers/3DES/" mode "/" file "MMT3.rsp", "ciphers/3DES/" mode "/" file "varkey.rsp"
#define SM4(mode) "ciphers/SM4/draft-ribose-cfrg-sm4-10-" mode ".txt"

NIST(aes_ecb, "AES-%zu-ECB", "CIPHERTEXT", cipher_record, AES("ECB", "ECB"))
NIST(aes_cbc, "AES-%zu-CBC", "CIPHERTEXT", cipher_record, AES("CBC", "CBC"))
NIST(aes_cfb, "AES-%zu-CFB", "CIPHERTEXT", cipher_record, AES("CFB", "CFB128"))
NIST(aes_ofb, "AES-%zu-OFB", "CIPHERTEXT", cipher_record, AES("OFB", "OFB"))
NIST(aes_ctr_of_rfc_3686, "AES-%zu-CTR", "CIPHERTEXT", cipher_record, "ciphers/AES/CTR/aes-128-ctr.txt",
     "ciphers/AES/CTR/aes-192-ctr.txt", "ciphers/AES/CTR/aes-256-ctr.txt")
NIST(aes_xts, "AES-%zu-XTS", "CT", xts_record, "ciphers/AES/XTS/tweak-128hexstr/XTSGenAES128.rsp",
     "ciphers/AES/XTS/tweak-128hexstr/XTSGenAES256.rsp")
NIST(triple_des_ecb, "DES-EDE3-ECB", "CIPHERTEXT", cipher_record, DES3("ECB", "TECB"))
NIST(triple_des_cbc, "DES-EDE3-CBC", "CIPHERTEXT", cipher_record, DES3("CBC", "TCBC"))
NIST(sm4_ecb, "SM4-ECB", "CIPHERTEXT", cipher_record, SM4("ecb"))
NIST(sm4_cbc, "SM4-CBC", "CIPHERTEXT", cipher_record, SM4("cbc"))
NIST(sm4_cfb, "SM4-CFB", "CIPHERTEXT", cipher_record, SM4("cfb"))
NIST(sm4_ofb, "SM4-OFB", "CIPHERTEXT", cipher_record, SM4("ofb"))
NIST(sm4_ctr, "SM4-CTR", "CIPHERTEXT", cipher_record, SM4("ctr"))

/* --- authenticated encryption --- */

/* The key and the sizes come first, then the nonce. CCM has to know how much data follows. */
static bool aead_starts(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, int enc, const struct one *o, int len)
{
	bool ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	int n;

	return EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, enc, NULL) == 1 &&
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)o->iv.len, NULL) > 0 &&
	       (enc && !ccm ? 1 :
		EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)o->tag.len, enc ? NULL : o->tag.at)) > 0 &&
	       EVP_CipherInit_ex2(ctx, NULL, o->key.at, o->iv.at, enc, NULL) == 1 &&
	       (!ccm || EVP_CipherUpdate(ctx, NULL, &n, NULL, len) == 1) &&
	       (!o->assoc.len || EVP_CipherUpdate(ctx, NULL, &n, o->assoc.at, (int)o->assoc.len) == 1);
}

/* Return: whether libcrypto accepts it; the output, and the tag of an encryption. CCM ends with its data. */
static bool aead(const struct job *j, int enc, const struct one *o, unsigned char *out, unsigned char *tag)
{
	const struct bytes *in = enc ? &o->plain : &o->ct;
	EVP_CIPHER *cipher = cipher_of(j, o->key.len);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n = 0, k = 0;
	bool good;

	good = cipher && aead_starts(ctx, cipher, enc, o, (int)in->len) &&
	       EVP_CipherUpdate(ctx, out, &n, in->len ? in->at : (const unsigned char *)"", (int)in->len) == 1 &&
	       ((!enc && EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE) ||
		EVP_CipherFinal_ex(ctx, out + n, &k) == 1) && (size_t)(n + k) == in->len &&
	       (!enc || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)o->tag.len, tag) > 0);
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
	return good;
}

static bool aead_right(struct job *j, const struct one *o)
{
	unsigned char *out = malloc(o->ct.len + 16), tag[16];
	bool good = aead(j, 0, o, out, NULL) == o->plain.set;

	j->ran++;
	if (o->plain.set) {
		good = good && !memcmp(out, o->plain.at, o->plain.len) && aead(j, 1, o, out, tag) &&
		       !memcmp(out, o->ct.at, o->ct.len) && !memcmp(tag, o->tag.at, o->tag.len);
		o->tag.at[0] ^= 1;
		good = good && !aead(j, 0, o, out, NULL);
		o->tag.at[0] ^= 1;
	}
	free(out);
	return good;
}

static bool gcm_record(void *arg, struct vec *v)
{
	struct one o = gcm_case(v);
	bool good = aead_right(arg, &o);

	one_free(&o);
	return good;
}

static bool ccm_record(void *arg, struct vec *v)
{
	struct one o = ccm_case(v);
	bool good = aead_right(arg, &o);

	one_free(&o);
	return good;
}

NIST(aes_gcm_encryption, "AES-%zu-GCM", "Tag", gcm_record, SIZES("ciphers/AES/GCM/gcmEncryptExtIV"))
NIST(aes_gcm_decryption, "AES-%zu-GCM", "Tag", gcm_record, SIZES("ciphers/AES/GCM/gcmDecrypt"))
NIST(aes_ccm_associated_data, "AES-%zu-CCM", "CT", ccm_record, SIZES("ciphers/AES/CCM/VADT"))
NIST(aes_ccm_payloads, "AES-%zu-CCM", "CT", ccm_record, SIZES("ciphers/AES/CCM/VPT"))
NIST(aes_ccm_tags, "AES-%zu-CCM", "CT", ccm_record, SIZES("ciphers/AES/CCM/VTT"))
NIST(aes_ccm_decryption, "AES-%zu-CCM", "CT", ccm_record, SIZES("ciphers/AES/CCM/DVPT"))

/* libcrypto accepts some sizes that Wycheproof warns of, and has a longest nonce. */
static bool wyche_aead(void *arg, struct json_object *group, struct json_object *test)
{
	struct one o = wyche_case(test);
	bool sound = strstr(json_text(test, "flags"), "Insecure") || o.iv.len > 128, good;

	(void)group;
	good = aead_right(arg, &o) || sound;
	one_free(&o);
	return good;
}

#define WYCHEPROOF(test, name, digest, call) \
TEST_F(vectors, wycheproof_##test) \
{ \
	struct job j = job_of(&self->b, name, digest); \
	\
	WYCHE(#test "_test", call, &j); \
	RAN(j); \
}

WYCHEPROOF(aes_gcm, "AES-%zu-GCM", NULL, wyche_aead)
WYCHEPROOF(aes_ccm, "AES-%zu-CCM", NULL, wyche_aead)

/* With padding: what has a bad one must be refused. */
static bool wyche_cbc(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes key = json_bytes(test, "key"), iv = json_bytes(test, "iv"), msg = json_bytes(test, "msg"),
		     ct = json_bytes(test, "ct");
	struct job *j = arg;
	EVP_CIPHER *cipher = cipher_of(j, key.len);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char *out = malloc(ct.len + 32);
	int n = 0, k = 0;
	bool good;

	(void)group;
	good = cipher && EVP_CipherInit_ex2(ctx, cipher, key.at, iv.at, 0, NULL) == 1 &&
	       EVP_CipherUpdate(ctx, out, &n, ct.at, (int)ct.len) == 1 && EVP_CipherFinal_ex(ctx, out + n, &k) == 1 &&
	       (size_t)(n + k) == msg.len && !memcmp(out, msg.at, msg.len);
	j->ran++;
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
	free(out);
	free(key.at);
	free(iv.at);
	free(msg.at);
	free(ct.at);
	return good == !strcmp(json_text(test, "result"), "valid");
}

WYCHEPROOF(aes_cbc_pkcs5, "AES-%zu-CBC", NULL, wyche_cbc)

/* --- digests and HMAC --- */

static bool digest_right(const struct job *j, const struct bytes *msg, const struct bytes *want)
{
	EVP_MD *md = EVP_MD_fetch(j->b->ours, j->name, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char out[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	bool good;

	good = md && EVP_Digest(msg->at, msg->len, out, &n, md, NULL) == 1 && n == want->len &&
	       !memcmp(out, want->at, n) && EVP_DigestInit_ex2(ctx, md, NULL) == 1 &&
	       EVP_DigestUpdate(ctx, msg->at, msg->len / 3) == 1 &&
	       EVP_DigestUpdate(ctx, msg->at + msg->len / 3, msg->len - msg->len / 3) == 1 &&
	       EVP_DigestFinal_ex(ctx, out, &n) == 1 && !memcmp(out, want->at, n);
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
	return good;
}

static bool hmac_right(const struct job *j, const struct bytes *key, const struct bytes *msg, const struct bytes *want)
{
	unsigned char out[EVP_MAX_MD_SIZE];
	size_t n = 0;

	return EVP_Q_mac(j->b->ours, "HMAC", NULL, j->digest, NULL, key->at, key->len, msg->at, msg->len, out,
			 sizeof(out), &n) && n >= want->len && !memcmp(out, want->at, want->len);
}

/* Lengths are in bits, and the file writes an empty message as one byte. */
static bool digest_record(void *arg, struct vec *v)
{
	struct bytes key = vec_bytes(v, "Key"), msg = vec_bytes(v, "Msg"), want = vec_bytes(v, "MD");
	struct job *j = arg;
	bool good;

	if (!j->digest)
		msg.len = vec_number(v, "Len") / 8;
	good = j->digest ? hmac_right(j, &key, &msg, &want) : digest_right(j, &msg, &want);
	j->ran++;
	free(key.at);
	free(msg.at);
	free(want.at);
	return good;
}

#define HASHES(what) "hashes/" what "ShortMsg.rsp", "hashes/" what "LongMsg.rsp"

NIST(md5, "MD5", "MD", digest_record, "hashes/MD5/rfc-1321.txt")
NIST(sha1, "SHA1", "MD", digest_record, HASHES("SHA1/SHA1"))
NIST(sha224, "SHA2-224", "MD", digest_record, HASHES("SHA2/SHA224"))
NIST(sha256, "SHA2-256", "MD", digest_record, HASHES("SHA2/SHA256"))
NIST(sha384, "SHA2-384", "MD", digest_record, HASHES("SHA2/SHA384"))
NIST(sha512, "SHA2-512", "MD", digest_record, HASHES("SHA2/SHA512"))
NIST(sha512_224, "SHA2-512/224", "MD", digest_record, HASHES("SHA2/SHA512_224"))
NIST(sha512_256, "SHA2-512/256", "MD", digest_record, HASHES("SHA2/SHA512_256"))
NIST(sm3, "SM3", "MD", digest_record, "hashes/SM3/oscca.txt")

static bool wyche_hmac(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes key = json_bytes(test, "key"), msg = json_bytes(test, "msg"), tag = json_bytes(test, "tag");
	struct job *j = arg;
	bool good = hmac_right(j, &key, &msg, &tag) == !strcmp(json_text(test, "result"), "valid");

	(void)group;
	j->ran++;
	free(key.at);
	free(msg.at);
	free(tag.at);
	return good;
}

WYCHEPROOF(hmac_sha1, "HMAC", "SHA1", wyche_hmac)
WYCHEPROOF(hmac_sha224, "HMAC", "SHA2-224", wyche_hmac)
WYCHEPROOF(hmac_sha256, "HMAC", "SHA2-256", wyche_hmac)
WYCHEPROOF(hmac_sha384, "HMAC", "SHA2-384", wyche_hmac)
WYCHEPROOF(hmac_sha512, "HMAC", "SHA2-512", wyche_hmac)
WYCHEPROOF(hmac_sha512_224, "HMAC", "SHA2-512/224", wyche_hmac)
WYCHEPROOF(hmac_sha512_256, "HMAC", "SHA2-512/256", wyche_hmac)
WYCHEPROOF(hmac_sm3, "HMAC", "SM3", wyche_hmac)

TEST_HARNESS_MAIN
