// SPDX-License-Identifier: Apache-2.0
/* Injected faults: each has its effect, as often as ordered, and no other. */
#include "kselftest_harness.h"
#include "rig.h"

#define DST		(RIG_USER_BASE + 4096)
#define REORDER_NS	100000

FIXTURE(dev) {
	struct rig r;
	struct zip_sqe sqe;
};

FIXTURE_SETUP(dev)
{
	rig_init(&self->r, NULL);
	rig_sqe(&self->sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, DST, 4096);
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, 1, NULL));
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

static int fault(struct rig *r, enum wdm_fault kind, u32 next, u32 one_in, u64 value)
{
	return wdm_fault_set(r->dev, kind, &(struct wdm_fault_rule){
		.next = next, .one_in = one_in, .queue = WDM_FAULT_ANY, .value = value });
}

static u64 count(struct rig *r, enum wdm_fault kind)
{
	return wdm_fault_counts(r->dev)[kind];
}

/* Status of one request, or -1 when it didn't complete. */
static int one(struct rig *r, u32 q, const struct zip_sqe *sqe)
{
	struct zip_sqe copy = *sqe;

	return rig_do(r, q, &copy) ? (int)(copy.dw3 & ZIP_DW3_STATUS_MASK) : -1;
}

static void submit(struct rig *r, u32 q, const struct zip_sqe *sqe, u32 n)
{
	while (n--)
		rig_push(r, q, sqe);
	rig_ring_sq(r, q);
}

TEST_F(dev, a_device_has_no_faults_of_its_own)
{
	u32 kind, i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(ZIP_ST_OK, one(&self->r, 0, &self->sqe));
	}
	for (kind = 0; kind < WDM_FAULT_NR; kind++)
		EXPECT_EQ(0, count(&self->r, kind));
}

TEST_F(dev, the_next_n_fail_with_the_status_and_touch_nothing)
{
	struct rig *r = &self->r;
	unsigned char *dst = rig_user(r, DST);

	ASSERT_EQ(0, fault(r, WDM_FAULT_FAIL, 2, 0, ZIP_ST_NOSPACE));
	EXPECT_EQ(ZIP_ST_NOSPACE, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_NOSPACE, one(r, 1, &self->sqe));
	EXPECT_EQ(0, dst[0]);
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_NE(0, dst[0]);
	EXPECT_EQ(2, count(r, WDM_FAULT_FAIL));
}

TEST_F(dev, a_failure_without_a_status_is_an_abort)
{
	ASSERT_EQ(0, fault(&self->r, WDM_FAULT_FAIL, 1, 0, 0));
	EXPECT_EQ(ZIP_ST_ABORTED, one(&self->r, 0, &self->sqe));
}

TEST_F(dev, one_in_n_is_chance_and_repeats_with_its_seed)
{
	struct rig *r = &self->r;
	int status[2][400];
	u32 round, i;

	ASSERT_EQ(0, fault(r, WDM_FAULT_FAIL, 0, 10, 0));
	for (round = 0; round < 2; round++) {
		wdm_fault_seed(r->dev, 42);
		for (i = 0; i < 400; i++)
			status[round][i] = one(r, 0, &self->sqe);
		EXPECT_LT(10, count(r, WDM_FAULT_FAIL));
		EXPECT_GT(100, count(r, WDM_FAULT_FAIL));
	}
	EXPECT_EQ(0, memcmp(status[0], status[1], sizeof(status[0])));
}

TEST_F(dev, a_burst_is_so_many_in_a_row)
{
	struct wdm_fault_rule rule = { .one_in = 20, .burst = 3, .queue = WDM_FAULT_ANY };
	struct rig *r = &self->r;
	u32 row = 0, bursts = 0, i;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	wdm_fault_seed(r->dev, 3);
	for (i = 0; i < 400; i++) {
		if (one(r, 0, &self->sqe) == ZIP_ST_ABORTED) {
			row++;
			continue;
		}
		/* One may begin where another ends. */
		EXPECT_EQ(0, row % 3);
		bursts += row / 3;
		row = 0;
	}
	EXPECT_LT(5, bursts);
	EXPECT_GT(60, bursts);
}

TEST_F(dev, a_fault_of_each_time_comes_with_that_distance)
{
	struct wdm_fault_rule rule = { .every_ns = 50000000, .burst = 2, .queue = WDM_FAULT_ANY };
	struct rig *r = &self->r;
	u64 begin, last = 0;
	u32 failed = 0;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	for (begin = r->now; r->now - begin < 500000000;) {
		if (one(r, 0, &self->sqe) == ZIP_ST_ABORTED && !(failed++ & 1)) {
			EXPECT_TRUE(!last || r->now - last >= rule.every_ns);
			last = r->now;
		}
		rig_run(r, 1000000);
	}
	EXPECT_LE(18, failed);
	EXPECT_GE(20, failed);
	EXPECT_EQ(failed, count(r, WDM_FAULT_FAIL));
}

TEST_F(dev, a_fault_of_each_time_waits_for_the_next_request)
{
	struct wdm_fault_rule rule = { .next = 1, .every_ns = 1000000000, .queue = WDM_FAULT_ANY };
	struct rig *r = &self->r;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	rig_run(r, 1000000000);
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	/* A new seed begins anew. */
	wdm_fault_seed(r->dev, 1);
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
}

TEST_F(dev, a_fault_of_one_queue_leaves_the_others_alone)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &(struct wdm_fault_rule){ .one_in = 1, .queue = 1 }));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 1, &self->sqe));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_F(dev, a_fault_ends_when_its_rule_is_empty)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_FAIL, 0, 1, 0));
	EXPECT_EQ(ZIP_ST_ABORTED, one(r, 0, &self->sqe));
	ASSERT_EQ(0, fault(r, WDM_FAULT_FAIL, 0, 0, 0));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

TEST_F(dev, a_delayed_one_holds_up_what_follows_it)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DELAY, 1, 0, 5000000));
	submit(r, 0, &self->sqe, 2);
	rig_run(r, 4000000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_NE(WDM_NEVER, r->look.next_ns);
	rig_run(r, 1100000);
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(1, rig_pop(r, 0));
}

TEST_F(dev, a_reordered_one_is_overtaken)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_REORDER, 1, 0, 0));
	submit(r, 0, &self->sqe, 3);
	rig_turn(r);
	EXPECT_EQ(1, rig_pop(r, 0));
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(2, rig_pop(r, 0));
	EXPECT_EQ(1, count(r, WDM_FAULT_REORDER));
	EXPECT_EQ(3, wdm_device_stats(r->dev)->completions);
}

TEST_F(dev, a_reordered_one_without_company_comes_after_a_while)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_REORDER, 1, 0, 0));
	submit(r, 0, &self->sqe, 1);
	rig_turn(r);
	EXPECT_EQ(-1, rig_pop(r, 0));
	rig_run(r, REORDER_NS + RIG_STEP_NS);
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(0, count(r, WDM_FAULT_REORDER));
}

TEST_F(dev, a_dropped_one_was_done_and_never_completes)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DROP, 1, 0, 0));
	submit(r, 0, &self->sqe, 2);
	rig_run(r, 10000000);
	EXPECT_EQ(1, rig_pop(r, 0));
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(0, ((struct zip_sqe *)rig_slot(r, 0, 0))->produced);
	EXPECT_NE(0, *(unsigned char *)rig_user(r, DST));
	EXPECT_EQ(0, r->look.busy);
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_EQ(-1, rig_pop(r, 0));
}

/* The slot of a dropped request differs from the device's last write there, as the slot of a lost submission does. */
TEST_F(dev, a_dropped_one_isnt_taken_for_a_lost_doorbell)
{
	struct rig *r = &self->r;
	u32 i;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DROP, 1, 0, 0));
	submit(r, 0, &self->sqe, 1);
	for (i = 0; i < RIG_DEPTH - 1; i++) {
		ASSERT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	}
	rig_ring_cq(r, 0, true);
	rig_run(r, 2000000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(0, rig_recovered(r));
}

TEST_F(dev, a_corrupt_result_is_wrong_by_a_bit_and_its_status_good)
{
	unsigned char *dst = rig_user(&self->r, DST), right[64];
	struct rig *r = &self->r;
	u32 i, wrong = 0;

	ASSERT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	memcpy(right, dst, sizeof(right));
	memset(dst, 0, sizeof(right));
	ASSERT_EQ(0, fault(r, WDM_FAULT_CORRUPT, 1, 0, 0));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	for (i = 0; i < sizeof(right); i++)
		wrong += !!(dst[i] ^ right[i]);
	EXPECT_LE(1, wrong);
	EXPECT_EQ(1, count(r, WDM_FAULT_CORRUPT));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_EQ(0, memcmp(right, dst, sizeof(right)));
}

TEST_F(dev, a_duplicate_completes_twice)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DUPLICATE, 1, 0, 0));
	submit(r, 0, &self->sqe, 2);
	rig_turn(r);
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(1, rig_pop(r, 0));
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_EQ(1, count(r, WDM_FAULT_DUPLICATE));
}

/* A submission tells which completions were consumed, but not how many of those came twice. */
TEST_F(dev, duplicates_and_lost_cq_doorbells_make_no_overflow)
{
	struct rig *r = &self->r;
	u32 i;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DUPLICATE, 0, 1, 0));
	for (i = 0; i < RIG_DEPTH / 2 + 1; i++) {
		rig_push(r, 0, &self->sqe);
		r->hold_db = true;
		rig_ring_cq(r, 0, false);
		rig_ring_sq(r, 0);
		r->hold_db = false;
		rig_turn(r);
		while (rig_pop(r, 0) >= 0)
			;
	}
	rig_run(r, 20000000);
	EXPECT_EQ(-1, rig_async_event(r));
	rig_ring_cq(r, 0, false);
	rig_run(r, RIG_STEP_NS);
	while (rig_pop(r, 0) >= 0)
		;
	EXPECT_EQ(i, wdm_device_stats(r->dev)->descriptors);
	EXPECT_LE(RIG_DEPTH, wdm_device_stats(r->dev)->completions);
	rig_ring_cq(r, 0, false);
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
}

/* Every request of many wraps: each completes as often as the counters say. */
TEST_F(dev, order_and_duplicates_lose_nothing_through_many_wraps)
{
	struct rig *r = &self->r;
	u32 seen[64], i, n, twice = 0, all = 0, moved = 0;
	int slot, last;

	ASSERT_EQ(0, fault(r, WDM_FAULT_REORDER, 0, 5, 0));
	ASSERT_EQ(0, fault(r, WDM_FAULT_DUPLICATE, 0, 7, 0));
	ASSERT_EQ(0, fault(r, WDM_FAULT_DELAY, 0, 11, 30000));
	for (i = 0; i < 200; i++) {
		memset(seen, 0, sizeof(seen));
		for (n = 0; n < 64; n++) {
			self->sqe.tag_l = n;
			rig_push(r, 0, &self->sqe);
		}
		rig_ring_sq(r, 0);
		rig_run(r, 2 * REORDER_NS);
		for (last = -1; (slot = rig_pop(r, 0)) >= 0; last = slot) {
			seen[((struct zip_sqe *)rig_slot(r, 0, (u32)slot))->tag_l]++;
			moved += slot < last && slot;
		}
		for (n = 0; n < 64; n++) {
			ASSERT_LE(1, seen[n]);
			ASSERT_GE(2, seen[n]);
			all += seen[n];
			twice += seen[n] == 2;
		}
		rig_ring_cq(r, 0, false);
	}
	EXPECT_EQ(all, wdm_device_stats(r->dev)->completions);
	EXPECT_EQ(twice, count(r, WDM_FAULT_DUPLICATE));
	EXPECT_LT(100, moved);
	EXPECT_LT(100, count(r, WDM_FAULT_DELAY));
	EXPECT_EQ(0, rig_recovered(r));
	EXPECT_EQ(0, rig_refused(r, WDM_REFUSE_DB_INDEX));
}

TEST_F(dev, a_stuck_queue_neither_works_nor_stops_until_reset)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_STUCK, 1, 0, 0));
	submit(r, 0, &self->sqe, 1);
	EXPECT_EQ(ZIP_ST_OK, one(r, 1, &self->sqe));
	rig_run(r, 1000000);
	EXPECT_EQ(-1, rig_pop(r, 0));
	EXPECT_FALSE(r->look.jobs);
	EXPECT_EQ(-1, rig_queue_stop(r, 0));
	wdm_function_reset(r->dev, WDM_PF);
	EXPECT_FALSE(wdm_function_busy(r->dev, WDM_PF));
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	ASSERT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_EQ(1, count(r, WDM_FAULT_STUCK));
}

TEST_F(dev, a_late_mailbox_answers_in_the_end)
{
	struct rig *r = &self->r;
	u64 begin = r->now;

	ASSERT_EQ(0, fault(r, WDM_FAULT_MAILBOX, 1, 0, 50000000));
	EXPECT_EQ(0, rig_queue_start(r, 2, NULL));
	EXPECT_LE(begin + 50000000, r->now);
	EXPECT_EQ(ZIP_ST_OK, one(r, 2, &self->sqe));
}

TEST_F(dev, a_hung_mailbox_comes_back_with_the_functions_reset)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_MAILBOX, 1, 0, 0));
	EXPECT_EQ(-1, rig_queue_stop(r, 0));
	wdm_function_reset(r->dev, WDM_PF);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	EXPECT_EQ(0, rig_queue_start(r, 0, NULL));
	EXPECT_EQ(1, count(r, WDM_FAULT_MAILBOX));
}

TEST_F(dev, a_request_brings_about_an_error_of_the_device)
{
	struct rig *r = &self->r;

	ASSERT_EQ(0, fault(r, WDM_FAULT_ERROR, 1, 0, 0));
	rig_run(r, 1000000);
	EXPECT_EQ(0, rig_reg(r, QM_ABNORMAL_INT_STATUS) & QM_ERR_ECC_MBIT);
	submit(r, 0, &self->sqe, 1);
	rig_run(r, 1000000);
	EXPECT_EQ(QM_ERR_ECC_MBIT, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(1, count(r, WDM_FAULT_ERROR));
	EXPECT_EQ(1, r->faults[WDM_FAULT_ERROR]);
	EXPECT_EQ(0, r->faults[WDM_FAULT_REMOVE]);
}

TEST_F(dev, a_request_on_that_queue_has_the_host_remove_the_device)
{
	static const struct wdm_fault_rule rule = { .one_in = 1, .queue = 1 };
	struct rig *r = &self->r;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_REMOVE, &rule));
	EXPECT_EQ(ZIP_ST_OK, one(r, 0, &self->sqe));
	EXPECT_EQ(0, r->faults[WDM_FAULT_REMOVE]);
	EXPECT_EQ(ZIP_ST_OK, one(r, 1, &self->sqe));
	EXPECT_EQ(1, r->faults[WDM_FAULT_REMOVE]);
	EXPECT_EQ(1, count(r, WDM_FAULT_REMOVE));
}

TEST_F(dev, stop_doesnt_wait_for_delayed_or_reordered_ones)
{
	struct rig *r = &self->r;
	u64 begin;

	ASSERT_EQ(0, fault(r, WDM_FAULT_DELAY, 1, 0, 10000000000ull));
	submit(r, 0, &self->sqe, 1);
	ASSERT_EQ(0, fault(r, WDM_FAULT_REORDER, 1, 0, 10000000000ull));
	submit(r, 1, &self->sqe, 1);
	rig_turn(r);
	begin = r->now;
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_EQ(0, rig_queue_stop(r, 1));
	EXPECT_GT(begin + 1000000000, r->now);
	EXPECT_EQ(0, rig_pop(r, 0));
	EXPECT_EQ(0, rig_pop(r, 1));
}

TEST_F(dev, bad_rules_are_refused)
{
	static const struct wdm_fault_rule any = { .next = 1, .queue = WDM_FAULT_ANY };
	struct wdm_fault_rule rule = any;
	u64 status;

	EXPECT_EQ(-EINVAL, wdm_fault_set(self->r.dev, WDM_FAULT_NR, &any));
	rule.queue = RIG_QUEUES;
	EXPECT_EQ(-EINVAL, wdm_fault_set(self->r.dev, WDM_FAULT_DROP, &rule));
	rule.queue = 0;
	EXPECT_EQ(-EINVAL, wdm_fault_set(self->r.dev, WDM_FAULT_MAILBOX, &rule));
	rule = any;
	for (status = ZIP_ST_NEGATIVE_COMP;; status = status == ZIP_ST_NEGATIVE_COMP ? ZIP_ST_END : status << 8) {
		rule.value = status;
		EXPECT_EQ(-EINVAL, wdm_fault_set(self->r.dev, WDM_FAULT_FAIL, &rule));
		if (status >> 32)
			break;
	}
	EXPECT_EQ(ZIP_ST_OK, one(&self->r, 0, &self->sqe));
}

/* Parses @text into an empty rule of @kind: NULL, or the error in the text. */
static const char *parse(u32 kind, const char *text, struct wdm_fault_rule *rule)
{
	*rule = (struct wdm_fault_rule){ .queue = WDM_FAULT_ANY };
	return wdm_fault_parse(kind, text, rule);
}

TEST(words_make_rules)
{
	struct wdm_fault_rule rule;

	ASSERT_EQ(NULL, parse(WDM_FAULT_FAIL, "3:0x8@17", &rule));
	EXPECT_EQ(3, rule.next);
	EXPECT_EQ(8, rule.value);
	EXPECT_EQ(17, rule.queue);
	ASSERT_EQ(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1/100", &rule));
	EXPECT_EQ(3, rule.next);
	EXPECT_EQ(100, rule.one_in);
	ASSERT_EQ(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "0", &rule));
	EXPECT_EQ(0, rule.next);
	EXPECT_EQ(0, rule.one_in);
	ASSERT_EQ(NULL, parse(WDM_FAULT_FAIL, "4/7", &rule));
	EXPECT_EQ(4, rule.burst);
	EXPECT_EQ(7, rule.one_in);
	ASSERT_EQ(NULL, parse(WDM_FAULT_DELAY, "2/5ms:1us@3", &rule));
	EXPECT_EQ(2, rule.burst);
	EXPECT_EQ(0, rule.one_in);
	EXPECT_EQ(5000000, rule.every_ns);
	EXPECT_EQ(1000, rule.value);
	EXPECT_EQ(3, rule.queue);
	ASSERT_EQ(NULL, parse(WDM_FAULT_DROP, "1/3600000000000ns", &rule));
	EXPECT_EQ(3600000000000ull, rule.every_ns);
	ASSERT_EQ(NULL, wdm_fault_parse(WDM_FAULT_DROP, "0", &rule));
	EXPECT_EQ(0, rule.every_ns | rule.burst);
	ASSERT_EQ(NULL, parse(WDM_FAULT_PAGE, "1:10s", &rule));
	EXPECT_EQ(10000000000ull, rule.value);
	EXPECT_EQ(WDM_FAULT_ANY, rule.queue);
	ASSERT_EQ(NULL, parse(WDM_FAULT_MAILBOX, "1:60s", &rule));
	EXPECT_EQ(60000000000ull, rule.value);
	ASSERT_EQ(NULL, parse(WDM_FAULT_DELAY, "0", &rule));
}

TEST(bad_words_are_refused_and_leave_the_rule)
{
	static const struct {
		u32 kind;
		const char *text;
	} bad[] = {
		{ WDM_FAULT_FAIL, "" }, { WDM_FAULT_FAIL, "x" }, { WDM_FAULT_FAIL, "0x" }, { WDM_FAULT_FAIL, "-1" },
		{ WDM_FAULT_FAIL, "1000000001" }, { WDM_FAULT_FAIL, "99999999999999999999999" },
		{ WDM_FAULT_FAIL, "1/0" }, { WDM_FAULT_FAIL, "1/" }, { WDM_FAULT_FAIL, "0/3" },
		{ WDM_FAULT_FAIL, "1/0ms" }, { WDM_FAULT_FAIL, "1/5min" }, { WDM_FAULT_FAIL, "1/5h" },
		{ WDM_FAULT_FAIL, "1/3601s" }, { WDM_FAULT_FAIL, "/5" }, { WDM_FAULT_FAIL, "1/2/3" },
		{ WDM_FAULT_FAIL, "1000000001/2" }, { WDM_FAULT_DELAY, "1/5ms" }, { WDM_FAULT_FAIL, "1:" },
		{ WDM_FAULT_FAIL, "1:0x100" }, { WDM_FAULT_FAIL, "1:2ms" }, { WDM_FAULT_FAIL, "1@" },
		{ WDM_FAULT_FAIL, "1@1024" }, { WDM_FAULT_FAIL, "1 " }, { WDM_FAULT_DELAY, "1" },
		{ WDM_FAULT_DELAY, "1:2" }, { WDM_FAULT_DELAY, "1:2min" }, { WDM_FAULT_DELAY, "1:11s" },
		{ WDM_FAULT_DELAY, "1:0ns" }, { WDM_FAULT_DELAY, "1/2:0s" }, { WDM_FAULT_PAGE, "1:0us" },
		{ WDM_FAULT_DROP, "1:1us" }, { WDM_FAULT_MAILBOX, "1@0" }, { WDM_FAULT_ERROR, "1:2" },
		{ WDM_FAULT_REMOVE, "1:1ms" }, { WDM_FAULT_MAILBOX, "1:61s" }, { WDM_FAULT_PAGE, "1:1us@0" },
		{ WDM_FAULT_PAGE, "1" },
	};
	struct wdm_fault_rule rule;
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_NE(NULL, parse(bad[i].kind, bad[i].text, &rule)) TH_LOG("%s", bad[i].text);
		EXPECT_EQ(0, rule.next | rule.one_in | rule.burst | rule.every_ns | rule.value);
		EXPECT_EQ(WDM_FAULT_ANY, rule.queue);
	}
}

TEST(a_rule_has_one_value_and_one_queue)
{
	struct wdm_fault_rule rule;

	ASSERT_EQ(NULL, parse(WDM_FAULT_FAIL, "1:0x8@1", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1/10:0x9@1", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1/10:0x8@2", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1/10:0", &rule));
	EXPECT_EQ(0, rule.one_in);
	EXPECT_EQ(8, rule.value);
	EXPECT_EQ(1, rule.queue);
	EXPECT_EQ(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1/10:0x8@1", &rule));
	EXPECT_EQ(10, rule.one_in);
	/* A rule that has ended doesn't restrict the next one. */
	ASSERT_EQ(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "0", &rule));
	ASSERT_EQ(NULL, wdm_fault_parse(WDM_FAULT_FAIL, "1:0x9@2", &rule));
	EXPECT_EQ(9, rule.value);
	EXPECT_EQ(2, rule.queue);
	ASSERT_EQ(NULL, parse(WDM_FAULT_DROP, "1/10", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_DROP, "1/10ms", &rule));
	ASSERT_EQ(NULL, parse(WDM_FAULT_DROP, "1/10ms", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_DROP, "1/10", &rule));
	ASSERT_EQ(NULL, parse(WDM_FAULT_DELAY, "1:2ms", &rule));
	EXPECT_NE(NULL, wdm_fault_parse(WDM_FAULT_DELAY, "1/10:3ms", &rule));
	EXPECT_EQ(NULL, wdm_fault_parse(WDM_FAULT_DELAY, "1/10:2000us", &rule));
}

TEST_F(dev, an_error_that_the_device_has_is_reported_and_another_refused)
{
	struct rig *r = &self->r;

	rig_reg_set(r, QM_ABNORMAL_INT_MASK, 0);
	EXPECT_EQ(-EINVAL, wdm_fault_error(r->dev, WDM_ERRORS_QM, 31));
	EXPECT_EQ(-EINVAL, wdm_fault_error(r->dev, WDM_ERRORS_QM, 32));
	EXPECT_EQ(-EINVAL, wdm_fault_error(r->dev, WDM_ERRORS_NR, 0));
	rig_turn(r);
	EXPECT_EQ(0, r->irqs[WDM_IRQ_ABNORMAL]);
	ASSERT_EQ(0, wdm_fault_error(r->dev, WDM_ERRORS_QM, 1));
	ASSERT_EQ(0, wdm_fault_error(r->dev, WDM_ERRORS_ENGINE, 1));
	rig_turn(r);
	EXPECT_EQ(QM_ERR_AXI_BRESP, rig_reg(r, QM_ABNORMAL_INT_STATUS));
	EXPECT_EQ(2, rig_reg(r, ZIP_ERR_STATUS));
	EXPECT_LE(1, r->irqs[WDM_IRQ_ABNORMAL]);
}

TEST_F(dev, an_overflow_of_events_is_reported_as_a_real_one)
{
	struct rig *r = &self->r;

	EXPECT_EQ(-1, rig_async_event(r));
	ASSERT_EQ(0, wdm_fault_overflow(r->dev));
	rig_turn(r);
	EXPECT_EQ(QM_AEQE_EQ_OVERFLOW << 16, rig_async_event(r));
	EXPECT_EQ(-1, rig_async_event(r));
}

TEST_HARNESS_MAIN
