// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption against published vectors, in both directions and in place; wrong tags release nothing. */
#include "aead_test.h"
#include "vectors.h"
#include "harness_long.h"

struct job {
	struct aead_kind kind;
	int ran;
	int refused;
	int unsupported;
	int elsewhere;		/* no device takes it, and this libcrypto doesn't have it */
};

/* One published case: ct has no tag. */
struct one {
	struct bytes key, iv, assoc, plain, ct, tag;
};

static void one_free(struct one *o)
{
	free(o->key.at);
	free(o->iv.at);
	free(o->assoc.at);
	free(o->plain.at);
	free(o->ct.at);
	free(o->tag.at);
}

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
	unsigned char *in = joined(&o->assoc, &o->plain), *out = in_place ? in : malloc(o->assoc.len + o->plain.len + 1);
	unsigned char tag[16];
	int ret = aead_do(h, WD_CIPHER_ENCRYPTION, o->iv.at, o->iv.len, in, o->assoc.len, o->plain.len, out, tag);
	bool good = !ret && !memcmp(out, o->assoc.at, o->assoc.len) && !memcmp(out + o->assoc.len, o->ct.at, o->ct.len) &&
		    !memcmp(tag, o->tag.at, o->tag.len);

	if (!good)
		fprintf(stderr, "# encryption: %d, %s\n", ret, ret ? detail(h) : "");
	if (!in_place)
		free(out);
	free(in);
	return good;
}

/* plain that isn't set: it must be refused. */
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

/* The same in three parts: what is associated, and the data in two. */
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
	handle_t h = aead_keyed(j->kind, o->key.at, o->key.len, NULL, 0, o->tag.len, 0);
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
	struct one o = {
		.key = vec_bytes(v, "Key"), .iv = vec_bytes(v, "IV"), .assoc = vec_bytes(v, "AAD"), .ct = vec_bytes(v, "CT"),
		.tag = vec_bytes(v, "Tag"),
	};
	bool good;

	if (!v->fail)
		o.plain = vec_bytes(v, "PT");
	good = right(arg, &o);
	one_free(&o);
	return good;
}

/* The tag is behind the ciphertext; what has no bytes is written as one. */
static bool ccm_record(void *arg, struct vec *v)
{
	size_t tlen = vec_number(v, "Tlen"), plen = vec_number(v, "Plen");
	const char *result = vec_text(v, "Result");
	struct one o = { .key = vec_bytes(v, "Key"), .iv = vec_bytes(v, "Nonce"), .assoc = vec_bytes(v, "Adata"), .ct = vec_bytes(v, "CT") };
	bool good;

	o.assoc.len = vec_number(v, "Alen");
	o.tag.at = malloc(tlen);
	o.tag.len = tlen;
	memcpy(o.tag.at, o.ct.at + plen, tlen);
	o.ct.len = plen;
	if (!result || !strncmp(result, "Pass", 4)) {
		o.plain = vec_bytes(v, "Payload");
		o.plain.len = plen;
	}
	good = right(arg, &o);
	one_free(&o);
	return good;
}

static void run(struct __test_metadata *_metadata, struct job j, const char *const names[], const char *last, vec_call_t *call)
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

/* Sizes of nonce and tag that don't exist must be refused. */
static bool wyche_aead(void *arg, struct json_object *group, struct json_object *test)
{
	struct one o = {
		.key = json_bytes(test, "key"), .iv = json_bytes(test, "iv"), .assoc = json_bytes(test, "aad"), .ct = json_bytes(test, "ct"),
		.tag = json_bytes(test, "tag"),
	};
	bool valid = !strcmp(json_text(test, "result"), "valid");
	bool size = strstr(json_text(test, "flags"), "Invalid") || strstr(json_text(test, "flags"), "ZeroLengthIv") ||
		    strstr(json_text(test, "flags"), "Insecure") || strstr(json_text(test, "flags"), "CVE");
	struct job *j = arg;
	bool good;

	(void)group;
	/* Longer ones than libcrypto has, and no device has any of them. */
	if (o.iv.len > 128) {
		one_free(&o);
		return true;
	}
	if (valid)
		o.plain = json_bytes(test, "msg");
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
	int n = wyche_file(#name "_test", wyche_aead, &j); \
	\
	if (n == -1) \
		SKIP(return, "no " #name "_test.json: set WYCHEPROOF to the folder of Wycheproof's vectors"); \
	if (!j.ran && j.unsupported) \
		SKIP(return, "%s", detail(0)); \
	EXPECT_LT(0, n); \
	EXPECT_LT(0, j.ran); \
	EXPECT_LT(0, j.refused); \
}

WYCHEPROOF(aes_gcm, WD_CIPHER_AES, WD_CIPHER_GCM)
WYCHEPROOF(aes_ccm, WD_CIPHER_AES, WD_CIPHER_CCM)
WYCHEPROOF(sm4_gcm, WD_CIPHER_SM4, WD_CIPHER_GCM)
WYCHEPROOF(sm4_ccm, WD_CIPHER_SM4, WD_CIPHER_CCM)

TEST_HARNESS_MAIN
