// SPDX-License-Identifier: Apache-2.0
/* Completion queues whose context fails by an overrun of its ring, and contexts without a free number. */
#include <wd_cq.h>

#include "need_device.h"
#include "on_device.h"
#include "turn.h"

#define LEN	64
#define NR	600	/* twice as many completions exceed the ring */
#define DEPTH	1024
#define QUEUES	2000	/* more contexts than there are numbers */

static unsigned char src[LEN], dst[NR][2 * LEN];
static size_t len[NR];
static struct wd_comp_arg arg[NR];

static const char *words(void)
{
	static char text[256];

	wd_error_detail(0, text, sizeof(text));
	return text;
}

static handle_t session(handle_t cq, __u32 path, bool anywhere)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = WD_DIR_COMPRESS, .flags = path | (cq ? WD_SESS_CQ : 0), .cq = cq,
	};

	return anywhere ? wd_comp_alloc_sess(&setup, NULL) : alloc_on_device(&setup);
}

static int submit(handle_t h, unsigned int i)
{
	len[i] = sizeof(dst[i]);
	arg[i] = (struct wd_comp_arg){ .src = src, .src_len = LEN, .dst = dst[i], .dst_len = &len[i], .wr_id = i };
	return wd_comp_async(h, &arg[i], NULL);
}

FIXTURE(overrun) {
	handle_t cq, h, soft;
	struct wd_wc wc[DEPTH];
	unsigned int seen[NR];
};

FIXTURE_SETUP(overrun)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	self->cq = wd_cq_create(DEPTH);
	self->h = session(self->cq, WD_SESS_PATH_HW, false);
	ASSERT_NE(0, self->h) TH_LOG("%s", words());
	self->soft = session(self->cq, WD_SESS_PATH_SOFT, true);
	ASSERT_NE(0, self->soft) TH_LOG("%s", words());
}

FIXTURE_TEARDOWN(overrun)
{
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->soft)
		EXPECT_EQ(0, wd_comp_free_sess(self->soft));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

/* Takes no completion until the device reports an error. */
static int ring_overrun(handle_t h)
{
	unsigned long long before = emulated_count(EMULATED_DEVICE, "async_events");
	unsigned int i;
	int ret = 0;

	if (emulated_control(EMULATED_DEVICE, "hold") || emulated_control(EMULATED_DEVICE, "fault duplicate=600"))
		return -EINVAL;
	for (i = 0; i < NR && !ret; i++)
		ret = submit(h, i);
	if (emulated_control(EMULATED_DEVICE, "release"))
		return -EINVAL;
	while (!ret && emulated_count(EMULATED_DEVICE, "async_events") == before)
		turn_over();
	/* The faults that didn't happen must not hit other requests. */
	return emulated_control(EMULATED_DEVICE, "fault duplicate=0") ? -EINVAL : ret;
}

TEST_F(overrun, each_request_ends_once_and_the_queue_is_told_and_lasts)
{
	unsigned int got = 0, right = 0, again = NR - 1;
	struct wd_async_event ev;
	int ret, i;

	ASSERT_EQ(0, ring_overrun(self->h)) TH_LOG("%s", words());
	while (got < NR) {
		ret = wd_poll_cq(self->cq, DEPTH, self->wc);
		ASSERT_LE(0, ret);
		if (!ret)
			turn_over();
		for (i = 0; i < ret; i++, got++) {
			ASSERT_GT(NR, self->wc[i].wr_id);
			self->seen[self->wc[i].wr_id]++;
			right += !self->wc[i].status;
			EXPECT_TRUE(!self->wc[i].status || self->wc[i].status == -EIO);
		}
	}
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(1, self->seen[i]);
	}
	EXPECT_EQ(0, wd_poll_cq(self->cq, DEPTH, self->wc));
	/* At least half of the ring's entries were first completions. */
	EXPECT_LE(DEPTH / 2 - 1, right);

	ASSERT_EQ(0, wd_get_async_event(self->cq, &ev));
	EXPECT_EQ(WD_EVENT_CQ_ERR, ev.event);
	EXPECT_EQ(-EIO, ev.err);
	EXPECT_EQ(self->cq, ev.cq);
	EXPECT_EQ(-EAGAIN, wd_get_async_event(self->cq, &ev));

	/* The other context still works, and this one is opened again with a new ring. */
	ASSERT_EQ(0, submit(self->soft, 0));
	while (!(ret = wd_poll_cq(self->cq, DEPTH, self->wc)))
		turn_over();
	ASSERT_EQ(1, ret);
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(WD_PATH_SOFT, self->wc[0].path);
	ASSERT_EQ(0, submit(self->h, again)) TH_LOG("%s", words());
	while (!(ret = wd_poll_cq(self->cq, DEPTH, self->wc)))
		turn_over();
	ASSERT_EQ(1, ret);
	EXPECT_EQ(0, self->wc[0].status);
	EXPECT_EQ(again, self->wc[0].wr_id);
	EXPECT_EQ(WD_PATH_SIM, self->wc[0].path);
	EXPECT_EQ(ev.ctx, self->wc[0].ctx);
}

/* On the software path each completion queue has its own context. */
TEST(without_a_number_for_a_context_nobody_says_that_there_is_no_device)
{
	static handle_t cq[QUEUES], soft[QUEUES];
	int nr = 0, err;
	handle_t h;

	while (nr < QUEUES) {
		cq[nr] = wd_cq_create(1);
		ASSERT_NE(0, cq[nr]);
		soft[nr] = session(cq[nr], WD_SESS_PATH_SOFT, true);
		if (!soft[nr++])
			break;
	}
	ASSERT_GT(QUEUES, nr);
	errno = 0;
	h = session(0, WD_SESS_PATH_HW, true);
	err = errno;
	EXPECT_EQ(0, h);
	EXPECT_EQ(EUSERS, err) TH_LOG("%s", words());
	EXPECT_NE(NULL, strstr(words(), "numbers for contexts")) TH_LOG("%s", words());
	EXPECT_EQ(NULL, strstr(words(), "no device")) TH_LOG("%s", words());
	while (nr--) {
		if (soft[nr])
			EXPECT_EQ(0, wd_comp_free_sess(soft[nr]));
		EXPECT_EQ(0, wd_cq_destroy(cq[nr]));
	}
}
