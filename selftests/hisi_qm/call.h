/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait, each in its own thread, and checks of a queue whose device was taken away. */
#ifndef WD_TEST_CALL_H
#define WD_TEST_CALL_H

#include <pthread.h>
#include <stdatomic.h>
#include "faulty.h"

#define LONG_MS		120000	/* for waits with deadlines of half a minute */

static inline int reset(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), SIM_PCI "/%s/reset", address);
	return text_write(path, "1");
}

/* A number from the device's message, or -errno. */
static inline long long dev_nl_num(struct nlc *ask, const char *dev, uint16_t type)
{
	int ret = nlc_dev_get(ask, dev);

	return ret ? ret : nlm_num(&ask->reply.h, type);
}

/* A queue whose device was taken away. */
#define EXPECT_GONE(q) do {									\
	EXPECT_EQ(POLLIN | POLLERR | POLLHUP | POLLRDNORM,					\
		  uacce_poll_gone((q)->fd, CLIENT_WAIT_MS) | POLLRDNORM);			\
	EXPECT_EQ(-ENXIO, uacce_start_q((q)->fd));						\
	EXPECT_EQ(1, rawq_tx_stop(q));								\
	EXPECT_TRUE(rawq_let_go(q, CLIENT_WAIT_MS));						\
} while (0)

/* A new client, asleep until its request is done. */
#define EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self) do {						\
	struct rawq new_;									\
	struct rawq_done done_;									\
												\
	ASSERT_EQ(0, rawq_begin(&new_, (self)->dev, ZIP_QC_COMPRESS));				\
	EXPECT_EQ(0, uacce_poll(new_.fd, POLLIN, 0));						\
	rawq_ack(&new_, 1);									\
	client_queue(&new_, (self)->src, BYTES, (self)->dst, sizeof((self)->dst));		\
	client_ring(&new_);									\
	EXPECT_EQ(POLLIN, uacce_poll(new_.fd, POLLIN, CLIENT_WAIT_MS));				\
	ASSERT_EQ(0, rawq_wait(&new_, &done_, CLIENT_WAIT_MS));					\
	EXPECT_EQ(ZIP_ST_OK, rawq_zip_status(rawq_zip_done(&new_, &done_)));			\
	rawq_close(&new_);									\
} while (0)

/* ------ one call ------ */

struct call {
	pthread_t thread;
	atomic_int tid;
	atomic_bool done;
	int (*fn)(struct call *call);
	int fd, ret;
	const char *address;
	char text[16];
	long before, after;	/* counts of late commands */
};

static inline void *call_run(void *arg)
{
	struct call *call = arg;

	atomic_store(&call->tid, gettid());
	call->ret = call->fn(call);
	atomic_store(&call->done, true);
	return NULL;
}

static inline int call_begin(struct call *call, int (*fn)(struct call *))
{
	call->fn = fn;
	atomic_init(&call->tid, 0);
	atomic_init(&call->done, false);
	return -pthread_create(&call->thread, NULL, call_run, call);
}

static inline int call_end(struct call *call)
{
	return pthread_join(call->thread, NULL) ? -EINVAL : call->ret;
}

static inline int call_put_q(struct call *call)
{
	return uacce_put_q(call->fd);
}

static inline int call_poll(struct call *call)
{
	return uacce_poll_gone(call->fd, LONG_MS);
}

static inline int call_reset(struct call *call)
{
	return reset(call->address);
}

/* Waits until the call sleeps in the kernel, in one wait or another; false when the call is over. */
static inline bool call_sleeps(struct call *call)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	while (!sleeps(atomic_load(&call->tid)) && !atomic_load(&call->done) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return !atomic_load(&call->done);
}

/* The driver abandons a command after five seconds, a stop after ten: a call made meanwhile finds the mailbox taken. */
static inline bool given_up(int ret)
{
	return ret == -ETIMEDOUT || ret == -EBUSY;
}

#endif
