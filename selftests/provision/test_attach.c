// SPDX-License-Identifier: Apache-2.0
/* Slots: which process gets which slot, in which order, and when a slot becomes free. */
#include "kselftest_harness.h"
#include "worker.h"

#define S	"SSL"

FIXTURE(attach) {
	struct worker w[6];
};

FIXTURE_SETUP(attach)
{
	int i;

	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, worker_start(&self->w[i]));
}

FIXTURE_TEARDOWN(attach)
{
	int i;

	for (i = 0; i < 6; i++)
		worker_kill(&self->w[i]);
	if (!access(sec_path(S, NULL), F_OK))
		EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	/* Children of workers end by themselves. */
	EXPECT_EQ(0, soon_zero(DEV0, "used_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

TEST_F(attach, gives_the_lowest_slot_and_its_grants)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0 " " DEV1, 2, 3, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	EXPECT_STREQ("SSL_INT_0", w[0].last.slot);
	EXPECT_EQ(2, w[0].last.grants);
	EXPECT_EQ(3, w[0].last.sync);
	ASSERT_EQ(0, w_attach(&w[1], S, 0));
	EXPECT_STREQ("SSL_INT_1", w[1].last.slot);
	EXPECT_EQ(-EUSERS, w_attach(&w[2], S, 0));
	EXPECT_EQ(0, w_detach(&w[0]));
	ASSERT_EQ(0, w_attach(&w[2], S, 0));
	EXPECT_STREQ("SSL_INT_0", w[2].last.slot);
}

TEST_F(attach, in_mode_1_gives_each_device_its_slots)
{
	static const char *const names[] = { "SSL_DEV0_INT_0", "SSL_DEV1_INT_0", "SSL_DEV0_INT_1", "SSL_DEV1_INT_1" };
	struct worker *w = self->w;
	int i;

	ASSERT_EQ(0, sec_make(S, DEV0 " " DEV1, 2, 1, 1));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, w_attach(&w[i], S, 0));
		EXPECT_STREQ(names[i], w[i].last.slot);
		EXPECT_EQ(1, w[i].last.grants);
	}
	EXPECT_EQ(-EUSERS, w_attach(&w[4], S, 0));
}

TEST_F(attach, gives_the_slot_or_the_device_that_is_asked_for)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0 " " DEV1, 2, 1, 1));
	ASSERT_EQ(0, w_attach_slot(&w[0], S, "SSL_DEV1_INT_1", 0));
	EXPECT_STREQ("SSL_DEV1_INT_1", w[0].last.slot);
	ASSERT_EQ(0, w_attach_dev(&w[1], S, DEV1));
	EXPECT_STREQ("SSL_DEV1_INT_0", w[1].last.slot);
	EXPECT_EQ(-EUSERS, w_attach_dev(&w[2], S, DEV1));
	EXPECT_EQ(-EUSERS, w_attach_slot(&w[2], S, "SSL_DEV1_INT_1", 0));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[2], S, "SSL_DEV2_INT_0", 0));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[2], S, "SSL_DEV0_INT_2", 0));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[2], S, "SSL_INT_0", 0));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[2], S, "SSL_DEV0_INT_00", 0));
	EXPECT_EQ(-ENOENT, w_attach_dev(&w[2], S, "hisi_zip-77"));
}

TEST_F(attach, nobody_waits_for_what_cannot_be)
{
	struct worker *w = self->w;
	int mode;

	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "0"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "1"));
	for (mode = 0; mode < 2; mode++) {
		ASSERT_EQ(0, sec_mkdir(S));
		EXPECT_EQ(0, sec_set(S, "nodes", "1=1+0"));
		EXPECT_EQ(0, sec_set(S, "limit_dev_access", mode ? "1" : "0"));
		ASSERT_EQ(0, sec_set(S, "live", "1"));
		EXPECT_EQ(-ENOENT, w_attach_dev(&w[0], S, DEV0));
		if (mode)
			EXPECT_EQ(-ENOENT, w_attach_slot(&w[0], S, "SSL_DEV1_INT_0", WAIT_MS));
		EXPECT_EQ(0, w_attach_dev(&w[0], S, DEV1));
		EXPECT_EQ(0, w_detach(&w[0]));
		EXPECT_EQ(0, sec_end(S));
	}
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "-1"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "-1"));
}

TEST_F(attach, is_refused_for_a_reason)
{
	struct worker *w = self->w;

	EXPECT_EQ(-ENOENT, w_attach(&w[0], "nothing", 0));
	ASSERT_EQ(0, sec_mkdir(S));
	EXPECT_EQ(-ESHUTDOWN, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(-ENOENT, w_detach(&w[0]));
	EXPECT_EQ(0, w_attach(&w[0], S, 0));
	EXPECT_EQ(-EALREADY, w_attach(&w[0], S, 0));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(-ENOENT, w_detach(&w[0]));
}

TEST_F(attach, is_for_those_who_are_allowed)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 3, 1, 0));
	ASSERT_EQ(0, w_setuid(&w[0], 1234));
	EXPECT_EQ(-EACCES, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "1000-1233,1235"));
	EXPECT_EQ(-EACCES, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, sec_set(S, "allowed_gids", "1234"));
	EXPECT_EQ(0, w_attach(&w[0], S, 0));
	EXPECT_EQ(0, w_detach(&w[0]));
	ASSERT_EQ(0, sec_set(S, "allowed_gids", "\n"));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "*"));
	EXPECT_EQ(0, w_attach(&w[0], S, 0));
}

TEST_F(attach, comes_back_when_the_process_is_killed)
{
	struct worker *w = self->w;
	int i;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, w_attach_soon(&w[i], S));
		worker_kill(&w[i]);
	}
	EXPECT_EQ(0, w_attach_soon(&w[4], S));
}

TEST_F(attach, comes_back_when_the_socket_is_closed)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	EXPECT_EQ(0, w_close_socket(&w[0]));
	EXPECT_EQ(0, w_attach(&w[1], S, 0));
}

/* The child holds the socket, but the child isn't the process that attached. */
TEST_F(attach, ends_with_the_process_though_a_child_has_the_socket)
{
	struct worker *w = self->w;
	int to[2], pid, child;
	char c;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, pipe(to));
	pid = fork();
	if (!pid) {
		struct nl_client me;

		if (client_open(&me) || client_attach(&me, S, NULL, NULL, 0))
			_exit(1);
		child = fork();
		if (!child) {
			close(to[1]);
			c = open("/dev/" DEV0, O_RDWR) < 0 ? 'n' : 'y';
			read(to[0], &c, 1);
			_exit(0);
		}
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &child, 0));
	EXPECT_EQ(0, child);
	EXPECT_EQ(0, w_attach_soon(&w[0], S));
	close(to[0]);
	close(to[1]);
}

TEST_F(attach, queues_first_come_first_served)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	ASSERT_EQ(1, w_attach(&w[2], S, WAIT_MS));
	EXPECT_EQ(-EALREADY, w_attach(&w[2], S, 0));
	EXPECT_EQ(-EUSERS, w_attach(&w[3], S, 0));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(0, w_granted(&w[1], WAIT_MS));
	EXPECT_STREQ("SSL_INT_0", w[1].last.slot);
	EXPECT_EQ(-ETIME, w_granted(&w[2], 0));
	worker_kill(&w[1]);
	EXPECT_EQ(0, w_granted(&w[2], WAIT_MS));
}

TEST_F(attach, passes_over_who_wants_a_slot_that_is_taken)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 2, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, w_attach(&w[1], S, 0));
	ASSERT_EQ(1, w_attach_slot(&w[2], S, "SSL_INT_0", WAIT_MS));
	ASSERT_EQ(1, w_attach(&w[3], S, WAIT_MS));
	EXPECT_EQ(0, w_detach(&w[1]));
	EXPECT_EQ(0, w_granted(&w[3], WAIT_MS));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(0, w_granted(&w[2], WAIT_MS));
	EXPECT_STREQ("SSL_INT_0", w[2].last.slot);
}

TEST_F(attach, tells_who_waited_too_long)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(1, w_attach(&w[1], S, 20));
	EXPECT_EQ(-ETIMEDOUT, w_granted(&w[1], WAIT_MS));
	EXPECT_EQ(-ENOENT, w_detach(&w[1]));
}

TEST_F(attach, a_ticket_is_given_up_by_detaching_or_dying)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	ASSERT_EQ(1, w_attach(&w[2], S, WAIT_MS));
	ASSERT_EQ(1, w_attach(&w[3], S, WAIT_MS));
	EXPECT_EQ(0, w_detach(&w[1]));
	worker_kill(&w[2]);
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(0, w_granted(&w[3], WAIT_MS));
}

TEST_F(attach, waiters_hear_that_the_section_goes_down)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_TRUE(sec_is(S, "status", "draining"));
	EXPECT_EQ(-ESHUTDOWN, w_granted(&w[1], WAIT_MS));
	EXPECT_EQ(-ESHUTDOWN, w_attach(&w[2], S, 0));
	EXPECT_EQ(-EBUSY, sec_set(S, "live", "1"));
	EXPECT_EQ(-EBUSY, sec_rmdir(S));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_TRUE(sec_is(S, "live", "0"));
	EXPECT_TRUE(sec_state(S, "configured"));
}

TEST_F(attach, waiters_get_slots_that_are_added)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	EXPECT_EQ(0, sec_set(S, "num_processes", "2"));
	EXPECT_EQ(0, w_granted(&w[1], WAIT_MS));
	EXPECT_EQ(-EBUSY, sec_set(S, "num_processes", "1"));
	EXPECT_EQ(0, w_detach(&w[1]));
	EXPECT_EQ(0, sec_set(S, "num_processes", "1"));
}

TEST_F(attach, who_may_not_any_more_gets_no_slot_in_the_end)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "*"));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, w_setuid(&w[1], 1234));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "\n"));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(-EACCES, w_granted(&w[1], WAIT_MS));
}

TEST_HARNESS_MAIN
