// SPDX-License-Identifier: Apache-2.0
/* The table of this process' contexts, and its state after a fork. */
#include "device/table.h"

WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

struct wd_engine wd_engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.bound = PTHREAD_COND_INITIALIZER,
};

/*
 * Inherited contexts belong to the parent. Their locks, and the engine's, may be
 * held by threads that don't exist in the child. fork() doesn't wait for these locks: a
 * context may take long to stop. A session's old binding isn't used before the session is
 * bound anew.
 */
static void on_fork_child(void)
{
	unsigned int i;

	pthread_mutex_init(&wd_engine.lock, NULL);
	pthread_cond_init(&wd_engine.bound, NULL);
	/* Their openers are the parent's threads. */
	wd_engine.opening = NULL;
	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		wd_lock_reset(&q->produce);
		atomic_store(&q->state, -ESTALE);
		wd_lock_reset(&q->drain);
		atomic_store(&q->sleeper, 0);
		atomic_store(&q->sleeper_wanted, 0);
		atomic_store(&q->wanted, false);
		atomic_store(&q->held, false);
		q->binder = NULL;
		q->users = 0;
		q->ended = false;
	}
	wd_watch_reset(&wd_engine.room);
	wd_watch_reset(&wd_engine.done);
	atomic_store(&wd_engine.spinners, 0);
	wd_barrier_init();
}

struct wd_queue *wd_table_next(const struct wd_queue *q)
{
	unsigned int i = 0;

	if (q && wd_engine.queue[q->index] != q)
		return q->next;
	if (q)
		i = q->index + 1;
	return i < atomic_load_explicit(&wd_engine.nr, memory_order_acquire) ? wd_engine.queue[i] : wd_engine.opening;
}

static void hook_init(void)
{
	static struct wd_fork_hook hook = {
		.child = on_fork_child,
	};

	wd_barrier_init();
	wd_fork_hook_add(&hook);
}

void wd_table_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hook_init);
}
