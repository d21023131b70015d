// SPDX-License-Identifier: Apache-2.0
/* A section with LimitDevAccess on devices of two engines: what a process can do on the devices of its slot. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <wd_comp.h>
#include <wd_digest.h>
#include <wd_user.h>

#define SECTIONED_FILE	"[LIMIT]\nLimitDevAccess = 1\n"
#include "kselftest_harness.h"
#include "sectioned.h"
#include "session.h"

static handle_t compressor(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static handle_t digester(__u32 flags)
{
	struct wd_digest_sess_setup setup = { .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .flags = flags };

	return wd_digest_alloc_sess(&setup, NULL);
}

static int compress(handle_t sess, struct wd_comp_arg *arg)
{
	static unsigned char src[1000], dst[2000];
	static size_t len;

	len = sizeof(dst);
	*arg = (struct wd_comp_arg){ .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };
	return wd_compress(sess, arg);
}

static int digest(handle_t sess, struct wd_digest_arg *arg)
{
	static unsigned char src[1000], dst[32];
	static size_t len;

	len = sizeof(dst);
	*arg = (struct wd_digest_arg){ .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };
	return wd_digest_sync(sess, arg);
}

/* Another process, which has the first slot until the test ends. */
static pid_t first_slot_held(void)
{
	pid_t pid;
	char c;
	int fds[2];

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = wd_user_start("LIMIT") ? 'n' : 'y';
		if (write(fds[1], &c, 1) == 1 && c == 'y')
			pause();
		_exit(1);
	}
	return read(fds[0], &c, 1) == 1 && c == 'y' ? pid : -1;
}

TEST(a_slot_has_a_device_of_each_engine)
{
	struct wd_digest_arg d;
	struct wd_user_info info;
	struct wd_comp_arg c;
	handle_t comp, dig;

	ASSERT_EQ(0, wd_user_start("LIMIT"));
	ASSERT_EQ(0, wd_user_info(&info));
	EXPECT_STREQ("LIMIT_DEV0_INT_0", info.slot);
	EXPECT_EQ(2, info.nr_grants);
	comp = compressor(WD_SESS_PATH_HW);
	dig = digester(WD_SESS_PATH_HW);
	ASSERT_NE(0, comp);
	ASSERT_NE(0, dig);
	EXPECT_EQ(0, compress(comp, &c));
	EXPECT_EQ(WD_PATH_SIM, c.path);
	EXPECT_EQ(0, digest(dig, &d));
	EXPECT_EQ(WD_PATH_SIM, d.path);
	wd_comp_free_sess(comp);
	wd_digest_free_sess(dig);
}

TEST(a_slot_without_a_device_of_an_engine_is_told_as_that)
{
	pid_t other = first_slot_held();
	struct wd_digest_arg d;
	struct wd_user_info info;
	struct wd_comp_arg c;
	handle_t comp, dig;

	ASSERT_LT(0, other);
	ASSERT_EQ(0, wd_user_start("LIMIT"));
	ASSERT_EQ(0, wd_user_info(&info));
	EXPECT_STREQ("LIMIT_DEV1_INT_0", info.slot);
	EXPECT_EQ(1, info.nr_grants);
	/* The library reads what the slot has again, at the earliest then. */
	usleep(150000);
	errno = 0;
	EXPECT_EQ(0, digester(WD_SESS_PATH_HW));
	EXPECT_EQ(EACCES, errno);
	EXPECT_NE(NULL, strstr(detail(0), "the slot of this process has no device for "));
	ASSERT_EQ(0, wd_user_info(&info));
	EXPECT_EQ(1, info.nr_grants);
	dig = digester(0);
	ASSERT_NE(0, dig);
	EXPECT_EQ(0, digest(dig, &d));
	EXPECT_EQ(WD_PATH_SOFT, d.path);
	EXPECT_EQ(WD_REASON_NOT_IN_SLOT, d.path_reason);
	EXPECT_STREQ("the slot has no device for it", wd_path_reason_str(d.path_reason));
	comp = compressor(WD_SESS_PATH_HW);
	ASSERT_NE(0, comp);
	EXPECT_EQ(0, compress(comp, &c));
	EXPECT_EQ(WD_PATH_SIM, c.path);
	wd_comp_free_sess(comp);
	wd_digest_free_sess(dig);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(int argc, char **argv)
{
	sectioned_on(argv, "2", "1", "0,1,0");
	return test_harness_run(argc, argv);
}
