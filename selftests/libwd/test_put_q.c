// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel refuses a stop for a moment: the library must not treat the queue as one that never stops, whose memory it
 * would keep for ever.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <stdarg.h>
#include <wd_comp.h>
#include <wd_cq.h>

#include "hooked_ioctl.h"
#include "need_device.h"
#include "on_device.h"

#define CYCLES	200
#define NOISE	(CYCLES * 64)	/* bytes; what is kept of one queue is more */

#define FILES	1024

static int refusal;
static int refuse_of = 2;	/* all but the last of this many commands are refused */
static int refused;
static bool refuse_start;
static int waits_ms;		/* how long a command is executed that is refused */
static int puts_of[FILES];	/* commands to stop, by file */
static bool impatient[FILES];	/* files whose commands don't wait for other processes' queues */
static int patient, asked;	/* commands on other files; all commands */

int fcntl(int fd, int cmd, ...)
{
	union { void *p; __typeof__(&fcntl) f; } u = { .p = dlsym(RTLD_NEXT, "fcntl") };
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	if (cmd == F_SETFL && fd < FILES)
		impatient[fd] = (uintptr_t)arg & O_NONBLOCK;
	return u.f(fd, cmd, arg);
}

static int before_ioctl(int fd, unsigned long cmd)
{
	if (cmd == UACCE_CMD_PUT_Q || cmd == UACCE_CMD_START_Q) {
		patient += fd >= FILES || !impatient[fd];
		asked++;
	}
	if (cmd == UACCE_CMD_START_Q && refuse_start)
		return EBUSY;
	if (cmd == UACCE_CMD_PUT_Q && fd < FILES)
		puts_of[fd]++;
	if (cmd != UACCE_CMD_PUT_Q || !refusal || !(++refused % refuse_of))
		return 0;
	poll(NULL, 0, waits_ms);
	return refusal;
}

/* Opens and closes a context. */
static int cycle(void)
{
	handle_t cq = wd_cq_create(4), h;
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW | WD_SESS_CQ, .cq = cq,
	};

	h = wd_comp_alloc_sess(&setup, NULL);
	return !h || wd_comp_free_sess(h) || wd_cq_destroy(cq);
}

/* Allocates what is allocated only once; the emulator does so when a device is first opened. */
static int warm_up(void)
{
	struct uacce_dev_list *list = wd_list_accels("zlib"), *l;
	int i, wrong = !list;

	for (l = list; l; l = l->next)
		wd_release_ctx(wd_request_ctx(l->info->dev_root));
	wd_free_list_accels(list);
	for (i = 0; i < 8; i++)
		wrong += cycle();
	return wrong;
}

FIXTURE(put_q) {
	int wrong;
};

FIXTURE_VARIANT(put_q) {
	int refusal;
};

FIXTURE_VARIANT_ADD(put_q, interrupted) { .refusal = EINTR };
FIXTURE_VARIANT_ADD(put_q, busy) { .refusal = EBUSY };

FIXTURE_SETUP(put_q)
{
	self->wrong = warm_up();
	refusal = variant->refusal;
}

FIXTURE_TEARDOWN(put_q)
{
	refusal = 0;
	EXPECT_EQ(0, self->wrong);
}

TEST_F(put_q, a_stop_that_is_refused_once_leaves_nothing_behind)
{
	size_t before = mallinfo2().uordblks, after;
	int i;

	for (i = 0; i < CYCLES; i++)
		self->wrong += cycle();
	after = mallinfo2().uordblks;
	EXPECT_GT(before + NOISE, after);
}

/* Bytes by which the memory in use grew. */
static ssize_t growth_of_50_refused(int *wrong)
{
	size_t before = mallinfo2().uordblks;
	int i;

	refusal = EBUSY;
	/* More refusals than a close tries. */
	refuse_of = 7;
	for (i = 0; i < 50; i++)
		*wrong += cycle();
	refusal = 0;
	*wrong += cycle();
	return (ssize_t)(mallinfo2().uordblks - before);
}

TEST(a_queue_that_cannot_stop_yet_is_freed_once_it_has)
{
	int rounds, wrong = warm_up();

	/* A first use of the other device allocates; memory that is kept for each queue grows in all rounds. */
	for (rounds = 0; rounds < 20 && growth_of_50_refused(&wrong) > 4096; rounds++)
		;
	EXPECT_GT(20, rounds);
	EXPECT_EQ(0, wrong);
}

TEST(a_start_that_waits_for_another_process_is_told_from_a_lack_of_queues)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};
	char words[256];

	refuse_start = true;
	EXPECT_EQ(0, wd_comp_alloc_sess(&setup, NULL));
	EXPECT_EQ(EBUSY, errno);
	wd_error_detail(0, words, sizeof(words));
	EXPECT_NE(NULL, strstr(words, "finishing another process' queue")) TH_LOG("%s", words);
	refuse_start = false;
	EXPECT_EQ(0, cycle());
}

/* Otherwise threads with requests there would sleep for minutes while the device finishes another process' queue. */
TEST_F(put_q, the_kernel_is_asked_not_to_wait)
{
	memset(impatient, 0, sizeof(impatient));
	patient = 0;
	asked = 0;
	self->wrong += cycle();
	EXPECT_EQ(0, patient);
	EXPECT_LE(2, asked);
}

/* The most commands to stop that a file got, since the last memset(). */
static int puts_most(void)
{
	int i, most = 0;

	for (i = 0; i < FILES; i++)
		most = puts_of[i] > most ? puts_of[i] : most;
	return most;
}

FIXTURE(stuck) {
	int wrong;
};

FIXTURE_SETUP(stuck)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, whose queues stop when they are closed");
	self->wrong = warm_up();
	memset(puts_of, 0, sizeof(puts_of));
	refusal = ETIMEDOUT;
	refuse_of = INT_MAX;
	refused = 0;
}

FIXTURE_TEARDOWN(stuck)
{
	refusal = 0;
	EXPECT_EQ(0, self->wrong);
}

/* Each command takes seconds, and closing the file takes them again. */
TEST_F(stuck, a_close_waits_once_for_a_queue_that_does_not_stop)
{
	self->wrong += cycle();
	EXPECT_EQ(1, puts_most());
}

TEST_F(stuck, a_deadline_waits_once_for_a_queue_that_does_not_stop)
{
	unsigned char src[500] = { 0 }, dst[1000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = {
		.src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len, .timeout_ms = 20,
	};
	handle_t h = session_on_device(false, true);

	/* Longer than the library tries again. */
	waits_ms = 1100;
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault drop=1/1"));
	EXPECT_EQ(-ETIMEDOUT, wd_compress(h, &arg));
	EXPECT_EQ(1, puts_most());
	waits_ms = 0;
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault drop=0"));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}
