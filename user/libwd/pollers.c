// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that deliver completions. Each node's share its contexts among those
 * of them that are active: the first always, the others while there is work
 * for them. Who finds nothing sleeps on the files of its contexts, armed, with
 * no time limit while nothing is in flight; whatever no file tells comes
 * through an eventfd.
 *
 * pool.lock is inside every other lock of the core, pool.control outside.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "env.h"
#include "pollers.h"
#include "pollset.h"

#define RUN_MAX		64		/* callbacks before the next context's turn */
#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull
#define SATURATED_NS	1000000ull	/* so long without a pause, and another thread helps */
#define IDLE_NS		100000000ull	/* so long without work, and a helper retires */
#define EXIT_WAIT_S	1

struct poller {
	struct wd_poll_group *group;
	unsigned int index;		/* in its group */
	pthread_t thread;
	int event;
	bool active;			/* under pool.lock, like asleep */
	bool asleep;
};

static struct {
	pthread_mutex_t control;	/* starting and stopping */
	pthread_mutex_t lock;
	_Atomic __u32 gen;		/* changes with what each thread has to look after */
	_Atomic bool stop;
	unsigned int nr;
	struct wd_pollset set;
	struct poller poller[WD_POLLERS_MAX];
	__u32 begun;			/* wd_fork_now() when WD_POLL_THREADS was heeded, or overruled */
} pool = { .control = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

/* Which group looks after a context, from 1; 0: not yet known. */
static _Atomic __u8 group_of[WD_ENGINE_QUEUES];

static _Thread_local const struct poller *self;

/* What one thread looks after. */
struct share {
	__u32 gen;
	bool active;
	unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
	bool hung[WD_ENGINE_QUEUES];	/* its file has nothing but its end to tell */
};

/* --- waking; under pool.lock --- */

static void kick(struct poller *p)
{
	__u64 one = 1;
	int saved = errno;

	if (!p->asleep)
		return;
	p->asleep = false;
	/* Not write(), which could be cancelled: this may be anybody's thread. */
	syscall(SYS_write, p->event, &one, sizeof(one));
	errno = saved;
}

static void kick_group(const struct wd_poll_group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		kick(&pool.poller[g->first + i]);
}

static void activate(struct poller *p, bool active)
{
	p->active = active;
	atomic_fetch_add(&pool.gen, 1);
	kick_group(p->group);
}

/* Any thread computes: one that sleeps, else one that is not active. */
static void kick_one(void)
{
	struct poller *spare = NULL;
	unsigned int i;

	for (i = 0; i < pool.nr; i++) {
		struct poller *p = &pool.poller[i];

		if (p->active && p->asleep) {
			kick(p);
			return;
		}
		if (!p->active && !spare)
			spare = p;
	}
	if (spare)
		activate(spare, true);
}

void wd_pollers_wake(struct wd_queue *q)
{
	unsigned int g = atomic_load(&group_of[q->index]);

	pthread_mutex_lock(&pool.lock);
	if (q->pub.path == WD_PATH_SOFT)
		kick_one();
	else if (g && g <= pool.set.nr)
		kick_group(&pool.set.group[g - 1]);
	pthread_mutex_unlock(&pool.lock);
}

void wd_pollers_changed(void)
{
	unsigned int i;

	pthread_mutex_lock(&pool.lock);
	atomic_fetch_add(&pool.gen, 1);
	for (i = 0; i < pool.nr; i++)
		kick(&pool.poller[i]);
	pthread_mutex_unlock(&pool.lock);
}

/* --- shares --- */

/* The context's own node's threads, else those without a node, else the nearest; equals take turns. */
static unsigned int group_find(const struct wd_queue *q)
{
	unsigned int i, best = 0, equal = 0;
	int d, least = INT_MAX;

	for (i = 0; i < pool.set.nr; i++)
		if (pool.set.group[i].node == q->numa_node && q->numa_node >= 0)
			return i;
	for (i = 0; i < pool.set.nr; i++) {
		d = pool.set.group[i].node == WD_ANY_NODE ? 0 : wd_device_distance(q->numa_node, pool.set.group[i].node);
		if (d > least)
			continue;
		equal = d < least ? 1 : equal + 1;
		least = d;
		if (q->index % equal == equal - 1)
			best = i;
	}
	return best;
}

static const struct wd_poll_group *group_for(const struct wd_queue *q)
{
	unsigned int g = atomic_load(&group_of[q->index]);

	if (!g) {
		g = group_find(q) + 1;
		atomic_store(&group_of[q->index], g);
	}
	return &pool.set.group[g - 1];
}

static bool looked_after(struct wd_queue *q)
{
	return atomic_load(&q->delivers) && atomic_load(&q->state) != -ESTALE;
}

/* Contexts of the thread's group, or of them those that are the rank-th of many threads'. */
static unsigned int share_count(const struct poller *p, struct share *s, unsigned int rank, unsigned int active,
				unsigned int all)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), at = 0, i;

	for (i = 0; i < nr; i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->pub.path == WD_PATH_SOFT || !looked_after(q) || group_for(q) != p->group)
			continue;
		if (s && (all < active ? rank % all == at : at % active == rank))
			s->queue[s->nr++] = q;
		at++;
	}
	return at;
}

/* Software's requests are everybody's; they come last, as they take longest. */
static void share_soft(struct share *s)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), i;

	for (i = 0; i < nr; i++)
		if (wd_engine.queue[i]->pub.path == WD_PATH_SOFT && looked_after(wd_engine.queue[i]))
			s->queue[s->nr++] = wd_engine.queue[i];
}

static void share_fill(const struct poller *p, struct share *s)
{
	unsigned int rank = 0, active = 0, all, i;

	pthread_mutex_lock(&pool.lock);
	s->gen = atomic_load(&pool.gen);
	s->active = p->active;
	for (i = 0; i < p->group->nr; i++) {
		rank += i < p->index && pool.poller[p->group->first + i].active;
		active += pool.poller[p->group->first + i].active;
	}
	pthread_mutex_unlock(&pool.lock);
	s->nr = 0;
	all = share_count(p, NULL, 0, 0, 0);
	if (s->active && all)
		share_count(p, s, rank, active, all);
	share_soft(s);
	memset(s->hung, 0, sizeof(s->hung));
}

static unsigned int share_run(struct share *s)
{
	unsigned int ran = 0, i;

	for (i = 0; i < s->nr && !atomic_load(&pool.stop); i++) {
		struct wd_queue *q = s->queue[i];

		if (q->pub.path != WD_PATH_SOFT) {
			ran += wd_queue_run(q, RUN_MAX);
			continue;
		}
		/* The next one needn't wait for the end of ours. */
		if (wd_queue_in_flight(q) > 1)
			wd_pollers_due(q);
		ran += wd_queue_run(q, 1);
	}
	return ran;
}

static bool share_spin(struct share *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->queue[i]->pub.fd >= 0 && wd_queue_async_nr(s->queue[i]) && wd_spin(s->queue[i]))
			return true;
	return false;
}

/* --- sleeping --- */

struct nap {
	bool quiet;
	__u64 end;		/* 0: none */
	unsigned int n;		/* files; the first of pfd is the eventfd */
	unsigned int at[WD_ENGINE_QUEUES];
	struct pollfd pfd[1 + WD_ENGINE_QUEUES];
};

static void nap_end(struct nap *nap, __u64 end)
{
	if (end && (!nap->end || end < nap->end))
		nap->end = end;
}

static bool soft_waits(struct wd_queue *q)
{
	bool waits;

	wd_drain_lock(q);
	waits = atomic_load(&q->pub.slots[q->soft_head].state) == WD_SLOT_ASYNC;
	wd_drain_unlock(q);
	return waits;
}

/* What a queue has to say about the sleep; takes its sleeper's role when it is free. */
static void nap_queue(struct nap *nap, struct share *s, unsigned int i, __u64 slice)
{
	struct wd_queue *q = s->queue[i];

	if (q->pub.path == WD_PATH_SOFT) {
		nap->quiet &= !soft_waits(q);
		return;
	}
	if (atomic_load(&q->ready_nr))
		nap->quiet = false;
	if (wd_queue_async_nr(q)) {
		nap_end(nap, slice);
		nap_end(nap, atomic_load(&q->deadline));
	}
	if (s->hung[i] || atomic_load(&q->state) || atomic_load(&q->wanted) || !wd_sleeper_enter(q))
		return;
	nap->at[nap->n++] = i;
	nap->pfd[nap->n] = (struct pollfd){ .fd = q->pub.fd, .events = POLLIN };
	if (!wd_sleeper_arm(q))
		nap->quiet = false;
}

static void nap_take(const struct nap *nap)
{
	__u64 now = wd_now_ns();
	struct timespec ts = { 0 };

	if (nap->end > now) {
		ts.tv_sec = (nap->end - now) / 1000000000ull;
		ts.tv_nsec = (nap->end - now) % 1000000000ull;
	}
	ppoll((struct pollfd *)nap->pfd, nap->n + 1, nap->end ? &ts : NULL, NULL);
}

static void set_active(struct poller *p, bool active)
{
	pthread_mutex_lock(&pool.lock);
	activate(p, active);
	pthread_mutex_unlock(&pool.lock);
}

static bool sleep_begin(struct poller *p, const struct share *s)
{
	bool asleep;

	pthread_mutex_lock(&pool.lock);
	asleep = s->gen == atomic_load(&pool.gen) && !atomic_load(&pool.stop);
	p->asleep = asleep;
	pthread_mutex_unlock(&pool.lock);
	return asleep;
}

static void sleep_end(struct poller *p)
{
	__u64 count;

	pthread_mutex_lock(&pool.lock);
	p->asleep = false;
	pthread_mutex_unlock(&pool.lock);
	if (read(p->event, &count, sizeof(count)) < 0)
		count = 0;
}

/* Until something happens, at most to both ends; slice counts while something is in flight. */
static void poller_sleep(struct poller *p, struct share *s, __u64 slice, __u64 end)
{
	struct nap nap;
	unsigned int i;

	if (!sleep_begin(p, s))
		return;
	nap.quiet = true;
	nap.end = end;
	nap.n = 0;
	nap.pfd[0] = (struct pollfd){ .fd = p->event, .events = POLLIN };
	for (i = 0; i < s->nr; i++)
		atomic_fetch_add(&s->queue[i]->watchers, 1);
	wd_barrier_heavy();
	for (i = 0; i < s->nr; i++)
		nap_queue(&nap, s, i, slice);
	if (nap.quiet)
		nap_take(&nap);
	/* Submitted before we could be called. */
	else if (!s->active)
		set_active(p, true);
	for (i = 0; i < s->nr; i++)
		atomic_fetch_sub(&s->queue[i]->watchers, 1);
	for (i = 0; i < nap.n; i++) {
		/* A dead file is ready for ever; what is still in its rings the slices look for. */
		if (nap.quiet && nap.pfd[i + 1].revents & (POLLERR | POLLHUP | POLLNVAL))
			s->hung[nap.at[i]] = true;
		wd_sleeper_pass_on(s->queue[nap.at[i]]);
	}
	/* One had something to say, and not of a request: its end. With no role any more, see device_close(). */
	for (i = 0; !nap.quiet && i < nap.n; i++)
		if (!wd_queue_in_flight(s->queue[nap.at[i]]))
			wd_queue_look(s->queue[nap.at[i]]);
	sleep_end(p);
}

/* --- threads --- */

static void help_get(const struct poller *p)
{
	unsigned int i;

	pthread_mutex_lock(&pool.lock);
	for (i = 0; i < p->group->nr; i++)
		if (!pool.poller[p->group->first + i].active) {
			activate(&pool.poller[p->group->first + i], true);
			break;
		}
	pthread_mutex_unlock(&pool.lock);
}

/* A pass without work, and what it leads to. */
static void rest(struct poller *p, struct share *s, __u64 *slice, __u64 *idle)
{
	bool helper = p->index && s->active;
	__u64 now;

	if (share_spin(s))
		return;
	now = wd_now_ns();
	if (!*idle)
		*idle = now;
	if (helper && now - *idle >= IDLE_NS) {
		set_active(p, false);
		return;
	}
	poller_sleep(p, s, now + *slice, helper ? *idle + IDLE_NS : 0);
	*slice = *slice * 2 < SLICE_MAX_NS ? *slice * 2 : SLICE_MAX_NS;
}

static void *poller_main(void *arg)
{
	struct poller *p = arg;
	struct share s = { 0 };
	__u64 busy = 0, idle = 0, slice = SLICE_MIN_NS, now;

	self = p;
	share_fill(p, &s);
	while (!atomic_load(&pool.stop)) {
		if (s.gen != atomic_load(&pool.gen))
			share_fill(p, &s);
		if (!s.active || !share_run(&s)) {
			busy = 0;
			/* A helper that was called again begins anew. */
			if (!s.active)
				idle = 0;
			rest(p, &s, &slice, &idle);
			continue;
		}
		idle = 0;
		slice = SLICE_MIN_NS;
		now = wd_now_ns();
		if (!busy)
			busy = now;
		if (now - busy >= SATURATED_NS) {
			help_get(p);
			busy = now;
		}
	}
	return NULL;
}

static int thread_start(struct poller *p)
{
	pthread_attr_t attr;
	sigset_t all, old;
	char name[16];
	int ret;

	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	if (p->group->node != WD_ANY_NODE)
		pthread_attr_setaffinity_np(&attr, sizeof(p->group->cpus), &p->group->cpus);
	sigfillset(&all);
	/* What a thread brings upon itself kills it all the same, but then without its handler. */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&p->thread, &attr, poller_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (ret)
		return -ret;
	if (p->group->node == WD_ANY_NODE)
		snprintf(name, sizeof(name), "wd-poll/any.%u", p->index % 100);
	else
		snprintf(name, sizeof(name), "wd-poll/%u.%u", (unsigned int)p->group->node % 10000, p->index % 100);
	pthread_setname_np(p->thread, name);
	return 0;
}

/* Ends the first n threads; until: of the real-time clock, NULL without limit. false: some have not ended. */
static bool threads_end(unsigned int n, const struct timespec *until)
{
	bool all = true;
	unsigned int i;

	pthread_mutex_lock(&pool.lock);
	atomic_store(&pool.stop, true);
	for (i = 0; i < n; i++)
		kick(&pool.poller[i]);
	pthread_mutex_unlock(&pool.lock);
	for (i = 0; i < n; i++) {
		struct poller *p = &pool.poller[i];

		if (p == self || (until ? pthread_timedjoin_np(p->thread, NULL, until) : pthread_join(p->thread, NULL))) {
			all = false;
			continue;
		}
		pthread_mutex_lock(&pool.lock);
		close(p->event);
		p->event = -1;
		pthread_mutex_unlock(&pool.lock);
	}
	if (all) {
		pthread_mutex_lock(&pool.lock);
		pool.nr = 0;
		pthread_mutex_unlock(&pool.lock);
	}
	return all;
}

static void pollers_fill(void)
{
	unsigned int g, i;

	pthread_mutex_lock(&pool.lock);
	for (g = 0; g < pool.set.nr; g++)
		for (i = 0; i < pool.set.group[g].nr; i++) {
			struct poller *p = &pool.poller[pool.set.group[g].first + i];

			*p = (struct poller){ .group = &pool.set.group[g], .index = i, .event = -1, .active = !i };
		}
	for (i = 0; i < WD_ENGINE_QUEUES; i++)
		atomic_store(&group_of[i], 0);
	pthread_mutex_unlock(&pool.lock);
}

static int threads_start(void)
{
	unsigned int i;
	int ret;

	pollers_fill();
	atomic_store(&pool.stop, false);
	for (i = 0; i < pool.set.threads; i++)
		pool.poller[i].event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_lock(&pool.lock);
	pool.nr = pool.set.threads;
	pthread_mutex_unlock(&pool.lock);
	for (i = 0; i < pool.set.threads; i++) {
		ret = pool.poller[i].event < 0 ? -EMFILE : thread_start(&pool.poller[i]);
		if (ret)
			goto err_end;
	}
	return 0;

err_end:
	threads_end(i, NULL);
	pthread_mutex_lock(&pool.lock);
	pool.nr = 0;
	pthread_mutex_unlock(&pool.lock);
	for (; i < pool.set.threads; i++)
		if (pool.poller[i].event >= 0)
			close(pool.poller[i].event);
	return wd_fail(NULL, -ret, "poll threads can't be started");
}

/* The threads are the parent's, and the eventfds too. */
static void on_fork_child(void)
{
	unsigned int i;

	pthread_mutex_init(&pool.control, NULL);
	pthread_mutex_init(&pool.lock, NULL);
	for (i = 0; i < pool.set.threads; i++)
		if (pool.poller[i].event >= 0)
			close(pool.poller[i].event);
	memset(&pool.set, 0, sizeof(pool.set));
	pool.nr = 0;
	self = NULL;
}

static void hook_init(void)
{
	static struct wd_fork_hook hook = { .child = on_fork_child };

	wd_fork_hook_add(&hook);
}

static int start_locked(const char *config)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct wd_pollset set;
	int ret;

	if (pool.nr)
		return wd_fail(NULL, EALREADY, "poll threads are running");
	ret = wd_pollset_parse(config, &set);
	if (ret)
		return ret;
	pthread_once(&once, hook_init);
	pthread_mutex_lock(&pool.lock);
	pool.set = set;
	pthread_mutex_unlock(&pool.lock);
	return threads_start();
}

/* --- entrances --- */

static void control_enter(int *cancel)
{
	wd_engine_init();
	wd_fork_now();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&pool.control);
}

static void control_leave(int cancel)
{
	pthread_mutex_unlock(&pool.control);
	pthread_setcancelstate(cancel, NULL);
}

int wd_start_pollers(const char *config)
{
	int ret, cancel, saved = errno;

	control_enter(&cancel);
	ret = start_locked(config ? config : wd_env("WD_POLL_THREADS"));
	if (!ret)
		pool.begun = wd_fork_now();
	control_leave(cancel);
	errno = saved;
	return ret;
}

int wd_stop_pollers(void)
{
	int cancel;

	if (self)
		return wd_fail(NULL, EDEADLK, "a callback on a poll thread can't wait for that thread");
	control_enter(&cancel);
	threads_end(pool.nr, NULL);
	pool.begun = wd_fork_now();
	control_leave(cancel);
	return 0;
}

int wd_pollers_begin(void)
{
	const char *config = wd_env("WD_POLL_THREADS");
	int ret = 0, cancel;

	if (!config)
		return 0;
	control_enter(&cancel);
	if (pool.begun != wd_fork_now()) {
		ret = start_locked(config);
		if (!ret)
			pool.begun = wd_fork_now();
	}
	control_leave(cancel);
	return ret;
}

/* At exit, or when the library goes: callbacks that run now get a moment, but a stuck one holds nobody up. */
__attribute__((destructor)) static void at_end(void)
{
	struct timespec until;

	if (!pool.nr)
		return;
	wd_fork_now();
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXIT_WAIT_S;
	if (pool.nr && !pthread_mutex_timedlock(&pool.control, &until)) {
		threads_end(pool.nr, &until);
		pthread_mutex_unlock(&pool.control);
	}
}
