// SPDX-License-Identifier: Apache-2.0
/*
 * A thread that arms a completion queue just when another one sends its only request again, which a reset has stopped:
 * the queue's timer is set all the same. The device is held, so nothing else wakes the sleeper.
 */
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <wd_cq.h>

#include "hooked_ioctl.h"
#include "mediated.h"
#include "need_device.h"
#include "on_device.h"
#include "session.h"
#include "wait_ms.h"

#define LEN	200

static handle_t armed_at_start;		/* a completion queue, or 0 */
static int arm_ret;

/* The second time forgets what the reset has told. */
static void *arm_twice(void *cq)
{
	arm_ret = wd_cq_arm(*(handle_t *)cq);
	if (!arm_ret)
		arm_ret = wd_cq_arm(*(handle_t *)cq);
	return NULL;
}

/* The request was taken off the queue, and isn't in flight again. */
static int before_ioctl(int fd, unsigned long cmd)
{
	handle_t cq = armed_at_start;
	pthread_t thread;

	(void)fd;
	if (cmd != UACCE_CMD_START_Q || !cq)
		return 0;
	armed_at_start = 0;
	if (pthread_create(&thread, NULL, arm_twice, &cq))
		abort();
	pthread_join(thread, NULL);
	return 0;
}

FIXTURE(cq_redo) {
	handle_t cq, h;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
	struct wd_comp_arg arg;
	struct wd_wc wc;
};

FIXTURE_SETUP(cq_redo)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg_of_devices(), .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = WD_DIR_COMPRESS, .flags = WD_SESS_PATH_HW | WD_SESS_CQ,
	};

	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	ASSERT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
	self->cq = setup.cq = wd_cq_create(4);
	self->h = alloc_on_device(&setup);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cq_redo)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

TEST_F(cq_redo, a_sleeper_that_saw_no_request_has_a_timer)
{
	struct pollfd pfd = { .fd = wd_cq_fd(self->cq), .events = POLLIN };
	/* Where the kernel answers a request that it has stopped, a call takes that, and a later one opens again. */
	int n, waits = devices_mediated("zlib") ? WAIT_MS : 0;

	self->len = sizeof(self->dst);
	self->arg = (struct wd_comp_arg){
		.src = self->src, .src_len = LEN, .dst = self->dst, .dst_len = &self->len,
	};
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	ASSERT_EQ(0, wd_comp_async(self->h, &self->arg, NULL)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
	armed_at_start = self->cq;
	ASSERT_EQ(0, wd_poll_cq(self->cq, 1, &self->wc));
	for (; armed_at_start && waits; waits--) {
		poll(NULL, 0, 1);
		ASSERT_EQ(0, wd_poll_cq(self->cq, 1, &self->wc));
	}
	ASSERT_EQ(0, armed_at_start) TH_LOG("the context wasn't opened again");
	ASSERT_EQ(0, arm_ret);
	/* Only a timer that isn't set takes this long. */
	EXPECT_EQ(1, poll(&pfd, 1, WAIT_MS / 10));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
	while (!(n = wd_poll_cq(self->cq, 1, &self->wc)))
		poll(NULL, 0, 1);
	EXPECT_EQ(1, n);
	EXPECT_EQ(0, self->wc.status);
}
