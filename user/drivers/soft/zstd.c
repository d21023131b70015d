// SPDX-License-Identifier: Apache-2.0
/* Frames of zstd (RFC 8878), by libzstd. */
#include <stdlib.h>

#include "codecs.h"
#include "finder.h"
#include "frames.h"

#define WINDOW_LOG_DEFAULT	27	/* what zstd's own tool decompresses without being asked */
#define PARAMETER_BLOCK_SPLITTER	1017	/* ZSTD_c_blockSplitterLevel */
#define LONG_LOG		27	/* from this window on, matches are looked for in all of it */

struct zstd_stream {
	struct soft_stream base;
	const struct zstd_codec *zstd;
	ZSTD_CCtx *c;		/* one of both */
	ZSTD_DCtx *d;
	bool begun;		/* compression: the frame */
	int failed;		/* why no device did a block, where nothing else may do it */
	struct frame_read read;
	__u64 made;		/* decompression: of the frame's data */
};

static struct zstd_stream *to_zstd(struct soft_stream *base)
{
	return (struct zstd_stream *)base;
}

static void zstd_free(struct soft_stream *base)
{
	struct zstd_stream *s = to_zstd(base);

	/* libzstd takes NULL. */
	s->zstd->freeCCtx(s->c);
	s->zstd->freeDCtx(s->d);
	free(s);
}

static void zstd_reset(struct soft_stream *base)
{
	struct zstd_stream *s = to_zstd(base);

	if (s->c)
		s->zstd->CCtx_reset(s->c, ZSTD_reset_session_only);
	else
		s->zstd->DCtx_reset(s->d, ZSTD_reset_session_only);
	s->begun = false;
	s->read = (struct frame_read){ .at = 0 };
	s->made = 0;
}

static int zstd_error(const struct zstd_stream *s, size_t ret, const char **why)
{
	if (s->failed)
		return s->failed;
	switch (s->zstd->getErrorCode(ret)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_prefix_unknown:
		*why = "the data is no zstd frame: its magic number is wrong";
		break;
	case ZSTD_error_dictionary_wrong:
		*why = "the frame needs a dictionary, which isn't supported here";
		break;
	case ZSTD_error_frameParameter_windowTooLarge:
		*why = "the frame needs a larger window than is allowed";
		break;
	case ZSTD_error_checksum_wrong:
		*why = "the checksum of the data is wrong";
		break;
	default:
		*why = s->base.key.dir == WD_DIR_DECOMPRESS ? "the data is corrupt" : s->zstd->getErrorName(ret);
		break;
	}
	return s->base.key.dir == WD_DIR_DECOMPRESS ? -EBADMSG : -EIO;
}

/* --- matches that devices find --- */

static_assert(sizeof(ZSTD_Sequence) == sizeof(struct wd_lz77_seq) &&
	      offsetof(ZSTD_Sequence, offset) == offsetof(struct wd_lz77_seq, offset) &&
	      offsetof(ZSTD_Sequence, litLength) == offsetof(struct wd_lz77_seq, literals) &&
	      offsetof(ZSTD_Sequence, matchLength) == offsetof(struct wd_lz77_seq, match), "they are used as the same");

/*
 * Where no device does a block of a frame that has one. libzstd's own search doesn't keep the third of the last
 * offsets, so after it libzstd codes a repeated offset in the next block's sequences as one that the decoder doesn't
 * have.
 */
static size_t find_without_device(const struct zstd_stream *s, ZSTD_Sequence *out, size_t room, const void *src,
				  size_t n)
{
	struct comp_msg c = {
		.src = src, .src_len = n, .dst = out, .dst_len = room * sizeof(*out), .win = s->base.key.finder->win,
	};

	if (!soft_lz77(&c))
		return c.produced / sizeof(*out);
	out[0] = (ZSTD_Sequence){ .litLength = (unsigned int)n };
	return 1;
}

/* libzstd's producer of sequences. */
static size_t find_block(void *state, ZSTD_Sequence *out, size_t room, const void *src, size_t n, const void *dict,
			 size_t dict_n, int level, size_t window)
{
	const struct comp_finder *f;
	struct zstd_stream *s = state;
	__u16 path = WD_PATH_SOFT, reason = WD_REASON_SIZE;
	size_t len = room * sizeof(*out);
	int ret;

	(void)dict, (void)dict_n, (void)level, (void)window;
	f = s->base.key.finder;
	ret = n <= WD_LZ77_MAX ? f->find(f, src, n, out, &len, &path, &reason) : -EAGAIN;
	soft_note_path(&s->base, ret && !f->hw_only ? WD_PATH_SOFT : path, reason);
	if (!ret)
		return len / sizeof(*out);
	if (!f->hw_only)
		return find_without_device(s, out, room, src, n);
	s->failed = ret;
	return ZSTD_SEQUENCE_PRODUCER_ERROR;
}

/* Before a frame, since a producer may not change within one. */
static void producer_choose(struct zstd_stream *s)
{
	const struct comp_finder *f = s->base.key.finder;
	bool use;

	if (!f)
		return;
	s->base.path = WD_PATH_SOFT;
	s->base.reason = WD_REASON_SIZE;
	use = f->ready(f, WD_LZ77_MAX, &s->base.path, &s->base.reason) || f->hw_only;
	if (use) {
		/* Until a device has done something. */
		s->base.path = WD_PATH_SOFT;
		s->base.reason = WD_REASON_SIZE;
	}
	s->failed = 0;
	s->zstd->take_sequences(s->c, s, use ? find_block : NULL);
}

static void producer_setup(struct zstd_stream *s)
{
	if (!s->base.key.finder)
		return;
	/* A device's matches have no repeat codes. */
	s->zstd->CCtx_setParameter(s->c, ZSTD_c_searchForExternalRepcodes, ZSTD_ps_enable);
	/* From 1.5.7 on libzstd would cut its blocks before it asks; older ones don't know the parameter. */
	s->zstd->CCtx_setParameter(s->c, (ZSTD_cParameter)PARAMETER_BLOCK_SPLITTER, 1);
}

static int compress_step(struct zstd_stream *s, struct comp_step *t)
{
	ZSTD_inBuffer in = { .src = t->src, .size = t->src_len };
	ZSTD_outBuffer out = { .dst = t->dst, .size = t->dst_len };
	ZSTD_EndDirective how = t->last ? ZSTD_e_end : t->sync ? ZSTD_e_flush : ZSTD_e_continue;
	size_t ret = 0;

	if (!s->begun)
		producer_choose(s);
	if (!s->begun && t->total)
		ret = s->zstd->CCtx_setPledgedSrcSize(s->c, t->total - 1);
	s->begun = true;
	if (!s->zstd->isError(ret))
		ret = s->zstd->compressStream2(s->c, &out, &in, how);
	t->src_len = in.pos;
	t->dst_len = out.pos;
	if (s->zstd->isError(ret))
		return zstd_error(s, ret, &t->why);
	return t->last && !ret;
}

/* libzstd doesn't compare both where the last block is empty, except with the whole frame and room for all of it. */
static bool size_is_right(const struct zstd_stream *s)
{
	unsigned long long size = s->zstd->getFrameContentSize(s->read.head, s->read.have);

	return size == ZSTD_CONTENTSIZE_UNKNOWN || size == s->made;
}

/* One call of libzstd. 0, 1 at the end of a frame with data, -errno. */
static int decompress_pass(struct zstd_stream *s, ZSTD_inBuffer *in, ZSTD_outBuffer *out, const char **why)
{
	size_t before = in->pos, made = out->pos, ret;

	frame_note(&s->read, (const char *)in->src + in->pos, in->size - in->pos);
	ret = s->zstd->decompressStream(s->d, out, in);
	if (s->zstd->isError(ret))
		return zstd_error(s, ret, why);
	s->read.at += in->pos - before;
	s->made += out->pos - made;
	if (ret || !s->read.at)
		return 0;
	if (frame_is_skippable(&s->read)) {
		frame_skip(&s->read);
		return 0;
	}
	if (size_is_right(s))
		return 1;
	*why = "the data has another size than the frame's header says";
	return -EBADMSG;
}

static int decompress_step(struct zstd_stream *s, struct comp_step *t)
{
	ZSTD_inBuffer in = { .src = t->src, .size = t->src_len };
	ZSTD_outBuffer out = { .dst = t->dst, .size = t->dst_len };
	size_t moved;
	int ret;

	do {
		moved = in.pos + out.pos;
		ret = decompress_pass(s, &in, &out, &t->why);
	} while (!ret && in.pos + out.pos != moved);
	t->src_len = in.pos;
	t->dst_len = out.pos;
	if (!ret && t->last && in.pos == in.size && s->read.skipped && frame_is_over(&s->read))
		return 1;
	return ret;
}

static int zstd_step(struct soft_stream *base, struct comp_step *t)
{
	struct zstd_stream *s = to_zstd(base);

	return s->c ? compress_step(s, t) : decompress_step(s, t);
}

static size_t zstd_bytes(struct soft_stream *base)
{
	struct zstd_stream *s = to_zstd(base);

	return s->c ? s->zstd->sizeof_CCtx(s->c) : 0;
}

static const struct soft_stream_ops zstd_ops = {
	.step = zstd_step,
	.reset = zstd_reset,
	.free = zstd_free,
	.bytes = zstd_bytes,
};

static bool compressor_make(struct zstd_stream *s)
{
	const struct zstd_codec *z = s->zstd;
	int log = comp_win_log(s->base.key.win);

	s->c = z->createCCtx();
	if (!s->c)
		return false;
	z->CCtx_setParameter(s->c, ZSTD_c_compressionLevel, s->base.key.level);
	z->CCtx_setParameter(s->c, ZSTD_c_checksumFlag, s->base.key.checksum);
	if (log)
		z->CCtx_setParameter(s->c, ZSTD_c_windowLog, log);
	if (log >= LONG_LOG)
		z->CCtx_setParameter(s->c, ZSTD_c_enableLongDistanceMatching, 1);
	producer_setup(s);
	return true;
}

static bool decompressor_make(struct zstd_stream *s)
{
	int log = comp_win_log(s->base.key.win);

	s->d = s->zstd->createDCtx();
	if (!s->d)
		return false;
	s->zstd->DCtx_setParameter(s->d, ZSTD_d_windowLogMax, log ? log : WINDOW_LOG_DEFAULT);
	return true;
}

struct soft_stream *zstd_stream_new(struct soft_key key)
{
	struct zstd_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &zstd_ops;
	s->base.key = key;
	s->zstd = soft_zstd();
	if (!s->zstd || !(key.dir == WD_DIR_COMPRESS ? compressor_make(s) : decompressor_make(s))) {
		free(s);
		return NULL;
	}
	return &s->base;
}
