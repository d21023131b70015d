// SPDX-License-Identifier: Apache-2.0
/* The value of available_instances for each reader: the same tests for the kernel's sections and for wd-emulate's. */
#include <signal.h>
#include <sys/wait.h>
#include <wd_user.h>
#include "available.h"
#include "kselftest_harness.h"
#include "uacce_sys.h"

#define NONE	"hisi_zip-1"
#define SHARE	2
#define EXTRAS	2
#define HANG_MS	300000

/* The number as libwd reads it, unless an algorithm's folder has another value. */
static long left_on(const char *dev)
{
	long left = uacce_attr_num(dev, "available_instances");
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", dev);
	return uacce_attr_num(dev, "hisi_zip-zlib/available_instances") == left && wd_ctx_get_avail_ctx(path) == left ?
	       left : -1;
}

static long left(void)
{
	return left_on(MEMBER);
}

static int queue_open(void)
{
	return neg_errno(open("/dev/" MEMBER, O_RDWR | O_CLOEXEC));
}

/* Other processes' contexts become free a moment after the processes end. */
static long left_in_the_end(long wanted)
{
	long long end = now_ms() + HANG_MS;
	long n;

	while ((n = left()) != wanted && now_ms() < end)
		poll(NULL, 0, 1);
	return n;
}

/*
 * A process outside of sections, which opens some queues and reads the number into saw; it ends when its pipe is
 * closed.
 */
struct outsider {
	pid_t pid;
	int pipe;
	long saw;
};

static struct outsider outsider(long opens)
{
	struct outsider o = { .saw = -1 };
	int told[2], end[2];
	char c;

	if (pipe2(told, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		abort();
	o.pid = fork();
	if (!o.pid) {
		close(end[1]);
		wd_user_start(NULL);
		while (opens-- && queue_open() >= 0)
			;
		o.saw = left();
		_exit(write(told[1], &o.saw, sizeof(o.saw)) != sizeof(o.saw) || read(end[0], &c, 1));
	}
	close(end[0]);
	close(told[1]);
	if (read(told[0], &o.saw, sizeof(o.saw)) != sizeof(o.saw))
		o.saw = -1;
	close(told[0]);
	o.pipe = end[1];
	return o;
}

static void outsider_end(struct outsider *o)
{
	close(o->pipe);
	waitpid(o->pid, NULL, 0);
}

FIXTURE(available) {
	long pool;
};

FIXTURE_SETUP(available)
{
	long queues = available_begin();

	ASSERT_LT(SHARE + EXTRAS, queues);
	self->pool = queues - SHARE;
	/* The outsider of the previous test may still be ending. */
	ASSERT_EQ(self->pool, left_in_the_end(self->pool));
	setenv("WD_ATTACH_TIMEOUT", "300000", 1);
	ASSERT_EQ(0, wd_user_start(SECTION));
}

FIXTURE_TEARDOWN(available)
{
	available_end();
}

TEST_F(available, to_who_is_attached_its_share_and_its_extras)
{
	EXPECT_EQ(SHARE + EXTRAS, left());
	EXPECT_EQ(0, left_on(NONE));
	ASSERT_EQ(0, wd_user_stop());
	EXPECT_EQ(self->pool, left());
}

TEST_F(available, as_many_as_can_be_opened)
{
	int fd[SHARE + EXTRAS], i;

	for (i = 0; i < SHARE + EXTRAS; i++) {
		fd[i] = queue_open();
		EXPECT_LE(0, fd[i]);
		EXPECT_EQ(SHARE + EXTRAS - 1 - i, left());
	}
	EXPECT_EQ(-EDQUOT, queue_open());
	/* The first contexts to close are the share's: extra ones stay extra. */
	for (i = 0; i < SHARE + EXTRAS; i++) {
		close(fd[i]);
		EXPECT_EQ(1 + i, left());
	}
}

TEST_F(available, to_others_the_pool)
{
	struct outsider o;
	int fd[SHARE + 1], i;

	for (i = 0; i < SHARE + 1; i++)
		fd[i] = queue_open();
	o = outsider(0);
	EXPECT_EQ(self->pool - 1, o.saw);
	outsider_end(&o);
	close(fd[0]);
	o = outsider(1);
	EXPECT_EQ(self->pool - 2, o.saw);
	outsider_end(&o);
	close(fd[1]);
	close(fd[2]);
}

TEST_F(available, no_more_extras_than_the_pool_has)
{
	struct outsider o = outsider(self->pool - 1);

	EXPECT_EQ(1, o.saw);
	EXPECT_EQ(SHARE + 1, left());
	outsider_end(&o);
	EXPECT_EQ(SHARE + EXTRAS, left_in_the_end(SHARE + EXTRAS));
}

TEST_F(available, nothing_while_the_section_is_draining)
{
	available_drain();
	EXPECT_EQ(0, left());
	EXPECT_EQ(-ESHUTDOWN, queue_open());
}

int main(int argc, char **argv)
{
	available_prepare(argv);
	return test_harness_run(argc, argv);
}
