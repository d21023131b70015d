// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption against published vectors, in both directions and in place; wrong tags release nothing. */
#include <endian.h>
#include "aead_test.h"
#include "aead_vectors.h"
#include "block_answers.h"
#include "digest_test.h"
#include "harness_long.h"

struct job {
	struct aead_kind kind;
	int ran;
	int refused;
	int unsupported;
	int elsewhere;		/* neither a device nor this libcrypto supports it */
};

static unsigned char *joined(const struct bytes *assoc, const struct bytes *data)
{
	unsigned char *p = malloc(assoc->len + data->len + 1);

	if (assoc->len)
		memcpy(p, assoc->at, assoc->len);
	if (data->len)
		memcpy(p + assoc->len, data->at, data->len);
	return p;
}

static bool zeroed(const unsigned char *p, size_t n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}

static bool encrypts(handle_t h, const struct one *o, bool in_place)
{
	unsigned char *in = joined(&o->assoc, &o->plain),
		      *out = in_place ? in : malloc(o->assoc.len + o->plain.len + 1);
	unsigned char tag[WD_DIGEST_MAX];
	int ret = aead_do(h, WD_CIPHER_ENCRYPTION, o->iv.at, o->iv.len, in, o->assoc.len, o->plain.len, out, tag);
	bool good = !ret && !memcmp(out, o->assoc.at, o->assoc.len) &&
		    !memcmp(out + o->assoc.len, o->ct.at, o->ct.len) && !memcmp(tag, o->tag.at, o->tag.len);

	if (!good)
		fprintf(stderr, "# encryption: %d, %s\n", ret, ret ? detail(h) : "");
	if (!in_place)
		free(out);
	free(in);
	return good;
}

/* If plain isn't set, the case must be refused. */
static bool decrypts(handle_t h, const struct one *o, bool in_place)
{
	unsigned char *in = joined(&o->assoc, &o->ct), *out = in_place ? in : malloc(o->assoc.len + o->ct.len + 1);
	bool good;
	int ret;

	if (!in_place)
		memset(out, 0xa5, o->assoc.len + o->ct.len);
	ret = aead_do(h, WD_CIPHER_DECRYPTION, o->iv.at, o->iv.len, in, o->assoc.len, o->ct.len, out, o->tag.at);
	if (o->plain.set)
		good = !ret && !memcmp(out + o->assoc.len, o->plain.at, o->plain.len);
	else
		good = ret == -EBADMSG && zeroed(out + o->assoc.len, o->ct.len);
	if (!good)
		fprintf(stderr, "# decryption: %d, %s\n", ret, ret ? detail(h) : "");
	if (!in_place)
		free(out);
	free(in);
	return good;
}

static bool spoiled(handle_t h, struct one *o)
{
	struct bytes plain = o->plain;
	bool good;

	o->plain.set = false;
	o->tag.at[o->tag.len - 1] ^= 1;
	good = decrypts(h, o, false) && decrypts(h, o, true);
	o->tag.at[o->tag.len - 1] ^= 1;
	o->plain = plain;
	return good;
}

/* The same in three parts: the associated data, then the data in two. */
static bool streamed(handle_t h, const struct one *o, int op)
{
	const struct bytes *from = op ? &o->ct : &o->plain, *to = op ? &o->plain : &o->ct;
	unsigned char *in = joined(&o->assoc, from), *out = malloc(o->assoc.len + from->len + 1), tag[16];
	size_t a = o->assoc.len, cut = from->len / 3;
	int ret;

	memcpy(tag, o->tag.at, op ? o->tag.len : 0);
	ret = aead_part(h, op, o->iv.at, o->iv.len, in, a, 0, out, NULL);
	if (!ret)
		ret = aead_part(h, op, NULL, 0, in + a, 0, cut, out + a, NULL);
	if (!ret)
		ret = aead_part(h, op, NULL, 0, in + a + cut, 0, from->len - cut, out + a + cut, tag);
	if (ret != (o->plain.set ? 0 : -EBADMSG) || memcmp(tag, o->tag.at, o->tag.len) ||
	    (o->plain.set && to->len && memcmp(out + a, to->at, to->len)) || (a && memcmp(out, o->assoc.at, a))) {
		fprintf(stderr, "# in parts: %d, %s\n", ret, detail(h));
		ret = 1;
	}
	free(in);
	free(out);
	return ret <= 0;
}

static bool no_device_takes(const struct job *j, const struct one *o)
{
	bool gcm = j->kind.cmode == WD_CIPHER_GCM;

	return !(o->assoc.len + o->ct.len) ? !gcm || o->iv.len : gcm && o->iv.len && o->iv.len != 12;
}

static bool right(struct job *j, struct one *o)
{
	handle_t h = aead_keyed(j->kind, o->key.at, o->key.len, o->akey.at, o->akey.len, o->tag.len, 0);
	bool good;

	if (!h) {
		j->unsupported += errno == EOPNOTSUPP;
		return errno == EOPNOTSUPP;
	}
	if (no_device_takes(j, o) && !(wd_aead_sess_caps(h) & WD_CAP_SOFT)) {
		j->elsewhere++;
		return !wd_aead_free_sess(h);
	}
	good = decrypts(h, o, false) && decrypts(h, o, true);
	if (good && j->kind.cmode == WD_CIPHER_GCM)
		good = streamed(h, o, WD_CIPHER_DECRYPTION) && (!o->plain.set || streamed(h, o, WD_CIPHER_ENCRYPTION));
	if (good && o->plain.set)
		good = encrypts(h, o, false) && encrypts(h, o, true) && spoiled(h, o);
	j->ran++;
	return !wd_aead_free_sess(h) && good;
}

static bool gcm_record(void *arg, struct vec *v)
{
	struct one o = gcm_case(v);
	bool good = right(arg, &o);

	one_free(&o);
	return good;
}

static bool ccm_record(void *arg, struct vec *v)
{
	struct one o = ccm_case(v);
	bool good = right(arg, &o);

	one_free(&o);
	return good;
}

static void run(struct __test_metadata *_metadata, struct job j, const char *const names[], const char *last,
		vec_call_t *call)
{
	VEC_FILES(names, last, call, &j);
	EXPECT_LT(0, j.ran);
}

#define NIST(name, mode, last, call, ...) \
TEST(name) \
{ \
	static const char *const names[] = { __VA_ARGS__, NULL }; \
	run(_metadata, (struct job){ .kind = { WD_CIPHER_AES, mode, 0 } }, names, last, call); \
}
#define SIZES(what) "ciphers/AES/" what "128.rsp", "ciphers/AES/" what "192.rsp", "ciphers/AES/" what "256.rsp"

NIST(aes_gcm_encryption, WD_CIPHER_GCM, "Tag", gcm_record, SIZES("GCM/gcmEncryptExtIV"))
NIST(aes_gcm_decryption, WD_CIPHER_GCM, "Tag", gcm_record, SIZES("GCM/gcmDecrypt"))
NIST(aes_ccm_associated_data, WD_CIPHER_CCM, "CT", ccm_record, SIZES("CCM/VADT"))
NIST(aes_ccm_nonces, WD_CIPHER_CCM, "CT", ccm_record, SIZES("CCM/VNT"))
NIST(aes_ccm_payloads, WD_CIPHER_CCM, "CT", ccm_record, SIZES("CCM/VPT"))
NIST(aes_ccm_tags, WD_CIPHER_CCM, "CT", ccm_record, SIZES("CCM/VTT"))
NIST(aes_ccm_decryption, WD_CIPHER_CCM, "CT", ccm_record, SIZES("CCM/DVPT"))

/* Invalid sizes of nonce and tag must be refused. */
static bool wyche_aead(void *arg, struct json_object *group, struct json_object *test)
{
	struct one o = wyche_case(test);
	bool size = strstr(json_text(test, "flags"), "Invalid") || strstr(json_text(test, "flags"), "ZeroLengthIv") ||
		    strstr(json_text(test, "flags"), "Insecure") || strstr(json_text(test, "flags"), "CVE");
	struct job *j = arg;
	bool good;

	(void)group;
	/* Nonces too long for libcrypto; devices take only 12 bytes. */
	if (o.iv.len > 128) {
		one_free(&o);
		return true;
	}
	good = right(j, &o);
	if (size && !j->unsupported) {
		j->refused++;
		good = !good;
	}
	one_free(&o);
	return good;
}

#define WYCHEPROOF(name, alg, mode) \
TEST(wycheproof_##name) \
{ \
	struct job j = { .kind = { alg, mode, 0 } }; \
	\
	WYCHE(#name "_test", wyche_aead, &j); \
	if (!j.ran && j.unsupported) \
		SKIP(return, "%s", detail(0)); \
	EXPECT_LT(0, j.ran); \
	EXPECT_LT(0, j.refused); \
}

WYCHEPROOF(aes_gcm, WD_CIPHER_AES, WD_CIPHER_GCM)
WYCHEPROOF(aes_ccm, WD_CIPHER_AES, WD_CIPHER_CCM)
WYCHEPROOF(sm4_gcm, WD_CIPHER_SM4, WD_CIPHER_GCM)
WYCHEPROOF(sm4_ccm, WD_CIPHER_SM4, WD_CIPHER_CCM)

/* --- CBC with HMAC --- */

/* RFC 4231's first key, and its longest, which is longer than a block of every hash. */
#define RFC4231_1	"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
#define AA32		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RFC4231_6	AA32 AA32 AA32 AA32 "aaaaaa"
#define ASSOC		"feedfacedeadbeeffeedfacedeadbeefabaddad2"

#define AUTHENC(c, h)	{ WD_CIPHER_##c, WD_CIPHER_CBC, WD_DIGEST_##h }

/*
 * There are no published vectors for this combination: the ciphertexts are published (SP 800-38A,
 * the draft of SM4), and the tags are the HMACs that libcrypto and Python's hmac
 * compute of ASSOC and the ciphertext.
 */
static const struct {
	struct aead_kind kind;
	const char *key, *akey, *plain, *ct, *tag;
} composed[] = {
	{ AUTHENC(AES, SHA1), K128, RFC4231_1, F4, CBC_AES128,
	  "8f640b7f45ce5fa1166e33c3afa893d1c411fe90" },
	{ AUTHENC(AES, SHA256), K128, RFC4231_1, F4, CBC_AES128,
	  "a62cada64d6c09901b6a423f64a7380e360935430dae27254b1bacf70337fe94" },
	{ AUTHENC(AES, SHA512), K128, RFC4231_1, F4, CBC_AES128,
	  "9231eb8b7f54d69e29ed7aa01cc4af87309329c063362b27d21f7b589bf5c483"
	  "b201523ebbaa1cc666c94f42751355daa215ede449d0e5c50776816419f19189" },
	{ AUTHENC(AES, SM3), K128, RFC4231_1, F4, CBC_AES128,
	  "edb9190588495960c9e23f64e26639f3356ef489cce7a7c3e245142384a5474a" },
	{ AUTHENC(AES, SHA1), K192, RFC4231_6, F4, CBC_AES192,
	  "269efa5ffa75c947925aecf84a40ea0a386687e4" },
	{ AUTHENC(AES, SHA256), K192, RFC4231_6, F4, CBC_AES192,
	  "b9e19a8ffa07d4867fb54056062206ca4ea981497ba84ac9f5356aeb8196416e" },
	{ AUTHENC(AES, SHA512), K192, RFC4231_6, F4, CBC_AES192,
	  "3b90027e781ae683c15eae1171466c0c851ff49bfac2248ce223012b30029dba"
	  "dc3df771cf869f77130da3ee3447237df68150ac1c642355e0700174016c520e" },
	{ AUTHENC(AES, SM3), K192, RFC4231_6, F4, CBC_AES192,
	  "6d300024e3a114faf72acb36a14c3af0d609ab337932a568ff488bbb0a19342f" },
	{ AUTHENC(AES, SHA1), K256, RFC4231_6, F4, CBC_AES256,
	  "258126dcfddaa3d97f7c2011edcfe5380e6baae5" },
	{ AUTHENC(AES, SHA256), K256, RFC4231_6, F4, CBC_AES256,
	  "857d865f17592e6ab1a2859c4fd4eb87e5f399fe4e835ff49b81a2f35a5397af" },
	{ AUTHENC(AES, SHA512), K256, RFC4231_6, F4, CBC_AES256,
	  "923091780b57c6fdf45c5ea47001f67ae62d3bed2a63b6cc73b999db68a41735"
	  "f091fe306c5ea922ca8892b735ad85dfe224f1c61bfc1ba154f3c09281df1b75" },
	{ AUTHENC(AES, SM3), K256, RFC4231_6, F4, CBC_AES256,
	  "c6192b6403aa9e52e4ef9c8cc6206d079559393b876107c1ddca017058ff71a4" },
	{ AUTHENC(SM4, SHA1), SM4_KEY, RFC4231_1, SM4_TEXT, CBC_SM4,
	  "d701f28e0e448fac4d279e93e9656dff42482ecb" },
	{ AUTHENC(SM4, SHA256), SM4_KEY, RFC4231_1, SM4_TEXT, CBC_SM4,
	  "7993972f82b88b705253ee19f4832ce9aa2b543f92212c9928f71fb236427bce" },
	{ AUTHENC(SM4, SHA512), SM4_KEY, RFC4231_1, SM4_TEXT, CBC_SM4,
	  "9151a8ed9101a6b664d9903d792ffd8218a3d63bd9a3bfd0c4dc5af3baee6d45"
	  "a168f233b13762b35627ad44790e7054c2d1ee15f9da60c0bdba5e6141b68e66" },
	{ AUTHENC(SM4, SM3), SM4_KEY, RFC4231_1, SM4_TEXT, CBC_SM4,
	  "d04e1787bda9688efa57901232498c72248b7f01ea1cf94f09f9e4bba65d6047" },
};

TEST(cbc_with_hmac_and_every_length_of_a_tag)
{
	unsigned int i;

	for (i = 0; i < sizeof(composed) / sizeof(composed[0]); i++) {
		struct job j = { .kind = composed[i].kind };
		struct one o = {
			.key = bytes_of(composed[i].key), .akey = bytes_of(composed[i].akey), .iv = bytes_of(F_IV),
			.assoc = bytes_of(ASSOC), .plain = bytes_of(composed[i].plain), .ct = bytes_of(composed[i].ct),
			.tag = bytes_of(composed[i].tag),
		};

		for (; o.tag.len; o.tag.len -= 4)
			EXPECT_TRUE(right(&j, &o)) TH_LOG("row %u, a tag of %zu bytes", i, o.tag.len);
		EXPECT_LT(0, j.ran);
		one_free(&o);
	}
}

/*
 * RFC 7518's AES_CBC_HMAC_SHA2 hashes a length behind the ciphertext, which no
 * AEAD request does: the test combines a cipher request with a digest stream.
 */
struct etm {
	int hash;
	size_t half;		/* bytes of each half of the key: the HMAC's half comes first */
	int valid, forged;
};

static bool etm_ciphers(const struct etm *e, const struct bytes *key, const struct bytes *iv, const struct bytes *plain,
			const struct bytes *ct)
{
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key->at + e->half, e->half, 0);
	unsigned char *out = malloc(ct->len);
	bool good = h && plain->len == ct->len &&
		    !cipher_do(h, WD_CIPHER_ENCRYPTION, iv->at, iv->len, plain->at, ct->len, out) &&
		    !memcmp(out, ct->at, ct->len) &&
		    !cipher_do(h, WD_CIPHER_DECRYPTION, iv->at, iv->len, out, ct->len, out) &&
		    !memcmp(out, plain->at, ct->len);

	free(out);
	return !wd_cipher_free_sess(h) && good;
}

/* The digest is truncated to the length of the tag. */
static bool etm_tag(const struct etm *e, const struct bytes *key, const struct bytes parts[3], unsigned char *tag)
{
	handle_t h = digest_keyed(e->hash, WD_DIGEST_HMAC, key->at, e->half, e->half, 0);
	uint64_t bits = htobe64(parts[0].len * 8);
	bool good = h && !digest_part(h, parts[0].at, parts[0].len, NULL) &&
		    !digest_part(h, parts[1].at, parts[1].len, NULL) &&
		    !digest_part(h, parts[2].at, parts[2].len, NULL);
	size_t n = e->half;
	struct wd_digest_arg arg = { .src = &bits, .src_len = sizeof(bits), .dst = tag, .dst_len = &n };

	good = good && !wd_digest_final(h, &arg) && n == e->half;
	if (!good)
		fprintf(stderr, "# %s\n", detail(h));
	return !wd_digest_free_sess(h) && good;
}

static bool wyche_etm(void *arg, struct json_object *group, struct json_object *test)
{
	struct bytes key = json_bytes(test, "key"), msg = json_bytes(test, "msg"), want = json_bytes(test, "tag");
	struct bytes parts[] = { json_bytes(test, "aad"), json_bytes(test, "iv"), json_bytes(test, "ct") };
	bool valid = !strcmp(json_text(test, "result"), "valid"), good;
	size_t pad = 16 - msg.len % 16;
	unsigned char tag[WD_DIGEST_MAX];
	struct etm *e = arg;

	(void)group;
	msg.at = realloc(msg.at, msg.len + pad);
	memset(msg.at + msg.len, (int)pad, pad);
	msg.len += pad;
	good = want.len == e->half && etm_tag(e, &key, parts, tag) && !memcmp(tag, want.at, want.len) == valid;
	if (good && valid)
		good = etm_ciphers(e, &key, &parts[1], &msg, &parts[2]);
	e->valid += valid;
	e->forged += !valid;
	free(key.at);
	free(msg.at);
	free(want.at);
	free(parts[0].at);
	free(parts[1].at);
	free(parts[2].at);
	return good;
}

#define WYCHEPROOF_ETM(name, hash, half) \
TEST(wycheproof_##name##_by_a_cipher_and_a_digest) \
{ \
	struct etm e = { hash, half, 0, 0 }; \
	\
	WYCHE(#name "_test", wyche_etm, &e); \
	EXPECT_LT(0, e.valid); \
	EXPECT_LT(0, e.forged); \
}

WYCHEPROOF_ETM(a128cbc_hs256, WD_DIGEST_SHA256, 16)
WYCHEPROOF_ETM(a256cbc_hs512, WD_DIGEST_SHA512, 32)

TEST_HARNESS_MAIN
