/* SPDX-License-Identifier: Apache-2.0 */
/* Detects that this process is a fork's child: generation, hooks, descriptors to close. */
#ifndef WD_FORK_H
#define WD_FORK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/file_id.h"
#include "base/handle.h"

/*
 * The current generation, in a page that the kernel wipes in a child: the first call in
 * the child notices even a raw clone(). Not positive: not settled.
 */
extern _Atomic(_Atomic int32_t *) wd_fork_word;

/* Closes inherited files, runs the hooks and starts a new generation. Idempotent; returns the generation. */
int32_t wd_fork_settle(void);

static inline uint32_t wd_fork_now(void)
{
	int32_t gen = atomic_load_explicit(atomic_load_explicit(&wd_fork_word, memory_order_acquire),
					   memory_order_acquire);

	return (uint32_t)(gen > 0 ? gen : wd_fork_settle());
}

/* Whether gen, an earlier result of wd_fork_now(), is still the generation. */
static inline bool wd_fork_is(uint32_t gen)
{
	return (uint32_t)atomic_load_explicit(atomic_load_explicit(&wd_fork_word, memory_order_acquire),
					      memory_order_acquire) == gen;
}

/*
 * A lock without waiting. Its value is the holder's generation, so that a holder that
 * doesn't exist in a fork's child doesn't keep the lock there. Returns 0 when the lock was
 * taken; *lost is then 0 or the generation of such a holder, which may have stopped half
 * way. Otherwise returns the holder's generation.
 */
static inline uint32_t wd_fork_trylock_lost(_Atomic uint32_t *holder, uint32_t *lost)
{
	uint32_t mine = wd_fork_now();

	*lost = atomic_load_explicit(holder, memory_order_relaxed);
	if (*lost == mine)
		return mine;
	if (atomic_compare_exchange_strong_explicit(holder, lost, mine, memory_order_acquire, memory_order_relaxed))
		return 0;
	return *lost ? *lost : mine;
}

static inline uint32_t wd_fork_trylock(_Atomic uint32_t *holder)
{
	uint32_t lost;

	return wd_fork_trylock_lost(holder, &lost);
}

static inline void wd_fork_unlock(_Atomic uint32_t *holder)
{
	atomic_store_explicit(holder, 0, memory_order_release);
}

/* Whether this object was made before a fork. */
static inline bool wd_stale(const struct wd_object *obj)
{
	return obj->fork_gen != wd_fork_now();
}

/*
 * fork() waits for a thread between these two calls: for a few stores of which a child
 * must find all or none. No other lock is taken under this one.
 */
void wd_fork_block(void);
void wd_fork_unblock(void);

/* An open file that a child must not keep. */
struct wd_fork_file {
	_Atomic int fd;		/* -1: closed, or not open yet, or another file of the library has the number */
	atomic_bool opening;	/* a thread is in open() and will record fd; until then a child searches for it */
	dev_t dev;		/* while opening: a device's own number, or the file system's number with ino */
	ino_t ino;
	struct wd_file_id id;	/* of fd */
	struct wd_fork_file *next;
	struct wd_fork_file **link;
};

void wd_fork_file_add(struct wd_fork_file *file, int fd);
/* The same for an eventfd, a timer or an epoll set, see wd_file_mark(). One that can't be marked is never closed. */
void wd_fork_file_add_anonymous(struct wd_fork_file *file, int fd);
/*
 * openat() and wd_fork_file_add(): a child closes the file, at whatever point it was forked, and fork() doesn't wait
 * for open(). Returns the descriptor, or -errno with nothing added.
 */
int wd_fork_file_open(struct wd_fork_file *file, int dir, const char *path, int flags);
/* Whether fd is still that file, and not closed or opened again by the program. */
bool wd_fork_file_is(const struct wd_fork_file *file);
/* The descriptor, or -1 if it isn't. */
int wd_fork_file_own(const struct wd_fork_file *file);
/* The same for poll(), which skips -1: one system call, see wd_file_seems(). */
int wd_fork_file_fd(const struct wd_fork_file *file);
/* Forgets the file; returns the fd to close, or -1 when a fork or the program closed it. */
int wd_fork_file_del(struct wd_fork_file *file);

/*
 * For libraries with locks of their own: child() resets the library's state in a fork's
 * child, and initialises locks instead of unlocking them. Hooks run in the order in
 * which they were added, and are never removed. Adding a hook again has no effect: a
 * child may repeat a call that was interrupted in a thread of its parent.
 */
struct wd_fork_hook {
	void (*child)(void);
	pthread_mutex_t *mutex;		/* initialised before child(), which may then be NULL; or NULL */
	struct wd_fork_hook *next;
};

void wd_fork_hook_add(struct wd_fork_hook *hook);

/* A mutex that a fork's child finds free: the thread that holds it may not exist there. */
struct wd_fork_mutex {
	pthread_mutex_t mutex;
	struct wd_fork_hook hook;
	atomic_bool hooked;
};

/* Initialises the static variable; reset() resets in the child what the mutex protects, or is NULL. */
#define WD_FORK_MUTEX(variable, reset) \
	{ .mutex = PTHREAD_MUTEX_INITIALIZER, .hook = { .child = (reset), .mutex = &(variable).mutex } }

static inline void wd_fork_mutex_lock(struct wd_fork_mutex *m)
{
	if (!atomic_load_explicit(&m->hooked, memory_order_acquire)) {
		wd_fork_hook_add(&m->hook);
		atomic_store_explicit(&m->hooked, true, memory_order_release);
	}
	pthread_mutex_lock(&m->mutex);
}

static inline void wd_fork_mutex_unlock(struct wd_fork_mutex *m)
{
	pthread_mutex_unlock(&m->mutex);
}

#endif
