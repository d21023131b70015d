// SPDX-License-Identifier: Apache-2.0
/*
 * What hardware of generation 2 lacks: sessions that need it use devices of a later generation, or the software path.
 * Runs on devices of one generation and of both.
 */
#include "aead_test.h"
#include "digest_test.h"
#include "emulated.h"
#include "kselftest_harness.h"

#define SECOND	"hisi_qm_v2"

static const unsigned char key[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static unsigned char iv[16] = "an initial value", in[256], out[256], mac[64];

FIXTURE(generations) {
	int second, other;	/* numbers of a device of generation 2, and of another; -1: there is none */
	char second_name[WD_NAME_SIZE];
};

FIXTURE_SETUP(generations)
{
	struct uacce_dev_list *list = wd_list_accels((char *)"cipher"), *l;

	self->second = self->other = -1;
	for (l = list; l; l = l->next) {
		if (!strcmp(l->info->api, SECOND)) {
			self->second = l->info->node_id;
			strcpy(self->second_name, l->info->name);
		} else {
			self->other = l->info->node_id;
		}
	}
	wd_free_list_accels(list);
	if (self->second < 0 && self->other < 0)
		SKIP(return, "there is no device");
	fill_noise(in, sizeof(in), 1);
}

FIXTURE_TEARDOWN(generations)
{
}

static bool lacks(int alg, int mode)
{
	(void)alg;
	return mode != WD_CIPHER_ECB && mode != WD_CIPHER_CBC && mode != WD_CIPHER_XTS;
}

/* The key's length of a cipher, or 0: the class doesn't have the mode. */
static size_t cipher_key_len(int alg, int mode)
{
	if (mode == WD_CIPHER_CCM || mode == WD_CIPHER_GCM || (alg == WD_CIPHER_3DES && mode > WD_CIPHER_CBC))
		return 0;
	return alg == WD_CIPHER_3DES ? 24 : mode == WD_CIPHER_XTS ? 32 : 16;
}

TEST_F(generations, a_cipher_for_devices_only_exists_where_some_device_has_it)
{
	int alg, mode;

	for (alg = WD_CIPHER_SM4; alg <= WD_CIPHER_3DES; alg++)
		for (mode = 0; mode <= WD_CIPHER_GCM; mode++) {
			size_t len = cipher_key_len(alg, mode);
			bool has = self->other >= 0 || !lacks(alg, mode);
			handle_t h;

			if (!len || (alg != WD_CIPHER_AES && alg != WD_CIPHER_SM4 && alg != WD_CIPHER_3DES))
				continue;
			h = cipher_keyed(alg, mode, key, len, WD_SESS_PATH_HW);
			if (!h && errno == EOPNOTSUPP && !has)
				continue;
			ASSERT_NE(0, h) TH_LOG("alg %d mode %d: %s", alg, mode, detail(0));
			EXPECT_TRUE(has) TH_LOG("alg %d mode %d", alg, mode);
			EXPECT_EQ(0,
				  cipher_do(h, WD_CIPHER_ENCRYPTION, iv, (size_t)cipher_iv_len(alg, mode), in, 64, out))
				TH_LOG("alg %d mode %d: %s", alg, mode, detail(h));
			EXPECT_EQ(0, wd_cipher_free_sess(h));
		}
}

TEST_F(generations, a_cipher_that_no_device_has_takes_the_software_path_and_says_so)
{
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key, 16, 0);
	size_t len = 64;
	struct wd_cipher_arg arg = { .src = in, .src_len = 64, .dst = out, .dst_len = &len, .iv = iv, .iv_len = 16 };

	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_cipher_sync(h, &arg));
	if (self->other < 0) {
		EXPECT_EQ(WD_PATH_SOFT, arg.path);
		EXPECT_EQ(WD_REASON_UNSUPPORTED, arg.path_reason);
	} else {
		EXPECT_EQ(WD_PATH_SIM, arg.path);
	}
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST_F(generations, AEAD_of_SM4_and_with_SM3_is_not_for_generation_2)
{
	static const struct {
		struct aead_kind kind;
		bool has;
	} aeads[] = {
		{ { WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, true }, { { WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, true },
		{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 }, true },
		{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA512 }, true },
		{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SM3 }, false },
		{ { WD_CIPHER_SM4, WD_CIPHER_GCM, 0 }, false }, { { WD_CIPHER_SM4, WD_CIPHER_CCM, 0 }, false },
		{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SHA256 }, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(aeads) / sizeof(aeads[0]); i++) {
		handle_t h = aead_keyed(aeads[i].kind, key, 16, key, 32, 0, WD_SESS_PATH_HW);

		if (self->other < 0 && !aeads[i].has) {
			EXPECT_EQ(0, h);
			EXPECT_EQ(EOPNOTSUPP, errno);
			continue;
		}
		ASSERT_NE(0, h) TH_LOG("row %u: %s", i, detail(0));
		EXPECT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv, aeads[i].kind.cmode == WD_CIPHER_CBC ? 16 : 12, in,
				     16, 64, out, mac))
			TH_LOG("row %u: %s", i, detail(h));
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

TEST_F(generations, generation_2_leaves_empty_messages_to_the_software_path)
{
	unsigned char want[32], got[32];
	handle_t soft = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_SOFT);
	handle_t any = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	handle_t hw = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_HW);
	int ret;

	ASSERT_TRUE(soft && any && hw) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, digest_do(soft, in, 0, want, 32));
	EXPECT_EQ(0, digest_do(any, in, 0, got, 32)) TH_LOG("%s", detail(any));
	EXPECT_EQ(0, memcmp(want, got, 32));
	memset(got, 0, 32);
	EXPECT_EQ(0, digest_part(any, NULL, 0, got)) TH_LOG("%s", detail(any));
	EXPECT_EQ(0, memcmp(want, got, 32));
	/* With devices of both generations, either may be asked. */
	ret = digest_do(hw, in, 0, got, 32);
	if (self->second < 0)
		EXPECT_EQ(0, ret);
	if (self->other < 0) {
		EXPECT_EQ(-EOPNOTSUPP, ret);
		EXPECT_EQ(-EOPNOTSUPP, digest_part(hw, NULL, 0, got));
		EXPECT_NE(NULL, strstr(detail(hw), "without data")) TH_LOG("%s", detail(hw));
	}
	EXPECT_EQ(0, wd_digest_free_sess(soft));
	EXPECT_EQ(0, wd_digest_free_sess(any));
	EXPECT_EQ(0, wd_digest_free_sess(hw));
}

TEST_F(generations, the_end_of_a_long_message_may_be_empty_everywhere)
{
	static unsigned char text[8192];
	unsigned char want[64], got[64];
	handle_t soft = digest_keyed(WD_DIGEST_SHA384, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_SOFT);
	handle_t hw = digest_keyed(WD_DIGEST_SHA384, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_HW);

	ASSERT_TRUE(soft && hw) TH_LOG("%s", detail(0));
	fill_noise(text, sizeof(text), 3);
	ASSERT_EQ(0, digest_do(soft, text, sizeof(text), want, 48));
	ASSERT_EQ(0, digest_part(hw, text, sizeof(text), NULL)) TH_LOG("%s", detail(hw));
	ASSERT_EQ(0, digest_part(hw, NULL, 0, got)) TH_LOG("%s", detail(hw));
	EXPECT_EQ(0, memcmp(want, got, 48));
	EXPECT_EQ(0, wd_digest_free_sess(soft));
	EXPECT_EQ(0, wd_digest_free_sess(hw));
}

TEST_F(generations, AEAD_without_data_is_not_for_generation_2)
{
	static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };
	handle_t any = aead_keyed(gcm, key, 16, NULL, 0, 0, 0),
		 hw = aead_keyed(gcm, key, 16, NULL, 0, 0, WD_SESS_PATH_HW);

	ASSERT_TRUE(any && hw) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, aead_do(any, WD_CIPHER_ENCRYPTION, iv, 12, in, 64, 0, out, mac)) TH_LOG("%s", detail(any));
	EXPECT_EQ(0, aead_do(any, WD_CIPHER_DECRYPTION, iv, 12, in, 64, 0, out, mac)) TH_LOG("%s", detail(any));
	if (self->other < 0)
		EXPECT_EQ(-EOPNOTSUPP, aead_do(hw, WD_CIPHER_ENCRYPTION, iv, 12, in, 64, 0, out, mac));
	if (self->second < 0)
		EXPECT_EQ(0, aead_do(hw, WD_CIPHER_ENCRYPTION, iv, 12, in, 64, 0, out, mac));
	EXPECT_EQ(0, wd_aead_free_sess(any));
	EXPECT_EQ(0, wd_aead_free_sess(hw));
}

static void nothing(struct wd_cipher_arg *arg, void *param)
{
	(void)arg;
	(void)param;
}

static handle_t async_keyed(int mode, const wd_dev_mask_t *mask)
{
	struct wd_cipher_sess_setup setup = {
		.alg = WD_CIPHER_AES, .mode = (__u8)mode, .op_type = WD_ASYNC, .flags = WD_SESS_PATH_HW,
	};
	handle_t h = wd_cipher_alloc_sess(&setup, mask);

	return h && !wd_cipher_set_key(h, key, 16) ? h : 0;
}

static int start(handle_t h, const wd_ctx_set_t *set)
{
	static size_t len;
	static struct wd_cipher_arg arg;
	int ret;

	len = 64;
	arg = (struct wd_cipher_arg){
		.src = in, .src_len = 64, .dst = out, .dst_len = &len, .iv = iv, .iv_len = 16, .cb = nothing,
	};
	ret = wd_cipher_async(h, &arg, set);
	return ret ? ret : wd_cipher_poll(1, 2000, NULL) == 1 ? arg.status : -ETIME;
}

TEST_F(generations, an_explicit_set_of_contexts_must_be_able_to_do_it)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	handle_t cbc, ctr;

	/* The run with one device of each generation has both. */
	if (self->second < 0 || self->other < 0)
		return;
	ASSERT_TRUE(mask && set);
	ASSERT_EQ(0, wd_dev_mask_set(mask, self->second));
	cbc = async_keyed(WD_CIPHER_CBC, mask);
	ctr = async_keyed(WD_CIPHER_CTR, NULL);
	ASSERT_TRUE(cbc && ctr) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_ctx_set_from_sess(cbc, set));
	EXPECT_EQ(0, start(cbc, set)) TH_LOG("%s", detail(cbc));
	EXPECT_EQ(0, start(ctr, NULL)) TH_LOG("%s", detail(ctr));
	EXPECT_EQ(-EINVAL, start(ctr, set));
	/* A mask doesn't give a device what it lacks. */
	EXPECT_EQ(0, async_keyed(WD_CIPHER_CTR, mask));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(0, wd_cipher_free_sess(cbc));
	EXPECT_EQ(0, wd_cipher_free_sess(ctr));
	wd_ctx_set_free(set);
	wd_dev_mask_free(mask);
}

TEST_F(generations, sessions_use_devices_of_both_generations_for_what_both_have)
{
	unsigned long long before = emulated_count(self->second_name, "completions");
	handle_t cbc[4], ctr[4];
	int i;

	/* The run with one device of each generation has both. */
	if (self->second < 0 || self->other < 0)
		return;
	for (i = 0; i < 4; i++) {
		ctr[i] = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key, 16, WD_SESS_PATH_HW);
		ASSERT_NE(0, ctr[i]);
		EXPECT_EQ(0, cipher_do(ctr[i], WD_CIPHER_ENCRYPTION, iv, 16, in, 64, out));
	}
	EXPECT_EQ(before, emulated_count(self->second_name, "completions"));
	for (i = 0; i < 4; i++) {
		cbc[i] = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key, 16, WD_SESS_PATH_HW);
		ASSERT_NE(0, cbc[i]);
		EXPECT_EQ(0, cipher_do(cbc[i], WD_CIPHER_ENCRYPTION, iv, 16, in, 64, out));
	}
	EXPECT_LT(before, emulated_count(self->second_name, "completions"));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, wd_cipher_free_sess(ctr[i]));
		EXPECT_EQ(0, wd_cipher_free_sess(cbc[i]));
	}
}

TEST_HARNESS_MAIN
