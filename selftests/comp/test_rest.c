// SPDX-License-Identifier: Apache-2.0
/* Devices whose results were wrong rest: who leaves them, who gets them, and for how long. */
#include <poll.h>
#include <sys/wait.h>
#include <wd_cq.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"

#define N	(8 * KIB)
#define ROOM	(2 * N)
#define OTHER	"hisi_zip-1"
#define FLIGHT	16

FIXTURE(rest) {
	unsigned char plain[N];
	struct request {
		unsigned char out[ROOM];
		size_t len;
		struct wd_comp_arg arg;
	} *r;
	handle_t h, cq;
	unsigned int over;
};

static int corrupts(const char *device, const char *rule)
{
	char text[40];

	snprintf(text, sizeof(text), "fault corrupt=%s", rule);
	return emulated_control(device, text);
}

FIXTURE_SETUP(rest)
{
	self->r = calloc(FLIGHT, sizeof(*self->r));
	ASSERT_NE(NULL, self->r);
	fill_text(self->plain, N, 1);
	/* Longer than the test. */
	ASSERT_EQ(0, setenv("WD_REST", "86400", 1));
	ASSERT_EQ(0, corrupts(EMULATED_DEVICE, "1/1"));
}

FIXTURE_TEARDOWN(rest)
{
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h)) TH_LOG("%s", detail(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
	free(self->r);
}

static bool begin(FIXTURE_DATA(rest) *self, int op, unsigned int flags)
{
	self->h = sess_flags(WD_ZLIB, WD_DIR_COMPRESS, op, WD_FLAT_BUF, 6, WD_COMP_WS_32K, flags);
	return self->h;
}

static void done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	++*(unsigned int *)param;
}

static struct wd_comp_arg *request(FIXTURE_DATA(rest) *self, unsigned int i, bool async)
{
	struct request *r = &self->r[i];

	r->len = ROOM;
	r->arg = (struct wd_comp_arg){
		.src = self->plain, .src_len = N, .dst = r->out, .dst_len = &r->len, .cb_param = &self->over,
		.cb = async ? done : NULL,
	};
	return &r->arg;
}

static bool is_right(FIXTURE_DATA(rest) *self, unsigned int i)
{
	unsigned char back[N];

	return z_decompress(WD_ZLIB, self->r[i].out, self->r[i].len, back, N, 15) == N &&
	       !memcmp(back, self->plain, N);
}

static int one(FIXTURE_DATA(rest) *self)
{
	int ret = wd_compress(self->h, request(self, 0, false));

	return ret ? ret : is_right(self, 0) ? 0 : -EBADMSG;
}

static __u64 wrongs(FIXTURE_DATA(rest) *self)
{
	struct wd_sess_stats stats;

	return wd_sess_stats(self->h, &stats) ? 0 : stats.path[WD_PATH_SIM].wrong;
}

static bool only_one_device(void)
{
	return corrupts(OTHER, "0") == -ENODEV;
}

TEST_F(rest, after_one_wrong_result_the_session_uses_another_device)
{
	unsigned int i;

	if (only_one_device())
		SKIP(return, "needs two devices");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
		if (i)
			EXPECT_EQ(WD_PATH_SIM, self->r[0].arg.path);
	}
	/* It may have begun with the good one. */
	EXPECT_GE(1, wrongs(self));
	EXPECT_EQ(wrongs(self), emulated_count(EMULATED_DEVICE, "wrong_results"));
	EXPECT_EQ(0, emulated_count(OTHER, "wrong_results"));
}

TEST_F(rest, with_all_devices_at_rest_software_computes_and_says_why)
{
	unsigned int i;
	__u64 nr;

	corrupts(OTHER, "1/1");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	nr = wrongs(self);
	EXPECT_EQ(only_one_device() ? 1 : 2, nr);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
		EXPECT_EQ(WD_PATH_SOFT, self->r[0].arg.path);
		EXPECT_EQ(WD_REASON_RESTS, self->r[0].arg.path_reason);
	}
	EXPECT_EQ(nr, wrongs(self));
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	/* So does a session that doesn't verify. */
	ASSERT_TRUE(begin(self, WD_SYNC, 0));
	ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(WD_REASON_RESTS, self->r[0].arg.path_reason);
}

TEST_F(rest, a_session_for_devices_only_goes_on_where_there_is_no_other)
{
	unsigned int i;

	corrupts(OTHER, "1/1");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY | WD_SESS_PATH_HW));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(-EIO, one(self));
		EXPECT_EQ(WD_REASON_WRONG, self->r[0].arg.path_reason);
	}
	EXPECT_EQ(5, wrongs(self));
	EXPECT_EQ(5, emulated_count(EMULATED_DEVICE, "wrong_results") + emulated_count(OTHER, "wrong_results"));
	ASSERT_EQ(0, corrupts(EMULATED_DEVICE, "0"));
	corrupts(OTHER, "0");
	EXPECT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(WD_PATH_SIM, self->r[0].arg.path);
}

TEST_F(rest, after_the_rest_the_device_is_asked_again)
{
	unsigned int i;

	ASSERT_EQ(0, setenv("WD_REST", "1", 1));
	corrupts(OTHER, "1/1");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	EXPECT_LT(0, wrongs(self));
	ASSERT_EQ(0, corrupts(EMULATED_DEVICE, "0"));
	corrupts(OTHER, "0");
	do {
		poll(NULL, 0, 10);
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	} while (self->r[0].arg.path != WD_PATH_SIM);
}

TEST_F(rest, zero_is_no_rest_and_a_bad_number_is_refused)
{
	unsigned int i;

	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
	corrupts(OTHER, "1/1");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
		EXPECT_EQ(WD_REASON_WRONG, self->r[0].arg.path_reason);
	}
	EXPECT_EQ(5, wrongs(self));
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	ASSERT_EQ(0, setenv("WD_REST", "soon", 1));
	EXPECT_FALSE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(detail(0), "WD_REST")) TH_LOG("%s", detail(0));
}

/* What is in flight on the device when it begins to rest ends as it would have. */
TEST_F(rest, requests_in_flight_are_delivered)
{
	unsigned int i, round;

	ASSERT_TRUE(begin(self, WD_ASYNC, WD_SESS_VERIFY));
	for (round = 0; round < 4; round++) {
		self->over = 0;
		for (i = 0; i < FLIGHT; i++)
			ASSERT_EQ(0, wd_comp_async(self->h, request(self, i, true), NULL)) TH_LOG("%s",
												  detail(self->h));
		while (self->over < FLIGHT) {
			ASSERT_LE(0, wd_comp_poll_wait(FLIGHT - self->over, UINT_MAX, NULL));
		}
		for (i = 0; i < FLIGHT; i++) {
			ASSERT_EQ(0, self->r[i].arg.status);
			ASSERT_TRUE(is_right(self, i));
		}
	}
	EXPECT_GE(FLIGHT, wrongs(self));
}

/* Each callback submits again: the session always has something in flight on the device that it leaves. */
static void submit_again(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(rest) *self = param;
	struct request *r = (struct request *)((char *)arg - offsetof(struct request, arg));

	self->over++;
	if (self->over > 200 || !is_right(self, (unsigned int)(r - self->r)))
		return;
	r->len = ROOM;
	if (wd_comp_async(self->h, arg, NULL))
		self->over += 1000000;
}

TEST_F(rest, a_session_that_is_never_idle_leaves_the_device_too)
{
	unsigned int i;

	ASSERT_TRUE(begin(self, WD_ASYNC, WD_SESS_VERIFY));
	for (i = 0; i < FLIGHT; i++) {
		struct wd_comp_arg *arg = request(self, i, true);

		arg->cb = submit_again;
		arg->cb_param = self;
		ASSERT_EQ(0, wd_comp_async(self->h, arg, NULL)) TH_LOG("%s", detail(self->h));
	}
	while (self->over < 200 + FLIGHT) {
		ASSERT_LE(0, wd_comp_poll_wait(FLIGHT, UINT_MAX, NULL));
	}
	EXPECT_EQ(200 + FLIGHT, self->over);
	EXPECT_GE(FLIGHT, wrongs(self));
}

TEST_F(rest, a_completion_queue_delivers_what_was_in_flight)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = 6,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_VERIFY | WD_SESS_CQ,
	};
	unsigned int i, round, n;
	struct wd_wc wc;

	self->cq = wd_cq_create(FLIGHT);
	ASSERT_NE(0, self->cq);
	setup.cq = self->cq;
	self->h = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < FLIGHT; i++)
			ASSERT_EQ(0, wd_comp_async(self->h, request(self, i, false), NULL)) TH_LOG("%s",
												   detail(self->h));
		for (n = 0; n < FLIGHT; ) {
			int ret = wd_poll_cq(self->cq, 1, &wc);

			ASSERT_LE(0, ret);
			if (ret)
				ASSERT_EQ(0, wc.status);
			n += (unsigned int)ret;
		}
		for (i = 0; i < FLIGHT; i++)
			ASSERT_TRUE(is_right(self, i));
	}
	EXPECT_GE(FLIGHT, wrongs(self));
}

TEST_F(rest, a_session_goes_on_in_a_child)
{
	int status;
	pid_t pid;

	corrupts(OTHER, "1/1");
	ASSERT_TRUE(begin(self, WD_SYNC, WD_SESS_VERIFY));
	ASSERT_EQ(0, one(self)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(WD_REASON_WRONG, self->r[0].arg.path_reason);
	pid = fork();
	if (!pid)
		_exit(one(self) || wd_comp_free_sess(self->h));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
