// SPDX-License-Identifier: Apache-2.0
/*
 * Fork detection. The generation lies in a page that the kernel zeroes in a
 * child; whoever finds zero there first settles the child.
 *
 * fork_lock protects the lists, and what wd_fork_block() is for. The parent
 * holds it over fork().
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/fork.h"

#define SETTLING	(-1)

static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static struct wd_fork_file *files;
static struct wd_fork_hook *hooks, **last_hook = &hooks;
static int32_t generation;	/* of the process that last settled: the parent's, until we do */
static _Atomic int32_t static_word;	/* when no page can be had: only fork() itself is noticed */
_Atomic(_Atomic int32_t *) wd_fork_word = &static_word;

static void on_prepare(void)
{
	pthread_mutex_lock(&fork_lock);
}

static void on_parent(void)
{
	pthread_mutex_unlock(&fork_lock);
}

static void child_clean(void)
{
	struct wd_fork_hook *hook;
	int cancel;

	/* close() can be cancelled, and the others would wait for the end of this for ever. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_init(&fork_lock, NULL);
	for (; files; files = files->next) {
		close(files->fd);
		files->fd = -1;
		files->link = NULL;
	}
	for (hook = hooks; hook; hook = hook->next)
		hook->child();
	generation++;
	pthread_setcancelstate(cancel, NULL);
}

static void on_child(void)
{
	_Atomic int32_t *word = atomic_load_explicit(&wd_fork_word, memory_order_relaxed);

	atomic_store_explicit(word, SETTLING, memory_order_relaxed);
	/* This thread took the lock: a new one could not be told from it by who watches it. */
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

/* Under the lock. */
static void file_link(struct wd_fork_file *file, int fd)
{
	file->fd = fd;
	file->next = files;
	file->link = &files;
	if (files)
		files->link = &file->next;
	files = file;
}

void wd_fork_file_add(struct wd_fork_file *file, int fd)
{
	wd_fork_now();
	pthread_mutex_lock(&fork_lock);
	file_link(file, fd);
	pthread_mutex_unlock(&fork_lock);
}

int wd_fork_file_open(struct wd_fork_file *file, const char *path, int flags)
{
	int saved = errno, fd, cancel;

	wd_fork_now();
	/* open() can be cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&fork_lock);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		file_link(file, fd);
	pthread_mutex_unlock(&fork_lock);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return fd;
}

int wd_fork_file_del(struct wd_fork_file *file)
{
	int fd;

	wd_fork_now();
	pthread_mutex_lock(&fork_lock);
	fd = file->fd;
	if (file->link) {
		*file->link = file->next;
		if (file->next)
			file->next->link = file->link;
		file->link = NULL;
	}
	file->fd = -1;
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
