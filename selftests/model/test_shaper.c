// SPDX-License-Identifier: Apache-2.0
/*
 * Limits of functions by their shapers, in virtual time. Jobs are completed without being executed, so a test can be
 * about any rate.
 */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define VFS		2
#define SHARE		4
#define MS		1000000ull
#define SECOND		(1000 * MS)
#define STEP_NS		(100000)
#define IN_FLIGHT	64
#define CONFIG		(QM_SHAPER_CFG_ENABLE | ZIP_SHAPER_RATE_COMP | \
			 ZIP_SHAPER_RATE_DECOMP << QM_SHAPER_CFG_RATE1_SHIFT)
#define CLASS(n)	((n) << QM_VFT_FUNC_CLASS_SHIFT)

/* Entries of drivers, by thousandths of the device. */
#define QOS_1		0x48a09aull	/* burst of 512 bytes */
#define QOS_3		0x589073ull
#define QOS_10		0x6088c0ull
#define QOS_11		0x80806aull	/* burst of 64 KiB */
#define QOS_100		0x808378ull
#define QOS_1000	0x988696ull	/* burst of 512 KiB */

/* A queue with requests of one size, always more than the device takes. */
struct flow {
	struct rig *r;
	u32 q, len, sent, got;
	u32 burst;		/* requests, 0: no end */
	u32 mark;		/* completed when the measurement began */
};

FIXTURE(fns) {
	struct rig r[VFS + 1];
	struct flow flow[8];
	u32 flows;
};

static void begin(struct rig *r, const struct wdm_attr *attr)
{
	u32 fn;

	rig_init_bare(&r[0], attr);
	rig_engine_start(&r[0]);
	for (fn = 0; fn <= VFS; fn++) {
		if (fn)
			rig_attach(&r[fn], &r[0], fn);
		rig_vft_queues(&r[0], fn, fn * SHARE, SHARE);
		rig_function_up(&r[fn]);
	}
	r[0].hold_jobs = true;
}

FIXTURE_SETUP(fns)
{
	struct wdm_attr attr = { .functions = VFS + 1, .per_fn_max = SHARE };

	begin(self->r, &attr);
}

FIXTURE_TEARDOWN(fns)
{
	u32 fn;

	for (fn = VFS + 1; fn-- > 0;)
		rig_free(&self->r[fn]);
}

static void shape_class(struct rig *pf, u32 fn, u32 class, u64 entry)
{
	rig_reg_set(pf, QM_SHAPER_CFG, CONFIG);
	rig_vft(pf, QM_VFT_TYPE_SHAPER, fn | CLASS(class), entry);
}

static void shape(struct rig *pf, u32 fn, u64 entry)
{
	shape_class(pf, fn, 0, entry);
	shape_class(pf, fn, 1, entry);
}

static u64 shape_read(struct rig *pf, u32 fn, u32 class)
{
	rig_reg_set(pf, QM_VFT_OP_WR, 1);
	rig_reg_set(pf, QM_VFT_TYPE, QM_VFT_TYPE_SHAPER);
	rig_reg_set(pf, QM_VFT_FUNC, fn | CLASS(class));
	rig_reg_set(pf, QM_VFT_OP_ENABLE, 1);
	rig_turn(pf);
	return rig_reg64(pf, QM_VFT_DATA_L);
}

static struct flow *flow_begin(FIXTURE_DATA(fns) *self, u32 fn, u32 q, u32 len, u32 burst)
{
	struct flow *f = &self->flow[self->flows++];
	struct rig_queue_opts o = { .alg = q & 1 };

	*f = (struct flow){ .r = &self->r[fn], .q = q, .len = len, .burst = burst };
	if (rig_queue_start(f->r, q, &o))
		abort();
	return f;
}

static void flow_feed(struct flow *f)
{
	struct zip_sqe sqe;
	u32 before = f->sent, had = f->got;

	while (rig_pop(f->r, f->q) >= 0)
		f->got++;
	if (f->got != had)
		rig_ring_cq(f->r, f->q, false);
	rig_sqe(&sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, f->len, RIG_USER_BASE, 64);
	for (; f->sent - f->got < IN_FLIGHT && (!f->burst || f->sent < f->burst); f->sent++)
		rig_push(f->r, f->q, &sqe);
	if (f->sent != before)
		rig_ring_sq(f->r, f->q);
}

static void look(FIXTURE_DATA(fns) *self)
{
	struct rig *pf = &self->r[0];
	struct wdm_job *job;
	u32 i;

	wdm_poll(pf->dev, &pf->look);
	while ((job = wdm_job_next(pf->dev)))
		wdm_job_done(pf->dev, job);
	for (i = 0; i < self->flows; i++)
		flow_feed(&self->flow[i]);
}

static void run(FIXTURE_DATA(fns) *self, u64 ns)
{
	u64 end;

	look(self);
	look(self);
	for (end = self->r[0].now + ns; self->r[0].now < end; self->r[0].now += STEP_NS)
		look(self);
	look(self);
}

/* Measures all flows for a second, after what was saved is used up. */
static void measure(FIXTURE_DATA(fns) *self)
{
	u32 i;

	run(self, 100 * MS);
	for (i = 0; i < self->flows; i++)
		self->flow[i].mark = self->flow[i].got;
	run(self, SECOND);
}

/* In thousandths of that rate. */
static u32 rate(const struct flow *f, u64 kbits)
{
	return (u32)(((u64)(f->got - f->mark) * f->len * 8 + kbits / 2) / kbits);
}

#define EXPECT_RATE(f, kbits) \
	EXPECT_TRUE(rate(f, kbits) >= 990 && rate(f, kbits) <= 1010) \
		TH_LOG("%u of 1000 of %llu kbit/s", rate(f, kbits), (unsigned long long)(kbits))

TEST_F(fns, entries_are_the_rates_that_drivers_compute)
{
	static const struct { u64 entry, mbits; } rows[] = {
		{ QOS_1, 100 }, { 0x489899, 199 }, { QOS_3, 299 }, { 0x608873, 598 }, { QOS_10, 1000 },
		{ QOS_11, 1104 }, { QOS_100, 10000 }, { 0x9084b3, 29833 }, { 0x988670, 74666 }, { QOS_1000, 100000 },
	};
	struct flow *f = flow_begin(self, 1, 0, 0, 0);
	u32 i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		shape(self->r, 1, rows[i].entry);
		f->len = (u32)(rows[i].mbits * 125000 / 2000);
		measure(self);
		EXPECT_RATE(f, rows[i].mbits * 1000);
	}
}

/* A request of 64 bytes takes 51.2 ns. */
TEST_F(fns, small_requests_are_limited_as_exactly_as_large_ones)
{
	struct flow *f = flow_begin(self, 1, 0, 64, 0);
	u64 bytes, end;

	shape(self->r, 1, QOS_100);
	for (end = self->r[0].now + 4 * MS; self->r[0].now < end; self->r[0].now += 1000)
		look(self);
	bytes = (u64)f->got * 64;
	EXPECT_GE((64 << 10) + 5000000 * 101 / 100, bytes);
	EXPECT_LE((64 << 10) + 5000000 * 99 / 100, bytes);
}

TEST_F(fns, functions_have_limits_of_their_own)
{
	struct flow *pf = flow_begin(self, 0, 0, 5000, 0), *one = flow_begin(self, 1, 0, 5000, 0);
	struct flow *two = flow_begin(self, 2, 0, 5000, 0);

	shape(self->r, 0, QOS_1);
	shape(self->r, 1, QOS_10);
	shape(self->r, 2, QOS_3);
	measure(self);
	EXPECT_RATE(pf, 100000);
	EXPECT_RATE(one, 1000000);
	EXPECT_RATE(two, 299000);
}

TEST_F(fns, idle_functions_lend_nothing)
{
	struct flow *busy = flow_begin(self, 1, 0, 5000, 0), *idle = flow_begin(self, 2, 0, 5000, 200);

	wdm_device_set_bandwidth(self->r[0].dev, 1000);
	shape(self->r, 1, QOS_100);
	shape(self->r, 2, QOS_1000);
	measure(self);
	EXPECT_EQ(idle->sent, idle->got);
	EXPECT_EQ(idle->mark, idle->got);
	EXPECT_RATE(busy, 100000);
}

TEST_F(fns, queues_of_a_function_share_its_limit)
{
	struct flow *a = flow_begin(self, 1, 0, 5000, 0), *b = flow_begin(self, 1, 2, 5000, 0);

	shape(self->r, 1, QOS_10);
	measure(self);
	EXPECT_RATE(a, 500000);
	EXPECT_RATE(b, 500000);
}

TEST_F(fns, classes_of_queues_have_limits_of_their_own)
{
	struct flow *a = flow_begin(self, 1, 0, 5000, 0), *b = flow_begin(self, 1, 1, 5000, 0);

	shape_class(self->r, 1, 0, QOS_10);
	shape_class(self->r, 1, 1, QOS_1);
	measure(self);
	EXPECT_RATE(a, 1000000);
	EXPECT_RATE(b, 100000);
}

TEST_F(fns, limit_is_a_share_of_the_devices)
{
	struct flow *one = flow_begin(self, 1, 0, 5000, 0), *two = flow_begin(self, 2, 0, 5000, 0);

	wdm_device_set_bandwidth(self->r[0].dev, 200);
	shape(self->r, 1, QOS_100);
	shape(self->r, 2, QOS_1000);
	run(self, 20 * SECOND);
	measure(self);
	EXPECT_RATE(one, 20000);
	EXPECT_RATE(two, 180000);

	wdm_device_set_bandwidth(self->r[0].dev, 400);
	measure(self);
	EXPECT_RATE(one, 40000);

	wdm_device_set_bandwidth(self->r[0].dev, 0);
	two->len = 5 << 20;
	measure(self);
	EXPECT_RATE(two, 100000000);
}

TEST_F(fns, function_without_an_entry_has_no_limit)
{
	struct flow *f = flow_begin(self, 1, 0, 5000, 0);

	shape(self->r, 1, QOS_1);
	shape(self->r, 1, 0);
	run(self, 10 * MS);
	EXPECT_LT(10 * MS / STEP_NS * (IN_FLIGHT / 2), f->got);
}

TEST_F(fns, shapers_that_are_off_limit_nothing)
{
	struct flow *f = flow_begin(self, 1, 0, 5000, 0);
	u32 limited;

	/* What is accepted while they are on keeps its time, 10 ms at most. */
	shape(self->r, 1, QOS_1);
	run(self, 10 * MS);
	limited = f->got;
	EXPECT_GT(30, limited);
	rig_reg_set(&self->r[0], QM_SHAPER_CFG, CONFIG & ~QM_SHAPER_CFG_ENABLE);
	run(self, 20 * MS);
	EXPECT_LT(limited + 10 * MS / STEP_NS * (IN_FLIGHT / 4), f->got);
	rig_reg_set(&self->r[0], QM_SHAPER_CFG, CONFIG);
	measure(self);
	EXPECT_RATE(f, 100000);
}

/* A bucket of 64 KiB. */
TEST_F(fns, burst_is_what_an_idle_function_saves)
{
	struct flow *f;

	shape(self->r, 1, QOS_11);
	f = flow_begin(self, 1, 0, 16 << 10, 6);
	look(self);
	look(self);
	flow_feed(f);
	EXPECT_EQ(4, f->got);
	run(self, SECOND);
	EXPECT_EQ(6, f->got);

	f->burst = 12;
	look(self);
	look(self);
	flow_feed(f);
	EXPECT_EQ(10, f->got);
}

/* 512 bytes at 100 Mbit/s: 41 us. */
TEST_F(fns, request_above_the_burst_waits_until_it_is_paid_for)
{
	struct flow *f;

	shape(self->r, 1, QOS_1);
	f = flow_begin(self, 1, 0, 125000, 2);
	run(self, 9 * MS);
	EXPECT_EQ(0, f->got);
	run(self, 2 * MS);
	EXPECT_EQ(1, f->got);
	run(self, 8 * MS);
	EXPECT_EQ(1, f->got);
	run(self, 2 * MS);
	EXPECT_EQ(2, f->got);
}

TEST_F(fns, writing_an_entry_again_saves_nothing)
{
	struct flow *f = flow_begin(self, 1, 0, 5000, 0);
	u32 i, before;

	shape(self->r, 1, QOS_11);
	run(self, 100 * MS);
	before = f->got;
	for (i = 0; i < 100; i++) {
		shape(self->r, 1, QOS_11);
		run(self, MS);
	}
	EXPECT_GE(1104000 / 8 / 10 / 5 * 102 / 100, f->got - before);
}

/* 512 KiB saved at 100 Gbit/s, of which 64 KiB fit. */
TEST_F(fns, tokens_are_cut_to_the_new_burst)
{
	struct flow *f;

	shape(self->r, 1, QOS_1000);
	run(self, SECOND);
	shape(self->r, 1, QOS_11);
	f = flow_begin(self, 1, 0, 16 << 10, 6);
	look(self);
	look(self);
	flow_feed(f);
	EXPECT_EQ(4, f->got);
}

TEST_F(fns, stop_of_a_queue_doesnt_wait_for_tokens)
{
	struct flow *f = flow_begin(self, 1, 0, 8 << 20, 0);
	u64 before;

	shape(self->r, 1, QOS_1);
	run(self, MS);
	EXPECT_EQ(0, f->got);
	before = self->r[0].now;
	self->r[0].hold_jobs = false;
	EXPECT_EQ(0, rig_queue_stop(f->r, f->q));
	EXPECT_GT(before + 30 * MS, self->r[0].now);
}

TEST_F(fns, flush_of_a_function_doesnt_wait_for_tokens)
{
	struct flow *f = flow_begin(self, 1, 0, 8 << 20, 0);
	u64 before;

	flow_begin(self, 1, 1, 8 << 20, 0);
	shape(self->r, 1, QOS_1);
	run(self, MS);
	before = self->r[0].now;
	self->r[0].hold_jobs = false;
	EXPECT_EQ(0, rig_mailbox(f->r, QM_MB_CMD_FLUSH_QM, 0, 0, 0));
	EXPECT_GT(before + 30 * MS, self->r[0].now);
}

/* 8 MiB take 0.7 s. */
TEST_F(fns, queue_that_goes_takes_its_part_of_the_limit_with_it)
{
	struct flow *f = flow_begin(self, 1, 0, 8 << 20, 4);

	shape(self->r, 1, QOS_1);
	run(self, MS);
	EXPECT_EQ(0, rig_queue_stop(f->r, f->q));
	self->flows = 0;
	f = flow_begin(self, 1, 2, 1000, 1);
	run(self, 20 * MS);
	EXPECT_EQ(1, f->got);
}

TEST_F(fns, reset_of_a_function_keeps_its_entry_and_no_tokens)
{
	struct flow *f;

	shape(self->r, 1, QOS_11);
	run(self, SECOND);
	wdm_function_reset(self->r[0].dev, 1);
	rig_function_up(&self->r[1]);
	EXPECT_EQ(QOS_11, shape_read(self->r, 1, 0));
	EXPECT_EQ(QOS_11, shape_read(self->r, 1, 1));
	f = flow_begin(self, 1, 0, 64 << 10, 0);
	look(self);
	look(self);
	flow_feed(f);
	EXPECT_EQ(0, f->got);
	measure(self);
	EXPECT_RATE(f, 1104000);
}

TEST_F(fns, reset_of_the_pf_clears_all_entries)
{
	shape(self->r, 0, QOS_11);
	shape(self->r, 1, QOS_11);
	wdm_function_reset(self->r[0].dev, WDM_PF);
	EXPECT_EQ(0, shape_read(self->r, 0, 0));
	EXPECT_EQ(0, shape_read(self->r, 1, 1));
}

TEST(small_requests_of_a_limited_function_leave_jobs_for_others)
{
	struct wdm_attr attr = { .functions = VFS + 1, .per_fn_max = SHARE, .jobs = 32 };
	static FIXTURE_DATA(fns) world;
	struct flow *other;
	u32 q, fn;

	begin(world.r, &attr);
	shape(world.r, 1, QOS_1);
	for (q = 0; q < SHARE; q++)
		flow_begin(&world, 1, q, 64, 0);
	run(&world, 100 * MS);
	other = flow_begin(&world, 2, 0, 5000, 16);
	look(&world);
	look(&world);
	flow_feed(other);
	EXPECT_LE(8, other->got);
	for (fn = VFS + 1; fn-- > 0;)
		rig_free(&world.r[fn]);
}

TEST_F(fns, invalid_entries_are_refused_and_change_nothing)
{
	static const u64 bad[] = {
		QOS_11 | 1ull << 24, QOS_11 | 1ull << 63, QOS_11 & ~0xffull, QOS_11 & ~(0xfull << 15)
	};
	struct wdm_refused last;
	u32 i;

	shape(self->r, 1, QOS_1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		shape_class(self->r, 1, 1, bad[i]);
		EXPECT_EQ(i + 1, rig_refused(self->r, WDM_REFUSE_SHAPER));
		wdm_last_refusal(self->r[0].dev, &last);
		EXPECT_EQ(1, last.fn);
		EXPECT_EQ(bad[i], last.value);
	}
	EXPECT_EQ(QOS_1, shape_read(self->r, 1, 0));
	EXPECT_EQ(QOS_1, shape_read(self->r, 1, 1));
}

TEST_F(fns, reserved_bits_of_the_configuration_are_refused)
{
	shape(self->r, 1, QOS_1);
	rig_reg_set(&self->r[0], QM_SHAPER_CFG, CONFIG | 1u << 20);
	rig_vft(&self->r[0], QM_VFT_TYPE_SHAPER, 1, QOS_11);
	EXPECT_EQ(1, rig_refused(self->r, WDM_REFUSE_SHAPER));
	EXPECT_EQ(QOS_1, shape_read(self->r, 1, 0));
}

TEST_F(fns, extreme_entries_are_served)
{
	/* 39 bytes a second; and 15 * 2^31 bytes at once. */
	static const u64 entries[] = { 1 | 15ull << 11 | 1 << 15, 0xff | 7 << 8 | 15ull << 15 | 31ull << 19 };
	struct flow *f = flow_begin(self, 1, 0, 8 << 20, 0);
	u32 got;

	shape(self->r, 1, entries[1]);
	run(self, MS);
	got = f->got;
	EXPECT_LT(IN_FLIGHT, got);
	wdm_device_set_bandwidth(self->r[0].dev, 1);
	shape(self->r, 1, entries[0]);
	run(self, SECOND);
	EXPECT_GE(got + 2 * IN_FLIGHT, f->got);
	EXPECT_EQ(0, rig_refused(self->r, WDM_REFUSE_SHAPER));
	self->r[0].hold_jobs = false;
	EXPECT_EQ(0, rig_queue_stop(f->r, f->q));
}

TEST_F(fns, unknown_function_or_class_is_refused)
{
	shape_class(self->r, VFS + 1, 0, QOS_1);
	shape_class(self->r, 0, 2, QOS_1);
	EXPECT_EQ(2, rig_refused(self->r, WDM_REFUSE_VFT));
}

TEST_HARNESS_MAIN
