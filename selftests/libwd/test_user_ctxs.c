// SPDX-License-Identifier: Apache-2.0
/* The number of sessions' contexts outside of sections; three emulated devices, two of node 0 and one of node 1. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "on_device.h"

#define LEN	1000
#define ROOM	2000
#define DEVICES	3

struct flight {
	struct wd_comp_arg arg;
	unsigned char dst[ROOM];
	size_t len;
	int ends;
};

static unsigned char src[LEN];

static void on_done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	((struct flight *)param)->ends++;
}

static handle_t session_with(int op_type, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = op_type, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static handle_t session(int op_type)
{
	return session_with(op_type, WD_SESS_PATH_HW);
}

static handle_t masked_session(int op_type, int device)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = op_type, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	handle_t h;

	wd_dev_mask_set(mask, device);
	h = wd_comp_alloc_sess(&setup, mask);
	wd_dev_mask_free(mask);
	return h;
}

static int compress(handle_t sess)
{
	unsigned char dst[ROOM];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = LEN, .dst = dst, .dst_len = &len };
	int ret = wd_compress(sess, &arg);

	return ret ? ret : arg.path == WD_PATH_SIM ? 0 : -EIO;
}

static int submit(handle_t sess, struct flight *f, const wd_ctx_set_t *set)
{
	memset(f, 0, sizeof(*f));
	f->len = ROOM;
	f->arg = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = f->dst, .dst_len = &f->len, .cb = on_done, .cb_param = f,
	};
	return wd_comp_async(sess, &f->arg, set);
}

/* Open contexts on each device, or on all. */
static int open_on(int device, int async)
{
	char name[WD_NAME_SIZE];
	struct wd_ctx_info info;
	unsigned int i;
	int n = 0;

	snprintf(name, sizeof(name), "hisi_zip-%d", device);
	for (i = 0; !wd_ctx_info(i, &info); i++)
		n += !info.state && info.async == async && !strcmp(info.dev_name, name);
	return n;
}

static int free_queues(int device)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/hisi_zip-%d", device);
	return wd_ctx_get_avail_ctx(path);
}

/* The number of the only context in a set; -1 if there are none or several. */
static int only(const wd_ctx_set_t *set)
{
	int i, found = -1;

	for (i = 0; i < 64; i++) {
		if (wd_ctx_set_test(set, i) != 1)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static unsigned int count(const wd_ctx_set_t *set)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < 64; i++)
		n += wd_ctx_set_test(set, i) == 1;
	return n;
}

/* Runs on node 0, so that devices 0 and 1 are near. */
static int settle(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	return emulated() && access("/dev/hisi_zip-2", F_OK) == 0 ? 0 : -ENODEV;
}

#define NEED_DEVICES()	do { if (settle()) SKIP(return, "not three emulated devices"); } while (0)

TEST(eight_sessions_do_not_share_one_of_two_idle_devices)
{
	unsigned long long done[DEVICES] = { 0 };
	struct wd_ctx_stats st;
	struct wd_ctx_info info;
	handle_t s[8];
	unsigned int i;

	NEED_DEVICES();
	for (i = 0; i < 8; i++) {
		s[i] = session(WD_SYNC);
		ASSERT_NE(0, s[i]);
	}
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, compress(s[i]));
	}
	for (i = 0; !wd_ctx_info(i, &info); i++) {
		ASSERT_EQ(0, wd_ctx_stats(i, &st));
		done[atoi(strrchr(info.dev_name, '-') + 1)] += st.all.completed;
	}
	EXPECT_EQ(4, done[0]);
	EXPECT_EQ(4, done[1]);
	EXPECT_EQ(0, done[2]);
	EXPECT_EQ(1, open_on(0, 0));
	EXPECT_EQ(1, open_on(1, 0));
}

TEST(one_and_one_of_each_device_is_the_default)
{
	int i;

	NEED_DEVICES();
	for (i = 0; i < 6; i++) {
		ASSERT_NE(0, session(WD_SYNC));
		ASSERT_NE(0, session(WD_ASYNC));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1, open_on(i, 0));
		EXPECT_EQ(1, open_on(i, 1));
	}
	EXPECT_EQ(0, open_on(2, 0));
}

TEST(a_process_has_as_many_contexts_as_it_asks_for)
{
	int i;

	NEED_DEVICES();
	ASSERT_EQ(0, wd_user_ctxs("0=3+2"));
	for (i = 0; i < 3; i++) {
		ASSERT_NE(0, session(WD_SYNC));
		ASSERT_NE(0, session(WD_ASYNC));
	}
	/* Both devices get contexts, however few there are. */
	EXPECT_EQ(3, open_on(0, 0) + open_on(1, 0));
	EXPECT_LT(0, open_on(0, 0));
	EXPECT_LT(0, open_on(1, 0));
	for (i = 0; i < 7; i++) {
		ASSERT_NE(0, session(WD_SYNC));
		ASSERT_NE(0, session(WD_ASYNC));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(3, open_on(i, 0));
		EXPECT_EQ(2, open_on(i, 1));
	}
}

TEST(the_environment_asks_as_well)
{
	int i;

	NEED_DEVICES();
	ASSERT_EQ(0, setenv("WD_CTXS", "1=4+4 0=2+1", 1));
	for (i = 0; i < 6; i++) {
		ASSERT_NE(0, session(WD_SYNC));
	}
	EXPECT_EQ(2, open_on(0, 0));
	EXPECT_EQ(2, open_on(1, 0));
	/* The call overrides the environment, and NULL restores it. */
	ASSERT_EQ(0, wd_user_ctxs("3+1"));
	for (i = 0; i < 6; i++) {
		ASSERT_NE(0, session(WD_SYNC));
	}
	EXPECT_EQ(3, open_on(0, 0));
	EXPECT_EQ(3, open_on(1, 0));
	ASSERT_EQ(0, setenv("WD_CTXS", "4+1", 1));
	ASSERT_EQ(0, wd_user_ctxs(NULL));
	for (i = 0; i < 6; i++) {
		ASSERT_NE(0, session(WD_SYNC));
	}
	EXPECT_EQ(4, open_on(0, 0));
}

TEST(a_wrong_text_is_refused_and_changes_nothing)
{
	static const char *const wrong[] = {
		"2", "2+", "+2", "0=", "0=2", "0=2+2,1=1+1", "0=2+2 0=1+1", "1+1 2+2", "x", "0:2+2", "1025+1", "1+1025",
		"-1=1+1", "99999=1+1", "0=1+1x", "0 =1+1", "1+1+1",
	};
	char text[256];
	unsigned int i;

	ASSERT_EQ(0, wd_user_ctxs("2+1"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		EXPECT_EQ(-EINVAL, wd_user_ctxs(wrong[i]));
		EXPECT_LT(0, wd_error_detail(0, text, sizeof(text)));
		EXPECT_NE(NULL, strstr(text, "contexts: "));
	}
	EXPECT_EQ(0, wd_user_ctxs(" 0=2+2  1=1024+0 "));
	NEED_DEVICES();
	ASSERT_EQ(0, wd_user_ctxs("2+1"));
	ASSERT_EQ(-EINVAL, wd_user_ctxs("3+"));
	for (i = 0; i < 6; i++) {
		ASSERT_NE(0, session(WD_SYNC));
	}
	EXPECT_EQ(2, open_on(0, 0));
}

TEST(a_wrong_environment_is_said_by_the_first_session)
{
	char text[256];

	NEED_DEVICES();
	ASSERT_EQ(0, setenv("WD_CTXS", "0=2", 1));
	errno = 0;
	EXPECT_EQ(0, session(WD_SYNC));
	EXPECT_EQ(EINVAL, errno);
	wd_error_detail(0, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "environment variable WD_CTXS: "));
	EXPECT_NE(NULL, strstr(text, "SYNC+ASYNC"));
	/* Sessions that want no device aren't affected. */
	EXPECT_NE(0, session_with(WD_SYNC, WD_SESS_PATH_SOFT));
	ASSERT_EQ(0, wd_user_ctxs("1+1"));
	EXPECT_NE(0, session(WD_SYNC));
}

TEST(a_context_serves_both_modes_where_the_numbers_leave_no_other)
{
	struct flight f;
	handle_t sess;

	NEED_DEVICES();
	ASSERT_EQ(0, wd_user_ctxs("1+0"));
	sess = masked_session(WD_ASYNC, 0);
	ASSERT_NE(0, sess);
	ASSERT_EQ(0, compress(masked_session(WD_SYNC, 0)));
	EXPECT_EQ(1, open_on(0, 0) + open_on(0, 1));
	ASSERT_EQ(0, submit(sess, &f, NULL));
	EXPECT_EQ(1, wd_comp_poll(1, 30000, NULL));
	EXPECT_EQ(1, f.ends);
}

TEST(nodes_with_none_are_not_used)
{
	NEED_DEVICES();
	ASSERT_EQ(0, wd_user_ctxs("0+0"));
	errno = 0;
	EXPECT_EQ(0, session(WD_SYNC));
	EXPECT_EQ(EDQUOT, errno);
	ASSERT_EQ(0, wd_user_ctxs("0=0+0"));
	ASSERT_EQ(0, compress(session(WD_SYNC)));
	EXPECT_EQ(1, open_on(2, 0));
}

TEST(queue_types_are_counted_apart)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_SYNC, .dir_type = WD_DIR_DECOMPRESS,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	int i;

	NEED_DEVICES();
	for (i = 0; i < 3; i++) {
		ASSERT_NE(0, session(WD_SYNC));
		ASSERT_NE(0, wd_comp_alloc_sess(&setup, NULL));
	}
	EXPECT_EQ(2, open_on(0, 0));
	EXPECT_EQ(2, open_on(1, 0));
}

TEST(a_stopped_context_opens_again_although_the_numbers_became_smaller)
{
	handle_t sess;

	NEED_DEVICES();
	sess = masked_session(WD_SYNC, 0);
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, wd_user_ctxs("0+0"));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "reset"));
	while (compress(sess))
		usleep(1000);
	EXPECT_EQ(1, open_on(0, 0));
}

TEST(a_child_asks_for_as_many_as_its_parent)
{
	int status;
	pid_t pid;

	NEED_DEVICES();
	ASSERT_EQ(0, wd_user_ctxs("3+1"));
	pid = fork();
	if (!pid) {
		int i;

		for (i = 0; i < 3; i++)
			if (!masked_session(WD_SYNC, 0))
				_exit(1);
		_exit(open_on(0, 0) != 3);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* --- a session's own contexts --- */

TEST(a_session_has_contexts_of_its_own)
{
	wd_ctx_set_t *a = wd_ctx_set_alloc(), *b = wd_ctx_set_alloc(), *both = wd_ctx_set_alloc();
	handle_t sa, sb;

	NEED_DEVICES();
	sa = session(WD_ASYNC);
	sb = session(WD_ASYNC);
	ASSERT_EQ(0, wd_sess_own_ctxs(sa, 1, a));
	ASSERT_EQ(0, wd_sess_own_ctxs(sb, 3, b));
	EXPECT_EQ(1, count(a));
	EXPECT_EQ(3, count(b));
	EXPECT_EQ(0, wd_ctx_set_test(b, only(a)));
	ASSERT_EQ(0, wd_ctx_set_or(both, a));
	ASSERT_EQ(0, wd_ctx_set_or(both, b));
	EXPECT_EQ(4, count(both));
	/* A second request for the contexts gives the same ones. */
	ASSERT_EQ(0, wd_sess_own_ctxs(sb, 3, both));
	ASSERT_EQ(0, wd_ctx_set_from_sess(sa, both));
	EXPECT_EQ(4, count(both));
}

static int submit_until_full(handle_t sess, const wd_ctx_set_t *set, struct flight *f, unsigned int *n)
{
	int ret;

	do
		ret = submit(sess, &f[*n], set);
	while (!ret && ++*n < 8192);
	return ret;
}

TEST(requests_of_others_do_not_fill_them)
{
	struct flight *f = calloc(8192, sizeof(*f));
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	unsigned int n = 0;
	handle_t sa, sb;

	NEED_DEVICES();
	sa = session(WD_ASYNC);
	sb = session(WD_ASYNC);
	ASSERT_EQ(0, wd_sess_own_ctxs(sb, 1, set));
	EXPECT_EQ(0, wd_ctx_set_test(set, 0));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "hold"));
	ASSERT_EQ(0, emulated_control("hisi_zip-1", "hold"));
	ASSERT_EQ(0, emulated_control("hisi_zip-2", "hold"));
	EXPECT_EQ(-EBUSY, submit_until_full(sa, NULL, f, &n));
	/* Not even if the set names them. */
	EXPECT_EQ(-EINVAL, submit(sa, &f[n], set));
	EXPECT_EQ(0, wd_in_flight(set));
	EXPECT_EQ(0, submit(sb, &f[n++], NULL));
	EXPECT_EQ(1, wd_in_flight(set));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "release"));
	ASSERT_EQ(0, emulated_control("hisi_zip-1", "release"));
	ASSERT_EQ(0, emulated_control("hisi_zip-2", "release"));
	while (wd_in_flight(NULL)) {
		ASSERT_LT(0, wd_comp_poll(n, 30000, NULL));
	}
	while (n)
		EXPECT_EQ(1, f[--n].ends);
}

TEST(they_are_closed_with_the_session_and_their_numbers_serve_the_next)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc(), *again = wd_ctx_set_alloc();
	struct wd_ctx_info info;
	struct flight f;
	int i, before[2];
	handle_t sess;

	NEED_DEVICES();
	ASSERT_NE(0, session(WD_ASYNC));
	for (i = 0; i < 2; i++)
		before[i] = free_queues(i);
	for (i = 0; i < 3; i++) {
		sess = session(WD_ASYNC);
		ASSERT_EQ(0, wd_sess_own_ctxs(sess, 1, i ? again : set));
		ASSERT_EQ(0, submit(sess, &f, NULL));
		ASSERT_EQ(1, wd_comp_poll(1, 30000, NULL));
		ASSERT_EQ(0, wd_comp_free_sess(sess));
	}
	ASSERT_LE(0, only(set));
	EXPECT_EQ(only(set), only(again));
	ASSERT_EQ(0, wd_ctx_info(only(set), &info));
	EXPECT_EQ(-EDQUOT, info.state);
	/* Shared contexts stay open: one for each device that sessions were allocated on. */
	EXPECT_LE(before[0] + before[1] - 1, free_queues(0) + free_queues(1));
}

TEST(the_number_can_be_changed)
{
	wd_ctx_set_t *one = wd_ctx_set_alloc(), *none = wd_ctx_set_alloc();
	handle_t sess;
	int before;

	NEED_DEVICES();
	sess = masked_session(WD_SYNC, 0);
	before = free_queues(0);
	/* Nothing uses the shared context meanwhile: it is closed. */
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 4, NULL));
	EXPECT_EQ(before + 1 - 4, free_queues(0));
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 1, one));
	EXPECT_EQ(before, free_queues(0));
	EXPECT_EQ(1, count(one));
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 0, none));
	EXPECT_EQ(before, free_queues(0));
	EXPECT_NE(only(one), only(none));
	ASSERT_EQ(0, compress(sess));
}

TEST(a_context_with_requests_is_not_taken_back)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	struct flight f;
	handle_t sess;

	NEED_DEVICES();
	sess = masked_session(WD_ASYNC, 0);
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 1, set));
	ASSERT_EQ(0, submit(sess, &f, set));
	EXPECT_EQ(-EBUSY, wd_sess_own_ctxs(sess, 0, NULL));
	EXPECT_EQ(1, wd_comp_poll(1, 30000, set));
	EXPECT_EQ(0, wd_sess_own_ctxs(sess, 0, NULL));
}

TEST(all_or_none_are_opened)
{
	handle_t keep[128], sess;
	unsigned int n = 0;
	char text[256];
	int left;

	NEED_DEVICES();
	sess = masked_session(WD_SYNC, 0);
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 1, NULL));
	while (n < 128 && (left = free_queues(0)) > 2)
		keep[n++] = wd_request_ctx("/dev/hisi_zip-0");
	EXPECT_EQ(-EBUSY, wd_sess_own_ctxs(sess, 5, NULL));
	EXPECT_LT(0, wd_error_detail(sess, text, sizeof(text)));
	EXPECT_EQ(left, free_queues(0));
	ASSERT_EQ(0, compress(sess));
	EXPECT_EQ(0, wd_sess_own_ctxs(sess, 3, NULL));
	ASSERT_EQ(0, compress(sess));
	while (n)
		wd_release_ctx(keep[--n]);
}

TEST(bad_requests_for_own_contexts_are_refused)
{
	wd_ctx_set_t fake = { 0 };
	handle_t sess;

	EXPECT_EQ(-EINVAL, wd_sess_own_ctxs(0, 1, NULL));
	EXPECT_EQ(-EOPNOTSUPP, wd_sess_own_ctxs(session_with(WD_SYNC, WD_SESS_PATH_SOFT), 1, NULL));
	NEED_DEVICES();
	sess = session(WD_SYNC);
	EXPECT_EQ(-EINVAL, wd_sess_own_ctxs(sess, 9, NULL));
	EXPECT_EQ(-EINVAL, wd_sess_own_ctxs(sess, 1, &fake));
	EXPECT_EQ(1, open_on(0, 0) + open_on(1, 0));
}

TEST(a_child_opens_own_contexts_too)
{
	handle_t sess;
	int status;
	pid_t pid;

	NEED_DEVICES();
	sess = masked_session(WD_SYNC, 0);
	ASSERT_EQ(0, wd_sess_own_ctxs(sess, 2, NULL));
	pid = fork();
	if (!pid) {
		if (compress(sess) || open_on(0, 0) != 2)
			_exit(1);
		_exit(wd_comp_free_sess(sess) || open_on(0, 0));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, compress(sess));
}

/* --- sets and the software path --- */

TEST(a_set_of_a_session_does_not_spill_to_this_CPU)
{
	struct flight *f = calloc(8192, sizeof(*f));
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	unsigned int n = 0, i;
	handle_t sess;

	NEED_DEVICES();
	sess = session_with(WD_ASYNC, 0);
	ASSERT_EQ(0, wd_ctx_set_from_sess(sess, set));
	for (i = 0; i < DEVICES; i++) {
		char name[WD_NAME_SIZE];

		snprintf(name, sizeof(name), "hisi_zip-%u", i);
		ASSERT_EQ(0, emulated_control(name, "hold"));
	}
	EXPECT_EQ(-EBUSY, submit_until_full(sess, set, f, &n));
	i = n;
	/* Unless the set includes it. */
	ASSERT_EQ(0, wd_ctx_set_add_soft(sess, set));
	ASSERT_EQ(0, submit(sess, &f[n++], set));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "release"));
	ASSERT_EQ(0, emulated_control("hisi_zip-1", "release"));
	ASSERT_EQ(0, emulated_control("hisi_zip-2", "release"));
	while (wd_in_flight(NULL)) {
		ASSERT_LT(0, wd_comp_poll(n, 30000, NULL));
	}
	EXPECT_EQ(WD_PATH_SOFT, f[i].arg.path);
	while (i)
		EXPECT_EQ(WD_PATH_SIM, f[--i].arg.path);
}

TEST(a_session_for_devices_only_has_no_place_on_this_CPU)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();

	EXPECT_EQ(-EINVAL, wd_ctx_set_add_soft(0, set));
	EXPECT_EQ(-EOPNOTSUPP, wd_ctx_set_add_soft(session_with(WD_SYNC, WD_SESS_PATH_SOFT), set));
	ASSERT_EQ(0, wd_ctx_set_add_soft(session_with(WD_ASYNC, WD_SESS_PATH_SOFT), set));
	EXPECT_EQ(1, count(set));
	NEED_DEVICES();
	EXPECT_EQ(-EOPNOTSUPP, wd_ctx_set_add_soft(session(WD_ASYNC), set));
}

TEST(the_set_of_a_session_without_devices_is_this_CPU)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	struct wd_ctx_info info;

	ASSERT_EQ(0, wd_ctx_set_from_sess(session_with(WD_ASYNC, WD_SESS_PATH_SOFT), set));
	ASSERT_LE(0, only(set));
	ASSERT_EQ(0, wd_ctx_info(only(set), &info));
	EXPECT_EQ(WD_PATH_SOFT, info.path);
}

TEST_HARNESS_MAIN
