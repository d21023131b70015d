// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts that no session uses are closed, so that a process which is done
 * with devices holds none of their queues: with the last session of the class
 * at once, and while there are others after a second, since a server that makes
 * sessions all the time would do little else than open and close. Their numbers
 * stay, and the next binding opens them again.
 */
#include <string.h>

#include "request/core.h"

#define LINGER_NS	1000000000ull

/* Under the engine's lock. Those of a fork's parent have no users here. */
void wd_idle_drop(struct wd_session *s, bool freed)
{
	struct wd_hold *h = &s->hold;
	unsigned int i;

	for (i = 0; h->gen == wd_fork_now() && i < h->nr; i++) {
		struct wd_queue *q = h->queue[i];

		if (s->cq)
			wd_cq_use(s->cq, q, -1);
		q->firsts -= !i;
		if (!--q->users) {
			q->ended = false;
			q->idle_at = freed ? wd_now_ns() : 0;
		}
	}
	h->nr = 0;
}

void wd_idle_hold(struct wd_session *s)
{
	unsigned int nr = atomic_load(&s->nr), i;

	wd_idle_drop(s, false);
	s->hold.gen = wd_fork_now();
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load(&s->queue[i]);

		if (s->cq)
			wd_cq_use(s->cq, q, 1);
		q->firsts += !i;
		q->users++;
		s->hold.queue[s->hold.nr++] = q;
	}
}

static bool class_is_used(const struct wd_class *cls)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++)
		if (wd_engine.queue[i]->cls == cls && wd_engine.queue[i]->users)
			return true;
	return false;
}

/* A session to come may well use it. */
static bool lingers(const struct wd_queue *q)
{
	return !atomic_load(&q->state) && wd_now_ns() - q->idle_at < LINGER_NS && class_is_used(q->cls);
}

/* Under the engine's lock: the next after those before from that nobody uses, and that has a file. */
static struct wd_queue *idle_next(unsigned int *from)
{
	while (*from < atomic_load(&wd_engine.nr)) {
		struct wd_queue *q = wd_engine.queue[(*from)++];

		if (!q->users && !q->binder && q->pub.fd >= 0 && atomic_load(&q->state) != -ESTALE && !lingers(q))
			return q;
	}
	return NULL;
}

void wd_idle_close(void)
{
	struct wd_queue *q;
	unsigned int i = 0;
	int cancel;

	/* Files are closed: not to be cancelled with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&wd_engine.lock);
	while ((q = idle_next(&i))) {
		/* A device may take its time to stop, and others go on meanwhile. */
		pthread_mutex_unlock(&wd_engine.lock);
		if (atomic_load(&q->state) == -ENODEV)
			wd_queue_gone(q);
		else
			wd_evict_idle(q);
		pthread_mutex_lock(&wd_engine.lock);
	}
	pthread_mutex_unlock(&wd_engine.lock);
	pthread_setcancelstate(cancel, NULL);
}
