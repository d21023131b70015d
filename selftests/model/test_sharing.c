// SPDX-License-Identifier: Apache-2.0
/* What queues share: time, bandwidth, priority, jobs. */
#include "kselftest_harness.h"
#include "queue_dev.h"

TEST_F(dev, completions_wait_for_latency_and_bandwidth)
{
	struct rig *r = &self->r;

	wdm_device_set_latency(r->dev, 1000000);
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_EQ(r->now + 1000000, r->look.next_ns == WDM_NEVER ? r->now + 1000000 : r->look.next_ns);
	rig_run(r, 900000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_run(r, 200000);
	EXPECT_EQ(0, rig_pop(r, 0));

	wdm_device_set_latency(r->dev, 0);
	wdm_device_set_bandwidth(r->dev, 1);	/* 64 bytes take 512 us */
	rig_push(r, 0, &self->sqe);
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	rig_run(r, 500000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_run(r, 100000);
	EXPECT_EQ(1, rig_pop(r, 0));
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_run(r, 500000);
	EXPECT_EQ(2, rig_pop(r, 0));
}

/* A queue's reservation of bandwidth ends with the queue. */
TEST_F(dev, a_queue_that_goes_takes_its_bandwidth_with_it)
{
	struct rig *r = &self->r;
	struct zip_sqe large;
	u32 i;

	rig_sqe(&large, ZIP_REQ_ZLIB, RIG_USER_BASE, 1 << 20, RIG_USER_BASE + (4 << 20), 2 << 20);
	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	wdm_device_set_bandwidth(r->dev, 1);	/* 1 MiB takes 8 s */
	for (i = 0; i < 50; i++)
		rig_push(r, 1, &large);
	rig_ring_sq(r, 1);
	rig_turn(r);
	EXPECT_EQ(0, rig_queue_stop(r, 1));
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	rig_run(r, 20000000);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, bandwidth_is_not_handed_out_far_ahead)
{
	struct rig *r = &self->r;
	struct wdm_job *job;
	u32 i, n = 0;

	wdm_device_set_bandwidth(r->dev, 1);	/* 64 bytes take 512 us */
	r->hold_jobs = true;
	for (i = 0; i < 200; i++)
		rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	while ((job = wdm_job_next(r->dev)))
		n++;
	EXPECT_GE(20, n);
	EXPECT_LT(10, n);
	wdm_poll(r->dev, &r->look);
	EXPECT_FALSE(r->look.jobs);
	ASSERT_NE(WDM_NEVER, r->look.next_ns);
	r->now = r->look.next_ns;
	wdm_poll(r->dev, &r->look);
	EXPECT_TRUE(r->look.jobs);
}

TEST_F(dev, stop_doesnt_wait_for_latency)
{
	struct rig *r = &self->r;
	u64 before = r->now;

	wdm_device_set_latency(r->dev, 10000000000ull);
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_GT(before + 30000000, r->now);
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, priority_is_a_weight)
{
	struct rig_queue_opts high = { .prio = 3 };
	struct rig *r = &self->r;
	u32 i, share[3] = { 0 };
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	ASSERT_EQ(0, rig_queue_start(r, 2, &high));
	r->hold_jobs = true;
	for (i = 0; i < 1000; i++) {
		rig_push(r, 1, &self->sqe);
		rig_push(r, 2, &self->sqe);
	}
	rig_ring_sq(r, 1);
	rig_ring_sq(r, 2);
	for (i = 0; i < 1000; i++) {
		job = wdm_job_next(r->dev);
		ASSERT_NE(NULL, job);
		share[job->queue]++;
		wdm_job_run(job, r->scratch);
		wdm_job_done(r->dev, job);
	}
	EXPECT_LE(190, share[1]);
	EXPECT_GE(210, share[1]);
}

TEST_F(dev, an_idle_queue_saves_no_credit)
{
	struct rig *r = &self->r;
	u32 i, first = 0;
	struct wdm_job *job;

	ASSERT_EQ(0, rig_queue_start(r, 1, NULL));
	for (i = 0; i < 500; i++) {
		ASSERT_TRUE(one(r, 0, &self->sqe, i));
	}
	r->hold_jobs = true;
	for (i = 0; i < 100; i++) {
		rig_push(r, 0, &self->sqe);
		rig_push(r, 1, &self->sqe);
	}
	rig_ring_sq(r, 0);
	rig_ring_sq(r, 1);
	for (i = 0; i < 20; i++) {
		job = wdm_job_next(r->dev);
		first += job->queue == 1;
		wdm_job_run(job, r->scratch);
		wdm_job_done(r->dev, job);
	}
	EXPECT_LE(9, first);
	EXPECT_GE(11, first);
}

TEST_F(dev, one_queue_cant_take_every_job)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .jobs = 8 };
	struct rig r;
	u32 i;

	rig_init(&r, &attr);
	ASSERT_EQ(0, rig_queue_start(&r, 0, NULL));
	ASSERT_EQ(0, rig_queue_start(&r, 1, NULL));
	r.hold_jobs = true;
	for (i = 0; i < 20; i++)
		rig_push(&r, 0, &self->sqe);
	rig_ring_sq(&r, 0);
	for (i = 0; wdm_job_next(r.dev); i++)
		;
	EXPECT_GT(8, i);
	rig_push(&r, 1, &self->sqe);
	rig_ring_sq(&r, 1);
	EXPECT_NE(NULL, wdm_job_next(r.dev));
	rig_free(&r);
}

TEST_F(dev, several_queues_cant_take_every_job)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .jobs = 16 };
	struct wdm_job *job;
	struct rig r;
	u32 i, q;

	rig_init(&r, &attr);
	r.hold_jobs = true;
	for (q = 0; q < 4; q++) {
		ASSERT_EQ(0, rig_queue_start(&r, q, NULL));
		for (i = 0; q < 3 && i < 20; i++)
			rig_push(&r, q, &self->sqe);
		rig_ring_sq(&r, q);
	}
	for (i = 0; wdm_job_next(r.dev); i++)
		;
	EXPECT_LE(3, i);
	EXPECT_GT(16, i);
	rig_push(&r, 3, &self->sqe);
	rig_ring_sq(&r, 3);
	job = wdm_job_next(r.dev);
	ASSERT_NE(NULL, job);
	EXPECT_EQ(3, job->queue);
	rig_free(&r);
}

static bool hold_all(void *host, u32 fn, u32 pasid)
{
	(void)host;
	return fn == WDM_PF && pasid == RIG_PASID;
}

TEST_F(dev, requests_that_the_host_holds_let_others_begin)
{
	struct rig_queue_opts free_one = { .no_pasid = true };
	struct rig *r = &self->r;
	u64 at = rig_dma_alloc(r, 8192);
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 1, &free_one));
	r->env.hold = hold_all;
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	rig_sqe(&sqe, ZIP_REQ_ZLIB, at, 64, at + 4096, 4096);
	EXPECT_TRUE(rig_do(r, 1, &sqe));
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(1, wdm_device_stats(r->dev)->descriptors);
	r->env.hold = NULL;
	rig_run(r, RIG_STEP_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
}

/* The stop answers the requests that haven't begun, as with any queue. */
TEST_F(dev, a_queue_that_is_held_stops)
{
	struct rig *r = &self->r;

	r->env.hold = hold_all;
	rig_push(r, 0, &self->sqe);
	rig_ring_sq(r, 0);
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(0, wdm_device_stats(r->dev)->descriptors);
}

TEST_HARNESS_MAIN
