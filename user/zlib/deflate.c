// SPDX-License-Identifier: Apache-2.0
/*
 * zlib's functions for deflate streams. A stream that is zlib's own costs one comparison. Arguments are checked as
 * zlib.h documents, in its order. Comments say what zlib does beyond that.
 */
#include "config.h"
#include "probes.h"
#include "stats.h"
#include "stream.h"

#define WINDOW_MIN	12	/* devices know no smaller one */
#define WINDOW_GZIP	16

/* Whether a window, with zlib's marks for raw and gzip, is one that devices have. */
static bool window_fits(int bits)
{
	if (bits < 0)
		bits = -bits;
	else if (bits > MAX_WBITS)
		bits -= WINDOW_GZIP;
	return bits >= WINDOW_MIN;
}

PUBLIC int ZEXPORT deflateInit2_(z_streamp strm, int level, int method, int window_bits, int mem_level, int strategy,
				 const char *version, int stream_size)
{
	int ret = zlib_deflateInit2_(strm, level, method, window_bits, mem_level, strategy, version, stream_size);

	if (ret != Z_OK)
		return ret;
	wdz_config();
	wdz_count_for(__builtin_return_address(0), WDZ_DEFLATE_STREAMS, 1);
	if (window_fits(window_bits) && wdz_stream_wants(level, strategy) &&
	    wdz_device_may(__builtin_return_address(0)))
		wdz_stream_open(strm, level, window_bits, mem_level, strategy);
	return ret;
}

PUBLIC int ZEXPORT deflateInit_(z_streamp strm, int level, const char *version, int stream_size)
{
	int ret = zlib_deflateInit_(strm, level, version, stream_size);

	if (ret != Z_OK)
		return ret;
	wdz_config();
	wdz_count_for(__builtin_return_address(0), WDZ_DEFLATE_STREAMS, 1);
	if (wdz_stream_wants(level, Z_DEFAULT_STRATEGY) && wdz_device_may(__builtin_return_address(0)))
		wdz_stream_open(strm, level, MAX_WBITS, WDZ_MEM_LEVEL, Z_DEFAULT_STRATEGY);
	return ret;
}

/* The rank of a flush: NO, BLOCK, PARTIAL, SYNC, FULL, FINISH. */
static int rank(int flush)
{
	return flush * 2 - (flush > Z_FINISH ? 9 : 0);
}

static int stage_run(struct wdz_stream *s, int flush)
{
	switch (s->stage) {
	case WDZ_GATHER:
		return wdz_gather(s, flush);
	case WDZ_DRAIN:
		return wdz_drain(s, flush);
	case WDZ_DEVICE:
		return wdz_device(s, flush);
	default:
		return wdz_tail(s, flush);
	}
}

/* Whether output of earlier calls can come without new input. */
static bool has_output(const struct wdz_stream *s)
{
	unsigned int pending = 0;

	if (s->stage == WDZ_TAIL)
		zlib_deflatePending((z_streamp)(uintptr_t)&s->raw, &pending, NULL);
	return s->stage == WDZ_DRAIN || s->first != s->open || pending || wdz_output_pending(s);
}

static int stream_deflate(struct wdz_stream *s, int flush)
{
	z_streamp strm = s->strm;
	int old = s->last_flush, ret;

	if (s->stage == WDZ_BY_ZLIB)
		return wdz_zlib_deflate(s, flush);
	if (flush < 0 || flush > Z_BLOCK)
		return Z_STREAM_ERROR;
	if (!strm->next_out || (strm->avail_in && !strm->next_in) || (s->ending && flush != Z_FINISH))
		return wdz_fail(strm, Z_STREAM_ERROR);
	if (!strm->avail_out)
		return wdz_fail(strm, Z_BUF_ERROR);
	s->last_flush = flush;
	s->begun = true;
	/* zlib: a flush that follows one of a lower rank is not a repetition, and writes its end again. */
	if (rank(flush) < rank(s->marked))
		s->marked = Z_NO_FLUSH;
	if (!has_output(s) && !strm->avail_in && rank(flush) <= rank(old) && flush != Z_FINISH)
		return wdz_fail(strm, Z_BUF_ERROR);
	if (s->ending && strm->avail_in)
		return wdz_fail(strm, Z_BUF_ERROR);
	ret = stage_run(s, flush);
	/* A call that ran out of room may be repeated. */
	if (!strm->avail_out)
		s->last_flush = -1;
	return ret;
}

PUBLIC int ZEXPORT deflate(z_streamp strm, int flush)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	return s ? stream_deflate(s, flush) : zlib_deflate(strm, flush);
}

static bool is_zlibs(const struct wdz_stream *s)
{
	return s->stage == WDZ_DRAIN || s->stage == WDZ_BY_ZLIB;
}

static void count_ended(const void *caller, const struct wdz_stream *s, z_streamp strm)
{
	if (!s ? strm && strm->zalloc && strm->state : is_zlibs(s) || s->stage == WDZ_GATHER)
		wdz_count_for(caller, WDZ_DEFLATE_ZLIB_BYTES, strm->total_in);
}

/* zlib: the end of a stream within its data is Z_DATA_ERROR. */
static int stream_end(struct wdz_stream *s)
{
	int ret = s->begun && !s->ending ? Z_DATA_ERROR : Z_OK;
	bool zlibs = is_zlibs(s);
	z_streamp strm = s->strm;
	int end;

	wdz_stream_drop(s);
	end = zlib_deflateEnd(strm);
	return zlibs ? end : ret;
}

PUBLIC int ZEXPORT deflateEnd(z_streamp strm)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	count_ended(__builtin_return_address(0), s, strm);
	wdz_stream_ends(WDZ_DEFLATE, s && (s->stage == WDZ_DEVICE || s->stage == WDZ_TAIL), strm);
	return s ? stream_end(s) : zlib_deflateEnd(strm);
}

/* A reset keeps the parameters. zlib doesn't know those that were set while parts were made. */
static int stream_reset(struct wdz_stream *s, int (*reset)(z_streamp strm))
{
	z_streamp strm = s->strm;
	int ret;

	wdz_lend(s);
	ret = reset(strm);
	zlib_deflateParams(strm, s->level, s->strategy);
	wdz_take_back(s);
	wdz_stream_reset(s);
	if (s->tuned || !wdz_stream_wants(s->level, s->strategy))
		wdz_stream_drop(s);
	return ret;
}

PUBLIC int ZEXPORT deflateReset(z_streamp strm)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	count_ended(__builtin_return_address(0), s, strm);
	return s ? stream_reset(s, zlib_deflateReset) : zlib_deflateReset(strm);
}

PUBLIC int ZEXPORT deflateResetKeep(z_streamp strm)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	count_ended(__builtin_return_address(0), s, strm);
	return s ? stream_reset(s, zlib_deflateResetKeep) : zlib_deflateResetKeep(strm);
}

PUBLIC int ZEXPORT deflateCopy(z_streamp dest, z_streamp source)
{
	struct wdz_stream *s = wdz_stream_of(source);
	int ret;

	if (!s || !dest)
		return zlib_deflateCopy(dest, source);
	wdz_parts_finish(s);
	wdz_lend(s);
	ret = zlib_deflateCopy(dest, source);
	wdz_take_back(s);
	return ret == Z_OK ? wdz_stream_copy(dest, s) : ret;
}

PUBLIC uLong ZEXPORT deflateBound(z_streamp strm, uLong source_len)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	uLong bound;

	if (!s)
		return zlib_deflateBound(strm, source_len);
	wdz_lend(s);
	bound = zlib_deflateBound(strm, source_len);
	wdz_take_back(s);
	return bound;
}

PUBLIC int ZEXPORT deflateSetHeader(z_streamp strm, gz_headerp head)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	int ret;

	if (!s)
		return zlib_deflateSetHeader(strm, head);
	/* Too late for zlib, too: it has written the header. */
	if (s->begun)
		return s->wrap == WDZ_GZIP ? Z_OK : Z_STREAM_ERROR;
	wdz_lend(s);
	ret = zlib_deflateSetHeader(strm, head);
	wdz_take_back(s);
	if (ret == Z_OK)
		s->header = head;
	return ret;
}

PUBLIC int ZEXPORT deflatePending(z_streamp strm, unsigned *pending, int *bits)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	int ret;

	if (!s)
		return zlib_deflatePending(strm, pending, bits);
	if (s->stage == WDZ_TAIL && !wdz_output_pending(s))
		return zlib_deflatePending(&s->raw, pending, bits);
	wdz_lend(s);
	ret = zlib_deflatePending(strm, pending, bits);
	wdz_take_back(s);
	if (pending)
		*pending = (is_zlibs(s) ? *pending : 0) + (unsigned int)wdz_output_pending(s);
	return ret;
}

/*
 * A stream between stream_lend() and stream_return(), for a call that only zlib can do. to: the z_stream that goes on,
 * which is the caller's, or the raw one behind parts.
 */
struct lent {
	z_streamp to;
	struct wdz_stream *s;
};

/* Parts end here. give: the caller may get output. False: no memory. */
static bool stream_lend(struct wdz_stream *s, bool give, struct lent *lent)
{
	z_streamp strm = s->strm;

	*lent = (struct lent){ .to = &s->raw };
	if (s->stage == WDZ_DEVICE)
		wdz_tail_begin(s);
	if (s->stage == WDZ_TAIL)
		return true;
	if (s->stage != WDZ_BY_ZLIB && !wdz_gather_end(s, give))
		return false;
	*lent = (struct lent){ .to = strm, .s = s };
	wdz_lend(s);
	return true;
}

static void stream_return(const struct lent *lent)
{
	if (lent->s)
		wdz_take_back(lent->s);
}

PUBLIC int ZEXPORT deflatePrime(z_streamp strm, int bits, int value)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	struct lent lent;
	int ret;

	if (!s)
		return zlib_deflatePrime(strm, bits, value);
	if (!stream_lend(s, false, &lent))
		return Z_BUF_ERROR;
	ret = zlib_deflatePrime(lent.to, bits, value);
	stream_return(&lent);
	return ret;
}

PUBLIC int ZEXPORT deflateTune(z_streamp strm, int good_length, int max_lazy, int nice_length, int max_chain)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	struct lent lent;
	int ret;

	if (!s)
		return zlib_deflateTune(strm, good_length, max_lazy, nice_length, max_chain);
	if (!stream_lend(s, false, &lent))
		return Z_STREAM_ERROR;
	s->tuned = true;
	ret = zlib_deflateTune(lent.to, good_length, max_lazy, nice_length, max_chain);
	stream_return(&lent);
	return ret;
}

/* zlib has one for 0, one for 1 .. 3, and one for 4 .. 9. */
static int approach(int level)
{
	return (level > 0) + (level > 3);
}

/* New parameters for what follows the input that is there. */
static int device_params(struct wdz_stream *s, int level, int strategy)
{
	z_streamp strm = s->strm;

	if (level == s->level && strategy == s->strategy)
		return Z_OK;
	/* Nothing follows the end: zlib refuses parameters that would end a block. */
	if (s->ending) {
		if (strategy != s->strategy || approach(level) != approach(s->level))
			return Z_STREAM_ERROR;
		s->level = level;
		return Z_OK;
	}
	if (strm->avail_in && (!strm->next_in || !strm->next_out))
		return Z_STREAM_ERROR;
	if (!wdz_device_take(s))
		return Z_BUF_ERROR;
	if (!wdz_stream_wants(level, strategy)) {
		wdz_tail_begin(s);
		return wdz_tail_params(s, level, strategy);
	}
	wdz_parts_finish(s);
	s->level = level;
	return wdz_raw_open(s) ? Z_OK : Z_STREAM_ERROR;
}

static int fresh_params(struct wdz_stream *s, int level, int strategy)
{
	int ret;

	wdz_lend(s);
	ret = zlib_deflateParams(s->strm, level, strategy);
	wdz_take_back(s);
	s->level = level;
	return ret;
}

/* zlib compresses earlier input by the old parameters. The stream is small so far, or already zlib's own. */
static int begun_params(struct wdz_stream *s, int level, int strategy)
{
	struct lent lent;
	int ret;

	if (!stream_lend(s, true, &lent))
		return Z_BUF_ERROR;
	ret = zlib_deflateParams(lent.to, level, strategy);
	stream_return(&lent);
	if (ret == Z_OK) {
		s->level = level;
		s->strategy = strategy;
	}
	return ret;
}

PUBLIC int ZEXPORT deflateParams(z_streamp strm, int level, int strategy)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	if (!s)
		return zlib_deflateParams(strm, level, strategy);
	if (level == Z_DEFAULT_COMPRESSION)
		level = 6;
	if (level < 0 || level > 9 || strategy < 0 || strategy > Z_FIXED)
		return Z_STREAM_ERROR;
	if (s->stage == WDZ_DEVICE)
		return device_params(s, level, strategy);
	if (s->stage == WDZ_TAIL)
		return wdz_tail_params(s, level, strategy);
	if (!s->begun && wdz_stream_wants(level, strategy))
		return fresh_params(s, level, strategy);
	return begun_params(s, level, strategy);
}

#if ZLIB_VERNUM >= 0x1320
PUBLIC z_size_t ZEXPORT deflateBound_z(z_streamp strm, z_size_t source_len)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	z_size_t bound;

	if (!s)
		return zlib_deflateBound_z(strm, source_len);
	wdz_lend(s);
	bound = zlib_deflateBound_z(strm, source_len);
	wdz_take_back(s);
	return bound;
}

/* Parts end at a byte. */
PUBLIC int ZEXPORT deflateUsed(z_streamp strm, int *bits)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	int ret;

	if (!s)
		return zlib_deflateUsed(strm, bits);
	if (s->stage == WDZ_TAIL)
		return zlib_deflateUsed(&s->raw, bits);
	wdz_lend(s);
	ret = zlib_deflateUsed(strm, bits);
	wdz_take_back(s);
	if (bits && s->stage == WDZ_DEVICE)
		*bits = 8;
	return ret;
}
#endif
