// SPDX-License-Identifier: Apache-2.0
/* Hardware scatter/gather lists: how a device reads them, limits, pools. */
#include <endian.h>
#include <hisi_qm.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hw/qm_hw.h"
#include "kselftest_harness.h"

#define MANY	2000

static struct wd_datalist *chain(struct wd_datalist *nodes, int n, char *base, __u64 len)
{
	int i;

	for (i = 0; i < n; i++) {
		nodes[i].data = base + (size_t)i * len;
		nodes[i].len = len;
		nodes[i].next = i + 1 < n ? &nodes[i + 1] : NULL;
	}
	return nodes;
}

/* Walks the list as a device does. Returns the number of bytes, or -1 if a device would refuse the list. */
static long walk(const struct qm_sgl *sgl, int *entries, int *lists)
{
	long bytes = 0;

	*entries = 0;
	*lists = 0;
	for (; sgl; sgl = (const struct qm_sgl *)(uintptr_t)le64toh(sgl->next_dma)) {
		const struct qm_sge *sge = (const struct qm_sge *)(sgl + 1);
		int n = le16toh(sgl->entry_sum_in_sgl);

		if (++*lists > QM_SGL_MAX_CHAIN || !n || n > le16toh(sgl->entry_length_in_sgl) ||
		    (uintptr_t)sgl % QM_SGL_ALIGN)
			return -1;
		*entries += n;
		while (n--)
			bytes += le32toh(sge++->len);
	}
	return bytes;
}

TEST(a_list_becomes_entries)
{
	handle_t pool = hisi_qm_create_sglpool(2, 10);
	struct wd_datalist nodes[3];
	char data[300];
	struct qm_sgl *sgl;
	struct qm_sge *sge;
	int i;

	ASSERT_NE(0, pool);
	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 3, data, 100));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(0, le64toh(sgl->next_dma));
	EXPECT_EQ(3, le16toh(sgl->entry_sum_in_chain));
	EXPECT_EQ(3, le16toh(sgl->entry_sum_in_sgl));
	EXPECT_EQ(10, le16toh(sgl->entry_length_in_sgl));
	sge = (struct qm_sge *)(sgl + 1);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ((uintptr_t)data + 100 * i, le64toh(sge[i].buf));
		EXPECT_EQ(100, le32toh(sge[i].len));
	}
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, sgl));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

TEST(pieces_without_bytes_are_skipped)
{
	struct wd_datalist last = { .data = "x", .len = 1 }, middle = { .next = &last },
			   first = { .data = "y", .len = 1, .next = &middle };
	handle_t pool = hisi_qm_create_sglpool(1, 2);
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, &first);
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(2, walk(sgl, &entries, &lists));
	EXPECT_EQ(2, entries);
	hisi_qm_put_hw_sgl(pool, sgl);
	hisi_qm_destroy_sglpool(pool);
}

/* A list without entries counts as malformed. */
TEST(a_list_without_bytes_has_one_empty_entry)
{
	handle_t pool = hisi_qm_create_sglpool(1, 2);
	struct wd_datalist empty = { 0 };
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, &empty);
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(0, walk(sgl, &entries, &lists));
	EXPECT_EQ(1, entries);
	hisi_qm_put_hw_sgl(pool, sgl);
	hisi_qm_destroy_sglpool(pool);
}

TEST(long_lists_are_chained)
{
	static struct wd_datalist nodes[1000];
	static char data[1000 * 7];
	handle_t pool = hisi_qm_create_sglpool(256, 255);
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 1000, data, 7));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(7000, walk(sgl, &entries, &lists));
	EXPECT_EQ(1000, entries);
	EXPECT_EQ(4, lists);
	EXPECT_EQ(1000, le16toh(((struct qm_sgl *)sgl)->entry_sum_in_chain));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, sgl));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

TEST(a_list_that_just_fills_its_entries_is_not_chained_on)
{
	handle_t pool = hisi_qm_create_sglpool(3, 4);
	struct wd_datalist nodes[9];
	char data[9];
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 8, data, 1));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(8, walk(sgl, &entries, &lists));
	EXPECT_EQ(2, lists);
	hisi_qm_put_hw_sgl(pool, sgl);
	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 9, data, 1));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(9, walk(sgl, &entries, &lists));
	EXPECT_EQ(3, lists);
	hisi_qm_put_hw_sgl(pool, sgl);
	hisi_qm_destroy_sglpool(pool);
}

TEST(a_piece_above_8_mib_takes_several_entries)
{
	handle_t pool = hisi_qm_create_sglpool(2, 2);
	struct wd_datalist piece = { .data = (void *)0x100000, .len = 3ull * QM_SGE_MAX_BYTES + 5 };
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, &piece);
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ((long)piece.len, walk(sgl, &entries, &lists));
	EXPECT_EQ(4, entries);
	hisi_qm_put_hw_sgl(pool, sgl);
	hisi_qm_destroy_sglpool(pool);
}

TEST(a_list_that_never_fits_is_too_big)
{
	handle_t pool = hisi_qm_create_sglpool(2, 2);
	struct wd_datalist nodes[5];
	struct wd_datalist huge = { .data = "x", .len = ~0ull };
	char data[5];

	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, chain(nodes, 5, data, 1)));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, &huge));
	EXPECT_EQ(E2BIG, errno);
	nodes[4].len = 0;
	nodes[4].next = nodes;
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, nodes));
	EXPECT_EQ(E2BIG, errno);
	nodes[4].next = &nodes[4];
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, nodes));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

TEST(a_chain_has_256_lists_at_most)
{
	static struct wd_datalist nodes[300];
	static char data[300];
	handle_t pool = hisi_qm_create_sglpool(1000, 1);
	int entries, lists;
	void *sgl;

	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 256, data, 1));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(256, walk(sgl, &entries, &lists));
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, chain(nodes, 257, data, 1)));
	EXPECT_EQ(E2BIG, errno);
	hisi_qm_put_hw_sgl(pool, sgl);
	hisi_qm_destroy_sglpool(pool);
}

TEST(an_empty_pool_is_busy_until_one_comes_back)
{
	handle_t pool = hisi_qm_create_sglpool(2, 1);
	struct wd_datalist nodes[2];
	void *one, *two;
	char data[2];

	one = hisi_qm_get_hw_sgl(pool, chain(nodes, 1, data, 1));
	ASSERT_NE(NULL, one);
	/* A chain that doesn't fit as a whole must take nothing. */
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, chain(nodes, 2, data, 1)));
	EXPECT_EQ(EBUSY, errno);
	two = hisi_qm_get_hw_sgl(pool, chain(nodes, 1, data, 1));
	ASSERT_NE(NULL, two);
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, nodes));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(-EBUSY, hisi_qm_destroy_sglpool(pool));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, one));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, two));
	one = hisi_qm_get_hw_sgl(pool, chain(nodes, 2, data, 1));
	EXPECT_NE(NULL, one);
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, one));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

TEST(bad_pieces_are_refused)
{
	handle_t pool = hisi_qm_create_sglpool(1, 1);
	struct wd_datalist bad = { .data = NULL, .len = 1 };

	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, &bad));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, hisi_qm_get_hw_sgl(pool, NULL));
	EXPECT_EQ(EINVAL, errno);
	hisi_qm_destroy_sglpool(pool);
}

TEST(what_is_not_out_can_not_be_put_back)
{
	handle_t pool = hisi_qm_create_sglpool(2, 1), other = hisi_qm_create_sglpool(1, 1);
	struct wd_datalist nodes[2];
	unsigned char *sgl;
	char data[128];
	char text[128];

	sgl = hisi_qm_get_hw_sgl(pool, chain(nodes, 2, data, 1));
	ASSERT_NE(NULL, sgl);
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(pool, NULL));
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(pool, data));
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(pool, sgl + 64));
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(other, sgl));
	/* The chain's second list is in use, but was not handed out by itself. */
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(pool, (void *)(uintptr_t)le64toh(((struct qm_sgl *)sgl)->next_dma)));
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, sgl));
	EXPECT_EQ(-EINVAL, hisi_qm_put_hw_sgl(pool, sgl));
	EXPECT_LT(0, wd_error_detail(pool, text, sizeof(text)));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(other));
	EXPECT_EQ(-EINVAL, hisi_qm_destroy_sglpool(pool));
}

TEST(sizes_out_of_range_are_refused)
{
	static const __u32 bad[][2] = { { 0, 1 }, { 1, 0 }, { 65536, 1 }, { 1, 256 }, { ~0u, ~0u } };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		EXPECT_EQ(0, hisi_qm_create_sglpool(bad[i][0], bad[i][1]));
		EXPECT_EQ(EINVAL, errno);
	}
}

TEST(a_child_may_only_free_the_pool)
{
	handle_t pool = hisi_qm_create_sglpool(1, 1);
	struct wd_datalist node = { .data = "x", .len = 1 };
	void *sgl = hisi_qm_get_hw_sgl(pool, &node);
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int ok = !hisi_qm_get_hw_sgl(pool, &node) && errno == ESTALE &&
			 hisi_qm_put_hw_sgl(pool, sgl) == -ESTALE;

		_exit(ok && !hisi_qm_destroy_sglpool(pool) ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, hisi_qm_put_hw_sgl(pool, sgl));
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(pool));
}

static handle_t shared;

static void *get_and_put(void *arg)
{
	struct wd_datalist nodes[3];
	int entries, lists, i;
	char data[30];
	long bad = 0;

	(void)arg;
	chain(nodes, 3, data, 10);
	for (i = 0; i < MANY; i++) {
		void *sgl = hisi_qm_get_hw_sgl(shared, nodes);

		if (!sgl) {
			bad += errno != EBUSY;
			continue;
		}
		bad += walk(sgl, &entries, &lists) != 30 || lists != 2;
		bad += hisi_qm_put_hw_sgl(shared, sgl) != 0;
	}
	return (void *)bad;
}

TEST(threads_share_a_pool)
{
	pthread_t threads[4];
	void *bad;
	int i;

	shared = hisi_qm_create_sglpool(5, 2);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, get_and_put, NULL));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(0, hisi_qm_destroy_sglpool(shared));
}

TEST_HARNESS_MAIN
