// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-3: threads A and B submit to contexts of their own sets; thread C polls the union.
 *
 * A set is passed by pointer, and only read during a call. A request that
 * found no room is tried again after the wait; it is not skipped.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poll_blocks.h"

struct sender {
	pthread_t thread;
	handle_t sess;
	wd_ctx_set_t *set;
	struct block *blocks;
	atomic_int ret;		/* of the thread, once it is not 0 */
};

static void *send_all(void *param)
{
	struct sender *s = param;
	unsigned int i = 0;
	int ret;

	while (i < BLOCKS) {
		ret = wd_comp_async(s->sess, &s->blocks[i].arg, s->set);
		if (!ret)
			i++;
		else if (ret == -EBUSY)
			ret = wd_comp_wait_set(s->set, POLL_MS);
		if (ret) {
			atomic_store(&s->ret, ret);
			break;
		}
	}
	return NULL;
}

static int poll_usr(struct sender *a, struct sender *b, const wd_ctx_set_t *both, int n)
{
	int ret;

	while (n) {
		/* Before the look, or a last request could begin in between. */
		int gone_a = atomic_load(&a->ret), gone_b = atomic_load(&b->ret);

		ret = wd_comp_poll(n, POLL_MS, both);
		if (ret < 0)
			return ret;
		n -= ret;
		if (ret)
			wd_comp_wakeup_set(both);
		else if (gone_a || gone_b)
			return gone_a ? gone_a : gone_b;
		else
			sched_yield();
	}
	return 0;
}

static int sender_init(struct sender *s, wd_ctx_set_t *both)
{
	int ret;

	s->blocks = blocks_new();
	s->set = wd_ctx_set_alloc();
	s->sess = s->blocks && s->set ? session_new() : 0;
	if (!s->sess)
		return -errno;
	/* Each session spreads over its contexts; here they may well be the same. */
	ret = wd_ctx_set_from_sess(s->sess, s->set);
	return ret ? ret : wd_ctx_set_or(both, s->set);
}

static void sender_exit(struct sender *s)
{
	if (!s->sess || !wd_comp_free_sess(s->sess))
		free(s->blocks);
	wd_ctx_set_free(s->set);
}

static int run(struct sender *a, struct sender *b, const wd_ctx_set_t *both)
{
	int ret = -pthread_create(&a->thread, NULL, send_all, a), more;

	if (ret)
		return ret;
	more = -pthread_create(&b->thread, NULL, send_all, b);
	ret = poll_usr(a, b, both, more ? BLOCKS : 2 * BLOCKS);
	pthread_join(a->thread, NULL);
	if (!more)
		pthread_join(b->thread, NULL);
	return ret ? ret : more;
}

int main(void)
{
	struct sender a = { .sess = 0 }, b = { .sess = 0 };
	wd_ctx_set_t *both = wd_ctx_set_alloc();
	int ret = both ? 0 : -ENOMEM;

	if (!ret)
		ret = sender_init(&a, both);
	if (!ret)
		ret = sender_init(&b, both);
	if (!ret)
		ret = run(&a, &b, both);
	if (ret)
		fprintf(stderr, "poll_3: %s\n", strerror(-ret));
	else
		ret = blocks_report(a.blocks) | blocks_report(b.blocks);
	sender_exit(&a);
	sender_exit(&b);
	wd_ctx_set_free(both);
	return ret != 0;
}
