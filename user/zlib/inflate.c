// SPDX-License-Identifier: Apache-2.0
/*
 * zlib's functions for inflate streams. A stream is fresh until its first inflate(). Then a device does all of it,
 * or it is bound to a device (WD_ZLIB_INFLATE=stream), or it is zlib's own for good.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "config.h"
#include "inflate.h"
#include "probes.h"
#include "stats.h"
#include "stream.h"

#define TRAILER_MAX	8

/**
 * struct inflate_stream - our state of a stream that a device has, or may get
 * @magic: tells it from zlib's own state, which begins with a pointer to the caller's z_stream
 * @zlib_state: zlib's own state, as after inflateInit2()
 * @sess: the device's stream, or 0
 * @owed: the device has had one byte more than the caller knows of
 * @over: the device is at the end, but the caller has not brought that byte again
 * @last: the last bytes that were consumed: at the end, the trailer
 * @again: the input that the device has had
 * @failed: what each further call returns
 * @behind: the device has failed, and zlib has yet to take what is kept
 */
struct inflate_stream {
	const void *magic;
	z_streamp strm;
	struct internal_state *zlib_state;
	enum wdz_format format;
	enum wd_comp_alg_type alg;
	handle_t sess;
	bool owed, over, behind;
	struct wdz_again again;
	int failed;
	unsigned char last[TRAILER_MAX];
};

static const char inflate_magic;

static struct inflate_stream *stream_of(z_streamp strm)
{
	struct inflate_stream *s;

	/* As zlib: a z_stream without these isn't initialized. */
	if (!strm || !strm->zalloc || !strm->zfree || !strm->state)
		return NULL;
	s = (struct inflate_stream *)(void *)strm->state;
	return s->magic == &inflate_magic && s->strm == strm ? s : NULL;
}

static bool format_of(int window_bits, enum wdz_format *format)
{
	if (window_bits == -MAX_WBITS)
		*format = WDZ_FORMAT_RAW;
	else if (window_bits == MAX_WBITS || !window_bits)
		*format = WDZ_FORMAT_ZLIB;
	else if (window_bits == MAX_WBITS + 16)
		*format = WDZ_FORMAT_GZIP;
	else if (window_bits == MAX_WBITS + 32)
		*format = WDZ_FORMAT_EITHER;
	else
		return false;
	return true;
}

static void to_zlib(struct inflate_stream *s)
{
	s->strm->state = s->zlib_state;
	if (s->sess)
		wdz_session_close(s->sess);
	wdz_again_free(&s->again);
	free(s);
}

/*
 * Before all calls but inflate(): the stream becomes zlib's own. False: a device has begun it, and zlib has no state to
 * go on from.
 */
static bool hand_back(z_streamp strm)
{
	struct inflate_stream *s = stream_of(strm);

	if (s && (s->sess || s->behind))
		return false;
	if (s)
		to_zlib(s);
	return true;
}

/* Without memory the stream stays zlib's own. */
static void stream_open(z_streamp strm, int window_bits, const void *caller)
{
	const struct wdz_config *config = wdz_config();
	enum wdz_format format;
	struct inflate_stream *s;

	wdz_count_for(caller, WDZ_INFLATE_STREAMS, 1);
	if (config->inflate == WDZ_INFLATE_OFF || !format_of(window_bits, &format) || !wdz_device_may(caller))
		return;
	s = calloc(1, sizeof(*s));
	if (!s)
		return;
	s->magic = &inflate_magic;
	s->strm = strm;
	s->zlib_state = strm->state;
	s->format = format;
	strm->state = (struct internal_state *)(void *)s;
}

PUBLIC int ZEXPORT inflateInit2_(z_streamp strm, int window_bits, const char *version, int stream_size)
{
	int ret = zlib_inflateInit2_(strm, window_bits, version, stream_size);

	if (ret == Z_OK)
		stream_open(strm, window_bits, __builtin_return_address(0));
	return ret;
}

PUBLIC int ZEXPORT inflateInit_(z_streamp strm, const char *version, int stream_size)
{
	int ret = zlib_inflateInit_(strm, version, stream_size);

	if (ret == Z_OK)
		stream_open(strm, MAX_WBITS, __builtin_return_address(0));
	return ret;
}

/* Brings zlib's own state to the end of a stream, by way of an empty one. */
static void state_end(z_streamp strm, enum wd_comp_alg_type alg)
{
	static const unsigned char empty_zlib[] = { 0x78, 0x9c, 0x03, 0, 0, 0, 0, 1 };
	static const unsigned char empty_gzip[] = {
		0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0
	};
	static const unsigned char empty_raw[] = { 0x03, 0 };
	static const struct {
		const unsigned char *at;
		uInt len;
	} empty[] = {
		[WD_ZLIB] = { empty_zlib, sizeof(empty_zlib) },
		[WD_GZIP] = { empty_gzip, sizeof(empty_gzip) },
		[WD_DEFLATE_RAW] = { empty_raw, sizeof(empty_raw) },
	};
	z_stream callers = *strm;
	unsigned char none;

	strm->next_in = empty[alg].at;
	strm->avail_in = empty[alg].len;
	strm->next_out = &none;
	strm->avail_out = 1;
	zlib_inflate(strm, Z_SYNC_FLUSH);
	strm->next_in = callers.next_in;
	strm->avail_in = callers.avail_in;
	strm->total_in = callers.total_in;
	strm->next_out = callers.next_out;
	strm->avail_out = callers.avail_out;
	strm->total_out = callers.total_out;
}

static void advance(z_streamp strm, size_t consumed, size_t produced)
{
	strm->next_in += consumed;
	strm->avail_in -= (uInt)consumed;
	strm->total_in += consumed;
	strm->next_out += produced;
	strm->avail_out -= (uInt)produced;
	strm->total_out += produced;
}

/* The checksum in a trailer. */
static uLong trailer_sum(enum wd_comp_alg_type alg, const unsigned char *trailer)
{
	const unsigned char *at = trailer + TRAILER_MAX;

	if (alg == WD_ZLIB)
		return (uLong)at[-4] << 24 | (uLong)at[-3] << 16 | (uLong)at[-2] << 8 | at[-1];
	return (uLong)at[-5] << 24 | (uLong)at[-6] << 16 | (uLong)at[-7] << 8 | at[-8];
}

/* After the end of a stream by a device. trailer: its last bytes, which the device has compared with the data. */
static int device_end(struct inflate_stream *s, enum wd_comp_alg_type alg, const unsigned char *trailer)
{
	z_streamp strm = s->strm;

	to_zlib(s);
	state_end(strm, alg);
	if (alg != WD_DEFLATE_RAW)
		strm->adler = trailer_sum(alg, trailer);
	wdz_stream_ends(WDZ_INFLATE, true, strm);
	return Z_STREAM_END;
}

/*
 * Counts here, and not where a stream ends: many streams are reset and never ended, and a device may have had them
 * before.
 */
static int step_by_zlib(z_streamp strm, int flush, const void *caller)
{
	uLong before;
	int ret;

	if (!wdz_counting || !strm)
		return zlib_inflate(strm, flush);
	before = strm->total_out;
	ret = zlib_inflate(strm, flush);
	if (strm->total_out != before)
		wdz_count_for(caller, WDZ_INFLATE_ZLIB_BYTES, strm->total_out - before);
	return ret;
}

/* *ret is what inflate() returns. False: nothing has happened, and no device does it. */
static bool whole_inflate(struct inflate_stream *s, int *ret)
{
	z_streamp strm = s->strm;
	const unsigned char *src = strm->next_in;
	size_t produced = strm->avail_out;
	struct wd_comp_arg arg = {
		.src = src, .src_len = strm->avail_in, .dst = strm->next_out, .dst_len = &produced,
	};
	enum wd_comp_alg_type alg;

	if (!wdz_whole(s->format, &arg, &alg))
		return false;
	advance(strm, arg.consumed, produced);
	*ret = device_end(s, alg, src + arg.consumed - TRAILER_MAX);
	return true;
}

/* The last bytes of all that was consumed. */
static void last_keep(struct inflate_stream *s, const unsigned char *at, size_t len)
{
	size_t n = len < TRAILER_MAX ? len : TRAILER_MAX;

	memmove(s->last, s->last + n, TRAILER_MAX - n);
	if (n)
		memcpy(s->last + TRAILER_MAX - n, at + len - n, n);
}

/* The checksum of the output so far. Its kind, which may be none, is known since the stream was bound. */
static void stream_sum(struct inflate_stream *s, size_t produced)
{
	const struct wdz_library *lib = wdz_library();
	const unsigned char *at = s->strm->next_out;
	__u32 adler = (__u32)s->strm->adler;

	if (s->alg == WD_ZLIB)
		s->strm->adler = lib->adler32(adler, at, produced);
	else if (s->alg == WD_GZIP)
		s->strm->adler = lib->crc32(adler, at, produced);
	else if (!s->again.lost)
		s->again.sum = lib->crc32((__u32)s->again.sum, at, produced);
}

static int stream_end(struct inflate_stream *s)
{
	unsigned char last[TRAILER_MAX];

	memcpy(last, s->last, sizeof(last));
	s->owed = s->over = false;
	/* The caller has got what the device has made wrong. */
	if (s->alg != WD_DEFLATE_RAW && s->strm->adler != trailer_sum(s->alg, last)) {
		s->failed = Z_DATA_ERROR;
		return wdz_fail(s->strm, Z_DATA_ERROR);
	}
	return device_end(s, s->alg, last);
}

/*
 * The number of bytes that the caller sees as consumed, of those that the device has consumed. zlib consumes a trailer
 * when all output is out, and gzread() ends with the input. A device consumes all that it gets: so while output fills
 * the room, the last byte doesn't count as consumed.
 */
static size_t consumed_for_caller(struct inflate_stream *s, size_t had, bool full)
{
	bool more = s->strm->avail_in > had;

	if (!had)
		return 0;
	s->owed = full && !more;
	return had - s->owed;
}

/* zlib takes the device's input again before it takes the caller's. */
static int behind_inflate(struct inflate_stream *s, int flush, const void *caller)
{
	z_streamp strm = s->strm;
	uLong before = strm->total_out;
	int ret = Z_OK;

	strm->state = s->zlib_state;
	if (s->again.used < s->again.len)
		ret = wdz_again_step(&s->again, strm, flush == Z_FINISH ? Z_NO_FLUSH : flush);
	wdz_count_for(caller, WDZ_INFLATE_ZLIB_BYTES, strm->total_out - before);
	if ((ret == Z_OK || ret == Z_BUF_ERROR) && s->again.used < s->again.len) {
		strm->state = (struct internal_state *)(void *)s;
		return flush == Z_FINISH ? Z_BUF_ERROR : ret;
	}
	to_zlib(s);
	if (ret != Z_OK && ret != Z_BUF_ERROR)
		return ret;
	ret = step_by_zlib(strm, flush, caller);
	return ret == Z_BUF_ERROR && flush != Z_FINISH && strm->total_out != before ? Z_OK : ret;
}

/*
 * No further call asks the device. zlib begins again if the input is there; otherwise the device's error is the result.
 * Data that the device calls wrong may be its own fault, and zlib's errors say more.
 */
static int stream_failed(struct inflate_stream *s, int err, int flush, const void *caller)
{
	z_streamp strm = s->strm;
	int ret;

	wdz_stream_failed(s->alg, err);
	/* The caller brings that byte again. */
	if (!s->again.lost)
		s->again.len -= s->owed;
	strm->state = s->zlib_state;
	ret = wdz_again_begin(&s->again, strm);
	strm->state = (struct internal_state *)(void *)s;
	if (ret != Z_OK) {
		s->failed = err == -EBADMSG ? Z_DATA_ERROR : ret;
		return wdz_fail(strm, s->failed);
	}
	wdz_session_close(s->sess);
	s->sess = 0;
	s->owed = s->over = false;
	s->behind = true;
	return behind_inflate(s, flush, caller);
}

/* Also without room: the trailer may be missing still. */
static int stream_inflate(struct inflate_stream *s, int flush, const void *caller)
{
	z_streamp strm = s->strm;
	size_t owed = s->owed && strm->avail_in, consumed = strm->avail_in - owed, produced = strm->avail_out, had;
	const unsigned char *src = strm->next_in + owed;
	struct wd_comp_strm step = { .src = src, .src_len = &consumed, .dst = strm->next_out, .dst_len = &produced };
	int ret = 1;

	if (!strm->next_out || (!strm->next_in && strm->avail_in))
		return Z_STREAM_ERROR;
	if (s->failed)
		return wdz_fail(strm, s->failed);
	if (s->over)
		consumed = produced = 0;
	else
		ret = wdz_strm_decompress(s->sess, &step);
	if (ret < 0 && ret != -ENOSPC)
		return stream_failed(s, ret, flush, caller);
	wdz_again_keep(&s->again, src, consumed);
	last_keep(s, src, consumed);
	stream_sum(s, produced);
	wdz_count(WDZ_INFLATE_DEVICE_BYTES, produced);
	s->over = ret == 1 && s->owed && !owed;
	had = consumed_for_caller(s, owed + consumed, ret != 1 && produced == strm->avail_out);
	advance(strm, had, produced);
	if (ret == 1 && !s->over)
		return stream_end(s);
	if (flush == Z_FINISH)
		return Z_BUF_ERROR;
	return had || produced ? Z_OK : wdz_fail(strm, Z_BUF_ERROR);
}

static bool stream_bind(struct inflate_stream *s, int flush)
{
	z_streamp strm = s->strm;

	if (wdz_config()->inflate != WDZ_INFLATE_STREAM || flush == Z_BLOCK || flush == Z_TREES ||
	    strm->avail_in < wdz_config()->min || !wdz_head_alg(s->format, strm->next_in, strm->avail_in, &s->alg) ||
	    !wdz_library())
		return false;
	s->sess = wdz_session_stream(s->alg);
	s->again.raw = s->alg == WD_DEFLATE_RAW;
	if (s->sess && s->alg != WD_DEFLATE_RAW)
		strm->adler = s->alg == WD_ZLIB;
	return s->sess;
}

PUBLIC int ZEXPORT inflate(z_streamp strm, int flush)
{
	const void *caller = __builtin_return_address(0);
	struct inflate_stream *s = stream_of(strm);
	int ret;

	if (!s)
		return step_by_zlib(strm, flush, caller);
	if (s->sess)
		return stream_inflate(s, flush, caller);
	if (s->behind)
		return behind_inflate(s, flush, caller);
	if (strm->next_in && strm->next_out && strm->avail_out) {
		/* Some programs, such as HDF5, bring all input and ask for no end. */
		if ((flush == Z_FINISH || (flush == Z_SYNC_FLUSH && strm->avail_out > strm->avail_in)) &&
		    whole_inflate(s, &ret))
			return ret;
		if (flush != Z_FINISH && stream_bind(s, flush))
			return stream_inflate(s, flush, caller);
	}
	to_zlib(s);
	return step_by_zlib(strm, flush, caller);
}

/* A stream that a device has begun is fresh again. */
static void stream_restart(z_streamp strm)
{
	struct inflate_stream *s = stream_of(strm);

	if (!s || (!s->sess && !s->behind))
		return;
	if (s->sess)
		wdz_session_close(s->sess);
	s->sess = 0;
	s->owed = s->over = s->behind = false;
	s->failed = 0;
	wdz_again_free(&s->again);
}

PUBLIC int ZEXPORT inflateEnd(z_streamp strm)
{
	stream_restart(strm);
	hand_back(strm);
	return zlib_inflateEnd(strm);
}

/* These end what a stream has begun, and leave it fresh. */
static int stream_reset(z_streamp strm, int (*reset)(z_streamp strm))
{
	struct inflate_stream *s = stream_of(strm);
	int ret;

	if (!s)
		return reset(strm);
	stream_restart(strm);
	strm->state = s->zlib_state;
	ret = reset(strm);
	strm->state = (struct internal_state *)(void *)s;
	return ret;
}

PUBLIC int ZEXPORT inflateReset(z_streamp strm)
{
	return stream_reset(strm, zlib_inflateReset);
}

PUBLIC int ZEXPORT inflateResetKeep(z_streamp strm)
{
	return stream_reset(strm, zlib_inflateResetKeep);
}

PUBLIC int ZEXPORT inflateReset2(z_streamp strm, int window_bits)
{
	stream_restart(strm);
	hand_back(strm);
	return zlib_inflateReset2(strm, window_bits);
}

PUBLIC int ZEXPORT inflateSetDictionary(z_streamp strm, const Bytef *dictionary, uInt length)
{
	return hand_back(strm) ? zlib_inflateSetDictionary(strm, dictionary, length) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateGetDictionary(z_streamp strm, Bytef *dictionary, uInt *length)
{
	return hand_back(strm) ? zlib_inflateGetDictionary(strm, dictionary, length) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateSync(z_streamp strm)
{
	return hand_back(strm) ? zlib_inflateSync(strm) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateSyncPoint(z_streamp strm)
{
	return hand_back(strm) ? zlib_inflateSyncPoint(strm) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateCopy(z_streamp dest, z_streamp source)
{
	return hand_back(source) ? zlib_inflateCopy(dest, source) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflatePrime(z_streamp strm, int bits, int value)
{
	return hand_back(strm) ? zlib_inflatePrime(strm, bits, value) : Z_STREAM_ERROR;
}

PUBLIC long ZEXPORT inflateMark(z_streamp strm)
{
	return hand_back(strm) ? zlib_inflateMark(strm) : -65536;
}

PUBLIC int ZEXPORT inflateGetHeader(z_streamp strm, gz_headerp head)
{
	return hand_back(strm) ? zlib_inflateGetHeader(strm, head) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateUndermine(z_streamp strm, int subvert)
{
	return hand_back(strm) ? zlib_inflateUndermine(strm, subvert) : Z_STREAM_ERROR;
}

PUBLIC int ZEXPORT inflateValidate(z_streamp strm, int check)
{
	return hand_back(strm) ? zlib_inflateValidate(strm, check) : Z_STREAM_ERROR;
}

PUBLIC unsigned long ZEXPORT inflateCodesUsed(z_streamp strm)
{
	return hand_back(strm) ? zlib_inflateCodesUsed(strm) : (unsigned long)-1;
}
