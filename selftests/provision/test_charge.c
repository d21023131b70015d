// SPDX-License-Identifier: Apache-2.0
/* open(): what each caller is charged or refused, and that no caller gets around it. */
#include <pthread.h>
#include <sys/ioctl.h>
#include <misc/uacce/uacce.h>
#include "kselftest_harness.h"
#include "worker.h"

#define A	"A"
#define B	"B"

FIXTURE(charge) {
	struct worker w[4];
	long total;
};

FIXTURE_SETUP(charge)
{
	int i;

	self->total = dev_num(DEV0, "total_ctxs");
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, worker_start(&self->w[i]));
	}
}

FIXTURE_TEARDOWN(charge)
{
	int i;

	for (i = 0; i < 4; i++)
		worker_kill(&self->w[i]);
	for (i = 0; i < 2; i++)
		if (!access(sec_path(i ? B : A, NULL), F_OK))
			EXPECT_EQ(0, sec_end(i ? B : A));
	EXPECT_EQ(0, dev_set(DEV0, "max_ctxs_per_process", "0"));
	EXPECT_EQ(0, soon_zero(DEV0, "used_ctxs"));
	EXPECT_EQ(self->total, dev_num(DEV0, "free_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

TEST_F(charge, an_attached_process_has_its_share_and_no_more)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, 2, 2, 0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], DEV0));
	EXPECT_EQ(-EACCES, w_open(&w[0], DEV1));
	EXPECT_EQ(self->total - 4, dev_num(DEV0, "free_ctxs"));
	EXPECT_EQ(2, dev_num(DEV0, "used_ctxs"));
	EXPECT_EQ(0, w_close(&w[0]));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
}

TEST_F(charge, extras_come_out_of_the_pool)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, sec_set(A, "max_extra_ctxs", "1"));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], DEV0));
	EXPECT_EQ(self->total - 2, dev_num(DEV0, "free_ctxs"));
}

TEST_F(charge, the_others_have_what_is_not_reserved)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, self->total - 1, 1, 0));
	EXPECT_EQ(0, w_open(&w[1], DEV0));
	EXPECT_EQ(-EBUSY, w_open(&w[1], DEV0));
	EXPECT_EQ(-EBUSY, w_open(&w[2], DEV0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	/* The context is reserved, though no process has it: an extra open finds none free. */
	ASSERT_EQ(0, sec_set(A, "max_extra_ctxs", "5"));
	EXPECT_EQ(-EBUSY, w_open(&w[0], DEV0));
}

TEST_F(charge, a_process_may_be_limited_in_the_pool)
{
	struct worker *w = self->w;

	EXPECT_EQ(0, dev_set(DEV0, "max_ctxs_per_process", "2"));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV1));
	EXPECT_EQ(0, w_open(&w[1], DEV0));
}

TEST_F(charge, a_slot_with_open_contexts_lingers)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, sec_make(B, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(-EUSERS, w_attach(&w[1], A, 0));
	EXPECT_EQ(-EBUSY, w_attach(&w[0], B, 0));
	ASSERT_EQ(1, w_attach(&w[1], A, WAIT_MS));
	EXPECT_EQ(0, w_close(&w[0]));
	EXPECT_EQ(0, w_granted(&w[1], WAIT_MS));
	EXPECT_EQ(0, w_attach(&w[0], B, 0));
}

TEST_F(charge, attaching_and_detaching_in_turn_gains_nothing)
{
	struct worker *w = self->w;
	int i;

	ASSERT_EQ(0, sec_make(A, DEV0, 2, 1, 0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, w_attach(&w[0], A, 0));
		EXPECT_STREQ("A_INT_0", w[0].last.slot);
		EXPECT_EQ(i ? -EDQUOT : 0, w_open(&w[0], DEV0));
		EXPECT_EQ(0, w_detach(&w[0]));
	}
	EXPECT_EQ(1, dev_num(DEV0, "used_ctxs"));
}

TEST_F(charge, what_was_opened_before_attaching_stays_the_pools)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], DEV0));
	EXPECT_EQ(self->total - 2, dev_num(DEV0, "free_ctxs"));
}

static void *open_until_refused(void *p)
{
	long *n = p;

	while (open("/dev/" DEV0, O_RDWR | O_CLOEXEC) >= 0)
		++*n;
	return NULL;
}

TEST_F(charge, threads_share_what_their_process_has)
{
	struct nl_client c;
	pthread_t t[8];
	long n[8] = { 0 }, sum = 0;
	int i;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 5, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, A, NULL, NULL, 0));
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, open_until_refused, &n[i]);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], NULL);
		sum += n[i];
	}
	EXPECT_EQ(5, sum);
	EXPECT_EQ(5, dev_num(DEV0, "used_ctxs"));
	for (i = 3; i < 64; i++)
		if (i != self->w[0].fd && i != self->w[1].fd && i != self->w[2].fd && i != self->w[3].fd &&
		    i != c.sk->fd)
			close(i);
	client_close(&c);
}

/* A context that a child opens is the child's own: the pool is charged. */
TEST_F(charge, a_child_is_not_attached)
{
	struct nl_client c;
	int pid, status;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, A, NULL, NULL, 0));
	pid = fork();
	if (!pid) {
		if (open("/dev/" DEV1, O_RDWR) < 0)
			_exit(1);
		_exit(client_detach(&c) == -ENOENT ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, client_detach(&c));
	client_close(&c);
}

/* A file that is handed on stays charged to its opener, and is of no use to the receiver. */
TEST_F(charge, a_file_that_is_handed_on_is_paid_by_its_opener)
{
	int pair[2], pid, fd, status;
	char c = 0;

	ASSERT_EQ(0, pipe(pair));
	fd = open("/dev/" DEV0, O_RDWR);
	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid) {
		close(pair[1]);
		if (ioctl(fd, UACCE_CMD_START_Q) != -1 || errno != EPERM)
			_exit(1);
		/* The parent has closed its own copy. */
		read(pair[0], &c, 1);
		_exit(0);
	}
	close(pair[0]);
	close(fd);
	EXPECT_EQ(1, dev_num(DEV0, "used_ctxs"));
	close(pair[1]);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, dev_num(DEV0, "used_ctxs"));
}

/* An attachment outlives exec together with its socket, and the new program draws from the slot unknowingly. */
TEST_F(charge, exec_keeps_the_attachment_if_it_keeps_the_socket)
{
	int pid, status, keep;

	ASSERT_EQ(0, sec_make(A, DEV0, 1, 1, 0));
	for (keep = 0; keep < 2; keep++) {
		pid = fork();
		if (!pid) {
			struct nl_client c;

			if (client_open(&c) || client_attach(&c, A, NULL, NULL, 0))
				_exit(9);
			if (keep)
				fcntl(c.sk->fd, F_SETFD, 0);
			/* DEV1 isn't a device of the section. */
			execl("/bin/sh", "sh", "-c", "exec 2>/dev/null; exec 7<>/dev/" DEV1, NULL);
			_exit(8);
		}
		waitpid(pid, &status, 0);
		EXPECT_EQ(keep, WIFEXITED(status) && WEXITSTATUS(status) != 0) TH_LOG("keep %d: %x", keep, status);
		EXPECT_NE(9, WEXITSTATUS(status));
	}
}

TEST_F(charge, revoking_takes_the_queues_and_frees_the_slots)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0 " " DEV1, 2, 2, 0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	ASSERT_EQ(0, w_attach(&w[1], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV1));
	EXPECT_EQ(0, w_open(&w[1], DEV0));
	EXPECT_EQ(0, sec_set(A, "live", "revoke"));
	EXPECT_TRUE(sec_state(A, "configured"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, dev_num(DEV0, "used_ctxs"));
	EXPECT_EQ(-ENOENT, w_detach(&w[0]));
	EXPECT_EQ(0, w_close(&w[0]));
	EXPECT_TRUE(accounts_ok());
}

TEST_F(charge, a_draining_section_takes_no_more_and_ends_with_its_last)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0, 4, 2, 0));
	ASSERT_EQ(0, w_attach(&w[0], A, 0));
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, sec_set(A, "live", "0"));
	EXPECT_TRUE(sec_state(A, "draining"));
	EXPECT_EQ(2, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(-ESHUTDOWN, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_TRUE(sec_state(A, "draining"));
	EXPECT_EQ(0, w_close(&w[0]));
	EXPECT_TRUE(sec_state(A, "configured"));
}

TEST_F(charge, a_section_in_mode_1_confines_to_one_device)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(A, DEV0 " " DEV1, 1, 1, 1));
	ASSERT_EQ(0, w_attach_dev(&w[0], A, DEV1));
	EXPECT_EQ(-EACCES, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], DEV1));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], DEV1));
}

TEST_HARNESS_MAIN
