// SPDX-License-Identifier: Apache-2.0
/* Requests during the reset of their device: they wait for its end, within their deadlines. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <wd_cq.h>
#include <zlib.h>

#include "need_device.h"
#include "on_device.h"

#define MANY	100
#define LEN	4000
#define WHILE_MS 300	/* longer than a context that was stopped has to come back */
#define SHORT_MS 50

static __u8 alg;
static unsigned char src[LEN];

struct call {
	pthread_t thread;
	handle_t h;
	unsigned int timeout_ms;
	int ret, path, reason;
	size_t len;
	unsigned char dst[2 * LEN];
	atomic_bool over;
};

FIXTURE(resetting) {
	handle_t cq, h;
	struct call call[MANY];
	struct wd_comp_arg arg[MANY];
	unsigned int over, good;
};

FIXTURE_SETUP(resetting)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be reset");
	/* Before a reset: a device that is away has no algorithms. */
	alg = alg_of_devices();
	for (int i = 0; i < LEN; i++)
		src[i] = (unsigned char)("reset of a device "[i % 18] + i / 1000);
}

FIXTURE_TEARDOWN(resetting)
{
	emulated_control(EMULATED_DEVICE, "reset-end");
	EXPECT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
	EXPECT_EQ(0, wd_in_flight(NULL));
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static bool right(const unsigned char *dst, size_t len)
{
	unsigned char back[LEN];
	z_stream z = { .next_in = (unsigned char *)dst, .avail_in = len, .next_out = back, .avail_out = sizeof(back) };
	int window = alg == WD_ZLIB ? 15 : -15;
	bool ok = inflateInit2(&z, window) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == LEN;

	inflateEnd(&z);
	return ok && !memcmp(back, src, LEN);
}

/* ------ synchronous ------ */

static void *compress_once(void *arg)
{
	struct call *c = arg;
	struct wd_comp_arg req = {
		.src = src, .src_len = LEN, .dst = c->dst, .dst_len = &c->len, .timeout_ms = c->timeout_ms,
	};

	c->len = sizeof(c->dst);
	c->ret = wd_compress(c->h, &req);
	c->path = req.path;
	c->reason = req.path_reason;
	c->over = true;
	return NULL;
}

static int begin(struct call *c, handle_t h, unsigned int timeout_ms)
{
	c->h = h;
	c->timeout_ms = timeout_ms;
	c->over = false;
	return pthread_create(&c->thread, NULL, compress_once, c);
}

static int end(struct call *c)
{
	pthread_join(c->thread, NULL);
	return c->ret;
}

/* A request of a session for devices only, once the reset has begun. */
#define REQUEST_DURING_RESET(self, c, timeout_ms) do {						\
	(self)->h = session_on_device(false, true);						\
	ASSERT_NE(0, (self)->h);								\
	ASSERT_EQ(0, control("reset-begin"));							\
	ASSERT_EQ(0, begin(c, (self)->h, timeout_ms));						\
} while (0)

TEST_F(resetting, a_request_waits_for_the_end)
{
	struct call *c = &self->call[0];

	REQUEST_DURING_RESET(self, c, 0);
	poll(NULL, 0, WHILE_MS);
	EXPECT_FALSE(c->over);
	ASSERT_EQ(0, control("reset-end"));
	EXPECT_EQ(0, end(c));
	EXPECT_EQ(WD_PATH_SIM, c->path);
	EXPECT_TRUE(right(c->dst, c->len));
}

TEST_F(resetting, a_request_under_way_is_repeated)
{
	struct call *c = &self->call[0];

	self->h = session_on_device(false, true);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, control("hold"));
	ASSERT_EQ(0, begin(c, self->h, 0));
	poll(NULL, 0, SHORT_MS);
	ASSERT_EQ(0, control("reset-begin"));
	ASSERT_EQ(0, control("release"));
	poll(NULL, 0, WHILE_MS);
	EXPECT_FALSE(c->over);
	ASSERT_EQ(0, control("reset-end"));
	EXPECT_EQ(0, end(c));
	EXPECT_TRUE(right(c->dst, c->len));
}

TEST_F(resetting, a_deadline_ends_the_wait)
{
	struct call *c = &self->call[0];

	REQUEST_DURING_RESET(self, c, SHORT_MS);
	EXPECT_EQ(-ETIMEDOUT, end(c));
}

TEST_F(resetting, isolation_ends_the_wait)
{
	struct call *c = &self->call[0];

	REQUEST_DURING_RESET(self, c, 0);
	poll(NULL, 0, WHILE_MS);
	EXPECT_FALSE(c->over);
	ASSERT_EQ(0, emulated_attribute(0, "isolate", "1\n"));
	EXPECT_EQ(-EIO, end(c));
}

TEST_F(resetting, the_software_path_does_not_wait)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
	};
	struct call *c = &self->call[0];

	self->h = alloc_on_device(&setup);
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, control("reset-begin"));
	ASSERT_EQ(0, begin(c, self->h, 0));
	EXPECT_EQ(0, end(c));
	EXPECT_EQ(WD_PATH_SOFT, c->path);
	EXPECT_EQ(WD_REASON_GONE, c->reason);
	EXPECT_TRUE(right(c->dst, c->len));
}

/* ------ asynchronous ------ */

static void count(FIXTURE_DATA(resetting) *self, unsigned int i, int status)
{
	self->over++;
	self->good += !status && right(self->call[i].dst, self->call[i].len);
	self->call[i].ret = status;
}

static void cb(struct wd_comp_arg *arg, void *param)
{
	FIXTURE_DATA(resetting) *self = param;

	count(self, (unsigned int)(arg - self->arg), arg->status);
}

static int submit(FIXTURE_DATA(resetting) *self, unsigned int i, unsigned int timeout_ms)
{
	struct call *c = &self->call[i];

	c->len = sizeof(c->dst);
	self->arg[i] = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = c->dst, .dst_len = &c->len, .wr_id = i, .timeout_ms = timeout_ms,
		.cb = self->cq ? NULL : cb, .cb_param = self->cq ? NULL : self,
	};
	return wd_comp_async(self->h, &self->arg[i], NULL);
}

static void look(FIXTURE_DATA(resetting) *self, unsigned int ms)
{
	struct wd_wc wc[MANY];
	int i, n;

	if (!self->cq) {
		wd_comp_poll(MANY, ms, NULL);
		return;
	}
	n = wd_poll_cq(self->cq, MANY, wc);
	for (i = 0; i < n; i++)
		count(self, (unsigned int)wc[i].wr_id, wc[i].status);
	poll(NULL, 0, 1);
}

static void look_for(FIXTURE_DATA(resetting) *self, int ms)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		look(self, 5);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < ms);
}

/* An asynchronous session, with a completion queue or with callbacks. */
#define BEGIN_ASYNC(self, with_cq) do {								\
	struct wd_comp_sess_setup setup_ = {							\
		.alg_type = alg, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, \
		.flags = WD_SESS_PATH_HW | ((with_cq) ? WD_SESS_CQ : 0),			\
	};											\
												\
	(self)->over = (self)->good = 0;							\
	(self)->cq = (with_cq) ? wd_cq_create(MANY) : 0;					\
	if (with_cq)										\
		setup_.cq = (self)->cq;								\
	(self)->h = alloc_on_device(&setup_);							\
	ASSERT_NE(0, (self)->h);								\
} while (0)

#define END_ASYNC(self) do {									\
	EXPECT_EQ(0, wd_comp_free_sess((self)->h));						\
	if ((self)->cq)										\
		EXPECT_EQ(0, wd_cq_destroy((self)->cq));					\
	(self)->h = (self)->cq = 0;								\
} while (0)

#define SUBMIT_AND_RESET(self, timeout_ms) do {							\
	ASSERT_EQ(0, control("hold"));								\
	for (unsigned int i_ = 0; i_ < MANY; i_++)						\
		ASSERT_EQ(0, submit(self, i_, timeout_ms));					\
	ASSERT_EQ(0, control("reset-begin"));							\
	ASSERT_EQ(0, control("release"));							\
} while (0)

TEST_F(resetting, requests_in_flight_are_repeated_when_it_has_ended)
{
	for (int cq = 0; cq < 2; cq++) {
		BEGIN_ASYNC(self, cq);
		SUBMIT_AND_RESET(self, 0);
		look_for(self, WHILE_MS);
		EXPECT_EQ(0, self->over);
		ASSERT_EQ(0, control("reset-end"));
		while (self->over < MANY)
			look(self, 5);
		EXPECT_EQ(MANY, self->good);
		END_ASYNC(self);
	}
}

TEST_F(resetting, deadlines_of_requests_in_flight_are_kept)
{
	for (int cq = 0; cq < 2; cq++) {
		BEGIN_ASYNC(self, cq);
		SUBMIT_AND_RESET(self, SHORT_MS);
		while (self->over < MANY)
			look(self, 5);
		for (int i = 0; i < MANY; i++)
			EXPECT_EQ(-ETIMEDOUT, self->call[i].ret);
		ASSERT_EQ(0, control("reset-end"));
		END_ASYNC(self);
	}
}

TEST_F(resetting, isolation_ends_requests_in_flight)
{
	for (int cq = 0; cq < 2; cq++) {
		BEGIN_ASYNC(self, cq);
		SUBMIT_AND_RESET(self, 0);
		look_for(self, WHILE_MS);
		EXPECT_EQ(0, self->over);
		ASSERT_EQ(0, emulated_attribute(0, "isolate", "1\n"));
		while (self->over < MANY)
			look(self, 5);
		for (int i = 0; i < MANY; i++)
			EXPECT_EQ(-EIO, self->call[i].ret);
		ASSERT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
		ASSERT_EQ(0, control("reset-end"));
		END_ASYNC(self);
	}
}

TEST_F(resetting, new_requests_find_no_room_until_it_has_ended)
{
	BEGIN_ASYNC(self, 0);
	ASSERT_EQ(0, control("reset-begin"));
	EXPECT_EQ(-EBUSY, submit(self, 0, 0));
	ASSERT_EQ(0, control("reset-end"));
	while (submit(self, 0, 0) == -EBUSY)
		look(self, 5);
	while (!self->over)
		look(self, 5);
	EXPECT_EQ(1, self->good);
}
