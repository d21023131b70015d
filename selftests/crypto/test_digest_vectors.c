// SPDX-License-Identifier: Apache-2.0
/* Hashes and HMACs against published vectors: whole, and in parts of several sizes. */
#include <wd_digest.h>

#include "digest_test.h"
#include "vectors.h"
#include "harness_long.h"

struct job {
	int alg;
	int mode;
	int ran;
};

static bool in_parts(handle_t h, const struct bytes *msg, size_t part, const struct bytes *want)
{
	unsigned char md[WD_DIGEST_MAX] = { 0 };
	size_t at;

	for (at = 0; msg->len - at > part; at += part)
		if (digest_part(h, msg->at + at, part, NULL))
			return false;
	return !digest_part(h, msg->at + at, msg->len - at, md) && !memcmp(md, want->at, want->len);
}

static bool right(struct job *j, const struct bytes *key, const struct bytes *msg, const struct bytes *want)
{
	unsigned char md[WD_DIGEST_MAX + 1];
	/* Digests are truncated to whole words; a shorter tag is the beginning of the digest. */
	size_t len = (want->len + 3) / 4 * 4;
	handle_t h = digest_keyed(j->alg, j->mode, key->at, key->len, len, 0);
	bool good;

	if (!h)
		return false;
	memset(md, 0xa5, sizeof(md));
	good = !digest_do(h, msg->at, msg->len, md, len) && !memcmp(md, want->at, want->len) && md[len] == 0xa5 &&
	       in_parts(h, msg, 1, want) && in_parts(h, msg, 63, want) && in_parts(h, msg, 128, want);
	j->ran++;
	return !wd_digest_free_sess(h) && good;
}

/* Lengths are in bits, and the file writes an empty message as one byte. */
static bool nist_record(void *arg, struct vec *v)
{
	struct job *j = arg;
	struct bytes key = vec_bytes(v, "Key"), msg = vec_bytes(v, "Msg"), md = vec_bytes(v, "MD");
	bool good;

	if (j->mode == WD_DIGEST_NORMAL)
		msg.len = vec_number(v, "Len") / 8;
	good = right(j, &key, &msg, &md);
	free(key.at);
	free(msg.at);
	free(md.at);
	return good;
}

static void run(struct __test_metadata *_metadata, struct job j, const char *const names[])
{
	VEC_FILES(names, "MD", nist_record, &j);
	EXPECT_LT(0, j.ran);
}

#define NIST(name, alg_, mode_, ...) \
TEST(name) \
{ \
	static const char *const names[] = { __VA_ARGS__, NULL }; \
	run(_metadata, (struct job){ .alg = alg_, .mode = mode_ }, names); \
}
#define BOTH(file) "hashes/" file "ShortMsg.rsp", "hashes/" file "LongMsg.rsp"

NIST(sha1, WD_DIGEST_SHA1, WD_DIGEST_NORMAL, BOTH("SHA1/SHA1"))
NIST(sha224, WD_DIGEST_SHA224, WD_DIGEST_NORMAL, BOTH("SHA2/SHA224"))
NIST(sha256, WD_DIGEST_SHA256, WD_DIGEST_NORMAL, BOTH("SHA2/SHA256"))
NIST(sha384, WD_DIGEST_SHA384, WD_DIGEST_NORMAL, BOTH("SHA2/SHA384"))
NIST(sha512, WD_DIGEST_SHA512, WD_DIGEST_NORMAL, BOTH("SHA2/SHA512"))
NIST(sha512_224, WD_DIGEST_SHA512_224, WD_DIGEST_NORMAL, BOTH("SHA2/SHA512_224"))
NIST(sha512_256, WD_DIGEST_SHA512_256, WD_DIGEST_NORMAL, BOTH("SHA2/SHA512_256"))
NIST(md5_of_rfc_1321, WD_DIGEST_MD5, WD_DIGEST_NORMAL, "hashes/MD5/rfc-1321.txt")
NIST(sm3, WD_DIGEST_SM3, WD_DIGEST_NORMAL, "hashes/SM3/oscca.txt")
NIST(hmac_md5_of_rfc_2202, WD_DIGEST_MD5, WD_DIGEST_HMAC, "HMAC/rfc-2202-md5.txt")
NIST(hmac_sha1_of_rfc_2202, WD_DIGEST_SHA1, WD_DIGEST_HMAC, "HMAC/rfc-2202-sha1.txt")
NIST(hmac_sha224_of_rfc_4231, WD_DIGEST_SHA224, WD_DIGEST_HMAC, "HMAC/rfc-4231-sha224.txt")
NIST(hmac_sha256_of_rfc_4231, WD_DIGEST_SHA256, WD_DIGEST_HMAC, "HMAC/rfc-4231-sha256.txt")
NIST(hmac_sha384_of_rfc_4231, WD_DIGEST_SHA384, WD_DIGEST_HMAC, "HMAC/rfc-4231-sha384.txt")
NIST(hmac_sha512_of_rfc_4231, WD_DIGEST_SHA512, WD_DIGEST_HMAC, "HMAC/rfc-4231-sha512.txt")

/* Invalid cases have a tag that must not be the result. */
static bool wyche_hmac(void *arg, struct json_object *group, struct json_object *test)
{
	struct job *j = arg;
	struct bytes key = json_bytes(test, "key"), msg = json_bytes(test, "msg"), tag = json_bytes(test, "tag");
	bool good = !strcmp(json_text(test, "result"), "valid");

	(void)group;
	if (good)
		good = right(j, &key, &msg, &tag);
	else
		good = !right(j, &key, &msg, &tag);
	free(key.at);
	free(msg.at);
	free(tag.at);
	return good;
}

#define WYCHEPROOF(name, alg_) \
TEST(wycheproof_##name) \
{ \
	struct job j = { .alg = alg_, .mode = WD_DIGEST_HMAC }; \
	\
	WYCHE(#name "_test", wyche_hmac, &j); \
	EXPECT_LT(0, j.ran); \
}

WYCHEPROOF(hmac_sha1, WD_DIGEST_SHA1)
WYCHEPROOF(hmac_sha224, WD_DIGEST_SHA224)
WYCHEPROOF(hmac_sha256, WD_DIGEST_SHA256)
WYCHEPROOF(hmac_sha384, WD_DIGEST_SHA384)
WYCHEPROOF(hmac_sha512, WD_DIGEST_SHA512)
WYCHEPROOF(hmac_sha512_224, WD_DIGEST_SHA512_224)
WYCHEPROOF(hmac_sha512_256, WD_DIGEST_SHA512_256)
WYCHEPROOF(hmac_sm3, WD_DIGEST_SM3)

TEST_HARNESS_MAIN
