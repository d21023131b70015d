/* SPDX-License-Identifier: Apache-2.0 */
/* How the program learns that a job can go on: a descriptor or its own callback, one for each wait context. */
#ifndef WDP_WAIT_H
#define WDP_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <openssl/async.h>

struct wdp_wait;

/* A job in a wait context. */
struct wdp_waiter {
	_Atomic bool done;
	struct wdp_waiter *next;	/* of the same wait context */
	void (*drop)(struct wdp_waiter *waiter);	/* the wait context was freed: the job never goes on */
};

/* wdp_wait_begin() - add a job to a wait context; returns a reference, or NULL. */
struct wdp_wait *wdp_wait_begin(ASYNC_WAIT_CTX *ctx, struct wdp_waiter *waiter);

/* wdp_wait_end() - take the job out again, and the event that ended it. */
void wdp_wait_end(struct wdp_wait *wait, struct wdp_waiter *waiter);

/*
 * wdp_wait_forget() - remove the descriptor of a wait context if no pause has shown it to the program. HAProxy aborts
 * when it closes a connection with a descriptor that it doesn't know.
 */
void wdp_wait_forget(ASYNC_WAIT_CTX *ctx);

/* wdp_wait_wake() - the job is done: mark it, and wake what waits for it, unless its wait context was freed. */
void wdp_wait_wake(struct wdp_wait *wait, struct wdp_waiter *waiter);

/* wdp_wait_sleep() - until the job is done, a millisecond at most. */
void wdp_wait_sleep(struct wdp_wait *wait, struct wdp_waiter *waiter);

/* wdp_wait_put() - give a reference back. */
void wdp_wait_put(struct wdp_wait *wait);

#endif
