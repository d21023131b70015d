// SPDX-License-Identifier: Apache-2.0
/*
 * Ciphers, digests and AEAD on a device that is slow, reset or removed; requests for software only, and for devices
 * only.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <wd_cq.h>

#include "aead_test.h"
#include "digest_test.h"
#include "emulated.h"
#include "kselftest_harness.h"

#define DEVICE	"hisi_sec2-0"

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";
static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };
static const struct aead_kind ccm = { WD_CIPHER_AES, WD_CIPHER_CCM, 0 };
static const struct aead_kind authenc = { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 };

FIXTURE(device) {
	unsigned char in[4096], out[4096], again[4096], mac[32];
	size_t len;
};

FIXTURE_SETUP(device)
{
	if (!emulated() || expected_path("cipher") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --sec");
	fill_noise(self->in, sizeof(self->in), 1);
}

FIXTURE_TEARDOWN(device)
{
}

static struct wd_aead_arg aead_arg(unsigned char *src, unsigned char *dst, size_t *len, void *mac, int op)
{
	*len = 4096;
	return (struct wd_aead_arg){
		.src = src, .src_len = 4096, .dst = dst, .dst_len = len, .iv = (void *)iv16, .iv_len = 12, .mac = mac,
		.mac_len = 16, .assoc_len = 16, .op = (__u32)op, .timeout_ms = 50,
	};
}

TEST_F(device, a_decryption_whose_deadline_passes_releases_nothing)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);
	struct wd_aead_arg arg;
	unsigned int i;

	ASSERT_NE(0, h);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->mac));
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	memset(self->again, 0x5a, sizeof(self->again));
	arg = aead_arg(self->out, self->again, &self->len, self->mac, WD_CIPHER_DECRYPTION);
	EXPECT_EQ(-ETIMEDOUT, wd_aead_sync(h, &arg));
	EXPECT_EQ(0, self->len);
	for (i = 16; i < 4096 && !self->again[i]; i++)
		;
	EXPECT_EQ(4096, i);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	/* The context is reopened. */
	EXPECT_EQ(0, aead_do(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 4080, self->again, self->mac))
		TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(self->in, self->again, 4096));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

static void *cancel(void *sess)
{
	while (!wd_in_flight(NULL))
		usleep(1000);
	return (void *)(intptr_t)wd_sess_cancel(*(handle_t *)sess);
}

TEST_F(device, a_decryption_that_is_cancelled_releases_nothing)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);
	struct wd_aead_arg arg;
	unsigned int i;
	pthread_t t;
	void *ret;

	ASSERT_NE(0, h);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->mac));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault drop=1/1"));
	memset(self->again, 0x5a, sizeof(self->again));
	arg = aead_arg(self->out, self->again, &self->len, self->mac, WD_CIPHER_DECRYPTION);
	arg.timeout_ms = 0;
	ASSERT_EQ(0, pthread_create(&t, NULL, cancel, &h));
	EXPECT_EQ(-ECANCELED, wd_aead_sync(h, &arg));
	pthread_join(t, &ret);
	EXPECT_EQ(NULL, ret);
	EXPECT_EQ(0, self->len);
	for (i = 16; i < 4096 && !self->again[i]; i++)
		;
	EXPECT_EQ(4096, i);
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

static void *reset_soon(void *unused)
{
	usleep(30000);
	emulated_control(DEVICE, "reset");
	emulated_control(DEVICE, "release");
	return unused;
}

TEST_F(device, what_a_reset_stops_is_done_again)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	pthread_t t;

	ASSERT_NE(0, c);
	ASSERT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 4096, self->out));
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, pthread_create(&t, NULL, reset_soon, NULL));
	EXPECT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 4096, self->again)) TH_LOG("%s", detail(c));
	EXPECT_EQ(0, memcmp(self->out, self->again, 4096));
	pthread_join(t, NULL);
	EXPECT_EQ(0, wd_cipher_free_sess(c));
}

TEST_F(device, a_stream_does_not_survive_its_device_and_says_so)
{
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char md[32], want[32];

	ASSERT_NE(0, d);
	ASSERT_EQ(0, digest_do(d, self->in, 4096, want, 32));
	ASSERT_EQ(0, digest_part(d, self->in, 4096, NULL));
	ASSERT_EQ(0, emulated_control(DEVICE, "reset"));
	EXPECT_GT(0, digest_part(d, self->in, 4096, NULL) + digest_part(d, NULL, 0, md));
	EXPECT_EQ(-EINVAL, digest_part(d, NULL, 0, md));
	EXPECT_NE(NULL, strstr(detail(d), "reset_sess"));
	EXPECT_EQ(0, wd_digest_reset_sess(d));
	EXPECT_EQ(0, digest_part(d, self->in, 4096, md)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, memcmp(md, want, 32));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

TEST_F(device, an_AEAD_stream_does_not_survive_its_device_and_releases_nothing_after_it)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned int i;
	int ret;

	ASSERT_NE(0, h);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->mac));
	memset(self->again, 0x5a, sizeof(self->again));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 2032, self->again, NULL));
	ASSERT_EQ(0, emulated_control(DEVICE, "reset"));
	ret = aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, self->out + 2048, 0, 2048, self->again + 2048, self->mac);
	ASSERT_GT(0, ret);
	EXPECT_NE(-EBADMSG, ret);
	for (i = 2048; i < 4096; i++) {
		ASSERT_EQ(0, self->again[i]);
	}
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 4080, self->again, self->mac));
	EXPECT_NE(NULL, strstr(detail(h), "reset_sess"));
	EXPECT_EQ(0, wd_aead_reset_sess(h));
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 4080, self->again, self->mac))
		TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(self->in, self->again, 4096));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

/* A part whose call doesn't return until the device is released. */
struct inside {
	handle_t h;
	unsigned char *in, *out;
	int ret;
};

static void *stay_inside(void *arg)
{
	struct inside *i = arg;

	i->ret = aead_part(i->h, WD_CIPHER_ENCRYPTION, iv16, 12, i->in, 16, 1000, i->out, NULL);
	return NULL;
}

static int child_without_it(struct inside *i, bool reset)
{
	unsigned char mac[16];

	if (aead_part(i->h, WD_CIPHER_ENCRYPTION, NULL, 0, i->in, 0, 64, i->out, mac) != -ESTALE)
		return 1;
	if (wd_aead_set_ckey(i->h, key64, 16) != -EBUSY)
		return 2;
	if (reset && (wd_aead_reset_sess(i->h) || wd_aead_set_ckey(i->h, key64, 16) ||
		      aead_part(i->h, WD_CIPHER_ENCRYPTION, iv16, 12, i->in, 0, 64, i->out, mac)))
		return 3;
	return wd_aead_free_sess(i->h) ? 4 : 0;
}

TEST_F(device, while_a_thread_is_inside_a_stream_others_are_refused_and_a_child_has_none)
{
	struct inside i = {
		.h = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW), .in = self->in, .out = self->out, .ret = 1
	};
	unsigned long long sleeps = emulated_count(DEVICE, "sleeps");
	int round, status, ret;
	pthread_t t;
	pid_t pid;

	ASSERT_NE(0, i.h);
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, emulated_control("hisi_sec2-1", "hold"));
	ASSERT_EQ(0, pthread_create(&t, NULL, stay_inside, &i));
	/*
	 * A fork's child inherits the state of the sanitizer's locks: wait until the thread has left malloc() and
	 * waits for the device.
	 */
	while (emulated_count(DEVICE, "sleeps") == sleeps)
		usleep(1000);
	ret = wd_aead_reset_sess(i.h);
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_NE(NULL, strstr(detail(i.h), "another thread"));
	EXPECT_EQ(-EBUSY, aead_part(i.h, WD_CIPHER_ENCRYPTION, NULL, 0, self->in, 0, 64, self->again, NULL));
	EXPECT_EQ(-EBUSY, aead_part(i.h, WD_CIPHER_ENCRYPTION, NULL, 0, self->in, 0, 64, self->again, self->mac));
	EXPECT_EQ(-EBUSY, wd_aead_set_ckey(i.h, key64, 16));
	EXPECT_EQ(-EBUSY, wd_aead_free_sess(i.h));
	for (round = 0; round < 2; round++) {
		pid = fork();
		if (!pid)
			_exit(child_without_it(&i, round));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status) TH_LOG("round %d", round);
	}
	EXPECT_EQ(0, emulated_control(DEVICE, "release"));
	EXPECT_EQ(0, emulated_control("hisi_sec2-1", "release"));
	pthread_join(t, NULL);
	EXPECT_EQ(0, i.ret);
	EXPECT_EQ(0,
		  aead_part(i.h, WD_CIPHER_ENCRYPTION, NULL, 0, self->in + 1016, 0, 64, self->out + 1016, self->mac));
	EXPECT_EQ(0, wd_aead_free_sess(i.h));
}

TEST_F(device, what_no_device_takes_as_a_stream_is_refused_or_done_here)
{
	handle_t hw = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW),
		 any = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char *much = calloc(1, 70000);

	ASSERT_TRUE(hw && any && much);
	EXPECT_EQ(-EOPNOTSUPP, aead_part(hw, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 16, 4080, self->out, self->mac));
	EXPECT_EQ(-EOPNOTSUPP, aead_part(hw, WD_CIPHER_ENCRYPTION, iv16, 12, much, 70000, 0, much, self->mac));
	EXPECT_NE(NULL, strstr(detail(hw), "associated")) TH_LOG("%s", detail(hw));
	EXPECT_EQ(0, aead_part(hw, WD_CIPHER_ENCRYPTION, iv16, 12, NULL, 0, 0, NULL, self->mac))
		TH_LOG("%s", detail(hw));
	EXPECT_EQ(0, aead_part(any, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 16, 4080, self->out, self->mac))
		TH_LOG("%s", detail(any));
	EXPECT_EQ(0, aead_part(any, WD_CIPHER_ENCRYPTION, iv16, 12, much, 70000, 0, much, self->mac))
		TH_LOG("%s", detail(any));
	free(much);
	EXPECT_EQ(0, wd_aead_free_sess(hw));
	EXPECT_EQ(0, wd_aead_free_sess(any));
}

static void told(struct wd_aead_arg *arg, void *param)
{
	(void)arg;
	++*(unsigned int *)param;
}

TEST_F(device, asynchronous_too_with_a_set_and_by_the_same_name)
{
	handle_t any = aead_open(gcm, WD_ASYNC, WD_FLAT_BUF, 0),
		 hw = aead_open(gcm, WD_ASYNC, WD_SGL_BUF, WD_SESS_PATH_HW);
	struct wd_datalist *l = calloc(70000, sizeof(*l));
	wd_ctx_set_t *devices = wd_ctx_set_alloc(), *all = wd_ctx_set_alloc();
	unsigned char *much = calloc(1, 70000);
	struct wd_aead_arg arg;
	unsigned int n = 0, i;

	ASSERT_TRUE(any && hw && devices && all && l && much);
	ASSERT_FALSE(wd_aead_set_ckey(any, key64, 16) || wd_aead_set_ckey(hw, key64, 16));
	ASSERT_FALSE(wd_ctx_set_from_sess(any, all) || wd_ctx_set_from_sess(hw, devices));
	ASSERT_EQ(0, wd_ctx_set_add_soft(any, all));
	arg = aead_arg(self->in, self->out, &self->len, self->mac, WD_CIPHER_ENCRYPTION);
	arg.cb = told;
	arg.cb_param = &n;
	arg.iv_len = 16;
	EXPECT_EQ(-EOPNOTSUPP, wd_aead_async(any, &arg, devices));
	EXPECT_NE(NULL, strstr(detail(any), "doesn't take")) TH_LOG("%s", detail(any));
	EXPECT_EQ(4096, self->len);
	ASSERT_EQ(0, wd_aead_async(any, &arg, all)) TH_LOG("%s", detail(any));
	EXPECT_EQ(1, wd_aead_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(0, arg.status);
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	/* A list that is too long for a chain. */
	for (i = 0; i < 70000; i++)
		l[i] = (struct wd_datalist){ .data = much + i, .len = 1, .next = i + 1 < 70000 ? &l[i + 1] : NULL };
	arg.iv_len = 12;
	arg.src = arg.dst = l;
	arg.src_len = self->len = 70000;
	EXPECT_EQ(-EOPNOTSUPP, wd_aead_async(hw, &arg, NULL));
	EXPECT_EQ(1, n);
	free(l);
	free(much);
	wd_ctx_set_free(devices);
	wd_ctx_set_free(all);
	EXPECT_EQ(0, wd_aead_free_sess(any));
	EXPECT_EQ(0, wd_aead_free_sess(hw));
}

TEST_F(device, when_it_is_gone_this_cpu_does_it_or_nobody)
{
	handle_t any = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	handle_t hw = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, WD_SESS_PATH_HW);
	struct wd_cipher_arg arg = {
		.src = self->in, .src_len = 4096, .dst = self->out, .dst_len = &self->len, .iv = (void *)iv16,
		.iv_len = 16,
	};

	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0),
		 a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	handle_t only = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);
	struct wd_sess_stats st;
	int i;

	ASSERT_TRUE(any && hw && d && a && only);
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_EQ(0, emulated_control("hisi_sec2-1", "remove"));
	/* Streams are the first to find that the devices are gone. */
	EXPECT_EQ(0, digest_part(d, self->in, 4096, NULL)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, aead_part(a, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->out, NULL))
		TH_LOG("%s", detail(a));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-ENODEV,
			  aead_part(only, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->out, NULL));
	/* The software path can't run this request, so no error is counted for it. */
	EXPECT_EQ(0, wd_sess_stats(only, &st));
	EXPECT_EQ(0, st.path[WD_PATH_SOFT].errors);
	EXPECT_EQ(0, wd_aead_set_ckey(only, key64, 16)) TH_LOG("%s", detail(only));
	EXPECT_EQ(0, digest_part(d, NULL, 0, self->mac)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, aead_part(a, WD_CIPHER_ENCRYPTION, NULL, 0, NULL, 0, 0, NULL, self->mac)) TH_LOG("%s", detail(a));
	self->len = 4096;
	EXPECT_EQ(0, wd_cipher_sync(any, &arg)) TH_LOG("%s", detail(any));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_GONE, arg.path_reason);
	self->len = 4096;
	EXPECT_EQ(-ENODEV, wd_cipher_sync(hw, &arg));
	EXPECT_EQ(0, emulated_control(DEVICE, "return"));
	EXPECT_EQ(0, emulated_control("hisi_sec2-1", "return"));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	EXPECT_EQ(0, wd_aead_free_sess(only));
	EXPECT_EQ(0, wd_cipher_free_sess(any));
	EXPECT_EQ(0, wd_cipher_free_sess(hw));
}

TEST_F(device, what_no_device_takes_is_refused_or_done_here)
{
	handle_t hw = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW),
		 any = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	handle_t m = aead_keyed(ccm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW),
		 a = aead_keyed(authenc, key64, 16, key64, 16, 0, WD_SESS_PATH_HW);
	struct wd_aead_arg arg = aead_arg(self->in, self->out, &self->len, self->mac, WD_CIPHER_ENCRYPTION);
	unsigned char *much = calloc(1, 16 * MIB);

	ASSERT_TRUE(hw && any && m && a && much);
	arg.iv_len = 16;
	EXPECT_EQ(-EOPNOTSUPP, wd_aead_sync(hw, &arg));
	EXPECT_NE(NULL, strstr(detail(hw), "iv of 12"));
	self->len = 4096;
	EXPECT_EQ(0, wd_aead_sync(any, &arg));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, arg.path_reason);
	EXPECT_EQ(-EOPNOTSUPP, aead_do(hw, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 0, 0, self->out, self->mac));
	EXPECT_EQ(-EOPNOTSUPP, aead_do(m, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 0, 0, self->out, self->mac));
	EXPECT_EQ(-EOPNOTSUPP, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 64, 0, self->out, self->mac));
	EXPECT_EQ(-EOPNOTSUPP, aead_do(hw, WD_CIPHER_ENCRYPTION, iv16, 12, much, 65536, 16, much, self->mac));
	EXPECT_EQ(-EOPNOTSUPP, aead_do(m, WD_CIPHER_ENCRYPTION, iv16, 12, much, 65280, 16, much, self->mac));
	EXPECT_EQ(-EFBIG, aead_do(hw, WD_CIPHER_ENCRYPTION, iv16, 12, much, 16, 16 * MIB - 16, much, self->mac));
	EXPECT_NE(NULL, strstr(detail(hw), "more than a device takes"));
	/* The longest associated data that a device takes. */
	EXPECT_EQ(0, aead_do(hw, WD_CIPHER_ENCRYPTION, iv16, 12, much, 65535, 16, much, self->mac))
		TH_LOG("%s", detail(hw));
	EXPECT_EQ(0, aead_do(m, WD_CIPHER_ENCRYPTION, iv16, 12, much, 65279, 16, much, self->mac))
		TH_LOG("%s", detail(m));
	free(much);
	EXPECT_EQ(0, wd_aead_free_sess(hw));
	EXPECT_EQ(0, wd_aead_free_sess(any));
	EXPECT_EQ(0, wd_aead_free_sess(m));
	EXPECT_EQ(0, wd_aead_free_sess(a));
}

TEST_F(device, xts_and_stealing_of_more_than_it_takes_are_not_cut)
{
	handle_t xts = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_XTS, key64, 32, WD_SESS_PATH_HW);
	handle_t cs = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC_CS3, key64, 16, WD_SESS_PATH_HW);
	unsigned char *much = calloc(1, 16 * MIB);

	ASSERT_TRUE(xts && cs && much);
	EXPECT_EQ(-EFBIG, cipher_do(xts, WD_CIPHER_ENCRYPTION, iv16, 16, much, 16 * MIB, much));
	EXPECT_EQ(-EFBIG, cipher_do(cs, WD_CIPHER_ENCRYPTION, iv16, 16, much, 16 * MIB, much));
	EXPECT_EQ(0, cipher_do(xts, WD_CIPHER_ENCRYPTION, iv16, 16, much, 4097, much));
	EXPECT_EQ(0, cipher_do(cs, WD_CIPHER_ENCRYPTION, iv16, 16, much, 4097, much));
	free(much);
	EXPECT_EQ(0, wd_cipher_free_sess(xts));
	EXPECT_EQ(0, wd_cipher_free_sess(cs));
}

TEST_F(device, what_only_devices_have_is_there_and_back_again)
{
	static const int modes[] = { WD_CIPHER_XTS, WD_CIPHER_CBC_CS1, WD_CIPHER_CBC_CS2, WD_CIPHER_CBC_CS3 };
	unsigned int i, n;

	for (i = 0; i < 4; i++) {
		handle_t h = cipher_keyed(WD_CIPHER_SM4, modes[i], key64, i ? 16 : 32, 0);

		ASSERT_NE(0, h) TH_LOG("%s", detail(0));
		for (n = 16; n < 100; n++) {
			ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, n, self->out))
				TH_LOG("%s", detail(h));
			EXPECT_NE(0, memcmp(self->in, self->out, n));
			ASSERT_EQ(0, cipher_do(h, WD_CIPHER_DECRYPTION, iv16, 16, self->out, n, self->out));
			EXPECT_EQ(0, memcmp(self->in, self->out, n));
		}
		EXPECT_EQ(0, wd_cipher_free_sess(h));
	}
}

/* --- an engine that lacks an algorithm: its answer to each descriptor --- */

#define LACKS	"fault fail=1000:4"

FIXTURE(lacking) {
	unsigned char in[8192], out[8192], want[8192], md[32], want_md[32];
	size_t len;
	struct wd_cipher_arg arg;
};

static int cipher_told;

static void lacking_done(struct wd_cipher_arg *arg, void *param)
{
	(void)arg, (void)param;
	cipher_told++;
}

FIXTURE_SETUP(lacking)
{
	handle_t soft, soft_md;

	if (!emulated() || expected_path("cipher") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --sec");
	soft = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, WD_SESS_PATH_SOFT);
	soft_md = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_SOFT);
	ASSERT_TRUE(soft && soft_md);
	fill_noise(self->in, sizeof(self->in), 2);
	ASSERT_EQ(0, cipher_do(soft, WD_CIPHER_ENCRYPTION, iv16, 16, self->in, 4096, self->want));
	ASSERT_EQ(0, digest_do(soft_md, self->in, 8192, self->want_md, 32));
	EXPECT_EQ(0, wd_cipher_free_sess(soft));
	EXPECT_EQ(0, wd_digest_free_sess(soft_md));
	self->len = 4096;
	self->arg = (struct wd_cipher_arg){
		.src = self->in, .src_len = 4096, .dst = self->out, .dst_len = &self->len, .iv = (void *)iv16,
		.iv_len = 16,
	};
	cipher_told = 0;
	ASSERT_EQ(0, emulated_control(DEVICE, LACKS));
	ASSERT_EQ(0, emulated_control("hisi_sec2-1", LACKS));
}

FIXTURE_TEARDOWN(lacking)
{
	EXPECT_EQ(0, emulated_control(DEVICE, "fault fail=0"));
	EXPECT_EQ(0, emulated_control("hisi_sec2-1", "fault fail=0"));
}

TEST_F(lacking, is_refused_and_named_where_only_a_device_may_do_it)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, WD_SESS_PATH_HW);
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, WD_SESS_PATH_HW);
	handle_t a = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);

	ASSERT_TRUE(c && d && a);
	EXPECT_EQ(-EOPNOTSUPP, wd_cipher_sync(c, &self->arg));
	EXPECT_EQ(0, self->len);
	EXPECT_NE(NULL, strstr(detail(c), "can't compute cbc(aes) (device status 0x4)")) TH_LOG("%s", detail(c));
	EXPECT_EQ(-EOPNOTSUPP, digest_do(d, self->in, 4096, self->md, 32));
	EXPECT_NE(NULL, strstr(detail(d), "can't compute sha256")) TH_LOG("%s", detail(d));
	EXPECT_EQ(-EOPNOTSUPP, digest_part(d, self->in, 8192, NULL));
	EXPECT_NE(NULL, strstr(detail(d), "can't compute sha256")) TH_LOG("%s", detail(d));
	EXPECT_EQ(-EOPNOTSUPP, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, self->out, self->md));
	EXPECT_NE(NULL, strstr(detail(a), "can't compute gcm(aes)")) TH_LOG("%s", detail(a));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	EXPECT_EQ(0, wd_aead_free_sess(a));
}

TEST_F(lacking, is_done_by_this_cpu_where_that_may)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);

	ASSERT_NE(0, c);
	EXPECT_EQ(0, wd_cipher_sync(c, &self->arg)) TH_LOG("%s", detail(c));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, self->arg.path_reason);
	EXPECT_EQ(4096, self->len);
	EXPECT_EQ(0, memcmp(self->out, self->want, 4096));
	/* In place, too: the device had written nothing. */
	self->arg.dst = self->in;
	EXPECT_EQ(0, wd_cipher_sync(c, &self->arg)) TH_LOG("%s", detail(c));
	EXPECT_EQ(0, memcmp(self->in, self->want, 4096));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
}

TEST_F(lacking, a_stream_goes_over_to_this_cpu_before_it_has_a_state)
{
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	static const unsigned int first[] = { 8192, 4096, 5000, 100, 1 };
	unsigned int i;

	ASSERT_NE(0, d);
	for (i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		memset(self->md, 0, 32);
		EXPECT_EQ(0, digest_part(d, self->in, first[i], NULL)) TH_LOG("%u: %s", first[i], detail(d));
		EXPECT_EQ(0, digest_part(d, self->in + first[i], 8192 - first[i], self->md))
			TH_LOG("%u: %s", first[i], detail(d));
		EXPECT_EQ(0, memcmp(self->md, self->want_md, 32)) TH_LOG("%u", first[i]);
	}
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

TEST_F(lacking, an_AEAD_stream_goes_over_to_this_cpu_at_its_beginning)
{
	handle_t any = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0),
		 hw = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_HW);
	handle_t soft = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_SOFT);
	unsigned char a[16], b[16], again[4096];

	ASSERT_TRUE(any && hw && soft);
	EXPECT_EQ(0, aead_part(any, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->out, NULL))
		TH_LOG("%s", detail(any));
	EXPECT_EQ(0, aead_part(any, WD_CIPHER_ENCRYPTION, NULL, 0, self->in + 1016, 0, 3080, self->out + 1016, a))
		TH_LOG("%s", detail(any));
	EXPECT_EQ(0, aead_do(soft, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 4080, again, b));
	EXPECT_EQ(0, memcmp(self->out, again, 4096) || memcmp(a, b, 16));
	EXPECT_EQ(-EOPNOTSUPP, aead_part(hw, WD_CIPHER_ENCRYPTION, iv16, 12, self->in, 16, 1000, self->out, NULL));
	EXPECT_NE(NULL, strstr(detail(hw), "can't compute gcm(aes)")) TH_LOG("%s", detail(hw));
	/*
	 * No stream has begun: a retry fails the same way, and the key can be set. A decryption in place keeps its
	 * ciphertext.
	 */
	memcpy(self->out, self->in, 1016);
	EXPECT_EQ(-EOPNOTSUPP, aead_part(hw, WD_CIPHER_DECRYPTION, iv16, 12, self->out, 16, 1000, self->out, NULL));
	EXPECT_EQ(0, memcmp(self->out, self->in, 1016));
	EXPECT_EQ(0, wd_aead_set_ckey(hw, key64, 16)) TH_LOG("%s", detail(hw));
	EXPECT_EQ(0, wd_aead_free_sess(any));
	EXPECT_EQ(0, wd_aead_free_sess(hw));
	EXPECT_EQ(0, wd_aead_free_sess(soft));
}

TEST_F(lacking, a_callback_is_told_the_same)
{
	handle_t any = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_ASYNC, WD_FLAT_BUF, 0);
	handle_t hw = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_ASYNC, WD_FLAT_BUF, WD_SESS_PATH_HW);

	ASSERT_TRUE(any && hw && !wd_cipher_set_key(any, key64, 16) && !wd_cipher_set_key(hw, key64, 16));
	self->arg.cb = lacking_done;
	ASSERT_EQ(0, wd_cipher_async(any, &self->arg, NULL));
	EXPECT_EQ(1, wd_cipher_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(0, self->arg.status);
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, self->arg.path_reason);
	EXPECT_EQ(0, memcmp(self->out, self->want, 4096));
	ASSERT_EQ(0, wd_cipher_async(hw, &self->arg, NULL));
	EXPECT_EQ(1, wd_cipher_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(-EOPNOTSUPP, self->arg.status);
	EXPECT_EQ(0, self->len);
	EXPECT_NE(NULL, strstr(detail(hw), "can't compute cbc(aes)")) TH_LOG("%s", detail(hw));
	EXPECT_EQ(2, cipher_told);
	EXPECT_EQ(0, wd_cipher_free_sess(any));
	EXPECT_EQ(0, wd_cipher_free_sess(hw));
}

static int cq_one(handle_t cq, struct wd_wc *wc)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < 2 * WAIT_MS && !n; i++) {
		n = wd_poll_cq(cq, 1, wc);
		if (!n)
			usleep(500);
	}
	return n;
}

TEST_F(lacking, a_completion_queue_is_told_the_same)
{
	static const unsigned int flags[] = { 0, WD_SESS_PATH_HW };
	handle_t cq = wd_cq_create(16);
	struct wd_wc wc;
	unsigned int i;

	ASSERT_NE(0, cq);
	for (i = 0; i < 2; i++) {
		struct wd_cipher_sess_setup setup = {
			.alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .op_type = WD_ASYNC,
			.flags = WD_SESS_CQ | flags[i], .cq = cq,
		};
		handle_t h = wd_cipher_alloc_sess(&setup, NULL);

		ASSERT_NE(0, h) TH_LOG("%s", detail(0));
		ASSERT_EQ(0, wd_cipher_set_key(h, key64, 16));
		self->len = 4096;
		ASSERT_EQ(0, wd_cipher_async(h, &self->arg, NULL)) TH_LOG("%s", detail(h));
		ASSERT_EQ(1, cq_one(cq, &wc));
		EXPECT_EQ(i ? -EOPNOTSUPP : 0, wc.status);
		EXPECT_EQ(i ? 0 : 4096, wc.byte_len);
		EXPECT_EQ(i ? 4 : 0, wc.vendor_err);
		EXPECT_EQ(i ? 0 : WD_PATH_SOFT, wc.path);
		EXPECT_EQ(0, wd_cipher_free_sess(h));
	}
	EXPECT_EQ(0, memcmp(self->out, self->want, 4096));
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

TEST_HARNESS_MAIN
