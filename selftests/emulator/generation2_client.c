// SPDX-License-Identifier: Apache-2.0
/* A client of a ZIP device of generation 2 by hand: its window, its descriptors, and the drain at its queues' ends. */
#include "kselftest_harness.h"
#include "rawq.h"

#define DEVICE	"hisi_zip-0"
#define LEN	20000
#define MS	20000
#define TAG	0x12345678u

static unsigned char src[LEN], packed[2 * LEN], back[LEN];

FIXTURE(zip) {
	struct rawq comp, decomp;
};

FIXTURE_SETUP(zip)
{
	int i;

	for (i = 0; i < LEN; i++)
		src[i] = (unsigned char)(i * i >> 9);
	memset(packed, 0, sizeof(packed));
	ASSERT_EQ(0, rawq_begin(&self->comp, DEVICE, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&self->decomp, DEVICE, ZIP_QC_DECOMPRESS));
}

FIXTURE_TEARDOWN(zip)
{
	rawq_close(&self->comp);
	rawq_close(&self->decomp);
}

/* The status of one request and *produced, or -errno. */
static int finish(struct rawq *q, uint32_t *produced)
{
	struct rawq_done done;
	struct zip_sqe *sqe;
	int ret = rawq_wait(q, &done, MS);

	if (ret)
		return ret;
	sqe = rawq_zip_done(q, &done);
	*produced = le32toh(sqe->produced);
	rawq_ack(q, 0);
	return le32toh(sqe->dw13) == TAG ? (int)rawq_zip_status(sqe) : -EPROTO;
}

static int request(struct rawq *q, enum zip_req_type type, const void *from, uint32_t len, void *to, uint32_t room,
		   uint32_t *produced)
{
	rawq_zip_fill2(rawq_slot(q), type, from, len, to, room, TAG);
	rawq_push(q, 1);
	return finish(q, produced);
}

TEST_F(zip, both_directions)
{
	static const enum zip_req_type types[] = { ZIP_REQ_ZLIB, ZIP_REQ_GZIP };
	uint32_t n = 0, m = 0, t;

	for (t = 0; t < 2; t++) {
		memset(back, 0, LEN);
		ASSERT_EQ(ZIP_ST_OK, request(&self->comp, types[t], src, LEN, packed, sizeof(packed), &n));
		ASSERT_EQ(ZIP_ST_OK, request(&self->decomp, types[t], packed, n, back, LEN, &m) % ZIP_ST_END);
		EXPECT_EQ(LEN, m);
		EXPECT_EQ(0, memcmp(src, back, LEN));
	}
}

TEST_F(zip, descriptors_of_generation_3_are_refused)
{
	struct rawq_done done;
	uint32_t n;

	rawq_zip_fill(rawq_slot(&self->comp), ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), 0);
	rawq_push(&self->comp, 1);
	ASSERT_EQ(0, rawq_wait(&self->comp, &done, MS));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, rawq_zip_status(rawq_zip_done(&self->comp, &done)));
	EXPECT_EQ(0, packed[0]);
	rawq_ack(&self->comp, 0);
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, request(&self->comp, ZIP_REQ_DEFLATE, src, LEN, packed, sizeof(packed), &n));
	EXPECT_EQ(ZIP_ST_OK, request(&self->comp, ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), &n));
}

TEST_F(zip, the_window_ends_with_the_page_of_the_doorbell)
{
	struct rawq q;
	void *map;

	EXPECT_EQ(QM_DB_SQ_CQ, self->comp.mmio_size - (size_t)sysconf(_SC_PAGESIZE));
	ASSERT_EQ(0, rawq_open(&q, DEVICE));
	EXPECT_EQ(-EINVAL, uacce_mmap(q.fd, UACCE_QFRT_MMIO, q.mmio_size + 1, &map));
	EXPECT_EQ(0, uacce_mmap(q.fd, UACCE_QFRT_MMIO, q.mmio_size, &map));
	munmap(map, q.mmio_size);
	EXPECT_EQ(0, uacce_mmap(q.fd, UACCE_QFRT_MMIO, q.mmio_size, &map));
	munmap(map, q.mmio_size);
	rawq_close(&q);
}

/* Mailbox and interrupt masks of the device aren't in the page in front of it: that is the queue's own. */
TEST_F(zip, registers_are_out_of_reach)
{
	volatile uint32_t *page = (volatile uint32_t *)self->comp.mmio, *other = (volatile uint32_t *)self->decomp.mmio;
	struct rawq q;
	uint32_t n;

	page[QM_EQ_INT_MASK / 4] = 1;
	page[QM_MB / 4] = QM_MB_BUSY | 0xff;
	page[QM_MB_LAST / 4] = 0;
	EXPECT_EQ(0, other[QM_MB / 4]);
	EXPECT_EQ(ZIP_ST_OK, request(&self->comp, ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), &n));
	EXPECT_EQ(QM_MB_BUSY | 0xff, page[QM_MB / 4]);
	ASSERT_EQ(0, rawq_begin(&q, DEVICE, ZIP_QC_COMPRESS));
	rawq_close(&q);
}

/* All queues have the same doorbell: each can ring for each. */
TEST_F(zip, queues_share_their_doorbell)
{
	struct rawq *q = &self->comp;
	uint32_t n;

	rawq_zip_fill2(rawq_slot(q), ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), TAG);
	rawq_push(q, 0);
	rawq_doorbell(&self->decomp, qm_db_value(q->id, QM_DB_CMD_SQ, q->sq_tail, 0));
	EXPECT_EQ(ZIP_ST_OK, finish(q, &n));
	EXPECT_EQ(*(volatile uint64_t *)(q->mmio + QM_DB_SQ_CQ),
		  *(volatile uint64_t *)(self->decomp.mmio + QM_DB_SQ_CQ));
}

/* A stop waits for what was submitted, as often as the queue is started. */
TEST_F(zip, a_stop_drains_the_queue)
{
	struct rawq *q = &self->comp;
	struct rawq_done done;
	int round, i;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 8; i++) {
			rawq_zip_fill2(rawq_slot(q), ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), TAG);
			rawq_push(q, i == 7);
		}
		/* The doorbell counts when the device has seen it. */
		ASSERT_EQ(0, rawq_wait(q, &done, MS));
		ASSERT_EQ(0, uacce_put_q(q->fd));
		for (i = 1; i < 8; i++)
			ASSERT_EQ(0, rawq_pull(q, &done)) TH_LOG("round %d, request %d", round, i);
		ASSERT_EQ(-EAGAIN, rawq_pull(q, &done));
		rawq_rewind(q);
		ASSERT_EQ(0, uacce_start_q(q->fd));
	}
}

TEST_HARNESS_MAIN
