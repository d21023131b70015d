// SPDX-License-Identifier: Apache-2.0
/* Requests through UADK's interface: loops for counting their instructions, and the heap of contexts. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"

#define BYTES	4096u
#define WINDOW	32u
#define THREADS	8u

static unsigned char src[BYTES], dst[WINDOW][2 * BYTES];

static void must(const char *what, int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %d\n", what, ret);
	exit(1);
}

static handle_t session(void)
{
	struct wd_comp_sess_setup setup = { .alg_type = WD_DEFLATE, .comp_lv = WD_COMP_L1, .win_sz = WD_COMP_WS_32K };
	handle_t h = wd_comp_alloc_sess(&setup);

	must("wd_comp_alloc_sess", !h);
	return h;
}

static struct wd_comp_req request(unsigned int i)
{
	return (struct wd_comp_req){ .src = src, .src_len = BYTES, .dst = dst[i], .dst_len = sizeof(dst[i]) };
}

static void sync_run(handle_t h, unsigned int n)
{
	while (n--) {
		struct wd_comp_req req = request(0);

		must("wd_do_comp_sync", wd_do_comp_sync(h, &req));
	}
}

static void *heard(struct wd_comp_req *req, void *param)
{
	(void)req;
	++*(unsigned int *)param;
	return NULL;
}

/* As ours are measured: 32 submitted one by one, then polled. */
static void async_run(handle_t h, unsigned int n)
{
	unsigned int done = 0;

	for (unsigned int sent = 0; sent < n;) {
		__u32 count = 0;

		for (unsigned int i = 0; i < WINDOW && sent < n; i++, sent++) {
			struct wd_comp_req req = request(i);

			req.cb = heard;
			req.cb_param = &done;
			must("wd_do_comp_async", wd_do_comp_async(h, &req));
		}
		while (done < sent)
			must("wd_comp_poll", wd_comp_poll(sent - done, &count));
	}
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return (double)(m.uordblks + m.hblkhd);
}

/* The heap that THREADS sessions take, each with a context of its own, and a synchronous and an asynchronous one. */
static void heap_row(void)
{
	handle_t first = session();
	double before = heap();

	for (unsigned int i = 0; i < THREADS; i++) {
		handle_t h = session();

		sync_run(h, 1);
		async_run(h, 1);
	}
	printf("heap %.0f\n", (heap() - before) / THREADS);
	wd_comp_free_sess(first);
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	struct wd_ctx_nums nums[2] = { { THREADS, THREADS }, { 0, 0 } };
	struct wd_ctx_params params = { .op_type_num = 2, .ctx_set_num = nums };
	double start;
	handle_t h;

	must("wd_comp_init2_", wd_comp_init2_("deflate", SCHED_POLICY_RR, TASK_HW, n ? NULL : &params));
	if (argc == 2 && !strcmp(argv[1], "heap")) {
		heap_row();
		return 0;
	}
	if (!n) {
		fputs("usage: wd-bench-uadk sync|async N, or heap\n", stderr);
		return 2;
	}
	h = session();
	start = cpu_ns();
	if (!strcmp(argv[1], "sync"))
		sync_run(h, n);
	else
		async_run(h, n);
	printf("ns %.1f\n", (cpu_ns() - start) / n);
	wd_comp_free_sess(h);
	return 0;
}
