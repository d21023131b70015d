// SPDX-License-Identifier: Apache-2.0
/* RSA's private key with its primes, on devices that compute wrongly: the library returns no wrong result. */
#include <poll.h>
#include <wd_cq.h>

#include "emulated.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define DEVICE	"hisi_hpre-0"
#define OTHER	"hisi_hpre-1"
#define N	128

FIXTURE(proof) {
	struct rsa_parts parts;
	struct wd_rsa_key key;
	unsigned char in[N], right[N], out[N];
	size_t len;
	struct wd_rsa_arg arg;
	handle_t h, cq;
	unsigned int over;
};

static int corrupts(const char *rule)
{
	char text[32];

	snprintf(text, sizeof(text), "fault corrupt=%s", rule);
	return emulated_control(DEVICE, text) | emulated_control(OTHER, text);
}

static bool session_make(FIXTURE_DATA(proof) *self, int op_type, unsigned int flags)
{
	struct wd_rsa_sess_setup setup = {
		.key_bits = 8 * N, .op_type = (__u8)op_type, .flags = flags, .cq = self->cq
	};

	self->h = wd_rsa_alloc_sess(&setup, NULL);
	return self->h && !wd_rsa_set_key(self->h, &self->key);
}

FIXTURE_SETUP(proof)
{
	handle_t soft;
	size_t len = N;

	if (!emulated() || expected_path("rsa") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --hpre");
	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
	ASSERT_EQ(0, rsa_parts_own(&self->parts));
	self->key = rsa_key_of(&self->parts, true, true);
	fill_noise(self->in, N, 1);
	self->in[0] = 0;
	soft = rsa_open(8 * N, WD_SYNC, WD_SESS_PATH_SOFT);
	ASSERT_NE(0, soft);
	ASSERT_EQ(0, wd_rsa_set_key(soft, &self->key));
	self->arg = (struct wd_rsa_arg){
		.src = self->in, .src_len = N, .dst = self->right, .dst_len = &len, .op = WD_RSA_SIGN,
		.cb_param = &self->over,
	};
	ASSERT_EQ(0, wd_rsa_sync(soft, &self->arg));
	ASSERT_EQ(0, wd_rsa_free_sess(soft));
	self->len = N;
	self->arg.dst = self->out;
	self->arg.dst_len = &self->len;
	ASSERT_EQ(0, corrupts("1/1"));
}

FIXTURE_TEARDOWN(proof)
{
	EXPECT_EQ(0, corrupts("0"));
	EXPECT_EQ(0, wd_rsa_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

static bool is_zero(const unsigned char *p)
{
	size_t i;

	for (i = 0; i < N && !p[i]; i++)
		;
	return i == N;
}

TEST_F(proof, a_wrong_result_is_computed_again_by_software)
{
	ASSERT_TRUE(session_make(self, WD_SYNC, 0));
	ASSERT_EQ(0, wd_rsa_sync(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->right, self->out, N));
	EXPECT_EQ(N, self->len);
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	/* The device is asked again the next time. */
	ASSERT_EQ(0, corrupts("0"));
	ASSERT_EQ(0, wd_rsa_sync(self->h, &self->arg));
	EXPECT_EQ(0, memcmp(self->right, self->out, N));
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
}

TEST_F(proof, where_software_may_not_it_is_an_error_and_the_result_is_wiped)
{
	ASSERT_TRUE(session_make(self, WD_SYNC, WD_SESS_PATH_HW));
	memset(self->out, 0x5a, N);
	EXPECT_EQ(-EIO, wd_rsa_sync(self->h, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->h), "result is wrong")) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(-EIO, self->arg.status);
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	EXPECT_EQ(0, self->len);
	EXPECT_TRUE(is_zero(self->out));
}

TEST_F(proof, the_operand_is_still_known_when_the_result_has_overwritten_it)
{
	ASSERT_TRUE(session_make(self, WD_SYNC, 0));
	self->arg.dst = self->in;
	ASSERT_EQ(0, wd_rsa_sync(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->right, self->in, N));
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
}

TEST_F(proof, in_place_a_right_result_comes_from_the_device)
{
	ASSERT_EQ(0, corrupts("0"));
	ASSERT_TRUE(session_make(self, WD_SYNC, WD_SESS_PATH_HW));
	self->arg.dst = self->in;
	ASSERT_EQ(0, wd_rsa_sync(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->right, self->in, N));
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
}

static void done(struct wd_rsa_arg *arg, void *param)
{
	(void)arg;
	++*(unsigned int *)param;
}

static bool over_soon(FIXTURE_DATA(proof) *self, unsigned int n)
{
	while (self->over < n && wd_rsa_poll(n - self->over, WAIT_MS, NULL) > 0)
		;
	return self->over == n;
}

TEST_F(proof, an_asynchronous_result_is_right_when_its_callback_runs)
{
	ASSERT_TRUE(session_make(self, WD_ASYNC, 0));
	self->arg.cb = done;
	ASSERT_EQ(0, wd_rsa_async(self->h, &self->arg, NULL)) TH_LOG("%s", detail(self->h));
	ASSERT_TRUE(over_soon(self, 1));
	EXPECT_EQ(0, self->arg.status);
	EXPECT_EQ(0, memcmp(self->right, self->out, N));
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
}

TEST_F(proof, of_a_burst_only_those_that_are_wrong_fail)
{
	struct wd_rsa_arg arg[4], *args[4];
	unsigned char out[4][N];
	unsigned int i, bad = 0;
	size_t len[4];

	ASSERT_EQ(0, corrupts("0") | corrupts("1"));
	ASSERT_TRUE(session_make(self, WD_ASYNC, WD_SESS_PATH_HW));
	for (i = 0; i < 4; i++) {
		arg[i] = self->arg;
		arg[i].cb = done;
		arg[i].dst = out[i];
		arg[i].dst_len = &len[i];
		len[i] = N;
		args[i] = &arg[i];
	}
	ASSERT_EQ(4, wd_rsa_async_burst(self->h, args, 4, NULL));
	ASSERT_TRUE(over_soon(self, 4));
	for (i = 0; i < 4; i++) {
		bad += arg[i].status == -EIO && is_zero(out[i]);
		EXPECT_TRUE(arg[i].status == -EIO || !memcmp(self->right, out[i], N));
	}
	EXPECT_LE(1, bad);
	EXPECT_GE(2, bad);
}

TEST_F(proof, a_completion_queue_has_the_error)
{
	struct pollfd pfd = { .events = POLLIN };
	struct wd_wc wc = { .status = 1 };
	int n;

	self->cq = wd_cq_create(8);
	ASSERT_NE(0, self->cq);
	ASSERT_TRUE(session_make(self, WD_ASYNC, WD_SESS_PATH_HW | WD_SESS_CQ)) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_rsa_async(self->h, &self->arg, NULL)) TH_LOG("%s", detail(self->h));
	pfd.fd = wd_cq_fd(self->cq);
	do {
		ASSERT_EQ(0, wd_cq_arm(self->cq));
		n = wd_poll_cq(self->cq, 1, &wc);
	} while (!n && poll(&pfd, 1, WAIT_MS) > 0);
	ASSERT_EQ(1, n);
	EXPECT_EQ(-EIO, wc.status);
	EXPECT_TRUE(is_zero(self->out));
}

/* An error that no verification finds, as the manual page says. */
TEST_F(proof, without_the_primes_nothing_is_verified)
{
	self->key = rsa_key_of(&self->parts, true, false);
	ASSERT_TRUE(session_make(self, WD_SYNC, WD_SESS_PATH_HW));
	EXPECT_EQ(0, wd_rsa_sync(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	EXPECT_NE(0, memcmp(self->right, self->out, N));
}

TEST_HARNESS_MAIN
