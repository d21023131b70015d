// SPDX-License-Identifier: Apache-2.0
/* A client of null devices: many passes of the rings in every way of using them; nothing else runs in the process. */
#include <hisi_qm.h>
#include <pthread.h>
#include <sys/resource.h>
#include <wd_comp.h>
#include "kselftest_harness.h"
#include "rawq.h"

#define REQUESTS	100000
#define WINDOW		24
#define LEN		4096
#define STALL_MS	300000

static unsigned char src[LEN], dst[WINDOW][2 * LEN];

static handle_t session(int mode)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = (__u8)mode, .dir_type = WD_DIR_COMPRESS, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static int threads(void)
{
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");
	int n = -1;

	while (f && n < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %d", &n);
	fclose(f);
	return n;
}

/* How often this thread slept: if it stalls at the end of each pass, it sleeps once per pass. */
static long sleeps(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw;
}

static int compress_many(handle_t sess, int n)
{
	size_t room;
	int ret = 0;

	while (!ret && n--) {
		struct wd_comp_arg arg = {
			.src = src, .src_len = LEN, .dst = dst[0], .dst_len = &room, .timeout_ms = STALL_MS
		};

		room = sizeof(dst[0]);
		ret = wd_compress(sess, &arg);
	}
	return ret;
}

TEST(synchronous_requests_complete_over_many_passes)
{
	handle_t sess = session(WD_SYNC);
	long before = sleeps();

	ASSERT_NE(0, sess);
	EXPECT_EQ(0, compress_many(sess, REQUESTS));
	EXPECT_GT(REQUESTS / 2048, sleeps() - before);
	EXPECT_EQ(1, threads());
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

static void *compress_thread(void *arg)
{
	return (void *)(long)compress_many(*(handle_t *)arg, REQUESTS / 4);
}

TEST(threads_on_one_context_lose_nothing)
{
	handle_t sess = session(WD_SYNC);
	pthread_t thread[4];
	void *ret;
	int i;

	ASSERT_NE(0, sess);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, compress_thread, &sess));
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &ret));
		EXPECT_EQ(NULL, ret);
	}
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

static void count(struct wd_comp_arg *arg, void *param)
{
	*(unsigned int *)param += !arg->status;
}

TEST(asynchronous_requests_complete_over_many_passes)
{
	struct wd_comp_arg arg[WINDOW];
	handle_t sess = session(WD_ASYNC);
	unsigned int done = 0, sent = 0, i;
	size_t room[WINDOW];
	long before = sleeps();

	ASSERT_NE(0, sess);
	while (sent < REQUESTS) {
		for (i = 0; i < WINDOW; i++) {
			room[i] = sizeof(dst[i]);
			arg[i] = (struct wd_comp_arg){
				.src = src, .src_len = LEN, .dst = dst[i], .dst_len = &room[i], .cb = count,
				.cb_param = &done,
			};
			ASSERT_EQ(0, wd_comp_async(sess, &arg[i], NULL));
		}
		sent += WINDOW;
		while (done < sent) {
			ASSERT_LT(0, wd_comp_poll(sent - done, STALL_MS, NULL));
		}
	}
	EXPECT_EQ(sent, done);
	EXPECT_GT(REQUESTS / 2048, sleeps() - before);
	EXPECT_EQ(1, threads());
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST(queue_pairs_complete_over_many_passes)
{
	struct hisi_qp_cfg cfg = { .sqe_size = ZIP_SQE_SIZE, .mode = QP_SYNC };
	handle_t qp = hisi_qm_alloc_qp("/dev/hisi_zip-0", &cfg);
	struct zip_sqe sqe = { 0 }, back[WINDOW];
	unsigned int sent = 0, done = 0;
	long long end;
	int n, i;

	ASSERT_NE(0, qp);
	rawq_zip_fill(&sqe, ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), 0);
	end = now_ms() + STALL_MS;
	while (done < REQUESTS) {
		sqe.tag_l = htole32(sent);
		if (sent - done < WINDOW)
			sent += hisi_qm_send(qp, &sqe, 1) == 1;
		n = hisi_qm_recv(qp, back, sent % 3 ? 1 : WINDOW);
		ASSERT_LE(0, n);
		for (i = 0; i < n; i++) {
			ASSERT_EQ(done, le32toh(back[i].tag_l));
			ASSERT_EQ(ZIP_ST_OK, rawq_zip_status(&back[i]));
			done++;
		}
		ASSERT_TRUE(n || done % 256 || now_ms() < end);
	}
	EXPECT_EQ(1, threads());
	hisi_qm_free_qp(qp);
}

TEST(a_ring_by_hand_is_renewed_by_poll)
{
	struct pollfd p = { .events = POLLIN };
	struct rawq_done done;
	struct rawq q;
	unsigned int i;

	ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
	p.fd = q.fd;
	for (i = 0; i < 10u * q.info.cq_depth; i++) {
		rawq_zip_fill(rawq_slot(&q), ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), i);
		rawq_push(&q, 1);
		ASSERT_EQ(0, rawq_pull(&q, &done)) TH_LOG("request %u", i);
		ASSERT_EQ(i % q.info.sq_depth, done.sq_head);
		if (i % (q.info.cq_depth / 4) == 0) {
			rawq_ack(&q, 0);
			poll(&p, 1, 0);
		}
	}
	rawq_close(&q);
}

TEST(a_queue_is_readable_once_for_a_doorbell)
{
	struct rawq q;
	struct pollfd p;

	ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
	p = (struct pollfd){ .fd = q.fd, .events = POLLIN };
	EXPECT_EQ(0, poll(&p, 1, 5));
	rawq_zip_fill(rawq_slot(&q), ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), 0);
	rawq_push(&q, 1);
	EXPECT_EQ(1, poll(&p, 1, STALL_MS));
	EXPECT_EQ(0, poll(&p, 1, 0));
	rawq_close(&q);
}

struct sleeper {
	struct rawq q;
	int ret;
};

static void *sleep_on(void *arg)
{
	struct sleeper *s = arg;
	struct pollfd p = { .fd = s->q.fd, .events = POLLIN };

	s->ret = poll(&p, 1, STALL_MS);
	return NULL;
}

TEST(who_sleeps_is_woken_by_anothers_doorbell)
{
	struct sleeper s = { .ret = -1 };
	pthread_t thread;

	ASSERT_EQ(0, rawq_begin(&s.q, "hisi_zip-0", ZIP_QC_COMPRESS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_on, &s));
	poll(NULL, 0, 3);
	rawq_zip_fill(rawq_slot(&s.q), ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), 0);
	rawq_push(&s.q, 1);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(1, s.ret);
	rawq_close(&s.q);
}

/* In @overwrite of 8 rounds poll() finds no CQ doorbell in the page, as if an SQ doorbell had overwritten it. */
static int go_round(struct rawq *q, unsigned int in_flight, unsigned int overwrite)
{
	struct pollfd p = { .fd = q->fd, .events = POLLIN };
	unsigned int batch = q->info.cq_depth / 4, sent = 0, taken = 0, round = 0;
	struct rawq_done done;

	while (taken < 20u * q->info.cq_depth) {
		while (sent - taken < in_flight) {
			rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), sent++);
			rawq_push(q, 1);
		}
		if (rawq_pull(q, &done) || done.sq_head != taken % q->info.sq_depth)
			return (int)taken;
		if (++taken % batch)
			continue;
		if (round++ % 8 >= overwrite)
			rawq_ack(q, 0);
		poll(&p, 1, 0);
	}
	return 0;
}

/* After a poll() that found no CQ doorbell, the next one stands where the last one did, a ring later. */
TEST(a_consumer_that_is_a_ring_ahead_is_noticed)
{
	struct pollfd p = { .events = POLLIN };
	struct rawq_done done;
	unsigned int i, most;
	struct rawq q;

	ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
	p.fd = q.fd;
	most = q.info.cq_depth - q.info.cq_depth / 4;
	for (i = 0; i < 5u * q.info.cq_depth; i++) {
		rawq_zip_fill(rawq_slot(&q), ZIP_REQ_DEFLATE, src, LEN, dst[0], sizeof(dst[0]), i);
		rawq_push(&q, 1);
		ASSERT_EQ(0, rawq_pull(&q, &done)) TH_LOG("request %u", i);
		if (i % q.info.cq_depth == most)
			poll(&p, 1, 0);
		if ((i + 1) % q.info.cq_depth == 0) {
			rawq_ack(&q, 0);
			poll(&p, 1, 0);
		}
	}
	rawq_close(&q);
}

TEST(acknowledgements_that_are_overwritten_do_not_stop_the_ring)
{
	unsigned int in_flight[] = { 1, 2, 7, 0, 0 }, overwrite, i;
	struct rawq q;

	ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
	in_flight[3] = q.info.sq_depth / 2;
	in_flight[4] = q.info.sq_depth - q.info.sq_depth / 4;
	rawq_close(&q);
	for (overwrite = 0; overwrite <= 8; overwrite++)
		for (i = 0; i < 5; i++) {
			ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
			EXPECT_EQ(0, go_round(&q, in_flight[i], overwrite))
				TH_LOG("%u in flight, %u of 8 lost", in_flight[i], overwrite);
			rawq_close(&q);
		}
}

TEST_HARNESS_MAIN
