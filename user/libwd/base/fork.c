// SPDX-License-Identifier: Apache-2.0
/*
 * Fork detection. The generation lies in a page that the kernel zeroes in a
 * child; the first thread that finds zero there settles the child.
 *
 * fork_lock protects the lists, and the stores between wd_fork_block() and
 * wd_fork_unblock(). The parent holds it over fork().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fork.h"

#define SETTLING	(-1)

/*
 * Devices ignore this flag. It tells a child that a descriptor was opened here, by a
 * thread that hadn't recorded it yet, and not by the program itself.
 */
#define MARK		O_DSYNC

#define FDS_MAX		65536	/* descriptors that are checked one by one, at most */

static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static struct wd_fork_file *files;
static struct wd_fork_hook *hooks, **last_hook = &hooks;
static int32_t generation;	/* of the process that last settled: the parent's, until this process settles */
static _Atomic int32_t static_word;	/* used when no page can be mapped: only fork() itself is noticed */
_Atomic(_Atomic int32_t *) wd_fork_word = &static_word;

static void on_prepare(void)
{
	pthread_mutex_lock(&fork_lock);
}

static void on_parent(void)
{
	pthread_mutex_unlock(&fork_lock);
}

static void object_of(const struct stat *st, struct wd_fork_file *file)
{
	bool device = S_ISCHR(st->st_mode);

	file->dev = device ? st->st_rdev : st->st_dev;
	file->ino = device ? 0 : st->st_ino;
}

/* Whether a thread of the parent got fd from open() and hadn't recorded it yet. */
static bool was_being_opened(int fd)
{
	const struct wd_fork_file *file;
	struct wd_fork_file found;
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	/* O_SYNC on a program's own descriptor includes the bit of the mark. */
	if (flags < 0 || (flags & O_SYNC) != MARK || !(fcntl(fd, F_GETFD) & FD_CLOEXEC) || fstat(fd, &st))
		return false;
	object_of(&st, &found);
	for (file = files; file; file = file->next)
		if (atomic_load_explicit(&file->opening, memory_order_acquire) && file->dev == found.dev &&
		    file->ino == found.ino)
			return true;
	return false;
}

/* Returns whether all descriptors could be listed. */
static bool listed_close(int dir)
{
	alignas(struct dirent64) char buf[2048];
	const struct dirent64 *entry;
	ssize_t len, at;
	int fd;

	while ((len = getdents64(dir, buf, sizeof(buf))) > 0)
		for (at = 0; at < len; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(buf + at);
			fd = atoi(entry->d_name);
			if (*entry->d_name != '.' && fd != dir && was_being_opened(fd))
				close(fd);
		}
	return !len;
}

/* Allocates no memory: after a bare clone() a thread that doesn't exist here may hold malloc()'s lock. */
static void openings_close(void)
{
	int dir = open("/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	bool all = dir >= 0 && listed_close(dir);
	struct rlimit limit;

	if (dir >= 0)
		close(dir);
	/* Without /proc, or without a free descriptor for it. */
	if (all || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	for (fd = 0; (rlim_t)fd < limit.rlim_cur && fd < FDS_MAX; fd++)
		if (was_being_opened(fd))
			close(fd);
}

static void files_close(void)
{
	struct wd_fork_file *file;
	bool opening = false;

	for (file = files; file; file = file->next) {
		if (file->fd >= 0 && wd_file_is(file->fd, &file->id))
			close(file->fd);
		file->fd = -1;
		file->link = NULL;
		opening |= atomic_load_explicit(&file->opening, memory_order_acquire);
	}
	if (opening)
		openings_close();
	for (; files; files = files->next)
		atomic_store(&files->opening, false);
}

static void child_clean(void)
{
	struct wd_fork_hook *hook;
	int cancel;

	/* close() can be cancelled, and the other threads would then wait for this function for ever. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_init(&fork_lock, NULL);
	files_close();
	for (hook = hooks; hook; hook = hook->next) {
		if (hook->mutex)
			pthread_mutex_init(hook->mutex, NULL);
		if (hook->child)
			hook->child();
	}
	generation++;
	pthread_setcancelstate(cancel, NULL);
}

static void on_child(void)
{
	_Atomic int32_t *word = atomic_load_explicit(&wd_fork_word, memory_order_relaxed);

	atomic_store_explicit(word, SETTLING, memory_order_relaxed);
	/*
	 * This thread took the lock in on_prepare(). Unlocked here, because a lock checker can't tell a new lock from
	 * it.
	 */
	on_parent();
	child_clean();
	atomic_store_explicit(word, generation, memory_order_release);
}

static void init(void)
{
	long size = sysconf(_SC_PAGESIZE);
	_Atomic int32_t *word = &static_word;
	void *page;

	page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED) {
		if (!madvise(page, (size_t)size, MADV_WIPEONFORK))
			word = page;
		else
			munmap(page, (size_t)size);
	}
	generation = 1;
	atomic_store_explicit(word, generation, memory_order_relaxed);
	atomic_store_explicit(&wd_fork_word, word, memory_order_release);
	pthread_atfork(on_prepare, on_parent, on_child);
}

int32_t wd_fork_settle(void)
{
	_Atomic int32_t *word;
	int32_t gen = 0;

	pthread_once(&init_once, init);
	word = atomic_load_explicit(&wd_fork_word, memory_order_acquire);
	if (atomic_compare_exchange_strong(word, &gen, SETTLING)) {
		child_clean();
		atomic_store_explicit(word, generation, memory_order_release);
		return generation;
	}
	while (gen == SETTLING) {
		sched_yield();
		gen = atomic_load_explicit(word, memory_order_acquire);
	}
	return gen;
}

void wd_fork_block(void)
{
	pthread_mutex_lock(&fork_lock);
}

void wd_fork_unblock(void)
{
	pthread_mutex_unlock(&fork_lock);
}

/* Under fork_lock. A number that is new here was closed before, by the program if an older file is said to have it. */
static void file_number(struct wd_fork_file *file, int fd)
{
	struct wd_fork_file *old;

	for (old = files; fd >= 0 && old; old = old->next)
		if (old != file && old->fd == fd)
			old->fd = -1;
	file->fd = fd;
}

/* Under fork_lock. */
static void file_link(struct wd_fork_file *file, int fd, bool opening)
{
	file_number(file, fd);
	atomic_store(&file->opening, opening);
	file->next = files;
	file->link = &files;
	if (files)
		files->link = &file->next;
	files = file;
}

/* Under fork_lock. */
static void file_unlink(struct wd_fork_file *file)
{
	if (file->link) {
		*file->link = file->next;
		if (file->next)
			file->next->link = file->link;
		file->link = NULL;
	}
	file->fd = -1;
}

static void file_add(struct wd_fork_file *file, int fd, const struct wd_file_id *id)
{
	pthread_mutex_lock(&fork_lock);
	file->id = *id;
	file_link(file, fd, false);
	pthread_mutex_unlock(&fork_lock);
}

void wd_fork_file_add(struct wd_fork_file *file, int fd)
{
	struct wd_file_id id;

	wd_fork_now();
	wd_file_identify(fd, &id);
	file_add(file, fd, &id);
}

void wd_fork_file_add_anonymous(struct wd_fork_file *file, int fd)
{
	static const struct wd_file_id nobody;

	if (wd_file_mark(fd)) {
		wd_fork_file_add(file, fd);
		return;
	}
	wd_fork_now();
	file_add(file, fd, &nobody);
}

/* Where O_DSYNC is refused, as by some sandboxes, fork() waits for open(). Under fork_lock. */
static int open_unmarked(int dir, const char *path, int flags)
{
	int fd = openat(dir, path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int file_open(struct wd_fork_file *file, int dir, const char *path, int flags)
{
	struct stat st;
	int fd;

	if (fstatat(dir, path, &st, 0))
		return -errno;
	object_of(&st, file);
	pthread_mutex_lock(&fork_lock);
	file_link(file, -1, true);
	pthread_mutex_unlock(&fork_lock);
	/* Without the lock: the kernel binds an address space to the file, which may take long. */
	fd = openat(dir, path, flags | MARK | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	pthread_mutex_lock(&fork_lock);
	if (fd == -EINVAL)
		fd = open_unmarked(dir, path, flags);
	wd_file_identify(fd, &file->id);
	/* A bare clone() doesn't wait for the lock: its child finds the descriptor by fd, or by opening. */
	file_number(file, fd);
	atomic_store_explicit(&file->opening, false, memory_order_release);
	if (fd < 0)
		file_unlink(file);
	pthread_mutex_unlock(&fork_lock);
	return fd;
}

int wd_fork_file_open(struct wd_fork_file *file, int dir, const char *path, int flags)
{
	int saved = errno, fd, cancel;

	wd_fork_now();
	/* open() can be cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fd = file_open(file, dir, path, flags);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return fd;
}

int wd_fork_file_fd(const struct wd_fork_file *file)
{
	int fd = file->fd;

	return wd_file_seems(fd, &file->id) ? fd : -1;
}

int wd_fork_file_own(const struct wd_fork_file *file)
{
	int fd = file->fd;

	return wd_file_is(fd, &file->id) ? fd : -1;
}

bool wd_fork_file_is(const struct wd_fork_file *file)
{
	return wd_fork_file_own(file) >= 0;
}

int wd_fork_file_del(struct wd_fork_file *file)
{
	int fd;

	wd_fork_now();
	pthread_mutex_lock(&fork_lock);
	fd = wd_fork_file_own(file);
	file_unlink(file);
	pthread_mutex_unlock(&fork_lock);
	return fd;
}

void wd_fork_hook_add(struct wd_fork_hook *hook)
{
	struct wd_fork_hook *h;

	wd_fork_now();
	pthread_mutex_lock(&fork_lock);
	for (h = hooks; h && h != hook; h = h->next)
		;
	if (!h) {
		hook->next = NULL;
		*last_hook = hook;
		last_hook = &hook->next;
	}
	pthread_mutex_unlock(&fork_lock);
}
