// SPDX-License-Identifier: Apache-2.0
/* Wakes threads that sleep on contexts: poll threads, and callers of poll functions. */
#include <sys/syscall.h>
#include <unistd.h>

#include "request/bell.h"
#include "request/wake.h"

struct wd_pool wd_pool = { .lock = WD_FORK_MUTEX(wd_pool.lock, NULL) };

_Atomic __u8 wd_poll_group_of[WD_ENGINE_QUEUES];

void wd_pool_lock(void)
{
	wd_fork_mutex_lock(&wd_pool.lock);
}

void wd_pool_unlock(void)
{
	wd_fork_mutex_unlock(&wd_pool.lock);
}

void wd_poller_kick(struct wd_poller *p)
{
	__u64 one = 1;
	int saved = errno;

	if (!p->asleep)
		return;
	p->asleep = false;
	/* Not write(), which is a cancellation point: this may be a thread of the program. */
	if (wd_fork_file_is(&p->event))
		syscall(SYS_write, p->event.fd, &one, sizeof(one));
	errno = saved;
}

static void kick_group(const struct wd_poll_group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		wd_poller_kick(&wd_pool.poller[g->first + i]);
}

void wd_poller_activate(struct wd_poller *p, bool active)
{
	p->active = active;
	atomic_fetch_add(&wd_pool.gen, 1);
	kick_group(p->group);
}

/* Any thread can serve the software path: wakes an active one that sleeps, else activates one. */
static void kick_one(void)
{
	struct wd_poller *spare = NULL;
	unsigned int i;

	for (i = 0; i < wd_pool.nr; i++) {
		struct wd_poller *p = &wd_pool.poller[i];

		if (p->active && p->asleep) {
			wd_poller_kick(p);
			return;
		}
		if (!p->active && !spare)
			spare = p;
	}
	if (spare)
		wd_poller_activate(spare, true);
}

void wd_pollers_wake(struct wd_queue *q)
{
	unsigned int g = atomic_load(&wd_poll_group_of[q->index]);

	wd_pool_lock();
	if (q->pub.path == WD_PATH_SOFT)
		kick_one();
	else if (g && g <= wd_pool.set.nr)
		kick_group(&wd_pool.set.group[g - 1]);
	wd_pool_unlock();
	wd_bells_ring(q);
}

void wd_pollers_changed(void)
{
	unsigned int i;

	atomic_fetch_add(&wd_engine.gen, 1);
	wd_bells_ring(NULL);
	wd_pool_lock();
	atomic_fetch_add(&wd_pool.gen, 1);
	for (i = 0; i < wd_pool.nr; i++)
		wd_poller_kick(&wd_pool.poller[i]);
	wd_pool_unlock();
}
