// SPDX-License-Identifier: Apache-2.0
/*
 * Waiting for queues. Readiness is computed from the rings, as in the kernel; the eventfd behind a queue only wakes
 * sleepers.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
#include "emu.h"

#define READY		(POLLIN | POLLRDNORM)
#define ON_STACK	64
#define NS_PER_S	1000000000ull
/* Nothing wakes a sleeper on a null queue when another thread submits, so the sleeper polls this often. */
#define NULL_SLICE_NS	1000000ull

EMU_REAL(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
EMU_REAL(int, pselect, int n, fd_set *in, fd_set *out, fd_set *err, const struct timespec *timeout,
	 const sigset_t *mask)
EMU_REAL(int, epoll_ctl, int ep, int op, int fd, struct epoll_event *event)
EMU_REAL(int, epoll_pwait, int ep, struct epoll_event *events, int max, int timeout, const sigset_t *mask)

static short queue_revents(struct emu_queue *q, short events, bool waits)
{
	if (atomic_load(&q->foreign))
		return POLLERR;
	if (atomic_load(&q->dead))
		return (short)((events & READY) | POLLERR | POLLHUP);
	if (!(events & READY))
		return 0;
	return emu_queue_ready(q, waits) ? events & READY : 0;
}

static void release(const struct pollfd *fds, nfds_t n, bool sleeps)
{
	nfds_t i;

	for (i = 0; i < n; i++)
		if (emu_fd_get(fds[i].fd))
			emu_control_look(emu_fd_get(fds[i].fd)->dev, sleeps);
}

/*
 * Checks the queues of @fds; other entries go to the kernel as they are. As in the kernel, a caller that has
 * found an event doesn't wait for others.
 */
static int look(struct pollfd *fds, struct pollfd *kernel, nfds_t n, bool waits)
{
	struct emu_queue *q;
	int ready = 0;
	nfds_t i;

	for (i = 0; i < n; i++) {
		kernel[i] = fds[i];
		kernel[i].revents = 0;
		q = emu_fd_get(fds[i].fd);
		if (!q)
			continue;
		fds[i].revents = queue_revents(q, fds[i].events, waits && !ready);
		ready += fds[i].revents != 0;
		/* The caller doesn't wait for input: the kernel's entry must not report the eventfd. */
		kernel[i].events = fds[i].events & READY ? POLLIN : 0;
	}
	return ready;
}

static int merge(struct pollfd *fds, const struct pollfd *kernel, nfds_t n)
{
	int ready = 0;
	nfds_t i;

	for (i = 0; i < n; i++) {
		if (!emu_fd_get(fds[i].fd))
			fds[i].revents = kernel[i].revents;
		ready += fds[i].revents != 0;
	}
	return ready;
}

static int wait_queues(struct pollfd *fds, struct pollfd *kernel, nfds_t n, const struct timespec *timeout,
		       const sigset_t *mask)
{
	static const struct timespec now = { 0, 0 };
	unsigned long long end = 0, left;
	struct timespec rest;
	bool sleeps = !timeout || timeout->tv_sec || timeout->tv_nsec, waits = sleeps, sliced;
	int ret;

	release(fds, n, sleeps);
	if (timeout && sleeps)
		end = emu_now() + (unsigned long long)timeout->tv_sec * NS_PER_S + (unsigned long long)timeout->tv_nsec;
	for (;;) {
		if (look(fds, kernel, n, waits)) {
			ret = real_ppoll()(kernel, n, &now, mask);
			return ret < 0 ? ret : merge(fds, kernel, n);
		}
		left = end;
		if (timeout && left)
			left = end > emu_now() ? end - emu_now() : 0;
		sliced = emu_config()->null && (!timeout || left > NULL_SLICE_NS);
		if (sliced)
			left = NULL_SLICE_NS;
		rest = (struct timespec){ .tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S) };
		if (sleeps)
			emu_control_sleeps();
		ret = real_ppoll()(kernel, n, timeout || sliced ? &rest : NULL, mask);
		if (ret < 0)
			return ret;
		if (merge(fds, kernel, n))
			return merge(fds, kernel, n);
		waits = false;
		if (!ret && !sliced) {
			if (sleeps && look(fds, kernel, n, false))
				return merge(fds, kernel, n);
			if (sleeps)
				emu_control_timeout();
			return 0;
		}
	}
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct pollfd few[ON_STACK], *kernel = few;
	nfds_t i;
	int ret;

	for (i = 0; i < n && !emu_fd_get(fds[i].fd); i++)
		;
	if (i == n)
		return real_ppoll()(fds, n, timeout, mask);
	if (n > ON_STACK)
		kernel = calloc(n, sizeof(*kernel));
	if (!kernel) {
		errno = ENOMEM;
		return -1;
	}
	ret = wait_queues(fds, kernel, n, timeout, mask);
	if (kernel != few)
		free(kernel);
	return ret;
}

static struct timespec *milliseconds(int ms, struct timespec *t)
{
	if (ms < 0)
		return NULL;
	*t = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	return t;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec t;

	return ppoll(fds, n, milliseconds(timeout, &t), NULL);
}

/* The fortified names. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes)
{
	if (bytes / sizeof(*fds) < n)
		abort();
	return poll(fds, n, timeout);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t bytes)
{
	if (bytes / sizeof(*fds) < n)
		abort();
	return ppoll(fds, n, timeout, mask);
}

static bool any_queue(int n, const fd_set *set)
{
	int fd;

	for (fd = 0; set && fd < n; fd++)
		if (FD_ISSET(fd, set) && emu_fd_get(fd))
			return true;
	return false;
}

static nfds_t sets_to_poll(int n, const fd_set *in, const fd_set *out, const fd_set *err, struct pollfd *fds)
{
	nfds_t used = 0;
	short events;
	int fd;

	for (fd = 0; fd < n; fd++) {
		events = 0;
		if (in && FD_ISSET(fd, in))
			events |= READY;
		if (out && FD_ISSET(fd, out))
			events |= POLLOUT;
		if (err && FD_ISSET(fd, err))
			events |= POLLPRI;
		if (events)
			fds[used++] = (struct pollfd){ .fd = fd, .events = events };
	}
	return used;
}

static int poll_to_sets(const struct pollfd *fds, nfds_t n, fd_set *in, fd_set *out, fd_set *err)
{
	int ready = 0;
	nfds_t i;

	if (in)
		FD_ZERO(in);
	if (out)
		FD_ZERO(out);
	if (err)
		FD_ZERO(err);
	for (i = 0; i < n; i++) {
		if (in && fds[i].events & POLLIN && fds[i].revents & (READY | POLLHUP | POLLERR)) {
			FD_SET(fds[i].fd, in);
			ready++;
		}
		if (out && fds[i].events & POLLOUT && fds[i].revents & (POLLOUT | POLLERR)) {
			FD_SET(fds[i].fd, out);
			ready++;
		}
		if (err && fds[i].events & POLLPRI && fds[i].revents & POLLPRI) {
			FD_SET(fds[i].fd, err);
			ready++;
		}
	}
	return ready;
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *err, const struct timespec *timeout, const sigset_t *mask)
{
	struct pollfd fds[FD_SETSIZE];
	nfds_t used;
	int ret;

	if (n > FD_SETSIZE || (!any_queue(n, in) && !any_queue(n, out) && !any_queue(n, err)))
		return real_pselect()(n, in, out, err, timeout, mask);
	used = sets_to_poll(n, in, out, err, fds);
	ret = ppoll(fds, used, timeout, mask);
	return ret < 0 ? ret : poll_to_sets(fds, used, in, out, err);
}

int select(int n, fd_set *in, fd_set *out, fd_set *err, struct timeval *timeout)
{
	struct timespec t;

	if (timeout)
		t = (struct timespec){ .tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000L };
	return pselect(n, in, out, err, timeout ? &t : NULL, NULL);
}

#define WATCHES	1024

/* Queues in an epoll set, and sets in sets: the kernel knows the queues' eventfds. */
static struct watch {
	int ep, fd;
	bool set;	/* fd is an epoll set itself */
	bool listed;	/* it would be in the kernel's list of ready items */
	bool disarmed;	/* EPOLLONESHOT, and reported */
	struct epoll_event event;
} watches[WATCHES];
static unsigned int nr_watches;
static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;

static struct watch *watch_find(int ep, int fd)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].ep == ep && watches[i].fd == fd)
			return &watches[i];
	return NULL;
}

static bool is_set(int fd)
{
	static const char name[] = "anon_inode:[eventpoll]";
	char link[64], text[sizeof(name)];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, text, sizeof(text)) == sizeof(name) - 1 && !memcmp(text, name, sizeof(name) - 1);
}

/* The kernel's events, without the wake-ups of eventfds and inner sets. */
static int kernel_only(int ep, struct epoll_event *events, int n)
{
	unsigned int w;
	int i, kept = 0;

	for (i = 0; i < n; i++) {
		for (w = 0; w < nr_watches; w++)
			if (watches[w].ep == ep && watches[w].event.data.u64 == events[i].data.u64)
				break;
		if (w == nr_watches)
			events[kept++] = events[i];
	}
	return kept;
}

static unsigned int watch_queue(struct watch *w)
{
	struct emu_queue *q = emu_fd_get(w->fd);
	unsigned int revents = 0;

	if (q && !w->disarmed)
		revents = (unsigned short)queue_revents(q, (short)(w->event.events & READY), !w->listed);
	w->listed = revents;
	return revents;
}

/* Is anything in the set readable? This consumes events. */
static bool set_ready(int ep)
{
	struct epoll_event events[8];
	bool ready = false;
	unsigned int i;
	int n;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].ep == ep && watch_queue(&watches[i]))
			ready = true;
	n = real_epoll_pwait()(ep, events, 8, 0, NULL);
	return kernel_only(ep, events, n) > 0 || ready;
}

static unsigned int watch_revents(struct watch *w)
{
	if (!w->set)
		return watch_queue(w);
	return !w->disarmed && set_ready(w->fd) ? w->event.events & READY : 0;
}

/* Updates an item after a report, as the kernel does. */
static void watch_reported(struct watch *w)
{
	struct epoll_event quiet = { .data = w->event.data };

	if (w->event.events & EPOLLET)
		w->listed = false;
	if (!(w->event.events & EPOLLONESHOT))
		return;
	w->disarmed = true;
	real_epoll_ctl()(w->ep, EPOLL_CTL_MOD, w->fd, &quiet);
}

static void watch_put(int ep, int op, int fd, bool set, const struct epoll_event *event)
{
	struct watch *w = watch_find(ep, fd);

	if (op == EPOLL_CTL_DEL) {
		if (w)
			*w = watches[--nr_watches];
		return;
	}
	if (!w && op == EPOLL_CTL_ADD && nr_watches < WATCHES)
		w = &watches[nr_watches++];
	if (!w)
		return;
	*w = (struct watch){ .ep = ep, .fd = fd, .set = set, .event = *event };
	/* The kernel checks readiness here, and again before it reports. Only a new item waits. */
	w->listed = op == EPOLL_CTL_MOD;
	watch_revents(w);
}

int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
	bool set = !emu_fd_get(fd) && op != EPOLL_CTL_DEL && is_set(fd);
	struct epoll_event kernel, *kernel_event;
	int ret;

	if (!emu_fd_get(fd) && !set && !__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return real_epoll_ctl()(ep, op, fd, event);
	/* A wake-up without an event doesn't disarm the item; watch_reported() does that. */
	kernel_event = event;
	if ((emu_fd_get(fd) || set) && op != EPOLL_CTL_DEL && event) {
		kernel = *event;
		kernel.events &= ~(unsigned int)EPOLLONESHOT;
		kernel_event = &kernel;
	}
	pthread_mutex_lock(&watch_lock);
	ret = real_epoll_ctl()(ep, op, fd, kernel_event);
	if (!ret && (emu_fd_get(fd) || set || watch_find(ep, fd)))
		watch_put(ep, op, fd, set, event);
	pthread_mutex_unlock(&watch_lock);
	return ret;
}

static bool watched(int ep)
{
	unsigned int i;
	bool hit = false;

	if (!__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&watch_lock);
	for (i = 0; i < nr_watches && !hit; i++)
		hit = watches[i].ep == ep;
	pthread_mutex_unlock(&watch_lock);
	return hit;
}

/* Ready queues and sets of the set, at most @max; forgets those whose descriptor was closed. */
static int watches_ready(int ep, struct epoll_event *events, int max)
{
	unsigned int i;
	int n = 0;

	pthread_mutex_lock(&watch_lock);
	for (i = nr_watches; i-- > 0 && n < max;) {
		struct watch *w = &watches[i];
		unsigned int revents;

		if (w->ep != ep)
			continue;
		if (!emu_fd_get(w->fd) && !w->set) {
			*w = watches[--nr_watches];
			continue;
		}
		revents = watch_revents(w);
		if (!revents)
			continue;
		events[n++] = (struct epoll_event){ .events = revents, .data = w->event.data };
		watch_reported(w);
	}
	pthread_mutex_unlock(&watch_lock);
	return n;
}

/* Held devices with queues in the set, or in a set within it, may be due for release. */
static void release_set(int ep, bool sleeps)
{
	struct emu_device *due[ON_STACK];
	unsigned int i, k, n = 0;

	pthread_mutex_lock(&watch_lock);
	for (i = 0; i < nr_watches; i++) {
		if (watches[i].ep != ep)
			continue;
		for (k = 0; k < nr_watches && n < ON_STACK; k++)
			if ((k == i || (watches[i].set && watches[k].ep == watches[i].fd)) && emu_fd_get(watches[k].fd))
				due[n++] = emu_fd_get(watches[k].fd)->dev;
	}
	pthread_mutex_unlock(&watch_lock);
	while (n--)
		emu_control_look(due[n], sleeps);
}

int epoll_pwait(int ep, struct epoll_event *events, int max, int timeout, const sigset_t *mask)
{
	unsigned long long end = timeout < 0 ? 0 : emu_now() + (unsigned long long)timeout * 1000000u;
	unsigned long long now;
	int n, ret, left;

	if (max <= 0 || !watched(ep))
		return real_epoll_pwait()(ep, events, max, timeout, mask);
	release_set(ep, timeout != 0);
	for (;;) {
		n = watches_ready(ep, events, max);
		if (n == max)
			return n;
		now = emu_now();
		left = timeout < 0 ? -1 : end > now ? (int)((end - now + 999999) / 1000000) : 0;
		if (emu_config()->null && (left < 0 || left > (int)(NULL_SLICE_NS / 1000000)))
			left = NULL_SLICE_NS / 1000000;
		ret = real_epoll_pwait()(ep, events + n, max - n, n ? 0 : left, mask);
		if (ret < 0)
			return n ? n : ret;
		pthread_mutex_lock(&watch_lock);
		n += kernel_only(ep, events + n, ret);
		pthread_mutex_unlock(&watch_lock);
		if (n || (!ret && timeout >= 0 && emu_now() >= end))
			return n;
	}
}

int epoll_wait(int ep, struct epoll_event *events, int max, int timeout)
{
	return epoll_pwait(ep, events, max, timeout, NULL);
}
