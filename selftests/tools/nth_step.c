// SPDX-License-Identifier: Apache-2.0
/*
 * Counts the changes that a program started with LD_PRELOAD makes below the folder NTH_BELOW: each mkdir, rmdir and
 * write to a file is one step, from 1.
 * NTH_LOG=FILE   a line for each step that succeeds
 * NTH_KILL=N     SIGKILL after step N; NTH_INT=N, NTH_INT2=N: SIGINT
 * NTH_FAIL=N     step N does nothing and fails with EIO
 * Only calls relative to an open folder are counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS 256

static char *written[FDS];	/* path below NTH_BELOW of a descriptor that is open for writing */
static long steps;

/* The path below NTH_BELOW in new memory, or NULL for a path elsewhere. */
static char *below(int dir, const char *path)
{
	const char *top = getenv("NTH_BELOW");
	char link[64], base[PATH_MAX], all[2 * PATH_MAX];
	ssize_t len;

	if (!top || path[0] == '/' || dir == AT_FDCWD)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, base, sizeof(base) - 1);
	if (len < 0)
		return NULL;
	base[len] = '\0';
	snprintf(all, sizeof(all), "%s/%s", base, path);
	len = strlen(top);
	return !strncmp(all, top, len) && all[len] == '/' ? strdup(all + len + 1) : NULL;
}

static bool is_nth(const char *name)
{
	const char *n = getenv(name);

	return n && strtol(n, NULL, 10) == steps;
}

static bool step_fails(void)
{
	steps++;
	if (is_nth("NTH_FAIL"))
		errno = EIO;
	return is_nth("NTH_FAIL");
}

static void __attribute__((format(printf, 1, 2))) step_done(const char *fmt, ...)
{
	const char *log = getenv("NTH_LOG");
	char line[8192];
	va_list ap;
	int fd;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (log) {
		fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
		syscall(SYS_write, fd, line, strlen(line));
		syscall(SYS_close, fd);
	}
	if (is_nth("NTH_KILL"))
		kill(getpid(), SIGKILL);
	if (is_nth("NTH_INT") || is_nth("NTH_INT2"))
		raise(SIGINT);
}

/* The next function in the order of preloading: the fake kernel's, or libc's. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int mkdirat(int dir, const char *path, mode_t mode)
{
	char *rel = below(dir, path);
	int ret;

	if (rel && step_fails()) {
		free(rel);
		return -1;
	}
	ret = NEXT(mkdirat)(dir, path, mode);
	if (rel && !ret)
		step_done("mkdir %s\n", rel);
	free(rel);
	return ret;
}

int unlinkat(int dir, const char *path, int flags)
{
	char *rel = flags & AT_REMOVEDIR ? below(dir, path) : NULL;
	int ret;

	if (rel && step_fails()) {
		free(rel);
		return -1;
	}
	ret = NEXT(unlinkat)(dir, path, flags);
	if (rel && !ret)
		step_done("rmdir %s\n", rel);
	free(rel);
	return ret;
}

static int note(int fd, int dir, const char *path, int flags)
{
	if (fd >= 0 && fd < FDS && (flags & O_ACCMODE) != O_RDONLY)
		written[fd] = below(dir, path);
	return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return note(NEXT(openat)(dir, path, flags, mode), dir, path, flags);
}

/* The functions that a fortifying compiler calls instead. */
int __openat_2(int dir, const char *path, int flags);
int __openat_2(int dir, const char *path, int flags)
{
	return note(NEXT(__openat_2)(dir, path, flags), dir, path, flags);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	const char *rel = fd >= 0 && fd < FDS ? written[fd] : NULL;
	ssize_t ret;

	if (rel && step_fails())
		return -1;
	ret = NEXT(write)(fd, buf, len);
	if (rel && ret >= 0)
		step_done("write %s %.*s", rel, (int)len, (const char *)buf);
	return ret;
}

int close(int fd)
{
	if (fd >= 0 && fd < FDS && written[fd]) {
		free(written[fd]);
		written[fd] = NULL;
	}
	return NEXT(close)(fd);
}
