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
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
#include "emu.h"

#define ON_STACK	64
#define NS_PER_S	1000000000ull

/* Waiting without queues is the call that the program has made: valgrind 3.19 fails an interrupted pselect(). */
EMU_REAL(int, poll, struct pollfd *fds, nfds_t n, int timeout)
EMU_REAL(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
EMU_REAL(int, pselect, int n, fd_set *in, fd_set *out, fd_set *err, const struct timespec *timeout,
	 const sigset_t *mask)
EMU_REAL(int, select, int n, fd_set *in, fd_set *out, fd_set *err, struct timeval *timeout)

static void release(const struct pollfd *fds, nfds_t n, bool sleeps)
{
	nfds_t i;

	for (i = 0; i < n; i++) {
		if (emu_fd_get(fds[i].fd))
			emu_control_look(emu_fd_get(fds[i].fd)->dev, sleeps);
		else
			emu_epoll_release(fds[i].fd, sleeps);
	}
}

/* A queue, or an epoll set with queues */
static bool is_ours(int fd)
{
	return emu_fd_get(fd) || emu_epoll_has_queues(fd);
}

static short revents(int fd, short events, bool waits)
{
	struct emu_queue *q = emu_fd_get(fd);

	if (q)
		return emu_queue_revents(q, events, waits);
	return events & EMU_READY && emu_epoll_ready(fd) ? events & EMU_READY : 0;
}

/*
 * Checks the queues of @fds; other entries go to the kernel as they are. As in the kernel, a caller that has
 * found an event doesn't wait for others.
 */
static int look(struct pollfd *fds, struct pollfd *kernel, nfds_t n, bool waits)
{
	int ready = 0;
	nfds_t i;

	for (i = 0; i < n; i++) {
		kernel[i] = fds[i];
		kernel[i].revents = 0;
		if (!is_ours(fds[i].fd))
			continue;
		fds[i].revents = revents(fds[i].fd, fds[i].events, waits && !ready);
		ready += fds[i].revents != 0;
		/* The caller doesn't wait for input: the kernel's entry must not report the eventfd. */
		kernel[i].events = fds[i].events & EMU_READY ? POLLIN : 0;
	}
	return ready;
}

static int merge(struct pollfd *fds, const struct pollfd *kernel, nfds_t n)
{
	int ready = 0;
	nfds_t i;

	for (i = 0; i < n; i++) {
		if (!is_ours(fds[i].fd))
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
		sliced = emu_config()->null && (!timeout || left > EMU_NULL_SLICE_NS);
		if (sliced)
			left = EMU_NULL_SLICE_NS;
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

static bool has_queue(const struct pollfd *fds, nfds_t n)
{
	nfds_t i;

	for (i = 0; i < n && !is_ours(fds[i].fd); i++)
		;
	return i < n;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct pollfd few[ON_STACK], *kernel = few;
	int ret;

	if (!has_queue(fds, n))
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

	if (!has_queue(fds, n))
		return real_poll()(fds, n, timeout);
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
		if (FD_ISSET(fd, set) && is_ours(fd))
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
			events |= EMU_READY;
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
		if (in && fds[i].events & POLLIN && fds[i].revents & (EMU_READY | POLLHUP | POLLERR)) {
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

static bool sets_have_queue(int n, const fd_set *in, const fd_set *out, const fd_set *err)
{
	return n <= FD_SETSIZE && (any_queue(n, in) || any_queue(n, out) || any_queue(n, err));
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *err, const struct timespec *timeout, const sigset_t *mask)
{
	struct pollfd fds[FD_SETSIZE];
	nfds_t used;
	int ret;

	if (!sets_have_queue(n, in, out, err))
		return real_pselect()(n, in, out, err, timeout, mask);
	used = sets_to_poll(n, in, out, err, fds);
	ret = ppoll(fds, used, timeout, mask);
	return ret < 0 ? ret : poll_to_sets(fds, used, in, out, err);
}

/* Linux writes the time that is left, also if a signal has ended the call. */
int select(int n, fd_set *in, fd_set *out, fd_set *err, struct timeval *timeout)
{
	unsigned long long end, now;
	struct timespec t;
	int ret;

	if (!sets_have_queue(n, in, out, err))
		return real_select()(n, in, out, err, timeout);
	if (!timeout)
		return pselect(n, in, out, err, NULL, NULL);
	t = (struct timespec){ .tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000L };
	end = emu_now() + (unsigned long long)t.tv_sec * NS_PER_S + (unsigned long long)t.tv_nsec;
	ret = pselect(n, in, out, err, &t, NULL);
	now = emu_now();
	end = end > now ? (end - now) / 1000 : 0;
	*timeout = (struct timeval){ .tv_sec = (time_t)(end / 1000000), .tv_usec = (suseconds_t)(end % 1000000) };
	return ret;
}
