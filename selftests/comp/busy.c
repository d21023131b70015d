// SPDX-License-Identifier: Apache-2.0
/*
 * A client that keeps eight threads busy until its device goes away, for the
 * scripts that remove the device: busy [SECONDS]. Prints "ready" on stdout once every
 * thread has had an answer; exits with 0 when every thread ended with an error
 * and no answer was wrong, with 2 when the time ran out first.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "comp_test.h"

#define THREADS	8
#define BYTES	20000

static atomic_int started, wrong;
static time_t end;

struct busy {
	pthread_t t;
	handle_t h;
	bool async;
	int err;
};

static void on_done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	atomic_store((atomic_int *)param, 1);
}

static int one_async(struct busy *b, struct wd_comp_arg *arg)
{
	atomic_int done = 0;
	int ret;

	/* A submit that fails leaves the argument struct unchanged. */

	arg->cb = on_done;
	arg->cb_param = &done;
	while ((ret = wd_comp_async(b->h, arg, NULL)) == -EBUSY)
		wd_comp_poll(1, 10, NULL);
	if (ret) {
		*arg->dst_len = 0;
		return ret;
	}
	while (!atomic_load(&done)) {
		ret = wd_comp_poll(1, 10, NULL);
		if (ret < 0 && ret != -ETIME && ret != -ENODEV)
			return ret;
	}
	/* The status is a value of enum wd_comp_result from the device, else -errno. */
	return arg->status == WD_DATA_ERR ? -EBADMSG : arg->status;
}

static void *run(void *p)
{
	unsigned char *src = malloc(BYTES), *dst = malloc(2 * BYTES), *back = malloc(BYTES);
	struct busy *b = p;
	bool first = true;

	fill_text(src, BYTES, 1);
	/* Touch the pages: a simulated device fails on a page that stays absent for a while. That isn't tested here. */
	memset(dst, 0xdb, 2 * BYTES);
	while (!b->err && time(NULL) < end) {
		size_t len = 2 * BYTES;
		struct wd_comp_arg arg = { .src = src, .src_len = BYTES, .dst = dst, .dst_len = &len };

		b->err = b->async ? one_async(b, &arg) : wd_compress(b->h, &arg);
		if (!b->err && z_decompress(WD_GZIP, dst, len, back, BYTES, 15) != BYTES)
			atomic_fetch_add(&wrong, 1);
		if (b->err && len)
			atomic_fetch_add(&wrong, 1);
		/* The device must not access the buffers any more. */
		memset(src, 0xdb, BYTES);
		memset(dst, 0xdb, 2 * BYTES);
		fill_text(src, BYTES, 1);
		if (first && atomic_fetch_add(&started, 1) == THREADS - 1) {
			puts("ready");
			fflush(stdout);
		}
		first = false;
	}
	free(src);
	free(dst);
	free(back);
	return NULL;
}

int main(int argc, char **argv)
{
	struct busy b[THREADS];
	int i, late = 0;

	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
	for (i = 0; i < THREADS; i++) {
		b[i] = (struct busy){ .async = i % 2 };
		b[i].h = sess_flags(WD_GZIP, WD_DIR_COMPRESS, b[i].async, WD_FLAT_BUF, 1, WD_COMP_WS_32K,
				    WD_SESS_PATH_HW);
		if (!b[i].h) {
			fprintf(stderr, "no session: %s\n", detail(0));
			return 1;
		}
	}
	for (i = 0; i < THREADS; i++)
		pthread_create(&b[i].t, NULL, run, &b[i]);
	for (i = 0; i < THREADS; i++) {
		pthread_join(b[i].t, NULL);
		fprintf(stderr, "thread %d: %s\n", i, b[i].err ? strerror(-b[i].err) : "no error");
		late |= !b[i].err;
	}
	for (i = 0; i < THREADS; i++)
		if (wd_comp_free_sess(b[i].h))
			late = 1;
	return atomic_load(&wrong) ? 1 : late ? 2 : 0;
}
