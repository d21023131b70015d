// SPDX-License-Identifier: Apache-2.0
/*
 * ISA-L: the low levels, and decompressing streams. Headers are written and read here: ISA-L supports one form of each,
 * and no window in zlib's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <isa-l/igzip_lib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "soft.h"

#define PART_MAX	(UINT32_MAX / 2)	/* ISA-L's lengths have 32 bits */
#define CACHE_LINE	64		/* its tables are faster if aligned to this */

static const __u8 hist_bits[] = {
	[WD_COMP_WS_4K] = 12,
	[WD_COMP_WS_8K] = 13,
	[WD_COMP_WS_16K] = 14,
	[WD_COMP_WS_24K] = 15,
	[WD_COMP_WS_32K] = 15,
};

static __u16 deflate_format(__u8 alg)
{
	return alg == WD_ZLIB ? IGZIP_ZLIB_NO_HDR : alg == WD_GZIP ? IGZIP_GZIP_NO_HDR : IGZIP_DEFLATE;
}

static __u32 level_buf_bytes(int level)
{
	return level == 1 ? ISAL_DEF_LVL1_DEFAULT : ISAL_DEF_LVL3_DEFAULT;
}

/* --- whole buffers --- */

struct isal_tools {
	_Alignas(CACHE_LINE) struct isal_zstream z;
	_Alignas(CACHE_LINE) __u8 level_buf[ISAL_DEF_LVL3_DEFAULT];
};

_Static_assert(ISAL_DEF_LVL3_DEFAULT >= ISAL_DEF_LVL1_DEFAULT, "one level buffer for all levels");

void isal_tools_free(struct isal_tools *t)
{
	free(t);
}

ssize_t isal_whole(struct comp_msg *c, struct soft_tools *tools, int level, void *dst, size_t room)
{
	size_t head = format_header_bytes(c->alg);
	struct isal_zstream *z;

	if (!tools->isal)
		tools->isal = aligned_alloc(CACHE_LINE, sizeof(*tools->isal));
	if (!tools->isal)
		return -ENOMEM;
	if (room < head)
		return 0;
	z = &tools->isal->z;
	isal_deflate_stateless_init(z);
	z->level = level;
	z->level_buf = tools->isal->level_buf;
	z->level_buf_size = level_buf_bytes(level);
	z->gzip_flag = deflate_format(c->alg);
	z->hist_bits = hist_bits[c->win];
	z->end_of_stream = 1;
	z->next_in = (__u8 *)c->src;
	z->avail_in = (__u32)c->src_len;
	z->next_out = (__u8 *)dst + head;
	z->avail_out = room - head < PART_MAX ? (__u32)(room - head) : PART_MAX;
	if (isal_deflate_stateless(z) != COMP_OK || z->avail_in)
		return 0;
	format_write_header(c->alg, c->win, c->level, dst);
	return head + z->total_out;
}

/* --- compressing streams --- */

/**
 * struct deflate_stream
 * @head_at, @head_len:	the part of the header that is written already, and the header's length
 * @dirty:	data came since the last flush
 */
struct deflate_stream {
	struct soft_stream base;
	int level;
	__u8 head[16];
	__u8 head_at;
	__u8 head_len;
	bool dirty;
	_Alignas(CACHE_LINE) struct isal_zstream z;
	_Alignas(CACHE_LINE) __u8 level_buf[];
};

/*
 * ISA-L returns with the upper halves of vector registers in use. The next
 * instruction that uses only a lower half would wait for about 100 ns.
 */
#ifdef __x86_64__
__attribute__((target("avx"))) static void upper_halves_zero(void)
{
	_mm256_zeroupper();
}

static inline void vectors_leave(void)
{
	if (__builtin_cpu_supports("avx"))
		upper_halves_zero();
}
#else
static inline void vectors_leave(void)
{
}
#endif

static struct deflate_stream *to_deflate(struct soft_stream *base)
{
	return (struct deflate_stream *)base;
}

static void deflate_reset(struct soft_stream *base)
{
	struct deflate_stream *s = to_deflate(base);

	isal_deflate_init(&s->z);
	s->z.level = s->level;
	s->z.level_buf = s->level_buf;
	s->z.level_buf_size = level_buf_bytes(s->level);
	s->z.gzip_flag = deflate_format(base->key.alg);
	s->z.hist_bits = hist_bits[base->key.win];
	s->head_at = 0;
	s->head_len = format_write_header(base->key.alg, base->key.win, base->key.level, s->head);
	s->dirty = false;
}

static size_t head_put(struct deflate_stream *s, __u8 *dst, size_t room)
{
	size_t n = s->head_len - s->head_at;

	if (n > room)
		n = room;
	memcpy(dst, s->head + s->head_at, n);
	s->head_at += n;
	return n;
}

/*
 * A flush that ran out of room is finished by the next call. That call leaves its own input in the library's buffer,
 * although it has room left.
 */
static bool is_flushed(const struct isal_zstream *z)
{
	const struct isal_zstate *state = &z->internal_state;

	return !z->avail_in && state->state == ZSTATE_NEW_HDR && state->b_bytes_valid == state->b_bytes_processed;
}

static int deflate_step(struct soft_stream *base, struct comp_step *t)
{
	struct deflate_stream *s = to_deflate(base);
	size_t in = 0, out = head_put(s, t->dst, t->dst_len);
	struct isal_zstream *z = &s->z;
	int ret = 0, err;

	while (!ret && out < t->dst_len) {
		__u32 in_part = t->src_len - in < PART_MAX ? t->src_len - in : PART_MAX;
		__u32 out_part = t->dst_len - out < PART_MAX ? t->dst_len - out : PART_MAX;
		bool all = in_part == t->src_len - in, flushed;

		s->dirty |= in_part;
		z->flush = t->sync && all && s->dirty ? SYNC_FLUSH : NO_FLUSH;
		z->end_of_stream = t->last && all;
		if (!in_part && z->flush == NO_FLUSH && !z->end_of_stream && !s->dirty)
			break;
		z->next_in = (__u8 *)t->src + in;
		z->avail_in = in_part;
		z->next_out = (__u8 *)t->dst + out;
		z->avail_out = out_part;
		err = isal_deflate(z);
		vectors_leave();
		if (err != COMP_OK)
			return -EIO;
		/* Another call would write another empty block. */
		flushed = z->flush == SYNC_FLUSH && is_flushed(z);
		if (flushed)
			s->dirty = false;
		in += in_part - z->avail_in;
		out += out_part - z->avail_out;
		if (z->internal_state.state == ZSTATE_END)
			ret = 1;
		else if (in_part == z->avail_in && out_part == z->avail_out)
			break;
		else if (in == t->src_len && !z->end_of_stream && (flushed || z->flush != SYNC_FLUSH))
			break;
	}
	t->src_len = in;
	t->dst_len = out;
	return ret;
}

static void stream_free_plain(struct soft_stream *base)
{
	free(base);
}

static const struct soft_stream_ops deflate_ops = {
	.step = deflate_step,
	.reset = deflate_reset,
	.free = stream_free_plain,
};

struct soft_stream *isal_deflate_new(struct soft_key key, int level)
{
	struct deflate_stream *s = aligned_alloc(CACHE_LINE, (sizeof(*s) + level_buf_bytes(level) + CACHE_LINE - 1) &
						 ~(size_t)(CACHE_LINE - 1));

	if (!s)
		return NULL;
	s->base = (struct soft_stream){ .ops = &deflate_ops, .key = key };
	s->level = level;
	deflate_reset(&s->base);
	return &s->base;
}

/* --- decompressing streams --- */

/**
 * struct inflate_stream
 * @bytes:	bytes produced so far, as gzip counts them
 * @trailer_len: bytes of the trailer read so far
 */
struct inflate_stream {
	struct soft_stream base;
	struct format_parser parser;
	bool head_done;
	__u32 bytes;
	__u8 trailer[8];
	__u8 trailer_len;
	struct inflate_state z;
};

static struct inflate_stream *to_inflate(struct soft_stream *base)
{
	return (struct inflate_stream *)base;
}

static void inflate_restart(struct soft_stream *base)
{
	struct inflate_stream *s = to_inflate(base);

	isal_inflate_init(&s->z);
	s->z.crc_flag = base->key.alg == WD_ZLIB ? ISAL_ZLIB_NO_HDR :
			base->key.alg == WD_GZIP ? ISAL_GZIP_NO_HDR : ISAL_DEFLATE;
	format_parser_init(&s->parser, base->key.alg);
	s->head_done = base->key.alg == WD_DEFLATE_RAW;
	s->bytes = 0;
	s->trailer_len = 0;
}

/*
 * ISA-L reads ahead into a word. Bytes in it are given back when the output is full, or when they lie behind the end.
 * When the input has run out, they belong to an incomplete symbol, or to a block's header, whose rest is kept
 * elsewhere.
 */
static void give_back(struct inflate_state *z, __u32 taken)
{
	bool over = z->block_state == ISAL_BLOCK_INPUT_DONE || z->block_state == ISAL_BLOCK_FINISH;
	__u32 n = z->read_in_length > 0 ? z->read_in_length / 8 : 0;

	if (z->tmp_in_size || (z->avail_out && !over))
		return;
	if (n > taken)
		n = taken;
	z->read_in_length -= 8 * n;
	z->read_in &= ((__u64)1 << z->read_in_length) - 1;
	z->next_in -= n;
	z->avail_in += n;
}

static const char *inflate_why(int err)
{
	switch (err) {
	case ISAL_INVALID_BLOCK:
		return "invalid block";
	case ISAL_INVALID_SYMBOL:
		return "invalid code";
	case ISAL_INVALID_LOOKBACK:
		return "invalid distance too far back";
	}
	return "the data is corrupt";
}

/* 0, 1 at the end of the deflate data, -EBADMSG. */
static int inflate_body(struct inflate_stream *s, struct comp_step *t, size_t *in, size_t *out)
{
	struct inflate_state *z = &s->z;

	while (z->block_state != ISAL_BLOCK_FINISH) {
		__u32 in_part = t->src_len - *in < PART_MAX ? t->src_len - *in : PART_MAX;
		__u32 out_part = t->dst_len - *out < PART_MAX ? t->dst_len - *out : PART_MAX;
		int ret;

		z->next_in = (__u8 *)t->src + *in;
		z->avail_in = in_part;
		z->next_out = (__u8 *)t->dst + *out;
		z->avail_out = out_part;
		ret = isal_inflate(z);
		vectors_leave();
		if (ret < 0) {
			t->why = inflate_why(ret);
			return -EBADMSG;
		}
		give_back(z, in_part - z->avail_in);
		*in += in_part - z->avail_in;
		*out += out_part - z->avail_out;
		s->bytes += out_part - z->avail_out;
		if (z->block_state == ISAL_BLOCK_FINISH)
			break;
		if (*in == t->src_len || *out == t->dst_len || (in_part == z->avail_in && out_part == z->avail_out))
			return 0;
	}
	return 1;
}

/* 0, 1 when the trailer is complete and right, -EBADMSG. */
static int inflate_trailer(struct inflate_stream *s, struct comp_step *t, size_t *in)
{
	size_t n = format_trailer_bytes(s->base.key.alg) - s->trailer_len;
	bool whole = n <= t->src_len - *in;

	if (!whole)
		n = t->src_len - *in;
	memcpy(s->trailer + s->trailer_len, (const __u8 *)t->src + *in, n);
	s->trailer_len += n;
	*in += n;
	if (!whole)
		return 0;
	if (s->base.key.alg == WD_ZLIB && __builtin_bswap32(soft_le32(s->trailer)) != s->z.crc)
		t->why = "incorrect data check";
	else if (s->base.key.alg == WD_GZIP && soft_le32(s->trailer) != s->z.crc)
		t->why = "incorrect data check";
	else if (s->base.key.alg == WD_GZIP && soft_le32(s->trailer + 4) != s->bytes)
		t->why = "incorrect length check";
	else
		return 1;
	return -EBADMSG;
}

static int inflate_head(struct inflate_stream *s, struct comp_step *t, size_t *in)
{
	if (format_parse(&s->parser, s->base.key.alg, t->src, t->src_len, in, &s->head_done)) {
		t->why = s->parser.why;
		return -EBADMSG;
	}
	return s->head_done;
}

static int inflate_step(struct soft_stream *base, struct comp_step *t)
{
	struct inflate_stream *s = to_inflate(base);
	size_t in = 0, out = 0;
	int ret = 1;

	if (!s->head_done)
		ret = inflate_head(s, t, &in);
	if (ret > 0)
		ret = inflate_body(s, t, &in, &out);
	if (ret > 0)
		ret = inflate_trailer(s, t, &in);
	t->src_len = in;
	t->dst_len = out;
	return ret;
}

static const struct soft_stream_ops inflate_ops = {
	.step = inflate_step,
	.reset = inflate_restart,
	.free = stream_free_plain,
};

struct soft_stream *isal_inflate_new(struct soft_key key)
{
	struct inflate_stream *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->base = (struct soft_stream){ .ops = &inflate_ops, .key = key };
	inflate_restart(&s->base);
	return &s->base;
}
