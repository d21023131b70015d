// SPDX-License-Identifier: Apache-2.0
/* libc calls on paths and descriptors that may belong to an emulated device. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "emu.h"

#define NODES		"/sys/devices/system/node"
#define EMU_MAJOR	511

EMU_REAL(int, open, const char *path, int flags, ...)
EMU_REAL(int, openat, int dir, const char *path, int flags, ...)
EMU_REAL(int, close, int fd)
EMU_REAL(int, close_range, unsigned int first, unsigned int last, int flags)
EMU_REAL(int, dup, int fd)
EMU_REAL(int, dup2, int fd, int to)
EMU_REAL(int, dup3, int fd, int to, int flags)
EMU_REAL(int, fcntl, int fd, int cmd, ...)
EMU_REAL(int, ioctl, int fd, unsigned long cmd, ...)
EMU_REAL(ssize_t, read, int fd, void *buf, size_t len)
EMU_REAL(ssize_t, write, int fd, const void *buf, size_t len)
EMU_REAL(void *, mmap, void *addr, size_t len, int prot, int flags, int fd, off_t offset)
EMU_REAL(int, munmap, void *addr, size_t len)
EMU_REAL(void *, mremap, void *addr, size_t len, size_t to, int flags, ...)
EMU_REAL(int, mprotect, void *addr, size_t len, int prot)
EMU_REAL(int, madvise, void *addr, size_t len, int advice)
EMU_REAL(FILE *, fopen, const char *path, const char *mode)
EMU_REAL(DIR *, opendir, const char *path)
EMU_REAL(int, scandir, const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
	 int (*compare)(const struct dirent **, const struct dirent **))
EMU_REAL(int, fstat, int fd, struct stat *st)
EMU_REAL(int, fstatat, int dir, const char *path, struct stat *st, int flags)
EMU_REAL(int, statx, int dir, const char *path, int flags, unsigned int mask, struct statx *st)
EMU_REAL(int, access, const char *path, int mode)
EMU_REAL(int, faccessat, int dir, const char *path, int mode, int flags)
EMU_REAL(ssize_t, readlink, const char *path, char *buf, size_t len)
EMU_REAL(ssize_t, readlinkat, int dir, const char *path, char *buf, size_t len)
EMU_REAL(char *, realpath, const char *path, char *out)
EMU_REAL(ssize_t, __readlink_chk, const char *path, char *buf, size_t len, size_t room)
EMU_REAL(ssize_t, __readlinkat_chk, int dir, const char *path, char *buf, size_t len, size_t room)
EMU_REAL(char *, __realpath_chk, const char *path, char *out, size_t room)

struct path {
	char text[EMU_PATH_ROOM];
};

/* Translates a path of the emulated tree to its real path; other paths don't change. */
static const char *path_map(const char *path, struct path *p)
{
	const struct emu_config *c;
	size_t n = sizeof(EMU_CLASS) - 1;

	if (!path || path[0] != '/')
		return path;
	c = emu_config();
	if (!c->on)
		return path;
	if (emu_device_find(path) || (!strncmp(path, EMU_CLASS, n) && (path[n] == '/' || !path[n])) ||
	    (c->nodes && !strncmp(path, NODES, sizeof(NODES) - 1) &&
	     (path[sizeof(NODES) - 1] == '/' || !path[sizeof(NODES) - 1]))) {
		/* A real path of the tree doesn't change. */
		if (!strncmp(path, c->root, strlen(c->root)))
			return path;
		emu_folder_reached(c->root);
		if ((size_t)snprintf(p->text, sizeof(p->text), "%s%s", c->root, path) < sizeof(p->text))
			return p->text;
	}
	return path;
}

const char *emu_path_map(const char *path, char *text)
{
	struct path p;
	const char *mapped = path_map(path, &p);

	return mapped == p.text ? strcpy(text, mapped) : mapped;
}

static const char *dev_map(struct path *p)
{
	if (!emu_config()->on ||
	    (size_t)snprintf(p->text, sizeof(p->text), "%s/dev", emu_config()->root) >= sizeof(p->text))
		return "/dev";
	return p->text;
}

static bool creates(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Even root must not be able to write a read-only attribute. */
static bool writable(const char *path, int flags)
{
	const char *name = strrchr(path, '/');

	return (flags & O_ACCMODE) == O_RDONLY || (name && !strcmp(name, "/isolate_strategy"));
}

static int open_mapped(int dir, const char *path, const char *mapped, int flags, mode_t mode)
{
	int fd = dir == AT_FDCWD ? real_open()(mapped, flags, mode) : real_openat()(dir, mapped, flags, mode);

	if (mapped != path)
		emu_folder_opened(path, fd);
	return fd;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	const char *mapped, *full;
	struct emu_device *dev;
	struct path p, f;

	full = emu_folder_path(dir, path, f.text, sizeof(f.text));
	dev = full && full[0] == '/' ? emu_device_find(full) : NULL;
	if (dev && (flags & O_DIRECTORY)) {
		errno = ENOTDIR;
		return -1;
	}
	if (dev && !(flags & O_PATH))
		return emu_queue_open(dev, flags);
	mapped = emu_folder_is_dev(path, flags) ? dev_map(&p) : path_map(path, &p);
	if ((mapped != path || full != path) && !writable(path, flags)) {
		errno = EACCES;
		return -1;
	}
	dev = flags & O_PATH ? NULL : emu_available_of(full);
	if (dev && !real_faccessat()(dir, mapped, R_OK, 0))
		return emu_available_open(dev, flags);
	return open_mapped(dir, path, mapped, flags, mode);
}

#define OPEN_MODE(flags, mode) \
	do { \
		va_list ap; \
		va_start(ap, flags); \
		if (creates(flags)) \
			(mode) = (mode_t)va_arg(ap, int); \
		va_end(ap); \
	} while (0)

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(flags, mode);
	return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(flags, mode);
	return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(flags, mode);
	return open_at(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(flags, mode);
	return open_at(dir, path, flags | O_LARGEFILE, mode);
}

/* The fortified names, which are called only without a mode. */
int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

int __openat_2(int dir, const char *path, int flags)
{
	return open_at(dir, path, flags, 0);
}

int __openat64_2(int dir, const char *path, int flags)
{
	return open_at(dir, path, flags | O_LARGEFILE, 0);
}

FILE *fopen(const char *path, const char *mode)
{
	struct emu_device *dev = *mode == 'r' && !strchr(mode, '+') ? emu_available_of(path) : NULL;
	const char *mapped;
	struct path p;
	FILE *f;
	int fd;

	mapped = path_map(path, &p);
	if (!dev || real_access()(mapped, R_OK))
		return real_fopen()(mapped, mode);
	fd = emu_available_open(dev, strchr(mode, 'e') ? O_CLOEXEC : 0);
	f = fd < 0 ? NULL : fdopen(fd, mode);
	if (!f && fd >= 0)
		real_close()(fd);
	return f;
}

FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

DIR *opendir(const char *path)
{
	struct path p;

	return real_opendir()(path_map(path, &p));
}

int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
	    int (*compare)(const struct dirent **, const struct dirent **))
{
	struct path p;

	return real_scandir()(path_map(path, &p), list, filter, compare);
}

/* A device node is really a file, but the program sees a character device. */
static void stat_node(struct emu_device *dev, struct stat *st)
{
	st->st_mode = S_IFCHR | 0600;
	st->st_rdev = makedev(EMU_MAJOR, dev->index);
	st->st_size = 0;
	st->st_blocks = 0;
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
	struct path p, f;
	const char *full = emu_folder_path(dir, path, f.text, sizeof(f.text));
	struct emu_device *dev = full && full[0] == '/' ? emu_device_find(full) : NULL;
	int ret = real_fstatat()(dir, path_map(path, &p), st, flags);

	if (!ret && dev)
		stat_node(dev, st);
	return ret;
}

int stat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return stat_at(dir, path, st, flags);
}

int fstat(int fd, struct stat *st)
{
	struct emu_queue *q = emu_fd_get(fd);
	int ret = real_fstat()(fd, st);

	if (!ret && q)
		stat_node(q->dev, st);
	return ret;
}

int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	struct emu_device *dev = path[0] == '/' ? emu_device_find(path) : NULL;
	struct emu_queue *q = !path[0] && flags & AT_EMPTY_PATH ? emu_fd_get(dir) : NULL;
	struct path p;
	int ret = real_statx()(dir, path_map(path, &p), flags, mask, st);

	if (q)
		dev = q->dev;
	if (!ret && dev) {
		st->stx_mode = S_IFCHR | 0600;
		st->stx_rdev_major = EMU_MAJOR;
		st->stx_rdev_minor = dev->index;
		st->stx_size = 0;
		st->stx_blocks = 0;
	}
	return ret;
}

/* On 64-bit machines, struct stat64 is struct stat. */
int stat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)(void *)st, 0);
}

int lstat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)(void *)st, AT_SYMLINK_NOFOLLOW);
}

int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return stat_at(dir, path, (struct stat *)(void *)st, flags);
}

int fstat64(int fd, struct stat64 *st)
{
	return fstat(fd, (struct stat *)(void *)st);
}

int access(const char *path, int mode)
{
	struct path p;

	return real_access()(path_map(path, &p), mode);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
	struct path p;

	return real_faccessat()(dir, path_map(path, &p), mode, flags);
}

ssize_t readlink(const char *path, char *buf, size_t len)
{
	struct path p;

	return real_readlink()(path_map(path, &p), buf, len);
}

ssize_t readlinkat(int dir, const char *path, char *buf, size_t len)
{
	struct path p;

	return real_readlinkat()(dir, path_map(path, &p), buf, len);
}

char *realpath(const char *path, char *out)
{
	struct path p;

	return real_realpath()(path_map(path, &p), out);
}

/* The fortified names of the last three; the real functions end the program if the buffer is too small. */
ssize_t __readlink_chk(const char *path, char *buf, size_t len, size_t room)
{
	struct path p;

	return real___readlink_chk()(path_map(path, &p), buf, len, room);
}

ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t len, size_t room)
{
	struct path p;

	return real___readlinkat_chk()(dir, path_map(path, &p), buf, len, room);
}

char *__realpath_chk(const char *path, char *out, size_t room)
{
	struct path p;

	return real___realpath_chk()(path_map(path, &p), out, room);
}

static void epoll_closed(int fd)
{
	if (fd >= 0 && emu_fd_epoll)
		emu_fd_epoll->closed((unsigned int)fd, (unsigned int)fd);
}

int close(int fd)
{
	struct emu_queue *q;
	int ret;

	if (emu_fd_is_private(fd)) {
		errno = EBADF;
		return -1;
	}
	q = emu_fd_clear(fd);
	epoll_closed(fd);
	ret = real_close()(fd);

	if (q)
		emu_queue_put(q);
	return ret;
}

/* Around the descriptors that a program with real devices doesn't have. */
static int close_others(unsigned int first, unsigned int last)
{
	unsigned int i;

	for (i = first; i <= last && i < EMU_FDS; i++)
		if (emu_fd_is_private((int)i)) {
			if (i > first)
				real_close_range()(first, i - 1, 0);
			first = i + 1;
		}
	return first > last ? 0 : real_close_range()(first, last, 0);
}

/* CLOSE_RANGE_UNSHARE isn't supported: the thread's own descriptor table is not distinguished. */
int close_range(unsigned int first, unsigned int last, int flags)
{
	unsigned int n = last < EMU_FDS ? last - first + 1 : first < EMU_FDS ? EMU_FDS - first : 0, i;
	struct emu_queue **old;
	int ret;

	if (first > last || flags || !n)
		return real_close_range()(first, last, flags);
	old = calloc(n, sizeof(*old));
	if (!old) {
		errno = ENOMEM;
		return -1;
	}
	/* Before other threads can open files with these numbers. */
	for (i = 0; i < n; i++)
		old[i] = emu_fd_clear((int)(first + i));
	if (emu_fd_epoll)
		emu_fd_epoll->closed(first, last);
	ret = close_others(first, last);
	for (i = 0; i < n; i++)
		if (old[i])
			emu_queue_put(old[i]);
	free(old);
	return ret;
}

void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}

static int fd_copied(int from, int fd)
{
	struct emu_queue *q = emu_fd_get(from);

	if (fd >= 0 && q) {
		emu_queue_get(q);
		emu_fd_set(fd, q, emu_fd_flags(from));
	}
	if (!q && emu_fd_epoll)
		emu_fd_epoll->copied(from, fd);
	return fd;
}

int dup(int fd)
{
	return fd_copied(fd, real_dup()(fd));
}

/* Is the call going to close @to? It isn't if it fails. */
static bool dup_replaces(int fd, int to, int flags)
{
	return fd != to && to >= 0 && !(flags & ~O_CLOEXEC) && real_fcntl()(fd, F_GETFD) >= 0;
}

static int dup_over(int fd, int to, int flags)
{
	struct emu_queue *old;
	int ret;

	old = emu_fd_clear(to);
	epoll_closed(to);
	ret = fd_copied(fd, real_dup3()(fd, to, flags));
	if (old)
		emu_queue_put(old);
	return ret;
}

int dup2(int fd, int to)
{
	return dup_replaces(fd, to, 0) ? dup_over(fd, to, 0) : real_dup2()(fd, to);
}

int dup3(int fd, int to, int flags)
{
	return dup_replaces(fd, to, flags) ? dup_over(fd, to, flags) : real_dup3()(fd, to, flags);
}

int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	ret = real_fcntl()(fd, cmd, arg);
	if (cmd == F_GETFL && ret >= 0 && emu_fd_get(fd))
		return (ret & ~(O_ACCMODE | O_NONBLOCK)) | emu_fd_flags(fd);
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? fd_copied(fd, ret) : ret;
}

int fcntl64(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fcntl(fd, cmd, arg);
}

int ioctl(int fd, unsigned long cmd, ...)
{
	struct emu_queue *q = emu_fd_get(fd);
	va_list ap;
	void *arg;
	int ret, cancel;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!q)
		return real_ioctl()(fd, cmd, arg);
	/* It isn't a cancellation point, but wakes the device's threads by calls that are. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = emu_queue_ioctl(q, cmd, arg);
	pthread_setcancelstate(cancel, NULL);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* The kernel's file supports neither. */
ssize_t read(int fd, void *buf, size_t len)
{
	if (!emu_fd_get(fd))
		return real_read()(fd, buf, len);
	errno = EINVAL;
	return -1;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	if (!emu_fd_get(fd))
		return real_write()(fd, buf, len);
	errno = EINVAL;
	return -1;
}

static void *map(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct emu_queue *q = flags & MAP_ANONYMOUS ? NULL : emu_fd_get(fd);

	return q ? emu_region_map(q, emu_fd_flags(fd) & O_ACCMODE, addr, len, prot, flags, offset) :
		   real_mmap()(addr, len, prot, flags, fd, offset);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	int ret;

	/* Unmap what is there first, or refuse if this would split a region. */
	if (flags & MAP_FIXED && emu_region_unmap(addr, len, &ret) && ret < 0)
		return MAP_FAILED;
	return map(addr, len, prot, flags, fd, offset);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return mmap(addr, len, prot, flags, fd, offset);
}

int munmap(void *addr, size_t len)
{
	int ret;

	return emu_region_unmap(addr, len, &ret) ? ret : real_munmap()(addr, len);
}

void *mremap(void *addr, size_t len, size_t to, int flags, ...)
{
	va_list ap;
	void *at;

	va_start(ap, flags);
	at = va_arg(ap, void *);
	va_end(ap);
	if (!emu_region_covers(addr, len ? len : 1))
		return real_mremap()(addr, len, to, flags, at);
	errno = EPERM;
	return MAP_FAILED;
}

int mprotect(void *addr, size_t len, int prot)
{
	if (!emu_region_cut(addr, len))
		return real_mprotect()(addr, len, prot);
	errno = EINVAL;
	return -1;
}

int madvise(void *addr, size_t len, int advice)
{
	if (!emu_region_cut(addr, len) && !(advice == MADV_DOFORK && emu_region_covers(addr, len)))
		return real_madvise()(addr, len, advice);
	errno = EINVAL;
	return -1;
}

static void fork_child(void)
{
	emu_fd_foreign();
	emu_region_after_fork();
	emu_config_after_fork();
	emu_threads_after_fork();
	emu_sections_after_fork();
	emu_faults_after_fork();
	if (emu_fd_epoll)
		emu_fd_epoll->after_fork();
}

__attribute__((constructor)) static void file_init(void)
{
	pthread_atfork(NULL, NULL, fork_child);
	emu_threads_begin();
	/* Before main(): a server may give up its right to the folder before it uses a device. */
	emu_config();
}
