// SPDX-License-Identifier: Apache-2.0
/* ioctl, read and write on a queue: numbers, order, arguments, errors. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "../sim/sim_item.h"
#include "turn.h"
#include "zip_queue.h"

_Static_assert(UACCE_CMD_START_Q == 0x5700, "START_Q");
_Static_assert(UACCE_CMD_PUT_Q == 0x5701, "PUT_Q");
_Static_assert(UACCE_CMD_QM_SET_QP_CTX == 0xC004480A, "SET_QP_CTX");
_Static_assert(UACCE_CMD_QM_SET_QP_INFO == 0xC010480B, "SET_QP_INFO");

TEST_F(zip, start_twice_is_einval)
{
	test_start_q(self->q.fd);
	EXPECT_EQ(-EINVAL, uacce_start_q(self->q.fd));
}

TEST_F(zip, put_before_start_changes_nothing)
{
	test_put_q(self->q.fd);
	test_start_q(self->q.fd);
}

TEST_F(zip, put_returns_the_queue_to_init)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	ASSERT_EQ(0, rawq_works(&self->q));
	test_put_q(self->q.fd);
	test_put_q(self->q.fd);
	test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	rawq_rewind(&self->q);
	EXPECT_EQ(0, rawq_works(&self->q));
}

TEST_F(zip, put_keeps_the_queue_until_close)
{
	test_start_q(self->q.fd);
	test_put_q(self->q.fd);
	EXPECT_EQ(self->available - 1, test_attr_num(self->name, "available_instances"));
}

TEST_F(zip, unknown_numbers_are_einval)
{
	const unsigned int unknown[] = {
		0, _IO('W', 2), _IOR('W', 3, unsigned long), _IO('W', 255), _IO('H', 0),
		_IO('H', 10), _IOWR('H', 10, __u64), _IOWR('H', 12, struct hisi_qp_info),
		_IOC(_IOC_READ | _IOC_WRITE, 'H', 10, _IOC_SIZEMASK), 0xffffffff,
	};
	__u64 arg[4] = {};

	for (unsigned int i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		EXPECT_EQ(-EINVAL, neg_errno(ioctl(self->q.fd, unknown[i], arg)));
		EXPECT_EQ(-EINVAL, neg_errno(ioctl(self->q.fd, unknown[i], NULL)));
	}
}

TEST_F(zip, set_qp_ctx_refuses_unknown_types)
{
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(self->q.fd, 2));
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(self->q.fd, 0xffff));
	test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_set_qp_ctx(self->q.fd, ZIP_QC_DECOMPRESS);
}

TEST_F(zip, set_qp_ctx_numbers_queues_apart)
{
	int other = test_open(self->name);

	EXPECT_NE(test_set_qp_ctx(self->q.fd, 0), test_set_qp_ctx(other, 0));
	close(other);
}

TEST_F(zip, set_qp_ctx_is_accepted_after_start)
{
	test_start_q(self->q.fd);
	test_set_qp_ctx(self->q.fd, ZIP_QC_DECOMPRESS);
}

TEST_F(zip, bad_argument_is_efault)
{
	void *readonly = mmap(NULL, self->page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, readonly);
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_CTX, NULL)));
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_INFO, NULL)));
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_CTX, readonly)));
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_INFO, readonly)));
	EXPECT_EQ(-EFAULT, neg_errno(ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_INFO, (void *)-8ul)));
	/* The queue still works. */
	test_start_q(self->q.fd);
}

TEST_F(zip, set_qp_info_describes_the_rings)
{
	struct hisi_qp_info info;
	size_t rings;

	memset(&info, 0xff, sizeof(info));
	test_set_qp_info(self->q.fd, &info);
	EXPECT_EQ(ZIP_SQE_SIZE, info.sqe_size);
	EXPECT_NE(0, info.sq_depth);
	EXPECT_GE(info.cq_depth, info.sq_depth);
	EXPECT_EQ(0, info.reserved);
	rings = (size_t)info.sqe_size * info.sq_depth + sizeof(struct qm_cqe) * info.cq_depth;
	rings = (rings + self->page - 1) / self->page * self->page;
	EXPECT_EQ(rings + self->page, self->q.dus_size);
}

TEST_F(zip, read_and_write_are_einval)
{
	char c = 0;

	EXPECT_EQ(-EINVAL, neg_errno(read(self->q.fd, &c, 1)));
	EXPECT_EQ(-EINVAL, neg_errno(write(self->q.fd, &c, 1)));
}

#ifdef __x86_64__
/* The 32-bit entry, from a 64-bit program; the argument must lie below 4 GiB. */
static int compat_ioctl(int fd, unsigned int cmd, void *arg)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (54), "b" (fd), "c" (cmd), "d" (arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

TEST_F(zip, compat_callers_use_the_same_numbers)
{
	struct hisi_qp_info *info = mmap(NULL, self->page, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)info);
	if (compat_ioctl(-1, 0, NULL) == -ENOSYS)
		SKIP(return, "the kernel has no 32-bit entry");
	EXPECT_EQ(0, compat_ioctl(self->q.fd, UACCE_CMD_QM_SET_QP_INFO, info));
	EXPECT_EQ(ZIP_SQE_SIZE, info->sqe_size);
	EXPECT_EQ(0, compat_ioctl(self->q.fd, UACCE_CMD_START_Q, NULL));
	EXPECT_EQ(-EINVAL, compat_ioctl(self->q.fd, UACCE_CMD_START_Q, NULL));
	EXPECT_EQ(0, compat_ioctl(self->q.fd, UACCE_CMD_PUT_Q, NULL));
}
#endif

/* The simulated device's directory in configfs, below its root. */
static const char *sim_item_of(const char *name)
{
	static const char *const items[] = { "zip0", "zip1" };
	char parent[64], address[64];

	if (uacce_parent(name, parent, sizeof(parent)))
		return NULL;
	for (int i = 0; i < 2; i++)
		if (sim_get(items[i], "address", address, sizeof(address)) > 0 && !strcmp(address, parent))
			return items[i];
	return NULL;
}

static void *starts(void *arg)
{
	return (void *)(long)uacce_start_q(*(int *)arg);
}

/* A separate process in the same memory: it may use the queue, and can be killed alone. */
static int stops(void *arg)
{
	return uacce_put_q(*(int *)arg) ? 1 : 0;
}

static char state_of(pid_t pid)
{
	char path[32], text[256];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (text_read(path, text, sizeof(text)) < 0)
		return '?';
	at = strrchr(text, ')');
	return at ? at[2] : '?';
}

/* The two commands of a start, each answered late but before its deadline; in the form that the attribute shows. */
#define LATE_START	"2:2000000000ns"

/*
 * Kills a process that waits while another thread starts the queue. Returns the process' status; -EAGAIN: the start was
 * over first, or the driver abandoned it. Each try needs another queue: a queue whose start was abandoned can't be
 * started for a while.
 */
static int kill_who_waits(const char *item, const char *name)
{
	static char stack[65536] __attribute__((aligned(16)));
	int fd = uacce_open(name), status = 0;
	pthread_t starter;
	void *started;
	bool over = false;
	pid_t pid;
	char state;

	if (fd < 0)
		return fd;
	if (sim_set(item, "faults/mailbox", LATE_START) || pthread_create(&starter, NULL, starts, &fd))
		return -EIO;
	while (!over && sim_is(item, "faults/mailbox", LATE_START)) {
		turn_over();
		over = !pthread_tryjoin_np(starter, &started);
	}
	if (!over) {
		pid = clone(stops, stack + sizeof(stack), CLONE_VM | SIGCHLD, &fd);
		if (pid < 0)
			return -errno;
		do
			state = state_of(pid);
		while (state != 'D' && state != 'Z');
		kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid)
			return -errno;
		/* A process that stopped the queue came after the start, whether or not the starter has run since. */
		over = !pthread_tryjoin_np(starter, &started);
		if (!over)
			pthread_join(starter, &started);
		over |= WIFEXITED(status) && !WEXITSTATUS(status);
	}
	close(fd);
	/* The driver abandons a command after five seconds. */
	if ((long)started == -ETIMEDOUT || (long)started == -EBUSY)
		return -EAGAIN;
	if ((long)started)
		return (int)(long)started;
	return over ? -EAGAIN : status;
}

TEST_F_TIMEOUT(zip, who_waits_for_anothers_command_can_be_killed, 120)
{
	const char *item = sim_item_of(self->name);
	int status = -EAGAIN;

	if (!item)
		SKIP(return, "the device isn't simulated");
	/* A machine that stalls for the seconds of a start doesn't stall at each try. */
	for (int i = 0; i < 20 && status == -EAGAIN; i++) {
		poll(NULL, 0, i * 200);
		status = kill_who_waits(item, self->name);
	}
	ASSERT_LE(0, status);
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, sim_set(item, "faults/mailbox", "0"));
	EXPECT_EQ(self->available - 1, wait_available(self->name, self->available - 1, REQUEST_MS));
}

TEST_HARNESS_MAIN
