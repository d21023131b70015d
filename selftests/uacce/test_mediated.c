// SPDX-License-Identifier: Apache-2.0
/* Queues without shared virtual addresses: what they say of themselves, what may be mapped, and calls that wait. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#define NEED_SIM	"the tests make a device without shared virtual addressing"
#include "need_machine.h"
#include "../sim/sim_item.h"
#include "late_page.h"
#include "rawq.h"
#include "turn.h"
#include "uacce_nl.h"
#include "uacce_tree.h"
#include "wait_ms.h"

#define NAME	"mediated"
#define TEXT	"a queue works when it compresses this, this, this and this"

FIXTURE(mediated) {
	char address[64];
	char dev[UACCE_NAME_MAX];
	struct rawq q;
	struct late_page late;
	size_t page;
	size_t cq_bytes;
};

FIXTURE_VARIANT(mediated) {
	const char *generation;
};

FIXTURE_VARIANT_ADD(mediated, generation2) {
	.generation = "2",
};

FIXTURE_VARIANT_ADD(mediated, generation3) {
	.generation = "3",
};

FIXTURE_SETUP(mediated)
{
	int ret;

	self->q.fd = -1;
	self->late = (struct late_page){ .uffd = -1, .at = MAP_FAILED };
	/* What a test that ended by an assertion has left. */
	sim_set(NAME, "live", "0");
	sim_rmdir(NAME);
	ASSERT_EQ(0, sim_mkdir(NAME));
	ret = sim_set(NAME, "sva", "0");
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel has no DMA operations of devices");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, sim_set(NAME, "generation", variant->generation));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", self->address, sizeof(self->address)));
	ASSERT_TRUE(uacce_of_parent("hisi_zip", self->address, self->dev))
		TH_LOG("%s has no uacce device", self->address);
	ASSERT_EQ(0, dev_set(self->dev, "memory", "auto"));
	ASSERT_EQ(0, rawq_open(&self->q, self->dev));
	self->page = sysconf(_SC_PAGESIZE);
	self->cq_bytes = self->q.info.cq_depth * sizeof(struct qm_cqe);
	self->cq_bytes = (self->cq_bytes + self->page - 1) / self->page * self->page;
}

FIXTURE_TEARDOWN(mediated)
{
	rawq_close(&self->q);
	late_page_end(&self->late);
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
	EXPECT_TRUE(accounts_ok());
}

static int ring(const struct rawq *q, uint32_t flags)
{
	struct hisi_qp_doorbell db = { .sq_tail = q->sq_tail, .cq_head = q->cq_head, .flags = flags };

	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

static int begin(struct rawq *q)
{
	int ret = rawq_map(q);

	return ret ? ret : rawq_start(q, ZIP_QC_COMPRESS);
}

static void fill(struct rawq *q, const void *src, uint32_t len, void *dst, uint32_t room)
{
	char api[32];
	bool old = uacce_attr(q->name, "api", api, sizeof(api)) > 0 && !strcmp(api, "hisi_qm_v2");

	(old ? rawq_zip_fill2 : rawq_zip_fill)(rawq_slot(q), ZIP_REQ_ZLIB, src, len, dst, room, 0);
	rawq_push(q, 0);
}

/* The next completion's status, or -errno. */
static int finish(struct rawq *q)
{
	struct rawq_done done;
	int ret = rawq_wait(q, &done, WAIT_MS);

	return ret ? ret : (int)rawq_zip_status(rawq_zip_done(q, &done));
}

static int works(struct rawq *q)
{
	char text[] = TEXT;
	uint8_t out[256];
	int ret;

	fill(q, text, sizeof(text), out, sizeof(out));
	ret = ring(q, HISI_QP_DB_SQ);
	return ret ? ret : finish(q);
}

/* ------ what such a device says of itself ------ */

TEST_F(mediated, says_how_it_reaches_memory)
{
	struct nlc *c = malloc(sizeof(*c));
	char iommu[32];

	EXPECT_EQ(0, test_attr_num(self->dev, "flags"));
	ASSERT_LT(0, uacce_attr(self->dev, "iommu", iommu, sizeof(iommu)));
	EXPECT_STREQ("mediated", iommu);
	EXPECT_EQ(1, test_attr_num(self->dev, "hisi_zip-zlib/flags") & 1);
	ASSERT_EQ(0, nlc_open(c));
	ASSERT_EQ(0, nlc_dev_get(c, self->dev));
	EXPECT_EQ(UACCE_NL_DEV_SIMULATED | UACCE_NL_DEV_MEDIATED, nlm_num(&c->reply.h, UACCE_A_DEV_FLAGS));
	EXPECT_EQ(UACCE_NL_DOORBELLS_KERNEL, nlm_num(&c->reply.h, UACCE_A_DEV_DOORBELLS));
	nlc_close(c);
	free(c);
}

TEST_F(mediated, the_kernel_rings)
{
	EXPECT_TRUE(dev_is(self->dev, "doorbells", "kernel"));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(self->dev, "doorbells", "mapped"));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(self->dev, "doorbells", "isolated"));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "doorbells", "none"));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
	EXPECT_TRUE(dev_is(self->dev, "doorbells", "kernel"));
}

TEST_F(mediated, an_administrator_may_forbid_it)
{
	struct rawq other;

	ASSERT_EQ(0, begin(&self->q));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "memory", "all"));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "memory", "\n"));
	EXPECT_TRUE(dev_is(self->dev, "memory", "auto"));
	ASSERT_EQ(0, dev_set(self->dev, "memory", "sva"));
	EXPECT_TRUE(dev_is(self->dev, "memory", "sva"));
	EXPECT_EQ(0, test_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(-EOPNOTSUPP, rawq_open(&other, self->dev));
	/* The open queue stays. */
	EXPECT_EQ(0, works(&self->q));
	ASSERT_EQ(0, dev_set(self->dev, "memory", "mediated"));
	ASSERT_EQ(0, rawq_open(&other, self->dev));
	rawq_close(&other);
	/* The setting outlives the device, and with it the way back. */
	ASSERT_EQ(0, dev_set(self->dev, "memory", "sva"));
	ASSERT_EQ(0, uacce_rebind("hisi_zip", self->address));
	ASSERT_TRUE(uacce_of_parent("hisi_zip", self->address, self->dev));
	EXPECT_EQ(-EOPNOTSUPP, rawq_open(&other, self->dev));
	ASSERT_EQ(0, dev_set(self->dev, "memory", "auto"));
	ASSERT_EQ(0, rawq_open(&other, self->dev));
	rawq_close(&other);
}

static int functions(const char *address, const char *number)
{
	char path[128];

	snprintf(path, sizeof(path), SIM_PCI "/%s/sriov_numvfs", address);
	return text_write(path, number);
}

/* The uacce device of the first virtual function. */
static bool virtual_one(const char *address, char dev[UACCE_NAME_MAX])
{
	char path[128], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), SIM_PCI "/%s/virtfn0", address);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = 0;
	return uacce_of_parent("hisi_zip", strrchr(target, '/') + 1, dev);
}

/* Registers of the physical function choose for the whole device. */
TEST(a_virtual_function_of_generation2_has_the_way_of_the_physical_one)
{
	char address[64], dev[UACCE_NAME_MAX], iommu[32];

	sim_set(NAME, "live", "0");
	sim_rmdir(NAME);
	ASSERT_EQ(0, sim_mkdir(NAME));
	ASSERT_EQ(0, sim_set(NAME, "generation", "2"));
	ASSERT_EQ(0, sim_set(NAME, "vfs", "1"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	ASSERT_EQ(0, functions(address, "1"));
	ASSERT_TRUE(virtual_one(address, dev));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(dev, "memory", "mediated"));
	EXPECT_TRUE(dev_is(dev, "memory", "auto"));
	EXPECT_EQ(0, dev_set(dev, "memory", "sva"));
	EXPECT_EQ(0, dev_set(dev, "memory", "auto"));
	ASSERT_EQ(0, functions(address, "0"));

	ASSERT_TRUE(uacce_of_parent("hisi_zip", address, dev));
	ASSERT_EQ(0, dev_set(dev, "memory", "mediated"));
	ASSERT_EQ(0, uacce_rebind("hisi_zip", address));
	ASSERT_EQ(0, functions(address, "1"));
	ASSERT_TRUE(virtual_one(address, dev));
	ASSERT_LT(0, uacce_attr(dev, "iommu", iommu, sizeof(iommu)));
	EXPECT_STREQ("mediated", iommu);
	ASSERT_EQ(0, functions(address, "0"));
	ASSERT_TRUE(uacce_of_parent("hisi_zip", address, dev));
	EXPECT_EQ(0, dev_set(dev, "memory", "auto"));
	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_EQ(0, sim_rmdir(NAME));
}

/* ------ what may be mapped ------ */

TEST_F(mediated, nobody_maps_the_window)
{
	EXPECT_EQ(-EPERM, uacce_try_mmap(self->q.fd, self->page, 0, PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EPERM, uacce_try_mmap(self->q.fd, self->page, 0, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EPERM, uacce_try_mmap(self->q.fd, self->q.mmio_size, 0, PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(0, uacce_try_mmap(self->q.fd, self->q.dus_size, self->page, PROT_READ | PROT_WRITE, MAP_SHARED));
}

TEST_F(mediated, the_devices_completions_are_read_only)
{
	off_t at = UACCE_QFRT_DEVICE_CQ * self->page;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	volatile struct qm_cqe *cq;
	char path[UACCE_NAME_MAX + 8];
	uint64_t word = ~0ull;

	ASSERT_EQ(0, begin(&self->q));
	EXPECT_EQ(-EACCES, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EACCES, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_WRITE, MAP_SHARED));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->cq_bytes + self->page, at, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->cq_bytes - self->page, at, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->page, 2 * self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->page, 4 * self->page, PROT_READ, MAP_SHARED));
	EXPECT_EQ(0, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ, MAP_SHARED));

	cq = mmap(NULL, self->cq_bytes, PROT_READ, MAP_SHARED, self->q.fd, at);
	ASSERT_NE(MAP_FAILED, (void *)cq);
	EXPECT_EQ(-EEXIST, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EACCES, neg_errno(mprotect((void *)cq, self->cq_bytes, PROT_READ | PROT_WRITE)));
	EXPECT_EQ(-EACCES, neg_errno(mprotect((void *)cq, self->cq_bytes, PROT_WRITE)));
	/* Neither by the way of a debugger, which ignores protections. */
	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pwrite(mem, &word, sizeof(word), (off_t)(uintptr_t)cq));
	close(mem);
	EXPECT_EQ(0, works(&self->q));

	/* The mapping outlives the device. */
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->address));
	(void)cq[0].w7;
	EXPECT_EQ(-EACCES, neg_errno(mprotect((void *)cq, self->cq_bytes, PROT_READ | PROT_WRITE)));
	munmap((void *)cq, self->cq_bytes);
	EXPECT_EQ(-ENXIO, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ, MAP_SHARED));
	rawq_close(&self->q);
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->address));

	/* Nor for a file that was opened for reading. */
	ASSERT_TRUE(uacce_of_parent("hisi_zip", self->address, self->dev));
	snprintf(path, sizeof(path), "/dev/%s", self->dev);
	self->q.fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->q.fd);
	EXPECT_EQ(0, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-EACCES, uacce_try_mmap(self->q.fd, self->cq_bytes, at, PROT_READ | PROT_WRITE, MAP_SHARED));
}

TEST_F(mediated, a_spinning_thread_sees_the_devices_completion)
{
	long long deadline = now_ms() + WAIT_MS;
	volatile struct qm_cqe *cq;
	char text[] = TEXT;
	uint8_t out[256];

	ASSERT_EQ(0, begin(&self->q));
	cq = mmap(NULL, self->cq_bytes, PROT_READ, MAP_SHARED, self->q.fd, UACCE_QFRT_DEVICE_CQ * self->page);
	ASSERT_NE(MAP_FAILED, (void *)cq);
	fill(&self->q, text, sizeof(text), out, sizeof(out));
	ASSERT_EQ(0, ring(&self->q, HISI_QP_DB_SQ));
	while (!(le16toh(cq[0].w7) & QM_CQE_PHASE) && now_ms() < deadline)
		turn_over();
	ASSERT_TRUE(le16toh(cq[0].w7) & QM_CQE_PHASE);
	EXPECT_EQ(0, ring(&self->q, HISI_QP_DB_REAP));
	EXPECT_TRUE(rawq_ready(&self->q));
	munmap((void *)cq, self->cq_bytes);
}

/* ------ calls ------ */

TEST_F(mediated, commands_need_a_started_queue_and_an_argument)
{
	struct hisi_qp_memory memory;

	EXPECT_EQ(-EINVAL, ring(&self->q, HISI_QP_DB_REAP));
	EXPECT_EQ(0, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_GET_MEMORY, &memory)));
	ASSERT_EQ(0, begin(&self->q));
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_DOORBELL, NULL)));
	EXPECT_EQ(-EINVAL, ring(&self->q, 0));
	EXPECT_EQ(-EINVAL, ring(&self->q, 1u << 31));
	EXPECT_EQ(0, ring(&self->q, HISI_QP_DB_REAP));
	EXPECT_EQ(0, works(&self->q));
	test_put_q(self->q.fd);
	EXPECT_EQ(-EINVAL, ring(&self->q, HISI_QP_DB_REAP));
	test_start_q(self->q.fd);
	rawq_rewind(&self->q);
	EXPECT_EQ(0, works(&self->q));
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->address));
	EXPECT_EQ(-ENXIO, ring(&self->q, HISI_QP_DB_REAP));
	EXPECT_EQ(-ENXIO, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_DOORBELL, NULL)));
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->address));
}

TEST_F(mediated, poll_finds_a_completion_that_nobody_reaped)
{
	char text[] = TEXT;
	uint8_t out[256];

	ASSERT_EQ(0, begin(&self->q));
	EXPECT_EQ(0, uacce_poll(self->q.fd, POLLIN, 0));
	fill(&self->q, text, sizeof(text), out, sizeof(out));
	ASSERT_EQ(0, ring(&self->q, HISI_QP_DB_SQ));
	EXPECT_EQ(POLLIN, uacce_poll(self->q.fd, POLLIN, WAIT_MS));
	EXPECT_TRUE(rawq_ready(&self->q));
}

struct submission {
	struct rawq *q;
	int ret;
};

static void *submits(void *arg)
{
	struct submission *s = arg;

	s->ret = ring(s->q, HISI_QP_DB_SQ);
	return NULL;
}

TEST_F_TIMEOUT(mediated, a_submission_that_waits_holds_nobody_up, 300)
{
	struct submission s = { .q = &self->q };
	struct rawq other;
	pthread_t thread;
	uint8_t out[256];
	int ret = late_page_make(&self->late, self->page);

	if (ret)
		SKIP(return, "no userfaultfd: %s", strerror(-ret));
	ASSERT_EQ(0, begin(&self->q));
	fill(&self->q, self->late.at, self->page, out, sizeof(out));
	ASSERT_EQ(0, pthread_create(&thread, NULL, submits, &s));
	ASSERT_EQ(0, late_page_wanted(&self->late));

	/* Its own queue's calls, another queue, a stop, a start. */
	EXPECT_EQ(0, ring(&self->q, HISI_QP_DB_REAP));
	EXPECT_EQ(0, uacce_poll(self->q.fd, POLLIN, 0));
	ASSERT_EQ(0, rawq_open(&other, self->dev));
	ASSERT_EQ(0, begin(&other));
	EXPECT_EQ(0, works(&other));
	rawq_close(&other);
	test_put_q(self->q.fd);
	test_start_q(self->q.fd);
	rawq_rewind(&self->q);
	EXPECT_EQ(0, works(&self->q));
	/* The driver can leave the device meanwhile, and come back. */
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->address));
	EXPECT_EQ(-ENXIO, ring(&self->q, HISI_QP_DB_REAP));
	ASSERT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->address));

	ASSERT_EQ(0, late_page_deliver(&self->late));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(-ESHUTDOWN, s.ret);
}

/* A child of this process tells by @said when it waits: '+'; '-': it can't. */
static void submit_and_wait(const char *dev, int said, size_t page)
{
	struct late_page late;
	uint8_t out[256];
	struct rawq q;

	if (late_page_make(&late, page) || !fork())
		_exit(write(said, late.uffd >= 0 && !late_page_wanted(&late) ? "+" : "-", 1) != 1);
	/* The opener's memory is used, so the child opens. */
	if (rawq_open(&q, dev) || begin(&q))
		_exit(1);
	fill(&q, late.at, late.bytes, out, sizeof(out));
	ring(&q, HISI_QP_DB_SQ);
	_exit(2);
}

TEST_F_TIMEOUT(mediated, a_process_that_waits_can_be_killed, 300)
{
	long available = test_attr_num(self->dev, "available_instances");
	long long deadline = now_ms() + WAIT_MS;
	int said[2], status;
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(said));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		submit_and_wait(self->dev, said[1], self->page);
	close(said[1]);
	ASSERT_EQ(1, read(said[0], &c, 1));
	close(said[0]);
	EXPECT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (c == '-')
		SKIP(return, "no userfaultfd");
	EXPECT_TRUE(WIFSIGNALED(status));
	while (uacce_attr_num(self->dev, "available_instances") != available && now_ms() < deadline)
		poll(NULL, 0, 1);
	EXPECT_EQ(available, test_attr_num(self->dev, "available_instances"));
}

TEST_HARNESS_MAIN
