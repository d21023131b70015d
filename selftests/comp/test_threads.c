// SPDX-License-Identifier: Apache-2.0
/* Eight threads, a thousand requests each, synchronous and asynchronous, on few contexts. */
#include <pthread.h>
#include <stdatomic.h>

#include "comp_test.h"
#include "kselftest_harness.h"

#define THREADS	8

static unsigned int requests(void)
{
	const char *s = getenv("WD_TEST_REQUESTS");

	return s ? atoi(s) : 1000;
}

struct worker {
	pthread_t t;
	unsigned int seed;
	handle_t h;
	int alg;
	bool comp;
	bool async;
	int path;
	unsigned int bad;
	char why[200];
};

static void complain(struct worker *w, const char *what, int ret)
{
	if (!w->bad++)
		snprintf(w->why, sizeof(w->why), "%s: %d (%.100s)", what, ret, detail(w->h));
}

static unsigned int rnd(struct worker *w)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return w->seed >> 8;
}

static const size_t most = 70000;

/* Random sizes: mostly small, sometimes large. */
static size_t any_size(struct worker *w)
{
	unsigned int r = rnd(w) % 16;

	return r == 0 ? rnd(w) % most : r < 4 ? rnd(w) % 8000 : rnd(w) % 600;
}

struct one {
	struct wd_comp_arg arg;
	unsigned char *plain, *packed, *back;
	size_t n, len;
	long packed_len;
	atomic_bool done;
};

static void one_new(struct one *o)
{
	o->plain = malloc(most);
	o->packed = malloc(2 * most);
	o->back = malloc(2 * most);
	/*
	 * Touch the pages: a simulated device fails on a page that doesn't come within 250 ms while all of its
	 * threads wait for pages, and the thread that holds mmap_lock of this process may be off its CPU for that
	 * long.
	 */
	memset(o->packed, 0, 2 * most);
	memset(o->back, 0, 2 * most);
}

static void one_free(struct one *o)
{
	free(o->plain);
	free(o->packed);
	free(o->back);
}

static void one_prepare(struct worker *w, struct one *o)
{
	o->n = any_size(w);
	if (rnd(w) % 4)
		fill_text(o->plain, o->n, rnd(w));
	else
		fill_noise(o->plain, o->n, rnd(w));
	atomic_store(&o->done, false);
	o->arg = (struct wd_comp_arg){ .dst_len = &o->len };
	if (w->comp) {
		o->len = wd_comp_bound(w->h, o->n);
		o->arg.src = o->plain;
		o->arg.src_len = o->n;
		o->arg.dst = o->packed;
	} else {
		o->packed_len = z_compress(w->alg, o->plain, o->n, o->packed, 2 * most);
		o->len = o->n + 1;
		o->arg.src = o->packed;
		o->arg.src_len = o->packed_len;
		o->arg.dst = o->back;
	}
}

static void one_check(struct worker *w, struct one *o)
{
	if (o->arg.status != WD_COMP_OK)
		complain(w, "status", o->arg.status);
	else if (o->arg.path != w->path)
		complain(w, "path", o->arg.path);
	else if (w->comp && z_decompress(w->alg, o->packed, o->len, o->back, 2 * most, 15) != (long)o->n)
		complain(w, "zlib refuses it", 0);
	else if (!w->comp && o->len != o->n)
		complain(w, "length", o->len);
	else if (memcmp(o->plain, o->back, o->n))
		complain(w, "data differ", 0);
}

static void *run_sync(void *p)
{
	struct worker *w = p;
	struct one o = { 0 };
	unsigned int i;
	int ret;

	one_new(&o);
	for (i = 0; i < requests(); i++) {
		one_prepare(w, &o);
		ret = w->comp ? wd_compress(w->h, &o.arg) : wd_decompress(w->h, &o.arg);
		if (ret)
			complain(w, "call", ret);
		else
			one_check(w, &o);
	}
	one_free(&o);
	return NULL;
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	atomic_store(&((struct one *)param)->done, true);
}

#define WINDOW 16

static void *run_async(void *p)
{
	struct worker *w = p;
	struct one o[WINDOW];
	unsigned int sent = 0, got = 0, all = requests();
	int ret;

	memset((void *)o, 0, sizeof(o));
	for (ret = 0; ret < WINDOW; ret++)
		one_new(&o[ret]);
	while (got < all && !w->bad) {
		while (sent < all && sent - got < WINDOW) {
			struct one *next = &o[sent % WINDOW];

			one_prepare(w, next);
			next->arg.cb = on_done;
			next->arg.cb_param = next;
			while ((ret = wd_comp_async(w->h, &next->arg, NULL)) == -EBUSY)
				wd_comp_poll(1, 10, NULL);
			if (ret) {
				complain(w, "async", ret);
				atomic_store(&next->done, true);
			}
			sent++;
		}
		/* A poll runs callbacks of all threads: another thread may have run ours. */
		while (!atomic_load(&o[got % WINDOW].done)) {
			ret = wd_comp_poll(1, 10, NULL);
			if (ret < 0 && ret != -ETIME) {
				complain(w, "poll", ret);
				break;
			}
		}
		if (!w->bad)
			one_check(w, &o[got % WINDOW]);
		got++;
	}
	while (wd_comp_poll(100, 1000, NULL) > 0)
		;
	for (ret = 0; ret < WINDOW; ret++)
		one_free(&o[ret]);
	return NULL;
}

static void run_eight(struct __test_metadata *_metadata, unsigned int round)
{
	struct worker w[THREADS];
	int i, path = expected_path("zlib");

	memset(w, 0, sizeof(w));
	for (i = 0; i < THREADS; i++) {
		w[i].seed = round * 100 + i + 1;
		w[i].alg = i % 3;
		w[i].comp = i % 4 < 2;
		w[i].async = i % 2;
		w[i].path = path;
		w[i].h = sess_new(w[i].alg, w[i].comp ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS, w[i].async);
		ASSERT_NE(0, w[i].h) TH_LOG("%s", detail(0));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&w[i].t, NULL, w[i].async ? run_async : run_sync, &w[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(w[i].t, NULL);
		EXPECT_EQ(0, w[i].bad) TH_LOG("thread %d: %u bad, first: %s", i, w[i].bad, w[i].why);
	}
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(0, wd_comp_free_sess(w[i].h));
	EXPECT_EQ(0, wd_in_flight(NULL));
}

FIXTURE(threads) {
};

FIXTURE_SETUP(threads)
{
}

FIXTURE_TEARDOWN(threads)
{
}

TEST_F_TIMEOUT(threads, mixed_requests_are_all_right_twice_in_a_row, 500)
{
	run_eight(_metadata, 1);
	run_eight(_metadata, 2);
}

TEST_F_TIMEOUT(threads, threads_share_a_synchronous_session_while_requests_are_in_flight, 500)
{
	struct worker w[THREADS + 1], *last = &w[THREADS];
	handle_t h = sess_new(WD_GZIP, WD_DIR_COMPRESS, WD_SYNC);
	int i, path = expected_path("zlib");

	ASSERT_NE(0, h);
	memset(w, 0, sizeof(w));
	*last = (struct worker){ .seed = 7, .alg = WD_ZLIB, .comp = true, .async = true, .path = path };
	last->h = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_NE(0, last->h) TH_LOG("%s", detail(0));
	for (i = 0; i < THREADS; i++)
		w[i] = (struct worker){ .seed = i + 77, .alg = WD_GZIP, .comp = true, .path = path, .h = h };
	for (i = 0; i <= THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&w[i].t, NULL, w[i].async ? run_async : run_sync, &w[i]));
	}
	for (i = 0; i <= THREADS; i++) {
		pthread_join(w[i].t, NULL);
		EXPECT_EQ(0, w[i].bad) TH_LOG("thread %d: %u bad, first: %s", i, w[i].bad, w[i].why);
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_comp_free_sess(last->h));
}

TEST_HARNESS_MAIN
