// SPDX-License-Identifier: Apache-2.0
/* Clients whose pages come slowly or never, again and again: what these clients cost other clients and the system. */
#include <dirent.h>
#include <sys/sysmacros.h>
#include "kselftest_harness.h"

#define NEED_DEVICES	1
#include "need_machine.h"
#include "fuse_fs.h"
#include "rawq.h"
#include "text_file.h"
#include "turn.h"
#include "wait_ms.h"

#define BYTES		(64 * 1024)
#define TURNS		20
#define LEFT_MAX	8	/* threads left waiting for one user's pages */
#define THREADS_MAX	5	/* job threads of a device, each of which may have a thread that isn't left waiting */
#define QUEUES		8	/* more than a device has job threads */
#define DEPTH		4
#define PAGE_MS		200
#define GOOD		8
/*
 * Takes 4 s, which no limit on a single request cuts short: with such a request before each of them, 8 requests would
 * take 32 s.
 */
#define SLOW_BYTES	(20 * 4096)
#define GOOD_MS		20000
#define GOOD_TRIES	3

#define USER_SLOW	1001
#define USER_OTHER	1002

#define HUNG_TASK	"/proc/sys/kernel/hung_task_timeout_secs"

FIXTURE(slow) {
	char name[UACCE_NAME_MAX];
	char hung_task[32];
	struct fuse_fs fs;
};

/*
 * Threads are left waiting on purpose, eight of them one after the other: the kernel must not complain after two
 * minutes.
 */
FIXTURE_SETUP(slow)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name));
	if (text_read(HUNG_TASK, self->hung_task, sizeof(self->hung_task)) > 0)
		text_write(HUNG_TASK, "0");
}

FIXTURE_TEARDOWN(slow)
{
	if (self->hung_task[0])
		text_write(HUNG_TASK, self->hung_task);
}

#define fs_begin(self, delay_ms) do {					\
	int __ret = fuse_fs_begin(&(self)->fs, delay_ms);		\
									\
	if (__ret == -ENODEV)						\
		SKIP(return, "this kernel has no FUSE");		\
	ASSERT_EQ(0, __ret);						\
} while (0)

/* A device tells users apart by their real IDs; the effective ID stays root's, since only root can open the node. */
static void become(uid_t uid)
{
	if (setresuid(uid, 0, 0))
		_exit(9);
}

static int ends_with(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static unsigned int pager_threads(void)
{
	char path[300], comm[64];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (text_read(path, comm, sizeof(comm)) > 0 && !strncmp(comm, "hisi_sim/page", 13))
			nr++;
	}
	if (proc)
		closedir(proc);
	return nr;
}

/*
 * A separate process with one request on @src; exits with the request's status, or with 100 or more if it didn't
 * complete.
 */
static pid_t one_request(const char *name, uid_t uid, const void *src)
{
	static uint8_t dst[2 * BYTES];
	uint32_t produced;
	struct rawq q;
	pid_t pid = fork();
	int ret;

	if (pid)
		return pid;
	become(uid);
	if (rawq_begin(&q, name, ZIP_QC_COMPRESS))
		_exit(100);
	ret = rawq_zip(&q, ZIP_REQ_DEFLATE, src, BYTES, dst, sizeof(dst), &produced, WAIT_MS);
	rawq_close(&q);
	_exit(ret < 0 ? 101 : ret);
}

/* The server may get no CPU for the seconds that a device waits for a page: a later request finds the page present. */
static int status_in_the_end(const char *name, uid_t uid, const void *src)
{
	int status = ZIP_ST_ADDRESS;

	for (int i = 0; i < 20 && status == ZIP_ST_ADDRESS; i++)
		status = ends_with(one_request(name, uid, src));
	return status;
}

/*
 * Threads that wait for pages that never come are few, however often their user opens anew. Each turn has a page of its
 * own: a wait for a page that another thread asked for ends with that thread.
 */
TEST_F_TIMEOUT(slow, opening_anew_strands_no_more_threads, 300)
{
	uint8_t *src;

	fs_begin(self, FUSE_NEVER);
	src = fuse_fs_map(&self->fs, 0, TURNS * BYTES, MADV_RANDOM);
	ASSERT_NE(MAP_FAILED, (void *)src);
	for (int i = 0; i < TURNS; i++)
		EXPECT_EQ(ZIP_ST_ADDRESS, ends_with(one_request(self->name, USER_SLOW, src + i * BYTES)));
	EXPECT_GE(pager_threads(), LEFT_MAX);
	EXPECT_LE(pager_threads(), LEFT_MAX + THREADS_MAX);
	fuse_fs_end(&self->fs);
	munmap(src, TURNS * BYTES);
}

TEST_F_TIMEOUT(slow, who_has_none_left_waiting_may_use_files, 300)
{
	struct fuse_fs quick = {};
	uint8_t *src;
	void *file;

	fs_begin(self, FUSE_NEVER);
	ASSERT_EQ(0, fuse_fs_begin(&quick, 0));
	src = fuse_fs_map(&self->fs, 0, TURNS * BYTES, MADV_RANDOM);
	file = fuse_fs_map(&quick, 0, BYTES, MADV_NORMAL);
	ASSERT_NE(MAP_FAILED, (void *)src);
	ASSERT_NE(MAP_FAILED, file);
	/* More than may be left waiting: a request that no server has read when its thread is left fails then. */
	for (int i = 0; i < TURNS; i++)
		EXPECT_EQ(ZIP_ST_ADDRESS, ends_with(one_request(self->name, USER_SLOW, src + i * BYTES)));
	EXPECT_EQ(ZIP_ST_ADDRESS, ends_with(one_request(self->name, USER_SLOW, file)));
	EXPECT_EQ(ZIP_ST_OK, status_in_the_end(self->name, USER_OTHER, file));
	fuse_fs_end(&self->fs);
	/* The threads that were left waiting end soon, and the user's files are served again. */
	for (long long end = now_ms() + WAIT_MS; pager_threads() > THREADS_MAX && now_ms() < end;)
		turn_over();
	EXPECT_EQ(ZIP_ST_OK, status_in_the_end(self->name, USER_SLOW, file));
	fuse_fs_end(&quick);
	munmap(file, BYTES);
	munmap(src, TURNS * BYTES);
}

/* Submits the next part of the file, which has not been read yet. */
static void submit_cold(struct rawq *q, uint8_t *src, size_t *at, uint8_t *dst)
{
	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src + *at, SLOW_BYTES, dst, 2 * BYTES, 0);
	rawq_push(q, 1);
	*at = (*at + SLOW_BYTES) % FUSE_FILE_BYTES;
}

/* More queues than the device has threads, none of which is ever without requests. */
static pid_t slow_client(const char *name, uid_t uid, struct fuse_fs *fs, int said)
{
	static uint8_t dst[2 * BYTES];
	struct rawq q[QUEUES];
	struct rawq_done done;
	pid_t pid = fork();
	size_t at = 0;
	uint8_t *src;

	if (pid)
		return pid;
	become(uid);
	src = fuse_fs_map(fs, 0, FUSE_FILE_BYTES, MADV_RANDOM);
	if (src == MAP_FAILED)
		_exit(100);
	for (int i = 0; i < QUEUES; i++) {
		if (rawq_begin(&q[i], name, ZIP_QC_COMPRESS))
			_exit(101);
		for (int j = 0; j < DEPTH; j++)
			submit_cold(&q[i], src, &at, dst);
	}
	if (write(said, "", 1) != 1)
		_exit(102);
	for (;;) {
		for (int i = 0; i < QUEUES; i++) {
			if (rawq_pull(&q[i], &done))
				continue;
			rawq_ack(&q[i], 0);
			submit_cold(&q[i], src, &at, dst);
		}
		usleep(1000);
	}
}

/* Anonymous memory that no thread can bring in, since one of the process' threads keeps the mappings locked. */
static pid_t locked_client(const char *name, uid_t uid, struct fuse_fs *fs, int said)
{
	static uint8_t text[64], dst[2 * BYTES];
	struct rawq q[QUEUES];
	struct rawq_done done;
	pid_t pid = fork();
	uint32_t produced;
	size_t at = 0;
	uint8_t *src;

	if (pid)
		return pid;
	become(uid);
	for (int i = 0; i < QUEUES; i++)
		if (rawq_begin(&q[i], name, ZIP_QC_COMPRESS) ||
		    rawq_zip(&q[i], ZIP_REQ_DEFLATE, text, sizeof(text), dst, sizeof(dst), &produced, WAIT_MS))
			_exit(101);
	/* Everything that the loop below needs is in memory from here on; doorbells are mapped by their first use. */
	if (mlockall(MCL_CURRENT))
		_exit(104);
	src = mmap(NULL, FUSE_FILE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (src == MAP_FAILED)
		_exit(100);
	if (fuse_hold_mappings(fs))
		_exit(103);
	for (int i = 0; i < QUEUES; i++)
		for (int j = 0; j < DEPTH; j++)
			submit_cold(&q[i], src, &at, dst);
	if (write(said, "", 1) != 1)
		_exit(102);
	for (;;) {
		for (int i = 0; i < QUEUES; i++) {
			if (rawq_pull(&q[i], &done))
				continue;
			if (rawq_zip_status(rawq_zip_done(&q[i], &done)) != ZIP_ST_ADDRESS)
				_exit(105);
			rawq_ack(&q[i], 0);
			submit_cold(&q[i], src, &at, dst);
		}
		usleep(1000);
	}
}

/* Another user's requests, one after the other: returns how long they took in ms, or less than 0. */
static long long neighbours_time(const char *name)
{
	static uint8_t src[BYTES], dst[2 * BYTES];
	long long since = now_ms();
	uint32_t produced;
	pid_t pid = fork();
	struct rawq q;

	if (pid)
		return ends_with(pid) ? -1 : now_ms() - since;
	become(USER_OTHER);
	if (rawq_begin(&q, name, ZIP_QC_COMPRESS))
		_exit(1);
	for (int i = 0; i < GOOD; i++) {
		memset(src, i, sizeof(src));
		if (rawq_zip(&q, ZIP_REQ_DEFLATE, src, BYTES, dst, sizeof(dst), &produced, WAIT_MS) != ZIP_ST_OK)
			_exit(2);
		rawq_ack(&q, 0);
	}
	_exit(0);
}

static void expect_neighbour_gets_on(struct __test_metadata *_metadata, FIXTURE_DATA(slow) *self,
				     pid_t (*client)(const char *, uid_t, struct fuse_fs *, int))
{
	/* How long the requests take on this machine without a slow client. */
	long long ms = -1, alone = neighbours_time(self->name);
	int said[2], status;
	pid_t pid;
	char c;

	ASSERT_LE(0, alone);
	ASSERT_EQ(0, pipe(said));
	pid = client(self->name, USER_SLOW, &self->fs, said[1]);
	close(said[1]);
	ASSERT_EQ(1, read(said[0], &c, 1));
	/* The slow client holds all threads now, before another client comes. */
	usleep(4 * PAGE_MS * 1000);
	/* A starved client waits each time; a machine stalls only now and then. */
	for (int i = 0; i < GOOD_TRIES && (ms < 0 || ms >= alone + GOOD_MS); i++) {
		ms = neighbours_time(self->name);
		EXPECT_GE(ms, 0);
		TH_LOG("%d requests of a neighbour in %lld ms, alone in %lld", GOOD, ms, alone);
	}
	EXPECT_LT(ms, alone + GOOD_MS);
	kill(pid, SIGKILL);
	/* Before the wait: the client may hang in the file system. */
	fuse_fs_end(&self->fs);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status)) TH_LOG("the slow client ended by itself: %d", WEXITSTATUS(status));
	close(said[0]);
}

TEST_F_TIMEOUT(slow, pages_that_come_slowly_starve_no_neighbour, 300)
{
	fs_begin(self, PAGE_MS);
	expect_neighbour_gets_on(_metadata, self, slow_client);
}

TEST_F_TIMEOUT(slow, locked_mappings_starve_no_neighbour, 300)
{
	fs_begin(self, FUSE_NEVER);
	expect_neighbour_gets_on(_metadata, self, locked_client);
}

TEST_HARNESS_MAIN
