// SPDX-License-Identifier: Apache-2.0
/* Parts of messages on a device without shared virtual addresses and without an IOMMU: it needs them in one piece. */
#include "aead_test.h"
#include "digest_test.h"
#include "emulated.h"
#include "kselftest_harness.h"

#define LEN		(3 * MIB + 5)
#define DIRECT		1
#define DIRECT_NAME	"hisi_sec2-1"

static const unsigned char key[16] = "sixteen bytes...", iv[12] = "twelve bytes";

FIXTURE(mediated) {
	wd_dev_mask_t *mask;
	unsigned char *in, *out, *back;
};

FIXTURE_SETUP(mediated)
{
	self->mask = wd_dev_mask_alloc();
	self->in = malloc(LEN);
	self->out = malloc(LEN);
	self->back = malloc(LEN);
	ASSERT_TRUE(self->mask && self->in && self->out && self->back);
	ASSERT_EQ(0, wd_dev_mask_set(self->mask, DIRECT));
	fill_noise(self->in, LEN, 5);
}

FIXTURE_TEARDOWN(mediated)
{
	wd_dev_mask_free(self->mask);
	free(self->in);
	free(self->out);
	free(self->back);
	EXPECT_EQ(0, emulated_count(DIRECT_NAME, "outside"));
}

/* @mask NULL: on the software path */
static handle_t digest_sess(wd_dev_mask_t *mask)
{
	struct wd_digest_sess_setup setup = {
		.alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .op_type = WD_SYNC, .data_fmt = WD_FLAT_BUF,
		.flags = mask ? WD_SESS_PATH_HW : WD_SESS_PATH_SOFT,
	};

	return wd_digest_alloc_sess(&setup, mask);
}

static handle_t gcm_sess(wd_dev_mask_t *mask)
{
	struct wd_aead_sess_setup setup = {
		.calg = WD_CIPHER_AES, .cmode = WD_CIPHER_GCM, .op_type = WD_SYNC, .data_fmt = WD_FLAT_BUF,
		.flags = mask ? WD_SESS_PATH_HW : WD_SESS_PATH_SOFT,
	};
	handle_t h = wd_aead_alloc_sess(&setup, mask);

	return h && !wd_aead_set_ckey(h, key, sizeof(key)) ? h : 0;
}

TEST_F(mediated, a_digest_in_long_parts)
{
	unsigned char a[WD_DIGEST_MAX], b[WD_DIGEST_MAX];
	handle_t h = digest_sess(self->mask), soft = digest_sess(NULL);

	ASSERT_TRUE(h && soft) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, digest_part(h, self->in, LEN - 100, NULL)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, digest_part(h, self->in + LEN - 100, 100, a)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, digest_do(soft, self->in, LEN, b, 32));
	EXPECT_EQ(0, memcmp(a, b, 32));
	wd_digest_free_sess(h);
	wd_digest_free_sess(soft);
}

TEST_F(mediated, a_message_of_gcm_in_long_parts)
{
	handle_t h = gcm_sess(self->mask), soft = gcm_sess(NULL);
	unsigned char a[16], b[16];

	ASSERT_TRUE(h && soft) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv, 12, self->in, 20, LEN - 120, self->out, NULL))
		TH_LOG("%s", detail(h));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, self->in + LEN - 100, 0, 100,
			       self->out + LEN - 100, a)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, aead_do(soft, WD_CIPHER_ENCRYPTION, iv, 12, self->in, 20, LEN - 20, self->back, b));
	EXPECT_EQ(0, memcmp(self->out, self->back, LEN));
	EXPECT_EQ(0, memcmp(a, b, 16));
	wd_aead_free_sess(h);
	wd_aead_free_sess(soft);
}

/* Both kinds of AEAD's ends: a copy of the data is not the process' before the tag is right. */
TEST_F(mediated, short_messages_and_a_wrong_tag)
{
	handle_t h = gcm_sess(self->mask);
	unsigned char tag[16];

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv, 12, self->in, 20, 100, self->out, tag));
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_DECRYPTION, iv, 12, self->out, 20, 100, self->back, tag));
	EXPECT_EQ(0, memcmp(self->in, self->back, 120));
	tag[3] ^= 1;
	EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv, 12, self->out, 20, 100, self->back, tag));
	wd_aead_free_sess(h);
}

TEST_HARNESS_MAIN
