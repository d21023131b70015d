// SPDX-License-Identifier: Apache-2.0
/* Every call of the three libraries refuses what it can't use, says why, and changes nothing. */
#include "aead_test.h"
#include "digest_test.h"
#include "kselftest_harness.h"

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";

#define NO_SESSION(err, call, word) do { \
	errno = 0; \
	EXPECT_EQ(0, call); \
	EXPECT_EQ(err, errno); \
	EXPECT_NE(NULL, strstr(detail(0), word)) TH_LOG("%s", detail(0)); \
} while (0)

/* --- setups --- */

#define BAD_SETUP(change, err, word) do { \
	setup = good; \
	change; \
	NO_SESSION(err, alloc(&setup), word); \
} while (0)

TEST(a_cipher_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_cipher_sess_setup good = { .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC }, setup;
#define alloc(setup) wd_cipher_alloc_sess(setup, NULL)
	NO_SESSION(EINVAL, wd_cipher_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(setup.alg = 4, EINVAL, "alg");
	BAD_SETUP(setup.mode = 11, EINVAL, "mode");
	BAD_SETUP(setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(setup.reserved8 = 1, EINVAL, "reserved8");
	BAD_SETUP(setup.reserved16 = 1, EINVAL, "reserved16");
	BAD_SETUP(setup.data_fmt = 2, EINVAL, "data_fmt");
	BAD_SETUP(setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(setup.reserved[3] = 1, EINVAL, "reserved[3]");
	BAD_SETUP((setup.flags = WD_SESS_CQ, setup.reserved[1] = 1), EINVAL, "reserved[1]");
	BAD_SETUP(setup.cq = 1, EINVAL, "setup->cq is set, but setup->flags lacks WD_SESS_CQ");
	BAD_SETUP(setup.alg = WD_CIPHER_DES, EOPNOTSUPP, "alg");
	BAD_SETUP(setup.mode = WD_CIPHER_GCM, EOPNOTSUPP, "mode");
	BAD_SETUP((setup.alg = WD_CIPHER_3DES, setup.mode = WD_CIPHER_CTR), EOPNOTSUPP, "mode");
#undef alloc
}

TEST(a_digest_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_digest_sess_setup good = { .alg = WD_DIGEST_SHA256 }, setup;
#define alloc(setup) wd_digest_alloc_sess(setup, NULL)
	NO_SESSION(EINVAL, wd_digest_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(setup.alg = 9, EINVAL, "alg");
	BAD_SETUP(setup.mode = 2, EINVAL, "mode");
	BAD_SETUP(setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(setup.reserved8 = 1, EINVAL, "reserved8");
	BAD_SETUP(setup.data_fmt = 2, EINVAL, "data_fmt");
	BAD_SETUP(setup.out_bytes = 36, EINVAL, "out_bytes");
	BAD_SETUP(setup.out_bytes = 10, EINVAL, "out_bytes");
	BAD_SETUP(setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(setup.reserved[0] = 1, EINVAL, "reserved[0]");
#undef alloc
}

TEST(an_aead_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_aead_sess_setup good = { .calg = WD_CIPHER_AES, .cmode = WD_CIPHER_GCM }, setup;
#define alloc(setup) wd_aead_alloc_sess(setup, NULL)
	NO_SESSION(EINVAL, wd_aead_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(setup.calg = 4, EINVAL, "calg");
	BAD_SETUP(setup.cmode = 11, EINVAL, "cmode");
	BAD_SETUP(setup.dalg = 9, EINVAL, "dalg");
	BAD_SETUP(setup.dmode = WD_DIGEST_HMAC, EINVAL, "dmode");
	BAD_SETUP((setup.cmode = WD_CIPHER_CBC, setup.dalg = WD_DIGEST_SHA1), EINVAL, "dmode");
	BAD_SETUP(setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(setup.reserved8 = 1, EINVAL, "reserved8");
	BAD_SETUP(setup.data_fmt = 2, EINVAL, "data_fmt");
	BAD_SETUP(setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(setup.reserved[1] = 1, EINVAL, "reserved[1]");
	BAD_SETUP(setup.calg = WD_CIPHER_3DES, EOPNOTSUPP, "calg");
	BAD_SETUP(setup.cmode = WD_CIPHER_CTR, EOPNOTSUPP, "cmode");
	BAD_SETUP((setup.cmode = WD_CIPHER_CBC, setup.dmode = WD_DIGEST_HMAC, setup.dalg = WD_DIGEST_MD5), EOPNOTSUPP,
		  "dalg");
#undef alloc
}

/* --- keys --- */

#define REFUSED(err, h, call, word) do { \
	EXPECT_EQ(-(err), call); \
	EXPECT_NE(NULL, strstr(detail(h), word)) TH_LOG("%s", detail(h)); \
} while (0)

TEST(keys_of_lengths_that_do_not_exist_are_refused)
{
	handle_t aes = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_SYNC, WD_FLAT_BUF, 0);
	handle_t des = cipher_open(WD_CIPHER_3DES, WD_CIPHER_CBC, WD_SYNC, WD_FLAT_BUF, 0);
	handle_t gcm = aead_open((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, WD_SYNC, WD_FLAT_BUF, 0);
	static const unsigned int bad[] = { 0, 1, 8, 15, 17, 31, 33, 40, 64, 65, 1u << 31 };
	unsigned int i;

	ASSERT_TRUE(aes && des && gcm);
	REFUSED(EINVAL, aes, wd_cipher_set_key(aes, NULL, 16), "key is NULL");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		REFUSED(EINVAL, aes, wd_cipher_set_key(aes, key64, bad[i]), "no key of");
		REFUSED(EINVAL, des, wd_cipher_set_key(des, key64, bad[i]), "no key of");
		REFUSED(EINVAL, gcm, wd_aead_set_ckey(gcm, key64, bad[i]), "no key of");
	}
	REFUSED(EINVAL, des, wd_cipher_set_key(des, key64, 32), "no key of");
	REFUSED(EINVAL, gcm, wd_aead_set_akey(gcm, key64, 16), "no key of its own");
	REFUSED(EINVAL, gcm, wd_aead_set_ckey(gcm, NULL, 16), "key is NULL");
	EXPECT_EQ(0, wd_cipher_free_sess(aes));
	EXPECT_EQ(0, wd_cipher_free_sess(des));
	EXPECT_EQ(0, wd_aead_free_sess(gcm));
}

TEST(an_xts_key_with_equal_halves_is_refused_and_the_one_before_stays)
{
	unsigned char key[64], in[32] = "equal halves make a weak key", out[32], again[32], iv[16] = { 1 };
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_XTS, key64, 64, 0);

	ASSERT_NE(0, h);
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, in, 32, out));
	memset(key, 7, sizeof(key));
	REFUSED(EINVAL, h, wd_cipher_set_key(h, key, 64), "halves");
	REFUSED(EINVAL, h, wd_cipher_set_key(h, key, 32), "halves");
	REFUSED(EINVAL, h, wd_cipher_set_key(h, key64, 48), "no key of");
	REFUSED(EINVAL, h, wd_cipher_set_key(h, key64, 16), "no key of");
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, in, 32, again));
	EXPECT_EQ(0, memcmp(out, again, 32));
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST(a_hash_without_a_key_takes_none)
{
	handle_t h = digest_open(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, WD_SYNC, WD_FLAT_BUF, 0, 0);

	ASSERT_NE(0, h);
	REFUSED(EINVAL, h, wd_digest_set_key(h, key64, 16), "has no key");
	EXPECT_EQ(0, wd_digest_free_sess(h));
}

TEST(tags_of_sizes_that_do_not_exist_are_refused)
{
	static const struct {
		struct aead_kind kind;
		int most;
		unsigned int good;	/* bits */
	} rows[] = {
		{ { WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, 16, 1u << 4 | 1u << 8 | 0x1f000 },
		{ { WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, 16, 0x15550 },
		{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 },
		  20, 1u << 4 | 1u << 8 | 1u << 12 | 1u << 16 | 1u << 20 },
	};
	unsigned int i, n;

	for (i = 0; i < 3; i++) {
		handle_t h = aead_open(rows[i].kind, WD_SYNC, WD_FLAT_BUF, 0);

		ASSERT_NE(0, h);
		EXPECT_EQ(rows[i].most, wd_aead_get_maxauthsize(h));
		EXPECT_EQ(rows[i].most, wd_aead_get_authsize(h));
		for (n = 0; n < 32; n++) {
			int was = wd_aead_get_authsize(h);

			if (rows[i].good >> n & 1) {
				EXPECT_EQ(0, wd_aead_set_authsize(h, n));
				EXPECT_EQ(n, wd_aead_get_authsize(h));
			} else {
				REFUSED(EINVAL, h, wd_aead_set_authsize(h, n), "no tag of");
				EXPECT_EQ(was, wd_aead_get_authsize(h));
			}
		}
		EXPECT_EQ(-EINVAL, wd_aead_set_authsize(h, 1u << 31));
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

/* --- requests --- */

FIXTURE(refuse) {
	handle_t cbc, ctr, xts, ecb, sha, hmac, gcm, ccm, authenc;
	unsigned char src[256], dst[256], iv[16], mac[64];
	size_t len;
	struct wd_cipher_arg c;
	struct wd_digest_arg d;
	struct wd_aead_arg a;
};

FIXTURE_SETUP(refuse)
{
	self->cbc = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	self->ctr = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key64, 16, 0);
	self->xts = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_XTS, key64, 32, 0);
	self->ecb = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_ECB, key64, 16, 0);
	self->sha = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	self->hmac = digest_open(WD_DIGEST_SHA256, WD_DIGEST_HMAC, WD_SYNC, WD_FLAT_BUF, 0, 0);
	self->gcm = aead_keyed((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, key64, 16, NULL, 0, 0, 0);
	self->ccm = aead_keyed((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, key64, 16, NULL, 0, 0, 0);
	self->authenc = aead_keyed((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 },
				   key64, 16, key64, 20, 0, 0);
	ASSERT_TRUE(self->cbc && self->ctr && self->xts && self->ecb && self->sha && self->hmac && self->gcm &&
		    self->ccm && self->authenc);
	fill_noise(self->src, sizeof(self->src), 1);
	self->len = sizeof(self->dst);
	self->c = (struct wd_cipher_arg){
		.src = self->src, .src_len = 64, .dst = self->dst, .dst_len = &self->len, .iv = self->iv, .iv_len = 16,
	};
	self->d = (struct wd_digest_arg){ .src = self->src, .src_len = 64, .dst = self->dst, .dst_len = &self->len };
	self->a = (struct wd_aead_arg){
		.src = self->src, .src_len = 80, .dst = self->dst, .dst_len = &self->len, .iv = self->iv, .iv_len = 12,
		.mac = self->mac, .mac_len = 16, .assoc_len = 16,
	};
}

FIXTURE_TEARDOWN(refuse)
{
	EXPECT_EQ(0, wd_cipher_free_sess(self->cbc));
	EXPECT_EQ(0, wd_cipher_free_sess(self->ctr));
	EXPECT_EQ(0, wd_cipher_free_sess(self->xts));
	EXPECT_EQ(0, wd_cipher_free_sess(self->ecb));
	EXPECT_EQ(0, wd_digest_free_sess(self->sha));
	EXPECT_EQ(0, wd_digest_free_sess(self->hmac));
	EXPECT_EQ(0, wd_aead_free_sess(self->gcm));
	EXPECT_EQ(0, wd_aead_free_sess(self->ccm));
	EXPECT_EQ(0, wd_aead_free_sess(self->authenc));
}

/* dst is unchanged, and the argument struct reports the error. */
#define BAD(call, type, which, h, change, err, word) do { \
	struct type arg = self->which; \
	\
	memset(self->dst, 0x5a, sizeof(self->dst)); \
	self->len = sizeof(self->dst); \
	change; \
	REFUSED(err, h, call(h, &arg), word); \
	EXPECT_EQ(-(err), arg.status); \
	EXPECT_EQ(WD_PATH_NONE, arg.path); \
	EXPECT_EQ(0x5a, self->dst[0]); \
	EXPECT_EQ(0x5a, self->dst[255]); \
	if (arg.dst_len) \
		EXPECT_EQ(0, *arg.dst_len); \
} while (0)

#define BAD_CIPHER(h, change, err, word)	BAD(wd_cipher_sync, wd_cipher_arg, c, self->h, change, err, word)
#define BAD_DIGEST(h, change, err, word)	BAD(wd_digest_sync, wd_digest_arg, d, self->h, change, err, word)
#define BAD_AEAD(h, change, err, word)		BAD(wd_aead_sync, wd_aead_arg, a, self->h, change, err, word)

TEST_F(refuse, cipher_requests)
{
	static __u64 big;
	size_t room = 63;

	EXPECT_EQ(-EINVAL, wd_cipher_sync(self->cbc, NULL));
	BAD_CIPHER(cbc, arg.src = NULL, EINVAL, "src is NULL");
	BAD_CIPHER(cbc, arg.dst = NULL, EINVAL, "dst is NULL");
	BAD_CIPHER(cbc, arg.dst_len = NULL, EINVAL, "dst_len");
	BAD_CIPHER(cbc, arg.dst_len = &room, ENOSPC, "63");
	BAD_CIPHER(cbc, arg.iv = NULL, EINVAL, "iv is NULL");
	BAD_CIPHER(cbc, arg.iv_len = 12, EINVAL, "iv_len");
	BAD_CIPHER(cbc, arg.iv_len = 17, EINVAL, "iv_len");
	BAD_CIPHER(ecb, (void)0, EINVAL, "iv_len");
	BAD_CIPHER(cbc, arg.op = 2, EINVAL, "op");
	BAD_CIPHER(cbc, arg.flags = 2, EINVAL, "flags");
	BAD_CIPHER(cbc, arg.reserved[2] = 1, EINVAL, "reserved[2]");
	BAD_CIPHER(cbc, arg.src_len = 63, EINVAL, "whole blocks");
	BAD_CIPHER(xts, arg.src_len = 15, EINVAL, "at least");
	BAD_CIPHER(xts, arg.src_len = 0, EINVAL, "at least");
	BAD_CIPHER(xts, (arg.src_len = (16u << 20) + 16, arg.dst_len = (size_t *)&big, big = 1ull << 40), EINVAL,
		   "data unit");
	BAD_CIPHER(cbc, arg.src = self->dst + 1, EINVAL, "overlap");
	BAD_CIPHER(cbc, arg.src = self->dst + 63, EINVAL, "overlap");
	BAD_CIPHER(ecb, (arg.flags = WD_CIPHER_CHAIN, arg.iv_len = 0, arg.iv = NULL), EINVAL, "chained");
	BAD_CIPHER(xts, arg.flags = WD_CIPHER_CHAIN, EINVAL, "chained");
	BAD_CIPHER(ctr, (arg.flags = WD_CIPHER_CHAIN, arg.src_len = 63), EINVAL, "within a block");
}

TEST_F(refuse, digest_requests)
{
	size_t room = 31;

	EXPECT_EQ(0, wd_digest_set_key(self->hmac, key64, 0));
	EXPECT_EQ(-EINVAL, wd_digest_sync(self->sha, NULL));
	BAD_DIGEST(sha, arg.src = NULL, EINVAL, "src is NULL");
	BAD_DIGEST(sha, arg.dst = NULL, EINVAL, "dst is NULL");
	BAD_DIGEST(sha, arg.dst_len = NULL, EINVAL, "dst_len");
	BAD_DIGEST(sha, arg.dst_len = &room, ENOSPC, "31");
	BAD_DIGEST(sha, arg.flags = 1, EINVAL, "flags");
	BAD_DIGEST(sha, arg.reserved[0] = 1, EINVAL, "reserved[0]");
}

TEST_F(refuse, aead_requests)
{
	size_t room = 79;

	EXPECT_EQ(-EINVAL, wd_aead_sync(self->gcm, NULL));
	BAD_AEAD(gcm, arg.src = NULL, EINVAL, "src is NULL");
	BAD_AEAD(gcm, arg.dst = NULL, EINVAL, "dst is NULL");
	BAD_AEAD(gcm, arg.dst_len = NULL, EINVAL, "dst_len");
	BAD_AEAD(gcm, arg.dst_len = &room, ENOSPC, "79");
	BAD_AEAD(gcm, arg.iv = NULL, EINVAL, "iv is NULL");
	BAD_AEAD(gcm, arg.iv_len = 0, EINVAL, "iv_len");
	BAD_AEAD(gcm, arg.iv_len = 129, EOPNOTSUPP, "129");
	BAD_AEAD(ccm, arg.iv_len = 6, EINVAL, "iv_len");
	BAD_AEAD(ccm, arg.iv_len = 14, EINVAL, "iv_len");
	BAD_AEAD(authenc, (arg.mac_len = 20, arg.iv_len = 12), EINVAL, "iv_len");
	BAD_AEAD(authenc, (arg.mac_len = 20, arg.iv_len = 16, arg.src_len = 81), EINVAL, "whole blocks");
	BAD_AEAD(gcm, arg.op = 2, EINVAL, "op");
	BAD_AEAD(gcm, arg.mac = NULL, EINVAL, "mac is NULL");
	BAD_AEAD(gcm, arg.mac_len = 15, EINVAL, "mac_len");
	BAD_AEAD(gcm, (arg.mac_len = 17, arg.op = WD_CIPHER_DECRYPTION), EINVAL, "mac_len");
	BAD_AEAD(gcm, arg.mac = self->dst + 79, EINVAL, "lies in dst");
	BAD_AEAD(gcm, arg.mac = self->dst, EINVAL, "lies in dst");
	BAD_AEAD(gcm, arg.assoc_len = 81, EINVAL, "assoc_len");
	BAD_AEAD(gcm, arg.src = self->dst + 8, EINVAL, "overlap");
	BAD_AEAD(gcm, arg.flags = 1, EINVAL, "flags");
	BAD_AEAD(gcm, arg.reserved[3] = 1, EINVAL, "reserved[3]");
}

TEST_F(refuse, ccm_data_that_its_nonce_leaves_no_room_to_count)
{
	unsigned char *data = calloc(1, 65536);
	size_t len = 65536;

	ASSERT_NE(NULL, data);
	self->a.src = self->a.dst = data;
	self->a.dst_len = &len;
	self->a.assoc_len = 0;
	self->a.iv_len = 13;
	self->a.src_len = 65535;
	EXPECT_EQ(0, wd_aead_sync(self->ccm, &self->a));
	len = 65536;
	self->a.src_len = 65536;
	REFUSED(EINVAL, self->ccm, wd_aead_sync(self->ccm, &self->a), "nonce");
	free(data);
}

TEST_F(refuse, requests_without_a_key)
{
	handle_t c = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_SYNC, WD_FLAT_BUF, 0);
	handle_t a = aead_open((struct aead_kind){ WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 },
			       WD_SYNC, WD_FLAT_BUF, 0);

	ASSERT_TRUE(c && a);
	self->a.iv_len = 16;
	self->a.mac_len = 20;
	REFUSED(EINVAL, c, wd_cipher_sync(c, &self->c), "no key");
	REFUSED(EINVAL, self->hmac, wd_digest_sync(self->hmac, &self->d), "no authentication key");
	REFUSED(EINVAL, a, wd_aead_sync(a, &self->a), "no key");
	EXPECT_EQ(0, wd_aead_set_ckey(a, key64, 16));
	REFUSED(EINVAL, a, wd_aead_sync(a, &self->a), "no authentication key");
	EXPECT_EQ(0, wd_aead_set_akey(a, key64, 0));
	self->len = sizeof(self->dst);
	EXPECT_EQ(0, wd_aead_sync(a, &self->a));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_aead_free_sess(a));
}

TEST_F(refuse, lists_that_are_too_short)
{
	struct wd_datalist piece = { .data = self->src, .len = 63 }, hole = { .data = NULL, .len = 64 },
			   room = { .data = self->dst, .len = 64 };
	handle_t c = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_SYNC, WD_SGL_BUF, 0);

	ASSERT_NE(0, c);
	ASSERT_EQ(0, wd_cipher_set_key(c, key64, 16));
	self->c.src = &piece;
	self->c.dst = &room;
	REFUSED(EINVAL, c, wd_cipher_sync(c, &self->c), "src");
	self->len = sizeof(self->dst);
	self->c.src = &hole;
	REFUSED(EINVAL, c, wd_cipher_sync(c, &self->c), "src");
	piece.len = 64;
	room.len = 63;
	self->len = sizeof(self->dst);
	self->c.src = &piece;
	REFUSED(EINVAL, c, wd_cipher_sync(c, &self->c), "dst");
	EXPECT_EQ(0, wd_cipher_free_sess(c));
}

TEST_F(refuse, sessions_of_another_kind_and_handles_that_are_none)
{
	handle_t bad[] = { 0, 1, ~0ull, self->cbc ^ 1ull << 40, 0 };
	struct wd_cipher_arg *cs[] = { &self->c };
	struct wd_digest_arg *ds[] = { &self->d };
	struct wd_aead_arg *as[] = { &self->a };
	unsigned int i;

	bad[4] = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_SYNC, WD_FLAT_BUF, 0);
	ASSERT_EQ(0, wd_cipher_free_sess(bad[4]));
	EXPECT_EQ(-EINVAL, wd_cipher_sync(self->sha, &self->c));
	EXPECT_EQ(-EINVAL, wd_digest_sync(self->gcm, &self->d));
	EXPECT_EQ(-EINVAL, wd_aead_sync(self->cbc, &self->a));
	EXPECT_EQ(-EINVAL, wd_cipher_free_sess(self->sha));
	EXPECT_EQ(-EINVAL, wd_cipher_async(self->cbc, &self->c, NULL));
	EXPECT_EQ(-EINVAL, wd_digest_async(self->sha, &self->d, NULL));
	EXPECT_EQ(-EINVAL, wd_aead_async(self->gcm, &self->a, NULL));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(-EINVAL, wd_cipher_sync(bad[i], &self->c));
		EXPECT_EQ(-EINVAL, wd_cipher_async(bad[i], &self->c, NULL));
		EXPECT_EQ(-EINVAL, wd_cipher_async_burst(bad[i], cs, 1, NULL));
		EXPECT_EQ(-EINVAL, wd_cipher_set_key(bad[i], key64, 16));
		EXPECT_EQ(-EINVAL, wd_cipher_wait(bad[i], 1));
		EXPECT_EQ(-EINVAL, wd_cipher_wakeup(bad[i]));
		EXPECT_EQ(-EINVAL, wd_cipher_sess_caps(bad[i]));
		EXPECT_EQ(-EINVAL, wd_cipher_free_sess(bad[i]));
		EXPECT_EQ(-EINVAL, wd_digest_sync(bad[i], &self->d));
		EXPECT_EQ(-EINVAL, wd_digest_update(bad[i], &self->d));
		EXPECT_EQ(-EINVAL, wd_digest_final(bad[i], &self->d));
		EXPECT_EQ(-EINVAL, wd_digest_reset_sess(bad[i]));
		EXPECT_EQ(-EINVAL, wd_digest_async(bad[i], &self->d, NULL));
		EXPECT_EQ(-EINVAL, wd_digest_async_burst(bad[i], ds, 1, NULL));
		EXPECT_EQ(-EINVAL, wd_digest_set_key(bad[i], key64, 16));
		EXPECT_EQ(-EINVAL, wd_digest_wait(bad[i], 1));
		EXPECT_EQ(-EINVAL, wd_digest_wakeup(bad[i]));
		EXPECT_EQ(-EINVAL, wd_digest_sess_caps(bad[i]));
		EXPECT_EQ(-EINVAL, wd_digest_free_sess(bad[i]));
		EXPECT_EQ(-EINVAL, wd_aead_sync(bad[i], &self->a));
		EXPECT_EQ(-EINVAL, wd_aead_async(bad[i], &self->a, NULL));
		EXPECT_EQ(-EINVAL, wd_aead_async_burst(bad[i], as, 1, NULL));
		EXPECT_EQ(-EINVAL, wd_aead_set_ckey(bad[i], key64, 16));
		EXPECT_EQ(-EINVAL, wd_aead_set_akey(bad[i], key64, 16));
		EXPECT_EQ(-EINVAL, wd_aead_set_authsize(bad[i], 16));
		EXPECT_EQ(-EINVAL, wd_aead_get_authsize(bad[i]));
		EXPECT_EQ(-EINVAL, wd_aead_get_maxauthsize(bad[i]));
		EXPECT_EQ(-EINVAL, wd_aead_wait(bad[i], 1));
		EXPECT_EQ(-EINVAL, wd_aead_wakeup(bad[i]));
		EXPECT_EQ(-EINVAL, wd_aead_sess_caps(bad[i]));
		EXPECT_EQ(-EINVAL, wd_aead_free_sess(bad[i]));
	}
}

/* --- asynchronous --- */

static void never(struct wd_cipher_arg *arg, void *param)
{
	(void)arg, (void)param;
	abort();
}

TEST_F(refuse, asynchronous_requests)
{
	handle_t h = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_ASYNC, WD_FLAT_BUF, 0);
	struct wd_cipher_arg *args[] = { &self->c };

	ASSERT_NE(0, h);
	self->c.cb = never;
	REFUSED(EINVAL, h, wd_cipher_async(h, &self->c, NULL), "no key");
	ASSERT_EQ(0, wd_cipher_set_key(h, key64, 16));
	REFUSED(EINVAL, h, wd_cipher_sync(h, &self->c), "asynchronous session");
	self->len = sizeof(self->dst);
	REFUSED(EINVAL, h, wd_cipher_async(h, NULL, NULL), "arg is NULL");
	REFUSED(EINVAL, h, wd_cipher_async_burst(h, NULL, 1, NULL), "args is NULL");
	REFUSED(EINVAL, h, wd_cipher_async_burst(h, args, -1, NULL), "negative");
	self->c.status = 77;
	self->c.src_len = 63;
	REFUSED(EINVAL, h, wd_cipher_async(h, &self->c, NULL), "whole blocks");
	self->c.src_len = 64;
	self->c.cb = NULL;
	REFUSED(EINVAL, h, wd_cipher_async(h, &self->c, NULL), "cb is NULL");
	self->c.cb = never;
	self->c.flags = WD_CIPHER_CHAIN;
	REFUSED(EINVAL, h, wd_cipher_async(h, &self->c, NULL), "CHAIN");
	self->c.flags = 0;
	self->c.src_len = 0xffff00;
	REFUSED(EFBIG, h, wd_cipher_async(h, &self->c, NULL), "src_len");
	EXPECT_EQ(77, self->c.status);
	EXPECT_EQ(sizeof(self->dst), self->len);
	EXPECT_EQ(0, wd_cipher_poll(1, 0, NULL));
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST(WD_PATH_restricts_and_never_widens)
{
	struct wd_cipher_sess_setup setup = { .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .flags = WD_SESS_PATH_HW };

	setenv("WD_PATH", "soft", 1);
	NO_SESSION(EOPNOTSUPP, wd_cipher_alloc_sess(&setup, NULL), "WD_PATH");
	setup.alg = WD_CIPHER_SM4;
	setup.mode = WD_CIPHER_XTS;
	setup.flags = 0;
	NO_SESSION(EOPNOTSUPP, wd_cipher_alloc_sess(&setup, NULL), "libcrypto");
	unsetenv("WD_PATH");
}

TEST_HARNESS_MAIN
