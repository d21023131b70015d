// SPDX-License-Identifier: Apache-2.0
/* Each way in which programs call libzstd. */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "way.h"

static _Thread_local unsigned char *data, *packed, *back;
static _Thread_local size_t len, room;

static size_t simple(void)
{
	return ZSTD_compress(packed, room, data, len, 3);
}

static size_t cctx(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret = ZSTD_compressCCtx(c, packed, room, data, len, 1);

	ZSTD_freeCCtx(c);
	return ret;
}

static size_t without_dict(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret = ZSTD_compress_usingDict(c, packed, room, data, len, NULL, 0, 3);

	ZSTD_freeCCtx(c);
	return ret;
}

/* A context of whatever the caller sets. */
static size_t compress2(ZSTD_CCtx *c)
{
	size_t ret = ZSTD_compress2(c, packed, room, data, len);

	ZSTD_freeCCtx(c);
	return ret;
}

static size_t two(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	return compress2(c);
}

static size_t workers(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret = ZSTD_compress2(c, packed, room, data, len);

	/* After frames that devices had, it must be possible still. */
	if (!ZSTD_isError(ret))
		ret = ZSTD_CCtx_setParameter(c, ZSTD_c_nbWorkers, 2);
	if (ZSTD_isError(ret))
		return ret;
	return compress2(c);
}

static size_t long_distance(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, 1);
	return compress2(c);
}

static size_t level_19(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 19);
	return compress2(c);
}

static size_t own_matches(void *state, ZSTD_Sequence *out, size_t n, const void *src, size_t src_n, const void *dict,
			  size_t dict_n, int level, size_t window)
{
	(void)state, (void)n, (void)src, (void)dict, (void)dict_n, (void)level, (void)window;
	out[0] = (ZSTD_Sequence){ .litLength = (unsigned int)src_n };
	return 1;
}

static size_t own_producer(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_registerSequenceProducer(c, NULL, own_matches);
	return compress2(c);
}

static size_t parameters(void)
{
	ZSTD_CCtx_params *p = ZSTD_createCCtxParams();
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret;

	ZSTD_CCtxParams_setParameter(p, ZSTD_c_compressionLevel, 2);
	ret = ZSTD_CCtx_setParametersUsingCCtxParams(c, p);
	ZSTD_freeCCtxParams(p);
	return ZSTD_isError(ret) ? ret : compress2(c);
}

static size_t fixed_memory(void)
{
	size_t n = ZSTD_estimateCCtxSize(3), ret;
	void *memory = malloc(n);
	ZSTD_CCtx *c = ZSTD_initStaticCCtx(memory, n);

	ret = c ? ZSTD_compress2(c, packed, room, data, len) : (size_t)-1;
	free(memory);
	return ret;
}

/* Pieces of that size; flush: after each. */
static size_t stream(ZSTD_CCtx *c, size_t piece, bool flush)
{
	ZSTD_outBuffer out = { .dst = packed, .size = room };
	ZSTD_inBuffer in = { .src = data };
	size_t ret = 0;

	while (!ZSTD_isError(ret) && in.size < len) {
		in.size = len - in.size < piece ? len : in.size + piece;
		do {
			ret = ZSTD_compressStream2(c, &out, &in, flush ? ZSTD_e_flush : ZSTD_e_continue);
		} while (!ZSTD_isError(ret) && (in.pos < in.size || (flush && ret)));
	}
	while (!ZSTD_isError(ret)) {
		ret = ZSTD_compressStream2(c, &out, &in, ZSTD_e_end);
		if (!ret)
			break;
	}
	return ZSTD_isError(ret) ? ret : out.pos;
}

static size_t pieces(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret = stream(c, 30000, false);

	ZSTD_freeCCtx(c);
	return ret;
}

static size_t flushes(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret = stream(c, 100000, true);

	ZSTD_freeCCtx(c);
	return ret;
}

/*
 * Frames of blocks that are worth a device and of blocks that aren't, in turns: libzstd must not have the history of
 * its own search and a device's. Only some data shows it.
 */
static size_t turns(void)
{
	static const unsigned int lens[] = { 9000, 300, 5000, 2000, 12000, 100 };
	size_t all = len, ret = 0, at = 0, i;
	unsigned char *whole = data;

	for (; at + 60000 < all && !ZSTD_isError(ret); at += 2900) {
		ZSTD_CCtx *c = ZSTD_createCCtx();
		ZSTD_outBuffer out = { .dst = packed, .size = room };
		ZSTD_inBuffer in = { .src = whole + at };

		for (i = 0; i < 12 && !ZSTD_isError(ret); i++) {
			in.size += lens[(i + at) % 6];
			ret = ZSTD_compressStream2(c, &out, &in, i < 11 ? ZSTD_e_flush : ZSTD_e_end);
		}
		ZSTD_freeCCtx(c);
		if (ZSTD_isError(ret))
			break;
		ret = ZSTD_decompress(back, len, packed, out.pos);
		if (ret != in.size || memcmp(back, in.src, in.size))
			return (size_t)-ZSTD_error_corruption_detected;
	}
	return ZSTD_isError(ret) ? ret : ZSTD_compress(packed, room, data, len, 3);
}

/* A frame that is given up, parameters that change, and a frame with the context. */
static size_t given_up(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer out = { .dst = packed, .size = room };
	ZSTD_inBuffer in = { .src = data, .size = len / 2 };
	size_t ret = ZSTD_compressStream2(c, &out, &in, ZSTD_e_continue);

	if (!ZSTD_isError(ret))
		ret = ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(ret))
		ret = ZSTD_CCtx_setParameter(c, ZSTD_c_nbWorkers, 1);
	if (!ZSTD_isError(ret))
		ret = stream(c, 100000, false);
	ZSTD_freeCCtx(c);
	return ret;
}

static size_t old_stream(void)
{
	ZSTD_CStream *c = ZSTD_createCStream();
	ZSTD_outBuffer out = { .dst = packed, .size = room };
	ZSTD_inBuffer in = { .src = data, .size = len };
	size_t ret = ZSTD_initCStream(c, 3);

	while (!ZSTD_isError(ret) && in.pos < in.size)
		ret = ZSTD_compressStream(c, &out, &in);
	if (!ZSTD_isError(ret))
		do {
			ret = ZSTD_endStream(c, &out);
		} while (!ZSTD_isError(ret) && ret);
	ZSTD_freeCStream(c);
	return ZSTD_isError(ret) ? ret : out.pos;
}

static size_t dictionary(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_loadDictionary(c, data, 1000);
	return compress2(c);
}

/* For one frame only: the second has none. */
static size_t prefix(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret;

	ZSTD_CCtx_refPrefix(c, data, 1000);
	ret = ZSTD_compress2(c, packed, room, data, len);
	return ZSTD_isError(ret) ? ret : compress2(c);
}

static size_t small(void)
{
	return ZSTD_compress(packed, room, data, 1000, 3);
}

const struct way ways[] = {
	{ "simple", simple, false, false }, { "cctx", cctx, false, false },
	{ "without_dict", without_dict, false, false }, { "two", two, false, false },
	{ "workers", workers, false, false }, { "long_distance", long_distance, false, false },
	{ "level_19", level_19, false, false }, { "own_producer", own_producer, false, false },
	{ "parameters", parameters, false, false }, { "fixed_memory", fixed_memory, false, false },
	{ "turns", turns, false, false }, { "pieces", pieces, false, false }, { "flushes", flushes, false, false },
	{ "given_up", given_up, false, false }, { "old_stream", old_stream, false, false },
	{ "dictionary", dictionary, false, true }, { "prefix", prefix, false, false },
	{ "small", small, true, false },
};

const size_t ways_nr = sizeof(ways) / sizeof(ways[0]);

bool ways_begin(const unsigned char *bytes, size_t n)
{
	len = n;
	room = ZSTD_compressBound(len) + 4096;
	data = malloc(len);
	back = malloc(len);
	packed = malloc(room);
	if (data)
		memcpy(data, bytes, len);
	return data && back && packed;
}

void ways_end(void)
{
	free(data);
	free(back);
	free(packed);
}

const char *way_fails(const struct way *w, const unsigned char **result, size_t *result_len)
{
	size_t n = w->make(), want = w->is_small ? 1000 : len, got;
	ZSTD_DCtx *d;

	if (ZSTD_isError(n))
		return ZSTD_getErrorName(n);
	d = ZSTD_createDCtx();
	if (w->with_dictionary)
		ZSTD_DCtx_loadDictionary(d, data, 1000);
	got = ZSTD_decompressDCtx(d, back, len, packed, n);
	ZSTD_freeDCtx(d);
	if (ZSTD_isError(got))
		return ZSTD_getErrorName(got);
	if (got != want || memcmp(back, data, want))
		return "other data";
	*result = packed;
	*result_len = n;
	return NULL;
}
