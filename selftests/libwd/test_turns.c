// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts take turns: with many digests in flight, each of which is submitted again by its callback, a reset moves all
 * of them to the software path, which then has always something to deliver. The device is used again all the same, in
 * whatever way and order results are fetched; and then requests that wait for the software path aren't starved by a
 * device that has always something to deliver.
 */
#include <limits.h>

#define MANY		64
#define ROW		8
#include "engines.h"

#define AGAIN		(3 * MANY)	/* requests that the device has to do afterwards */
#define LOOKS		(8 * MANY)	/* calls in which each request has its turn */

static const struct engine *const digest = &engines[1];

/* Threads of the library's own look when they like. */
static bool by_itself(const struct run *run)
{
	return run->how == POLLERS;
}

static int device_in_flight(void)
{
	struct wd_ctx_stats stats;
	unsigned int i;
	int nr = 0;

	for (i = 0; !wd_ctx_stats(i, &stats); i++)
		nr += stats.path == WD_PATH_SOFT ? 0 : (int)stats.in_flight;
	return nr;
}

/* Without the requests that a reset stopped, all of which have been delivered. */
static void until_done(const struct run *run, unsigned long long nr)
{
	while (emulated_count(run->e->device, "completions") < nr)
		poll(NULL, 0, 1);
}

/* A call that finds a result of the device, if the device, which is held, has a request. */
static int look_at_device(struct run *run, unsigned long long base)
{
	if (device_in_flight()) {
		if (control(run, "release"))
			return -1;
		until_done(run, base + run->on_device + 1);
		/* Once it stands still, the ring has what it counts. */
		if (control(run, "hold"))
			return -1;
	}
	look(run);
	return 0;
}

static void forget(struct run *run)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		run->req[i].times = 0;
	run->seen = 0;
}

/*
 * Ends with all requests on the software path, and a device that may be opened again. Half of the requests had results
 * that nobody had fetched: they keep their context closed.
 */
static const char *reset(struct run *run)
{
	unsigned long long before = emulated_count(run->e->device, "completions");
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		if (i == MANY / 2) {
			until_done(run, before + i);
			if (control(run, "hold"))
				return "the device can't be held";
		}
		if (submit(run, i))
			return "a request is refused";
	}
	if (control(run, "reset-begin") || control(run, "release"))
		return "the device can't be reset";
	for (i = 0; i < LOOKS; i++)
		look(run);
	if (!by_itself(run) && device_in_flight())
		return "what the reset stopped is never delivered";
	return control(run, "reset-end") ? "the reset doesn't end" : NULL;
}

/* Until the device, which is held, has the first request again: the software path has the others. */
static const char *use_again(struct run *run)
{
	long long end = now_ms() + WAIT_MS / 2;

	while (!device_in_flight()) {
		look(run);
		if (now_ms() > end)
			return "the device isn't used again";
	}
	return NULL;
}

/* With the device always ready to deliver, each request on the software path has its turn, too. */
static const char *all_in_turn(struct run *run)
{
	unsigned long long base = emulated_count(run->e->device, "completions");
	const char *bad = control(run, "hold") ? "the device can't be held" : use_again(run);
	unsigned int i;

	run->on_device = 0;
	forget(run);
	for (i = 0; !bad && i < LOOKS; i++)
		if (look_at_device(run, base))
			bad = "the device can't be held";
	if (control(run, "release"))
		bad = "the device can't be released";
	return !bad && run->seen < MANY ? "a request is starved" : bad;
}

static const char *turns(struct run *run)
{
	const char *bad = reset(run);

	if (!bad && !by_itself(run))
		bad = all_in_turn(run);
	run->on_device = 0;
	return bad ? bad : look_until(run, &run->on_device, AGAIN, "the device isn't used for long");
}

static const char *cell(struct run *run)
{
	static char text[40];
	const char *bad;

	if (run->how >= CQ_1 && run->how <= CQ_SLEEP)
		run->cq = wd_cq_create(2 * MANY);
	run->h = session(run);
	if (!run->h || (run->how == POLLERS && wd_start_pollers("2")))
		return detail(0);
	run->again = true;
	bad = turns(run);
	run->again = false;
	if (!bad)
		bad = look_until(run, &run->ended, MANY, "the last requests don't end");
	if (run->how == POLLERS)
		wd_stop_pollers();
	if (!bad && run->wrong) {
		snprintf(text, sizeof(text), "a request ends with %d", run->wrong);
		bad = text;
	}
	if (!bad && run->e->free_sess(run->h))
		bad = "the session can't be freed";
	if (!bad && run->cq && wd_cq_destroy(run->cq))
		bad = "the completion queue can't be destroyed";
	return bad;
}

FIXTURE(turns) {
	struct req *req;
	handle_t first;
};

FIXTURE_VARIANT(turns) {
	enum delivery how;
};

FIXTURE_VARIANT_ADD(turns, poll_1) { .how = POLL_1 };
FIXTURE_VARIANT_ADD(turns, poll_n) { .how = POLL_N };
FIXTURE_VARIANT_ADD(turns, poll_wait_1) { .how = WAIT_1 };
FIXTURE_VARIANT_ADD(turns, cq_1) { .how = CQ_1 };
FIXTURE_VARIANT_ADD(turns, cq_n) { .how = CQ_N };
FIXTURE_VARIANT_ADD(turns, cq_sleep) { .how = CQ_SLEEP };
FIXTURE_VARIANT_ADD(turns, pollers) { .how = POLLERS };

FIXTURE_SETUP(turns)
{
	unsigned int i;

	self->req = calloc(MANY + 1, sizeof(*self->req));
	ASSERT_NE(NULL, self->req);
	for (i = 0; i <= MANY; i++)
		self->req[i].nr = i;
	ASSERT_TRUE(expect(digest, self->req, digest_of[0])) TH_LOG("%s", detail(0));
	/* The software path's context has a lower number than the device's. */
	self->first = digest->alloc(true, false, WD_SESS_PATH_SOFT, 0, NULL);
	ASSERT_NE(0, self->first) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(turns)
{
	EXPECT_EQ(0, digest->free_sess(self->first));
	free(self->req);
}

TEST_F(turns, a_reset_ends_no_context_for_ever)
{
	struct run run = { .e = digest, .fault = RESET, .how = variant->how, .req = self->req };
	const char *bad = cell(&run);

	EXPECT_EQ(NULL, bad) TH_LOG("%s: %s", delivery_name[run.how], bad);
}

TEST_HARNESS_MAIN
