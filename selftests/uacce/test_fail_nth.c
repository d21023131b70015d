// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a sequence that succeeds again and again: first with the first allocation failing, then with the second, until
 * no failure is left. The kernel must stay sound and lose nothing; which error is returned doesn't matter.
 *   WD_TEST_LONG=1   requests of all kinds are reaped and stopped so, and submitted with lists and as streams
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "pins.h"
#include "uacce_tree.h"
#include "zip_queue.h"

#define ROUNDS_MAX	2000

FIXTURE(sweep) {
	char parent[UACCE_NAME_MAX];
	char name[UACCE_NAME_MAX];
	long available, pins;
};

FIXTURE_VARIANT(sweep) {
	bool mediated;
};

FIXTURE_VARIANT_ADD(sweep, sva) {
	.mediated = false,
};

FIXTURE_VARIANT_ADD(sweep, mediated) {
	.mediated = true,
};

FIXTURE_SETUP(sweep)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	ASSERT_EQ(0, uacce_parent(self->name, self->parent, sizeof(self->parent)));
	if (variant->mediated) {
		ASSERT_EQ(0, dev_set(self->name, "memory", "mediated"));
		ASSERT_EQ(0, uacce_rebind("hisi_zip", self->parent));
		ASSERT_TRUE(uacce_of_parent("hisi_zip", self->parent, self->name));
	}
	self->available = test_attr_num(self->name, "available_instances");
	self->pins = pins_now();
}

FIXTURE_TEARDOWN(sweep)
{
	EXPECT_TRUE(back_to(pins_now, self->pins)) TH_LOG("%ld pins, not %ld", pins_now(), self->pins);
	if (variant->mediated) {
		EXPECT_EQ(0, dev_set(self->name, "memory", "auto"));
		EXPECT_EQ(0, uacce_rebind("hisi_zip", self->parent));
	}
}

/*
 * @body runs with the n-th allocation failing for n = 1, 2, ... and must clean up itself; the loop ends when @body
 * succeeds without a failure.
 */
#define sweep(setup, body, cleanup) do {					\
	const char *__missing = fail_nth_missing();				\
	unsigned int __n;							\
										\
	if (__missing)								\
		SKIP(return, "%s", __missing);					\
	for (__n = 1; __n < ROUNDS_MAX; __n++) {				\
		int __ret, __happened;						\
										\
		setup;								\
		fail_nth_set(__n);						\
		__ret = body;							\
		__happened = fail_nth_happened();				\
		cleanup;							\
		if (!__happened) {						\
			EXPECT_GE(__ret, 0);					\
			break;							\
		}								\
	}									\
	EXPECT_LT(__n, ROUNDS_MAX);						\
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS)); \
} while (0)

TEST_F_TIMEOUT(sweep, open, 240)
{
	char path[UACCE_NAME_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", self->name);
	sweep((void)0, fd = open(path, O_RDWR | O_CLOEXEC), if (fd >= 0) close(fd));
}

TEST_F_TIMEOUT(sweep, mmap, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)), rawq_map(&q), rawq_close(&q));
}

TEST_F_TIMEOUT(sweep, start, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)), uacce_start_q(q.fd), rawq_close(&q));
}

/* The window is mapped by the first access to it. */
TEST_F_TIMEOUT(sweep, first_access, 240)
{
	struct rawq q;

	if (variant->mediated)
		SKIP(return, "a mediated queue has no window");
	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)); ASSERT_EQ(0, rawq_map(&q)),
	      (*(volatile uint32_t *)q.mmio = 0, 0), rawq_close(&q));
}

TEST_F_TIMEOUT(sweep, device_cq, 240)
{
	size_t page = sysconf(_SC_PAGESIZE), bytes;
	off_t at = UACCE_QFRT_DEVICE_CQ * page;
	struct rawq q;
	void *map;

	if (!variant->mediated)
		SKIP(return, "only a mediated queue's device has a ring of its own");
	sweep(ASSERT_EQ(0, rawq_open(&q, self->name));
	      bytes = (q.info.cq_depth * sizeof(struct qm_cqe) + page - 1) / page * page,
	      (map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, q.fd, at)) == MAP_FAILED ? -1 : 0,
	      if (map != MAP_FAILED) munmap(map, bytes); rawq_close(&q));
}

/* ------ requests that the kernel executes ------ */

#define LARGE	(1u << 20)

/* What the kernel does for a request. The last ones are for WD_TEST_LONG=1. */
enum kind { COPIED, MAPPED, LISTED, READ_LISTS, STREAM, KINDS };

struct buffers {
	uint8_t *src, *dst;
	uint8_t ctx[ZIP_CTX_BUF_SIZE] __attribute__((aligned(64)));
	struct list {
		struct qm_sgl head;
		struct qm_sge entry[2];
	} __attribute__((aligned(64))) lists[2];
};

static enum kind kinds(void)
{
	return getenv("WD_TEST_LONG") ? KINDS : READ_LISTS;
}

static const void *list_of(struct list *l, uint8_t *buf, uint32_t half)
{
	memset(l, 0, sizeof(*l));
	l->head.entry_sum_in_sgl = l->head.entry_length_in_sgl = htole16(2);
	for (unsigned int i = 0; i < 2; i++) {
		l->entry[i].buf = htole64((uintptr_t)buf + i * half);
		l->entry[i].len = htole32(half);
	}
	return l;
}

static struct buffers *buffers_new(void)
{
	struct buffers *b = aligned_alloc(64, sizeof(*b));

	memset(b, 0, sizeof(*b));
	b->src = calloc(1, LARGE);
	b->dst = calloc(2, LARGE);
	return b;
}

static void buffers_free(struct buffers *b)
{
	free(b->src);
	free(b->dst);
	free(b);
}

/* A started queue with a request that isn't submitted. */
static int request(struct rawq *q, const char *name, enum kind kind, struct buffers *b)
{
	static const uint32_t sizes[KINDS] = { 100, 4096, LARGE, 65536, 65536 };
	const void *src = kind == READ_LISTS ? list_of(&b->lists[0], b->src, sizes[kind] / 2) : b->src;
	const void *dst = kind == READ_LISTS ? list_of(&b->lists[1], b->dst, sizes[kind]) : b->dst;
	int ret = rawq_begin(q, name, ZIP_QC_COMPRESS);
	struct zip_sqe *sqe;

	if (ret)
		return ret;
	sqe = rawq_slot(q);
	rawq_zip_fill(sqe, ZIP_REQ_ZLIB, src, sizes[kind], (void *)(uintptr_t)dst, 2 * sizes[kind], 0);
	if (kind == READ_LISTS)
		sqe->dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	if (kind == STREAM) {
		sqe->dw7 |= htole32(ZIP_DW7_STREAM);
		sqe->stream_ctx_addr_l = htole32((uint32_t)(uintptr_t)(b->ctx + ZIP_CTX_HW_OFFSET));
		sqe->stream_ctx_addr_h = htole32((uint64_t)(uintptr_t)(b->ctx + ZIP_CTX_HW_OFFSET) >> 32);
	}
	rawq_push(q, 0);
	return 0;
}

static int submit(const struct rawq *q)
{
	struct hisi_qp_doorbell db = { .sq_tail = q->sq_tail, .flags = HISI_QP_DB_SQ };

	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

static int submitted(struct rawq *q, const char *name, enum kind kind, struct buffers *b)
{
	int ret = request(q, name, kind, b);

	return ret ? ret : submit(q);
}

/* Until the completion is there: no failure may keep it from its owner. */
static int reap(struct rawq *q)
{
	long long deadline = now_ms() + REQUEST_MS;
	struct hisi_qp_doorbell db = { .flags = HISI_QP_DB_REAP };

	while (!rawq_ready(q) && now_ms() < deadline) {
		ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db);
		usleep(1000);
	}
	return rawq_ready(q) ? 0 : -ETIMEDOUT;
}

TEST_F_TIMEOUT(sweep, submit, 240)
{
	struct buffers *b = buffers_new();
	struct rawq q;

	if (!variant->mediated)
		SKIP(return, "a queue with a window submits without a call");
	for (enum kind kind = 0; kind < kinds(); kind++)
		sweep(ASSERT_EQ(0, request(&q, self->name, kind, b)), submit(&q), rawq_close(&q));
	buffers_free(b);
}

TEST_F_TIMEOUT(sweep, reap, 240)
{
	struct buffers *b = buffers_new();
	struct rawq q;

	if (!variant->mediated)
		SKIP(return, "a queue with a window completes without a call");
	for (enum kind kind = getenv("WD_TEST_LONG") ? COPIED : LISTED; kind < kinds(); kind++)
		sweep(ASSERT_EQ(0, submitted(&q, self->name, kind, b)), reap(&q),
		      EXPECT_TRUE(rawq_ready(&q)); rawq_close(&q));
	buffers_free(b);
}

/* The stop ends what the device has, or the request that it has completed and nobody has reaped. */
TEST_F_TIMEOUT(sweep, stop, 240)
{
	struct buffers *b = buffers_new();
	struct rawq q;

	if (!variant->mediated)
		SKIP(return, "the kernel knows no requests of a queue with a window");
	for (enum kind kind = getenv("WD_TEST_LONG") ? COPIED : LISTED; kind < kinds(); kind++)
		sweep(ASSERT_EQ(0, submitted(&q, self->name, kind, b)), uacce_put_q(q.fd), rawq_close(&q));
	buffers_free(b);
}

/* A failing stop must not lose the queue. */
TEST_F_TIMEOUT(sweep, close, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_begin(&q, self->name, 0)), close(q.fd),
	      q.fd = -1; rawq_unmap(&q));
}

TEST_HARNESS_MAIN
