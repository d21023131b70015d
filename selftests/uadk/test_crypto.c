// SPDX-License-Identifier: Apache-2.0
/* Ciphers, digests and AEAD, judged by libcrypto. */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/provider.h>

#include "uadk/wd_aead.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "in_child.h"
#include "kselftest_harness.h"
#include "noise.h"

#define BYTES	4096u
#define MANY	1500

static const unsigned char key[64] = "Jacek Janusz Kurek 12 keys of noise, and no two halves alike....";
static unsigned char plain[BYTES], out[2 * BYTES], want[2 * BYTES];

static const struct cipher {
	int alg, mode;
	__u32 key_len, iv_len, len;
	const char *name;
	bool chains;
} ciphers[] = {
	{ WD_CIPHER_AES, WD_CIPHER_CBC, 16, 16, 1024, "aes-128-cbc", true },
	{ WD_CIPHER_AES, WD_CIPHER_CBC, 32, 16, 4096, "aes-256-cbc", true },
	{ WD_CIPHER_AES, WD_CIPHER_ECB, 24, 16, 256, "aes-192-ecb", false },
	{ WD_CIPHER_AES, WD_CIPHER_CTR, 16, 16, 1000, "aes-128-ctr", false },
	{ WD_CIPHER_AES, WD_CIPHER_CTR, 16, 16, 1008, "aes-128-ctr", true },
	{ WD_CIPHER_AES, WD_CIPHER_XTS, 32, 16, 777, "aes-128-xts", false },
	{ WD_CIPHER_AES, WD_CIPHER_OFB, 16, 16, 320, "aes-128-ofb", true },
	{ WD_CIPHER_AES, WD_CIPHER_CFB, 16, 16, 320, "aes-128-cfb", true },
	{ WD_CIPHER_SM4, WD_CIPHER_CBC, 16, 16, 160, "sm4-cbc", true },
	{ WD_CIPHER_3DES, WD_CIPHER_CBC, 24, 8, 80, "des-ede3-cbc", true },
};

#define CIPHERS (sizeof(ciphers) / sizeof(ciphers[0]))

/* What libcrypto makes of two requests in a row, with the same context: so the second shows the iv of the first. */
static void judge(const struct cipher *c, bool encrypt, const unsigned char *iv)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, c->name, NULL);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n;

	EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL);
	EVP_CIPHER_CTX_set_padding(ctx, 0);
	EVP_CipherUpdate(ctx, want, &n, plain, (int)c->len);
	if (c->chains)
		EVP_CipherUpdate(ctx, want + c->len, &n, plain, (int)c->len);
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
}

static handle_t cipher_session(const struct cipher *c)
{
	struct wd_cipher_sess_setup setup;
	handle_t h;

	memset(&setup, 0xa5, sizeof(setup));
	setup.alg = c->alg;
	setup.mode = c->mode;
	setup.sched_param = NULL;
	h = wd_cipher_alloc_sess(&setup);
	if (h && wd_cipher_set_key(h, key, c->key_len)) {
		wd_cipher_free_sess(h);
		return 0;
	}
	return h;
}

static struct wd_cipher_req cipher_request(const struct cipher *c, bool encrypt, unsigned char *iv)
{
	struct wd_cipher_req req;

	memset(&req, 0xa5, sizeof(req));
	req.op_type = encrypt ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION;
	req.src = plain;
	req.dst = out;
	req.iv = iv;
	req.in_bytes = c->len;
	req.iv_bytes = c->iv_len;
	req.out_buf_bytes = c->len;
	req.data_fmt = WD_FLAT_BUF;
	return req;
}

FIXTURE(crypto) { unsigned char iv[16]; };
FIXTURE_SETUP(crypto)
{
	fill_noise(plain, sizeof(plain), 1);
	fill_noise(self->iv, sizeof(self->iv), 2);
	ASSERT_EQ(0, wd_cipher_env_init(NULL));
	ASSERT_EQ(0, wd_digest_env_init(NULL));
	ASSERT_EQ(0, wd_aead_init2("gcm(aes)", SCHED_POLICY_RR, TASK_MIX));
}

FIXTURE_TEARDOWN(crypto)
{
	wd_cipher_env_uninit();
	wd_digest_env_uninit();
	wd_aead_uninit2();
}

TEST_F(crypto, ciphers)
{
	for (size_t i = 0; i < CIPHERS; i++) {
		const struct cipher *c = &ciphers[i];
		handle_t h = cipher_session(c);

		ASSERT_NE(0, h) TH_LOG("%s", c->name);
		for (int encrypt = 0; encrypt < 2; encrypt++) {
			unsigned char iv[16];
			struct wd_cipher_req req = cipher_request(c, encrypt, iv);

			memcpy(iv, self->iv, sizeof(iv));
			judge(c, encrypt, iv);
			ASSERT_EQ(0, wd_do_cipher_sync(h, &req)) TH_LOG("%s", c->name);
			EXPECT_EQ(0, req.state);
			EXPECT_EQ(c->len, req.out_bytes);
			EXPECT_EQ(0, memcmp(out, want, c->len)) TH_LOG("%s", c->name);
			if (!c->chains)
				continue;
			/* The iv is the next request's. */
			EXPECT_EQ(0, wd_do_cipher_sync(h, &req));
			EXPECT_EQ(0, memcmp(out, want + c->len, c->len)) TH_LOG("%s", c->name);
		}
		wd_cipher_free_sess(h);
	}
}

TEST_F(crypto, cipher_lists)
{
	const struct cipher *c = &ciphers[0];
	handle_t h = cipher_session(c);
	struct wd_datalist src[2], dst[1];
	struct wd_cipher_req req = cipher_request(c, true, self->iv);

	judge(c, true, self->iv);
	memset(src, 0xa5, sizeof(src));
	memset(dst, 0xa5, sizeof(dst));
	src[0].data = plain;
	src[0].len = 100;
	src[0].next = &src[1];
	src[1].data = plain + 100;
	src[1].len = c->len - 100;
	src[1].next = NULL;
	dst[0].data = out;
	dst[0].len = c->len;
	dst[0].next = NULL;
	req.list_src = src;
	req.list_dst = dst;
	req.data_fmt = WD_SGL_BUF;
	ASSERT_EQ(0, wd_do_cipher_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, want, c->len));
	wd_cipher_free_sess(h);
}

TEST_F(crypto, cipher_refused)
{
	struct wd_cipher_sess_setup setup = { .alg = WD_CIPHER_DES, .mode = WD_CIPHER_CBC };
	handle_t h = cipher_session(&ciphers[0]);
	struct wd_cipher_req req = cipher_request(&ciphers[0], true, self->iv);

	req.iv_bytes = 12;
	EXPECT_EQ(-WD_EINVAL, wd_do_cipher_sync(h, &req));
	EXPECT_EQ(WD_EINVAL, req.state);
	req = cipher_request(&ciphers[0], true, self->iv);
	req.src = NULL;
	EXPECT_EQ(-WD_EINVAL, wd_do_cipher_sync(h, &req));
	req = cipher_request(&ciphers[0], true, self->iv);
	req.out_buf_bytes--;
	EXPECT_EQ(-WD_EINVAL, wd_do_cipher_sync(h, &req));
	req = cipher_request(&ciphers[0], true, self->iv);
	req.cb = NULL;
	EXPECT_EQ(-WD_EINVAL, wd_do_cipher_async(h, &req));
	EXPECT_EQ(-WD_EINVAL, wd_cipher_set_key(h, key, 17));
	EXPECT_EQ(-WD_EINVAL, wd_cipher_set_key(h, NULL, 16));
	wd_cipher_free_sess(h);
	EXPECT_EQ(0, wd_cipher_alloc_sess(&setup));
	EXPECT_EQ(EINVAL, errno);
	setup = (struct wd_cipher_sess_setup){ .alg = WD_CIPHER_SM4, .mode = WD_CIPHER_XTS_GB };
	EXPECT_EQ(0, wd_cipher_alloc_sess(&setup));
	EXPECT_EQ(0, wd_cipher_alloc_sess(NULL));
	EXPECT_EQ(-WD_EEXIST, wd_cipher_init2("cbc(aes)", SCHED_POLICY_RR, TASK_MIX));
	EXPECT_EQ(-WD_EINVAL, wd_cipher_init2("sha256", SCHED_POLICY_RR, TASK_MIX));
}

struct job {
	unsigned char out[64];
	int calls;
	__u16 state;
};

static struct job jobs[MANY];

static void *cipher_heard(struct wd_cipher_req *req, void *param)
{
	struct job *job = param;

	job->calls++;
	job->state = req->state;
	return NULL;
}

/* A digest's callback gets the request as its only argument. */
static void *digest_heard(void *param)
{
	struct wd_digest_req *req = param;
	struct job *job = req->cb_param;

	job->calls++;
	job->state = req->state;
	return NULL;
}

TEST_F(crypto, cipher_async)
{
	struct cipher c = ciphers[0];
	handle_t h = cipher_session(&c);
	__u32 count = 0;

	c.len = 64;
	memset(jobs, 0, sizeof(jobs));
	judge(&c, true, self->iv);
	for (int i = 0; i < MANY; i++) {
		struct wd_cipher_req req = cipher_request(&c, true, self->iv);
		int ret;

		req.dst = jobs[i].out;
		req.cb = cipher_heard;
		req.cb_param = &jobs[i];
		while ((ret = wd_do_cipher_async(h, &req)) == -WD_EBUSY)
			;
		ASSERT_EQ(0, ret);
	}
	EXPECT_EQ(0, wd_cipher_poll(MANY, &count));
	EXPECT_EQ(MANY, count);
	for (int i = 0; i < MANY; i++)
		ASSERT_TRUE(jobs[i].calls == 1 && !jobs[i].state && !memcmp(jobs[i].out, want, 64));
	wd_cipher_free_sess(h);
}

static const struct digest {
	int alg;
	__u32 bytes;
	const char *name;
} digests[] = {
	{ WD_DIGEST_SM3, 32, "SM3" }, { WD_DIGEST_MD5, 16, "MD5" }, { WD_DIGEST_SHA1, 20, "SHA1" },
	{ WD_DIGEST_SHA256, 32, "SHA256" }, { WD_DIGEST_SHA224, 28, "SHA224" }, { WD_DIGEST_SHA384, 48, "SHA384" },
	{ WD_DIGEST_SHA512, 64, "SHA512" }, { WD_DIGEST_SHA512_224, 28, "SHA512-224" },
	{ WD_DIGEST_SHA512_256, 32, "SHA512-256" },
};

#define DIGESTS (sizeof(digests) / sizeof(digests[0]))

static handle_t digest_session(const struct digest *d, int mode)
{
	struct wd_digest_sess_setup setup;
	handle_t h;

	memset(&setup, 0xa5, sizeof(setup));
	setup.alg = d->alg;
	setup.mode = mode;
	setup.sched_param = NULL;
	h = wd_digest_alloc_sess(&setup);
	if (h && mode == WD_DIGEST_HMAC && wd_digest_set_key(h, key, 20)) {
		wd_digest_free_sess(h);
		return 0;
	}
	return h;
}

static struct wd_digest_req digest_request(const struct digest *d, const void *src, __u32 len)
{
	struct wd_digest_req req;

	memset(&req, 0xa5, sizeof(req));
	req.in = (void *)src;
	req.in_bytes = len;
	req.out = out;
	req.out_bytes = d->bytes;
	req.out_buf_bytes = 64;
	req.has_next = WD_DIGEST_END;
	req.data_fmt = WD_FLAT_BUF;
	return req;
}

TEST_F(crypto, digests)
{
	for (size_t i = 0; i < DIGESTS; i++) {
		const struct digest *d = &digests[i];

		for (int mode = WD_DIGEST_NORMAL; mode <= WD_DIGEST_HMAC; mode++) {
			EVP_MD *md = EVP_MD_fetch(NULL, d->name, NULL);
			handle_t h = digest_session(d, mode);
			struct wd_digest_req req = digest_request(d, plain, 3000);
			unsigned int n;

			ASSERT_NE(0, h) TH_LOG("%s", d->name);
			if (mode == WD_DIGEST_HMAC)
				HMAC(md, key, 20, plain, 3000, want, &n);
			else
				EVP_Digest(plain, 3000, want, &n, md, NULL);
			ASSERT_EQ(0, wd_do_digest_sync(h, &req));
			EXPECT_EQ(0, req.state);
			EXPECT_EQ(0, memcmp(out, want, d->bytes)) TH_LOG("%s", d->name);
			/* Cut off. */
			memset(out, 0x77, 64);
			req.out_bytes = 12;
			req.out_buf_bytes = 12;
			ASSERT_EQ(0, wd_do_digest_sync(h, &req));
			EXPECT_EQ(0, memcmp(out, want, 12));
			EXPECT_EQ(0x77, out[12]);
			/* In parts. */
			memset(out, 0, 64);
			req = digest_request(d, plain, 1000);
			req.has_next = WD_DIGEST_DOING;
			ASSERT_EQ(0, wd_do_digest_sync(h, &req));
			req = digest_request(d, plain + 1000, 77);
			req.has_next = WD_DIGEST_DOING;
			ASSERT_EQ(0, wd_do_digest_sync(h, &req));
			req = digest_request(d, plain + 1077, 3000 - 1077);
			ASSERT_EQ(0, wd_do_digest_sync(h, &req));
			EXPECT_EQ(0, memcmp(out, want, d->bytes)) TH_LOG("%s", d->name);
			wd_digest_free_sess(h);
			EVP_MD_free(md);
		}
	}
}

TEST_F(crypto, digest_refused)
{
	struct wd_digest_sess_setup setup = { .alg = WD_DIGEST_AES_CMAC, .mode = WD_DIGEST_HMAC };
	handle_t h = digest_session(&digests[2], WD_DIGEST_NORMAL);
	struct wd_digest_req req = digest_request(&digests[2], plain, 100);

	req.out_buf_bytes = 19;
	EXPECT_EQ(-WD_EINVAL, wd_do_digest_sync(h, &req));
	req.out_buf_bytes = 64;
	req.out_bytes = 21;
	EXPECT_EQ(-WD_EINVAL, wd_do_digest_sync(h, &req));
	req.out_bytes = 20;
	req.in = NULL;
	EXPECT_EQ(-WD_EINVAL, wd_do_digest_sync(h, &req));
	req.in = plain;
	req.has_next = WD_DIGEST_MSG_STATE_MAX;
	EXPECT_EQ(-WD_EINVAL, wd_do_digest_sync(h, &req));
	EXPECT_EQ(-WD_EINVAL, wd_digest_set_key(h, key, 16));
	wd_digest_free_sess(h);
	EXPECT_EQ(0, wd_digest_alloc_sess(&setup));
	EXPECT_EQ(EINVAL, errno);
	/* An HMAC without a key. */
	setup.alg = WD_DIGEST_SHA1;
	h = wd_digest_alloc_sess(&setup);
	req = digest_request(&digests[2], plain, 100);
	EXPECT_EQ(-WD_EINVAL, wd_do_digest_sync(h, &req));
	wd_digest_free_sess(h);
}

TEST_F(crypto, digest_async)
{
	handle_t h = digest_session(&digests[3], WD_DIGEST_HMAC);
	unsigned int n;
	__u32 count = 0;

	memset(jobs, 0, sizeof(jobs));
	HMAC(EVP_sha256(), key, 20, plain, 500, want, &n);
	for (int i = 0; i < MANY; i++) {
		struct wd_digest_req req = digest_request(&digests[3], plain, 500);
		int ret;

		req.out = jobs[i].out;
		req.out_bytes = 16;
		req.cb = digest_heard;
		req.cb_param = &jobs[i];
		while ((ret = wd_do_digest_async(h, &req)) == -WD_EBUSY)
			;
		ASSERT_EQ(0, ret);
	}
	EXPECT_EQ(0, wd_digest_poll(MANY, &count));
	EXPECT_EQ(MANY, count);
	for (int i = 0; i < MANY; i++)
		ASSERT_TRUE(jobs[i].calls == 1 && !jobs[i].state && !memcmp(jobs[i].out, want, 16) && !jobs[i].out[16]);
	wd_digest_free_sess(h);
}

/* GCM of libcrypto's: assoc bytes first, then the data. */
static void judge_gcm(const unsigned char *iv, __u32 assoc, __u32 len, unsigned char *tag)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n;

	EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, iv);
	EVP_EncryptUpdate(ctx, NULL, &n, plain, (int)assoc);
	memcpy(want, plain, assoc);
	EVP_EncryptUpdate(ctx, want + assoc, &n, plain + assoc, (int)len);
	EVP_EncryptFinal_ex(ctx, want, &n);
	EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
	EVP_CIPHER_CTX_free(ctx);
	memcpy(want, plain, assoc);
}

static struct wd_aead_req aead_request(bool encrypt, __u32 assoc, __u32 len, unsigned char *iv, unsigned char *mac)
{
	struct wd_aead_req req;

	memset(&req, 0xa5, sizeof(req));
	req.op_type = encrypt ? WD_CIPHER_ENCRYPTION_DIGEST : WD_CIPHER_DECRYPTION_DIGEST;
	req.src = encrypt ? plain : want;
	req.dst = out;
	req.mac = mac;
	req.iv = iv;
	req.in_bytes = len;
	req.out_bytes = len + assoc;
	req.iv_bytes = 12;
	req.mac_bytes = 16;
	req.assoc_bytes = (__u16)assoc;
	req.data_fmt = WD_FLAT_BUF;
	req.msg_state = AEAD_MSG_BLOCK;
	return req;
}

static handle_t aead_session(void)
{
	struct wd_aead_sess_setup setup;
	handle_t h;

	memset(&setup, 0xa5, sizeof(setup));
	setup.calg = WD_CIPHER_AES;
	setup.cmode = WD_CIPHER_GCM;
	setup.sched_param = NULL;
	h = wd_aead_alloc_sess(&setup);
	if (h && (wd_aead_set_ckey(h, key, 32) || wd_aead_set_authsize(h, 16))) {
		wd_aead_free_sess(h);
		return 0;
	}
	return h;
}

static void *aead_heard(struct wd_aead_req *req, void *param)
{
	*(int *)param = req->state ? -1 : (int)req->out_bytes;
	return NULL;
}

TEST_F(crypto, aead)
{
	handle_t h = aead_session();
	unsigned char tag[16], mac[16];
	struct wd_aead_req req = aead_request(true, 20, 1000, self->iv, mac);
	__u32 count = 0;
	int heard = 0;

	ASSERT_NE(0, h);
	EXPECT_EQ(16, wd_aead_get_authsize(h));
	EXPECT_EQ(16, wd_aead_get_maxauthsize(h));
	judge_gcm(self->iv, 20, 1000, tag);
	ASSERT_EQ(0, wd_do_aead_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, want, 1020));
	EXPECT_EQ(0, memcmp(mac, tag, 16));
	req = aead_request(false, 20, 1000, self->iv, mac);
	ASSERT_EQ(0, wd_do_aead_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, plain, 1020));
	mac[3] ^= 1;
	EXPECT_EQ(-WD_VERIFY_ERR, wd_do_aead_sync(h, &req));
	EXPECT_EQ(WD_VERIFY_ERR, req.state);
	req = aead_request(true, 20, 1000, self->iv, mac);
	req.cb = aead_heard;
	req.cb_param = &heard;
	ASSERT_EQ(0, wd_do_aead_async(h, &req));
	EXPECT_EQ(0, wd_aead_poll(1, &count));
	EXPECT_EQ(1020, heard);
	EXPECT_EQ(0, memcmp(mac, tag, 16));
	/* In parts: what is only authenticated, data, the end. */
	memset(out, 0, sizeof(out));
	memset(mac, 0, sizeof(mac));
	req = aead_request(true, 20, 0, self->iv, mac);
	req.dst = NULL;
	req.out_bytes = 0;
	req.msg_state = AEAD_MSG_FIRST;
	ASSERT_EQ(0, wd_do_aead_sync(h, &req));
	req = aead_request(true, 20, 500, self->iv, mac);
	req.src = plain + 20;
	req.msg_state = AEAD_MSG_MIDDLE;
	ASSERT_EQ(0, wd_do_aead_sync(h, &req));
	req.src = plain + 520;
	req.dst = out + 500;
	req.msg_state = AEAD_MSG_END;
	ASSERT_EQ(0, wd_do_aead_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, want + 20, 1000));
	EXPECT_EQ(0, memcmp(mac, tag, 16));
	/* Refused. */
	req = aead_request(true, 20, 1000, self->iv, mac);
	req.out_bytes = 1019;
	EXPECT_EQ(-WD_EINVAL, wd_do_aead_sync(h, &req));
	req = aead_request(true, 20, 1000, self->iv, mac);
	req.op_type = WD_DIGEST_CIPHER_ENCRYPTION;
	EXPECT_EQ(-WD_EINVAL, wd_do_aead_sync(h, &req));
	EXPECT_EQ(-WD_EINVAL, wd_aead_set_akey(h, key, 16));
	EXPECT_EQ(-WD_EINVAL, wd_aead_set_authsize(h, 3));
	wd_aead_free_sess(h);
}

static int child(void *p)
{
	handle_t h = *(handle_t *)p;
	struct wd_cipher_req req = cipher_request(&ciphers[0], true, (unsigned char[16]){ 0 });

	if (wd_do_cipher_sync(h, &req) || wd_cipher_env_init(NULL) || wd_cipher_env_init(NULL) != -WD_EEXIST)
		return 1;
	return 0;
}

TEST_F(crypto, fork)
{
	handle_t h = cipher_session(&ciphers[0]);

	EXPECT_EQ(0, in_child(child, &h));
	wd_cipher_free_sess(h);
}

TEST_HARNESS_MAIN
