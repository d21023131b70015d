// SPDX-License-Identifier: Apache-2.0
/* Dictionaries of deflate streams. */
#include <string.h>

#include "stream.h"

static int dictionary_to_zlib(struct wdz_stream *s, const Bytef *dictionary, uInt length)
{
	int ret;

	wdz_lend(s);
	ret = zlib_deflateSetDictionary(s->strm, dictionary, length);
	wdz_take_back(s);
	return ret;
}

/*
 * zlib takes a dictionary with a zlib header only before the first deflate(), with a gzip header never, raw while no
 * data waits.
 */
PUBLIC int ZEXPORT deflateSetDictionary(z_streamp strm, const Bytef *dictionary, uInt length)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	if (!s)
		return zlib_deflateSetDictionary(strm, dictionary, length);
	if (s->stage == WDZ_BY_ZLIB)
		return dictionary_to_zlib(s, dictionary, length);
	if (!dictionary || s->wrap == WDZ_GZIP || (s->wrap == WDZ_ZLIB && s->begun))
		return Z_STREAM_ERROR;
	if (s->stage == WDZ_TAIL)
		return zlib_deflateSetDictionary(&s->raw, dictionary, length);
	if (wdz_part(s, s->open)->in_len > s->drained && (s->stage != WDZ_DEVICE || wdz_open_has_data(s)))
		return Z_STREAM_ERROR;
	if (s->stage == WDZ_DEVICE) {
		wdz_tail_begin(s);
		return zlib_deflateSetDictionary(&s->raw, dictionary, length);
	}
	/* For a raw stream it is an offer: zlib may refer to it, parts don't. A zlib header would name it. */
	if (s->wrap == WDZ_ZLIB)
		wdz_stream_to_zlib(s);
	return dictionary_to_zlib(s, dictionary, length);
}

/* The end of the input so far, out of the parts that the ring still has, from the open one backwards. */
static uInt window_get(struct wdz_stream *s, Bytef *dictionary)
{
	size_t size = (size_t)1 << s->window_bits, have = 0, n;
	unsigned long back = s->stage == WDZ_DEVICE && !wdz_open_has_data(s), first;
	const struct wdz_part *p;

	for (first = back; have < size && first < s->ring && first <= s->open; first++)
		have += wdz_part(s, s->open - first)->in_len;
	if (have > size)
		have = size;
	for (size = have; size && dictionary; size -= n, back++) {
		p = wdz_part(s, s->open - back);
		n = p->in_len < size ? p->in_len : size;
		if (n)
			memcpy(dictionary + size - n, p->in + p->in_len - n, n);
	}
	return (uInt)have;
}

/*
 * Before there are parts: the window of zlib, which may have got a dictionary, and then the input that it has not taken
 * yet.
 */
static uInt gathered_get(struct wdz_stream *s, Bytef *dictionary)
{
	const struct wdz_part *p = wdz_part(s, s->open);
	size_t size = (size_t)1 << s->window_bits, n = p->in_len - s->drained, gone;
	uInt have = 0;

	if (n > size)
		n = size;
	wdz_lend(s);
	zlib_deflateGetDictionary(s->strm, dictionary, &have);
	wdz_take_back(s);
	gone = have + n > size ? have + n - size : 0;
	if (dictionary && n) {
		memmove(dictionary, dictionary + gone, have - gone);
		memcpy(dictionary + have - gone, p->in + p->in_len - n, n);
	}
	return (uInt)(have - gone + n);
}

PUBLIC int ZEXPORT deflateGetDictionary(z_streamp strm, Bytef *dictionary, uInt *length)
{
	struct wdz_stream *s = wdz_stream_of(strm);
	uInt have;

	if (!s)
		return zlib_deflateGetDictionary(strm, dictionary, length);
	if (s->stage == WDZ_TAIL)
		return zlib_deflateGetDictionary(&s->raw, dictionary, length);
	have = s->stage == WDZ_DEVICE ? window_get(s, dictionary) : gathered_get(s, dictionary);
	if (length)
		*length = have;
	return Z_OK;
}
