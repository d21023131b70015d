// SPDX-License-Identifier: Apache-2.0
/* Payload whose pages come from user space or from files: late, never, or as any others. */
#include <dirent.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "rawq.h"
#include "sim_item.h"

#define NAME		"testpay"
#define WAIT_MS		60000
#define BYTES		(64 * 1024)
#define BAD		16	/* more than a device has job threads */
#define GOOD		8
#define FUSE_FILE	2	/* node number; 1 is the root */

/* A file system that never answers a read. */
struct mute_fs {
	char dir[64];
	int fd;
	pid_t pid;
};

static void fuse_reply(int fd, const struct fuse_in_header *in, int error, const void *body, size_t len)
{
	struct fuse_out_header out = { .len = sizeof(out) + len, .error = error, .unique = in->unique };
	uint8_t buf[512];

	memcpy(buf, &out, sizeof(out));
	if (len)
		memcpy(buf + sizeof(out), body, len);
	if (write(fd, buf, sizeof(out) + len) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr fuse_attr_of(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.size = node == FUSE_FILE ? 1 << 20 : 0,
		.mode = node == FUSE_FILE ? S_IFREG | 0644 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void fuse_serve(int fd)
{
	static uint8_t buf[FUSE_MIN_READ_BUFFER + 65536] __attribute__((aligned(8)));
	const struct fuse_in_header *in = (const void *)buf;
	struct fuse_entry_out entry = { .nodeid = FUSE_FILE, .attr_valid = 1000, .entry_valid = 1000 };
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out opened = { .fh = 1 };

	while (read(fd, buf, sizeof(buf)) > 0) {
		switch (in->opcode) {
		case FUSE_INIT:
			init.max_readahead = BYTES;
			fuse_reply(fd, in, 0, &init, sizeof(init));
			break;
		case FUSE_LOOKUP:
			entry.attr = fuse_attr_of(FUSE_FILE);
			fuse_reply(fd, in, 0, &entry, sizeof(entry));
			break;
		case FUSE_GETATTR:
			attr.attr = fuse_attr_of(in->nodeid);
			fuse_reply(fd, in, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			fuse_reply(fd, in, 0, &opened, sizeof(opened));
			break;
		case FUSE_READ:
		case FUSE_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			fuse_reply(fd, in, -ENOSYS, NULL, 0);
		}
	}
	_exit(0);
}

/* 0, or -errno; -ENODEV when the kernel has none of it. */
static int mute_fs_begin(struct mute_fs *fs)
{
	char options[96];
	int ret;

	if (system("modprobe -q fuse") && access("/dev/fuse", F_OK))
		return -ENODEV;
	snprintf(fs->dir, sizeof(fs->dir), "/tmp/mute-XXXXXX");
	if (!mkdtemp(fs->dir))
		return -errno;
	fs->fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fs->fd < 0)
		return -ENODEV;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fs->fd);
	ret = mount("mute", fs->dir, "fuse", 0, options) ? -errno : 0;
	if (ret)
		return ret;
	fs->pid = fork();
	if (!fs->pid)
		fuse_serve(fs->fd);
	close(fs->fd);
	return 0;
}

/* With the server gone, whoever waits for it gets an error. */
static void mute_fs_end(struct mute_fs *fs)
{
	kill(fs->pid, SIGKILL);
	waitpid(fs->pid, NULL, 0);
	umount2(fs->dir, MNT_DETACH);
	rmdir(fs->dir);
}

/* Its pages are asked for and never come; as readahead would, or one by one as random access does. */
static void *mute_fs_map(struct mute_fs *fs, int advice)
{
	char path[96];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/file", fs->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return MAP_FAILED;
	map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED)
		madvise(map, BYTES, advice);
	return map;
}

static void *uffd_map(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0 || map == MAP_FAILED || ioctl(*uffd, UFFDIO_API, &api))
		return MAP_FAILED;
	reg.range.start = (uintptr_t)map;
	reg.range.len = BYTES;
	return ioctl(*uffd, UFFDIO_REGISTER, &reg) ? MAP_FAILED : map;
}

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

/* Another process and its requests: 0 when all of them came back right. */
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

/* Requests on @src fail one by one with the status of a bad address; those of others are served. */
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
	int uffd;
	void *src = uffd_map(&uffd);

	if (src == MAP_FAILED)
		SKIP(return, "no userfaultfd: %s", strerror(errno));
	expect_only_its_own_fail(_metadata, &self->q, src, self->dst);
	close(uffd);
}

static void mute_file(struct __test_metadata *_metadata, FIXTURE_DATA(payload) *self, int advice)
{
	struct mute_fs fs = {};
	void *src;
	int ret = mute_fs_begin(&fs);

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	src = mute_fs_map(&fs, advice);
	ASSERT_NE(MAP_FAILED, src);
	expect_only_its_own_fail(_metadata, &self->q, src, self->dst);
	mute_fs_end(&fs);
	/* What was left waiting has ended: files are served again. */
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

static int fill_file(int fd, int seed)
{
	static uint8_t data[BYTES];

	memset(data, seed, sizeof(data));
	return pwrite(fd, data, sizeof(data), 0) == sizeof(data) && !fsync(fd) ? 0 : -EIO;
}

/* Pages of a file that nobody has touched through the mapping: read, and copied on write. */
TEST_F_TIMEOUT(payload, mapped_files_are_payload_like_any_other, 200)
{
	char path[] = "payload-XXXXXX";
	uint32_t produced, unpacked;
	uint8_t *src, *dst, *back;
	struct rawq inflate;
	int fd = mkstemp(path), status;

	ASSERT_GE(fd, 0);
	unlink(path);
	ASSERT_EQ(0, fill_file(fd, 'x'));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	src = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	dst = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	back = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(src != MAP_FAILED && dst != MAP_FAILED && back != MAP_FAILED);
	ASSERT_EQ(ZIP_ST_OK, rawq_zip(&self->q, ZIP_REQ_DEFLATE, src, BYTES, dst, BYTES, &produced, WAIT_MS));
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
	for (int i = 0; i < BYTES; i++)
		ASSERT_EQ(0, dst[i]);
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
	struct mute_fs fs = {};
	char name[UACCE_NAME_MAX];
	struct rawq q;
	void *src;
	int ret = mute_fs_begin(&fs);

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	src = mute_fs_map(&fs, MADV_NORMAL);
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
	mute_fs_end(&fs);
}

TEST_HARNESS_MAIN
