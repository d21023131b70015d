// SPDX-License-Identifier: Apache-2.0
/*
 * Counts the calls by which the libraries and wd-bench enter the kernel. Preloaded in front of the emulator, whose own
 * calls aren't counted, nor are those of other libraries; BENCH_CALLS names the file for the counts.
 *
 * Time would make counts differ. With BENCH_SLEEPS a sleep on files ends only with an event, and with BENCH_STILL the
 * clock stands still. With BENCH_RINGS the kernel rings the doorbells, as where queues share them: their region can't
 * be mapped, and this file stands for the kernel.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <misc/uacce/hisi_qm.h>
#include "hw/qm_hw.h"

#define FDS		64
#define OBJECTS		16
#define LONG_S		60

struct counter {
	const char *name;
	atomic_ulong n;
	atomic_bool listed;
	struct counter *next;
};

static _Atomic(struct counter *) counters;
static struct counter sleeps = { .name = "sleeps" };
static bool long_sleeps, rings, still;
/* The program, and the libraries whose calls are counted. */
static struct {
	uintptr_t start, end;
} objects[OBJECTS];
static unsigned int nr_objects;

static void count(struct counter *c)
{
	atomic_fetch_add(&c->n, 1);
	if (atomic_exchange(&c->listed, true))
		return;
	c->next = atomic_load(&counters);
	while (!atomic_compare_exchange_weak(&counters, &c->next, c))
		;
}

static bool is_counted(void *caller)
{
	unsigned int i;

	for (i = 0; i < nr_objects; i++)
		if ((uintptr_t)caller >= objects[i].start && (uintptr_t)caller < objects[i].end)
			return true;
	return false;
}

#define NEXT(function) \
	static union { void *p; __typeof__(&function) f; } next; \
	if (!next.p) \
		next.p = dlsym(RTLD_NEXT, #function)

#define COUNT(function) \
	static struct counter c = { .name = #function }; \
	if (is_counted(__builtin_return_address(0))) \
		count(&c)

#define CALL(ret, function, params, args) \
ret function params \
{ \
	NEXT(function); \
	COUNT(function); \
	return next.f args; \
}

CALL(int, close, (int fd), (fd))
CALL(int, closedir, (DIR *dir), (dir))
CALL(int, epoll_create1, (int flags), (flags))
CALL(int, epoll_ctl, (int ep, int op, int fd, struct epoll_event *ev), (ep, op, fd, ev))
CALL(int, eventfd, (unsigned int n, int flags), (n, flags))
CALL(int, faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags))
CALL(DIR *, fdopendir, (int fd), (fd))
CALL(int, fstat, (int fd, struct stat *st), (fd, st))
CALL(int, fstatat, (int dir, const char *restrict path, struct stat *restrict st, int flags), (dir, path, st, flags))
CALL(ssize_t, getdents64, (int fd, void *buf, size_t len), (fd, buf, len))
CALL(pid_t, getpid, (void), ())
CALL(int, madvise, (void *addr, size_t len, int advice), (addr, len, advice))
CALL(int, msync, (void *addr, size_t len, int flags), (addr, len, flags))
CALL(int, munmap, (void *addr, size_t len), (addr, len))
CALL(DIR *, opendir, (const char *path), (path))
CALL(ssize_t, read, (int fd, void *buf, size_t len), (fd, buf, len))
CALL(int, sched_getaffinity, (pid_t pid, size_t len, cpu_set_t *cpus), (pid, len, cpus))
CALL(int, sched_yield, (void), ())
CALL(int, timerfd_create, (clockid_t clock, int flags), (clock, flags))
CALL(ssize_t, write, (int fd, const void *buf, size_t len), (fd, buf, len))

#define OPTIONAL(type, value, last) \
	va_list args; \
	va_start(args, last); \
	type value = va_arg(args, type); \
	va_end(args)

int fcntl(int fd, int cmd, ...)
{
	OPTIONAL(void *, arg, cmd);
	NEXT(fcntl);
	COUNT(fcntl);
	return next.f(fd, cmd, arg);
}

int open(const char *path, int flags, ...)
{
	OPTIONAL(int, mode, flags);
	NEXT(open);
	COUNT(open);
	return next.f(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	OPTIONAL(int, mode, flags);
	NEXT(openat);
	COUNT(openat);
	return next.f(dir, path, flags, mode);
}

long syscall(long nr, ...)
{
	long arg[6];
	va_list args;
	unsigned int i;

	va_start(args, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	NEXT(syscall);
	COUNT(syscall);
	return next.f(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

/* --- sleeping --- */

static bool has_file(const struct pollfd *fds, nfds_t n)
{
	while (n && fds[n - 1].fd < 0)
		n--;
	return n;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	bool asleep = timeout && has_file(fds, n) && is_counted(__builtin_return_address(0));

	NEXT(poll);
	COUNT(poll);
	if (asleep)
		count(&sleeps);
	return next.f(fds, n, asleep && long_sleeps ? LONG_S * 1000 : timeout);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	static const struct timespec long_time = { .tv_sec = LONG_S };
	bool asleep = (!timeout || timeout->tv_sec || timeout->tv_nsec) && has_file(fds, n) &&
		      is_counted(__builtin_return_address(0));

	NEXT(ppoll);
	COUNT(ppoll);
	if (asleep)
		count(&sleeps);
	return next.f(fds, n, asleep && long_sleeps ? &long_time : timeout, mask);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	NEXT(timerfd_settime);
	COUNT(timerfd_settime);
	return long_sleeps ? 0 : next.f(fd, flags, when, old);
}

/* Not counted: it doesn't enter the kernel. */
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	NEXT(clock_gettime);
	if (!still || !is_counted(__builtin_return_address(0)))
		return next.f(clock, ts);
	*ts = (struct timespec){ .tv_sec = 1 };
	return 0;
}

/* --- doorbells that the kernel rings --- */

static struct {
	unsigned char *window;
	unsigned int qn;
} queues[FDS];

static bool is_queue(int fd)
{
	return fd >= 0 && fd < FDS && queues[fd].window;
}

/* The emulator's queues are the only device files that are mapped here. */
void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	void *p;

	NEXT(mmap);
	COUNT(mmap);
	p = next.f(addr, len, prot, flags, fd, offset);
	if (!rings || flags & MAP_ANONYMOUS || fd < 0 || fd >= FDS || offset || p == MAP_FAILED ||
	    !is_counted(__builtin_return_address(0)))
		return p;
	queues[fd].window = p;
	errno = EPERM;
	return MAP_FAILED;
}

static int doorbell(int fd, const struct hisi_qp_doorbell *db)
{
	volatile uint64_t *reg = (volatile uint64_t *)(void *)(queues[fd].window + QM_DB_SQ_CQ);
	unsigned int qn = queues[fd].qn;

	if (db->flags & HISI_QP_DB_CQ)
		*reg = htole64(qm_db_value((__u16)qn, QM_DB_CMD_CQ, db->cq_head,
					   db->flags & HISI_QP_DB_EVENT ? QM_DB_C_FLAG : 0));
	if (db->flags & HISI_QP_DB_SQ)
		*reg = htole64(qm_db_value((__u16)qn, QM_DB_CMD_SQ, db->sq_tail, 0));
	return 0;
}

int ioctl(int fd, unsigned long cmd, ...)
{
	int ret;

	OPTIONAL(void *, arg, cmd);
	NEXT(ioctl);
	COUNT(ioctl);
	if (cmd == UACCE_CMD_QM_DOORBELL && is_queue(fd))
		return doorbell(fd, arg);
	ret = next.f(fd, cmd, arg);
	if (cmd == UACCE_CMD_QM_SET_QP_CTX && !ret && fd < FDS)
		queues[fd].qn = ((const struct hisi_qp_ctx *)arg)->id;
	return ret;
}

/* --- the beginning and the end --- */

static int object_add(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned int i;

	(void)size;
	(void)arg;
	if (nr_objects == OBJECTS || (*info->dlpi_name && !strstr(info->dlpi_name, "/libwd") &&
				      !strstr(info->dlpi_name, "/libhisi_qm")))
		return 0;
	objects[nr_objects].start = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			objects[nr_objects].end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
						  info->dlpi_phdr[i].p_memsz;
	nr_objects++;
	return 0;
}

static __attribute__((constructor)) void begin(void)
{
	dl_iterate_phdr(object_add, NULL);
	long_sleeps = getenv("BENCH_SLEEPS");
	still = getenv("BENCH_STILL");
	rings = getenv("BENCH_RINGS");
}

static __attribute__((destructor)) void end(void)
{
	const char *path = getenv("BENCH_CALLS");
	FILE *out = path ? fopen(path, "w") : NULL;
	struct counter *c;

	if (!out)
		return;
	for (c = atomic_load(&counters); c; c = c->next)
		fprintf(out, "%s %lu\n", c->name, atomic_load(&c->n));
	fclose(out);
}
