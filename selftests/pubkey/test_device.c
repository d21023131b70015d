// SPDX-License-Identifier: Apache-2.0
/* RSA, DH and ECC on emulated devices that are slow, reset or removed, or don't take a request. */
#include <poll.h>
#include <pthread.h>
#include <wd_cq.h>

#include "dh_test.h"
#include "ecc_test.h"
#include "emulated.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define DEVICE	"hisi_hpre-0"
#define OTHER	"hisi_hpre-1"

FIXTURE(device) {
	struct rsa_parts parts;
	struct wd_rsa_key key;
	handle_t any, hw;
	unsigned char in[128], want[128], out[128];
	size_t len;
	struct wd_rsa_arg arg;
};

FIXTURE_SETUP(device)
{
	if (!emulated() || expected_path("rsa") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --hpre");
	ASSERT_EQ(0, rsa_parts_own(&self->parts));
	self->key = rsa_key_of(&self->parts, true, true);
	self->any = rsa_open(1024, WD_SYNC, 0);
	self->hw = rsa_open(1024, WD_SYNC, WD_SESS_PATH_HW);
	ASSERT_TRUE(self->any && self->hw);
	ASSERT_EQ(0, wd_rsa_set_key(self->any, &self->key));
	ASSERT_EQ(0, wd_rsa_set_key(self->hw, &self->key));
	fill_noise(self->in, 128, 1);
	self->in[0] = 0;
	self->len = 128;
	ASSERT_EQ(0, rsa_do(self->any, WD_RSA_SIGN, self->in, 128, self->want, &self->len));
	self->arg = (struct wd_rsa_arg){
		.src = self->in, .src_len = 128, .dst = self->out, .dst_len = &self->len, .op = WD_RSA_SIGN
	};
}

FIXTURE_TEARDOWN(device)
{
	if (self->any) {
		EXPECT_EQ(0, wd_rsa_free_sess(self->any));
		EXPECT_EQ(0, wd_rsa_free_sess(self->hw));
	}
}

TEST_F(device, after_a_deadline_nothing_is_written_any_more)
{
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, emulated_control(OTHER, "hold"));
	memset(self->out, 0x5a, 128);
	self->arg.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_EQ(0, self->len);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	ASSERT_EQ(0, emulated_control(OTHER, "release"));
	EXPECT_EQ(0x5a, self->out[0]);
	EXPECT_EQ(0x5a, self->out[127]);
	/* The context is reopened. */
	self->len = 128;
	self->arg.timeout_ms = 0;
	EXPECT_EQ(0, wd_rsa_sync(self->hw, &self->arg)) TH_LOG("%s", detail(self->hw));
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
}

static void *reset_soon(void *unused)
{
	usleep(30000);
	emulated_control(DEVICE, "reset");
	emulated_control(OTHER, "reset");
	emulated_control(DEVICE, "release");
	emulated_control(OTHER, "release");
	return unused;
}

TEST_F(device, what_a_reset_stops_is_done_again)
{
	pthread_t t;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(0, emulated_control(OTHER, "hold"));
	ASSERT_EQ(0, pthread_create(&t, NULL, reset_soon, NULL));
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg)) TH_LOG("%s", detail(self->any));
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
	pthread_join(t, NULL);
}

TEST_F(device, when_it_is_gone_this_cpu_does_it_or_nobody)
{
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_EQ(0, emulated_control(OTHER, "remove"));
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg)) TH_LOG("%s", detail(self->any));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_GONE, self->arg.path_reason);
	EXPECT_EQ(0, memcmp(self->out, self->want, 128));
	self->len = 128;
	EXPECT_EQ(-ENODEV, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_EQ(0, emulated_control(DEVICE, "return"));
	EXPECT_EQ(0, emulated_control(OTHER, "return"));
}

TEST_F(device, what_no_device_takes_is_refused_or_done_here)
{
	unsigned char text[600] = { 1 }, out[700], pair[96], zero[128] = { 0 };
	handle_t sm2 = ecc_open(WD_ECC_SM2, 0, WD_SYNC, WD_SESS_PATH_HW),
		 p256 = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_HW);
	struct wd_ecc_key key = { .d = number(pair + 64, 32) };
	size_t len;

	self->arg.src = zero;
	EXPECT_EQ(-EOPNOTSUPP, wd_rsa_sync(self->hw, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->hw), "doesn't take"));
	self->len = 128;
	EXPECT_EQ(0, wd_rsa_sync(self->any, &self->arg));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, self->arg.path_reason);
	ASSERT_TRUE(sm2 && p256);
	len = sizeof(pair);
	ASSERT_EQ(0, ecc_do(sm2, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len)) TH_LOG("%s", detail(sm2));
	ASSERT_EQ(0, wd_ecc_set_key(sm2, &key));
	len = sizeof(out);
	EXPECT_EQ(0, ecc_do(sm2, WD_ECC_ENCRYPT, text, 512, NULL, 0, out, &len)) TH_LOG("%s", detail(sm2));
	len = sizeof(out);
	EXPECT_EQ(-EOPNOTSUPP, ecc_do(sm2, WD_ECC_ENCRYPT, text, 513, NULL, 0, out, &len));
	len = sizeof(pair);
	ASSERT_EQ(0, ecc_do(p256, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len));
	ASSERT_EQ(0, wd_ecc_set_key(p256, &key));
	len = sizeof(out);
	EXPECT_EQ(-EOPNOTSUPP, ecc_do(p256, WD_ECC_SIGN, zero, 32, NULL, 0, out, &len));
	EXPECT_EQ(0, wd_ecc_free_sess(sm2));
	EXPECT_EQ(0, wd_ecc_free_sess(p256));
}

static void none_done(struct wd_rsa_arg *arg, void *param)
{
	(void)arg, (void)param;
}

TEST_F(device, what_no_device_takes_is_refused_in_words_when_it_is_asynchronous)
{
	handle_t h = rsa_open(1024, WD_ASYNC, WD_SESS_PATH_HW);
	unsigned char zero[128] = { 0 };

	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_rsa_set_key(h, &self->key));
	self->arg.src = zero;
	self->arg.cb = none_done;
	EXPECT_EQ(-EOPNOTSUPP, wd_rsa_async(h, &self->arg, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "doesn't take")) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, wd_rsa_free_sess(h));
}

TEST_F(device, every_algorithm_is_served_by_devices_only)
{
	static const struct {
		int alg, curve;
	} kinds[] = { { WD_ECC_ECDH, WD_ECC_SECP521R1 }, { WD_ECC_ECDSA, WD_ECC_SECP192R1 }, { WD_ECC_SM2, 0 },
		      { WD_ECC_X25519, 0 }, { WD_ECC_X448, 0 } };
	handle_t dh = dh_open(WD_DH_FFDHE4096, WD_SYNC, WD_SESS_PATH_HW);
	struct wd_number x = number("\5", 1);
	unsigned char out[512];
	size_t len = sizeof(out), i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		handle_t h = ecc_open(kinds[i].alg, kinds[i].curve, WD_SYNC, WD_SESS_PATH_HW);

		ASSERT_NE(0, h) TH_LOG("%zu: %s", i, detail(0));
		EXPECT_EQ(WD_CAP_SIM, wd_ecc_sess_caps(h));
		len = sizeof(out);
		EXPECT_EQ(0, ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, out, &len)) TH_LOG("%zu: %s", i, detail(h));
		EXPECT_EQ(0, wd_ecc_free_sess(h));
	}
	ASSERT_NE(0, dh);
	EXPECT_EQ(WD_CAP_SIM, wd_dh_sess_caps(dh));
	len = sizeof(out);
	EXPECT_EQ(0, dh_do(dh, WD_DH_PUBLIC, &x, NULL, 0, out, &len));
	EXPECT_EQ(32, out[511]);
	EXPECT_EQ(0, wd_dh_free_sess(dh));
}

/* Signatures are prepared one by one, whichever call submits them. */
FIXTURE(signer) {
	handle_t cq, h;
	unsigned char digest[32], out[2][64];
	size_t len[2];
	struct wd_ecc_arg arg[2], *args[2];
	unsigned int over;
};

static void sign_done(struct wd_ecc_arg *arg, void *param)
{
	*(unsigned int *)param += arg->status == -ETIMEDOUT;
}

/* A session without a deadline, whose requests have one, on devices that do nothing. */
static bool signer_open(FIXTURE_DATA(signer) *self, bool with_cq)
{
	struct wd_ecc_sess_setup s = {
		.alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1, .op_type = WD_ASYNC, .flags = WD_SESS_PATH_HW
	};
	unsigned char d[32] = { 1, 2, 3 };
	struct wd_ecc_key key = { .d = number(d, 32) };
	unsigned int i;

	if (with_cq) {
		self->cq = wd_cq_create(8);
		s.cq = self->cq;
		s.flags |= WD_SESS_CQ;
	}
	self->h = wd_ecc_alloc_sess(&s, NULL);
	fill_noise(self->digest, 32, 1);
	for (i = 0; i < 2; i++) {
		self->len[i] = 64;
		self->arg[i] = (struct wd_ecc_arg){
			.src = self->digest, .src_len = 32, .dst = self->out[i], .dst_len = &self->len[i],
			.op = WD_ECC_SIGN, .timeout_ms = 50, .cb = with_cq ? NULL : sign_done, .cb_param = &self->over,
		};
		self->args[i] = &self->arg[i];
	}
	return self->h && !wd_ecc_set_key(self->h, &key) && !emulated_control(DEVICE, "hold") &&
	       !emulated_control(OTHER, "hold");
}

FIXTURE_SETUP(signer)
{
	if (!emulated() || expected_path("ecdsa") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --hpre");
}

FIXTURE_TEARDOWN(signer)
{
	emulated_control(DEVICE, "release");
	emulated_control(OTHER, "release");
	EXPECT_EQ(0, wd_ecc_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

TEST_F(signer, keeps_the_deadlines_of_a_burst)
{
	ASSERT_TRUE(signer_open(self, false)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(2, wd_ecc_async_burst(self->h, self->args, 2, NULL));
	while (wd_ecc_poll(2, WAIT_MS, NULL) > 0 && self->over < 2)
		;
	EXPECT_EQ(2, self->over);
}

TEST_F(signer, can_be_cancelled_without_a_deadline)
{
	ASSERT_TRUE(signer_open(self, false)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault drop=1/1"));
	ASSERT_EQ(0, emulated_control(OTHER, "fault drop=1/1"));
	self->arg[0].timeout_ms = self->arg[1].timeout_ms = 0;
	ASSERT_EQ(2, wd_ecc_async_burst(self->h, self->args, 2, NULL));
	EXPECT_EQ(0, wd_sess_cancel(self->h));
	EXPECT_EQ(2, wd_ecc_poll(2, WAIT_MS, NULL));
	EXPECT_EQ(0, self->over);
	EXPECT_EQ(-ECANCELED, self->arg[0].status);
	EXPECT_EQ(-ECANCELED, self->arg[1].status);
	EXPECT_EQ(0, self->len[0]);
}

TEST_F(signer, keeps_a_deadline_on_contexts_of_a_set)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();

	ASSERT_TRUE(signer_open(self, false)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->h, set));
	ASSERT_EQ(0, wd_ecc_async(self->h, self->args[0], set));
	EXPECT_EQ(1, wd_ecc_poll(1, WAIT_MS, set));
	EXPECT_EQ(1, self->over);
	wd_ctx_set_free(set);
}

TEST_F(signer, keeps_a_deadline_with_a_completion_queue)
{
	struct pollfd pfd = { .events = POLLIN };
	struct wd_wc wc = { .status = 1 };
	int n;

	ASSERT_TRUE(signer_open(self, true)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, wd_ecc_async(self->h, self->args[0], NULL));
	pfd.fd = wd_cq_fd(self->cq);
	do {
		ASSERT_EQ(0, wd_cq_arm(self->cq));
		n = wd_poll_cq(self->cq, 1, &wc);
	} while (!n && poll(&pfd, 1, WAIT_MS) > 0);
	EXPECT_EQ(1, n);
	EXPECT_EQ(-ETIMEDOUT, wc.status);
}

TEST_HARNESS_MAIN
