// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-2: thread A submits and sleeps while there is no room; thread C polls and wakes it.
 *
 * After wd_comp_wait() A tries the same request again: stepping on to the next
 * one would lose it. wd_comp_poll() sleeps by itself while something is in
 * flight, so C needs no usleep() between its calls, only a way to wait for the
 * first request.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poll_blocks.h"

struct sender {
	handle_t sess;
	struct block *blocks;
	atomic_int ret;		/* of the thread, once it is not 0 */
};

static void *send_all(void *param)
{
	struct sender *s = param;
	unsigned int i = 0;
	int ret;

	while (i < BLOCKS) {
		ret = wd_comp_async(s->sess, &s->blocks[i].arg, NULL);
		if (!ret)
			i++;
		else if (ret == -EBUSY)
			ret = wd_comp_wait(s->sess, POLL_MS);
		if (ret) {
			atomic_store(&s->ret, ret);
			break;
		}
	}
	return NULL;
}

/* Until n requests are over, or the sender gave up and nothing of it is in flight. */
static int poll_usr(struct sender *s, int n)
{
	int ret;

	while (n) {
		/* Before the look, or its last request could begin in between. */
		int gone = atomic_load(&s->ret);

		ret = wd_comp_poll(n, POLL_MS, NULL);
		if (ret < 0)
			return ret;
		n -= ret;
		if (ret)
			wd_comp_wakeup(s->sess);
		else if (gone)
			return gone;
		else
			sched_yield();
	}
	return 0;
}

int main(void)
{
	struct sender s = { .blocks = blocks_new() };
	pthread_t a;
	int ret;

	s.sess = s.blocks ? session_new() : 0;
	if (!s.sess) {
		perror("poll_2");
		return 1;
	}
	ret = -pthread_create(&a, NULL, send_all, &s);
	if (!ret) {
		ret = poll_usr(&s, BLOCKS);
		pthread_join(a, NULL);
	}
	if (!ret)
		ret = blocks_report(s.blocks);
	else
		fprintf(stderr, "poll_2: %s\n", strerror(-ret));
	if (!wd_comp_free_sess(s.sess))
		free(s.blocks);
	return ret != 0;
}
