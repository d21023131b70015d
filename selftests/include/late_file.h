/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file whose pages come when the test delivers them: a file system of this process (FUSE, by its messages, so that no
 * library is needed) that holds the answer to each read.
 */
#ifndef WD_TEST_LATE_FILE_H
#define WD_TEST_LATE_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LATE_FILE_NODE	2
#define LATE_FILE_MESSAGE	(256u << 10)

struct late_file {
	int dev;
	char dir[32];
	pthread_t server;
	atomic_ullong held;	/* the read that waits, or 0 */
	uint32_t held_bytes;
	atomic_bool delivers;
	void *at;
	size_t bytes;
};

static inline void late_file_answer(const struct late_file *f, uint64_t unique, int error, const void *data,
				    uint32_t bytes)
{
	struct fuse_out_header head = { .len = (uint32_t)sizeof(head) + bytes, .error = error, .unique = unique };
	struct iovec iov[] = { { &head, sizeof(head) }, { (void *)data, bytes } };

	if (writev(f->dev, iov, 2) < 0)
		return;
}

static inline struct fuse_attr late_file_attr(const struct late_file *f, uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .size = node == LATE_FILE_NODE ? f->bytes : 0, .nlink = 1, .blksize = 4096,
		.mode = node == LATE_FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
	};
}

static inline void late_file_zeroes(const struct late_file *f, uint64_t unique, uint32_t bytes)
{
	void *zeroes = calloc(1, bytes);

	late_file_answer(f, unique, zeroes ? 0 : -ENOMEM, zeroes, zeroes ? bytes : 0);
	free(zeroes);
}

static inline void late_file_serve(struct late_file *f, const struct fuse_in_header *in)
{
	const struct fuse_read_in *read = (const struct fuse_read_in *)(const void *)(in + 1);
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = LATE_FILE_NODE, .attr = late_file_attr(f, LATE_FILE_NODE) };
	struct fuse_attr_out attr = { .attr = late_file_attr(f, in->nodeid) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		late_file_answer(f, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		late_file_answer(f, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		late_file_answer(f, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		late_file_answer(f, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (atomic_load(&f->delivers)) {
			late_file_zeroes(f, in->unique, read->size);
			break;
		}
		f->held_bytes = read->size;
		atomic_store(&f->held, in->unique);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		late_file_answer(f, in->unique, -ENOSYS, NULL, 0);
	}
}

/* Until it is unmounted. */
static inline void *late_file_run(void *arg)
{
	struct late_file *f = arg;
	void *message = malloc(LATE_FILE_MESSAGE);
	ssize_t n;

	while (message && ((n = read(f->dev, message, LATE_FILE_MESSAGE)) > 0 || errno == EINTR || errno == EAGAIN))
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			late_file_serve(f, message);
	free(message);
	return NULL;
}

/* Pages that nobody has asked for come at once from now on, too. */
static inline void late_file_deliver(struct late_file *f)
{
	uint64_t held;

	atomic_store(&f->delivers, true);
	held = atomic_exchange(&f->held, 0);
	if (held)
		late_file_zeroes(f, held, f->held_bytes);
}

static inline void late_file_end(struct late_file *f)
{
	late_file_deliver(f);
	if (f->at != MAP_FAILED)
		munmap(f->at, f->bytes);
	umount2(f->dir, MNT_DETACH);
	pthread_join(f->server, NULL);
	rmdir(f->dir);
	close(f->dev);
}

static inline int late_file_mount(struct late_file *f)
{
	char options[96];

	f->dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (f->dev < 0)
		return -errno;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", f->dev);
	if (!mkdtemp(strcpy(f->dir, "/tmp/late-XXXXXX")) ||
	    mount("late", f->dir, "fuse", MS_NOSUID | MS_NODEV, options)) {
		int err = -errno;

		close(f->dev);
		return err;
	}
	return 0;
}

/* A mapping of the file. 0, or why this kernel or this user can't. */
static inline int late_file_make(struct late_file *f, size_t bytes)
{
	char path[64];
	int ret, fd;

	*f = (struct late_file){ .bytes = bytes, .at = MAP_FAILED };
	/* Where it is built in, there is no module. */
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		return -ENODEV;
	ret = late_file_mount(f);
	if (ret)
		return ret;
	if (pthread_create(&f->server, NULL, late_file_run, f))
		abort();
	snprintf(path, sizeof(path), "%s/page", f->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		f->at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
	}
	ret = f->at == MAP_FAILED ? -errno : 0;
	if (ret)
		late_file_end(f);
	return ret;
}

/* Returns when an access waits. */
static inline int late_file_wanted(const struct late_file *f, int ms)
{
	for (; !atomic_load(&f->held) && ms; ms--)
		poll(NULL, 0, 1);
	return atomic_load(&f->held) ? 0 : -ETIMEDOUT;
}

#endif
