/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests on devices that misbehave, of each engine, layout of the buffers and way of delivery; with a session that
 * may use the software path. A test defines before: MANY, how many are in flight; ROW, how many completions a call
 * takes at most, where it takes several.
 */
#ifndef WD_TEST_ENGINES_H
#define WD_TEST_ENGINES_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <wd_cipher.h>
#include <wd_comp.h>
#include <wd_cq.h>
#include <wd_digest.h>
#include <zlib.h>

#include "harness_long.h"
#include "misbehave.h"
#include "session.h"
#include "tsan_fork.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN		4000
#define DIGEST_LEN	32
#define IV_LEN		16

enum layout { FLAT, LIST, IN_PLACE, LIST_IN_PLACE, LAYOUTS };

static const char *const layout_name[] = { "flat", "list", "in place", "list in place" };

enum fault { RESET, ERROR, REMOVE, NEIGHBOUR, FAIL, DROP };

enum delivery { SYNC, POLL_1, POLL_N, WAIT_1, CQ_1, CQ_N, CQ_SLEEP, POLLERS, DELIVERIES };

static const char *const delivery_name[] = {
	"synchronous", "poll(1)", "poll(n)", "poll_wait(1)", "wd_poll_cq(1)", "wd_poll_cq(n)", "wd_cq_arm()",
	"poll threads"
};

struct run;

/* A request. Its memory has room for a destination of 2 * LEN in front of the source. */
struct req {
	union {
		struct wd_comp_arg comp;
		struct wd_digest_arg digest;
		struct wd_cipher_arg cipher;
	};
	struct run *run;
	unsigned int nr, timeout_ms, times;
	int status, path;
	void *src, *dst;
	size_t len;
	struct wd_datalist src_piece[2], dst_piece[2];
	unsigned char iv[IV_LEN];
	unsigned char mem[3 * LEN];
	pthread_t thread;
};

struct engine {
	const char *alg;
	const char *device;
	size_t room;
	bool flat_dst;
	handle_t (*alloc)(bool async, bool list, __u32 flags, handle_t cq, const wd_dev_mask_t *mask);
	int (*free_sess)(handle_t h);
	int (*sync)(struct req *r, handle_t h);
	int (*async)(struct req *r, handle_t h);
	int (*poll)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
	int (*poll_wait)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
	bool (*right)(const struct req *r);
};

struct run {
	const struct engine *e;
	enum layout layout;
	enum fault fault;
	enum delivery how;
	handle_t h, cq;
	struct req *req;		/* the last one has a deadline */
	atomic_uint ended, seen, failed, on_device;
	atomic_int late;		/* the status of the one with a deadline */
	atomic_int wrong;		/* an unexpected status; 1: wrong data; 0: none */
	atomic_bool again;
};

/* --- engines --- */

static unsigned char digest_of[MANY + 1][DIGEST_LEN], cipher_of[MANY + 1][LEN];
static __u8 comp_alg;

static unsigned char plain(unsigned int nr, unsigned int i)
{
	return (unsigned char)("a context that ends "[i % 20] + nr + i / 1000);
}

static void ended(struct req *r, int status, int path);

#define CLASS(cls, sync_call, ...)										\
static void cls##_cb(struct wd_##cls##_arg *arg, void *r)							\
{														\
	ended(r, arg->status, arg->path);									\
}														\
														\
static void cls##_fill(struct req *r)										\
{														\
	r->cls = (struct wd_##cls##_arg){									\
		.src = r->src, .src_len = LEN, .dst = r->dst, .dst_len = &r->len, .timeout_ms = r->timeout_ms,	\
		.wr_id = r->nr, ##__VA_ARGS__									\
	};													\
}														\
														\
static int cls##_sync(struct req *r, handle_t h)								\
{														\
	int ret;												\
														\
	cls##_fill(r);												\
	ret = sync_call(h, &r->cls);										\
	r->path = r->cls.path;											\
	return ret;												\
}														\
														\
static int cls##_async(struct req *r, handle_t h)								\
{														\
	cls##_fill(r);												\
	if (!r->run->cq) {											\
		r->cls.cb = cls##_cb;										\
		r->cls.cb_param = r;										\
	}													\
	return wd_##cls##_async(h, &r->cls, NULL);								\
}

CLASS(comp, wd_compress)
CLASS(digest, wd_digest_sync)
CLASS(cipher, wd_cipher_sync, .iv = r->iv, .iv_len = IV_LEN)

static handle_t comp_alloc(bool async, bool list, __u32 flags, handle_t cq, const wd_dev_mask_t *mask)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = comp_alg, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .data_fmt = list ? WD_SGL_BUF : WD_FLAT_BUF, .flags = flags, .cq = cq,
	};

	return wd_comp_alloc_sess(&setup, mask);
}

static handle_t digest_alloc(bool async, bool list, __u32 flags, handle_t cq, const wd_dev_mask_t *mask)
{
	struct wd_digest_sess_setup setup = {
		.alg = WD_DIGEST_SHA256, .op_type = async ? WD_ASYNC : WD_SYNC,
		.data_fmt = list ? WD_SGL_BUF : WD_FLAT_BUF, .flags = flags, .cq = cq,
	};

	return wd_digest_alloc_sess(&setup, mask);
}

static handle_t cipher_alloc(bool async, bool list, __u32 flags, handle_t cq, const wd_dev_mask_t *mask)
{
	struct wd_cipher_sess_setup setup = {
		.alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .op_type = async ? WD_ASYNC : WD_SYNC,
		.data_fmt = list ? WD_SGL_BUF : WD_FLAT_BUF, .flags = flags, .cq = cq,
	};
	handle_t h = wd_cipher_alloc_sess(&setup, mask);

	if (h && wd_cipher_set_key(h, (const __u8 *)"sixteen key byte", 16))
		abort();
	return h;
}

/* The destination is flat in memory, also as a list of pieces. */
static const unsigned char *dst_of(const struct req *r)
{
	return r->dst_piece[0].data;
}

static bool comp_right(const struct req *r)
{
	unsigned char back[LEN];
	z_stream z = {
		.next_in = (unsigned char *)dst_of(r), .avail_in = (uInt)r->len, .next_out = back, .avail_out = LEN
	};
	bool ok = inflateInit2(&z, comp_alg == WD_ZLIB ? 15 : -15) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END &&
		  z.total_out == LEN;
	unsigned int i;

	inflateEnd(&z);
	for (i = 0; ok && i < LEN; i++)
		ok = back[i] == plain(r->nr, i);
	return ok;
}

static bool digest_right(const struct req *r)
{
	return r->len == DIGEST_LEN && !memcmp(dst_of(r), digest_of[r->nr], DIGEST_LEN);
}

static bool cipher_right(const struct req *r)
{
	return r->len == LEN && !memcmp(dst_of(r), cipher_of[r->nr], LEN);
}

#define ENGINE(cls) \
	.alloc = cls##_alloc, .free_sess = wd_##cls##_free_sess, .sync = cls##_sync, .async = cls##_async, \
	.poll = wd_##cls##_poll, .poll_wait = wd_##cls##_poll_wait, .right = cls##_right

/* In the VM only the first one has a device that takes orders. */
static struct engine engines[] = {
	{ .alg = "zlib", .device = "hisi_zip-0", .room = 2 * LEN, ENGINE(comp) },
	{ .alg = "digest", .device = "hisi_sec2-2", .room = DIGEST_LEN, .flat_dst = true, ENGINE(digest) },
	{ .alg = "cipher", .device = "hisi_sec2-2", .room = LEN, ENGINE(cipher) },
};

#define ENGINES	(sizeof(engines) / sizeof(engines[0]))

/* --- requests --- */

static bool overlaps(const struct run *run)
{
	return run->layout == IN_PLACE || run->layout == LIST_IN_PLACE;
}

static void cut(struct wd_datalist piece[2], unsigned char *at, size_t len, size_t first)
{
	piece[0] = (struct wd_datalist){ .data = at, .len = first, .next = &piece[1] };
	piece[1] = (struct wd_datalist){ .data = at + first, .len = len - first };
}

/*
 * Compression "in place" has a source inside the destination's room, but behind what is written there, so that the
 * result is right whatever order the device has.
 */
static void prepare(struct run *run, struct req *r)
{
	const struct engine *e = run->e;
	bool list = run->layout == LIST || run->layout == LIST_IN_PLACE;
	size_t apart = overlaps(run) ? e->room / 2 / LEN * LEN : 2 * LEN;
	unsigned char *src = r->mem + apart;
	unsigned int i;

	r->run = run;
	for (i = 0; i < LEN; i++)
		src[i] = plain(r->nr, i);
	memset(r->iv, (int)r->nr, IV_LEN);
	r->len = e->room;
	cut(r->src_piece, src, LEN, 1000);
	cut(r->dst_piece, r->mem, e->room, DIGEST_LEN);
	r->src = list ? (void *)r->src_piece : src;
	r->dst = list && !e->flat_dst ? (void *)r->dst_piece : r->mem;
}

static int submit(struct run *run, unsigned int nr)
{
	prepare(run, &run->req[nr]);
	return run->e->async(&run->req[nr], run->h);
}

static void judge(struct req *r, int status, int path)
{
	struct run *run = r->run;

	if (r->timeout_ms)
		run->late = status;
	else if (!status && !run->e->right(r))
		run->wrong = 1;
	else if (status && ((status != -EIO && status != -ENODEV) || !overlaps(run)))
		run->wrong = status;
	if (!r->timeout_ms)
		run->failed += !!status;
	run->on_device += !status && path != WD_PATH_SOFT;
}

static void ended(struct req *r, int status, int path)
{
	struct run *run = r->run;
	int ret;

	judge(r, status, path);
	run->seen += !r->times++;
	if (run->again && !r->timeout_ms) {
		ret = submit(run, r->nr);
		if (!ret)
			return;
		run->wrong = ret;
	}
	run->ended++;
}

static void look_at_cq(struct run *run, int max)
{
	struct pollfd pfd = { .fd = wd_cq_fd(run->cq), .events = POLLIN };
	struct wd_wc wc[ROW];
	int n, i;

	if (run->how == CQ_SLEEP)
		wd_cq_arm(run->cq);
	n = wd_poll_cq(run->cq, max, wc);
	for (i = 0; i < n; i++)
		ended(&run->req[wc[i].wr_id], wc[i].status, wc[i].path);
	if (run->how != CQ_SLEEP)
		turn_over();
	/* Only a lost wake-up takes this long. */
	else if (!n && !poll(&pfd, 1, WAIT_MS / 4))
		run->wrong = -ETIME;
}

static void look(struct run *run)
{
	int max = run->how == CQ_N || run->how == POLL_N ? ROW : 1;

	switch (run->how) {
	case POLL_1:
	case POLL_N:
		run->e->poll((__u32)max, 5, NULL);
		break;
	case WAIT_1:
		run->e->poll_wait(1, 5, NULL);
		break;
	case CQ_1:
	case CQ_N:
	case CQ_SLEEP:
		look_at_cq(run, max);
		break;
	default:
		poll(NULL, 0, 1);
	}
}

static const char *look_until(struct run *run, const atomic_uint *count, unsigned int nr, const char *otherwise)
{
	long long end = now_ms() + WAIT_MS / 2;

	while (*count < nr) {
		look(run);
		if (now_ms() > end)
			return otherwise;
	}
	return NULL;
}

/* --- the device --- */

static int control(const struct run *run, const char *command)
{
	return misbehave(run->e->device, command);
}

/* A session on the engine's device and the software path. */
static handle_t session(struct run *run)
{
	bool list = run->layout == LIST || run->layout == LIST_IN_PLACE;
	struct uacce_dev_list *all = wd_list_accels(run->e->alg), *l;
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	handle_t h = 0;

	for (l = all; l; l = l->next)
		if (!strcmp(l->info->name, run->e->device) && !wd_dev_mask_set(mask, l->info->node_id))
			h = run->e->alloc(run->how != SYNC, list, run->cq ? WD_SESS_CQ : 0, run->cq, mask);
	wd_free_list_accels(all);
	wd_dev_mask_free(mask);
	return h;
}

/* What the software path computes. */
static bool expect(const struct engine *e, struct req *req, unsigned char *to)
{
	struct run run = { .e = e, .layout = FLAT };
	handle_t h = e->alloc(false, false, WD_SESS_PATH_SOFT, 0, NULL);
	bool ok = h;
	unsigned int i;

	for (i = 0; ok && i <= MANY; i++) {
		prepare(&run, &req[i]);
		ok = !e->sync(&req[i], h);
		memcpy(to + i * e->room, dst_of(&req[i]), e->room);
	}
	e->free_sess(h);
	return ok;
}

#endif
