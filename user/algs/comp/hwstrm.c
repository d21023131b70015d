// SPDX-License-Identifier: Apache-2.0
/* A stream over a device: software handles headers, tiny pieces and the end; the device handles the rest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comp.h"

#define STORE_BYTES	236	/* room that a device may need for one small step */
#define GATHER_BYTES	0x8000	/* small input is collected up to this size, unless flushed */
#define REPEATS		3	/* of one descriptor that its context has lost, at most */

/* ctx_dw[0]: why the device stopped decompressing */
#define CTX_STATE(dw0)		((dw0) & 0xf)
#define CTX_LAST_NO_SPACE	1u
#define CTX_NOT_STARTED		3u

/**
 * struct hw_stream - a stream on a device
 * @store:	output that waits for room: headers, the end, small steps
 * @gather:	input that waits for more, compression only
 * @before:	the context buffer as it was before the descriptor that is sent, in as much as a device uses
 * @again:	the device may have output for which there was no room
 * @synced:	all input so far has been flushed
 * @ended:	the end is in the store, or the device has written or verified it
 * @stuck:	the queue's counter, when the stream began
 * @proof:	verifies what the device makes, or NULL
 */
struct hw_stream {
	struct wd_queue *q;
	struct comp_sess *s;
	struct comp_hw_state hw;
	void *before;
	struct format_parser parser;
	__u8 store[STORE_BYTES];
	unsigned int store_at;
	unsigned int store_len;
	__u8 *gather;
	unsigned int gather_at;
	unsigned int gather_len;
	bool head_done;
	bool begun;
	bool again;
	bool synced;
	bool ended;
	__u32 stuck;
	struct soft_proof *proof;
	struct wd_kept kept;
};

struct hw_stream *hw_stream_alloc(struct comp_sess *s, struct wd_queue *q, bool verify)
{
	struct hw_stream *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->proof = verify ? soft_proof_new(s->alg, s->dir) : NULL;
	if (verify && !h->proof) {
		free(h);
		return NULL;
	}
	h->q = q;
	h->s = s;
	h->stuck = atomic_load(&wd_queue_pub(q)->stuck);
	h->hw.ctx = aligned_alloc(4096, COMP_CTX_BYTES);
	h->before = malloc(COMP_CTX_USED);
	if (!h->hw.ctx || !h->before) {
		soft_proof_free(h->proof);
		free(h->hw.ctx);
		free(h->before);
		free(h);
		return NULL;
	}
	hw_stream_reset(h);
	return h;
}

void hw_stream_free(struct hw_stream *h)
{
	if (!h)
		return;
	/* The device may still write to the state and the store. */
	if (h->stuck != atomic_load(&wd_queue_pub(h->q)->stuck)) {
		wd_keep(&h->kept);
		return;
	}
	soft_proof_free(h->proof);
	free(h->hw.ctx);
	free(h->before);
	free(h->gather);
	free(h);
}

void hw_stream_reset(struct hw_stream *h)
{
	void *ctx = h->hw.ctx;

	memset(ctx, 0, COMP_CTX_BYTES);
	memset(&h->hw, 0, sizeof(h->hw));
	h->hw.ctx = ctx;
	format_parser_init(&h->parser, h->s->alg);
	h->store_at = 0;
	h->store_len = 0;
	h->gather_at = 0;
	h->gather_len = 0;
	h->head_done = h->s->dir == WD_DIR_DECOMPRESS && h->s->alg == WD_DEFLATE_RAW;
	h->begun = false;
	h->again = false;
	h->synced = true;
	h->ended = false;
}

/* The rest of both sides during a step. */
struct room {
	const __u8 *src;
	size_t in;
	__u8 *dst;
	size_t out;
};

static void store_flush(struct hw_stream *h, struct room *r)
{
	size_t n = h->store_len - h->store_at;

	if (n > r->out)
		n = r->out;
	if (!n)
		return;
	memcpy(r->dst, h->store + h->store_at, n);
	h->store_at += n;
	r->dst += n;
	r->out -= n;
	if (h->store_at == h->store_len)
		h->store_at = h->store_len = 0;
}

static __u32 bit_reverse32(__u32 v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}

/* Ends a stream without more data: an empty final stored block, and the trailer from the device's state. */
static void store_end(struct hw_stream *h)
{
	static const __u8 block[] = { 0x01, 0x00, 0x00, 0xff, 0xff };
	__u32 sum = h->hw.checksum, isize = h->hw.isize;
	__u8 *p = h->store;
	int i;

	memcpy(p, block, sizeof(block));
	p += sizeof(block);
	if (h->s->alg == WD_ZLIB) {
		if (!h->begun)
			sum = 1;
		for (i = 24; i >= 0; i -= 8)
			*p++ = sum >> i;
	} else if (h->s->alg == WD_GZIP) {
		/* The device keeps the raw register, most significant bit first. */
		sum = h->begun ? bit_reverse32(~sum) : 0;
		for (i = 0; i < 32; i += 8)
			*p++ = sum >> i;
		for (i = 0; i < 32; i += 8)
			*p++ = isize >> i;
	}
	h->store_at = 0;
	h->store_len = p - h->store;
	h->ended = true;
}

/* Whether the source is still what it was, whatever the device has written. */
static bool may_repeat(const struct hw_stream *h, const struct comp_msg *c)
{
	uintptr_t src = (uintptr_t)c->src, dst = (uintptr_t)c->dst;

	return h->stuck == atomic_load(&wd_queue_pub(h->q)->stuck) &&
	       (src + c->src_len <= dst || dst + c->dst_len <= src);
}

/*
 * A device's state of a stream lies in this process' memory. So a descriptor that was lost with its context, or that
 * failed, is sent again with the state that it began with, once the context is open again.
 */
static int request(struct hw_stream *h, struct comp_msg *c)
{
	const struct comp_hw_state hw = h->hw;
	const struct comp_msg first = *c;
	int ret, i;

	memcpy(h->before, hw.ctx, COMP_CTX_USED);
	for (i = 0; ; i++) {
		ret = wd_request_on(h->q, &c->m, c->src_len);
		if (ret != -EIO || i == REPEATS || !may_repeat(h, c))
			return ret;
		*c = first;
		h->hw = hw;
		memcpy(hw.ctx, h->before, COMP_CTX_USED);
	}
}

/* Sends one descriptor. Output goes to the caller's room, or to the store when that room is too small for a device. */
static int send_one(struct hw_stream *h, struct comp_step *t, struct comp_msg *c, const __u8 *src, size_t in,
		    struct room *r, bool finish)
{
	bool store = r->out < COMP_MIN_OUT;
	size_t max = wd_queue_flat(h->q, COMP_MAX_BYTES);
	int ret;

	memset(c, 0, sizeof(*c));
	c->m.sess = &h->s->s;
	c->m.deadline = t->deadline;
	c->alg = h->s->alg;
	c->dir = h->s->dir;
	c->win = h->s->win;
	c->level = h->s->level;
	c->dst = store ? h->store : r->dst;
	c->dst_len = store ? STORE_BYTES : r->out < max ? r->out : max;
	if (in > max)
		in = max;
	/* Compressed data may be larger than its source, by an eighth at most. */
	if (c->dir == WD_DIR_COMPRESS && in > c->dst_len / 9 * 8) {
		in = c->dst_len / 9 * 8 & ~(size_t)3;
		finish = false;
	}
	c->src = src;
	c->src_len = in;
	c->hw = &h->hw;
	c->fresh = !h->begun;
	c->finish = finish;
	ret = request(h, c);
	t->vendor = c->m.vendor;
	if (ret == -ENOSPC && c->dir == WD_DIR_DECOMPRESS && (c->produced || c->consumed))
		ret = 0;
	if (ret) {
		t->why = c->why;
		return ret;
	}
	h->begun = true;
	if (store) {
		h->store_at = 0;
		h->store_len = c->produced;
	} else {
		r->dst += c->produced;
		r->out -= c->produced;
	}
	return 0;
}

static void gather_more(struct hw_stream *h, struct room *r)
{
	size_t n = GATHER_BYTES - h->gather_len;

	if (n > r->in)
		n = r->in;
	if (!n)
		return;
	memcpy(h->gather + h->gather_len, r->src, n);
	h->gather_len += n;
	r->src += n;
	r->in -= n;
}

/* Holds small input back; true: nothing is left to send. */
static bool gather(struct hw_stream *h, const struct comp_step *t, struct room *r)
{
	bool flush = t->last || t->sync;

	if (!flush && r->in && h->gather_len + r->in < GATHER_BYTES) {
		if (!h->gather)
			h->gather = malloc(GATHER_BYTES);
		if (h->gather) {
			gather_more(h, r);
			return true;
		}
	}
	if (h->gather_len && !h->gather_at)
		gather_more(h, r);
	return false;
}

/* 0: stop for now, 1: continue. */
static int compress_data(struct hw_stream *h, struct comp_step *t, struct room *r)
{
	bool held, all;
	struct comp_msg c;
	size_t n;
	int ret;

	if (gather(h, t, r))
		return 0;
	held = h->gather_len;
	n = held ? h->gather_len - h->gather_at : r->in;
	all = !held || !r->in;
	if (!n) {
		if (!t->last)
			return 0;
		store_end(h);
		return 1;
	}
	ret = send_one(h, t, &c, held ? h->gather + h->gather_at : r->src, n, r, t->last && all);
	if (ret)
		return ret;
	if (held) {
		h->gather_at += c.consumed;
		if (h->gather_at == h->gather_len)
			h->gather_at = h->gather_len = 0;
	} else {
		r->src += c.consumed;
		r->in -= c.consumed;
	}
	if (c.finish && c.consumed == n)
		h->ended = true;
	else if (!c.consumed && !c.produced)
		return -EIO;
	return 1;
}

static int compress_step(struct hw_stream *h, struct comp_step *t, struct room *r)
{
	int ret;

	for (;;) {
		store_flush(h, r);
		if (h->store_len)
			return 0;
		if (h->ended)
			return 1;
		if (!h->head_done) {
			h->store_len = format_write_header(h->s->alg, h->s->win, h->s->level, h->store);
			h->head_done = true;
			continue;
		}
		if (!r->out && (r->in || t->last || h->gather_len == GATHER_BYTES) && !(t->sync || t->last))
			return 0;
		ret = compress_data(h, t, r);
		if (ret <= 0)
			return ret;
	}
}

static int header_step(struct hw_stream *h, struct comp_step *t, struct room *r)
{
	size_t used;

	if (format_parse(&h->parser, h->s->alg, r->src, r->in, &used, &h->head_done)) {
		t->why = h->parser.why;
		return -EBADMSG;
	}
	r->src += used;
	r->in -= used;
	if (!h->head_done && t->last) {
		t->why = "the stream ends early, within its header";
		return -EBADMSG;
	}
	return 0;
}

/* Whether an empty request may produce output: the device kept data that it couldn't finish. */
static bool wants_again(const struct hw_stream *h, const struct comp_msg *c)
{
	__u32 state = CTX_STATE(h->hw.ctx_dw[0]);

	if (state == CTX_LAST_NO_SPACE || c->produced == c->dst_len)
		return true;
	return state == CTX_NOT_STARTED && c->src_len && c->consumed == c->src_len;
}

static int decompress_step(struct hw_stream *h, struct comp_step *t, struct room *r)
{
	struct comp_msg c;
	int ret;

	for (;;) {
		store_flush(h, r);
		if (h->store_len)
			return 0;
		if (h->ended)
			return 1;
		if (!h->head_done) {
			ret = header_step(h, t, r);
			if (ret || !h->head_done)
				return ret;
		}
		if (!r->in && !h->again) {
			if (!t->last)
				return 0;
			t->why = "the stream ends early";
			return -EBADMSG;
		}
		ret = send_one(h, t, &c, r->src, r->in, r, false);
		if (ret)
			return ret;
		r->src += c.consumed;
		r->in -= c.consumed;
		h->ended = c.ended;
		h->again = !c.ended && wants_again(h, &c);
		if (!c.ended && !c.consumed && !c.produced) {
			/* Nothing moved: the device needs more input, so input that it refuses is an error. */
			if (r->in) {
				t->why = "the device makes no progress on the data";
				return -EBADMSG;
			}
			h->again = false;
		}
	}
}

/* Shows the proof what a step took and made. -EIO: it is wrong. */
static int step_verify(struct hw_stream *h, struct comp_step *t, const struct room *r, int ret)
{
	/* A flush that has room left is complete. */
	bool flushed = t->sync && !r->in && r->out && !h->store_len;

	soft_proof_in(h->proof, t->src, t->src_len - r->in);
	soft_proof_out(h->proof, t->dst, t->dst_len - r->out);
	if (ret ? soft_proof_end(h->proof) : !flushed || soft_proof_so_far(h->proof))
		return ret;
	t->why = "the device's result is wrong: verifying it found other data";
	t->wrong = true;
	return -EIO;
}

/* 0, 1 at the end, -errno. */
static int step(void *stream, struct comp_step *t)
{
	struct hw_stream *h = stream;
	struct room r = { .src = t->src, .in = t->src_len, .dst = t->dst, .out = t->dst_len };
	int ret;

	ret = h->s->dir == WD_DIR_COMPRESS ? compress_step(h, t, &r) : decompress_step(h, t, &r);
	if (!ret && r.in == t->src_len && r.out == t->dst_len && !r.out && (h->store_len || r.in || t->last || t->sync))
		ret = -ENOSPC;
	if (h->proof && ret >= 0)
		ret = step_verify(h, t, &r, ret);
	t->src_len -= r.in;
	t->dst_len -= r.out;
	return ret;
}

int hw_stream_run(struct hw_stream *h, struct comp_ends *e, struct comp_step *t)
{
	return comp_run(step, h, false, e, t);
}
