/* SPDX-License-Identifier: Apache-2.0 */
/* Noticing that this process is a fork's child: generation, hooks, descriptors to close. */
#ifndef WD_FORK_H
#define WD_FORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/handle.h"

/*
 * The current generation, in a page that the kernel wipes in a child: even a
 * raw clone() is noticed by the first call in it. Not positive: not settled.
 */
extern _Atomic(_Atomic int32_t *) wd_fork_word;

/* Close what was inherited, run the hooks, start a new generation. Idempotent; returns the generation. */
int32_t wd_fork_settle(void);

static inline uint32_t wd_fork_now(void)
{
	int32_t gen = atomic_load_explicit(atomic_load_explicit(&wd_fork_word, memory_order_acquire), memory_order_acquire);

	return (uint32_t)(gen > 0 ? gen : wd_fork_settle());
}

/* Whether gen, which wd_fork_now() once said, is still the generation. */
static inline bool wd_fork_is(uint32_t gen)
{
	return (uint32_t)atomic_load_explicit(atomic_load_explicit(&wd_fork_word, memory_order_acquire), memory_order_acquire) == gen;
}

/*
 * A lock that nobody waits for. Its value is the generation, so that a holder
 * who was lost in a fork, maybe half way, doesn't keep it. 0: taken, and *lost
 * is 0 or the generation of such a holder; else the holder's generation.
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

/* Was this object made before a fork? */
static inline bool wd_stale(const struct wd_object *obj)
{
	return obj->fork_gen != wd_fork_now();
}

/*
 * Between the two fork() waits: for a few stores that a child has to find all of
 * or none. No other lock is taken under this one.
 */
void wd_fork_block(void);
void wd_fork_unblock(void);

/* An open file that a child must not keep. */
struct wd_fork_file {
	int fd;			/* -1: closed, or not open yet */
	atomic_bool opening;	/* by a thread that will say as what descriptor; until then a child looks for it itself */
	dev_t dev;		/* what is being opened: the device by its number, any other file with its inode */
	ino_t ino;
	struct wd_fork_file *next;
	struct wd_fork_file **link;
};

void wd_fork_file_add(struct wd_fork_file *file, int fd);
/*
 * open() and add: a child has it closed, whenever it begins, and fork() doesn't wait for open(). Returns the descriptor,
 * or -errno and nothing was added.
 */
int wd_fork_file_open(struct wd_fork_file *file, const char *path, int flags);
/* Forget it; returns the fd to close, -1 when it was closed by a fork. */
int wd_fork_file_del(struct wd_fork_file *file);

/*
 * For libraries with locks of their own: child starts afresh in a child, and
 * initialises locks anew instead of unlocking them. Hooks run in the order in
 * which they were added, and are never removed. One that is there is not added
 * again: a child may repeat what a thread of its parent was about.
 */
struct wd_fork_hook {
	void (*child)(void);
	struct wd_fork_hook *next;
};

void wd_fork_hook_add(struct wd_fork_hook *hook);

#endif
