// SPDX-License-Identifier: Apache-2.0
/* The memory of reserved contexts: present before the contexts are opened, and clean. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include "kselftest_harness.h"
#include "rawq.h"
#include "worker.h"

#define A	"A"
#define CTXS	4

/* --- a control group that allows almost no further memory --- */

struct group {
	char mount[64], path[96];
};

static int group_write(const struct group *g, const char *name, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", g->path, name);
	return text_write(path, text);
}

static void group_end(struct group *g)
{
	rmdir(g->path);
	umount2(g->mount, MNT_DETACH);
	rmdir(g->mount);
}

/* False: this kernel has no such limits. */
static bool group_make(struct group *g)
{
	char top[96];

	strcpy(g->mount, "/tmp/wd-memory.XXXXXX");
	if (!mkdtemp(g->mount))
		return false;
	snprintf(g->path, sizeof(g->path), "%s/test", g->mount);
	snprintf(top, sizeof(top), "%s/cgroup.subtree_control", g->mount);
	if (!mount("none", g->mount, "cgroup2", 0, NULL) && !text_write(top, "+memory") && !mkdir(g->path, 0755))
		return true;
	group_end(g);
	return false;
}

/* From here on @w may allocate only @bytes more. */
static int group_close(const struct group *g, const struct worker *w, long bytes)
{
	char path[160], text[32];
	int ret;

	snprintf(text, sizeof(text), "%d", (int)w->pid);
	ret = group_write(g, "cgroup.procs", text);
	snprintf(path, sizeof(path), "%s/memory.current", g->path);
	if (!ret)
		ret = text_read(path, text, sizeof(text)) < 0 ? -EIO : 0;
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%ld", atol(text) + bytes);
	return group_write(g, "memory.max", text);
}

/* --- the tests --- */

FIXTURE(memory) {
	struct worker w;
	struct group group;
};

FIXTURE_SETUP(memory)
{
	ASSERT_EQ(0, worker_start(&self->w));
}

/* The driver takes the setting when it is bound. */
static int set_way(const char *memory)
{
	char parent[64];
	int ret = uacce_parent(DEV0, parent, sizeof(parent));

	if (!ret)
		ret = dev_set(DEV0, "memory", memory);
	return ret ? ret : uacce_rebind("hisi_zip", parent);
}

FIXTURE_TEARDOWN(memory)
{
	worker_kill(&self->w);
	if (self->group.path[0])
		group_end(&self->group);
	if (!access(sec_path(A, NULL), F_OK))
		EXPECT_EQ(0, sec_end(A));
	if (!dev_is(DEV0, "memory", "auto"))
		EXPECT_EQ(0, set_way("auto"));
	EXPECT_TRUE(accounts_ok());
}

static int open_all(struct worker *w)
{
	int i, ret = 0;

	for (i = 0; i < CTXS && !ret; i++)
		ret = w_open(w, DEV0);
	return ret;
}

TEST_F(memory, a_context_of_the_pool_is_charged_to_its_process)
{
	if (!group_make(&self->group))
		SKIP(return, "the kernel has no control groups of memory");
	ASSERT_EQ(0, group_close(&self->group, &self->w, 2 * 256 << 10));
	EXPECT_EQ(-ENOMEM, open_all(&self->w));
}

TEST_F(memory, a_reserved_context_opens_where_a_process_gets_no_more)
{
	if (!group_make(&self->group))
		SKIP(return, "the kernel has no control groups of memory");
	ASSERT_EQ(0, sec_make(A, DEV0, 1, CTXS, 0));
	ASSERT_EQ(0, w_attach(&self->w, A, 0));
	ASSERT_EQ(0, group_close(&self->group, &self->w, 2 * 256 << 10));
	EXPECT_EQ(0, open_all(&self->w));
	/* Memory that is given back is available for the next open. */
	EXPECT_EQ(0, w_close(&self->w));
	EXPECT_EQ(0, w_open(&self->w, DEV0));
}

/* Its device has rings of its own, and memory for small requests. */
TEST_F(memory, a_reserved_mediated_context_starts_where_a_process_gets_no_more)
{
	int i;

	if (!group_make(&self->group))
		SKIP(return, "the kernel has no control groups of memory");
	ASSERT_EQ(0, set_way("mediated"));
	ASSERT_EQ(0, sec_make(A, DEV0, 1, CTXS, 0));
	ASSERT_EQ(0, w_attach(&self->w, A, 0));
	ASSERT_EQ(0, group_close(&self->group, &self->w, 1 << 20));
	for (i = 0; i < CTXS; i++) {
		EXPECT_EQ(0, w_open(&self->w, DEV0));
		EXPECT_EQ(0, w_start(&self->w));
	}
	EXPECT_EQ(0, w_close(&self->w));
	EXPECT_EQ(0, w_open(&self->w, DEV0));
	EXPECT_EQ(0, w_start(&self->w));
}

TEST_F(memory, a_mediated_context_of_the_pool_is_charged_to_its_process)
{
	int i, ret = 0;

	if (!group_make(&self->group))
		SKIP(return, "the kernel has no control groups of memory");
	ASSERT_EQ(0, set_way("mediated"));
	ASSERT_EQ(0, group_close(&self->group, &self->w, 1 << 20));
	for (i = 0; i < CTXS && !ret; i++) {
		ret = w_open(&self->w, DEV0);
		if (!ret)
			ret = w_start(&self->w);
	}
	/* Small blocks are worth the end of the process to the kernel. */
	EXPECT_TRUE(ret == -ENOMEM || ret == -EPIPE);
}

TEST_F(memory, a_section_that_grew_has_memory_for_all_its_slots)
{
	if (!group_make(&self->group))
		SKIP(return, "the kernel has no control groups of memory");
	ASSERT_EQ(0, sec_make(A, DEV0, 1, CTXS, 0));
	ASSERT_EQ(0, w_attach(&self->w, A, 0));
	ASSERT_EQ(0, open_all(&self->w));
	ASSERT_EQ(0, sec_set(A, "num_processes", "2"));
	worker_kill(&self->w);
	ASSERT_EQ(0, worker_start(&self->w));
	ASSERT_EQ(0, w_attach(&self->w, A, 0));
	ASSERT_EQ(0, group_close(&self->group, &self->w, 2 * 256 << 10));
	EXPECT_EQ(0, open_all(&self->w));
}

TEST_F(memory, a_section_says_how_much_its_queues_pin)
{
	struct hisi_qp_memory memory = {};
	struct nl_client c;
	struct rawq q;

	ASSERT_EQ(0, set_way("mediated"));
	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, sec_set(A, "max_pinned", "128"));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, A, NULL, NULL, 0));
	ASSERT_EQ(0, rawq_begin(&q, DEV0, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, ioctl(q.fd, UACCE_CMD_QM_GET_MEMORY, &memory));
	EXPECT_EQ(128u << 20, memory.pinned_bytes);
	/* The next start takes the new number. */
	ASSERT_EQ(0, sec_set(A, "max_pinned", "0"));
	ASSERT_EQ(0, uacce_put_q(q.fd));
	ASSERT_EQ(0, uacce_start_q(q.fd));
	ASSERT_EQ(0, ioctl(q.fd, UACCE_CMD_QM_GET_MEMORY, &memory));
	EXPECT_EQ(64u << 20, memory.pinned_bytes);
	rawq_close(&q);
	client_close(&c);
}

static bool is_zero(const uint8_t *p, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && !p[i]; i++)
		;
	return i == bytes;
}

TEST_F(memory, a_reserved_context_shows_nothing_of_the_last_one)
{
	struct nl_client c;
	struct rawq q;
	int i;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, A, NULL, NULL, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, rawq_open(&q, DEV0));
		ASSERT_EQ(0, rawq_map(&q));
		EXPECT_TRUE(is_zero(q.dus, q.dus_size));
		memset(q.dus, 0xa5, q.dus_size);
		rawq_close(&q);
	}
	client_close(&c);
}

/* vmsplice() refers to the page itself, for as long as nobody reads the pipe. */
TEST_F(memory, a_page_that_its_process_refers_to_goes_to_no_other_context)
{
	uint8_t seen[64], own[64];
	struct nl_client c;
	struct rawq q;
	ssize_t len;
	int ends[2];

	memset(own, 0xa5, sizeof(own));
	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, A, NULL, NULL, 0));
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, rawq_open(&q, DEV0));
	ASSERT_EQ(0, rawq_map(&q));
	memset(q.dus, 0xa5, q.dus_size);
	len = vmsplice(ends[1], &(struct iovec){ q.dus, sizeof(own) }, 1, 0);
	/* Since Linux 6.9 there is no way around the mapping's flags where a page belongs to no file. */
	if (len < 0 && errno == EFAULT)
		SKIP(return, "this kernel takes no page of such a mapping");
	ASSERT_EQ(sizeof(own), len);
	rawq_close(&q);
	ASSERT_EQ(0, rawq_open(&q, DEV0));
	ASSERT_EQ(0, rawq_map(&q));
	memset(q.dus, 0x5a, q.dus_size);
	ASSERT_EQ(sizeof(seen), read(ends[0], seen, sizeof(seen)));
	EXPECT_EQ(0, memcmp(own, seen, sizeof(own)));
	rawq_close(&q);
	close(ends[0]);
	close(ends[1]);
	client_close(&c);
}

TEST_HARNESS_MAIN
