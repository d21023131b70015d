// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-3: threads A and B submit to contexts of their own; thread C polls the union of their sets.
 *
 * Edits of the pattern as it is usually written, beside those of POLL-2:
 *  - Sets are passed by pointer; a call only reads them.
 *  - For a set wd_comp_wakeup() is wd_comp_wakeup_set().
 *  - wd_sess_own_ctxs() asks for a number of contexts and gives their set, for each of the two sessions.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "poll_blocks.h"

#define POLL_MAX	1000000

/* send_async_usr() runs on Thread A, and on Thread B. */
static int send_async_usr(handle_t h_sess, struct block *input, int nums, const wd_ctx_set_t *set)
{
	int i, ret;

	for (i = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, set);
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
 * Parameter nums is coming from Thread A and Thread B.
 * Returns nums if SUCCEED, a negative value if FAIL.
 */
static int poll_usr(int nums, unsigned int timeout, const wd_ctx_set_t *set_c)
{
	int retry = 0, ret = 0;
	int left = nums;

	while (left && retry < POLL_MAX) {
		ret = wd_comp_poll(left, timeout, set_c);
		if (ret > 0) {
			left = left - ret;
			retry = 0;
			wd_comp_wakeup_set(set_c);
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

struct sender {
	pthread_t thread;
	handle_t h_sess;
	wd_ctx_set_t *set;
	struct block *input;
};

static void *sender_main(void *param)
{
	struct sender *s = param;
	int ret = send_async_usr(s->h_sess, s->input, BLOCKS, s->set);

	if (ret)
		fprintf(stderr, "poll_3: %s\n", wd_status_str(ret));
	return NULL;
}

static int sender_init(struct sender *s, wd_ctx_set_t *set_c)
{
	int ret;

	s->input = blocks_new();
	s->set = wd_ctx_set_alloc();
	s->h_sess = s->input && s->set ? session_new() : 0;
	if (!s->h_sess)
		return -errno;
	ret = wd_sess_own_ctxs(s->h_sess, 1, s->set);
	/* No device: both sessions have the software path's context. */
	if (ret == -EOPNOTSUPP || ret == -ENODEV)
		ret = wd_ctx_set_from_sess(s->h_sess, s->set);
	return ret ? ret : wd_ctx_set_or(set_c, s->set);
}

static void sender_exit(struct sender *s)
{
	if (!s->h_sess || !wd_comp_free_sess(s->h_sess))
		free(s->input);
	wd_ctx_set_free(s->set);
}

static int run(struct sender *a, struct sender *b, const wd_ctx_set_t *set_c)
{
	int ret = -pthread_create(&a->thread, NULL, sender_main, a), more;

	if (ret)
		return ret;
	more = -pthread_create(&b->thread, NULL, sender_main, b);
	ret = poll_usr(more ? BLOCKS : 2 * BLOCKS, POLL_MS, set_c);
	pthread_join(a->thread, NULL);
	if (!more)
		pthread_join(b->thread, NULL);
	return ret < 0 ? ret : more;
}

int main(void)
{
	struct sender a = { .h_sess = 0 }, b = { .h_sess = 0 };
	wd_ctx_set_t *set_c = wd_ctx_set_alloc();
	int ret = set_c ? 0 : -ENOMEM;

	if (!ret)
		ret = sender_init(&a, set_c);
	if (!ret)
		ret = sender_init(&b, set_c);
	if (!ret)
		ret = run(&a, &b, set_c);
	if (ret)
		fprintf(stderr, "poll_3: %s\n", wd_status_str(ret));
	else
		ret = blocks_report(a.input) | blocks_report(b.input);
	sender_exit(&a);
	sender_exit(&b);
	wd_ctx_set_free(set_c);
	return ret != 0;
}
