// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that deliver completions. The active threads of a node share its
 * contexts: the first thread is always active, the others while there is work
 * for them. A thread without work arms its contexts and sleeps on their files,
 * without a time limit while nothing is in flight. An eventfd reports what no
 * context's file does.
 *
 * wd_pool.lock is innermost of the core's locks, control outermost.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/node.h"
#include "request/wake.h"
#include "section/section.h"

#define RUN_MAX		64		/* callbacks before the next context's turn */
#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull
#define SATURATED_NS	1000000ull	/* after this time without a pause, another thread helps */
#define IDLE_NS		100000000ull	/* after this time without work, a helper becomes inactive */
#define EXIT_WAIT_S	1

static _Thread_local const struct wd_poller *self;

/* The contexts that one thread serves. */
struct share {
	__u32 gen;
	bool active;
	unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
	bool hung[WD_ENGINE_QUEUES];	/* the context's file has reported its end, and reports nothing else */
};

/* --- shares --- */

/* The threads of the context's node, else those without a node, else the nearest node's; equal ones take turns. */
static unsigned int group_find(const struct wd_queue *q)
{
	unsigned int i, best = 0, equal = 0;
	int d, least = INT_MAX;

	for (i = 0; i < wd_pool.set.nr; i++)
		if (wd_pool.set.group[i].node == q->numa_node && q->numa_node >= 0)
			return i;
	for (i = 0; i < wd_pool.set.nr; i++) {
		d = wd_pool.set.group[i].node == WD_ANY_NODE ? 0 :
		    wd_node_distance(q->numa_node, wd_pool.set.group[i].node);
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
	unsigned int g = atomic_load(&wd_poll_group_of[q->index]);

	if (!g) {
		g = group_find(q) + 1;
		atomic_store(&wd_poll_group_of[q->index], g);
	}
	return &wd_pool.set.group[g - 1];
}

static bool looked_after(struct wd_queue *q)
{
	return atomic_load(&q->delivers) && atomic_load(&q->state) != -ESTALE;
}

/* Counts the contexts of the thread's group. With s, adds those that fall to the thread of that rank. */
static unsigned int share_count(const struct wd_poller *p, struct share *s, unsigned int rank, unsigned int active,
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

/* Every thread serves the software path, and last, because its requests take longest. */
static void share_soft(struct share *s)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), i;

	for (i = 0; i < nr; i++)
		if (wd_engine.queue[i]->pub.path == WD_PATH_SOFT && looked_after(wd_engine.queue[i]))
			s->queue[s->nr++] = wd_engine.queue[i];
}

static void share_fill(const struct wd_poller *p, struct share *s)
{
	unsigned int rank = 0, active = 0, all, i;

	wd_pool_lock();
	s->gen = atomic_load(&wd_pool.gen);
	s->active = p->active;
	for (i = 0; i < p->group->nr; i++) {
		rank += i < p->index && wd_pool.poller[p->group->first + i].active;
		active += wd_pool.poller[p->group->first + i].active;
	}
	wd_pool_unlock();
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

	for (i = 0; i < s->nr && !atomic_load(&wd_pool.stop); i++) {
		struct wd_queue *q = s->queue[i];

		if (q->pub.path != WD_PATH_SOFT) {
			ran += wd_queue_run(q, RUN_MAX);
			continue;
		}
		/* Another thread may compute the next request meanwhile. */
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

/* Whether and how long the thread may sleep, as far as this queue is concerned; becomes its sleeper if it has none. */
static void nap_queue(struct nap *nap, struct share *s, unsigned int i, __u64 slice)
{
	struct wd_queue *q = s->queue[i];

	if (q->pub.path == WD_PATH_SOFT) {
		nap->quiet &= !wd_soft_waits(q);
		return;
	}
	if (atomic_load(&q->ready_nr))
		nap->quiet = false;
	if (wd_queue_async_nr(q))
		nap_end(nap, slice);
	/* Also that of requests which are over: nobody is woken for a later one of a request submitted meanwhile. */
	nap_end(nap, atomic_load(&q->deadline));
	if (s->hung[i] || atomic_load(&q->state) || atomic_load(&q->wanted) || !wd_sleeper_enter(q))
		return;
	nap->at[nap->n++] = i;
	nap->pfd[nap->n] = (struct pollfd){ .fd = wd_queue_file(q), .events = POLLIN };
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

static void set_active(struct wd_poller *p, bool active)
{
	wd_pool_lock();
	wd_poller_activate(p, active);
	wd_pool_unlock();
}

static bool sleep_begin(struct wd_poller *p, const struct share *s)
{
	bool asleep;

	wd_pool_lock();
	asleep = s->gen == atomic_load(&wd_pool.gen) && !atomic_load(&wd_pool.stop);
	p->asleep = asleep;
	wd_pool_unlock();
	return asleep;
}

static void sleep_end(struct wd_poller *p)
{
	__u64 count;
	bool kicked;

	wd_pool_lock();
	kicked = !p->asleep;
	p->asleep = false;
	wd_pool_unlock();
	if (kicked && wd_fork_file_is(&p->event) && read(p->event.fd, &count, sizeof(count)) < 0)
		count = 0;
}

/* Sleeps until an event, until end, or, while requests are in flight, until slice. */
static void poller_sleep(struct wd_poller *p, struct share *s, __u64 slice, __u64 end)
{
	bool news = false;
	struct nap nap;
	unsigned int i;

	if (!sleep_begin(p, s))
		return;
	nap.quiet = true;
	nap.end = end;
	nap.n = 0;
	nap.pfd[0] = (struct pollfd){ .fd = wd_fork_file_fd(&p->event), .events = POLLIN };
	for (i = 0; i < s->nr; i++)
		news |= wd_watch_enter(&s->queue[i]->watch);
	wd_watch_settle(news);
	for (i = 0; i < s->nr; i++)
		nap_queue(&nap, s, i, slice);
	if (nap.quiet)
		nap_take(&nap);
	/* A request was submitted before this thread could be woken for it. */
	else if (!s->active)
		set_active(p, true);
	for (i = 0; i < s->nr; i++)
		wd_watch_leave(&s->queue[i]->watch);
	for (i = 0; i < nap.n; i++) {
		/* A dead file is always ready. The slices check what is still in the rings. */
		if (nap.quiet && nap.pfd[i + 1].revents & (POLLERR | POLLHUP | POLLNVAL))
			s->hung[nap.at[i]] = true;
		wd_sleeper_pass_on(s->queue[nap.at[i]]);
	}
	/* An event of a context without requests reports its end. The thread is no sleeper here, see device_close(). */
	for (i = 0; !nap.quiet && i < nap.n; i++)
		if (!wd_queue_in_flight(s->queue[nap.at[i]]))
			wd_queue_look(s->queue[nap.at[i]]);
	sleep_end(p);
}

/* --- threads --- */

static void help_get(const struct wd_poller *p)
{
	unsigned int i;

	wd_pool_lock();
	for (i = 0; i < p->group->nr; i++)
		if (!wd_pool.poller[p->group->first + i].active) {
			wd_poller_activate(&wd_pool.poller[p->group->first + i], true);
			break;
		}
	wd_pool_unlock();
}

/* After a pass without work: spins, sleeps, or becomes inactive. */
static void rest(struct wd_poller *p, struct share *s, __u64 *slice, __u64 *idle)
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
	struct wd_poller *p = arg;
	struct share s = { 0 };
	__u64 busy = 0, idle = 0, slice = SLICE_MIN_NS, now;

	self = p;
	share_fill(p, &s);
	while (!atomic_load(&wd_pool.stop)) {
		if (s.gen != atomic_load(&wd_pool.gen))
			share_fill(p, &s);
		if (!s.active || !share_run(&s)) {
			busy = 0;
			/* The idle time of a helper starts again when it is activated. */
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

static int thread_start(struct wd_poller *p)
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
	/* A blocked fault signal would kill the process without calling its handler. */
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
	p->joinable = true;
	if (p->group->node == WD_ANY_NODE)
		snprintf(name, sizeof(name), "wd-poll/any.%u", p->index % 100);
	else
		snprintf(name, sizeof(name), "wd-poll/%u.%u", (unsigned int)p->group->node % 10000, p->index % 100);
	pthread_setname_np(p->thread, name);
	return 0;
}

static void event_open(struct wd_poller *p)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd >= 0)
		wd_fork_file_add_anonymous(&p->event, fd);
}

static void event_close(struct wd_poller *p)
{
	int fd = wd_fork_file_del(&p->event);

	if (fd >= 0)
		close(fd);
}

/* until: CLOCK_REALTIME; NULL: no limit. */
static bool thread_join(struct wd_poller *p, const struct timespec *until)
{
	if (!p->joinable)
		return true;
	if (p == self || (until ? pthread_timedjoin_np(p->thread, NULL, until) : pthread_join(p->thread, NULL)))
		return false;
	p->joinable = false;
	wd_pool_lock();
	event_close(p);
	wd_pool_unlock();
	return true;
}

/* Ends the first n threads. false: some have not ended; a later call joins them. */
static bool threads_end(unsigned int n, const struct timespec *until)
{
	bool all = true;
	unsigned int i;

	wd_pool_lock();
	atomic_store(&wd_pool.stop, true);
	for (i = 0; i < n; i++)
		wd_poller_kick(&wd_pool.poller[i]);
	wd_pool_unlock();
	for (i = 0; i < n; i++)
		all &= thread_join(&wd_pool.poller[i], until);
	if (all) {
		wd_pool_lock();
		wd_pool.nr = 0;
		wd_pool_unlock();
	}
	return all;
}

static void pollers_fill(void)
{
	unsigned int g, i;

	wd_pool_lock();
	for (g = 0; g < wd_pool.set.nr; g++)
		for (i = 0; i < wd_pool.set.group[g].nr; i++) {
			struct wd_poller *p = &wd_pool.poller[wd_pool.set.group[g].first + i];

			*p = (struct wd_poller){
				.group = &wd_pool.set.group[g], .index = i, .event.fd = -1, .active = !i
			};
		}
	for (i = 0; i < WD_ENGINE_QUEUES; i++)
		atomic_store(&wd_poll_group_of[i], 0);
	wd_pool_unlock();
}

static int threads_start(void)
{
	unsigned int i;
	int ret;

	pollers_fill();
	atomic_store(&wd_pool.stop, false);
	for (i = 0; i < wd_pool.set.threads; i++)
		event_open(&wd_pool.poller[i]);
	wd_pool_lock();
	wd_pool.nr = wd_pool.set.threads;
	wd_pool_unlock();
	for (i = 0; i < wd_pool.set.threads; i++) {
		ret = wd_pool.poller[i].event.fd < 0 ? -EMFILE : thread_start(&wd_pool.poller[i]);
		if (ret)
			goto err_end;
	}
	return 0;

err_end:
	threads_end(i, NULL);
	wd_pool_lock();
	wd_pool.nr = 0;
	wd_pool_unlock();
	for (; i < wd_pool.set.threads; i++)
		event_close(&wd_pool.poller[i]);
	return wd_fail(NULL, -ret, "poll threads can't be started");
}

/* The child has no poll threads; fork.c closes its copies of their eventfds. */
static void on_fork_child(void)
{
	memset(&wd_pool.set, 0, sizeof(wd_pool.set));
	wd_pool.nr = 0;
	self = NULL;
}

/* Starting and stopping. */
static struct wd_fork_mutex control = WD_FORK_MUTEX(control, on_fork_child);

static int start_locked(const char *config)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct wd_pollset set;
	int ret;

	if (wd_pool.nr)
		return wd_fail(NULL, EALREADY, "poll threads are running");
	ret = wd_pollset_parse(config, &set);
	if (ret)
		return ret;
	pthread_once(&once, wd_pollers_end_at_exit);
	wd_pool_lock();
	wd_pool.set = set;
	wd_pool_unlock();
	return threads_start();
}

/* --- entrances --- */

static void control_enter(int *cancel)
{
	wd_section_init();
	wd_fork_now();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	wd_fork_mutex_lock(&control);
}

static int start_by_env(const char *config)
{
	int ret = start_locked(config);

	return ret == -EINVAL ? wd_env_refused("WD_POLL_THREADS", ret) : ret;
}

static void control_leave(int cancel)
{
	wd_fork_mutex_unlock(&control);
	pthread_setcancelstate(cancel, NULL);
}

int wd_start_pollers(const char *config)
{
	int ret, cancel, saved = errno;

	control_enter(&cancel);
	ret = config ? start_locked(config) : start_by_env(wd_env("WD_POLL_THREADS"));
	if (!ret)
		wd_pool.begun = wd_fork_now();
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
	threads_end(wd_pool.nr, NULL);
	wd_pool.begun = wd_fork_now();
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
	if (wd_pool.begun != wd_fork_now()) {
		ret = start_by_env(config);
		if (!ret)
			wd_pool.begun = wd_fork_now();
	}
	control_leave(cancel);
	return ret;
}

/*
 * At exit, callbacks that are running have EXIT_WAIT_S to end; a stuck callback
 * doesn't delay the exit any longer. Each registration runs this function once
 * more, and all share one limit.
 */
__attribute__((destructor)) static void at_end(void)
{
	static struct timespec until;
	int cancel;

	if (!wd_pool.nr)
		return;
	wd_fork_now();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!until.tv_sec) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += EXIT_WAIT_S;
	}
	if (wd_pool.nr && !pthread_mutex_timedlock(&control.mutex, &until)) {
		if (threads_end(wd_pool.nr, &until))
			until.tv_sec = 0;
		wd_fork_mutex_unlock(&control);
	}
	pthread_setcancelstate(cancel, NULL);
}

/* A handler of atexit() runs before destructors, and before handlers that were registered earlier. */
void wd_pollers_end_at_exit(void)
{
	atexit(at_end);
}
