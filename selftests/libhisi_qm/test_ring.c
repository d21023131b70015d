// SPDX-License-Identifier: Apache-2.0
/* The rings alone, against a minimal fake device: order, room, doorbells, invalid completions. */
#include <endian.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "kselftest_harness.h"
#include "qp_ring.h"
#include "section/ctx.h"
#include "turn.h"

#define DEPTH	256
#define SIZE	64

struct sqe {
	uint32_t tag;
	uint32_t result;
	unsigned char rest[SIZE - 8];
};

static struct sqe sq[DEPTH];
static struct qm_cqe cq[DEPTH];
static _Atomic uint64_t doorbell;
static _Atomic uint32_t tx_stop, rx_stop;
static _Atomic uint8_t busy[DEPTH];
static struct qp_ring q;
static struct wd_ring *const ring = &q.ring;

/* The device's state. */
static unsigned int dev_cq_tail;
static unsigned int dev_phase = 1;

static void dev_complete_index(unsigned int index)
{
	struct qm_cqe *cqe = &cq[dev_cq_tail];

	cqe->sq_head = htole16((uint16_t)index);
	atomic_store_explicit((_Atomic uint16_t *)&cqe->w7, htole16((uint16_t)dev_phase), memory_order_release);
	if (++dev_cq_tail == DEPTH) {
		dev_cq_tail = 0;
		dev_phase ^= 1;
	}
}

static void dev_complete(unsigned int index)
{
	sq[index].result = sq[index].tag + 1000;
	dev_complete_index(index);
}

static unsigned int polls;
static uint32_t renewed;

/* A device whose entries are valid in advance gives those that were taken the next phase, at every second call. */
int poll(struct pollfd *pfd, nfds_t n, int timeout)
{
	if (ring->filled && polls % 2)
		for (; renewed != ring->taken; renewed++)
			cq[renewed % DEPTH].w7 = htole16(renewed / DEPTH % 2 ? QM_CQE_PHASE : 0);
	polls++;
	return 0;
}

static void set_up(bool sleeps)
{
	static struct wd_ctx ctx = { .file.fd = -1 };

	memset(&q, 0, sizeof(q));
	memset(cq, 0, sizeof(cq));
	memset((void *)busy, 0, sizeof(busy));
	dev_cq_tail = 0;
	dev_phase = 1;
	ring->sq = (unsigned char *)sq;
	ring->cq = cq;
	ring->doorbell = &doorbell;
	ring->tx_stop = &tx_stop;
	ring->rx_stop = &rx_stop;
	q.busy = busy;
	ring->filling = &q.filling;
	ring->ctx = &ctx;
	ring->fd = -1;
	ring->sqe_size = SIZE;
	ring->sq_depth = DEPTH;
	ring->cq_depth = DEPTH;
	ring->qn = 5;
	ring->sq_db = qm_db_value(ring->qn, QM_DB_CMD_SQ, 0, 0);
	wd_ring_limits(ring, sleeps);
	ring->cq_pos = WD_RING_PHASE;
	polls = 0;
}

static uint32_t send(uint32_t tag, uint32_t n)
{
	uint32_t room = qp_ring_room(&q, n);
	uint32_t i;

	for (i = 0; i < room; i++)
		((struct sqe *)qp_ring_sqe(&q, i))->tag = tag + i;
	if (room)
		qp_ring_submit(&q, room);
	return room;
}

static int take(struct sqe *sqe)
{
	int ret = qp_ring_take(&q, sqe);

	wd_ring_end(ring);
	return ret;
}

static unsigned int db_cmd(void)
{
	return doorbell >> QM_DB_CMD_SHIFT & 0xf;
}

static unsigned int db_index(void)
{
	return doorbell >> QM_DB_INDEX_SHIFT & 0xffff;
}

static unsigned int db_flag(void)
{
	return doorbell >> QM_DB_PRIO_SHIFT;
}

TEST(a_descriptor_goes_out_and_comes_back)
{
	struct sqe sqe;

	set_up(false);
	EXPECT_EQ(0, take(&sqe));
	EXPECT_EQ(1, send(7, 1));
	EXPECT_EQ(QM_DB_CMD_SQ, db_cmd());
	EXPECT_EQ(5, doorbell & QM_DB_QN_MASK);
	EXPECT_EQ(1, db_index());
	EXPECT_EQ(0, take(&sqe));
	EXPECT_EQ(1, wd_ring_in_flight(ring));
	dev_complete(0);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1007, sqe.result);
	EXPECT_EQ(0, take(&sqe));
	EXPECT_EQ(0, wd_ring_in_flight(ring));
}

TEST(a_burst_rings_once_with_the_last_tail)
{
	set_up(false);
	EXPECT_EQ(5, send(0, 5));
	EXPECT_EQ(5, db_index());
}

TEST(one_slot_stays_empty)
{
	set_up(false);
	EXPECT_EQ(DEPTH - 1, send(0, DEPTH));
	EXPECT_EQ(0, send(0, 1));
}

TEST(where_somebody_may_sleep_a_batch_and_a_row_stay_empty)
{
	set_up(true);
	EXPECT_EQ(DEPTH - 2 * (DEPTH / 4), send(0, DEPTH));
	EXPECT_EQ(0, send(0, 1));
}

/* The fullest ring: unacknowledged completions, a row that is being taken, and as many more as may be sent. */
TEST(the_limit_alone_keeps_the_completion_ring_from_overflowing)
{
	uint16_t depths[] = { 256, 1024, 4096 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		set_up(true);
		ring->sq_depth = ring->cq_depth = depths[i];
		wd_ring_limits(ring, true);
		EXPECT_LE(ring->batch - 1 + WD_RING_ROW + ring->limit, ring->cq_depth - 1);
	}
}

TEST(the_rings_wrap_many_times)
{
	struct sqe sqe;
	uint32_t i;

	set_up(false);
	for (i = 0; i < 20 * DEPTH; i++) {
		ASSERT_EQ(1, send(i, 1));
		dev_complete(i % DEPTH);
		ASSERT_EQ(1, take(&sqe));
		ASSERT_EQ(i + 1000, sqe.result);
	}
}

TEST(the_free_running_counters_wrap)
{
	struct sqe sqe;
	uint32_t i;

	set_up(false);
	ring->produced = ring->consumed = ring->acked = ring->taken = ring->polled = (uint32_t)-5;
	for (i = 0; i < 4 * DEPTH; i++) {
		ASSERT_EQ(1, send(i, 1));
		dev_complete(i % DEPTH);
		ASSERT_EQ(1, take(&sqe));
	}
	EXPECT_EQ(DEPTH - 1, send(0, DEPTH) + (ring->taken - ring->acked));
}

TEST(completions_may_come_out_of_order)
{
	struct sqe sqe;

	set_up(false);
	send(0, 3);
	dev_complete(2);
	dev_complete(0);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1002, sqe.result);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1000, sqe.result);
	EXPECT_EQ(0, take(&sqe));
	dev_complete(1);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1001, sqe.result);
}

TEST(a_slot_is_not_reused_before_its_own_completion)
{
	struct sqe sqe;
	unsigned int i;

	set_up(false);
	EXPECT_EQ(DEPTH - 1, send(0, DEPTH));
	for (i = 1; i < DEPTH - 1; i++) {
		dev_complete(i);
		ASSERT_EQ(1, take(&sqe));
	}
	/* The slot before the first one, which is still in flight, is free. */
	EXPECT_EQ(1, send(100, 4));
	EXPECT_EQ(0, send(100, 4));
	dev_complete(0);
	ASSERT_EQ(1, take(&sqe));
	EXPECT_EQ(1000, sqe.result);
	EXPECT_EQ(4, send(100, 4));
}

TEST(a_second_completion_is_dropped)
{
	struct sqe sqe;

	set_up(false);
	send(0, 2);
	dev_complete(0);
	dev_complete_index(0);
	dev_complete(1);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1001, sqe.result);
	EXPECT_EQ(0, take(&sqe));
}

TEST(a_second_completion_after_the_last_is_no_reason_to_stay_awake)
{
	struct sqe sqe;

	set_up(true);
	send(0, 1);
	dev_complete(0);
	dev_complete_index(0);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_FALSE(wd_ring_ready(ring));
	wd_ring_arm(ring);
	EXPECT_EQ(2, db_index());
	EXPECT_FALSE(wd_ring_ready(ring));
	send(1, 1);
	dev_complete(1);
	EXPECT_TRUE(wd_ring_ready(ring));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1001, sqe.result);
}

/* A software device looks at the ring if it suspects a lost doorbell. */
TEST(a_completion_before_its_descriptor_was_counted_is_kept)
{
	struct sqe sqe;

	set_up(true);
	send(0, 1);
	dev_complete(0);
	EXPECT_EQ(1, take(&sqe));
	qp_ring_fill_begin(&q);
	((struct sqe *)qp_ring_sqe(&q, 0))->tag = 1;
	dev_complete(1);
	/* A thread about to sleep finds nothing in flight. */
	wd_ring_arm(ring);
	EXPECT_EQ(0, take(&sqe));
	qp_ring_submit(&q, 1);
	qp_ring_fill_end(&q);
	EXPECT_TRUE(wd_ring_ready(ring));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1001, sqe.result);
}

TEST(a_completion_among_others_before_its_descriptor_was_counted_is_kept)
{
	struct sqe sqe;

	set_up(true);
	send(0, 1);
	qp_ring_fill_begin(&q);
	((struct sqe *)qp_ring_sqe(&q, 0))->tag = 1;
	/* Out of order. */
	dev_complete(1);
	EXPECT_EQ(0, take(&sqe));
	qp_ring_submit(&q, 1);
	qp_ring_fill_end(&q);
	dev_complete(0);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1001, sqe.result);
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1000, sqe.result);
}

TEST(what_was_never_sent_is_not_believed)
{
	struct sqe sqe;
	int i;

	set_up(false);
	for (i = 0; i < DEPTH; i++)
		cq[i].w7 = htole16(1);
	EXPECT_EQ(0, take(&sqe));
	EXPECT_EQ(1, send(0, 1));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(0, take(&sqe));
}

TEST(nonsense_ends_the_ring)
{
	struct sqe sqe;

	set_up(false);
	send(0, 2);
	dev_complete_index(DEPTH);
	EXPECT_EQ(-EIO, take(&sqe));
	dev_complete(0);
	EXPECT_EQ(-EIO, take(&sqe));
}

TEST(completions_are_acknowledged_in_batches)
{
	struct sqe sqe;
	uint32_t i;

	set_up(false);
	for (i = 0; i < ring->batch; i++) {
		send(i, 1);
		dev_complete(i);
		EXPECT_EQ(QM_DB_CMD_SQ, db_cmd());
		take(&sqe);
	}
	EXPECT_EQ(QM_DB_CMD_CQ, db_cmd());
	EXPECT_EQ(ring->batch, db_index());
	EXPECT_EQ(0, db_flag());
}

/* The device counts entries as used until the doorbell returns them. */
TEST(the_completion_ring_never_overflows)
{
	struct sqe sqe;

	set_up(false);
	send(0, 2);
	dev_complete(0);
	dev_complete(1);
	take(&sqe);
	take(&sqe);
	EXPECT_EQ(0, ring->acked);
	EXPECT_EQ(DEPTH - 3, send(0, DEPTH));
	EXPECT_EQ(0, take(&sqe));
	EXPECT_EQ(2, ring->acked);
	EXPECT_EQ(2, send(0, DEPTH));
}

TEST(arming_asks_for_an_event_until_disarmed)
{
	struct sqe sqe;
	uint32_t i;

	set_up(true);
	send(0, 1);
	wd_ring_arm(ring);
	EXPECT_EQ(QM_DB_CMD_CQ, db_cmd());
	EXPECT_EQ(QM_DB_C_FLAG, db_flag());
	EXPECT_EQ(0, db_index());
	EXPECT_FALSE(wd_ring_ready(ring));
	dev_complete(0);
	EXPECT_TRUE(wd_ring_ready(ring));
	take(&sqe);
	for (i = 1; i < ring->batch; i++) {
		send(i, 1);
		dev_complete(i);
		take(&sqe);
	}
	EXPECT_EQ(QM_DB_CMD_CQ, db_cmd());
	EXPECT_EQ(QM_DB_C_FLAG, db_flag());
	wd_ring_disarm(ring);
	wd_ring_ack(ring);
	EXPECT_EQ(0, db_flag());
}

static void behind_note(uint32_t *most)
{
	if (ring->produced - ring->polled > *most)
		*most = ring->produced - ring->polled;
}

/*
 * The most requests by which the kernel's head is behind the last one that was submitted, where so many are in flight
 * all the time; or, after so many, as many as there is room for at once.
 */
static uint32_t head_behind(uint32_t in_flight, uint32_t until, bool burst)
{
	uint32_t most = 0, i;
	struct sqe sqe;

	for (i = 0; i < until; i++) {
		if (send(i, 1) != 1)
			return UINT32_MAX;
		behind_note(&most);
		dev_complete((ring->produced - 1) % DEPTH);
		if (ring->produced - ring->taken >= in_flight && take(&sqe) != 1)
			return UINT32_MAX;
	}
	for (; burst && send(i, 1); i++) {
		behind_note(&most);
		dev_complete((ring->produced - 1) % DEPTH);
	}
	while (take(&sqe) == 1)
		;
	return most;
}

/* A head that is a ring behind sees nothing any more. A poll is a system call: there is one in most of a ring. */
TEST(the_kernel_looks_before_its_head_is_lapped)
{
	set_up(true);
	EXPECT_GE(DEPTH, head_behind(1, 100 * DEPTH, false));
	EXPECT_LE(100, polls);
	EXPECT_GE(100 * DEPTH / (DEPTH - ring->batch) + 1, polls);
	set_up(true);
	EXPECT_GE(DEPTH, head_behind(ring->batch, 100 * DEPTH, false));
	EXPECT_GE(DEPTH, head_behind(ring->limit, 100 * DEPTH, false));
	EXPECT_GE(200 * DEPTH / ring->batch, polls);
}

TEST(the_kernel_looks_before_a_burst_could_lap_its_head)
{
	uint32_t i;

	set_up(true);
	for (i = 0; i < 10 * DEPTH; i++) {
		ASSERT_GE(DEPTH, head_behind(1, i, true)) TH_LOG("after %u", i);
	}
}

/* Submissions overwrite the doorbell from which such a device learns how far the entries were read. */
TEST(a_look_that_renews_nothing_is_repeated)
{
	struct sqe sqe;
	uint32_t i;

	set_up(true);
	ring->filled = true;
	for (i = 0; i < DEPTH; i++)
		cq[i] = (struct qm_cqe){ .sq_head = htole16((uint16_t)i), .w7 = htole16(QM_CQE_PHASE) };
	renewed = 0;
	for (i = 0; i < 20 * DEPTH; i++) {
		ASSERT_EQ(1, send(i, 1));
		ASSERT_EQ(1, take(&sqe)) TH_LOG("request %u", i);
	}
	EXPECT_LE(20, polls);
	EXPECT_GE(2 * (20 * DEPTH / (DEPTH - ring->batch) + 1), polls);
}

/* Otherwise the event would be lost with the completion that another thread has taken. */
TEST(who_sleeps_keeps_the_event)
{
	struct sqe sqe;
	uint32_t i;

	set_up(true);
	wd_ring_arm(ring);
	for (i = 0; i < DEPTH - ring->batch - 1; i++) {
		send(i, 1);
		dev_complete(i % DEPTH);
		take(&sqe);
	}
	EXPECT_EQ(0, polls);
	for (; i < 10 * DEPTH; i++) {
		send(i, 1);
		dev_complete(i % DEPTH);
		take(&sqe);
		ASSERT_GE(DEPTH, ring->produced - ring->polled);
	}
	wd_ring_disarm(ring);
	for (; i < 20 * DEPTH; i++) {
		send(i, 1);
		dev_complete(i % DEPTH);
		take(&sqe);
		ASSERT_GE(DEPTH, ring->produced - ring->polled);
	}
}

TEST(a_stopped_queue_takes_nothing)
{
	set_up(false);
	tx_stop = 1;
	doorbell = 0;
	EXPECT_EQ(2, qp_ring_room(&q, 2));
	EXPECT_FALSE(qp_ring_submit(&q, 2));
	EXPECT_EQ(0, doorbell);
	EXPECT_EQ(0, wd_ring_in_flight(ring));
}

/* A mediated ring, whose device has a ring of its own. */
TEST(a_look_calls_the_kernel_when_the_device_has_completed_something)
{
	static const _Atomic uint32_t always = 1;
	static struct qm_cqe device_cq[DEPTH];
	unsigned int i;

	set_up(false);
	ring->mediated = true;
	ring->stop = ring->rx_stop;
	ring->rx_stop = &always;
	ring->device_cq = device_cq;
	EXPECT_FALSE(wd_ring_rx_stopped(ring));
	/* The first look can't know. */
	EXPECT_TRUE(wd_ring_look(ring));
	for (i = 0; i < 5 * DEPTH; i++) {
		ASSERT_FALSE(wd_ring_look(ring)) TH_LOG("entry %u", i);
		device_cq[i % DEPTH].w7 = htole16(i / DEPTH & 1 ? 0 : QM_CQE_PHASE);
		ASSERT_TRUE(wd_ring_look(ring)) TH_LOG("entry %u", i);
	}
	rx_stop = 1;
	EXPECT_TRUE(wd_ring_look(ring));
	EXPECT_TRUE(wd_ring_rx_stopped(ring));
}

TEST(what_had_finished_before_the_stop_is_delivered)
{
	struct sqe sqe;

	set_up(false);
	send(0, 3);
	dev_complete(0);
	dev_complete(1);
	tx_stop = 1;
	rx_stop = 1;
	EXPECT_TRUE(wd_ring_ready(ring));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(1, take(&sqe));
	EXPECT_EQ(-EIO, take(&sqe));
	EXPECT_TRUE(wd_ring_ready(ring));
}

TEST(an_idle_stopped_queue_says_so)
{
	struct sqe sqe;

	set_up(false);
	rx_stop = 1;
	EXPECT_EQ(-EIO, take(&sqe));
}

/* --- with the device in its own thread --- */

static atomic_bool finish;
static _Atomic uint32_t failures;

static void *device(void *arg)
{
	unsigned int head = 0;

	(void)arg;
	while (!finish) {
		/* As a device must: a CQ doorbell may have overwritten an SQ doorbell. */
		uint64_t value = atomic_load_explicit(&doorbell, memory_order_acquire);
		unsigned int tail;

		if ((value >> QM_DB_CMD_SHIFT & 0xf) != QM_DB_CMD_SQ) {
			turn_over();
			continue;
		}
		tail = value >> QM_DB_INDEX_SHIFT & 0xffff;
		if (head == tail)
			turn_over();
		for (; head != tail; head = (head + 1) % DEPTH)
			dev_complete(head);
	}
	return NULL;
}

/* Rings again for overwritten doorbells: this device has no other way to notice submissions. */
static void ring_again(void)
{
	if (wd_ring_in_flight(ring))
		wd_ring_publish(&doorbell, qm_db_value(ring->qn, QM_DB_CMD_SQ, q.tail, 0));
}

TEST(a_device_in_another_thread_serves_it)
{
	enum { JOBS = 50000 };
	pthread_t thread;
	uint32_t sent = 0, got = 0;
	struct sqe sqe;
	int ret;

	set_up(false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, device, NULL));
	while (got < JOBS) {
		sent += send(sent, sent < JOBS ? JOBS - sent : 0);
		while ((ret = qp_ring_take(&q, &sqe)) > 0) {
			if (sqe.result != got + 1000)
				failures++;
			got++;
		}
		wd_ring_end(ring);
		ASSERT_EQ(0, ret);
		ring_again();
		turn_over();
	}
	finish = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, failures);
	EXPECT_EQ(JOBS, sent);
}

static void *drain(void *arg)
{
	uint32_t jobs = *(uint32_t *)arg;
	uint32_t got = 0;
	struct sqe sqe;

	while (got < jobs) {
		while (qp_ring_take(&q, &sqe) > 0) {
			if (sqe.result != got + 1000)
				failures++;
			got++;
		}
		wd_ring_end(ring);
		turn_over();
	}
	return NULL;
}

TEST(sender_and_drainer_need_no_common_lock)
{
	uint32_t jobs = 50000, sent = 0;
	pthread_t dev, drainer;

	set_up(false);
	ASSERT_EQ(0, pthread_create(&dev, NULL, device, NULL));
	ASSERT_EQ(0, pthread_create(&drainer, NULL, drain, &jobs));
	while (sent < jobs || wd_ring_in_flight(ring)) {
		uint32_t n = sent < jobs ? send(sent, jobs - sent) : 0;

		sent += n;
		if (!n) {
			ring_again();
			turn_over();
		}
	}
	pthread_join(drainer, NULL);
	finish = true;
	pthread_join(dev, NULL);
	EXPECT_EQ(0, failures);
}

TEST_HARNESS_MAIN
