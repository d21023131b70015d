// SPDX-License-Identifier: Apache-2.0
/* One queue of a ZIP device: its ioctls, start, stop and drain, and what its next owner can't do. */
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#include "need_machine.h"
#include "zip_client.h"

#define ROOM(len)	((len) + (len) / 8 + 256)
#define BURST		64

FIXTURE(queue) {
	char name[UACCE_NAME_MAX];
	long available;
	struct rawq q;
};

FIXTURE_SETUP(queue)
{
	if (!client_device(self->name))
		SKIP(return, "no ZIP device");
	self->available = uacce_attr_num(self->name, "available_instances");
	ASSERT_GT(self->available, 0);
	ASSERT_EQ(0, rawq_open(&self->q, self->name));
}

FIXTURE_TEARDOWN(queue)
{
	rawq_close(&self->q);
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

static int begin(struct rawq *q, unsigned int qc_type)
{
	int ret = rawq_map(q);

	if (!ret)
		ret = uacce_set_qp_ctx(q->fd, qc_type);
	if (ret < 0)
		return ret;
	q->id = ret;
	return uacce_start_q(q->fd);
}

TEST_F(queue, tells_its_shape)
{
	EXPECT_EQ(ZIP_SQE_SIZE, self->q.info.sqe_size);
	EXPECT_EQ(QM_SQ_DEPTH_V2, self->q.info.sq_depth);
	EXPECT_EQ(QM_CQ_DEPTH_V2, self->q.info.cq_depth);
	EXPECT_EQ(0, self->q.info.reserved);
}

TEST_F(queue, has_a_number_below_the_total)
{
	int id = uacce_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);

	EXPECT_GE(id, 0);
	EXPECT_LT(id, self->available);
}

TEST_F(queue, refuses_an_engine_class_that_does_not_exist)
{
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(self->q.fd, 2));
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(self->q.fd, 0xffff));
}

TEST_F(queue, refuses_an_argument_that_is_not_mapped)
{
	EXPECT_EQ(-1, ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_CTX, (void *)8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_INFO, (void *)8));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(queue, refuses_a_second_start)
{
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	EXPECT_EQ(-EINVAL, uacce_start_q(self->q.fd));
}

TEST_F(queue, compresses_and_decompresses)
{
	struct rawq other;

	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&other, self->name, ZIP_QC_DECOMPRESS));
	EXPECT_EQ(0, client_round_trip(&self->q, &other, 1, 1));
	EXPECT_EQ(0, client_round_trip(&self->q, &other, 65536, 2));
	rawq_close(&other);
}

TEST_F(queue, works_through_more_than_a_ring)
{
	uint8_t src[64], dst[ROOM(64)];

	client_fill(src, sizeof(src), 3);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	for (int i = 0; i < 2 * QM_SQ_DEPTH_V2 + 3; i += BURST) {
		ASSERT_EQ(0, client_burst(&self->q, BURST, src, sizeof(src), dst, sizeof(dst), 0))
			TH_LOG("after %d requests", i);
	}
}

/* A stop that waits too long for requests in flight may be repeated: a slow machine needs the time. */
static int stop_however_long(struct rawq *q)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	int ret;

	while (((ret = uacce_put_q(q->fd)) == -ETIMEDOUT || ret == -EBUSY) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return ret;
}

/* Whatever the device doesn't return, through more than a ring, so over earlier descriptors, too. */
TEST_F(queue, a_completed_descriptor_keeps_its_inputs)
{
	uint32_t rounds = self->q.info.sq_depth + 16u, i, dw;
	struct rawq_done done;
	uint8_t src[64], out[ROOM(64)];

	client_fill(src, sizeof(src), 3);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	for (i = 0; i < rounds; i++) {
		uint32_t *sent = (uint32_t *)self->q.staged;
		const uint32_t *got;

		rawq_zip_fill(rawq_slot(&self->q), ZIP_REQ_ZLIB, src, sizeof(src), out, sizeof(out), i);
		rawq_push(&self->q, 1);
		ASSERT_EQ(0, rawq_wait(&self->q, &done, CLIENT_WAIT_MS));
		got = (const uint32_t *)(self->q.dus + (size_t)done.sq_head * self->q.info.sqe_size);
		for (dw = 4; dw < 28; dw++)
			if (dw != 15)	/* in and out */
				ASSERT_EQ(sent[dw], got[dw]) TH_LOG("request %u, word %u", i, dw);
		rawq_ack(&self->q, 0);
	}
}

TEST_F(queue, stop_leaves_nothing_in_flight)
{
	enum { NR = 64, LEN = 32768 };
	uint8_t *src = malloc(LEN), *dst = malloc((size_t)NR * ROOM(LEN)), *then;
	struct rawq other;

	ASSERT_TRUE(src && dst);
	client_fill(src, LEN, 4);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	for (int i = 0; i < NR; i++)
		client_queue(&self->q, src, LEN, dst + (size_t)i * ROOM(LEN), ROOM(LEN));
	client_ring(&self->q);

	ASSERT_EQ(0, stop_however_long(&self->q));
	then = malloc((size_t)NR * ROOM(LEN));
	ASSERT_TRUE(then);
	memcpy(then, dst, (size_t)NR * ROOM(LEN));

	/* Long enough for a straggler: the same device does the same amount of work again. */
	ASSERT_EQ(0, rawq_begin(&other, self->name, ZIP_QC_COMPRESS));
	for (int i = 0; i < NR; i++) {
		uint32_t produced;
		uint8_t *out = malloc(ROOM(LEN));

		EXPECT_EQ(0, rawq_zip(&other, ZIP_REQ_DEFLATE, src, LEN, out, ROOM(LEN), &produced,
				      CLIENT_WAIT_MS));
		rawq_ack(&other, 0);
		free(out);
	}
	rawq_close(&other);
	EXPECT_EQ(0, memcmp(then, dst, (size_t)NR * ROOM(LEN)));
}

TEST_F(queue, starts_again_from_fresh_rings)
{
	uint8_t src[512], dst[ROOM(512)];
	uint32_t produced;

	client_fill(src, sizeof(src), 5);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 5; i++)
			ASSERT_EQ(0, rawq_zip(&self->q, ZIP_REQ_DEFLATE, src, sizeof(src), dst, sizeof(dst),
					      &produced, CLIENT_WAIT_MS));
		ASSERT_EQ(0, uacce_put_q(self->q.fd));
		ASSERT_EQ(0, uacce_start_q(self->q.fd));
		rawq_rewind(&self->q);
		ASSERT_FALSE(rawq_ready(&self->q));
	}
}

TEST_F(queue, takes_its_direction_from_the_last_choice_before_start)
{
	struct rawq other;

	ASSERT_GE(uacce_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS), 0);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_DECOMPRESS));
	ASSERT_EQ(0, rawq_begin(&other, self->name, ZIP_QC_COMPRESS));
	EXPECT_EQ(0, client_round_trip(&other, &self->q, 4096, 6));
	rawq_close(&other);
}

TEST_F(queue, wakes_a_sleeper)
{
	uint8_t src[4096], dst[ROOM(4096)];

	client_fill(src, sizeof(src), 7);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	EXPECT_EQ(0, uacce_poll(self->q.fd, POLLIN, 0));
	for (int i = 0; i < 20; i++) {
		struct rawq_done done;

		client_queue(&self->q, src, sizeof(src), dst, sizeof(dst));
		client_ring(&self->q);
		while (rawq_pull(&self->q, &done)) {
			ASSERT_TRUE(uacce_poll(self->q.fd, POLLIN, CLIENT_WAIT_MS) & POLLIN)
				TH_LOG("request %d: nothing woke poll()", i);
		}
		rawq_ack(&self->q, 1);
	}
}

/* More than a ring is consumed without poll(): mainline's poll() loses the wakeup then. */
TEST_F(queue, wakes_a_sleeper_after_much_spinning)
{
	uint8_t src[64], dst[ROOM(64)];
	struct rawq_done done;

	client_fill(src, sizeof(src), 8);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	for (int i = 0; i < QM_CQ_DEPTH_V2 * 3 / 2; i += BURST) {
		ASSERT_EQ(0, client_burst(&self->q, BURST, src, sizeof(src), dst, sizeof(dst), 1))
			TH_LOG("after %d requests", i);
	}
	uacce_poll(self->q.fd, POLLIN, 0);
	for (int i = 0; i < 20; i++) {
		client_queue(&self->q, src, sizeof(src), dst, sizeof(dst));
		client_ring(&self->q);
		while (rawq_pull(&self->q, &done)) {
			ASSERT_TRUE(uacce_poll(self->q.fd, POLLIN, CLIENT_WAIT_MS) & POLLIN);
		}
		rawq_ack(&self->q, 1);
	}
}

TEST_F(queue, a_queue_that_was_not_started_does_nothing)
{
	uint8_t src[64], dst[ROOM(64)] = {};
	struct rawq other;

	client_fill(src, sizeof(src), 9);
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.id = uacce_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	client_queue(&self->q, src, sizeof(src), dst, sizeof(dst));
	client_ring(&self->q);

	ASSERT_EQ(0, rawq_begin(&other, self->name, ZIP_QC_COMPRESS));
	for (uint32_t i = 0, produced; i < 20; i++) {
		uint8_t out[ROOM(64)];

		ASSERT_GE(rawq_zip(&other, ZIP_REQ_DEFLATE, src, sizeof(src), out, sizeof(out), &produced,
				   CLIENT_WAIT_MS), 0);
		rawq_ack(&other, 0);
	}
	rawq_close(&other);
	EXPECT_FALSE(rawq_ready(&self->q));
	for (size_t i = 0; i < sizeof(dst); i++) {
		ASSERT_EQ(0, dst[i]);
	}
}

/* Opens queues until one has number @id; the others land in @rest. */
static int open_number(struct rawq *q, const char *name, int id, struct rawq *rest, int max)
{
	for (int i = 0; i < max; i++) {
		int ret = rawq_open(&rest[i], name);

		if (ret)
			return ret;
		if (uacce_set_qp_ctx(rest[i].fd, ZIP_QC_COMPRESS) == id) {
			*q = rest[i];
			rest[i].fd = -1;
			return 0;
		}
	}
	return -ENOENT;
}

TEST_F(queue, a_new_owner_cannot_ring_for_the_last_one)
{
	enum { MAX = 1024 };
	struct rawq *rest = calloc(MAX, sizeof(*rest)), next;
	uint8_t src[64], dst[ROOM(64)];
	uint32_t produced;
	int id;

	ASSERT_TRUE(rest);
	for (int i = 0; i < MAX; i++)
		rest[i].fd = -1;
	client_fill(src, sizeof(src), 10);
	ASSERT_EQ(0, begin(&self->q, ZIP_QC_COMPRESS));
	ASSERT_GE(rawq_zip(&self->q, ZIP_REQ_DEFLATE, src, sizeof(src), dst, sizeof(dst), &produced,
			   CLIENT_WAIT_MS), 0);
	id = self->q.id;
	rawq_close(&self->q);
	memset(dst, 0, sizeof(dst));

	ASSERT_EQ(0, open_number(&next, self->name, id, rest, MAX));
	ASSERT_EQ(0, rawq_map(&next));
	next.id = id;
	for (size_t i = 0; i < next.dus_size; i++) {
		ASSERT_EQ(0, next.dus[i]) TH_LOG("byte %zu of the last owner", i);
	}
	for (uint32_t tail = 1; tail < 16; tail++)
		rawq_doorbell(&next, qm_db_value(id, QM_DB_CMD_SQ, tail, 0));
	ASSERT_EQ(0, uacce_start_q(next.fd));
	ASSERT_GE(rawq_zip(&next, ZIP_REQ_DEFLATE, src, sizeof(src), dst, sizeof(dst), &produced,
			   CLIENT_WAIT_MS), 0);
	rawq_close(&next);
	for (int i = 0; i < MAX; i++)
		rawq_close(&rest[i]);
	free(rest);
}

TEST_F(queue, the_last_one_is_followed_by_ebusy)
{
	struct rawq *all = calloc(self->available + 1, sizeof(*all));
	struct rawq extra;
	long nr = 0;

	ASSERT_TRUE(all);
	while (nr < self->available - 1 && !rawq_open(&all[nr], self->name))
		nr++;
	EXPECT_EQ(self->available - 1, nr);
	EXPECT_EQ(0, uacce_attr_num(self->name, "available_instances"));
	EXPECT_EQ(-EBUSY, rawq_open(&extra, self->name));
	while (nr--)
		rawq_close(&all[nr]);
	EXPECT_EQ(self->available - 1, uacce_attr_num(self->name, "available_instances"));
	EXPECT_EQ(0, rawq_open(&extra, self->name));
	rawq_close(&extra);
	free(all);
}

TEST_HARNESS_MAIN
