// SPDX-License-Identifier: Apache-2.0
/* poll and epoll on a queue: what makes the queue ready, once, and what wakes a sleeper. */
#include <pthread.h>
#include <sys/epoll.h>
#include "kselftest_harness.h"
#include "zip_queue.h"

#define READY	(POLLIN | POLLRDNORM)

static const char text[] = "text to make a completion of";

static void submit(struct rawq *q, const void *src, uint32_t len, void *dst, uint32_t room)
{
	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src, len, dst, room, 0);
	rawq_push(q, 1);
}

#define begin(self) do {						\
	ASSERT_EQ(0, rawq_map(&(self)->q));				\
	(self)->q.id = test_set_qp_ctx((self)->q.fd, ZIP_QC_COMPRESS);	\
	test_start_q((self)->q.fd);					\
} while (0)

TEST_F(zip, idle_queue_is_not_ready)
{
	EXPECT_EQ(0, uacce_poll(self->q.fd, READY, 0));
	begin(self);
	EXPECT_EQ(0, uacce_poll(self->q.fd, READY, 0));
}

TEST_F(zip, completion_makes_it_ready)
{
	uint8_t out[256];

	begin(self);
	submit(&self->q, text, sizeof(text), out, sizeof(out));
	EXPECT_EQ(READY, uacce_poll(self->q.fd, READY, REQUEST_MS));
}

/*
 * The completion can be seen a moment before its event, and each of the two is seen once more by a poll with a time-out
 * of 0: so four polls may be ready, a fifth may not.
 */
TEST_F(zip, completion_is_not_reported_for_ever)
{
	struct rawq_done done;
	uint8_t out[256];
	int ready = 0;

	begin(self);
	submit(&self->q, text, sizeof(text), out, sizeof(out));
	while (uacce_poll(self->q.fd, READY, ready ? 300 : REQUEST_MS) == READY) {
		ASSERT_LE(++ready, 4);
	}
	EXPECT_GE(ready, 1);
	EXPECT_EQ(0, rawq_pull(&self->q, &done));
}

TEST_F(zip, who_asks_for_nothing_consumes_nothing)
{
	struct rawq_done done;
	uint8_t out[256];

	begin(self);
	submit(&self->q, text, sizeof(text), out, sizeof(out));
	ASSERT_EQ(0, rawq_wait(&self->q, &done, REQUEST_MS));
	EXPECT_EQ(0, uacce_poll(self->q.fd, POLLOUT, 0));
	EXPECT_EQ(0, uacce_poll(self->q.fd, 0, 0));
	EXPECT_EQ(READY, uacce_poll(self->q.fd, READY, 0));
}

TEST_F(zip, sleeper_is_woken_by_an_armed_completion)
{
	const size_t len = 2 << 20;
	uint8_t *src = malloc(len), *dst = malloc(2 * len);
	struct rawq_done done;

	for (size_t i = 0; i < len; i++)
		src[i] = i * 2654435761u >> 13;
	begin(self);
	for (int i = 0; i < 3; i++) {
		rawq_ack(&self->q, 1);
		submit(&self->q, src, len, dst, 2 * len);
		while (!rawq_ready(&self->q)) {
			ASSERT_EQ(READY, uacce_poll(self->q.fd, READY, REQUEST_MS));
		}
		ASSERT_EQ(0, rawq_pull(&self->q, &done));
	}
	free(src);
	free(dst);
}

/*
 * A client that spins through more than a ring and then sleeps: the kernel's own view of the ring is behind, and the
 * event must make up for that.
 */
TEST_F_TIMEOUT(zip, sleeper_is_woken_after_much_spinning, 120)
{
	struct rawq_done done;
	uint8_t out[256];

	begin(self);
	for (int i = 0; i < 1536; i++) {
		submit(&self->q, text, sizeof(text), out, sizeof(out));
		ASSERT_EQ(0, rawq_wait(&self->q, &done, REQUEST_MS));
		if (i % 64 == 63)
			rawq_ack(&self->q, 0);
	}
	uacce_poll(self->q.fd, READY, 0);
	for (int i = 0; i < 20; i++) {
		rawq_ack(&self->q, 1);
		submit(&self->q, text, sizeof(text), out, sizeof(out));
		while (!rawq_ready(&self->q)) {
			ASSERT_EQ(READY, uacce_poll(self->q.fd, READY, REQUEST_MS));
		}
		ASSERT_EQ(0, rawq_pull(&self->q, &done));
	}
}

TEST_F(zip, epoll_reports_level_and_edge)
{
	struct epoll_event event = { .events = EPOLLIN }, seen;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct rawq_done done;
	uint8_t out[256];

	ASSERT_GE(ep, 0);
	begin(self);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->q.fd, &event));
	ASSERT_EQ(0, epoll_wait(ep, &seen, 1, 0));
	submit(&self->q, text, sizeof(text), out, sizeof(out));
	ASSERT_EQ(1, epoll_wait(ep, &seen, 1, REQUEST_MS));
	EXPECT_EQ(EPOLLIN, seen.events);
	ASSERT_EQ(0, rawq_wait(&self->q, &done, REQUEST_MS));

	event.events = EPOLLIN | EPOLLET;
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_MOD, self->q.fd, &event));
	while (epoll_wait(ep, &seen, 1, 0) == 1)
		;
	rawq_ack(&self->q, 1);
	submit(&self->q, text, sizeof(text), out, sizeof(out));
	ASSERT_EQ(1, epoll_wait(ep, &seen, 1, REQUEST_MS));
	close(ep);
}

/* Submits and waits until the completion is in the ring and its event, if there is one, has come. */
#define complete_unseen(self, out) do {						\
	struct rawq_done __done;						\
										\
	submit(&(self)->q, text, sizeof(text), out, sizeof(out));		\
	ASSERT_EQ(0, rawq_wait(&(self)->q, &__done, REQUEST_MS));		\
	usleep(50000);								\
} while (0)

TEST_F(zip, epoll_finds_what_came_before_the_item)
{
	struct epoll_event event = { .events = EPOLLIN }, seen;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint8_t out[256];

	ASSERT_GE(ep, 0);
	begin(self);
	complete_unseen(self, out);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->q.fd, &event));
	EXPECT_EQ(1, epoll_wait(ep, &seen, 1, REQUEST_MS));
	close(ep);
}

TEST_F(zip, epoll_finds_what_came_before_the_item_was_armed_again)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT }, seen;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint8_t out[256];

	ASSERT_GE(ep, 0);
	begin(self);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->q.fd, &event));
	for (int i = 0; i < 3; i++) {
		complete_unseen(self, out);
		if (i) {
			ASSERT_EQ(0, epoll_wait(ep, &seen, 1, 0));
			ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_MOD, self->q.fd, &event));
		}
		EXPECT_EQ(1, epoll_wait(ep, &seen, 1, REQUEST_MS));
	}
	close(ep);
}

/* The completion is seen twice at most and then no more: a loop of epoll_wait() sleeps. */
TEST_F(zip, epoll_comes_to_rest)
{
	struct epoll_event event = { .events = EPOLLIN }, seen;
	int ep = epoll_create1(EPOLL_CLOEXEC), ready = 0;
	uint8_t out[256];

	ASSERT_GE(ep, 0);
	begin(self);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->q.fd, &event));
	complete_unseen(self, out);
	/* The event wakes the sleeper, and may come long after the completion is in the ring. */
	while (epoll_wait(ep, &seen, 1, ready ? 300 : REQUEST_MS) == 1) {
		ASSERT_LE(++ready, 4);
	}
	EXPECT_GE(ready, 1);
	close(ep);
}

TEST_F(zip, stopped_queue_stays_quiet)
{
	begin(self);
	test_put_q(self->q.fd);
	EXPECT_EQ(0, uacce_poll(self->q.fd, READY, 0) & (POLLERR | POLLHUP));
}

TEST_HARNESS_MAIN
