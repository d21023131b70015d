// SPDX-License-Identifier: Apache-2.0
/*
 * Wakes a thread that sleeps in poll() on contexts' files for what no file
 * reports: work for the software path, callbacks that another thread's drain
 * left, contexts that are new, reopened or to be closed. The lock is innermost.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "request/bell.h"

static struct wd_bell *bells;

/* fork.c closes the files. */
static void on_fork_child(void)
{
	struct wd_bell *b;

	for (b = bells; b; b = b->next)
		*b = (struct wd_bell){ .next = b->next, .file = b->file };
}

static struct wd_fork_mutex lock = WD_FORK_MUTEX(lock, on_fork_child);

static struct wd_bell *bell_find(void)
{
	struct wd_bell *b;

	wd_fork_mutex_lock(&lock);
	for (b = bells; b && b->taken; b = b->next)
		;
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (b) {
			b->file.fd = -1;
			b->next = bells;
			bells = b;
		}
	}
	if (b)
		b->taken = true;
	wd_fork_mutex_unlock(&lock);
	return b;
}

static bool file_open(struct wd_bell *b)
{
	int saved = errno, fd;

	if (wd_sandbox())
		return false;
	if (b->doubtful ? wd_fork_file_is(&b->file) : wd_fork_file_fd(&b->file) >= 0)
		return true;
	b->doubtful = false;
	wd_fork_file_del(&b->file);
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	errno = saved;
	if (fd < 0)
		return false;
	wd_fork_file_add_anonymous(&b->file, fd);
	return true;
}

struct wd_bell *wd_bell_take(struct wd_queue *const queue[], unsigned int nr)
{
	struct wd_bell *b = bell_find();

	if (!b)
		return NULL;
	if (!file_open(b)) {
		wd_bell_put(b, false);
		return NULL;
	}
	wd_fork_mutex_lock(&lock);
	b->queue = queue;
	b->nr = nr;
	b->done = true;
	b->listens = true;
	wd_fork_mutex_unlock(&lock);
	return b;
}

void wd_bell_not_done(struct wd_bell *b)
{
	wd_fork_mutex_lock(&lock);
	b->done = false;
	wd_fork_mutex_unlock(&lock);
}

/* Not read() and write(), which are cancellation points: this may be a thread of the program. */
void wd_bell_put(struct wd_bell *b, bool readable)
{
	int saved = errno;
	__u64 count;

	wd_fork_mutex_lock(&lock);
	if (b->rung && wd_fork_file_is(&b->file))
		syscall(SYS_read, b->file.fd, &count, sizeof(count));
	b->doubtful = readable && !b->rung;
	b->rung = false;
	b->taken = false;
	b->listens = false;
	b->done = false;
	/* The list lies on its owner's stack. */
	b->nr = 0;
	wd_fork_mutex_unlock(&lock);
	errno = saved;
}

static void ring(struct wd_bell *b)
{
	__u64 one = 1;
	int saved = errno;

	/* The file is opened without the lock, and is valid once the bell listens. */
	if (!b->listens || b->rung)
		return;
	b->rung = true;
	if (wd_fork_file_is(&b->file))
		syscall(SYS_write, b->file.fd, &one, sizeof(one));
	errno = saved;
}

static bool looks_after(const struct wd_bell *b, const struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < b->nr && b->queue[i] != q; i++)
		;
	return i < b->nr;
}

void wd_bells_ring(const struct wd_queue *q)
{
	struct wd_bell *b;

	wd_fork_mutex_lock(&lock);
	for (b = bells; b; b = b->next)
		if (!q || looks_after(b, q))
			ring(b);
	wd_fork_mutex_unlock(&lock);
}

void wd_bells_done(void)
{
	struct wd_bell *b;

	wd_fork_mutex_lock(&lock);
	for (b = bells; b; b = b->next)
		if (b->done)
			ring(b);
	wd_fork_mutex_unlock(&lock);
}
