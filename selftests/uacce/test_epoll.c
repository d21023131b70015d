// SPDX-License-Identifier: Apache-2.0
/*
 * The same steps with epoll on eventfds and on queues, whose results must be equal. Each is written into a trace. Only
 * one thing differs, and no step depends on it: what a poll of a queue has reported isn't reported for long.
 */
#include <pthread.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include "kselftest_harness.h"
#include "zip_queue.h"

#define THINGS		3
#define SETS		4
#define WAIT_MS		30000
#define SETTLE_US	20000

static const char text[] = "text to make a completion of";

/* Things that become ready, and sets. */
struct world {
	bool queues;
	int fd[THINGS];
	struct rawq q[THINGS];
	int ep[SETS];
	int other;		/* an eventfd in both worlds */
	char trace[4096];
	size_t used;
};

static void note(struct world *w, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(w->trace + w->used, sizeof(w->trace) - w->used, format, ap);
	va_end(ap);
	if (n < 0 || w->used + (size_t)n >= sizeof(w->trace))
		abort();
	w->used += (size_t)n;
}

static int thing_open(struct world *w, unsigned int i, const char *name)
{
	int ret;

	if (!w->queues)
		return w->fd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rawq_open(&w->q[i], name) || rawq_map(&w->q[i]))
		return -1;
	ret = uacce_set_qp_ctx(w->q[i].fd, ZIP_QC_COMPRESS);
	if (ret < 0 || uacce_start_q(w->q[i].fd))
		return -1;
	w->q[i].id = (uint16_t)ret;
	rawq_ack(&w->q[i], 1);
	return w->fd[i] = w->q[i].fd;
}

static bool world_open(struct world *w, bool queues, const char *name)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->queues = queues;
	for (i = 0; i < THINGS; i++)
		if (thing_open(w, i, name) < 0)
			return false;
	for (i = 0; i < SETS; i++)
		w->ep[i] = epoll_create1(EPOLL_CLOEXEC);
	w->other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return w->other >= 0 && w->ep[SETS - 1] >= 0;
}

static void world_close(struct world *w)
{
	unsigned int i;

	for (i = 0; i < THINGS; i++) {
		if (w->queues)
			rawq_close(&w->q[i]);
		else
			close(w->fd[i]);
	}
	for (i = 0; i < SETS; i++)
		if (w->ep[i] >= 0)
			close(w->ep[i]);
	close(w->other);
}

static void raise_other(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != sizeof(one))
		abort();
}

static void take_other(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof(n)) > 0)
		;
}

/* Makes a thing ready. */
static void signal_thing(struct world *w, unsigned int i)
{
	struct rawq *q = &w->q[i];
	struct rawq_done done;
	uint8_t out[256];

	if (!w->queues) {
		raise_other(w->fd[i]);
		return;
	}
	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, text, sizeof(text), out, sizeof(out), 0);
	rawq_push(q, 1);
	if (rawq_wait(q, &done, REQUEST_MS))
		abort();
	usleep(SETTLE_US);
}

/* Takes what has made it ready. */
static void take(struct world *w, unsigned int i)
{
	if (!w->queues) {
		take_other(w->fd[i]);
		return;
	}
	while (uacce_poll(w->q[i].fd, POLLIN, 0))
		;
	rawq_ack(&w->q[i], 1);
}

static int compare(const void *a, const void *b)
{
	const struct epoll_event *x = a, *y = b;

	return x->data.u64 < y->data.u64 ? -1 : x->data.u64 > y->data.u64;
}

static void note_events(struct world *w, struct epoll_event *seen, int n)
{
	int i;

	note(w, n < 0 ? "error %d" : "", errno);
	if (n > 0)
		qsort(seen, (size_t)n, sizeof(*seen), compare);
	for (i = 0; i < n; i++)
		note(w, " %llu:%x", (unsigned long long)seen[i].data.u64, seen[i].events);
	note(w, ";");
}

static void wait_max(struct world *w, int ep, int max, int ms)
{
	struct epoll_event seen[8];

	note(w, " wait");
	note_events(w, seen, epoll_wait(ep, seen, max, ms));
}

/* Of a set that is ready, and of one that isn't. */
static void ready(struct world *w, int ep)
{
	wait_max(w, ep, 8, WAIT_MS);
}

static void idle(struct world *w, int ep)
{
	wait_max(w, ep, 8, 0);
	wait_max(w, ep, 8, 30);
}

static void ctl(struct world *w, int ep, int op, int fd, unsigned int events, unsigned long long data)
{
	struct epoll_event event = { .events = events, .data.u64 = data };

	note(w, " ctl %d", epoll_ctl(ep, op, fd, &event) ? errno : 0);
}

static void add(struct world *w, int ep, int fd, unsigned int events, unsigned long long data)
{
	ctl(w, ep, EPOLL_CTL_ADD, fd, events, data);
}

/* ------ the steps ------ */

static void level(struct world *w)
{
	add(w, w->ep[0], w->fd[0], EPOLLIN, 1);
	add(w, w->ep[0], w->fd[1], EPOLLIN | EPOLLPRI, 2);
	idle(w, w->ep[0]);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	idle(w, w->ep[0]);
	signal_thing(w, 1);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	take(w, 1);
	idle(w, w->ep[0]);
}

static void equal_data(struct world *w)
{
	add(w, w->ep[0], w->fd[0], EPOLLIN, 7);
	add(w, w->ep[0], w->fd[1], EPOLLIN, 7);
	add(w, w->ep[0], w->other, EPOLLIN, 7);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	idle(w, w->ep[0]);
	raise_other(w->other);
	ready(w, w->ep[0]);
	signal_thing(w, 0);
	signal_thing(w, 1);
	ready(w, w->ep[0]);
	take(w, 0);
	take(w, 1);
	ready(w, w->ep[0]);
	take_other(w->other);
	idle(w, w->ep[0]);
}

/* Each set is in the one before it; the innermost has the things. */
static void nest(struct world *w, unsigned int depth, unsigned int events)
{
	unsigned int i;

	for (i = 0; i + 1 < depth; i++)
		add(w, w->ep[i], w->ep[i + 1], events, 100 + i);
	add(w, w->ep[depth - 1], w->fd[0], EPOLLIN, 1);
	add(w, w->ep[depth - 1], w->other, EPOLLIN, 2);
}

static void nested_to(struct world *w, unsigned int depth)
{
	unsigned int i;

	nest(w, depth, EPOLLIN);
	idle(w, w->ep[0]);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	for (i = 0; i < depth; i++)
		idle(w, w->ep[i]);
	raise_other(w->other);
	for (i = 0; i < depth; i++)
		ready(w, w->ep[i]);
	take_other(w->other);
	idle(w, w->ep[0]);
	signal_thing(w, 0);
	ready(w, w->ep[depth - 1]);
	take(w, 0);
	idle(w, w->ep[0]);
}

static void set_of_a_queue(struct world *w)
{
	nested_to(w, 2);
}

static void set_of_a_set_of_a_queue(struct world *w)
{
	nested_to(w, 3);
}

static void four_sets(struct world *w)
{
	nested_to(w, 4);
}

static void edge(struct world *w)
{
	unsigned int i;

	add(w, w->ep[0], w->fd[0], EPOLLIN | EPOLLET, 1);
	for (i = 0; i < 3; i++) {
		signal_thing(w, 0);
		ready(w, w->ep[0]);
		idle(w, w->ep[0]);
	}
	take(w, 0);
	idle(w, w->ep[0]);
}

static void edge_of_a_set(struct world *w)
{
	unsigned int i;

	nest(w, 3, EPOLLIN | EPOLLET);
	idle(w, w->ep[0]);
	for (i = 0; i < 3; i++) {
		raise_other(w->other);
		ready(w, w->ep[0]);
		idle(w, w->ep[0]);
		take_other(w->other);
		signal_thing(w, 0);
		ready(w, w->ep[0]);
		take(w, 0);
		idle(w, w->ep[0]);
	}
}

static void oneshot(struct world *w)
{
	add(w, w->ep[0], w->fd[0], EPOLLIN | EPOLLONESHOT, 1);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	signal_thing(w, 0);
	idle(w, w->ep[0]);
	ctl(w, w->ep[0], EPOLL_CTL_MOD, w->fd[0], EPOLLIN | EPOLLONESHOT, 2);
	ready(w, w->ep[0]);
	idle(w, w->ep[0]);
	take(w, 0);
	ctl(w, w->ep[0], EPOLL_CTL_MOD, w->fd[0], EPOLLIN, 3);
	idle(w, w->ep[0]);
}

static void oneshot_of_a_set(struct world *w)
{
	nest(w, 2, EPOLLIN | EPOLLONESHOT);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	signal_thing(w, 0);
	idle(w, w->ep[0]);
	ctl(w, w->ep[0], EPOLL_CTL_MOD, w->ep[1], EPOLLIN, 9);
	ready(w, w->ep[0]);
	take(w, 0);
	idle(w, w->ep[0]);
}

static void exclusive(struct world *w)
{
	add(w, w->ep[0], w->fd[0], EPOLLIN | EPOLLEXCLUSIVE, 1);
	add(w, w->ep[0], w->fd[1], EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT, 2);
	add(w, w->ep[0], w->ep[1], EPOLLIN | EPOLLEXCLUSIVE, 3);
	ctl(w, w->ep[0], EPOLL_CTL_MOD, w->fd[0], EPOLLIN, 4);
	add(w, w->ep[1], w->fd[0], EPOLLIN | EPOLLEXCLUSIVE, 5);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	idle(w, w->ep[0]);
	signal_thing(w, 0);
	ready(w, w->ep[1]);
	take(w, 0);
	idle(w, w->ep[1]);
}

static void removal(struct world *w)
{
	add(w, w->ep[0], w->fd[0], EPOLLIN, 1);
	add(w, w->ep[0], w->fd[0], EPOLLIN, 1);
	ctl(w, w->ep[0], EPOLL_CTL_MOD, w->fd[1], EPOLLIN, 1);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, w->fd[1], 0, 0);
	signal_thing(w, 0);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, w->fd[0], 0, 0);
	idle(w, w->ep[0]);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, w->fd[0], 0, 0);
	add(w, w->ep[0], w->ep[0], EPOLLIN, 1);
	add(w, w->ep[0], w->ep[1], EPOLLIN, 2);
	add(w, w->ep[1], w->ep[0], EPOLLIN, 3);
	add(w, w->ep[1], w->fd[0], EPOLLIN, 4);
	ready(w, w->ep[0]);
	take(w, 0);
	signal_thing(w, 0);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, w->ep[1], 0, 0);
	idle(w, w->ep[0]);
	take(w, 0);
}

static void closed_set(struct world *w)
{
	nest(w, 3, EPOLLIN);
	signal_thing(w, 0);
	close(w->ep[1]);
	idle(w, w->ep[0]);
	w->ep[1] = epoll_create1(EPOLL_CLOEXEC);
	idle(w, w->ep[0]);
	ready(w, w->ep[2]);
	take(w, 0);
	close(w->ep[2]);
	w->ep[2] = -1;
}

/* An item stays as long as its file is open, with the number that it was added by. */
static void closed_thing(struct world *w)
{
	int copy = fcntl(w->fd[0], F_DUPFD_CLOEXEC, 100);

	add(w, w->ep[0], copy, EPOLLIN, 1);
	add(w, w->ep[0], w->fd[0], EPOLLIN, 2);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, w->fd[0], 0, 0);
	close(copy);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, copy, 0, 0);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	note(w, "%d", dup2(w->fd[1], copy) == copy);
	add(w, w->ep[0], copy, EPOLLIN, 3);
	signal_thing(w, 0);
	ready(w, w->ep[0]);
	take(w, 0);
	signal_thing(w, 1);
	ready(w, w->ep[0]);
	take(w, 1);
	note(w, "%d", dup2(-1, copy));
	signal_thing(w, 1);
	ready(w, w->ep[0]);
	ctl(w, w->ep[0], EPOLL_CTL_DEL, copy, 0, 0);
	close(copy);
	take(w, 1);
	idle(w, w->ep[0]);
}

static void copied_set(struct world *w)
{
	int copy = dup(w->ep[0]);

	add(w, w->ep[0], w->fd[0], EPOLLIN, 1);
	add(w, copy, w->fd[0], EPOLLIN, 1);
	add(w, copy, w->fd[1], EPOLLIN, 2);
	signal_thing(w, 0);
	ready(w, copy);
	take(w, 0);
	signal_thing(w, 1);
	ready(w, w->ep[0]);
	take(w, 1);
	add(w, w->ep[1], copy, EPOLLIN, 3);
	close(w->ep[0]);
	signal_thing(w, 0);
	ready(w, copy);
	take(w, 0);
	signal_thing(w, 1);
	ready(w, w->ep[1]);
	take(w, 1);
	idle(w, w->ep[1]);
	w->ep[0] = copy;
}

/* Which ones come up when there is room for one only. */
static void one_at_a_time(struct world *w)
{
	unsigned int i, found = 0;
	struct epoll_event seen;

	for (i = 0; i < THINGS; i++)
		add(w, w->ep[0], w->fd[i], EPOLLIN, i);
	add(w, w->ep[0], w->other, EPOLLIN, THINGS);
	raise_other(w->other);
	for (i = 0; i < THINGS; i++)
		signal_thing(w, i);
	for (i = 0; i < 2 * THINGS + 4; i++)
		if (epoll_wait(w->ep[0], &seen, 1, 0) == 1)
			found |= 1u << seen.data.u64;
	note(w, "found %x", found);
	for (i = 0; i < THINGS; i++)
		take(w, i);
	wait_max(w, w->ep[0], 1, 0);
}

static void polled_set(struct world *w)
{
	nest(w, 3, EPOLLIN);
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN, 0));
	signal_thing(w, 0);
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN | POLLOUT, WAIT_MS));
	take(w, 0);
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN, 0));
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN, 30));
	raise_other(w->other);
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN, WAIT_MS));
	note(w, " poll %x", uacce_poll(w->ep[2], POLLIN, WAIT_MS));
	take_other(w->other);
	note(w, " poll %x", uacce_poll(w->ep[0], POLLIN, 0));
}

struct later {
	struct world *w;
	bool other;
};

static void *later(void *arg)
{
	struct later *l = arg;

	usleep(SETTLE_US);
	if (l->other)
		raise_other(l->w->other);
	else
		signal_thing(l->w, 0);
	return NULL;
}

static void sleeper(struct world *w)
{
	unsigned int i;

	nest(w, 3, EPOLLIN);
	for (i = 0; i < 4; i++) {
		struct later l = { w, i & 1 };
		pthread_t thread;

		if (pthread_create(&thread, NULL, later, &l))
			abort();
		wait_max(w, w->ep[0], 8, WAIT_MS);
		pthread_join(thread, NULL);
		take(w, 0);
		take_other(w->other);
	}
	idle(w, w->ep[0]);
}

/* Another thread changes the set while it is waited for. */
static void *joins(void *arg)
{
	struct world *w = arg;
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 5 };

	usleep(SETTLE_US);
	signal_thing(w, 0);
	if (epoll_ctl(w->ep[1], EPOLL_CTL_ADD, w->fd[0], &event))
		abort();
	return NULL;
}

static void joined(struct world *w)
{
	pthread_t thread;

	add(w, w->ep[0], w->other, EPOLLIN, 1);
	add(w, w->ep[0], w->ep[1], EPOLLIN, 2);
	if (pthread_create(&thread, NULL, joins, w))
		abort();
	wait_max(w, w->ep[0], 8, WAIT_MS);
	pthread_join(thread, NULL);
	take(w, 0);
	idle(w, w->ep[0]);
}

static void times(struct world *w)
{
	struct timespec t = { .tv_nsec = 2000000 }, bad = { .tv_nsec = 1000000000 };
	struct epoll_event seen[8];

	nest(w, 3, EPOLLIN);
	note_events(w, seen, epoll_pwait2(w->ep[0], seen, 8, &t, NULL));
	note_events(w, seen, epoll_pwait2(w->ep[0], seen, 8, &bad, NULL));
	note_events(w, seen, epoll_wait(w->ep[0], seen, 0, 0));
	note_events(w, seen, epoll_wait(w->other, seen, 8, 0));
	signal_thing(w, 0);
	note_events(w, seen, epoll_pwait2(w->ep[0], seen, 8, NULL, NULL));
	take(w, 0);
}

#define STEPS(name) { #name, name }
static const struct {
	const char *name;
	void (*steps)(struct world *w);
} rows[] = {
	STEPS(level), STEPS(equal_data), STEPS(set_of_a_queue), STEPS(set_of_a_set_of_a_queue), STEPS(four_sets),
	STEPS(edge), STEPS(edge_of_a_set), STEPS(oneshot), STEPS(oneshot_of_a_set), STEPS(exclusive), STEPS(removal),
	STEPS(closed_set), STEPS(closed_thing), STEPS(copied_set), STEPS(one_at_a_time), STEPS(polled_set),
	STEPS(sleeper), STEPS(joined), STEPS(times),
};

FIXTURE(worlds) {
	char name[UACCE_NAME_MAX];
	struct world w[2];
};

FIXTURE_SETUP(worlds)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
}

FIXTURE_TEARDOWN(worlds)
{
}

TEST_F_TIMEOUT(worlds, queues_behave_as_eventfds, 600)
{
	unsigned int i, k;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (k = 0; k < 2; k++) {
			ASSERT_TRUE(world_open(&self->w[k], k, self->name));
			rows[i].steps(&self->w[k]);
			world_close(&self->w[k]);
		}
		EXPECT_STREQ(self->w[0].trace, self->w[1].trace) TH_LOG("%s", rows[i].name);
	}
}

TEST_HARNESS_MAIN
