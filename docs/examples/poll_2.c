// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-2: thread A submits and sleeps while there is no room; thread C polls and wakes it.
 *
 * Edits of the pattern as it is usually written:
 *  - Buffers and callback are in a struct, one for each request; the last argument is a set of contexts (NULL: the
 *    session's).
 *  - wd_comp_wait() has a time limit. After it the same request is submitted again (i--), or it would be lost; other
 *    errors end A.
 *  - POLL_MAX was 20 tries of 10 us, which on a busy machine pass before A has run at all.
 *  - An error of wd_comp_poll() is returned, not taken for success. -ETIME means that requests are still in flight.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "poll_blocks.h"

#define POLL_MAX	1000000

/* send_async_usr() runs on Thread A. */
static int send_async_usr(handle_t h_sess, struct block *input, int nums)
{
	int i, ret;

	for (i = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, NULL);
		if (ret == -EBUSY) {
			wd_comp_wait(h_sess, POLL_MS);
			i--;
		} else if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

/*
 * poll_usr() runs on Thread C.
 * Parameter nums is coming from Thread A.
 * Returns nums if SUCCEED, a negative value if FAIL.
 */
static int poll_usr(handle_t h_sess, int nums, unsigned int timeout)
{
	int retry = 0, ret = 0;
	int left = nums;

	while (left && retry < POLL_MAX) {
		ret = wd_comp_poll(left, timeout, NULL);
		if (ret > 0) {
			left = left - ret;
			retry = 0;
			wd_comp_wakeup(h_sess);
		} else if (ret == 0) {
			/* Can't poll any packet. */
			usleep(10);
			ret = -EFAULT;
			retry++;
		} else if (ret == -ETIME) {
			/* Timeout */
			usleep(10);
			retry++;
		} else {
			return ret;
		}
	}
	if (retry == POLL_MAX && ret < 0 && ret != -ETIME) {
		printf("Failed to poll any packet from sess.\n");
		return ret;
	}
	return nums;
}

struct thread_a {
	handle_t h_sess;
	struct block *input;
};

static void *thread_a(void *param)
{
	struct thread_a *a = param;
	int ret = send_async_usr(a->h_sess, a->input, BLOCKS);

	if (ret)
		fprintf(stderr, "poll_2: %s\n", wd_status_str(ret));
	return NULL;
}

int main(void)
{
	struct thread_a a = { .input = blocks_new() };
	pthread_t thread;
	int ret;

	a.h_sess = a.input ? session_new() : 0;
	if (!a.h_sess) {
		fprintf(stderr, "poll_2: %s\n", wd_status_str(-errno));
		return 1;
	}
	ret = -pthread_create(&thread, NULL, thread_a, &a);
	if (!ret) {
		ret = poll_usr(a.h_sess, BLOCKS, POLL_MS);
		pthread_join(thread, NULL);
	}
	if (ret == BLOCKS)
		ret = blocks_report(a.input);
	else
		fprintf(stderr, "poll_2: %s\n", wd_status_str(ret));
	if (!wd_comp_free_sess(a.h_sess))
		free(a.input);
	return ret != 0;
}
