// SPDX-License-Identifier: Apache-2.0
/* A raw client of an emulated device: every way of waiting, descriptors, mappings, fork, bad addresses, threads. */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "rawq.h"
#include "wait_ms.h"

#define LEN	5000
#define THREADS	6
#define ROUNDS	200

FIXTURE(zip) {
	struct rawq q;
	unsigned char src[LEN];
	unsigned char dst[2 * LEN];
	unsigned int produced;
};

FIXTURE_SETUP(zip)
{
	size_t i;

	for (i = 0; i < LEN; i++)
		self->src[i] = (unsigned char)(i * i >> 8);
	ASSERT_EQ(0, rawq_begin(&self->q, "hisi_zip-0", ZIP_QC_COMPRESS));
}

FIXTURE_TEARDOWN(zip)
{
	rawq_close(&self->q);
}

static void submit(FIXTURE_DATA(zip) *self)
{
	rawq_zip_fill(rawq_slot(&self->q), ZIP_REQ_ZLIB, self->src, LEN, self->dst, sizeof(self->dst), 1);
	rawq_push(&self->q, 1);
}

static int request(FIXTURE_DATA(zip) *self)
{
	return rawq_zip(&self->q, ZIP_REQ_ZLIB, self->src, LEN, self->dst, sizeof(self->dst), &self->produced, WAIT_MS);
}

TEST_F(zip, compresses_and_decompresses)
{
	unsigned char back[LEN];
	unsigned int n;
	struct rawq d;

	ASSERT_EQ(ZIP_ST_OK, request(self));
	ASSERT_EQ(0, rawq_begin(&d, "hisi_zip-1", ZIP_QC_DECOMPRESS));
	EXPECT_EQ(ZIP_ST_OK, rawq_zip(&d, ZIP_REQ_ZLIB, self->dst, self->produced, back, LEN, &n, WAIT_MS));
	EXPECT_EQ(LEN, n);
	EXPECT_EQ(0, memcmp(self->src, back, LEN));
	rawq_close(&d);
}

/* As in the kernel, a poll that doesn't wait reports once more what was reported: the ring's entry, and its event. */
#define MORE_LOOKS	3

TEST_F(zip, poll_wakes_for_a_completion_and_consumes_it)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };
	struct rawq_done done;
	int more = 0;

	EXPECT_EQ(0, poll(&p, 1, 0));
	submit(self);
	EXPECT_EQ(1, poll(&p, 1, WAIT_MS));
	EXPECT_EQ(POLLIN, p.revents);
	EXPECT_EQ(0, rawq_pull(&self->q, &done));
	while (poll(&p, 1, 0)) {
		ASSERT_LE(++more, MORE_LOOKS);
	}
	EXPECT_GE(more, 1);
}

TEST_F(zip, poll_reports_other_files_as_well)
{
	struct pollfd p[2] = { { .fd = self->q.fd, .events = POLLIN }, { .events = POLLIN } };
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	p[1].fd = pipes[0];
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	EXPECT_EQ(1, poll(p, 2, WAIT_MS));
	EXPECT_EQ(0, p[0].revents);
	EXPECT_EQ(POLLIN, p[1].revents);
	submit(self);
	ASSERT_EQ(0, rawq_wait(&self->q, &(struct rawq_done){ 0 }, WAIT_MS));
	EXPECT_EQ(2, poll(p, 2, WAIT_MS));
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(zip, select_wakes)
{
	struct timeval limit = { .tv_sec = WAIT_MS / 1000 };
	fd_set in;

	FD_ZERO(&in);
	FD_SET(self->q.fd, &in);
	submit(self);
	EXPECT_EQ(1, select(self->q.fd + 1, &in, NULL, NULL, &limit));
	EXPECT_TRUE(FD_ISSET(self->q.fd, &in));
}

/* select() for one descriptor. */
static int select_one(int fd, struct timeval *limit)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd, &in);
	return select(fd + 1, &in, NULL, NULL, limit);
}

TEST_F(zip, select_writes_the_time_that_is_left)
{
	struct timeval limit = { .tv_usec = 1000 };
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(0, select_one(pipes[0], &limit));
	EXPECT_EQ(0, limit.tv_usec);
	limit.tv_usec = 1000;
	EXPECT_EQ(0, select_one(self->q.fd, &limit));
	EXPECT_EQ(0, limit.tv_usec);
	limit = (struct timeval){ .tv_sec = WAIT_MS / 1000 };
	submit(self);
	EXPECT_EQ(1, select_one(self->q.fd, &limit));
	EXPECT_TRUE(limit.tv_sec < WAIT_MS / 1000);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(zip, epoll_wakes_with_its_data)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = 0x1234567890 };
	int ep = epoll_create1(EPOLL_CLOEXEC), more = 0;

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->q.fd, &e));
	EXPECT_EQ(0, epoll_wait(ep, &e, 1, 0));
	submit(self);
	ASSERT_EQ(1, epoll_wait(ep, &e, 1, WAIT_MS));
	EXPECT_EQ(0x1234567890, e.data.u64);
	EXPECT_EQ(EPOLLIN, e.events & EPOLLIN);
	while (epoll_wait(ep, &e, 1, 0)) {
		ASSERT_LE(++more, MORE_LOOKS);
	}
	EXPECT_GE(more, 1);
	EXPECT_EQ(0, epoll_ctl(ep, EPOLL_CTL_DEL, self->q.fd, &e));
	close(ep);
}

TEST_F(zip, poll_goes_on_after_more_than_a_ring_was_consumed_by_spinning)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };
	int i;

	for (i = 0; i < 1536; i++) {
		ASSERT_EQ(ZIP_ST_OK, request(self)) TH_LOG("request %d", i);
	}
	poll(&p, 1, 0);
	poll(&p, 1, 0);
	for (i = 0; i < 100; i++) {
		rawq_ack(&self->q, 1);
		submit(self);
		ASSERT_EQ(1, poll(&p, 1, WAIT_MS)) TH_LOG("request %d", i);
		ASSERT_EQ(0, rawq_wait(&self->q, &(struct rawq_done){ 0 }, WAIT_MS));
		while (poll(&p, 1, 0))
			;
	}
}

TEST_F(zip, arming_right_after_submitting_loses_nothing)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };
	int i;

	for (i = 0; i < 1500; i++) {
		submit(self);
		rawq_ack(&self->q, 1);
		while (!rawq_ready(&self->q)) {
			ASSERT_EQ(1, poll(&p, 1, WAIT_MS)) TH_LOG("request %d", i);
		}
		ASSERT_EQ(0, rawq_wait(&self->q, &(struct rawq_done){ 0 }, WAIT_MS));
	}
}

TEST_F(zip, unmapped_memory_fails_the_request_and_nothing_else)
{
	/* Below everything that mmap() places by itself, so that no thread's stack takes its place. */
	void *gone = mmap((void *)0x10000000, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const char fixed[4096] = { 1 };
	unsigned int n;

	ASSERT_EQ((void *)0x10000000, gone);
	munmap(gone, 8192);
	EXPECT_EQ(ZIP_ST_ADDRESS, rawq_zip(&self->q, ZIP_REQ_ZLIB, gone, 100, self->dst, LEN, &n, WAIT_MS));
	EXPECT_EQ(ZIP_ST_ADDRESS, rawq_zip(&self->q, ZIP_REQ_ZLIB, self->src, 100, gone, LEN, &n, WAIT_MS));
	EXPECT_EQ(ZIP_ST_ADDRESS, rawq_zip(&self->q, ZIP_REQ_ZLIB, self->src, 100, (void *)fixed, 4096, &n, WAIT_MS));
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

TEST_F(zip, copies_of_the_descriptor_are_the_same_queue)
{
	int copy = dup(self->q.fd), moved = fcntl(copy, F_DUPFD_CLOEXEC, 100);
	long before = uacce_attr_num("hisi_zip-0", "available_instances");

	EXPECT_LE(100, moved);
	EXPECT_EQ(moved, dup2(copy, moved));
	EXPECT_EQ(-EINVAL, neg_errno(ioctl(moved, UACCE_CMD_START_Q)));
	close(copy);
	close(moved);
	EXPECT_EQ(before, uacce_attr_num("hisi_zip-0", "available_instances"));
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

static void close_by_range(int first)
{
	close_range(first, ~0u, 0);
}

static void close_by_number(int first)
{
	syscall(SYS_close_range, first, ~0u, 0);
}

static void closed_in_one_call(struct __test_metadata *_metadata, const char *name, void (*close_all)(int first))
{
	long before = uacce_attr_num(name, "available_instances");
	int fd = uacce_open(name), high, pipes[2];
	char byte = 1;

	ASSERT_LE(0, fd);
	high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
	ASSERT_LE(500, high);
	close(fd);
	close_all(500);
	EXPECT_EQ(before, uacce_attr_num(name, "available_instances"));
	/* The number's next descriptor is not a queue. */
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(high, dup2(pipes[1], high));
	EXPECT_EQ(1, write(high, &byte, 1));
	close(high);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(zip, a_range_of_descriptors_is_closed)
{
	closed_in_one_call(_metadata, "hisi_zip-0", close_by_range);
}

/* The emulator's own descriptors are above 500, too; the request needs them. */
TEST_F(zip, a_range_is_closed_by_the_systems_number)
{
	closed_in_one_call(_metadata, "hisi_zip-0", close_by_number);
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

TEST_F(zip, all_descriptors_from_one_on_are_closed)
{
	closed_in_one_call(_metadata, "hisi_zip-0", closefrom);
}

TEST_F(zip, a_range_that_is_only_marked_stays_open)
{
	int high = fcntl(self->q.fd, F_DUPFD, 500);

	ASSERT_LE(500, high);
	EXPECT_EQ(0, close_range(500, ~0u, CLOSE_RANGE_CLOEXEC));
	EXPECT_EQ(FD_CLOEXEC, fcntl(high, F_GETFD));
	EXPECT_EQ(-EINVAL, neg_errno(ioctl(high, UACCE_CMD_START_Q)));
	EXPECT_EQ(-EINVAL, neg_errno(close_range(501, 500, 0)));
	close(high);
}

TEST_F(zip, open_and_close_are_counted)
{
	long before = uacce_attr_num("hisi_zip-0", "available_instances");
	int fd = uacce_open("hisi_zip-0");

	ASSERT_LE(0, fd);
	EXPECT_EQ(before - 1, uacce_attr_num("hisi_zip-0", "available_instances"));
	close(fd);
	EXPECT_EQ(before, uacce_attr_num("hisi_zip-0", "available_instances"));
}

TEST_F(zip, opens_fail_when_all_queues_are_taken)
{
	int fds[64], n = 0;

	while (n < 64 && (fds[n] = uacce_open("hisi_zip-1")) >= 0)
		n++;
	EXPECT_EQ(64, n);
	EXPECT_EQ(-EBUSY, uacce_open("hisi_zip-1"));
	while (n)
		close(fds[--n]);
	EXPECT_EQ(-ENOENT, uacce_open("hisi_zip-2"));
}

TEST_F(zip, a_node_looks_like_a_character_device)
{
	struct stat st, by_fd;

	ASSERT_EQ(0, stat("/dev/hisi_zip-0", &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	ASSERT_EQ(0, fstat(self->q.fd, &by_fd));
	EXPECT_EQ(st.st_rdev, by_fd.st_rdev);
	EXPECT_EQ(0, access("/dev/hisi_zip-1", R_OK | W_OK));
	EXPECT_EQ(-1, read(self->q.fd, &st, sizeof(st)));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(zip, a_child_may_not_use_the_queue_but_may_open_its_own)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };
	unsigned int n;
	struct rawq q;
	int status;
	pid_t pid;

	ASSERT_EQ(ZIP_ST_OK, request(self));
	pid = fork();
	if (!pid) {
		if (neg_errno(ioctl(self->q.fd, UACCE_CMD_PUT_Q)) != -EPERM)
			_exit(1);
		if (poll(&p, 1, 0) != 1 || p.revents != POLLERR)
			_exit(2);
		close(self->q.fd);
		if (rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS))
			_exit(3);
		if (rawq_zip(&q, ZIP_REQ_ZLIB, self->src, LEN, self->dst, sizeof(self->dst), &n, WAIT_MS) != ZIP_ST_OK)
			_exit(4);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

static void *client(void *arg)
{
	FIXTURE_DATA(zip) *mine = calloc(1, sizeof(*mine));
	long bad = rawq_begin(&mine->q, "hisi_zip-0", ZIP_QC_COMPRESS);
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS && !bad; i++)
		bad = request(mine) != ZIP_ST_OK;
	rawq_close(&mine->q);
	free(mine);
	return (void *)bad;
}

TEST_F(zip, queues_of_several_threads_run_at_once)
{
	pthread_t threads[THREADS];
	void *bad;
	int i;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, client, NULL));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
}

TEST_HARNESS_MAIN
