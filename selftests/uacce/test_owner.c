// SPDX-License-Identifier: Apache-2.0
/* Who owns a queue: children, other processes, exec, and what a dead owner leaves. */
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "turn.h"
#include "zip_queue.h"

/* What a process without rights on the queue must see: returns 0, or the number of the check that failed. */
static int stranger_checks(int fd, size_t dus_size)
{
	struct hisi_qp_info info;
	void *map;

	if (uacce_start_q(fd) != -EPERM)
		return 1;
	if (uacce_put_q(fd) != -EPERM)
		return 2;
	if (uacce_set_qp_info(fd, &info) != -EPERM)
		return 3;
	if (uacce_mmap(fd, UACCE_QFRT_DUS, dus_size, &map) != -EPERM)
		return 4;
	if (uacce_mmap(fd, UACCE_QFRT_MMIO, getpagesize(), &map) != -EPERM)
		return 5;
	if (uacce_poll(fd, POLLIN, REQUEST_MS) != POLLERR)
		return 6;
	return 0;
}

static int exit_code(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

#define begin(self) do {						\
	ASSERT_EQ(0, rawq_map(&(self)->q));				\
	(self)->q.id = test_set_qp_ctx((self)->q.fd, ZIP_QC_COMPRESS);	\
	test_start_q((self)->q.fd);					\
} while (0)

TEST_F(zip, child_may_not_use_the_queue)
{
	pid_t pid;

	begin(self);
	pid = fork();
	if (!pid)
		_exit(stranger_checks(self->q.fd, self->q.dus_size));
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(0, rawq_works(&self->q));
}

static void *thread_starts(void *fd)
{
	return (void *)(long)uacce_start_q(*(int *)fd);
}

TEST_F(zip, thread_may_use_the_queue)
{
	pthread_t thread;
	void *ret;

	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_starts, &self->q.fd));
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(NULL, ret);
}

static int send_fd(int socket, int fd)
{
	char data = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int socket)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(socket, &msg, 0) != 1 || !(cmsg = CMSG_FIRSTHDR(&msg)))
		return -EIO;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(int));
	return fd;
}

TEST_F(zip, receiver_of_the_file_may_not_use_the_queue)
{
	int pair[2], fd;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	pid = fork();
	if (!pid) {
		close(self->q.fd);
		fd = receive_fd(pair[1]);
		_exit(fd < 0 ? 9 : stranger_checks(fd, self->q.dus_size));
	}
	ASSERT_EQ(0, send_fd(pair[0], self->q.fd));
	EXPECT_EQ(0, exit_code(pid));
	test_start_q(self->q.fd);
}

TEST_F(zip, program_after_exec_may_not_use_the_queue)
{
	char fd[16], size[32];
	pid_t pid;

	begin(self);
	snprintf(size, sizeof(size), "%zu", self->q.dus_size);
	pid = fork();
	if (!pid) {
		struct rawq own;

		if (rawq_begin(&own, self->name, ZIP_QC_COMPRESS))
			_exit(11);
		fcntl(own.fd, F_SETFD, 0);
		snprintf(fd, sizeof(fd), "%d", own.fd);
		setenv("UACCE_STRANGER_FD", fd, 1);
		setenv("UACCE_STRANGER_SIZE", size, 1);
		execl("/proc/self/exe", "stranger", NULL);
		_exit(12);
	}
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(self->available - 1, wait_available(self->name, self->available - 1, REQUEST_MS));
}

/* Runs before the harness: the test above executes this program. */
__attribute__((constructor)) static void be_the_stranger(void)
{
	const char *fd = getenv("UACCE_STRANGER_FD"), *size = getenv("UACCE_STRANGER_SIZE");

	if (fd && size)
		_exit(stranger_checks(atoi(fd), strtoul(size, NULL, 0)));
}

TEST_F(zip, exec_closes_the_queue)
{
	pid_t pid = fork();

	if (!pid) {
		struct rawq own;

		if (rawq_begin(&own, self->name, ZIP_QC_COMPRESS))
			_exit(11);
		execl("/bin/true", "true", NULL);
		_exit(12);
	}
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(self->available - 1, wait_available(self->name, self->available - 1, REQUEST_MS));
}

TEST_F(zip, queue_lives_until_the_child_has_closed_too)
{
	int go[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	begin(self);
	pid = fork();
	if (!pid) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1));
	}
	rawq_close(&self->q);
	EXPECT_EQ(self->available - 1, test_attr_num(self->name, "available_instances"));
	close(go[1]);
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS));
}

TEST_F(zip, queue_survives_its_owner_in_the_child)
{
	int go[2];
	pid_t owner, child;

	ASSERT_EQ(0, pipe(go));
	owner = fork();
	if (!owner) {
		struct rawq own;
		char c;

		close(go[1]);
		if (rawq_begin(&own, self->name, ZIP_QC_COMPRESS) || rawq_works(&own))
			_exit(11);
		child = fork();
		if (!child)
			_exit(read(go[0], &c, 1));
		_exit(0);
	}
	close(go[0]);
	ASSERT_EQ(0, exit_code(owner));
	EXPECT_EQ(self->available - 2, test_attr_num(self->name, "available_instances"));
	close(go[1]);
	EXPECT_EQ(self->available - 1, wait_available(self->name, self->available - 1, REQUEST_MS));
}

/* Keeps the queue full until it is killed; reports when the first requests are under way. */
static void busy(const char *name, int say)
{
	const uint32_t len = 256 << 10;
	uint8_t *src = calloc(1, len), *dst = malloc(2 * len);
	struct rawq_done done;
	struct rawq q;

	if (rawq_begin(&q, name, ZIP_QC_COMPRESS))
		_exit(11);
	for (unsigned int n = 0;; n++) {
		rawq_zip_fill(rawq_slot(&q), ZIP_REQ_DEFLATE, src, len, dst, 2 * len, n);
		rawq_push(&q, 1);
		if (n == 8 && write(say, "", 1) != 1)
			_exit(12);
		while (n >= 8 && rawq_pull(&q, &done) == -EAGAIN)
			turn_over();
	}
}

TEST_F_TIMEOUT(zip, killed_client_leaves_nothing, 120)
{
	for (int i = 0; i < 20; i++) {
		int said[2], status;
		char c;
		pid_t pid;

		ASSERT_EQ(0, pipe(said));
		pid = fork();
		if (!pid)
			busy(self->name, said[1]);
		close(said[1]);
		ASSERT_EQ(1, read(said[0], &c, 1));
		close(said[0]);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
		ASSERT_EQ(self->available - 1,
			  wait_available(self->name, self->available - 1, REQUEST_MS));
	}
	begin(self);
	EXPECT_EQ(0, rawq_works(&self->q));
}

TEST_HARNESS_MAIN
