// SPDX-License-Identifier: Apache-2.0
/* A section's priority reaches the hardware queue, and a saturated device obeys it. */
#include <stdatomic.h>
#include <sys/mman.h>
#include "../comp/comp_test.h"
#include "kselftest_harness.h"
#include "turn.h"
#include "worker.h"

#define BYTES		2000
#define FLYING		64
#define FEW		(FLYING / 8)	/* so few in flight: the sender comes too late to keep the device busy */
#define REQUESTS	600	/* done by both together, before the shares are compared */
#define PACE		TREE "/../hisi_sim/zip0/bandwidth_mbps"
#define PACE_FIRST	4

struct share {
	atomic_uint ready;
	atomic_uint full;	/* full queues: from two on, completions count */
	atomic_uint done[2];
	atomic_bool dry;	/* one of the queues was about to be empty */
};

static struct share *share;

static void on_done(struct wd_comp_arg *arg, void *param)
{
	if (arg->status)
		_exit(5);
	if (atomic_load(&share->full) >= 2)
		atomic_fetch_add((atomic_uint *)param, 1);
}

static unsigned int all_done(struct share *s)
{
	return atomic_load(&s->done[0]) + atomic_load(&s->done[1]);
}

/* Attached to its section, with a full queue until both processes together have done enough. */
static int saturate(const char *section, struct share *s, atomic_uint *done)
{
	static unsigned char src[BYTES], dst[FLYING][2 * BYTES];
	static struct wd_comp_arg arg[FLYING];
	static size_t len[FLYING];
	struct nl_client c;
	unsigned int i = 0;
	bool full = false;
	handle_t h;
	int ret;

	share = s;
	ret = client_open(&c);
	if (!ret)
		ret = client_attach(&c, section, NULL, NULL, WAIT_MS);
	/* The process that had the slot at the previous pace may not have exited yet. */
	if (ret > 0)
		ret = client_granted(&c, WAIT_MS);
	if (ret)
		return 2;
	h = sess_flags(WD_GZIP, WD_DIR_COMPRESS, true, WD_FLAT_BUF, 1, WD_COMP_WS_32K, WD_SESS_PATH_HW);
	if (!h)
		return 3;
	fill_text(src, BYTES, 1);
	atomic_fetch_add(&s->ready, 1);
	while (atomic_load(&s->ready) < 2)
		turn_over();
	while (all_done(s) < REQUESTS) {
		while (wd_in_flight(NULL) < FLYING) {
			len[i] = sizeof(dst[i]);
			arg[i] = (struct wd_comp_arg){
				.src = src, .src_len = BYTES, .dst = dst[i], .dst_len = &len[i], .cb = on_done,
				.cb_param = done,
			};
			if (wd_comp_async(h, &arg[i], NULL))
				break;
			i = (i + 1) % FLYING;
		}
		if (!full)
			atomic_fetch_add(&s->full, 1);
		full = true;
		/* Takes all completions that are there: requests still in flight are in the device. */
		wd_comp_poll(FLYING, 100, NULL);
		if (wd_in_flight(NULL) < FEW)
			atomic_store(&s->dry, true);
	}
	/*
	 * A process that stalled while the other came to the end has not counted its own completions, and its queue may
	 * be dry.
	 */
	wd_comp_poll(FLYING, 0, NULL);
	if (wd_in_flight(NULL) < FEW)
		atomic_store(&s->dry, true);
	_exit(0);
}

FIXTURE(priority) {
	char pace[64];
};

FIXTURE_SETUP(priority)
{
	ASSERT_EQ(0, tree_read(PACE, self->pace, sizeof(self->pace)));
	ASSERT_EQ(0, sec_make("low", DEV0, 1, 2, 0));
	ASSERT_EQ(0, sec_make("high", DEV0, 1, 2, 0));
}

FIXTURE_TEARDOWN(priority)
{
	EXPECT_EQ(0, text_write(PACE, self->pace));
	EXPECT_EQ(0, sec_end("low"));
	EXPECT_EQ(0, sec_end("high"));
}

/* How many of the first REQUESTS each section got. */
static int compete_at(struct share *s, int pace)
{
	int i, status, bad;
	char text[16];
	pid_t pid[2];

	memset((void *)s, 0, sizeof(*s));
	snprintf(text, sizeof(text), "%d", pace);
	bad = text_write(PACE, text);
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(saturate(i ? "high" : "low", s, &s->done[i]));
	}
	for (i = 0; i < 2; i++) {
		waitpid(pid[i], &status, 0);
		bad |= status;
	}
	return bad;
}

/*
 * A device that is never saturated has nothing to share out: a slower pace is tried then. 1: no pace was slow enough.
 */
static int compete(struct share *s)
{
	int pace, bad = 0;

	for (pace = PACE_FIRST; pace; pace /= 2) {
		bad = compete_at(s, pace);
		if (bad || !atomic_load(&s->dry))
			return bad;
	}
	return 1;
}

TEST_F(priority, seven_gets_visibly_more_than_zero_which_does_not_starve)
{
	struct share *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret;

	ASSERT_EQ(0, sec_set("high", "queue_priority", "7"));
	ret = compete(s);
	if (ret == 1)
		SKIP(return, "this machine is too busy to keep a device busy");
	EXPECT_EQ(0, ret);
	TH_LOG("priority 0: %u, priority 7: %u", s->done[0], s->done[1]);
	EXPECT_LT(2 * s->done[0], s->done[1]);
	EXPECT_LT(REQUESTS / 30, s->done[0]);
	munmap(s, sizeof(*s));
}

TEST_F(priority, equals_get_about_the_same)
{
	struct share *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret = compete(s);

	if (ret == 1)
		SKIP(return, "this machine is too busy to keep a device busy");
	EXPECT_EQ(0, ret);
	TH_LOG("priority 0: %u, priority 0: %u", s->done[0], s->done[1]);
	EXPECT_LT(s->done[0], 2 * s->done[1]);
	EXPECT_LT(s->done[1], 2 * s->done[0]);
	munmap(s, sizeof(*s));
}

TEST_HARNESS_MAIN
