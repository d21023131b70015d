/* SPDX-License-Identifier: Apache-2.0 */
/* A FUSE file system with one large file, whose reads are answered late or never. */
#ifndef WD_TEST_FUSE_FS_H
#define WD_TEST_FUSE_FS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUSE_FILE	2		/* node number; 1 is the root */
#define FUSE_FILE_BYTES	(1ull << 30)
#define FUSE_SERVERS	8		/* so many reads can wait at the same time */
#define FUSE_NEVER	(-1)
#define FUSE_READ_MAX	(64 * 1024)

struct fuse_fs {
	char dir[64];
	_Atomic unsigned int *reads;	/* reads that have reached a server; shared with the servers */
	pid_t pids[FUSE_SERVERS];
};

static inline void fuse_reply(int fd, const struct fuse_in_header *in, int error, const void *body, size_t len)
{
	static uint8_t buf[sizeof(struct fuse_out_header) + FUSE_READ_MAX];
	struct fuse_out_header out = { .len = sizeof(out) + len, .error = error, .unique = in->unique };

	memcpy(buf, &out, sizeof(out));
	if (len)
		memcpy(buf + sizeof(out), body, len);
	if (write(fd, buf, sizeof(out) + len) < 0 && errno != ENOENT)
		_exit(1);
}

static inline struct fuse_attr fuse_attr_of(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.size = node == FUSE_FILE ? FUSE_FILE_BYTES : 0,
		.mode = node == FUSE_FILE ? S_IFREG | 0644 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static inline void fuse_read_late(struct fuse_fs *fs, int fd, const struct fuse_in_header *in, int delay_ms)
{
	static const uint8_t zeroes[FUSE_READ_MAX];
	const struct fuse_read_in *read = (const void *)(in + 1);

	++*fs->reads;
	if (delay_ms == FUSE_NEVER)
		return;
	usleep(delay_ms * 1000);
	fuse_reply(fd, in, 0, zeroes, read->size < FUSE_READ_MAX ? read->size : FUSE_READ_MAX);
}

static inline void fuse_serve(struct fuse_fs *fs, int fd, int delay_ms)
{
	static uint8_t buf[FUSE_MIN_READ_BUFFER + 65536] __attribute__((aligned(8)));
	const struct fuse_in_header *in = (const void *)buf;
	struct fuse_entry_out entry = { .nodeid = FUSE_FILE, .attr_valid = 1000, .entry_valid = 1000 };
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out opened = { .fh = 1 };
	const struct fuse_open_in *open_in = (const void *)(in + 1);

	while (read(fd, buf, sizeof(buf)) > 0) {
		switch (in->opcode) {
		case FUSE_INIT:
			init.max_readahead = FUSE_READ_MAX;
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
			/* Keep the cache: otherwise open() would wait for the pages; only mmap() should wait. */
			opened.open_flags = open_in->flags & O_NONBLOCK ? FOPEN_DIRECT_IO | FOPEN_KEEP_CACHE : 0;
			fuse_reply(fd, in, 0, &opened, sizeof(opened));
			break;
		case FUSE_READ:
			fuse_read_late(fs, fd, in, delay_ms);
			break;
		case FUSE_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			fuse_reply(fd, in, -ENOSYS, NULL, 0);
		}
	}
	_exit(0);
}

/* Answers reads after @delay_ms, or FUSE_NEVER. 0, or -errno; -ENODEV when the kernel has no FUSE. */
static inline int fuse_fs_begin(struct fuse_fs *fs, int delay_ms)
{
	char options[96];
	int ret, fd;

	if (system("modprobe -q fuse") && access("/dev/fuse", F_OK))
		return -ENODEV;
	fs->reads = mmap(NULL, sizeof(*fs->reads), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fs->reads == MAP_FAILED)
		return -errno;
	snprintf(fs->dir, sizeof(fs->dir), "/tmp/fuse-XXXXXX");
	if (!mkdtemp(fs->dir))
		return -errno;
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -ENODEV;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	ret = mount("late", fs->dir, "fuse", 0, options) ? -errno : 0;
	for (int i = 0; i < FUSE_SERVERS && !ret; i++) {
		fs->pids[i] = fork();
		if (!fs->pids[i])
			fuse_serve(fs, fd, delay_ms);
	}
	close(fd);
	return ret;
}

/* When the servers are gone, threads that wait for them get an error. */
static inline void fuse_fs_end(struct fuse_fs *fs)
{
	for (int i = 0; i < FUSE_SERVERS; i++)
		kill(fs->pids[i], SIGKILL);
	for (int i = 0; i < FUSE_SERVERS; i++)
		waitpid(fs->pids[i], NULL, 0);
	umount2(fs->dir, MNT_DETACH);
	rmdir(fs->dir);
	munmap(fs->reads, sizeof(*fs->reads));
}

static inline int fuse_fs_open(struct fuse_fs *fs, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/file", fs->dir);
	return open(path, O_RDONLY | O_CLOEXEC | flags);
}

/* @advice: pages are requested with readahead, or one by one for random access. */
static inline void *fuse_fs_map(struct fuse_fs *fs, off_t at, size_t bytes, int advice)
{
	int fd = fuse_fs_open(fs, 0);
	void *map;

	if (fd < 0)
		return MAP_FAILED;
	map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, at);
	close(fd);
	if (map != MAP_FAILED)
		madvise(map, bytes, advice);
	return map;
}

static inline void *fuse_reads_page(void *fs)
{
	int fd = fuse_fs_open(fs, 0);
	char c;

	return (void *)(long)(fd >= 0 && pread(fd, &c, 1, 0));
}

static inline char fuse_thread_state(pid_t pid, pid_t tid)
{
	char path[64], text[256] = "";
	const char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	at = strrchr(text, ')');
	return at ? at[2] : '?';
}

struct fuse_holder {
	struct fuse_fs *fs;
	_Atomic pid_t tid;
};

/* Waits, with mmap_lock held, for the page that is being read. */
static inline void *fuse_holds(void *arg)
{
	struct fuse_holder *h = arg;
	int fd = fuse_fs_open(h->fs, O_NONBLOCK);

	/* Set after opening: opening also sleeps, until a server gets the CPU. */
	h->tid = gettid();
	return fd < 0 ? NULL : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
}

/*
 * Makes another thread of this process hold mmap_lock for writing, until a file system that never
 * answers ends. Meanwhile no absent page can be touched. 0 or -errno.
 */
static inline int fuse_hold_mappings(struct fuse_fs *fs)
{
	static struct fuse_holder holder;
	unsigned int reads = *fs->reads;
	pthread_t reader, mapper;
	int ret;

	holder = (struct fuse_holder){ .fs = fs };
	ret = pthread_create(&reader, NULL, fuse_reads_page, fs);
	if (ret)
		return -ret;
	/* The page is locked before its request is sent. */
	while (*fs->reads == reads)
		usleep(1000);
	ret = pthread_create(&mapper, NULL, fuse_holds, &holder);
	if (ret)
		return -ret;
	while (!holder.tid || fuse_thread_state(getpid(), holder.tid) != 'D')
		usleep(1000);
	return 0;
}

#endif
