/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of sessions that deliver to a completion queue. */
#ifndef WD_TEST_CQ_TEST_H
#define WD_TEST_CQ_TEST_H

#include <stdatomic.h>
#include <sys/epoll.h>
#include <wd_cq.h>

#include "comp_test.h"
#include "kselftest_harness.h"
#include "turn.h"
#include "wait_ms.h"

#define DEPTH	256
#define SRC	600

struct job {
	struct wd_comp_arg arg;
	unsigned char src[SRC], dst[SRC + 300];
	size_t len;
	atomic_int seen;
};

static struct job *jobs_new(int n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	int i;

	for (i = 0; i < n; i++) {
		fill_text(jobs[i].src, SRC, i);
		jobs[i].len = sizeof(jobs[i].dst);
		jobs[i].arg = (struct wd_comp_arg){
			.src = jobs[i].src, .src_len = SRC - i % 500, .dst = jobs[i].dst, .dst_len = &jobs[i].len,
			.wr_id = i,
		};
	}
	return jobs;
}

static int job_right(struct job *job, int alg)
{
	unsigned char back[SRC];

	return z_decompress(alg, job->dst, job->len, back, sizeof(back), 15) == (long)job->arg.src_len &&
	       !memcmp(back, job->src, job->arg.src_len);
}

static handle_t sess_on_cq(handle_t cq, int dir, int op)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = op, .dir_type = dir, .comp_lv = 6, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_CQ, .cq = cq,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

FIXTURE(cq) {
	handle_t cq, h;
	struct wd_wc wc[DEPTH];
};

FIXTURE_SETUP(cq)
{
	self->cq = wd_cq_create(DEPTH);
	ASSERT_NE(0, self->cq);
	self->h = sess_on_cq(self->cq, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cq)
{
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

/* Polls the queue until n completions have come; returns how many came. */
static int poll_n(handle_t cq, int n, struct wd_wc *wc)
{
	int got = 0, ret;

	while (got < n) {
		ret = wd_poll_cq(cq, n - got, wc + got);
		if (ret < 0)
			return ret;
		if (!ret)
			turn_over();
		got += ret;
	}
	return got;
}

static bool readable(int ep, int ms)
{
	struct epoll_event ev;

	return epoll_wait(ep, &ev, 1, ms) == 1;
}

#endif
