/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to submit and poll for, and the session that takes them. */
#ifndef ASYNC_TEST_H
#define ASYNC_TEST_H

#include <stdatomic.h>

#include "comp_test.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define MANY	3000	/* more than a queue holds */

static atomic_int ran, failed;

struct job {
	struct wd_comp_arg arg;
	unsigned char src[600], dst[900];
	size_t len;
	int calls;
};

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct job *job = param;

	job->calls++;
	if (arg->status != WD_COMP_OK || job->calls != 1 || arg != &job->arg)
		atomic_fetch_add(&failed, 1);
	atomic_fetch_add(&ran, 1);
}

static struct job *jobs_new(int n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	int i;

	for (i = 0; i < n; i++) {
		fill_text(jobs[i].src, sizeof(jobs[i].src), i);
		jobs[i].len = sizeof(jobs[i].dst);
		jobs[i].arg = (struct wd_comp_arg){
			.src = jobs[i].src, .src_len = sizeof(jobs[i].src) - i % 500, .dst = jobs[i].dst,
			.dst_len = &jobs[i].len, .cb = on_done, .cb_param = &jobs[i],
		};
	}
	atomic_store(&ran, 0);
	atomic_store(&failed, 0);
	return jobs;
}

static inline int job_right(struct job *job, int alg)
{
	unsigned char back[600];

	return job->calls == 1 && job->arg.status == WD_COMP_OK && job->arg.consumed == job->arg.src_len &&
	       z_decompress(alg, job->dst, job->len, back, sizeof(back), 15) == (long)job->arg.src_len &&
	       !memcmp(back, job->src, job->arg.src_len);
}

/* Polls until n callbacks have run. Return: how many ran beyond n, or the error. */
static inline int poll_until(int n)
{
	int ret = 1;

	while (atomic_load(&ran) < n && ret > 0)
		ret = wd_comp_poll(n - atomic_load(&ran), WAIT_MS, NULL);
	return ret < 0 ? ret : atomic_load(&ran) - n;
}

FIXTURE(async) {
	handle_t h;
	int path;
};

FIXTURE_SETUP(async)
{
	self->path = expected_path("zlib");
	self->h = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(async)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

#endif
