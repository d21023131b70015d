// SPDX-License-Identifier: Apache-2.0
/*
 * Data that is kept with a wait context of libcrypto. A program may free that context while a job is paused: the job
 * never goes on then, so its part of the references is given up here, and the device's completion only frees memory.
 *
 * The lock is recursive, because the program's callback, called under it, may free the wait context.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "generation.h"
#include "wait.h"

struct wdp_wait {
	_Atomic unsigned int refs;	/* the wait context, each of its jobs */
	unsigned int generation;	/* of the process whose descriptor it is */
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool gone;			/* the wait context was freed */
	int fd;				/* OSSL_BAD_ASYNC_FD: the program has a callback */
	ASYNC_callback_fn callback;
	void *callback_arg;
	struct wdp_waiter *waiters;
};

/* Its address is the key of our descriptors. */
static const char key;

void wdp_wait_put(struct wdp_wait *w)
{
	if (atomic_fetch_sub(&w->refs, 1) != 1)
		return;
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* Descriptors and jobs of a parent process are left as they are: its locks may be held by threads that aren't here. */
static void wait_cleanup(ASYNC_WAIT_CTX *ctx, const void *which, OSSL_ASYNC_FD fd, void *custom)
{
	struct wdp_wait *w = custom;
	struct wdp_waiter *waiter, *next;

	(void)ctx, (void)which;
	if (w->generation != process_generation())
		return;
	pthread_mutex_lock(&w->lock);
	w->gone = true;
	waiter = w->waiters;
	w->waiters = NULL;
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&w->lock);
	for (; waiter; waiter = next) {
		next = waiter->next;
		waiter->drop(waiter);
	}
	wdp_wait_put(w);
}

static void locks_make(struct wdp_wait *w)
{
	pthread_mutexattr_t recursive;
	pthread_condattr_t monotonic;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&w->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->change, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static struct wdp_wait *wait_make(ASYNC_WAIT_CTX *ctx)
{
	struct wdp_wait *w = calloc(1, sizeof(*w));
	ASYNC_callback_fn callback;
	void *arg;

	if (!w)
		return NULL;
	w->refs = 1;
	w->generation = process_generation();
	w->fd = OSSL_BAD_ASYNC_FD;
	if (!ASYNC_WAIT_CTX_get_callback(ctx, &callback, &arg)) {
		/* One read takes one event, so that jobs that share the descriptor don't take each other's. */
		w->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
		if (w->fd < 0)
			goto free_wait;
	}
	locks_make(w);
	if (ASYNC_WAIT_CTX_set_wait_fd(ctx, &key, w->fd, w, wait_cleanup))
		return w;
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	if (w->fd >= 0)
		close(w->fd);
free_wait:
	free(w);
	return NULL;
}

static struct wdp_wait *wait_of(ASYNC_WAIT_CTX *ctx)
{
	ASYNC_callback_fn callback;
	struct wdp_wait *w;
	OSSL_ASYNC_FD fd;
	void *custom, *arg;

	if (!ASYNC_WAIT_CTX_get_fd(ctx, &key, &fd, &custom))
		return wait_make(ctx);
	w = custom;
	/* Another one is needed in a child process, or when the program has set or taken back its callback. */
	if (w->generation == process_generation() &&
	    (w->waiters || (w->fd < 0) == !!ASYNC_WAIT_CTX_get_callback(ctx, &callback, &arg)))
		return w;
	ASYNC_WAIT_CTX_clear_fd(ctx, &key);
	wait_cleanup(ctx, &key, fd, custom);
	return wait_make(ctx);
}

struct wdp_wait *wdp_wait_begin(ASYNC_WAIT_CTX *ctx, struct wdp_waiter *waiter)
{
	struct wdp_wait *w = wait_of(ctx);

	if (!w)
		return NULL;
	atomic_fetch_add(&w->refs, 1);
	pthread_mutex_lock(&w->lock);
	w->callback = NULL;
	if (w->fd < 0)
		ASYNC_WAIT_CTX_get_callback(ctx, &w->callback, &w->callback_arg);
	waiter->next = w->waiters;
	w->waiters = waiter;
	pthread_mutex_unlock(&w->lock);
	return w;
}

void wdp_wait_end(struct wdp_wait *w, struct wdp_waiter *waiter)
{
	struct wdp_waiter **at;
	ssize_t got = 0;
	uint64_t event;

	pthread_mutex_lock(&w->lock);
	for (at = &w->waiters; *at && *at != waiter; at = &(*at)->next)
		;
	if (*at)
		*at = waiter->next;
	/* The event may be missing: the program may read the descriptor itself. */
	if (atomic_load(&waiter->done) && w->fd >= 0 && !w->gone)
		got = read(w->fd, &event, sizeof(event));
	(void)got;
	pthread_mutex_unlock(&w->lock);
}

/* libcrypto reports a new descriptor as added until a job's pause has ended. */
static bool unseen(ASYNC_WAIT_CTX *ctx, OSSL_ASYNC_FD fd)
{
	OSSL_ASYNC_FD added[8];
	size_t nr, gone, i;

	if (!ASYNC_WAIT_CTX_get_changed_fds(ctx, NULL, &nr, NULL, &gone) || !nr ||
	    nr > sizeof(added) / sizeof(*added) || !ASYNC_WAIT_CTX_get_changed_fds(ctx, added, &nr, NULL, &gone))
		return false;
	for (i = 0; i < nr && added[i] != fd; i++)
		;
	return i < nr;
}

void wdp_wait_forget(ASYNC_WAIT_CTX *ctx)
{
	struct wdp_wait *w;
	OSSL_ASYNC_FD fd;
	void *custom;

	if (!ASYNC_WAIT_CTX_get_fd(ctx, &key, &fd, &custom) || fd < 0 || !unseen(ctx, fd))
		return;
	w = custom;
	if (w->generation == process_generation() && !w->waiters && ASYNC_WAIT_CTX_clear_fd(ctx, &key))
		wait_cleanup(ctx, &key, fd, w);
}

void wdp_wait_wake(struct wdp_wait *w, struct wdp_waiter *waiter)
{
	const uint64_t event = 1;
	ssize_t written = 0;

	pthread_mutex_lock(&w->lock);
	atomic_store_explicit(&waiter->done, true, memory_order_release);
	if (!w->gone) {
		pthread_cond_broadcast(&w->change);
		if (w->callback)
			w->callback(w->callback_arg);
		else if (w->fd >= 0)
			written = write(w->fd, &event, sizeof(event));
	}
	/* A counter that is full wakes the program as well. */
	(void)written;
	pthread_mutex_unlock(&w->lock);
}

void wdp_wait_sleep(struct wdp_wait *w, struct wdp_waiter *waiter)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&w->lock);
	if (!atomic_load(&waiter->done))
		pthread_cond_timedwait(&w->change, &w->lock, &until);
	pthread_mutex_unlock(&w->lock);
}
