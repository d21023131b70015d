// SPDX-License-Identifier: Apache-2.0
/*
 * Epoll sets with queues. The kernel's set has the queues' eventfds, which only wake: whether a queue is ready is
 * computed from its rings. So items of queues, and of sets, are kept here as well, and the kernel's reports of them are
 * dropped.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "emu.h"

#define NS_PER_S	1000000000ull
#define NS_PER_MS	1000000ull
/* Of the kernel's items that are kept here: their data, with the number of the item in the low half. */
#define TOKEN		0x9d3f61a7ull

EMU_REAL(ssize_t, readlink, const char *path, char *buf, size_t len)
EMU_REAL(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
EMU_REAL(int, epoll_create, int size)
EMU_REAL(int, epoll_create1, int flags)
EMU_REAL(int, epoll_ctl, int ep, int op, int fd, struct epoll_event *event)
EMU_REAL(int, epoll_pwait, int ep, struct epoll_event *events, int max, int timeout, const sigset_t *mask)
EMU_REAL(int, epoll_pwait2, int ep, struct epoll_event *events, int max, const struct timespec *timeout,
	 const sigset_t *mask)

/* A set, whatever descriptors it has. Set 0 is none. */
static struct set {
	unsigned int fds;
	int fd;			/* one of them */
} *sets;
static unsigned int nr_sets = 1;
static _Atomic unsigned int set_of[EMU_FDS];

/* An item is known by its set, its descriptor's number, and the file that the number had when it was added. */
static struct watch {
	unsigned int set, id;
	int fd;
	const struct emu_queue *q;	/* NULL: a set */
	unsigned int inner;
	bool listed;	/* it would be in the kernel's list of ready items */
	bool disarmed;	/* EPOLLONESHOT, and reported */
	struct epoll_event event;
} *watches;
static unsigned int nr_watches, room, last_id, turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------ sets ------ */

static unsigned int set_get(int fd)
{
	return fd >= 0 && fd < EMU_FDS ? atomic_load_explicit(&set_of[fd], memory_order_relaxed) : 0;
}

static bool is_set(int fd)
{
	static const char name[] = "anon_inode:[eventpoll]";
	char link[64], text[sizeof(name)];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return real_readlink()(link, text, sizeof(text)) == sizeof(name) - 1 && !memcmp(text, name, sizeof(name) - 1);
}

/* Returns the number of a new set, or 0. */
static unsigned int set_new(int fd)
{
	struct set *more;
	unsigned int i;

	for (i = 1; i < nr_sets && sets[i].fds; i++)
		;
	if (i == nr_sets || !sets) {
		more = realloc(sets, (i + 1) * sizeof(*sets));
		if (!more)
			return 0;
		sets = more;
		nr_sets = i + 1;
	}
	sets[i] = (struct set){ .fds = 1, .fd = fd };
	atomic_store(&set_of[fd], i);
	return i;
}

static void watch_drop(unsigned int i)
{
	watches[i] = watches[--nr_watches];
}

static void set_gone(unsigned int set)
{
	unsigned int i;

	for (i = nr_watches; i-- > 0;)
		if (watches[i].set == set || watches[i].inner == set)
			watch_drop(i);
}

static void set_closed(int fd)
{
	unsigned int set = atomic_exchange(&set_of[fd], 0);
	int other;

	if (!set)
		return;
	if (!--sets[set].fds) {
		set_gone(set);
		return;
	}
	for (other = 0; other < EMU_FDS && sets[set].fd == fd; other++)
		if (set_get(other) == set)
			sets[set].fd = other;
}

static void epoll_closed(unsigned int first, unsigned int last)
{
	unsigned int i;

	for (i = first; i <= last && i < EMU_FDS && !set_get((int)i); i++)
		;
	if (i > last || i >= EMU_FDS)
		return;
	pthread_mutex_lock(&lock);
	for (; i <= last && i < EMU_FDS; i++)
		set_closed((int)i);
	pthread_mutex_unlock(&lock);
}

static void epoll_copied(int from, int fd)
{
	unsigned int set = set_get(from);

	if (!set || fd < 0 || fd >= EMU_FDS)
		return;
	pthread_mutex_lock(&lock);
	sets[set].fds++;
	atomic_store(&set_of[fd], set);
	pthread_mutex_unlock(&lock);
}

static void epoll_queue_gone(const struct emu_queue *q)
{
	unsigned int i;

	if (!__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&lock);
	for (i = nr_watches; i-- > 0;)
		if (watches[i].q == q)
			watch_drop(i);
	pthread_mutex_unlock(&lock);
}

static void epoll_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

static int created(int fd)
{
	if (fd >= 0 && fd < EMU_FDS && emu_config()->on) {
		pthread_mutex_lock(&lock);
		set_closed(fd);
		set_new(fd);
		pthread_mutex_unlock(&lock);
	}
	return fd;
}

int epoll_create(int size)
{
	return created(real_epoll_create()(size));
}

int epoll_create1(int flags)
{
	return created(real_epoll_create1()(flags));
}

/* ------ readiness ------ */

static bool kernel_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static const struct timespec now;

	return real_ppoll()(&p, 1, &now, NULL) > 0 && p.revents & POLLIN;
}

static unsigned int queue_watch(struct watch *w)
{
	unsigned int revents = 0;

	if (!w->disarmed)
		revents = (unsigned short)emu_queue_revents((struct emu_queue *)w->q,
							    (short)(w->event.events & EMU_READY), !w->listed);
	w->listed = revents;
	return revents;
}

static unsigned int watch_revents(struct watch *w);

/* The look at queues empties their eventfds, so what the kernel finds after that is of other items. */
static bool set_ready(unsigned int set)
{
	bool ready = false;
	unsigned int i;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].set == set && watch_revents(&watches[i])) {
			watches[i].listed = true;
			ready = true;
		}
	return ready || kernel_ready(sets[set].fd);
}

static unsigned int watch_revents(struct watch *w)
{
	bool look;

	if (w->q)
		return queue_watch(w);
	look = !w->disarmed && (w->listed || !(w->event.events & EPOLLET));
	w->listed = false;
	return look && w->event.events & EMU_READY && set_ready(w->inner) ? w->event.events & EMU_READY : 0;
}

static bool has_queues(unsigned int set)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].set == set && (watches[i].q || has_queues(watches[i].inner)))
			return true;
	return false;
}

bool emu_epoll_has_queues(int fd)
{
	bool has;

	if (!set_get(fd) || !__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&lock);
	has = has_queues(set_get(fd));
	pthread_mutex_unlock(&lock);
	return has;
}

bool emu_epoll_ready(int fd)
{
	bool ready;

	pthread_mutex_lock(&lock);
	ready = set_get(fd) && set_ready(set_get(fd));
	pthread_mutex_unlock(&lock);
	return ready;
}

static unsigned int set_devices(unsigned int set)
{
	unsigned int i, found = 0;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].set == set)
			found |= watches[i].q ? 1u << watches[i].q->dev->index : set_devices(watches[i].inner);
	return found;
}

void emu_epoll_release(int fd, bool sleeps)
{
	unsigned int found, i;

	if (!set_get(fd) || !__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&lock);
	found = set_devices(set_get(fd));
	pthread_mutex_unlock(&lock);
	for (i = 0; i < EMU_DEVICES_MAX; i++)
		if (found & 1u << i)
			emu_control_look(emu_device_at(i), sleeps);
}

/* ------ changes ------ */

static struct watch *watch_find(unsigned int set, int fd, const struct emu_queue *q, unsigned int inner)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].set == set && watches[i].fd == fd && watches[i].q == q && watches[i].inner == inner)
			return &watches[i];
	return NULL;
}

static bool watch_room(void)
{
	struct watch *more;

	if (nr_watches < room)
		return true;
	more = realloc(watches, (room + 64) * sizeof(*watches));
	if (!more)
		return false;
	watches = more;
	room += 64;
	return true;
}

/*
 * What the kernel's item waits for. A wake-up without an event doesn't disarm the item; watch_reported() does that. The
 * kernel refuses EPOLLONESHOT beside EPOLLEXCLUSIVE. An eventfd is always writable, a queue never is. One whose input
 * isn't waited for still wakes when it ends.
 */
static struct epoll_event kernel_item(const struct epoll_event *event, bool queue, unsigned int id)
{
	struct epoll_event item = { .events = event->events, .data.u64 = TOKEN << 32 | id };

	if (!(item.events & EPOLLEXCLUSIVE))
		item.events &= ~(unsigned int)EPOLLONESHOT;
	if (queue) {
		if (!(item.events & EMU_READY))
			item.events |= EPOLLET;
		item.events = (item.events & ~(unsigned int)(EPOLLOUT | EPOLLWRNORM | EPOLLPRI | EPOLLRDHUP)) | EPOLLIN;
	}
	return item;
}

static void watch_put(struct watch *w, struct watch to, int op)
{
	to.id = w ? w->id : ++last_id;
	if (!w)
		w = &watches[nr_watches++];
	/* The kernel checks readiness here, and again before it reports. Only a new queue waits. */
	to.listed = op == EPOLL_CTL_MOD || !to.q;
	*w = to;
	/* The look has emptied the eventfd, and others may be asleep. */
	if (w->q && queue_watch(w))
		emu_queue_nudge(w->q);
}

static int change(unsigned int set, int ep, int op, int fd, struct epoll_event *event)
{
	struct watch to = { .set = set, .fd = fd, .q = emu_fd_get(fd), .inner = set_get(fd) }, *w;
	struct epoll_event item;
	int ret;

	w = watch_find(set, fd, to.q, to.inner);
	if (op == EPOLL_CTL_DEL || !event) {
		ret = real_epoll_ctl()(ep, op, fd, event);
		if (!ret && w)
			watch_drop((unsigned int)(w - watches));
		return ret;
	}
	if (!watch_room()) {
		errno = ENOMEM;
		return -1;
	}
	w = watch_find(set, fd, to.q, to.inner);
	to.event = *event;
	item = kernel_item(event, to.q, w ? w->id : last_id + 1);
	ret = real_epoll_ctl()(ep, op, fd, &item);
	if (!ret)
		watch_put(w, to, op);
	return ret;
}

/* A set may have been made or inherited without this library. */
static unsigned int set_known(int fd)
{
	if (!set_get(fd) && fd >= 0 && fd < EMU_FDS && !emu_fd_get(fd) && is_set(fd))
		set_new(fd);
	return set_get(fd);
}

int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
	unsigned int set;
	bool ours;
	int ret;

	if (!emu_config()->on)
		return real_epoll_ctl()(ep, op, fd, event);
	pthread_mutex_lock(&lock);
	ours = emu_fd_get(fd) || set_known(fd);
	set = ours ? set_known(ep) : 0;
	ret = set && ep != fd ? change(set, ep, op, fd, event) : real_epoll_ctl()(ep, op, fd, event);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* ------ waits ------ */

/* Updates an item after a report, as the kernel does. */
static void watch_reported(struct watch *w)
{
	struct epoll_event quiet = { .data.u64 = TOKEN << 32 | w->id };

	if (w->event.events & EPOLLET)
		w->listed = false;
	if (!(w->event.events & EPOLLONESHOT))
		return;
	w->disarmed = true;
	real_epoll_ctl()(sets[w->set].fd, EPOLL_CTL_MOD, w->fd, &quiet);
}

/* Ready queues and sets of the set, at most @max, beginning with another one each time. */
static int watches_ready(unsigned int set, struct epoll_event *events, int max)
{
	unsigned int i, from = nr_watches ? turn % nr_watches : 0, revents;
	struct watch *w;
	int n = 0;

	for (i = 0; i < nr_watches && n < max; i++) {
		w = &watches[(from + i) % nr_watches];
		revents = w->set == set ? watch_revents(w) : 0;
		if (!revents)
			continue;
		events[n++] = (struct epoll_event){ .events = revents, .data = w->event.data };
		watch_reported(w);
	}
	return n;
}

/* Of the kernel's events, those of other items stay. An edge-triggered set that has been woken is looked at. */
static int kernel_only(struct epoll_event *events, int n)
{
	unsigned int w;
	int i, kept = 0;

	for (i = 0; i < n; i++) {
		if (events[i].data.u64 >> 32 != TOKEN) {
			events[kept++] = events[i];
			continue;
		}
		for (w = 0; w < nr_watches && watches[w].id != (unsigned int)events[i].data.u64; w++)
			;
		if (w < nr_watches && !watches[w].q && watches[w].event.events & EPOLLET)
			watches[w].listed = true;
	}
	return kept;
}

static int kernel_events(int ep, struct epoll_event *events, int max, bool *dropped)
{
	int n = max > 0 ? real_epoll_pwait()(ep, events, max, 0, NULL) : 0, kept = n < 0 ? n : kernel_only(events, n);

	*dropped = kept < n;
	return kept;
}

/*
 * Neither the kernel's items nor those of this library keep the others from being reported. What was dropped may have
 * had the place of what is to be reported.
 */
static int collect(unsigned int set, int ep, struct epoll_event *events, int max)
{
	bool dropped, kernel_first;
	int n = 0, ret;

	pthread_mutex_lock(&lock);
	kernel_first = turn++ & 1;
	if (!kernel_first)
		n = watches_ready(set, events, max);
	ret = kernel_events(ep, events + n, max - n, &dropped);
	n += ret > 0 ? ret : 0;
	if (kernel_first || (dropped && !n))
		n += watches_ready(set, events + n, max - n);
	if (dropped && !n)
		n = ret = kernel_events(ep, events, max, &dropped);
	pthread_mutex_unlock(&lock);
	return n > 0 ? n : ret < 0 ? -1 : 0;
}

/* @end: emu_now() at which the wait ends; ~0: never */
static int wait_until(int ep, struct epoll_event *events, int max, unsigned long long end, const sigset_t *mask)
{
	struct pollfd p = { .fd = ep, .events = POLLIN };
	unsigned long long now, left;
	struct timespec rest;
	int n;

	for (;;) {
		n = collect(set_get(ep), ep, events, max);
		now = emu_now();
		if (n || now >= end)
			return n;
		left = end - now;
		if (emu_config()->null && left > EMU_NULL_SLICE_NS)
			left = EMU_NULL_SLICE_NS;
		rest = (struct timespec){ .tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S) };
		if (real_ppoll()(&p, 1, left > ~0ull / 2 ? NULL : &rest, mask) < 0)
			return -1;
	}
}

static bool watched(int ep)
{
	unsigned int i;
	bool hit = false;

	if (!set_get(ep) || !__atomic_load_n(&nr_watches, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_watches && !hit; i++)
		hit = watches[i].set == set_get(ep);
	pthread_mutex_unlock(&lock);
	return hit;
}

int epoll_pwait(int ep, struct epoll_event *events, int max, int timeout, const sigset_t *mask)
{
	if (max <= 0 || !watched(ep))
		return real_epoll_pwait()(ep, events, max, timeout, mask);
	emu_epoll_release(ep, timeout != 0);
	return wait_until(ep, events, max, timeout < 0 ? ~0ull : emu_now() + (unsigned long long)timeout * NS_PER_MS,
			  mask);
}

int epoll_wait(int ep, struct epoll_event *events, int max, int timeout)
{
	return epoll_pwait(ep, events, max, timeout, NULL);
}

int epoll_pwait2(int ep, struct epoll_event *events, int max, const struct timespec *timeout, const sigset_t *mask)
{
	unsigned long long end = ~0ull;
	bool bad = timeout && (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= (long)NS_PER_S);

	if (max <= 0 || bad || !watched(ep))
		return real_epoll_pwait2()(ep, events, max, timeout, mask);
	emu_epoll_release(ep, !timeout || timeout->tv_sec || timeout->tv_nsec);
	if (timeout)
		end = emu_now() + (unsigned long long)timeout->tv_sec * NS_PER_S + (unsigned long long)timeout->tv_nsec;
	return wait_until(ep, events, max, end, mask);
}

__attribute__((constructor)) static void epoll_init(void)
{
	static const struct emu_fd_epoll told = {
		.copied = epoll_copied, .closed = epoll_closed, .queue_gone = epoll_queue_gone,
		.after_fork = epoll_after_fork,
	};

	emu_fd_epoll = &told;
}
