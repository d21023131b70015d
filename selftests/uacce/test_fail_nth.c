// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a sequence that succeeds again and again: first with the first allocation failing, then with the second, until
 * no failure is left. The kernel must stay sound and lose nothing; which error is returned doesn't matter.
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "uacce_tree.h"
#include "zip_queue.h"

#define ROUNDS_MAX	2000

FIXTURE(sweep) {
	char parent[UACCE_NAME_MAX];
	char name[UACCE_NAME_MAX];
	long available;
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
}

FIXTURE_TEARDOWN(sweep)
{
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

static int submit(const struct rawq *q)
{
	struct hisi_qp_doorbell db = { .sq_tail = q->sq_tail, .flags = HISI_QP_DB_SQ };

	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

/* Requests that the kernel copies, maps as they are, and makes lists for. */
TEST_F_TIMEOUT(sweep, submit, 240)
{
	static const size_t sizes[] = { 100, 4096, 1 << 20 };
	uint8_t *src = calloc(1, 1 << 20), *dst = calloc(1, 1 << 21);
	struct rawq q;

	if (!variant->mediated)
		SKIP(return, "a queue with a window submits without a call");
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		sweep(ASSERT_EQ(0, rawq_begin(&q, self->name, ZIP_QC_COMPRESS));
		      rawq_zip_fill(rawq_slot(&q), ZIP_REQ_ZLIB, src, sizes[i], dst, 2 * sizes[i], 0); rawq_push(&q, 0),
		      submit(&q), rawq_close(&q));
	free(src);
	free(dst);
}

/* A failing stop must not lose the queue. */
TEST_F_TIMEOUT(sweep, close, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_begin(&q, self->name, 0)), close(q.fd),
	      q.fd = -1; rawq_unmap(&q));
}

TEST_HARNESS_MAIN
