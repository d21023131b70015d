// SPDX-License-Identifier: Apache-2.0
/*
 * Deadlines on a device that takes half a second for each request (WD_TEST_SLOW names it; the only device by
 * default).
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define LATENCY	0.4	/* s: the device takes at least this long */
#define ROUNDS	20	/* for a machine so slow that the device is done before the deadline is checked */

FIXTURE(deadline) {
	struct wd_comp_sess_setup setup;
	wd_dev_mask_t *mask;
	unsigned char src[20000], dst[30000], back[20000];
	size_t len;
	struct wd_comp_arg arg;
};

FIXTURE_SETUP(deadline)
{
	const char *name = getenv("WD_TEST_SLOW");
	struct uacce_dev_list *list = wd_list_accels("gzip"), *l;

	if (!name)
		SKIP(return, "no slow device (WD_TEST_SLOW)");
	ASSERT_NE(NULL, list);
	self->mask = wd_dev_mask_alloc();
	for (l = list; l; l = l->next)
		if (!strcmp(l->info->name, name))
			ASSERT_EQ(0, wd_dev_mask_set(self->mask, l->info->node_id));
	wd_free_list_accels(list);
	self->setup = (struct wd_comp_sess_setup){
		.alg_type = WD_GZIP, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	fill_text(self->src, sizeof(self->src), 1);
	self->len = sizeof(self->dst);
	self->arg = (struct wd_comp_arg){
		.src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &self->len,
	};
}

FIXTURE_TEARDOWN(deadline)
{
	wd_dev_mask_free(self->mask);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/*
 * Compresses with a deadline that the device misses; returns the result. A success that took as long as the device is
 * tried again: the deadline was not checked in time.
 */
static int compress_late(FIXTURE_DATA(deadline) *self, handle_t h)
{
	int round, ret = 0;

	for (round = 0; !ret && round < ROUNDS; round++) {
		double start = seconds();

		self->len = sizeof(self->dst);
		ret = wd_compress(h, &self->arg);
		if (seconds() - start < LATENCY)
			break;
	}
	return ret;
}

TEST_F(deadline, one_that_is_kept_changes_nothing)
{
	handle_t h = wd_comp_alloc_sess(&self->setup, self->mask);
	double t = seconds();

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	self->arg.timeout_ms = WAIT_MS;
	EXPECT_EQ(0, wd_compress(h, &self->arg)) TH_LOG("%s", detail(h));
	EXPECT_LT(LATENCY, seconds() - t);
	EXPECT_EQ(20000, z_decompress(WD_GZIP, self->dst, self->len, self->back, 20000, 15));
	wd_comp_free_sess(h);
}

TEST_F(deadline, passed_is_ETIMEDOUT_after_the_device_has_stopped)
{
	handle_t h = wd_comp_alloc_sess(&self->setup, self->mask);

	ASSERT_NE(0, h);
	self->arg.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, compress_late(self, h));
	EXPECT_EQ(-ETIMEDOUT, self->arg.status);
	EXPECT_EQ(0, self->len);
	memset(self->dst, 0xdb, sizeof(self->dst));
	/* The context is opened again for the next one. */
	self->len = sizeof(self->dst);
	self->arg.timeout_ms = 0;
	EXPECT_EQ(0, wd_compress(h, &self->arg)) TH_LOG("%s", detail(h));
	EXPECT_EQ(20000, z_decompress(WD_GZIP, self->dst, self->len, self->back, 20000, 15));
	wd_comp_free_sess(h);
}

TEST_F(deadline, the_setups_is_used_when_the_request_has_none)
{
	handle_t h;

	self->setup.timeout_ms = 50;
	h = wd_comp_alloc_sess(&self->setup, self->mask);
	ASSERT_NE(0, h);
	EXPECT_EQ(-ETIMEDOUT, compress_late(self, h));
	wd_comp_free_sess(h);
}

TEST_F(deadline, the_setups_is_not_used_when_the_request_says_for_ever)
{
	handle_t h;
	int round;

	self->setup.timeout_ms = 50;
	h = wd_comp_alloc_sess(&self->setup, self->mask);
	ASSERT_NE(0, h);
	self->arg.timeout_ms = UINT_MAX;
	for (round = 0; round < 3; round++) {
		self->len = sizeof(self->dst);
		EXPECT_EQ(0, wd_compress(h, &self->arg)) TH_LOG("%s", detail(h));
	}
	wd_comp_free_sess(h);
}

struct patient {
	pthread_t t;
	handle_t h;
	int ret;
	atomic_bool over;
	unsigned char src[20000], dst[30000], back[20000];
	size_t len;
};

static void *be_patient(void *p)
{
	struct patient *w = p;
	struct wd_comp_arg arg = { .src = w->src, .src_len = 20000, .dst = w->dst, .dst_len = &w->len };

	fill_text(w->src, 20000, 2);
	w->len = sizeof(w->dst);
	w->ret = wd_compress(w->h, &arg);
	atomic_store(&w->over, true);
	return NULL;
}

/* Four threads wait for the same device; one request has a short deadline. Returns the result of that request. */
static int among_patient(struct __test_metadata *_metadata, FIXTURE_DATA(deadline) *self, handle_t h, struct patient *w)
{
	int i, ret;

	for (i = 0; i < 4; i++) {
		w[i].h = h;
		atomic_store(&w[i].over, false);
		ASSERT_EQ(0, pthread_create(&w[i].t, NULL, be_patient, &w[i]));
	}
	while (wd_in_flight(NULL) < 4 && !atomic_load(&w[0].over))
		;
	self->len = sizeof(self->dst);
	ret = wd_compress(h, &self->arg);
	for (i = 0; i < 4; i++) {
		pthread_join(w[i].t, NULL);
		EXPECT_EQ(0, w[i].ret);
		EXPECT_EQ(20000, z_decompress(WD_GZIP, w[i].dst, w[i].len, w[i].back, 20000, 15));
	}
	return ret;
}

TEST_F(deadline, neighbours_without_one_get_their_results)
{
	handle_t h = wd_comp_alloc_sess(&self->setup, self->mask);
	struct patient *w = calloc(4, sizeof(*w));
	int round, ret = 0;
	double start;

	ASSERT_NE(0, h);
	self->arg.timeout_ms = 50;
	for (round = 0; !ret && round < ROUNDS; round++) {
		start = seconds();
		ret = among_patient(_metadata, self, h, w);
		if (seconds() - start < LATENCY)
			break;
	}
	EXPECT_EQ(-ETIMEDOUT, ret);
	wd_comp_free_sess(h);
	free(w);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	*(int *)param = arg->status ? arg->status : 1;
}

TEST_F(deadline, an_asynchronous_ones_ends_in_its_callback)
{
	int ret, round, status = 0;
	double start;
	handle_t h;

	self->setup.op_type = WD_ASYNC;
	h = wd_comp_alloc_sess(&self->setup, self->mask);
	ASSERT_NE(0, h);
	self->arg.timeout_ms = 50;
	self->arg.cb = on_done;
	self->arg.cb_param = &status;
	for (round = 0; status >= 0 && round < ROUNDS; round++) {
		start = seconds();
		self->len = sizeof(self->dst);
		ASSERT_EQ(0, wd_comp_async(h, &self->arg, NULL));
		/* Polls end without the request until its deadline has passed. */
		do
			ret = wd_comp_poll(1, 1, NULL);
		while (ret == -ETIME);
		EXPECT_EQ(1, ret);
		if (seconds() - start < LATENCY)
			break;
	}
	EXPECT_EQ(-ETIMEDOUT, status);
	EXPECT_EQ(0, self->len);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

/* One request misses its deadline, nr requests behind it have none: returns the status of the first one. */
static int neighbours(struct __test_metadata *_metadata, FIXTURE_DATA(deadline) *self, int nr, int bytes)
{
	struct patient *w = calloc(nr, sizeof(*w));
	struct wd_comp_arg *arg = calloc(nr, sizeof(*arg));
	handle_t h;
	int i, n, status = 0;

	self->setup.op_type = WD_ASYNC;
	h = wd_comp_alloc_sess(&self->setup, self->mask);
	ASSERT_NE(0, h);
	for (i = 0; i < nr; i++) {
		fill_text(w[i].src, bytes, i);
		w[i].len = sizeof(w[i].dst);
		arg[i] = (struct wd_comp_arg){
			.src = w[i].src, .src_len = bytes, .dst = w[i].dst, .dst_len = &w[i].len, .cb = on_done,
			.cb_param = &w[i].ret,
		};
	}
	self->arg.timeout_ms = 50;
	self->arg.cb = on_done;
	self->arg.cb_param = &status;
	self->len = sizeof(self->dst);
	ASSERT_EQ(0, wd_comp_async(h, &self->arg, NULL));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, wd_comp_async(h, &arg[i], NULL));
	}
	for (n = 0; n < nr + 1; n += i) {
		i = wd_comp_poll(nr + 1 - n, WAIT_MS, NULL);
		ASSERT_LT(0, i);
	}
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(1, w[i].ret);
		EXPECT_EQ(bytes, z_decompress(WD_GZIP, w[i].dst, w[i].len, w[i].back, bytes, 15));
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
	free(w);
	free(arg);
	return status;
}

TEST_F(deadline, asynchronous_neighbours_without_one_get_their_results)
{
	int round, status = 1;

	for (round = 0; status == 1 && round < ROUNDS; round++)
		status = neighbours(_metadata, self, 40, 20000);
	EXPECT_EQ(-ETIMEDOUT, status);
}

/* Requests that a stop finds not begun come back unexecuted, perhaps before those that were begun. */
TEST_F(deadline, neighbours_that_were_not_begun_get_them_too)
{
	int round, status = 1;

	for (round = 0; status == 1 && round < ROUNDS; round++) {
		/* A real device decides by itself which requests fail. */
		if (emulated())
			ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault fail=200"));
		status = neighbours(_metadata, self, 300, 500);
	}
	EXPECT_EQ(-ETIMEDOUT, status);
}

TEST_F(deadline, a_stream_that_misses_it_is_over)
{
	handle_t h = wd_comp_alloc_sess(&self->setup, self->mask);
	struct wd_comp_strm strm = {
		.src = self->src, .src_len = &self->arg.src_len, .dst = self->dst, .dst_len = &self->len, .last = 1,
		.timeout_ms = 50,
	};
	int ret, round = 0;
	double start;

	ASSERT_NE(0, h);
	do {
		start = seconds();
		self->len = sizeof(self->dst);
		self->arg.src_len = 20000;
		ASSERT_EQ(0, wd_comp_reset_sess(h));
		ret = wd_strm_compress(h, &strm);
	} while (ret >= 0 && seconds() - start > LATENCY && ++round < ROUNDS);
	EXPECT_EQ(-ETIMEDOUT, ret);
	EXPECT_EQ(0, self->len);
	strm.timeout_ms = 0;
	self->len = sizeof(self->dst);
	self->arg.src_len = 20000;
	EXPECT_EQ(-ETIMEDOUT, wd_strm_compress(h, &strm));
	EXPECT_EQ(0, wd_comp_reset_sess(h));
	self->len = sizeof(self->dst);
	self->arg.src_len = 20000;
	EXPECT_EQ(1, wd_strm_compress(h, &strm)) TH_LOG("%s", detail(h));
	EXPECT_EQ(20000, z_decompress(WD_GZIP, self->dst, self->len, self->back, 20000, 15));
	wd_comp_free_sess(h);
}

TEST_HARNESS_MAIN
