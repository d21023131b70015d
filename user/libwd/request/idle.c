// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts that no session uses: they are closed when the last one that did is
 * freed, so that a process which is done with devices holds none of their
 * queues. Their numbers stay, and the next binding opens them again.
 */
#include <string.h>

#include "request/core.h"

/* Under the engine's lock. Those of a fork's parent have no users here. */
void wd_idle_drop(struct wd_session *s)
{
	struct wd_hold *h = &s->hold;
	unsigned int i;

	for (i = 0; h->gen == wd_fork_now() && i < h->nr; i++) {
		if (s->cq)
			wd_cq_use(s->cq, h->queue[i], -1);
		if (!--h->queue[i]->users)
			h->queue[i]->ended = false;
	}
	h->nr = 0;
}

void wd_idle_hold(struct wd_session *s)
{
	unsigned int nr = atomic_load(&s->nr), i;

	wd_idle_drop(s);
	s->hold.gen = wd_fork_now();
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load(&s->queue[i]);

		if (s->cq)
			wd_cq_use(s->cq, q, 1);
		q->users++;
		s->hold.queue[s->hold.nr++] = q;
	}
}

/* Under the engine's lock: the next after those before from that nobody uses, and that has a file. */
static struct wd_queue *idle_next(unsigned int *from)
{
	while (*from < atomic_load(&wd_engine.nr)) {
		struct wd_queue *q = wd_engine.queue[(*from)++];

		if (!q->users && q->pub.fd >= 0 && atomic_load(&q->state) != -ESTALE)
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
