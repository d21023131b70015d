// SPDX-License-Identifier: Apache-2.0
/* Frames of LZ4, by liblz4: independent blocks, with the content's size where it is known. */
#include <stdlib.h>
#include <string.h>

#include "codecs.h"
#include "frames.h"

#define STEP_BYTES	0x10000u	/* that are given to liblz4 at once: what it makes of them is stored */
#define LEVEL_MAX	12

struct lz4_stream {
	struct soft_stream base;
	const struct lz4_codec *lz4;
	LZ4F_cctx *c;		/* one of both */
	LZ4F_dctx *d;
	LZ4F_preferences_t prefs;
	__u8 *store;		/* compression: what waits for room */
	size_t store_bytes;
	size_t store_at;
	size_t store_len;
	bool begun;
	bool ended;		/* the end of the frame is in the store */
	bool unflushed;		/* liblz4 has input that no flush followed */
	struct frame_read read;
};

static struct lz4_stream *to_lz4(struct soft_stream *base)
{
	return (struct lz4_stream *)base;
}

static void lz4_free(struct soft_stream *base)
{
	struct lz4_stream *s = to_lz4(base);

	if (s->c)
		s->lz4->freeCompressionContext(s->c);
	if (s->d)
		s->lz4->freeDecompressionContext(s->d);
	free(s->store);
	free(s);
}

static void lz4_reset(struct soft_stream *base)
{
	struct lz4_stream *s = to_lz4(base);

	if (s->d)
		s->lz4->resetDecompressionContext(s->d);
	s->store_at = s->store_len = 0;
	s->begun = s->ended = s->unflushed = false;
	s->read = (struct frame_read){ .at = 0 };
}

static LZ4F_blockSizeID_t block_id(__u8 win)
{
	int log = comp_win_log(win);

	return log ? (LZ4F_blockSizeID_t)(LZ4F_max64KB + (log - COMP_LZ4_LOG_MIN) / 2) : LZ4F_max4MB;
}

/* LZ4F's levels below 3 are its fast ones. */
static LZ4F_preferences_t lz4_prefs(const struct soft_key *key)
{
	return (LZ4F_preferences_t){
		.frameInfo = {
			.blockSizeID = block_id(key->win), .blockMode = LZ4F_blockIndependent,
			.contentChecksumFlag = key->checksum ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum,
		},
		.compressionLevel = key->level < 3 ? 0 : key->level < LEVEL_MAX ? key->level : LEVEL_MAX,
	};
}

static int lz4_error(const struct lz4_stream *s, size_t ret, const char **why)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "ERROR_frameType_unknown", "the data is no LZ4 frame: its magic number is wrong" },
		{ "ERROR_contentChecksum_invalid", "the checksum of the data is wrong" },
		{ "ERROR_blockChecksum_invalid", "the checksum of a block is wrong" },
		{ "ERROR_headerChecksum_invalid", "the checksum of the frame's header is wrong" },
		{ "ERROR_frameSize_wrong", "the data has another size than the frame's header says" },
	};
	const char *name = s->lz4->getErrorName(ret);
	size_t i;

	if (!strcmp(name, "ERROR_allocation_failed"))
		return -ENOMEM;
	*why = "the data is corrupt";
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name))
			*why = rows[i].why;
	return s->d ? -EBADMSG : -EIO;
}

/* --- compression --- */

/* Moves what is stored into the step's room. */
static void store_give(struct lz4_stream *s, __u8 **dst, size_t *room)
{
	size_t n = s->store_len < *room ? s->store_len : *room;

	memcpy(*dst, s->store + s->store_at, n);
	s->store_at += n;
	s->store_len -= n;
	*dst += n;
	*room -= n;
}

static int store_add(struct lz4_stream *s, size_t ret, const char **why)
{
	if (s->lz4->isError(ret))
		return lz4_error(s, ret, why);
	s->store_len += ret;
	return 0;
}

/* The store is empty. */
static int frame_begin(struct lz4_stream *s, const struct comp_step *t)
{
	LZ4F_preferences_t prefs = s->prefs;
	const char *why;

	/* liblz4's contentSize 0 means that it isn't known. */
	prefs.frameInfo.contentSize = t->total ? t->total - 1 : 0;
	s->store_at = 0;
	s->begun = true;
	return store_add(s, s->lz4->compressBegin(s->c, s->store, s->store_bytes, &prefs), &why);
}

static int input_give(struct lz4_stream *s, const void *src, size_t n, const char **why)
{
	s->store_at = 0;
	s->unflushed = true;
	return store_add(s, s->lz4->compressUpdate(s->c, s->store, s->store_bytes, src, n, NULL), why);
}

/* Behind all input: the end of the frame, or a flush. */
static int input_over(struct lz4_stream *s, const struct comp_step *t, const char **why)
{
	s->store_at = 0;
	if (t->last) {
		s->ended = true;
		return store_add(s, s->lz4->compressEnd(s->c, s->store, s->store_bytes, NULL), why);
	}
	if (!t->sync || !s->unflushed)
		return 0;
	s->unflushed = false;
	return store_add(s, s->lz4->flush(s->c, s->store, s->store_bytes, NULL), why);
}

static int compress_step(struct lz4_stream *s, struct comp_step *t)
{
	const __u8 *src = t->src;
	__u8 *dst = (__u8 *)t->dst;
	size_t left = t->src_len, room = t->dst_len, n;
	int ret = s->begun ? 0 : frame_begin(s, t);

	while (!ret) {
		store_give(s, &dst, &room);
		if (s->store_len || s->ended)
			break;
		n = left < STEP_BYTES ? left : STEP_BYTES;
		ret = n ? input_give(s, src, n, &t->why) : input_over(s, t, &t->why);
		if (!n && !ret && !s->store_len)
			break;
		src += n;
		left -= n;
	}
	t->src_len -= left;
	t->dst_len -= room;
	return ret ? ret : s->ended && !s->store_len;
}

/* --- decompression --- */

/* One call of liblz4. 0, 1 at the end of a frame with data, -errno. */
static int decompress_pass(struct lz4_stream *s, const void *src, size_t *n, void *dst, size_t *room, const char **why)
{
	size_t ret;

	frame_note(&s->read, src, *n);
	*why = frame_refusal(&s->read, WD_LZ4);
	if (*why)
		return -EBADMSG;
	ret = s->lz4->decompress(s->d, dst, room, src, n, NULL);
	if (s->lz4->isError(ret))
		return lz4_error(s, ret, why);
	s->read.at += *n;
	if (ret || !s->read.at)
		return 0;
	if (!frame_is_skippable(&s->read))
		return 1;
	frame_skip(&s->read);
	return 0;
}

static int decompress_step(struct lz4_stream *s, struct comp_step *t)
{
	size_t in = 0, out = 0, n, room;
	int ret;

	do {
		n = t->src_len - in;
		room = t->dst_len - out;
		ret = decompress_pass(s, (const __u8 *)t->src + in, &n, (__u8 *)t->dst + out, &room, &t->why);
		if (ret < 0)
			break;
		in += n;
		out += room;
	} while (!ret && (n || room));
	t->src_len = in;
	t->dst_len = out;
	if (!ret && t->last && frame_is_over(&s->read) && s->read.skipped)
		return 1;
	return ret;
}

static int lz4_step(struct soft_stream *base, struct comp_step *t)
{
	struct lz4_stream *s = to_lz4(base);

	return s->c ? compress_step(s, t) : decompress_step(s, t);
}

static size_t lz4_bytes(struct soft_stream *base)
{
	return to_lz4(base)->store_bytes;
}

static const struct soft_stream_ops lz4_ops = {
	.step = lz4_step,
	.reset = lz4_reset,
	.free = lz4_free,
	.bytes = lz4_bytes,
};

static bool compressor_make(struct lz4_stream *s)
{
	s->prefs = lz4_prefs(&s->base.key);
	if (s->lz4->isError(s->lz4->createCompressionContext(&s->c, LZ4F_VERSION)))
		return false;
	/* What liblz4 may have collected before this step is in the bound. */
	s->store_bytes = s->lz4->compressBound(STEP_BYTES, &s->prefs) + LZ4F_HEADER_SIZE_MAX;
	s->store = malloc(s->store_bytes);
	if (!s->store)
		s->lz4->freeCompressionContext(s->c);
	return s->store;
}

struct soft_stream *lz4_stream_new(struct soft_key key)
{
	struct lz4_stream *s = calloc(1, sizeof(*s));
	bool made;

	if (!s)
		return NULL;
	s->base.ops = &lz4_ops;
	s->base.key = key;
	s->lz4 = soft_lz4();
	if (!s->lz4)
		made = false;
	else if (key.dir == WD_DIR_COMPRESS)
		made = compressor_make(s);
	else
		made = !s->lz4->isError(s->lz4->createDecompressionContext(&s->d, LZ4F_VERSION));
	if (!made) {
		free(s);
		return NULL;
	}
	return &s->base;
}

int soft_lz4_whole(struct comp_msg *c, struct soft_key key)
{
	const struct lz4_codec *lz4 = soft_lz4();
	LZ4F_preferences_t prefs = lz4_prefs(&key);
	size_t ret;

	prefs.frameInfo.contentSize = c->src_len;
	if (c->dst_len < lz4->compressFrameBound(c->src_len, &prefs))
		return -ENOSPC;
	ret = lz4->compressFrame(c->dst, c->dst_len, c->src, c->src_len, &prefs);
	if (lz4->isError(ret))
		return -ENOMEM;
	c->consumed = c->src_len;
	c->produced = ret;
	return 0;
}
