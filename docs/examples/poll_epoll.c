// SPDX-License-Identifier: Apache-2.0
/*
 * An event loop around a completion queue: one thread submits, sleeps in epoll_wait() and takes
 * completions, as it would serve sockets beside them. A request that found no room is kept.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <wd_cq.h>
#include "poll_blocks.h"

#define DEPTH 128
#define BATCH 16

struct loop {
	handle_t cq, sess;
	int epoll;
	struct block *blocks;
	unsigned int sent, done;
};

static int submit_some(struct loop *l)
{
	int ret = 0;

	while (l->sent < BLOCKS && !ret) {
		ret = wd_comp_async(l->sess, &l->blocks[l->sent].arg, NULL);
		if (!ret)
			l->sent++;
	}
	return ret == -EBUSY ? 0 : ret;
}

/* A context failed: its requests complete with errors. */
static void show_events(struct loop *l)
{
	struct wd_async_event ev;

	while (!wd_get_async_event(l->cq, &ev))
		fprintf(stderr, "poll_epoll: context %u: %s\n", ev.ctx, wd_status_str(ev.err));
}

static int take_some(struct loop *l)
{
	struct wd_wc wc[BATCH];
	int n = wd_poll_cq(l->cq, BATCH, wc), i;

	for (i = 0; i < n; i++) {
		struct block *b = &l->blocks[wc[i].wr_id];

		atomic_fetch_add(&b->ends, 1);
		if (wc[i].status)
			fprintf(stderr, "poll_epoll: block %llu: %s\n", (unsigned long long)wc[i].wr_id,
				wd_status_str(wc[i].status));
		l->done++;
	}
	return n;
}

static int run(struct loop *l)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int fd = wd_cq_fd(l->cq), ret;

	if (fd < 0)
		return fd;
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev))
		return -errno;
	while (l->done < BLOCKS) {
		ret = submit_some(l);
		if (ret)
			return ret;
		/* Arm, look once more, sleep: a completion after arming makes the descriptor readable. */
		ret = wd_cq_arm(l->cq);
		if (ret)
			return ret;
		ret = take_some(l);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (epoll_wait(l->epoll, &ev, 1, -1) < 0 && errno != EINTR)
			return -errno;
		show_events(l);
	}
	return 0;
}

int main(void)
{
	struct loop l = { .epoll = epoll_create1(EPOLL_CLOEXEC), .blocks = blocks_new() };
	unsigned int i;
	int ret;

	l.cq = l.blocks && l.epoll >= 0 ? wd_cq_create(DEPTH) : 0;
	l.sess = l.cq ? session_with(WD_SESS_CQ, l.cq) : 0;
	if (!l.sess) {
		fprintf(stderr, "poll_epoll: %s\n", wd_status_str(-errno));
		return 1;
	}
	/* No callback: the completions are polled. */
	for (i = 0; i < BLOCKS; i++)
		l.blocks[i].arg.cb = NULL;
	ret = run(&l);
	if (!ret)
		ret = blocks_report(l.blocks);
	else
		fprintf(stderr, "poll_epoll: %s\n", wd_status_str(ret));
	close(l.epoll);
	if (!wd_comp_free_sess(l.sess)) {
		wd_cq_destroy(l.cq);
		free(l.blocks);
	}
	return ret != 0;
}
