// SPDX-License-Identifier: Apache-2.0
/*
 * What becomes of requests whose context ends, for each engine, layout of the buffers, fault and way of delivery. With
 * a session that may use the software path a request succeeds, with the right result. Only if its source and its
 * destination overlap it may fail instead. Afterwards the device is used again, although the software path has always
 * something to deliver.
 */
#include <limits.h>

#define MANY		16
#define ROW		8
#include "engines.h"

#define THREADS		2	/* of synchronous requests */
#define AGAIN		48	/* requests that the device has to do afterwards */
#define LATE_MS		100	/* longer than a device takes to accept the request, else the test says less */

/* --- faults --- */

/* Only an emulated device can be held; another one may be done with requests before its fault. */
static int hold(const struct run *run)
{
	return emulated() ? control(run, "hold") : 0;
}

static int release(const struct run *run)
{
	return emulated() ? control(run, "release") : 0;
}

/* Before the requests; nr: how many there will be. */
static int fault_before(const struct run *run, unsigned int nr)
{
	char text[64];

	switch (run->fault) {
	case RESET:
	case REMOVE:
		return hold(run);
	case ERROR:
		return hold(run) || control(run, "fault error=1") ? -1 : 0;
	case NEIGHBOUR:
		snprintf(text, sizeof(text), "fault drop=%u", nr);
		return control(run, text);
	case FAIL:
		snprintf(text, sizeof(text), "fault fail=%u", nr);
		return control(run, text);
	default:
		return control(run, "fault drop=1");
	}
}

/* When they are in flight. */
static int fault_now(const struct run *run)
{
	switch (run->fault) {
	case RESET:
		return control(run, run->again && emulated() ? "reset-begin" : "reset") || release(run) ? -1 : 0;
	case REMOVE:
		return control(run, "remove") || control(run, "return") || release(run) ? -1 : 0;
	case ERROR:
		return release(run);
	case NEIGHBOUR:
	case DROP:
		/* What is repeated isn't lost again. */
		return control(run, "fault drop=0");
	default:
		return 0;
	}
}

static bool is_held(const struct run *run)
{
	return run->fault == RESET || run->fault == REMOVE || run->fault == ERROR;
}

static bool has_late(const struct run *run)
{
	return run->fault == NEIGHBOUR || run->fault == DROP;
}

/* --- one cell of the table --- */

static const char *check(struct run *run, unsigned int nr)
{
	static _Thread_local char text[100];

	if (run->wrong == 1)
		return "wrong data";
	if (run->wrong) {
		snprintf(text, sizeof(text), "status %d", run->wrong);
		return text;
	}
	if (has_late(run) && run->late != -ETIMEDOUT) {
		snprintf(text, sizeof(text), "the late request has status %d", run->late);
		return text;
	}
	return run->ended == nr ? NULL : "a request has ended twice";
}

static void until_lost(const struct run *run, unsigned long long nr)
{
	while (misbehaved_drop(run->e->device) < nr && !run->ended)
		poll(NULL, 0, 1);
}

/*
 * The one with a deadline is the first that the device gets, and loses, or, as a neighbour, the last of those that it
 * loses: its deadline can't pass before the others are there.
 */
static const char *begin_async(struct run *run)
{
	unsigned long long before = misbehaved_drop(run->e->device);
	unsigned int i;

	run->late = 1;
	run->ended = run->failed = 0;
	if (fault_before(run, MANY + 1))
		return "the device can't be controlled";
	if (run->fault == DROP && submit(run, MANY))
		return "the late request is refused";
	until_lost(run, before + (run->fault == DROP));
	for (i = 0; i < MANY; i++)
		if (submit(run, i))
			return "a request is refused";
	if (run->fault == NEIGHBOUR && submit(run, MANY))
		return "the late request is refused";
	until_lost(run, before + (run->fault == NEIGHBOUR ? MANY + 1 : 0));
	return fault_now(run) ? "the device can't be controlled" : NULL;
}

static const char *end_async(struct run *run)
{
	const char *bad = look_until(run, &run->on_device, AGAIN, "the device isn't used again");

	run->again = false;
	return bad ? bad : look_until(run, &run->ended, MANY, "the last requests don't end");
}

static const char *use_again_async(struct run *run)
{
	unsigned int i;

	run->on_device = run->ended = 0;
	run->again = true;
	for (i = 0; i < MANY; i++)
		if (submit(run, i))
			return "a request is refused afterwards";
	return end_async(run);
}

/* Each callback submits again from the beginning, so that there is always something else to deliver. */
static const char *busy_cell(struct run *run)
{
	const char *bad;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		run->req[i].times = 0;
	run->again = true;
	bad = begin_async(run);
	/* Meanwhile all new requests take the software path. */
	for (i = 0; i < 4 * MANY && run->fault == RESET; i++)
		look(run);
	if (run->fault == RESET && emulated() && control(run, "reset-end"))
		bad = "the device can't be controlled";
	run->on_device = 0;
	if (!bad)
		bad = look_until(run, &run->seen, MANY, "a request is starved");
	if (!bad)
		bad = end_async(run);
	return bad ? bad : check(run, MANY);
}

static const char *async_cell(struct run *run)
{
	unsigned int nr = MANY + has_late(run);
	const char *bad = begin_async(run);

	if (!bad)
		bad = look_until(run, &run->ended, nr, "requests don't end");
	if (!bad)
		bad = check(run, nr);
	if (!bad)
		bad = use_again_async(run);
	return bad ? bad : check(run, MANY);
}

static void *sync_once(void *arg)
{
	struct req *r = arg;
	int ret;

	prepare(r->run, r);
	ret = r->run->e->sync(r, r->run->h);
	judge(r, ret, r->path);
	r->run->ended++;
	return NULL;
}

/* The i-th request, in the same order. */
static struct req *thread_req(const struct run *run, unsigned int i)
{
	unsigned int late = run->fault == DROP ? 0 : run->fault == NEIGHBOUR ? THREADS : UINT_MAX;

	return &run->req[i == late ? MANY : i - (i > late)];
}

/* How many requests the device has lost when it has the i-th. */
static unsigned int lost(const struct run *run, unsigned int i)
{
	return run->fault == DROP ? 1 : run->fault == NEIGHBOUR ? i + 1 : 0;
}

static const char *begin_sync(struct run *run, unsigned int nr)
{
	unsigned long long before = misbehaved_drop(run->e->device);
	unsigned int i;

	run->late = 1;
	if (fault_before(run, nr))
		return "the device can't be controlled";
	for (i = 0; i < nr; i++) {
		struct req *r = thread_req(run, i);

		r->run = run;
		if (pthread_create(&r->thread, NULL, sync_once, r))
			abort();
		until_lost(run, before + lost(run, i));
	}
	/* On a device that holds its requests. */
	while (emulated() && is_held(run) && wd_in_flight(NULL) < (int)nr)
		poll(NULL, 0, 1);
	return fault_now(run) ? "the device can't be controlled" : NULL;
}

static const char *use_again_sync(struct run *run)
{
	long long end = now_ms() + WAIT_MS / 2;

	run->on_device = run->ended = 0;
	while (run->on_device < AGAIN) {
		sync_once(&run->req[0]);
		if (now_ms() > end)
			return "the device isn't used again";
	}
	return check(run, run->ended);
}

static const char *sync_cell(struct run *run)
{
	unsigned int nr = THREADS + has_late(run), i;
	const char *bad = begin_sync(run, nr);

	for (i = 0; i < nr; i++)
		pthread_join(thread_req(run, i)->thread, NULL);
	if (!bad)
		bad = check(run, nr);
	return bad ? bad : use_again_sync(run);
}

static const char *cell(struct run *run)
{
	const char *bad;

	if (run->how >= CQ_1 && run->how <= CQ_SLEEP)
		run->cq = wd_cq_create(2 * MANY);
	run->h = session(run);
	if (!run->h)
		return detail(0);
	if (run->how == POLLERS && wd_start_pollers("2"))
		return detail(0);
	bad = run->how == SYNC ? sync_cell(run) : overlaps(run) || has_late(run) ? async_cell(run) : busy_cell(run);
	if (run->how == POLLERS)
		wd_stop_pollers();
	if (control(run, "fault drop=0,fail=0,error=0") && !bad)
		bad = "the device can't be controlled";
	/* With requests in flight nothing can be freed. */
	if (!bad && run->e->free_sess(run->h))
		bad = "the session can't be freed";
	if (!bad && run->cq && wd_cq_destroy(run->cq))
		bad = "the completion queue can't be destroyed";
	return bad;
}

/* --- the table --- */

static char sim_name[UACCE_NAME_MAX];

FIXTURE(repeat) {
	struct req *req;
};

FIXTURE_VARIANT(repeat) {
	enum fault fault;
};

FIXTURE_VARIANT_ADD(repeat, reset) { .fault = RESET };
FIXTURE_VARIANT_ADD(repeat, error) { .fault = ERROR };
FIXTURE_VARIANT_ADD(repeat, remove) { .fault = REMOVE };
FIXTURE_VARIANT_ADD(repeat, neighbour) { .fault = NEIGHBOUR };
FIXTURE_VARIANT_ADD(repeat, fail) { .fault = FAIL };
FIXTURE_VARIANT_ADD(repeat, drop) { .fault = DROP };

FIXTURE_SETUP(repeat)
{
	struct uacce_dev_list *list = wd_list_accels("deflate");
	unsigned int i;

	/* ZIP of generation 2 has no raw deflate. */
	comp_alg = list ? WD_DEFLATE_RAW : WD_ZLIB;
	wd_free_list_accels(list);
	self->req = calloc(MANY + 1, sizeof(*self->req));
	ASSERT_NE(NULL, self->req);
	for (i = 0; i <= MANY; i++)
		self->req[i].nr = i;
	ASSERT_TRUE(expect(&engines[1], self->req, digest_of[0])) TH_LOG("%s", detail(0));
	ASSERT_TRUE(expect(&engines[2], self->req, cipher_of[0])) TH_LOG("%s", detail(0));
	self->req[MANY].timeout_ms = LATE_MS;
	if (!emulated() && sim_device(sim_name))
		engines[0].device = sim_name;
}

FIXTURE_TEARDOWN(repeat)
{
	free(self->req);
}

TEST_F(repeat, whatever_ends_a_context)
{
	unsigned int e, layout, how;

	if (!emulated() && !*sim_name)
		SKIP(return, "needs a device that misbehaves on request");
	if (!emulated() && variant->fault == REMOVE)
		SKIP(return, "a device of the kernel comes back with another name");
	for (e = 0; e < (emulated() ? ENGINES : 1); e++)
		for (layout = 0; layout < LAYOUTS; layout++)
			for (how = 0; how < DELIVERIES; how++) {
				struct run run = {
					.e = &engines[e], .layout = layout, .fault = variant->fault, .how = how,
					.req = self->req
				};
				long long begun = now_ms();
				const char *bad = cell(&run);

				if (getenv("WD_TEST_TRACE"))
					TH_LOG("%s, %s, %s: %lld ms", engines[e].alg, layout_name[layout],
					       delivery_name[how], now_ms() - begun);
				ASSERT_EQ(NULL, bad) TH_LOG("%s, %s, %s: %s", engines[e].alg, layout_name[layout],
							    delivery_name[how], bad);
			}
}

TEST_HARNESS_MAIN
