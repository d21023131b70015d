// SPDX-License-Identifier: Apache-2.0
/*
 * Frames of LZ4 whose blocks devices make: liblz4 takes no blocks that were made elsewhere, so header, lengths and
 * checksums are written here. Without a device a frame is liblz4's.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "codecs.h"
#include "finder.h"
#include "frames.h"
#include "xxh32.h"

#define LENGTH_BYTES	4
#define LENGTH_RAW	0x80000000u	/* the block is the data itself */
#define FLAG_BASE	0x60		/* version 1, independent blocks */
#define FLAG_SIZE	0x08
#define FLAG_CHECKSUM	0x04
#define EDGE_BYTES	16		/* of a header, or of an end */

/**
 * struct lz4_maker - a stream of frames
 * @plain:	makes those that no device has a part in
 * @block:	bytes of a block, of this frame
 * @in, @in_len: data that isn't a whole block yet
 * @store:	a block for which there was no room at once
 * @wait, @wait_len: what waits for room, in @store or @edge
 */
struct lz4_maker {
	struct soft_stream base;
	struct soft_stream *plain;
	bool begun, by_device, ended;
	size_t most, block;
	__u8 *in, *store;
	size_t in_len;
	__u8 edge[EDGE_BYTES];
	const __u8 *wait;
	size_t wait_len;
	struct xxh32 sum;
};

/* What is left of a step's two sides. */
struct sides {
	const __u8 *src;
	size_t left;
	__u8 *dst;
	size_t room;
};

static struct lz4_maker *to_maker(struct soft_stream *base)
{
	return (struct lz4_maker *)base;
}

static void maker_free(struct soft_stream *base)
{
	struct lz4_maker *m = to_maker(base);

	m->plain->ops->free(m->plain);
	free(m->in);
	free(m->store);
	free(m);
}

static void maker_reset(struct soft_stream *base)
{
	struct lz4_maker *m = to_maker(base);

	m->plain->ops->reset(m->plain);
	m->begun = m->by_device = m->ended = false;
	m->in_len = m->wait_len = 0;
}

static __u8 *le32_put(__u8 *p, __u32 v)
{
	__le32 le = htole32(v);

	memcpy(p, &le, sizeof(le));
	return p + sizeof(le);
}

/* total: bytes of the content plus one; 0: unknown. The smallest size of blocks that has all of it in one. */
static void header_put(struct lz4_maker *m, __u64 total)
{
	__u8 *p = le32_put(m->edge, LZ4F_MAGICNUMBER), *flags = p;
	int log = COMP_LZ4_LOG_MIN;
	struct xxh32 x;

	while ((size_t)1 << log < m->most && (!total || (size_t)1 << log < total - 1))
		log += 2;
	m->block = (size_t)1 << log;
	*p++ = (__u8)(FLAG_BASE | (total ? FLAG_SIZE : 0) | (m->base.key.checksum ? FLAG_CHECKSUM : 0));
	*p++ = (__u8)((LZ4F_max64KB + (log - COMP_LZ4_LOG_MIN) / 2) << 4);
	if (total) {
		p = le32_put(p, (__u32)(total - 1));
		p = le32_put(p, (__u32)((total - 1) >> 32));
	}
	xxh32_begin(&x);
	xxh32_add(&x, flags, (size_t)(p - flags));
	*p++ = (__u8)(xxh32_end(&x) >> 8);
	m->wait = m->edge;
	m->wait_len = (size_t)(p - m->edge);
}

static void end_put(struct lz4_maker *m)
{
	__u8 *p = le32_put(m->edge, 0);

	if (m->base.key.checksum)
		p = le32_put(p, xxh32_end(&m->sum));
	m->wait = m->edge;
	m->wait_len = (size_t)(p - m->edge);
	m->ended = true;
}

static void frame_begin(struct lz4_maker *m, const struct comp_step *t)
{
	const struct comp_finder *f = m->base.key.finder;

	m->begun = true;
	m->base.path = WD_PATH_SOFT;
	m->base.reason = WD_REASON_SIZE;
	/* No data has no block. */
	m->by_device = t->total != 1 &&
		       (f->ready(f, m->most, &m->base.path, &m->base.reason) || f->hw_only);
	if (!m->by_device)
		return;
	/* Until a device has done something. */
	m->base.path = WD_PATH_SOFT;
	m->base.reason = WD_REASON_SIZE;
	xxh32_begin(&m->sum);
	header_put(m, t->total);
}

/* A block into so much room as the data has, less one byte. Its length; -ENOSPC: the data itself is to be the block. */
static int block_make(struct lz4_maker *m, const void *src, size_t n, __u8 *to, size_t *len)
{
	const struct comp_finder *f = m->base.key.finder;
	__u16 path = WD_PATH_SOFT, reason = WD_REASON_SIZE;
	int ret = -ENOSPC;

	*len = n - 1;
	if (*len)
		ret = f->find(f, src, n, to, len, &path, &reason);
	soft_note_path(&m->base, ret && ret != -ENOSPC && !f->hw_only ? WD_PATH_SOFT : path, reason);
	if (!ret || ret == -ENOSPC || f->hw_only)
		return ret;
	ret = soft_lz4()->compress_default(src, (char *)to, (int)n, (int)n - 1);
	*len = (size_t)ret;
	return ret > 0 ? 0 : -ENOSPC;
}

static bool apart(const __u8 *a, size_t a_len, const __u8 *b, size_t b_len)
{
	return a + a_len <= b || b + b_len <= a;
}

/* A device writes at once to where the block will be, if there is room for the worst case. */
static int block_put(struct lz4_maker *m, const __u8 *src, size_t n, struct sides *w)
{
	bool at_once = w->room >= LENGTH_BYTES + n && apart(src, n, w->dst, LENGTH_BYTES + n);
	__u8 *to;
	size_t len;
	int ret;

	if (!at_once && !m->store)
		m->store = malloc(LENGTH_BYTES + m->most);
	to = at_once ? w->dst : m->store;
	if (!to)
		return -ENOMEM;
	ret = block_make(m, src, n, to + LENGTH_BYTES, &len);
	if (ret && ret != -ENOSPC)
		return ret;
	if (ret) {
		memcpy(to + LENGTH_BYTES, src, n);
		len = n;
	}
	le32_put(to, (__u32)len | (ret ? LENGTH_RAW : 0));
	if (m->base.key.checksum)
		xxh32_add(&m->sum, src, n);
	len += LENGTH_BYTES;
	if (at_once) {
		w->dst += len;
		w->room -= len;
	} else {
		m->wait = m->store;
		m->wait_len = len;
	}
	return 0;
}

static void taken(struct sides *w, size_t n)
{
	w->src += n;
	w->left -= n;
}

/* Less than a block, and more may come. */
static int data_collect(struct lz4_maker *m, struct sides *w)
{
	size_t n = m->block - m->in_len < w->left ? m->block - m->in_len : w->left;

	if (!m->in)
		m->in = malloc(m->most);
	if (!m->in)
		return -ENOMEM;
	memcpy(m->in + m->in_len, w->src, n);
	m->in_len += n;
	taken(w, n);
	return 0;
}

/* The next part of the frame. 1, 0: there is none yet, -errno. */
static int frame_go_on(struct lz4_maker *m, const struct comp_step *t, struct sides *w)
{
	size_t n = w->left < m->block ? w->left : m->block;
	int ret;

	if (!m->in_len && (n == m->block || (n && t->last))) {
		ret = block_put(m, w->src, n, w);
		if (!ret)
			taken(w, n);
		return ret ? ret : 1;
	}
	ret = n ? data_collect(m, w) : 0;
	if (ret)
		return ret;
	if (m->in_len && (m->in_len == m->block || (!w->left && (t->last || t->sync)))) {
		ret = block_put(m, m->in, m->in_len, w);
		m->in_len = 0;
		return ret ? ret : 1;
	}
	if (!w->left && t->last)
		end_put(m);
	return w->left || t->last;
}

static void wait_give(struct lz4_maker *m, struct sides *w)
{
	size_t n = m->wait_len < w->room ? m->wait_len : w->room;

	memcpy(w->dst, m->wait, n);
	m->wait += n;
	m->wait_len -= n;
	w->dst += n;
	w->room -= n;
}

static int maker_step(struct soft_stream *base, struct comp_step *t)
{
	struct sides w = { .src = t->src, .left = t->src_len, .dst = t->dst, .room = t->dst_len };
	struct lz4_maker *m = to_maker(base);
	int ret = 1;

	if (!m->begun)
		frame_begin(m, t);
	if (!m->by_device)
		return m->plain->ops->step(m->plain, t);
	while (ret > 0) {
		if (m->wait_len)
			wait_give(m, &w);
		if (m->wait_len || m->ended)
			break;
		ret = frame_go_on(m, t, &w);
	}
	t->src_len -= w.left;
	t->dst_len -= w.room;
	return ret < 0 ? ret : m->ended && !m->wait_len;
}

static size_t maker_bytes(struct soft_stream *base)
{
	struct lz4_maker *m = to_maker(base);

	return (m->in ? m->most : 0) + (m->store ? m->most : 0);
}

static const struct soft_stream_ops maker_ops = {
	.step = maker_step,
	.reset = maker_reset,
	.free = maker_free,
	.bytes = maker_bytes,
};

struct soft_stream *lz4_maker_new(struct soft_key key)
{
	struct lz4_maker *m = calloc(1, sizeof(*m));
	int log = comp_win_log(key.win);

	if (!m)
		return NULL;
	m->base.ops = &maker_ops;
	m->base.key = key;
	m->most = (size_t)1 << (log ? log : COMP_LZ4_LOG_MAX);
	m->plain = lz4_stream_new(key);
	if (m->plain)
		return &m->base;
	free(m);
	return NULL;
}
