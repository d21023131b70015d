// SPDX-License-Identifier: Apache-2.0
/* The library's own poll threads, for requests on the software path and on emulated devices. */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/node.h"
#include "kselftest_harness.h"
#include "on_device.h"
#include "tsan_fork.h"
#include "turn.h"

#define LEN		1000
#define ROOM		2000
#define WAIT_S		300	/* only a hang takes this long */
#define WAIT_MS		(1000 * WAIT_S)
#define MANY		300
#define SUBMITTERS	3

#ifdef __SANITIZE_THREAD__
#define CHILD_THREADS	false	/* ThreadSanitizer mistakes them for the parent's */
#else
#define CHILD_THREADS	true
#endif

struct flight {
	struct wd_comp_arg arg;
	unsigned char dst[ROOM];
	size_t len;
	_Atomic int done;
	int status;
	pid_t thread;
	char name[16];
};

static unsigned char src[LEN];
static _Atomic unsigned int total;

static pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct flight *f = param;

	f->status = arg->status;
	f->thread = thread_id();
	pthread_getname_np(pthread_self(), f->name, sizeof(f->name));
	/* In this order: a thread that has seen the total looks at each request's count next. */
	atomic_fetch_add(&f->done, 1);
	atomic_fetch_add(&total, 1);
}

static int submit(handle_t sess, struct flight *f, wd_alg_comp_cb_t *cb)
{
	memset(f, 0, sizeof(*f));
	f->len = ROOM;
	f->arg = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = f->dst, .dst_len = &f->len, .cb = cb, .cb_param = f,
	};
	return wd_comp_async(sess, &f->arg, NULL);
}

static bool late(time_t begun)
{
	turn_over();
	return time(NULL) - begun > WAIT_S;
}

#define WAIT_FOR(cond) ({ \
	time_t begun = time(NULL); \
	bool ok; \
	while (!(ok = (cond)) && !late(begun)) \
		poll(NULL, 0, 1); \
	ok; \
})

static handle_t soft_session(void)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_SOFT,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

/* Counts the wd-poll threads of this process; their ids go into tid. /proc still lists a joined thread for a moment. */
static unsigned int pollers(pid_t tid[], unsigned int room)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	unsigned int n = 0;

	while (dir && (e = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f) && !strncmp(name, "wd-poll/", 8) && n < room)
			tid[n++] = atoi(e->d_name);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Does the thread sleep on files without a time limit? */
static bool sleeps_for_good(pid_t tid)
{
	unsigned long fds, n, limit;
	char path[64];
	long call = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld %lx %lx %lx", &call, &fds, &n, &limit) != 4)
		call = -1;
	if (f)
		fclose(f);
	return call == SYS_ppoll && !limit;
}

FIXTURE(on) {
	handle_t sess;
};

FIXTURE_VARIANT(on) {
	bool device;
};

FIXTURE_VARIANT_ADD(on, this_CPU) { .device = false };
FIXTURE_VARIANT_ADD(on, a_device) { .device = true };

FIXTURE_SETUP(on)
{
	self->sess = 0;
	if (variant->device && !emulated())
		return;
	self->sess = variant->device ? session_on_device(true, true) : soft_session();
	ASSERT_NE(0, self->sess);
}

FIXTURE_TEARDOWN(on)
{
	if (!self->sess)
		return;
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(0, wd_comp_free_sess(self->sess));
}

TEST_F(on, callbacks_run_without_anybody_polling)
{
	struct flight f;

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	ASSERT_TRUE(WAIT_FOR(f.done));
	EXPECT_EQ(WD_COMP_OK, f.status);
	EXPECT_STREQ("wd-poll/any.0", f.name);
	EXPECT_NE(thread_id(), f.thread);
}

TEST_F(on, what_is_in_flight_already_is_delivered)
{
	struct flight f;

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	ASSERT_EQ(0, wd_start_pollers("2"));
	EXPECT_TRUE(WAIT_FOR(f.done));
}

TEST_F(on, whoever_is_idle_sleeps_without_a_limit)
{
	struct flight f;
	pid_t tid[2];

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("2"));
	ASSERT_EQ(2, pollers(tid, 2));
	EXPECT_TRUE(WAIT_FOR(sleeps_for_good(tid[0]) && sleeps_for_good(tid[1])));
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	ASSERT_TRUE(WAIT_FOR(f.done));
	EXPECT_TRUE(WAIT_FOR(sleeps_for_good(tid[0]) && sleeps_for_good(tid[1])));
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	EXPECT_TRUE(WAIT_FOR(f.done));
}

TEST_F(on, every_request_ends_once_though_others_poll_too)
{
	struct flight *f = calloc(MANY, sizeof(*f));
	unsigned int i, end = total + MANY;

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("2"));
	for (i = 0; i < MANY; i++) {
		while (submit(self->sess, &f[i], on_done)) {
			ASSERT_LE(0, wd_comp_wait(self->sess, WAIT_MS));
		}
		ASSERT_LE(0, wd_comp_poll(1, 0, NULL));
	}
	while (total < end) {
		int ret = wd_comp_poll(1, 1, NULL);

		ASSERT_TRUE(ret >= 0 || ret == -ETIME);
	}
	EXPECT_TRUE(WAIT_FOR(total == end));
	for (i = 0; i < MANY; i++)
		EXPECT_TRUE(f[i].done == 1 && f[i].status == WD_COMP_OK);
	ASSERT_TRUE(WAIT_FOR(!wd_in_flight(NULL)));
	ASSERT_EQ(0, wd_stop_pollers());
	free(f);
}

/* Submissions make the kernel poll, and may consume the event of a thread that has just been woken. */
TEST_F(on, a_row_of_requests_wakes_whoever_sleeps)
{
	struct flight *f = calloc(MANY, sizeof(*f));
	unsigned int round, i, end;
	pid_t tid[2];

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("2"));
	ASSERT_EQ(2, pollers(tid, 2));
	for (round = 0; round < 20; round++) {
		end = total + MANY;
		ASSERT_TRUE(WAIT_FOR(sleeps_for_good(tid[0]) && sleeps_for_good(tid[1])));
		for (i = 0; i < MANY; i++)
			while (submit(self->sess, &f[i], on_done)) {
				ASSERT_EQ(0, wd_comp_wait(self->sess, WAIT_MS));
			}
		ASSERT_TRUE(WAIT_FOR(total == end));
	}
	free(f);
}

TEST_F(on, after_a_stop_requests_are_the_callers_to_poll)
{
	struct flight f;

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("2"));
	ASSERT_EQ(0, wd_stop_pollers());
	EXPECT_TRUE(WAIT_FOR(!pollers(&f.thread, 1)));
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(thread_id(), f.thread);
	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(0, submit(self->sess, &f, on_done));
	EXPECT_TRUE(WAIT_FOR(f.done));
	EXPECT_NE(thread_id(), f.thread);
}

static int refused;

static void on_done_stop(struct wd_comp_arg *arg, void *param)
{
	refused = wd_stop_pollers();
	on_done(arg, param);
}

TEST_F(on, a_callback_does_not_stop_its_own_thread)
{
	struct flight f;

	if (!self->sess)
		SKIP(return, "no emulated device");
	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(0, submit(self->sess, &f, on_done_stop));
	ASSERT_TRUE(WAIT_FOR(f.done));
	EXPECT_EQ(-EDEADLK, refused);
}

static _Atomic bool second_over;

static void on_done_second(struct wd_comp_arg *arg, void *param)
{
	on_done(arg, param);
	atomic_store(&second_over, true);
}

/* Waits for the second callback, which may not have been submitted yet: so the two must run on two threads. */
static void on_done_first(struct wd_comp_arg *arg, void *param)
{
	WAIT_FOR(atomic_load(&second_over));
	on_done(arg, param);
}

TEST(a_busy_thread_gets_help)
{
	handle_t sess = soft_session();
	struct flight first, second;

	ASSERT_EQ(0, wd_start_pollers("2"));
	ASSERT_EQ(0, submit(sess, &first, on_done_first));
	ASSERT_EQ(0, submit(sess, &second, on_done_second));
	ASSERT_TRUE(WAIT_FOR(first.done));
	EXPECT_EQ(1, second.done);
	EXPECT_NE(first.thread, second.thread);
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

static cpu_set_t cpus;
static sigset_t blocked;

static void on_done_look(struct wd_comp_arg *arg, void *param)
{
	sched_getaffinity(0, sizeof(cpus), &cpus);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	on_done(arg, param);
}

TEST(a_thread_stays_on_its_node_and_takes_no_signals)
{
	handle_t sess = soft_session();
	struct flight f;
	cpu_set_t node;

	if (wd_node_cpus(0, &node))
		SKIP(return, "no NUMA node 0");
	ASSERT_EQ(0, wd_start_pollers("1@0"));
	ASSERT_EQ(0, submit(sess, &f, on_done_look));
	ASSERT_TRUE(WAIT_FOR(f.done));
	EXPECT_STREQ("wd-poll/0.0", f.name);
	CPU_AND(&node, &node, &cpus);
	EXPECT_TRUE(CPU_EQUAL(&node, &cpus));
	EXPECT_EQ(1, sigismember(&blocked, SIGTERM));
	EXPECT_EQ(1, sigismember(&blocked, SIGUSR1));
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

TEST(they_are_started_once_and_stopped_as_often_as_one_likes)
{
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(0, wd_start_pollers(NULL));
	EXPECT_EQ(-EALREADY, wd_start_pollers("1"));
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(0, wd_start_pollers("3"));
	EXPECT_EQ(0, wd_stop_pollers());
}

TEST(a_bad_text_is_refused_in_words)
{
	static const struct {
		const char *text;
		const char *words;
	} bad[] = {
		{ "", "COUNT or COUNT@NODE was expected" },
		{ "x", "at \"x\"" },
		{ "2@", "at \"2@\"" },
		{ "1@0x", "at \"1@0x\"" },
		{ "1,", "COUNT or COUNT@NODE was expected" },
		{ " 1", "at \" 1\"" },
		{ "-1", "at \"-1\"" },
		{ "123456", "at \"123456\"" },
		{ "0", "the count is 0" },
		{ "0@0", "the count is 0" },
		{ "65", "more than 64 in all" },
		{ "1,64", "two counts without a node" },
		{ "1@0,1@0", "node 0 is named twice" },
		{ "1@9999", "node 9999 has no CPU" },
	};
	char text[200];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EINVAL, wd_start_pollers(bad[i].text)) TH_LOG("%s", bad[i].text);
		wd_error_detail(0, text, sizeof(text));
		EXPECT_NE(NULL, strstr(text, bad[i].words)) TH_LOG("%s: %s", bad[i].text, text);
	}
	EXPECT_EQ(0, pollers(&(pid_t){ 0 }, 1));
}

TEST(the_environment_starts_them_with_the_first_asynchronous_session)
{
	struct flight f;
	handle_t sess;

	setenv("WD_POLL_THREADS", "1", 1);
	sess = soft_session();
	ASSERT_NE(0, sess);
	ASSERT_EQ(0, submit(sess, &f, on_done));
	EXPECT_TRUE(WAIT_FOR(f.done));
	EXPECT_EQ(-EALREADY, wd_start_pollers(NULL));
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
	/* Threads that the program stopped don't start again. */
	sess = soft_session();
	EXPECT_TRUE(WAIT_FOR(!pollers(&f.thread, 1)));
	wd_comp_free_sess(sess);
}

TEST(a_bad_environment_refuses_the_session)
{
	char text[256];

	setenv("WD_POLL_THREADS", "many", 1);
	errno = 0;
	EXPECT_EQ(0, soft_session());
	EXPECT_EQ(EINVAL, errno);
	EXPECT_LT(0, wd_error_detail(0, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "environment variable WD_POLL_THREADS: "));
	EXPECT_NE(NULL, strstr(text, ": Invalid argument"));
	EXPECT_EQ(NULL, strstr(strstr(text, ": Invalid argument") + 1, ": Invalid argument"));
}

/* A sanitizer's allocator doesn't support a fork while another thread is inside it. */
static bool all_sleep(void)
{
	pid_t tid[4];
	unsigned int n = pollers(tid, 4);

	while (n && sleeps_for_good(tid[n - 1]))
		n--;
	return !n;
}

static int end_of(pid_t pid)
{
	int status = -1;

	if (!WAIT_FOR(waitpid(pid, &status, WNOHANG) == pid || status != -1))
		kill(pid, SIGKILL);
	return status;
}

TEST(a_child_has_none_and_may_start_its_own)
{
	handle_t sess = soft_session();
	struct flight f;
	pid_t pid;

	if (!CHILD_THREADS)
		SKIP(return, "no threads in a child under this sanitizer");
	ASSERT_EQ(0, wd_start_pollers("2"));
	ASSERT_TRUE(WAIT_FOR(all_sleep()));
	pid = fork();
	if (!pid) {
		int bad = pollers(&f.thread, 1);

		bad |= (submit(sess, &f, on_done) || wd_comp_poll(1, WAIT_MS, NULL) != 1) << 1;
		bad |= !!wd_start_pollers("1") << 2;
		bad |= (submit(sess, &f, on_done) || !WAIT_FOR(f.done)) << 3;
		bad |= !!wd_stop_pollers() << 4;
		_exit(bad);
	}
	EXPECT_EQ(0, end_of(pid));
	ASSERT_EQ(0, submit(sess, &f, on_done));
	EXPECT_TRUE(WAIT_FOR(f.done));
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

TEST(the_environment_starts_them_in_a_child_too)
{
	struct flight f;
	handle_t sess;
	pid_t pid;

	if (!CHILD_THREADS)
		SKIP(return, "no threads in a child under this sanitizer");
	setenv("WD_POLL_THREADS", "1", 1);
	sess = soft_session();
	ASSERT_NE(0, sess);
	ASSERT_TRUE(WAIT_FOR(all_sleep()));
	pid = fork();
	if (!pid) {
		int bad = submit(sess, &f, on_done) || !WAIT_FOR(f.done);

		bad |= (f.thread == getpid()) << 1;
		_exit(bad);
	}
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

static _Atomic bool stuck;

static void on_done_never(struct wd_comp_arg *arg, void *param)
{
	atomic_store(&stuck, true);
	for (;;)
		pause();
}

TEST(a_stuck_callback_does_not_hold_up_the_exit)
{
	pid_t pid = fork();

	if (!pid) {
		handle_t sess = soft_session();
		struct flight *f = calloc(1, sizeof(*f));
		int bad = !!wd_start_pollers("2");

		bad |= !!submit(sess, f, on_done_never);
		if (bad || !WAIT_FOR(stuck))
			_exit(1);
		exit(0);
	}
	EXPECT_EQ(0, end_of(pid));
}

static _Atomic bool released;

static void on_done_released(struct wd_comp_arg *arg, void *param)
{
	atomic_store(&stuck, true);
	while (!atomic_load(&released))
		poll(NULL, 0, 1);
}

/* Registered before the threads start, so it runs after the library has tried to end them. */
static void release_and_stop(void)
{
	atomic_store(&released, true);
	if (wd_stop_pollers())
		_exit(2);
	if (wd_start_pollers("1"))
		_exit(3);
	if (wd_stop_pollers())
		_exit(4);
}

TEST(a_thread_that_was_left_behind_at_exit_can_be_stopped_later)
{
	pid_t pid = fork();

	if (!pid) {
		handle_t sess = soft_session();
		struct flight *f = calloc(1, sizeof(*f));
		int bad = atexit(release_and_stop) || wd_start_pollers("2");

		bad |= !!submit(sess, f, on_done_released);
		if (bad || !WAIT_FOR(stuck))
			_exit(1);
		exit(0);
	}
	EXPECT_EQ(0, end_of(pid));
}

static void on_done_exit(struct wd_comp_arg *arg, void *param)
{
	exit(7);
}

TEST(a_callback_may_end_the_process)
{
	pid_t pid = fork();

	if (!pid) {
		handle_t sess = soft_session();
		struct flight *f = calloc(1, sizeof(*f));

		wd_start_pollers("2");
		submit(sess, f, on_done_exit);
		for (;;)
			pause();
	}
	EXPECT_EQ(7 << 8, end_of(pid));
}

static int submit_until(handle_t sess, struct flight *f, unsigned int timeout_ms)
{
	memset(f, 0, sizeof(*f));
	f->len = ROOM;
	f->arg = (struct wd_comp_arg){
		.src = src, .src_len = LEN, .dst = f->dst, .dst_len = &f->len, .cb = on_done, .cb_param = f,
		.timeout_ms = timeout_ms,
	};
	return wd_comp_async(sess, &f->arg, NULL);
}

/* A request that the device loses while the thread sleeps; first: one that is over before. */
static void lose(struct __test_metadata *_metadata, bool first, unsigned int timeout_ms)
{
	struct flight f;
	handle_t sess = session_on_device(true, true);
	pid_t tid;

	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(1, pollers(&tid, 1));
	if (first) {
		ASSERT_EQ(0, submit_until(sess, &f, timeout_ms));
		ASSERT_TRUE(WAIT_FOR(f.done));
	}
	ASSERT_TRUE(WAIT_FOR(sleeps_for_good(tid)));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault drop=1/1"));
	ASSERT_EQ(0, submit_until(sess, &f, timeout_ms));
	ASSERT_TRUE(WAIT_FOR(f.done));
	EXPECT_EQ(-ETIMEDOUT, status_errno(f.status));
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "fault drop=0"));
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

TEST(a_deadline_is_kept_by_those_who_slept)
{
	if (!emulated())
		SKIP(return, "no emulated device");
	lose(_metadata, false, 20);
}

/* The deadline of a request that is over hides a later one, until it passes. */
TEST(a_deadline_behind_that_of_a_request_that_is_over_is_kept)
{
	if (!emulated())
		SKIP(return, "no emulated device");
	lose(_metadata, true, 1000);
}

TEST(a_reset_while_they_sleep_is_survived)
{
	struct flight f;
	handle_t sess;
	pid_t tid;
	int i;

	if (!emulated())
		SKIP(return, "no emulated device");
	sess = session_on_device(true, true);
	ASSERT_EQ(0, wd_start_pollers("1"));
	ASSERT_EQ(1, pollers(&tid, 1));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
		/* The dead file must not keep the thread awake. */
		ASSERT_TRUE(WAIT_FOR(sleeps_for_good(tid)));
		ASSERT_TRUE(WAIT_FOR(!submit(sess, &f, on_done)));
		ASSERT_TRUE(WAIT_FOR(f.done));
	}
	EXPECT_EQ(0, wd_stop_pollers());
	wd_comp_free_sess(sess);
}

static void *submit_many(void *sess)
{
	struct flight *f = calloc(MANY, sizeof(*f));
	time_t begun = time(NULL);
	unsigned int i;
	long bad = 0;

	for (i = 0; i < MANY; i++) {
		while (submit(*(handle_t *)sess, &f[i], on_done) == -EBUSY)
			wd_comp_wait(*(handle_t *)sess, 100);
	}
	for (i = 0; i < MANY; i++) {
		while (!f[i].done && !late(begun))
			wd_comp_poll(1, 1, NULL);
		bad += f[i].done != 1 || f[i].status != WD_COMP_OK;
	}
	if (!bad)
		free(f);
	return (void *)bad;
}

TEST_F(on, starting_and_stopping_under_load_loses_nothing)
{
	pthread_t t[SUBMITTERS];
	unsigned int end = total + SUBMITTERS * MANY;
	void *bad;
	int i;

	if (!self->sess)
		SKIP(return, "no emulated device");

	for (i = 0; i < SUBMITTERS; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, submit_many, &self->sess));
	}
	while (total < end) {
		ASSERT_EQ(0, wd_start_pollers("2"));
		turn_over();
		ASSERT_EQ(0, wd_stop_pollers());
	}
	for (i = 0; i < SUBMITTERS; i++) {
		pthread_join(t[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(end, total);
}

TEST_HARNESS_MAIN
