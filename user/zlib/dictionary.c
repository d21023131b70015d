// SPDX-License-Identifier: Apache-2.0
/* Dictionaries of deflate streams. */
#include <string.h>

#include "stream.h"

/* zlib: with a zlib header only before the first deflate(), with a gzip header never, raw while no data waits. */
PUBLIC int ZEXPORT deflateSetDictionary(z_streamp strm, const Bytef *dictionary, uInt length)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	if (!s)
		return twin_deflateSetDictionary(strm, dictionary, length);
	if (!dictionary || s->wrap == WDZ_GZIP || (s->wrap == WDZ_ZLIB && s->begun))
		return Z_STREAM_ERROR;
	if (s->stage == WDZ_TAIL)
		return twin_deflateSetDictionary(&s->raw, dictionary, length);
	if (wdz_part(s, s->open)->in_len > s->drained && (s->stage != WDZ_DEVICE || wdz_open_has_data(s)))
		return Z_STREAM_ERROR;
	if (s->stage == WDZ_DEVICE) {
		wdz_parts_finish(s);
		return wdz_tail_begin(s) ? twin_deflateSetDictionary(&s->raw, dictionary, length) : Z_STREAM_ERROR;
	}
	wdz_stream_to_twin(s);
	return twin_deflateSetDictionary(strm, dictionary, length);
}

/* The last bytes of a part's data, before those that are there already. */
static size_t prepend(unsigned char *window, size_t size, size_t have, const struct wdz_part *p, size_t in_len)
{
	size_t n = in_len < size - have ? in_len : size - have;

	if (n)
		memcpy(window + size - have - n, p->in + in_len - n, n);
	return have + n;
}

/* The end of what was taken, from the parts that are still there: the one that is open and the one before. */
static void window_get(struct wdz_stream *s, Bytef *dictionary, uInt *length)
{
	size_t size = (size_t)1 << s->window_bits, have = 0;
	unsigned char window[1 << MAX_WBITS];
	struct wdz_part *open = wdz_part(s, s->open);

	if (s->stage != WDZ_DEVICE || wdz_open_has_data(s))
		have = prepend(window, size, have, open, open->in_len);
	if (s->open && have < size)
		have = prepend(window, size, have, wdz_part(s, s->open - 1), wdz_part(s, s->open - 1)->in_len);
	if (dictionary && have)
		memcpy(dictionary, window + size - have, have);
	if (length)
		*length = (uInt)have;
}

PUBLIC int ZEXPORT deflateGetDictionary(z_streamp strm, Bytef *dictionary, uInt *length)
{
	struct wdz_stream *s = wdz_stream_of(strm);

	if (!s)
		return twin_deflateGetDictionary(strm, dictionary, length);
	if (s->stage == WDZ_TAIL)
		return twin_deflateGetDictionary(&s->raw, dictionary, length);
	window_get(s, dictionary, length);
	return Z_OK;
}
