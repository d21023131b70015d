// SPDX-License-Identifier: Apache-2.0
/* libwd in the kernel's sections: what the library is granted, opens, exchanges and loses. */
#include <pthread.h>
#include <wd_comp.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "in_child.h"
#include "worker.h"

#define S	"SSL"
#define LEN	1000

static unsigned char plain[LEN], packed[2 * LEN];
static size_t packed_len;

FIXTURE(library) {
	struct worker w;
};

FIXTURE_SETUP(library)
{
	/* Contexts of the previous test's process. */
	ASSERT_EQ(0, soon_zero(DEV0, "used_ctxs"));
	ASSERT_EQ(0, worker_start(&self->w));
}

FIXTURE_TEARDOWN(library)
{
	worker_kill(&self->w);
	if (!access(sec_path(S, NULL), F_OK))
		EXPECT_EQ(0, sec_end(S));
	/* Contexts of killed processes come back a moment later; this process' own, when it ends. */
	EXPECT_EQ(0, soon_zero(DEV0, "reserved_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

static handle_t session(int op, int dir, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = op, .dir_type = dir, .comp_lv = dir == WD_DIR_COMPRESS,
		.win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static handle_t hw(int dir)
{
	return session(WD_SYNC, dir, WD_SESS_PATH_HW);
}

static int compress(handle_t sess)
{
	size_t len = sizeof(packed);
	struct wd_comp_arg arg = { .src = plain, .src_len = LEN, .dst = packed, .dst_len = &len };
	int ret;

	/*
	 * The buffer's page may be the program's file: a device waits two seconds for such a page, and no CPU may be
	 * free.
	 */
	memset(packed, 0, sizeof(packed));
	ret = wd_compress(sess, &arg);
	if (!ret)
		packed_len = len;
	return ret;
}

static int decompress(handle_t sess)
{
	unsigned char dst[LEN];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = packed, .src_len = packed_len, .dst = dst, .dst_len = &len };

	return wd_decompress(sess, &arg);
}

static struct wd_user_info info(void)
{
	struct wd_user_info i;

	memset(&i, 0xff, sizeof(i));
	if (wd_user_info(&i))
		abort();
	return i;
}

static bool says(const char *words)
{
	char text[256];

	wd_error_detail(0, text, sizeof(text));
	if (!strstr(text, words))
		printf("# \"%s\" isn't in \"%s\"\n", words, text);
	return strstr(text, words);
}

TEST_F(library, opens_what_is_granted_and_no_more)
{
	struct wd_user_grant g;
	long used = dev_num(DEV0, "used_ctxs");
	int i;

	ASSERT_EQ(0, sec_make(S, DEV0, 2, 3, 0));
	ASSERT_EQ(0, wd_user_start(S));
	EXPECT_STREQ("SSL_INT_0", info().slot);
	ASSERT_EQ(1, info().nr_grants);
	ASSERT_EQ(0, wd_user_grant(0, &g));
	EXPECT_STREQ(DEV0, g.dev_name);
	EXPECT_EQ(3, g.sync_ctxs);
	EXPECT_EQ(0, g.async_ctxs);
	EXPECT_EQ(used, dev_num(DEV0, "used_ctxs"));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, compress(hw(WD_DIR_COMPRESS)));
	EXPECT_EQ(used + 2, dev_num(DEV0, "used_ctxs"));
	EXPECT_EQ(0, decompress(hw(WD_DIR_DECOMPRESS)));
	EXPECT_EQ(used + 3, dev_num(DEV0, "used_ctxs"));
	EXPECT_EQ(0, wd_request_ctx("/dev/" DEV0));
	EXPECT_EQ(EDQUOT, errno);
	EXPECT_EQ(0, wd_request_ctx("/dev/" DEV1));
	EXPECT_EQ(EACCES, errno);
	ASSERT_EQ(0, wd_user_grant(0, &g));
	EXPECT_EQ(3, g.sync_open);
}

TEST_F(library, is_told_in_the_kernels_words)
{
	EXPECT_EQ(-ENOENT, wd_user_start(S));
	EXPECT_TRUE(says("section SSL: there is no section of this name"));
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&self->w, S, 0));
	EXPECT_EQ(-EUSERS, wd_user_start(S));
	EXPECT_TRUE(says("all slots of the section are taken"));
	setenv("WD_ATTACH_TIMEOUT", "50", 1);
	EXPECT_EQ(-EUSERS, wd_user_start(S));
	EXPECT_TRUE(says("within 50 ms"));
	ASSERT_EQ(0, sec_end(S));
	ASSERT_EQ(0, sec_mkdir(S));
	EXPECT_EQ(-ESHUTDOWN, wd_user_start(S));
	EXPECT_TRUE(says("the section is not live"));
	EXPECT_EQ(WD_USER_NONE, info().state);
}

static void *go_soon(void *arg)
{
	usleep(50000);
	worker_kill(arg);
	return NULL;
}

TEST_F(library, gets_the_slot_of_who_goes)
{
	pthread_t thread;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, w_attach(&self->w, S, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, go_soon, &self->w));
	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	EXPECT_EQ(0, wd_user_start(S));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, compress(hw(WD_DIR_COMPRESS)));
}

static int unprivileged(void *unused)
{
	if (setgid(65534) || setuid(65534))
		return 1;
	if (wd_user_start(S) != -EACCES)
		return 2;
	return says("neither this user nor its groups are allowed in the section") ? 0 : 3;
}

static int permitted(void *unused)
{
	return setgid(65534) || setuid(65534) || wd_user_start(S) ? 1 : 0;
}

TEST_F(library, is_refused_and_allowed_by_user)
{
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	EXPECT_EQ(0, in_child(unprivileged, NULL));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "65534"));
	EXPECT_EQ(0, in_child(permitted, NULL));
}

TEST_F(library, exchanges_queue_types_on_one_context)
{
	handle_t c, d;
	int i;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, wd_user_start(S));
	c = hw(WD_DIR_COMPRESS);
	ASSERT_EQ(0, compress(c));
	d = hw(WD_DIR_DECOMPRESS);
	ASSERT_NE(0, d);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, decompress(d));
		EXPECT_EQ(0, compress(c));
	}
}

TEST_F(library, takes_nothing_from_the_pool_when_its_slot_is_revoked)
{
	handle_t sess;
	long used;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	ASSERT_EQ(0, wd_user_start(S));
	sess = hw(WD_DIR_COMPRESS);
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, sec_set(S, "live", "revoke"));
	used = dev_num(DEV0, "used_ctxs");
	EXPECT_NE(0, compress(sess));
	EXPECT_EQ(WD_USER_LOST, info().state);
	EXPECT_EQ(0, session(WD_SYNC, WD_DIR_COMPRESS, 0));
	EXPECT_EQ(ESHUTDOWN, errno);
	EXPECT_TRUE(says("lost its slot"));
	EXPECT_EQ(used, dev_num(DEV0, "used_ctxs"));
	ASSERT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(-EBUSY, wd_user_start(S));
	wd_comp_free_sess(sess);
	EXPECT_EQ(0, wd_user_start(S));
	EXPECT_EQ(0, compress(hw(WD_DIR_COMPRESS)));
}

TEST_F(library, gives_everything_back_when_it_stops)
{
	handle_t sess;
	int i;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, wd_user_start(S));
		sess = hw(WD_DIR_COMPRESS);
		EXPECT_EQ(0, compress(sess));
		EXPECT_EQ(-EBUSY, wd_user_stop());
		wd_comp_free_sess(sess);
		ASSERT_EQ(0, wd_user_stop());
		EXPECT_EQ(0, w_attach(&self->w, S, 0));
		EXPECT_EQ(0, w_detach(&self->w));
	}
}

static handle_t shared;

static int child_attaches(void *unused)
{
	return compress(shared) ? 1 : strcmp(info().slot, "SSL_INT_1") ? 2 : 0;
}

static int child_can_not(void *unused)
{
	return compress(shared) != -ENODEV ? 1 : info().state != WD_USER_NONE ? 2 : 0;
}

TEST_F(library, attaches_a_child_by_itself_or_not_at_all)
{
	ASSERT_EQ(0, sec_make(S, DEV0, 2, 1, 0));
	ASSERT_EQ(0, wd_user_start(S));
	shared = hw(WD_DIR_COMPRESS);
	ASSERT_EQ(0, compress(shared));
	EXPECT_EQ(0, in_child(child_attaches, NULL));
	ASSERT_EQ(0, w_attach_soon(&self->w, S));
	EXPECT_EQ(0, in_child(child_can_not, NULL));
	EXPECT_EQ(0, compress(shared));
}

/* As in wdctl run: the slot is granted before exec, and kept. */
static int run(void *unused)
{
	struct nl_client c;
	char text[128];
	int fd;

	if (client_open(&c) || client_attach(&c, S, NULL, NULL, 0))
		return 1;
	fd = c.sk->fd;
	fcntl(fd, F_SETFD, 0);
	snprintf(text, sizeof(text), "%d,%d,%s,%s", (int)getpid(), fd, S, c.slot);
	setenv("WD_ATTACHED", text, 1);
	setenv("WD_SECTION", S, 1);
	execl("/proc/self/exe", "test_library", "executed", (char *)NULL);
	return 127;
}

static int executed(void)
{
	if (compress(hw(WD_DIR_COMPRESS)))
		return 1;
	if (info().state != WD_USER_SECTION || !info().inherited || info().nr_grants != 1)
		return 2;
	/* There is one context for each direction, and the one slot is taken. */
	return decompress(hw(WD_DIR_DECOMPRESS)) ? 3 : wd_user_start(S) != -EALREADY ? 4 : 0;
}

TEST_F(library, finds_the_slot_that_it_was_executed_with)
{
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 2, 0));
	EXPECT_EQ(0, in_child(run, NULL));
	EXPECT_EQ(0, w_attach(&self->w, S, WAIT_MS) < 0);
}

/* Another library has attached the process; its slot lasts as long as that one wants. */
TEST_F(library, joins_another_library_in_its_slot)
{
	struct nl_client other;
	handle_t h;

	ASSERT_EQ(0, sec_make(S, DEV0, 2, 2, 0));
	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, client_attach(&other, S, NULL, NULL, 0));
	ASSERT_EQ(0, wd_user_start(S));
	EXPECT_STREQ(other.slot, info().slot);
	EXPECT_EQ(1, info().nr_grants);
	h = hw(WD_DIR_COMPRESS);
	EXPECT_EQ(0, compress(h));
	wd_comp_free_sess(h);
	EXPECT_EQ(0, wd_user_stop());
	/* It is attached still. */
	EXPECT_EQ(-EALREADY, client_attach(&other, S, NULL, NULL, 0));
	EXPECT_EQ(0, client_detach(&other));
	client_close(&other);
}

TEST_F(library, joins_no_library_that_waits)
{
	struct nl_client other;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 2, 0));
	ASSERT_EQ(0, w_attach(&self->w, S, 0));
	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(1, client_attach(&other, S, NULL, NULL, WAIT_MS));
	EXPECT_EQ(-EBUSY, wd_user_start(S));
	EXPECT_TRUE(says("waits for a slot already"));
	client_close(&other);
}

TEST_F(library, joins_in_no_other_section)
{
	struct nl_client other;

	ASSERT_EQ(0, sec_make(S, DEV0, 2, 2, 0));
	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, client_attach(&other, S, NULL, NULL, 0));
	EXPECT_EQ(-EBUSY, wd_user_start("other"));
	EXPECT_TRUE(says("another section"));
	client_close(&other);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "executed"))
		return executed();
	return test_harness_run(argc, argv);
}
