// SPDX-License-Identifier: Apache-2.0
/* Sections: starting, stopping, the environment, losing a slot. */
#include <poll.h>
#include <icp_sal_user.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "section_test.h"
#include "tsan_fork.h"

TEST(a_section_once_entered_is_already_and_another_is_busy)
{
	ASSERT_EQ(0, start("PAIR"));
	EXPECT_EQ(WD_USER_SECTION, info().state);
	EXPECT_STREQ("PAIR", info().section);
	EXPECT_EQ(0, strncmp(info().slot, "PAIR_INT_", 9));
	EXPECT_EQ(-EALREADY, wd_user_start("PAIR"));
	EXPECT_EQ(-EBUSY, wd_user_start("ONE"));
	EXPECT_TRUE(says("PAIR"));
	EXPECT_STREQ("PAIR", info().section);
}

TEST(what_refuses_a_section_is_told_in_the_kernels_words)
{
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	EXPECT_TRUE(says("section NONE: there is no section of this name"));
	EXPECT_EQ(-ESHUTDOWN, wd_user_start("DOWN"));
	EXPECT_TRUE(says("section DOWN: the section is not live"));
	EXPECT_EQ(-EACCES, wd_user_start("CLOSED"));
	EXPECT_TRUE(says("section CLOSED: neither this user nor its groups are allowed in the section"));
	EXPECT_EQ(WD_USER_NONE, info().state);
}

TEST(what_can_not_be_a_name_is_invalid)
{
	static const char *const bad[] = { "", "a b", "a/b", "a.b", "\n", "12345678901234567890123456789012" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EINVAL, wd_user_start(bad[i]));
	EXPECT_EQ(-ENOENT, wd_user_start("1234567890123456789012345678901"));
}

TEST(a_full_section_refuses_at_once)
{
	struct other a = other_starts("PAIR"), b = other_starts("PAIR");

	EXPECT_EQ(-EUSERS, wd_user_start("PAIR"));
	EXPECT_TRUE(says("all slots of the section are taken"));
	EXPECT_EQ(CPA_STATUS_FAIL, icp_sal_userStart("PAIR"));
	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	EXPECT_EQ(CPA_STATUS_FAIL, icp_sal_userStart("PAIR"));
	other_ends(a);
	other_ends(b);
}

TEST(who_waits_is_told_when_the_time_is_over)
{
	struct other a = other_starts("ONE");

	setenv("WD_ATTACH_TIMEOUT", "20", 1);
	EXPECT_EQ(-EUSERS, wd_user_start("ONE"));
	EXPECT_TRUE(says("within 20 ms"));
	EXPECT_EQ(WD_USER_NONE, info().state);
	other_ends(a);
	EXPECT_EQ(0, start("ONE"));
}

static void *end_soon(void *arg)
{
	usleep(20000);
	other_ends(*(struct other *)arg);
	return NULL;
}

TEST(who_waits_gets_the_next_slot)
{
	struct other a = other_starts("ONE");
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, end_soon, &a));
	EXPECT_EQ(0, start("ONE"));
	EXPECT_STREQ("ONE_INT_0", info().slot);
	pthread_join(thread, NULL);
}

static void on_signal(int number)
{
	(void)number;
}

/* While a slot of the previous test isn't free yet, the section is still draining. */
static void *live_soon(void *arg)
{
	do {
		usleep(20000);
	} while (section_control(arg, "live"));
	return NULL;
}

TEST(who_comes_before_the_section_waits_for_it)
{
	pthread_t thread;

	ASSERT_EQ(0, section_control("ONE", "drain"));
	EXPECT_EQ(-ESHUTDOWN, wd_user_start("ONE"));
	setenv("WD_ATTACH_TIMEOUT", "20", 1);
	EXPECT_EQ(-ESHUTDOWN, wd_user_start("ONE"));
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, live_soon, "ONE"));
	EXPECT_EQ(0, start("ONE"));
	EXPECT_STREQ("ONE_INT_0", info().slot);
	pthread_join(thread, NULL);
}

TEST(a_signal_ends_the_wait_for_a_section)
{
	struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = on_signal };

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	setenv("WD_ATTACH_TIMEOUT", "20000", 1);
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(-EINTR, wd_user_start("NONE"));
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(WD_USER_NONE, info().state);
}

TEST(a_bad_time_to_wait_is_refused)
{
	setenv("WD_ATTACH_TIMEOUT", "soon", 1);
	EXPECT_EQ(-EINVAL, wd_user_start("PAIR"));
	EXPECT_TRUE(says("WD_ATTACH_TIMEOUT"));
}

TEST(a_stop_waits_for_no_session)
{
	handle_t sess;

	EXPECT_EQ(-ENOTCONN, wd_user_stop());
	ASSERT_EQ(0, start("PAIR"));
	sess = session(0);
	ASSERT_NE(0, sess);
	EXPECT_EQ(1, info().sessions);
	EXPECT_EQ(-EBUSY, wd_user_stop());
	EXPECT_EQ(0, compress(sess));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
	EXPECT_EQ(0, wd_user_stop());
	EXPECT_EQ(-ESHUTDOWN, wd_user_stop());
}

TEST(after_a_stop_nothing_attaches_by_itself)
{
	handle_t sess;

	setenv("WD_SECTION", "PAIR", 1);
	ASSERT_EQ(0, start("PAIR"));
	ASSERT_EQ(0, wd_user_stop());
	EXPECT_EQ(WD_USER_STOPPED, info().state);
	errno = 0;
	EXPECT_EQ(0, session(WD_SESS_PATH_HW));
	EXPECT_EQ(ESHUTDOWN, errno);
	EXPECT_EQ(0, wd_request_ctx("/dev/hisi_zip-0"));
	EXPECT_EQ(ESHUTDOWN, errno);
	sess = session(WD_SESS_PATH_SOFT);
	EXPECT_NE(0, sess);
	EXPECT_EQ(0, compress(sess));
	EXPECT_EQ(0, start("ONE"));
	sess = session(WD_SESS_PATH_HW);
	EXPECT_EQ(0, compress(sess));
}

TEST(after_a_stop_sessions_that_may_use_this_cpu_do)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
	};
	handle_t sess;

	ASSERT_EQ(0, start("PAIR"));
	ASSERT_EQ(0, wd_user_stop());
	sess = session(0);
	ASSERT_NE(0, sess);
	EXPECT_EQ(0, compress_on(sess, WD_PATH_SOFT, WD_REASON_POLICY));
	EXPECT_EQ(0, info().sessions);
	/* An explicit device mask is binding. */
	ASSERT_EQ(0, wd_dev_mask_set(mask, 0));
	EXPECT_EQ(0, wd_comp_alloc_sess(&setup, mask));
	EXPECT_EQ(ESHUTDOWN, errno);
	ASSERT_EQ(0, start("ONE"));
	EXPECT_EQ(0, compress_on(sess, WD_PATH_SOFT, WD_REASON_POLICY));
	EXPECT_EQ(0, wd_user_stop());
	EXPECT_EQ(0, wd_comp_free_sess(sess));
	wd_dev_mask_free(mask);
}

TEST(after_a_failed_start_nothing_is_taken_from_the_pool)
{
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	errno = 0;
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_TRUE(says("section NONE: there is no section of this name"));
	EXPECT_EQ(0, session(WD_SESS_PATH_HW));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(0, wd_request_ctx("/dev/hisi_zip-0"));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(WD_USER_NONE, info().state);
	EXPECT_NE(0, session(WD_SESS_PATH_SOFT));
	EXPECT_EQ(-EINVAL, wd_user_start("no name"));
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(EINVAL, errno);
}

TEST(a_failed_start_counts_more_than_the_environment)
{
	setenv("WD_SECTION", "PAIR", 1);
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(WD_USER_NONE, info().state);
}

TEST(a_start_that_succeeds_ends_the_refusal_of_another)
{
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	EXPECT_EQ(0, start("PAIR"));
	EXPECT_EQ(0, compress(session(WD_SESS_PATH_HW)));
}

TEST(a_stop_after_a_failed_start_says_that_nothing_is_wanted)
{
	handle_t sess;

	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	EXPECT_EQ(0, wd_user_stop());
	EXPECT_EQ(WD_USER_STOPPED, info().state);
	sess = session(0);
	EXPECT_EQ(0, compress_on(sess, WD_PATH_SOFT, WD_REASON_POLICY));
}

TEST(a_process_may_choose_the_pool)
{
	setenv("WD_SECTION", "PAIR", 1);
	ASSERT_EQ(0, wd_user_start(NULL));
	EXPECT_EQ(WD_USER_POOL, info().state);
	EXPECT_EQ(-EALREADY, wd_user_start(NULL));
	EXPECT_EQ(0, compress(session(WD_SESS_PATH_HW)));
	EXPECT_EQ(WD_USER_POOL, info().state);
}

TEST(the_pool_may_be_chosen_after_a_stop)
{
	ASSERT_EQ(0, start("PAIR"));
	EXPECT_EQ(-EBUSY, wd_user_start(NULL));
	EXPECT_TRUE(says("this process is in section PAIR"));
	ASSERT_EQ(0, wd_user_stop());
	ASSERT_EQ(0, wd_user_start(NULL));
	EXPECT_STREQ("", info().section);
	EXPECT_EQ(0, compress(session(WD_SESS_PATH_HW)));
}

TEST(the_pool_may_be_chosen_after_a_refusal)
{
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	ASSERT_EQ(0, wd_user_start(NULL));
	EXPECT_EQ(0, compress(session(WD_SESS_PATH_HW)));
}

TEST(a_signal_ends_the_wait_for_a_slot)
{
	struct other a = other_starts("ONE");
	struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = on_signal };

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	setenv("WD_ATTACH_TIMEOUT", "20000", 1);
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(-EINTR, wd_user_start("ONE"));
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(WD_USER_NONE, info().state);
	other_ends(a);
	EXPECT_EQ(0, start("ONE"));
}

TEST(a_context_number_names_its_place_over_stops)
{
	struct wd_ctx_info ctx;
	handle_t sess;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, start("ONE"));
		sess = session(WD_SESS_PATH_HW);
		ASSERT_EQ(0, compress(sess));
		EXPECT_EQ(0, wd_ctx_info(0, &ctx));
		EXPECT_EQ(0, ctx.state);
		EXPECT_EQ(-ENOENT, wd_ctx_info(1, &ctx));
		wd_comp_free_sess(sess);
		ASSERT_EQ(0, wd_user_stop());
		EXPECT_EQ(0, wd_ctx_info(0, &ctx));
		EXPECT_EQ(-EDQUOT, ctx.state);
	}
}

TEST(the_environment_names_the_first_sessions_section)
{
	handle_t sess;

	setenv("WD_SECTION", "ONE", 1);
	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	sess = session(WD_SESS_PATH_SOFT);
	EXPECT_NE(0, sess);
	EXPECT_EQ(WD_USER_NONE, info().state);
	sess = session(0);
	EXPECT_NE(0, sess);
	EXPECT_STREQ("ONE_INT_0", info().slot);
	EXPECT_EQ(-EALREADY, wd_user_start("ONE"));
}

TEST(without_its_section_a_session_takes_nothing_from_the_pool)
{
	setenv("WD_SECTION", "NONE", 1);
	errno = 0;
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_TRUE(says("there is no section of this name"));
	setenv("WD_SECTION", "a b", 1);
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(WD_USER_NONE, info().state);
}

TEST(outside_a_section_contexts_come_from_the_pool)
{
	handle_t sess = session(WD_SESS_PATH_HW);

	EXPECT_EQ(0, compress(sess));
	EXPECT_EQ(WD_USER_POOL, info().state);
	EXPECT_STREQ("", info().section);
	EXPECT_EQ(-EBUSY, wd_user_start("ONE"));
	EXPECT_TRUE(says("1 sessions exist"));
	wd_comp_free_sess(sess);
	EXPECT_EQ(0, start("ONE"));
	sess = session(WD_SESS_PATH_HW);
	EXPECT_EQ(0, compress(sess));
}

TEST(a_revoked_slot_is_lost_and_never_replaced_silently)
{
	handle_t sess, other;

	ASSERT_EQ(0, start("ONE"));
	sess = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, section_control("ONE", "revoke"));
	EXPECT_NE(0, compress(sess));
	EXPECT_EQ(WD_USER_LOST, info().state);
	errno = 0;
	EXPECT_EQ(0, session(0));
	EXPECT_EQ(ESHUTDOWN, errno);
	EXPECT_TRUE(says("lost its slot"));
	ASSERT_EQ(0, section_control("ONE", "live"));
	EXPECT_EQ(0, session(0));
	EXPECT_NE(0, compress(sess));
	EXPECT_EQ(-EBUSY, wd_user_start("ONE"));
	EXPECT_EQ(-EBUSY, wd_user_stop());
	wd_comp_free_sess(sess);
	EXPECT_EQ(0, wd_user_start("ONE"));
	other = session(WD_SESS_PATH_HW);
	EXPECT_EQ(0, compress(other));
}

TEST(a_draining_section_keeps_what_is_open_and_opens_nothing)
{
	handle_t sess;

	ASSERT_EQ(0, start("BOTH"));
	sess = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, section_control("BOTH", "drain"));
	EXPECT_EQ(0, compress(sess));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "reset"));
	EXPECT_NE(0, compress(sess));
	wd_comp_free_sess(sess);
	ASSERT_EQ(0, wd_user_stop());
	EXPECT_EQ(0, section_control("BOTH", "live"));
}

TEST(raw_contexts_are_charged_to_the_slot)
{
	handle_t a, b;

	ASSERT_EQ(0, start("EXTRA"));
	a = wd_request_ctx("/dev/hisi_zip-0");
	b = wd_request_ctx("/dev/hisi_zip-0");
	EXPECT_NE(0, a);
	/* One extra context. */
	EXPECT_NE(0, b);
	errno = 0;
	EXPECT_EQ(0, wd_request_ctx("/dev/hisi_zip-0"));
	EXPECT_EQ(EDQUOT, errno);
	EXPECT_EQ(0, wd_user_stop());
	EXPECT_EQ(-EBUSY, wd_user_start("BOTH"));
	EXPECT_TRUE(says("charged to another slot"));
	wd_release_ctx(a);
	wd_release_ctx(b);
	EXPECT_EQ(0, start("BOTH"));
}

TEST(raw_contexts_are_of_the_sections_devices_only)
{
	ASSERT_EQ(0, start("FOUR"));
	EXPECT_EQ(0, wd_request_ctx("/dev/hisi_zip-1"));
	EXPECT_EQ(EACCES, errno);
}

TEST(qats_names_have_qats_values)
{
	EXPECT_EQ(0, CPA_STATUS_SUCCESS);
	EXPECT_EQ(-1, CPA_STATUS_FAIL);
	EXPECT_EQ(-4, CPA_STATUS_INVALID_PARAM);
	EXPECT_EQ(CPA_STATUS_FAIL, icp_sal_userStop());
	EXPECT_EQ(CPA_STATUS_INVALID_PARAM, icp_sal_userStart(NULL));
	EXPECT_EQ(CPA_STATUS_FAIL, icp_sal_userStart("NONE"));
	EXPECT_TRUE(says("there is no section of this name"));
	EXPECT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStop());
	EXPECT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStartMultiProcess("NODES", CPA_TRUE));
	EXPECT_STREQ("NODES_INT_0", info().slot);
	EXPECT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStop());
}

TEST(qats_stop_ends_what_sessions_have)
{
	handle_t hard, either, next;
	int i;

	ASSERT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStart("PAIR"));
	hard = session(WD_SESS_PATH_HW);
	either = session(0);
	ASSERT_EQ(0, compress(hard));
	ASSERT_EQ(0, compress_on(either, WD_PATH_SIM, WD_REASON_BEST));
	EXPECT_EQ(-EBUSY, wd_user_stop());
	ASSERT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStop());
	EXPECT_EQ(WD_USER_STOPPED, info().state);
	EXPECT_EQ(0, info().sessions);
	EXPECT_EQ(CPA_STATUS_FAIL, icp_sal_userStop());
	/* The old sessions get no contexts of the next start. */
	ASSERT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStart("PAIR"));
	next = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(next));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENODEV, compress(hard));
		EXPECT_EQ(0, compress(either));
		EXPECT_NE(0, compress_on(either, WD_PATH_SIM, WD_REASON_BEST));
		poll(NULL, 0, 110);
	}
	EXPECT_EQ(1, info().sessions);
	EXPECT_EQ(0, wd_comp_free_sess(hard));
	EXPECT_EQ(0, wd_comp_free_sess(either));
	EXPECT_EQ(1, info().sessions);
	EXPECT_EQ(0, compress(next));
	EXPECT_EQ(0, wd_comp_free_sess(next));
	EXPECT_EQ(0, wd_user_stop());
}

static void count_end(struct wd_comp_arg *arg, void *param)
{
	if (arg->status)
		++*(int *)param;
}

TEST(qats_stop_ends_requests_in_flight)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};
	unsigned char src[100] = { 0 }, dst[200];
	size_t len = sizeof(dst);
	int failed = 0;
	struct wd_comp_arg arg = {
		.src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len, .cb = count_end, .cb_param = &failed,
	};
	struct wd_ctx_info ctx;
	handle_t sess;

	ASSERT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStart("ASYNC"));
	sess = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_EQ(0, wd_ctx_info(0, &ctx));
	ASSERT_EQ(0, emulated_control(ctx.dev_name, "fault drop=1"));
	ASSERT_EQ(0, wd_comp_async(sess, &arg, NULL));
	ASSERT_EQ(-EBUSY, wd_comp_free_sess(sess));
	EXPECT_EQ(CPA_STATUS_SUCCESS, icp_sal_userStop());
	EXPECT_EQ(1, wd_comp_poll(1, 30000, NULL));
	EXPECT_EQ(1, failed);
	ASSERT_EQ(0, emulated_control(ctx.dev_name, "fault drop=0"));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST(bad_arguments_are_refused)
{
	struct wd_user_grant grant;

	EXPECT_EQ(-EINVAL, wd_user_info(NULL));
	EXPECT_EQ(-EINVAL, wd_user_grant(0, NULL));
	EXPECT_EQ(-ENOENT, wd_user_grant(0, &grant));
	EXPECT_STREQ("unknown", wd_user_state_str(99));
	EXPECT_STREQ("lost", wd_user_state_str(WD_USER_LOST));
}

static void *start_and_stop(void *arg)
{
	int i;

	for (i = 0; i < 50; i++) {
		handle_t sess;

		wd_user_start("PAIR");
		sess = session(0);
		if (sess && compress(sess))
			*(int *)arg = 1;
		if (sess)
			wd_comp_free_sess(sess);
		wd_user_stop();
	}
	return NULL;
}

TEST(threads_may_start_and_stop_at_the_same_time)
{
	pthread_t thread[4];
	int bad[4] = { 0 }, i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, start_and_stop, &bad[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, bad[i]);
	}
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
