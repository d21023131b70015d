// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts that no session uses are closed, so that a process that has finished with devices holds none of their
 * queues. They are closed at once with the last session of their class, and after a second while the class has other
 * sessions: a server that makes sessions all the time would otherwise do little but open and close. Only one of a kind
 * stays open so. The contexts keep their numbers, and the next binding reopens them.
 */
#include <string.h>

#include "request/core.h"

#define LINGER_NS	1000000000ull

/* Under the engine's lock. Contexts of a fork's parent have no users in the child. */
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

static bool is_idle(const struct wd_queue *q)
{
	return !q->users && !q->binder && q->pub.fd >= 0 && atomic_load(&q->state) != -ESTALE;
}

/* Whether another context serves the next such session as well: of several, the one stays that was used last. */
static bool is_spare(const struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		const struct wd_queue *o = wd_engine.queue[i];

		if (o != q && is_idle(o) && !atomic_load(&o->state) && wd_same_group(o, q) &&
		    (o->idle_at > q->idle_at || (o->idle_at == q->idle_at && o->index < q->index)))
			return true;
	}
	return false;
}

/* The context stays open for a while, since another session may soon use it. */
static bool lingers(const struct wd_queue *q)
{
	return !atomic_load(&q->state) && wd_now_ns() - q->idle_at < LINGER_NS && class_is_used(q->cls) &&
	       !is_spare(q);
}

/* Under the engine's lock: the next context, from number *from, that is open and that no session uses. */
static struct wd_queue *idle_next(unsigned int *from)
{
	while (*from < atomic_load(&wd_engine.nr)) {
		struct wd_queue *q = wd_engine.queue[(*from)++];

		if (is_idle(q) && !lingers(q))
			return q;
	}
	return NULL;
}

void wd_idle_close(void)
{
	struct wd_queue *q;
	unsigned int i = 0;
	int cancel;

	/* Closing a file is a cancellation point, and locks are held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&wd_engine.lock);
	while ((q = idle_next(&i))) {
		/* A device may be slow to stop; other threads go on meanwhile. */
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
