// SPDX-License-Identifier: Apache-2.0
/*
 * Payload whose pages come from user space or from files: pages that come late, pages that never come, and ordinary
 * pages.
 */
#include <dirent.h>
#include <linux/loop.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define NEED_DEVICES	1
#include "need_machine.h"
#include "fuse_fs.h"
#include "late_page.h"
#include "rawq.h"
#include "sim_item.h"
#include "wait_ms.h"

#define NAME		"testpay"
#define BYTES		(64 * 1024)
#define BAD		16	/* more than a device has job threads */
#define GOOD		8
#define PAGE_WAIT_MS	2000	/* how long a device waits for one page, at least */

static void submit(struct rawq *q, const void *src, void *dst, uint32_t room)
{
	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src, BYTES, dst, room, 0);
	rawq_push(q, 1);
}

/* Status of the next completion, or -errno. */
static int finish(struct rawq *q)
{
	struct rawq_done done;
	int ret = rawq_wait(q, &done, WAIT_MS);

	if (ret)
		return ret;
	ret = rawq_zip_status(rawq_zip_done(q, &done));
	rawq_ack(q, 0);
	return ret;
}

/* Another process and its requests: exits with 0 when all of them completed correctly. */
static pid_t neighbour(const char *name)
{
	static uint8_t src[BYTES], dst[2 * BYTES];
	uint32_t produced;
	struct rawq q;
	pid_t pid = fork();

	if (pid)
		return pid;
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

static int neighbour_ends(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

FIXTURE(payload) {
	char name[UACCE_NAME_MAX];
	struct rawq q;
	uint8_t dst[2 * BYTES];
};

FIXTURE_SETUP(payload)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
}

FIXTURE_TEARDOWN(payload)
{
	rawq_close(&self->q);
}

/* Requests on @src fail one by one with the status of a bad address; another process' requests are served. */
static void expect_only_its_own_fail(struct __test_metadata *_metadata, struct rawq *q, const void *src,
				     uint8_t *dst)
{
	pid_t pid;

	for (int i = 0; i < BAD; i++)
		submit(q, src, dst, 2 * BYTES);
	pid = neighbour(q->name);
	EXPECT_EQ(0, neighbour_ends(pid));
	for (int i = 0; i < BAD; i++)
		EXPECT_EQ(ZIP_ST_ADDRESS, finish(q));
}

TEST_F_TIMEOUT(payload, faults_nobody_answers_fail_alone, 200)
{
	struct late_page never;
	int ret = late_page_make(&never, BYTES);

	if (ret)
		SKIP(return, "no userfaultfd: %s", strerror(-ret));
	expect_only_its_own_fail(_metadata, &self->q, never.at, self->dst);
	late_page_end(&never);
}

static void mute_file(struct __test_metadata *_metadata, FIXTURE_DATA(payload) *self, int advice)
{
	struct fuse_fs fs = {};
	void *src;
	int ret = fuse_fs_begin(&fs, FUSE_NEVER);

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	src = fuse_fs_map(&fs, 0, BYTES, advice);
	ASSERT_NE(MAP_FAILED, src);
	expect_only_its_own_fail(_metadata, &self->q, src, self->dst);
	fuse_fs_end(&fs);
	/* The thread that was left waiting has ended: files are served again. */
	munmap(src, BYTES);
}

TEST_F_TIMEOUT(payload, a_file_that_never_comes_fails_alone, 200)
{
	mute_file(_metadata, self, MADV_NORMAL);
}

TEST_F_TIMEOUT(payload, a_file_read_page_by_page_that_never_comes_fails_alone, 200)
{
	mute_file(_metadata, self, MADV_RANDOM);
}

/* A loop device over a file of @fs: returns its number, or -1. */
static int loop_begin(struct fuse_fs *fs)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_READ_ONLY };
	char path[32];
	int control, nr, fd, file, ret = -1;

	if (system("modprobe -q loop") && access("/dev/loop-control", F_OK))
		return -1;
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return -1;
	nr = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	snprintf(path, sizeof(path), "/dev/loop%d", nr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	file = fuse_fs_open(fs, 0);
	config.fd = file;
	if (file >= 0)
		ret = ioctl(fd, LOOP_CONFIGURE, &config);
	close(file);
	close(fd);
	return ret ? -1 : nr;
}

static void *loop_map(int nr, int *fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/loop%d", nr);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return mmap(NULL, BYTES, PROT_READ, MAP_SHARED, *fd, 0);
}

/* The device's node is a file of a tmpfs, but the pages come from another file system. */
TEST_F_TIMEOUT(payload, a_block_device_that_never_answers_fails_alone, 200)
{
	struct fuse_fs fs = {};
	int nr, fd, ret = fuse_fs_begin(&fs, FUSE_NEVER);
	void *src;

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	nr = loop_begin(&fs);
	if (nr < 0) {
		fuse_fs_end(&fs);
		SKIP(return, "no loop devices: %s", strerror(errno));
	}
	src = loop_map(nr, &fd);
	ASSERT_NE(MAP_FAILED, src);
	/* Page by page: readahead would wait in another place. */
	madvise(src, BYTES, MADV_RANDOM);
	expect_only_its_own_fail(_metadata, &self->q, src, self->dst);
	fuse_fs_end(&fs);
	munmap(src, BYTES);
	ioctl(fd, LOOP_CLR_FD);
	close(fd);
}

static int fill_file(int fd, int seed)
{
	static uint8_t data[BYTES];

	memset(data, seed, sizeof(data));
	return pwrite(fd, data, sizeof(data), 0) == sizeof(data) && !fsync(fd) ? 0 : -EIO;
}

/*
 * The file system may get no CPU for the seconds that a device waits for a page. A later request finds the pages that
 * have come since, once the thread that was left waiting is back. The first status that comes without such a wait is
 * returned.
 */
static int deflate_in_the_end(struct rawq *q, const void *src, void *dst, uint32_t room, uint32_t *produced)
{
	long long begin = now_ms(), deadline = begin + WAIT_MS;
	int ret = rawq_zip(q, ZIP_REQ_DEFLATE, src, BYTES, dst, room, produced, WAIT_MS);

	if (now_ms() < begin + PAGE_WAIT_MS / 2)
		return ret;
	while (ret == ZIP_ST_ADDRESS && now_ms() < deadline) {
		rawq_ack(q, 0);
		poll(NULL, 0, 100);
		ret = rawq_zip(q, ZIP_REQ_DEFLATE, src, BYTES, dst, room, produced, WAIT_MS);
	}
	return ret;
}

/* Pages of a file that were never touched through the mapping: read, and copied on write. */
TEST_F_TIMEOUT(payload, mapped_files_are_payload_like_any_other, 200)
{
	/* In the VM, the programs' folder is read-only, and the build folder is not. */
	char path[] = "payload-XXXXXX", above[] = "../../../payload-XXXXXX";
	uint32_t produced, unpacked;
	uint8_t *src, *dst, *back;
	struct rawq inflate;
	int fd = mkstemp(path), status;

	if (fd < 0 && errno == EROFS) {
		fd = mkstemp(above);
		unlink(above);
	} else {
		unlink(path);
	}
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, fill_file(fd, 'x'));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	src = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	dst = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	back = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(src != MAP_FAILED && dst != MAP_FAILED && back != MAP_FAILED);
	ASSERT_EQ(ZIP_ST_OK, deflate_in_the_end(&self->q, src, dst, BYTES, &produced));
	ASSERT_EQ(0, rawq_begin(&inflate, self->name, ZIP_QC_DECOMPRESS));
	status = rawq_zip(&inflate, ZIP_REQ_DEFLATE, dst, produced, back, BYTES, &unpacked, WAIT_MS);
	EXPECT_TRUE(status == ZIP_ST_OK || status == ZIP_ST_END) TH_LOG("status %d", status);
	EXPECT_EQ(BYTES, unpacked);
	EXPECT_EQ(0, memcmp(src, back, BYTES));
	rawq_close(&inflate);
	close(fd);
}

TEST_F_TIMEOUT(payload, what_may_not_be_written_is_not, 200)
{
	uint8_t *dst = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)dst);
	memset(self->dst, 'y', BYTES);
	submit(&self->q, self->dst, dst, BYTES);
	EXPECT_EQ(ZIP_ST_ADDRESS, finish(&self->q));
	for (int i = 0; i < BYTES; i++) {
		ASSERT_EQ(0, dst[i]);
	}
}

/* The uacce node of the simulated device. */
static int node_of(const char *item, char name[UACCE_NAME_MAX])
{
	char address[64], path[160];
	struct dirent *entry;
	int ret = -ENOENT;
	DIR *dir;

	if (sim_get(item, "address", address, sizeof(address)) < 0)
		return -ENOENT;
	snprintf(path, sizeof(path), SIM_PCI "/%s/uacce", address);
	dir = opendir(path);
	while (dir && ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(name, UACCE_NAME_MAX, "%.40s", entry->d_name);
			ret = 0;
		}
	if (dir)
		closedir(dir);
	return ret;
}

TEST_F_TIMEOUT(payload, a_device_goes_while_its_requests_wait_for_a_file, 200)
{
	struct fuse_fs fs = {};
	char name[UACCE_NAME_MAX];
	struct rawq q;
	void *src;
	int ret = fuse_fs_begin(&fs, FUSE_NEVER);

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	src = fuse_fs_map(&fs, 0, BYTES, MADV_NORMAL);
	ASSERT_NE(MAP_FAILED, src);
	ASSERT_EQ(0, sim_mkdir(NAME));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_EQ(0, node_of(NAME, name));
	ASSERT_EQ(0, rawq_begin(&q, name, ZIP_QC_COMPRESS));
	for (int i = 0; i < BAD; i++)
		submit(&q, src, self->dst, sizeof(self->dst));
	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	rawq_close(&q);
	EXPECT_EQ(0, sim_rmdir(NAME));
	fuse_fs_end(&fs);
}

TEST_HARNESS_MAIN
