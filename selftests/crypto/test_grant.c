// SPDX-License-Identifier: Apache-2.0
/* A stream whose context another session takes: the section grants only one context. */
#include <wd_user.h>

#include "../libwd/sectioned.h"
#include "aead_test.h"
#include "digest_test.h"
#include "kselftest_harness.h"

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";
static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };

FIXTURE(one) {
	unsigned char in[4096], out[4096], again[4096], mac[32];
	unsigned char other[64];
	size_t len;
	handle_t cipher;
	struct wd_cipher_arg arg;
};

static void told(struct wd_cipher_arg *arg, void *param)
{
	(void)arg, (void)param;
}

FIXTURE_SETUP(one)
{
	setenv("WD_ATTACH_TIMEOUT", "300000", 1);
	ASSERT_EQ(0, wd_user_start("ONE")) TH_LOG("%s", detail(0));
	fill_noise(self->in, sizeof(self->in), 1);
	self->cipher = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_ASYNC, WD_FLAT_BUF, WD_SESS_PATH_HW);
	ASSERT_NE(0, self->cipher) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_cipher_set_key(self->cipher, key64, 16));
	self->arg = (struct wd_cipher_arg){
		.src = self->other, .src_len = 64, .dst = self->other, .dst_len = &self->len, .iv = (void *)iv16,
		.iv_len = 16, .cb = told,
	};
}

FIXTURE_TEARDOWN(one)
{
	EXPECT_EQ(0, wd_cipher_free_sess(self->cipher));
}

/* A request that waits for a poll keeps the one context. */
static int take(struct wd_cipher_arg *arg, handle_t cipher)
{
	*arg->dst_len = arg->src_len;
	return wd_cipher_async(cipher, arg, NULL);
}

static bool filled(const unsigned char *p, size_t n, unsigned char with)
{
	while (n && *p == with) {
		p++;
		n--;
	}
	return !n;
}

TEST_F(one, a_decryption_that_goes_on_without_its_context_releases_nothing_and_is_over)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);

	ASSERT_NE(0, h);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->mac));
	memset(self->again, 0x5a, sizeof(self->again));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 2032, self->again, NULL))
		TH_LOG("%s", detail(h));
	ASSERT_EQ(0, take(&self->arg, self->cipher)) TH_LOG("%s", detail(self->cipher));
	EXPECT_EQ(-EDQUOT,
		  aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, self->out + 2048, 0, 1024, self->again + 2048, NULL));
	EXPECT_EQ(0, memcmp(self->again, self->in, 2048));
	EXPECT_TRUE(filled(self->again + 2048, 1024, 0));
	EXPECT_TRUE(filled(self->again + 3072, 1024, 0x5a));
	EXPECT_EQ(1, wd_cipher_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, self->out + 2048, 0, 2048, self->again + 2048,
				     self->mac));
	EXPECT_NE(NULL, strstr(detail(h), "reset_sess"));
	EXPECT_EQ(0, wd_aead_reset_sess(h));
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 4080, self->again, self->mac))
		TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(self->again, self->in, 4096));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST_F(one, a_stream_that_gets_no_context_begins_on_this_cpu_where_that_may)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0),
		 only = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char md[32], want[32], tag[16];
	struct wd_aead_arg arg = {
		.src = self->in, .src_len = 2048, .dst = self->again, .dst_len = &self->len, .iv = (void *)iv16,
		.iv_len = 12, .assoc_len = 16, .op = WD_CIPHER_ENCRYPTION,
	};

	ASSERT_TRUE(h && only && d);
	ASSERT_EQ(0, digest_do(d, self->in, 4096, want, 32)) TH_LOG("%s", detail(d));
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->mac))
		TH_LOG("%s", detail(h));
	ASSERT_EQ(0, take(&self->arg, self->cipher)) TH_LOG("%s", detail(self->cipher));
	self->len = 2048;
	EXPECT_EQ(0, wd_aead_update(h, &arg)) TH_LOG("%s", detail(h));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_NO_QUEUE, arg.path_reason);
	EXPECT_EQ(0, digest_part(d, self->in, 4096, NULL)) TH_LOG("%s", detail(d));
	EXPECT_EQ(-EDQUOT,
		  aead_part(only, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->again + 2048, NULL));
	EXPECT_EQ(1, wd_cipher_poll(1, WAIT_MS, NULL));
	/* No stream had begun. */
	EXPECT_EQ(0, aead_part(only, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->again + 2048, tag))
		TH_LOG("%s", detail(only));
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, self->in + 2048, 0, 2048, self->again + 2048, tag))
		TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(self->again, self->out, 4096) || memcmp(tag, self->mac, 16));
	EXPECT_EQ(0, digest_part(d, NULL, 0, md)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, memcmp(md, want, 32));
	EXPECT_EQ(0, wd_aead_free_sess(h));
	EXPECT_EQ(0, wd_aead_free_sess(only));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

int main(int argc, char **argv)
{
	sectioned_on(argv, "1", "1", "0,0");
	return test_harness_run(argc, argv);
}
