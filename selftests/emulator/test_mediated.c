// SPDX-License-Identifier: Apache-2.0
/*
 * Devices without shared virtual addressing, by hand: the kernel's ABI for queues that it mediates. One device has an
 * IOMMU, which makes one range of scattered pages, the other has none.
 */
#include "kselftest_harness.h"
#include "emulated.h"
#include "rawq.h"
#include "wait_ms.h"

#define LEN		20000
#define SHORT		100
#define MANY		300
#define SLOTS		128	/* requests that a queue of ZIP has in the device at once */
#define FLAT		(512u << 10)
#define UNMAPPED	((void *)0x1000)

static unsigned char src[LEN], packed[2 * LEN], back[LEN], shorts[MANY][2 * SHORT];

struct queue {
	struct rawq q;
	volatile struct qm_cqe *device_cq;
	size_t device_bytes;
};

FIXTURE(mediated) {
	struct queue comp, decomp;
};

FIXTURE_VARIANT(mediated) {
	const char *dev;
};

FIXTURE_VARIANT_ADD(mediated, iommu) { .dev = "hisi_zip-0" };
FIXTURE_VARIANT_ADD(mediated, direct) { .dev = "hisi_zip-1" };

static int map_rings(struct queue *q)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;
	int ret = uacce_mmap(q->q.fd, UACCE_QFRT_DUS, q->q.dus_size, &map);

	if (ret)
		return ret;
	q->q.dus = map;
	q->device_bytes = (q->q.info.cq_depth * sizeof(struct qm_cqe) + page - 1) & ~(page - 1);
	map = mmap(NULL, q->device_bytes, PROT_READ, MAP_SHARED, q->q.fd, (off_t)(UACCE_QFRT_DEVICE_CQ * page));
	if (map == MAP_FAILED)
		return -errno;
	q->device_cq = map;
	return 0;
}

static int queue_begin(struct queue *q, const char *dev, unsigned int type)
{
	int ret = rawq_open(&q->q, dev);

	if (!ret)
		ret = map_rings(q);
	return ret ? ret : rawq_start(&q->q, type);
}

static void queue_end(struct queue *q)
{
	if (q->device_cq)
		munmap((void *)q->device_cq, q->device_bytes);
	rawq_close(&q->q);
}

FIXTURE_SETUP(mediated)
{
	int i;

	for (i = 0; i < LEN; i++)
		src[i] = (unsigned char)(i * i >> 9);
	memset(packed, 0, sizeof(packed));
	ASSERT_EQ(0, queue_begin(&self->comp, variant->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, queue_begin(&self->decomp, variant->dev, ZIP_QC_DECOMPRESS));
}

FIXTURE_TEARDOWN(mediated)
{
	queue_end(&self->comp);
	queue_end(&self->decomp);
	EXPECT_EQ(0, emulated_count(variant->dev, "outside"));
}

static int ring(const struct queue *q, uint32_t flags, uint16_t sq_tail, uint16_t cq_head)
{
	struct hisi_qp_doorbell db = { .sq_tail = sq_tail, .cq_head = cq_head, .flags = flags };

	return ioctl(q->q.fd, UACCE_CMD_QM_DOORBELL, &db) ? -errno : 0;
}

static int submit(struct queue *q)
{
	return ring(q, HISI_QP_DB_SQ, q->q.sq_tail, 0);
}

static int reap(const struct queue *q)
{
	return ring(q, HISI_QP_DB_REAP, 0, 0);
}

static void add(struct queue *q, const void *from, uint32_t len, void *to, uint32_t room)
{
	rawq_zip_fill(rawq_slot(&q->q), ZIP_REQ_ZLIB, from, len, to, room, q->q.sq_tail);
	rawq_push(&q->q, 0);
}

/* The device's entry at that place, in the first pass of its ring */
static bool device_has(const struct queue *q, unsigned int index)
{
	int ms;

	for (ms = 0; ms < WAIT_MS && !(le16toh(q->device_cq[index].w7) & QM_CQE_PHASE); ms++)
		poll(NULL, 0, 1);
	return ms < WAIT_MS;
}

/* The status of the next completion, which has to be that of the oldest slot; calls the kernel until it is there. */
static int finish(struct queue *q, uint32_t *produced)
{
	uint16_t slot = q->q.cq_head;
	struct rawq_done done;
	struct zip_sqe *sqe;
	int ms, ret = -EAGAIN;

	for (ms = 0; ms < WAIT_MS && ret == -EAGAIN; ms++) {
		ret = rawq_pull(&q->q, &done);
		if (ret == -EAGAIN && ms)
			poll(NULL, 0, 1);
		if (ret == -EAGAIN)
			reap(q);
	}
	if (ret)
		return ret;
	if (done.sq_head != slot)
		return -EPROTO;
	sqe = rawq_zip_done(&q->q, &done);
	*produced = le32toh(sqe->produced);
	return (int)rawq_zip_status(sqe);
}

TEST_F(mediated, attributes)
{
	char text[64];

	EXPECT_EQ(0, uacce_attr_num(variant->dev, "flags"));
	ASSERT_LT(0, uacce_attr(variant->dev, "iommu", text, sizeof(text)));
	EXPECT_STREQ("mediated", text);
}

TEST_F(mediated, nobody_maps_a_doorbell_or_writes_to_the_device_s_ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct queue *q = &self->comp;
	void *map;

	EXPECT_EQ(-EPERM, uacce_mmap(q->q.fd, UACCE_QFRT_MMIO, q->q.mmio_size, &map));
	munmap((void *)q->device_cq, q->device_bytes);
	q->device_cq = NULL;
	map = mmap(NULL, q->device_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, q->q.fd,
		   (off_t)(UACCE_QFRT_DEVICE_CQ * page));
	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-EINVAL, uacce_mmap(q->q.fd, 2, page, &map));
}

TEST_F(mediated, limits)
{
	struct hisi_qp_memory memory;

	ASSERT_EQ(0, ioctl(self->comp.q.fd, UACCE_CMD_QM_GET_MEMORY, &memory));
	EXPECT_EQ(FLAT, memory.flat_bytes);
	EXPECT_EQ(4610, memory.request_pages);
	EXPECT_EQ(64u << 20, memory.pinned_bytes);
	EXPECT_EQ(0, memory.reserved);
}

TEST_F(mediated, calls_that_are_refused)
{
	struct hisi_qp_doorbell reserved = { .flags = HISI_QP_DB_REAP, .reserved = 1 };
	uint16_t depth = self->comp.q.info.sq_depth;
	struct queue *q = &self->comp;
	struct rawq other;

	EXPECT_EQ(-EINVAL, ring(q, 0, 0, 0));
	EXPECT_EQ(-EINVAL, ring(q, 1 << 4, 0, 0));
	EXPECT_EQ(-EINVAL, ring(q, HISI_QP_DB_EVENT, 0, 0));
	EXPECT_EQ(-EINVAL, ring(q, HISI_QP_DB_SQ, depth, 0));
	EXPECT_EQ(-EINVAL, ring(q, HISI_QP_DB_CQ, 0, depth));
	EXPECT_EQ(-1, ioctl(q->q.fd, UACCE_CMD_QM_DOORBELL, &reserved));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, ring(q, HISI_QP_DB_CQ | HISI_QP_DB_EVENT, 0, 0));
	ASSERT_EQ(0, rawq_open(&other, variant->dev));
	EXPECT_EQ(-EINVAL, ring(&(struct queue){ .q = other }, HISI_QP_DB_REAP, 0, 0));
	rawq_close(&other);
}

TEST_F(mediated, a_call_submits_and_another_one_completes)
{
	const struct zip_sqe *sqe = (const struct zip_sqe *)self->comp.q.dus;
	uint32_t n = 0, m = 0;

	add(&self->comp, src, LEN, packed, sizeof(packed));
	ASSERT_EQ(0, submit(&self->comp));
	ASSERT_TRUE(device_has(&self->comp, 0));
	/* The process' own ring is the kernel's. */
	EXPECT_FALSE(rawq_ready(&self->comp.q));
	ASSERT_EQ(0, reap(&self->comp));
	ASSERT_TRUE(rawq_ready(&self->comp.q));
	ASSERT_EQ(ZIP_ST_OK, finish(&self->comp, &n));
	EXPECT_EQ((uint32_t)(uintptr_t)src, le32toh(sqe->source_addr_l));
	EXPECT_EQ((uint32_t)(uintptr_t)packed, le32toh(sqe->dest_addr_l));
	add(&self->decomp, packed, n, back, LEN);
	ASSERT_EQ(0, submit(&self->decomp));
	ASSERT_EQ(ZIP_ST_OK, finish(&self->decomp, &m) % ZIP_ST_END);
	EXPECT_EQ(LEN, m);
	EXPECT_EQ(0, memcmp(src, back, LEN));
}

TEST_F(mediated, poll_completes_before_it_looks)
{
	struct pollfd p = { .fd = self->comp.q.fd, .events = POLLIN };

	add(&self->comp, src, LEN, packed, sizeof(packed));
	ASSERT_EQ(0, submit(&self->comp));
	ASSERT_TRUE(device_has(&self->comp, 0));
	EXPECT_FALSE(rawq_ready(&self->comp.q));
	ASSERT_EQ(1, poll(&p, 1, 0));
	EXPECT_TRUE(rawq_ready(&self->comp.q));
}

TEST_F(mediated, poll_sleeps_until_the_device_has_done_it)
{
	struct pollfd p = { .fd = self->comp.q.fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, emulated_control(variant->dev, "hold"));
	add(&self->comp, src, LEN, packed, sizeof(packed));
	ASSERT_EQ(0, submit(&self->comp));
	EXPECT_EQ(0, poll(&p, 1, 20));
	ASSERT_EQ(0, emulated_control(variant->dev, "release"));
	ASSERT_EQ(1, poll(&p, 1, WAIT_MS));
	EXPECT_TRUE(rawq_ready(&self->comp.q));
}

/* In their order, although the device gets none of them. */
TEST_F(mediated, requests_that_the_kernel_refuses_are_completed)
{
	struct queue *q = &self->comp;
	struct zip_sqe *sqe;
	uint32_t n;

	add(q, src, LEN, packed, sizeof(packed));
	add(q, UNMAPPED, LEN, packed, sizeof(packed));
	add(q, src, LEN, UNMAPPED, sizeof(packed));
	sqe = rawq_slot(&q->q);
	rawq_zip_fill(sqe, ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), 0);
	sqe->lba_l = htole32(1);
	rawq_push(&q->q, 0);
	add(q, src, SHORT, packed, sizeof(packed));
	ASSERT_EQ(0, submit(q));
	EXPECT_EQ(ZIP_ST_OK, finish(q, &n));
	EXPECT_EQ(ZIP_ST_ADDRESS, finish(q, &n));
	EXPECT_EQ(ZIP_ST_ADDRESS, finish(q, &n));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, finish(q, &n));
	EXPECT_EQ(ZIP_ST_OK, finish(q, &n));
}

TEST_F(mediated, requests_wait_for_room)
{
	struct queue *q = &self->comp;
	uint32_t n = 0;
	int i;

	ASSERT_EQ(0, emulated_control(variant->dev, "hold"));
	for (i = 0; i < MANY; i++)
		add(q, src, SHORT, shorts[i], sizeof(shorts[i]));
	ASSERT_EQ(0, submit(q));
	ASSERT_EQ(0, emulated_control(variant->dev, "release"));
	ASSERT_TRUE(device_has(q, SLOTS - 1));
	EXPECT_EQ(0, le16toh(q->device_cq[SLOTS].w7) & QM_CQE_PHASE);
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(ZIP_ST_OK, finish(q, &n));
		EXPECT_EQ(0, memcmp(shorts[0], shorts[i], n));
	}
}

TEST_F(mediated, a_tail_never_overwrites_a_slot)
{
	struct queue *q = &self->comp;
	uint32_t n;

	ASSERT_EQ(0, emulated_control(variant->dev, "hold"));
	add(q, src, SHORT, packed, sizeof(packed));
	ASSERT_EQ(0, submit(q));
	EXPECT_EQ(-EINVAL, ring(q, HISI_QP_DB_SQ, 0, 0));
	ASSERT_EQ(0, emulated_control(variant->dev, "release"));
	EXPECT_EQ(ZIP_ST_OK, finish(q, &n));
}

/* All slots of the ring, several times. */
TEST_F(mediated, rings_wrap)
{
	struct queue *q = &self->comp;
	uint32_t n;
	int i;

	for (i = 0; i < 5 * q->q.info.sq_depth / 2; i++) {
		add(q, src, SHORT, packed, sizeof(packed));
		ASSERT_EQ(0, submit(q));
		ASSERT_EQ(ZIP_ST_OK, finish(q, &n));
	}
}

TEST_F(mediated, a_reset_ends_what_is_in_flight)
{
	struct queue *q = &self->comp;
	uint32_t n;

	ASSERT_EQ(0, emulated_control(variant->dev, "hold"));
	add(q, src, LEN, packed, sizeof(packed));
	ASSERT_EQ(0, submit(q));
	ASSERT_EQ(0, emulated_control(variant->dev, "release"));
	ASSERT_EQ(0, emulated_control(variant->dev, "reset"));
	EXPECT_TRUE(rawq_let_go(&q->q, WAIT_MS));
	n = finish(q, &n);
	EXPECT_TRUE(n == ZIP_ST_ABORTED || n == ZIP_ST_OK);
	EXPECT_EQ(-ENXIO, reap(q));
}

TEST_F(mediated, a_stopped_queue_takes_nothing)
{
	struct queue *q = &self->comp;
	uint32_t n;

	add(q, src, LEN, packed, sizeof(packed));
	ASSERT_EQ(0, submit(q));
	ASSERT_EQ(0, uacce_put_q(q->q.fd));
	/* It has drained. */
	EXPECT_TRUE(rawq_ready(&q->q));
	EXPECT_EQ(ZIP_ST_OK, finish(q, &n));
	EXPECT_EQ(-EINVAL, reap(q));
}

TEST_HARNESS_MAIN
