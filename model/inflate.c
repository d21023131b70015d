// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Raw deflate decoder (RFC 1951) that can stop at any bit and continue in another request. */
#include "inflate.h"

#define WINDOW		32768u
#define END_OF_BLOCK	256u

static const u16 length_base[29] = {
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
	35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
};
static const u8 length_extra[29] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};
static const u16 dist_base[30] = {
	1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
	1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
};
static const u8 dist_extra[30] = {
	0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
};
static const u8 code_order[WDM_CODE_LENS] = {
	16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
};

static u32 reverse_bits(u32 code, u32 len)
{
	u32 r = 0;

	for (; len; len--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

/* Returns 0 for a complete code, the unused code space if above 0, or -1 for an over-subscribed code. */
static int huff_build(struct wdm_huff *h, const u8 *lens, u32 n)
{
	u16 offset[WDM_HUFF_MAX + 2], next[WDM_HUFF_MAX + 1];
	u32 i, len, code = 0, at;
	int left = 1;

	memset(h->count, 0, sizeof(h->count));
	memset(h->fast, 0, sizeof(h->fast));
	for (i = 0; i < n; i++)
		h->count[lens[i]]++;
	h->count[0] = 0;
	h->max = 0;
	offset[1] = 0;
	for (len = 1; len <= WDM_HUFF_MAX; len++) {
		left = 2 * left - h->count[len];
		if (left < 0)
			return -1;
		if (h->count[len])
			h->max = len;
		offset[len + 1] = (u16)(offset[len] + h->count[len]);
		code = (code + (len > 1 ? h->count[len - 1] : 0)) << 1;
		next[len] = (u16)code;
	}
	for (i = 0; i < n; i++) {
		len = lens[i];
		if (!len)
			continue;
		h->symbol[offset[len]++] = (u16)i;
		code = next[len]++;
		if (len > WDM_HUFF_FAST)
			continue;
		for (at = reverse_bits(code, len); at < 1u << WDM_HUFF_FAST; at += 1u << len)
			h->fast[at] = (u16)(i << 4 | len);
	}
	return left;
}

#define HUFF_NEED	(-1)
#define HUFF_BAD	(-2)

/* Returns symbol << 4 | length, decoded from the low bits of @hold, which holds @bits bits. */
static int huff_decode(const struct wdm_huff *h, u64 hold, u32 bits)
{
	u32 len, code = 0, first = 0, index = 0, count, e = h->fast[hold & ((1u << WDM_HUFF_FAST) - 1)];

	if (e)
		return (e & 15) <= bits ? (int)e : HUFF_NEED;
	for (len = 1; len <= h->max; len++) {
		if (len > bits)
			return HUFF_NEED;
		code |= hold & 1;
		hold >>= 1;
		count = h->count[len];
		if (code < first + count)
			return (int)((u32)h->symbol[index + code - first] << 4 | len);
		index += count;
		first = (first + count) << 1;
		code <<= 1;
	}
	return HUFF_BAD;
}

static void refill(struct wdm_inflate *inf)
{
	while (inf->bits <= 56 && inf->in_used < inf->in_len) {
		inf->hold |= (u64)inf->in[inf->in_used++] << inf->bits;
		inf->bits += 8;
	}
}

static bool need(struct wdm_inflate *inf, u32 n)
{
	if (inf->bits < n)
		refill(inf);
	return inf->bits >= n;
}

static void drop(struct wdm_inflate *inf, u32 n)
{
	inf->hold >>= n;
	inf->bits -= n;
}

static u32 take(struct wdm_inflate *inf, u32 n)
{
	u32 v = inf->hold & ((1u << n) - 1);

	drop(inf, n);
	return v;
}

static void grow(struct wdm_inflate *inf, u32 n)
{
	inf->valid = inf->valid + n < WINDOW ? inf->valid + n : WINDOW;
}

static void fixed_lens(u8 *lens)
{
	memset(lens, 8, 144);
	memset(lens + 144, 9, 112);
	memset(lens + 256, 7, 24);
	memset(lens + 280, 8, 8);
	memset(lens + WDM_LIT_CODES, 5, WDM_DIST_CODES);
}

/* The same rules as zlib's: literals need an end-of-block code; a code may be incomplete only if it has one bit. */
static bool build_codes(struct wdm_inflate *inf)
{
	int left;

	if (inf->fixed) {
		fixed_lens(inf->lens);
		inf->nlen = WDM_LIT_CODES;
		inf->ndist = WDM_DIST_CODES;
	}
	if (!inf->lens[END_OF_BLOCK])
		return false;
	left = huff_build(&inf->lit, inf->lens, inf->nlen);
	if (left < 0 || (left && inf->lit.max != 1))
		return false;
	left = huff_build(&inf->dst, inf->lens + inf->nlen, inf->ndist);
	return left == 0 || (left > 0 && inf->dst.max <= 1);
}

static bool build_code_lens(struct wdm_inflate *inf)
{
	return huff_build(&inf->lit, inf->code_lens, WDM_CODE_LENS) == 0;
}

static void block_end(struct wdm_inflate *inf)
{
	if (!inf->final) {
		inf->mode = WDM_INF_HEADER;
		return;
	}
	drop(inf, inf->bits & 7);
	inf->mode = WDM_INF_TRAILER;
}

static enum wdm_inflate_result do_header(struct wdm_inflate *inf)
{
	if (!need(inf, 3))
		return WDM_INF_NEED_IN;
	inf->final = take(inf, 1);
	switch (take(inf, 2)) {
	case 0:
		drop(inf, inf->bits & 7);
		inf->mode = WDM_INF_STORED_LEN;
		break;
	case 1:
		inf->fixed = true;
		build_codes(inf);
		inf->mode = WDM_INF_CODES;
		break;
	case 2:
		inf->fixed = false;
		inf->mode = WDM_INF_TABLE;
		break;
	default:
		return WDM_INF_BAD;
	}
	return WDM_INF_END;
}

static enum wdm_inflate_result do_stored_len(struct wdm_inflate *inf)
{
	u32 len, inverse;

	if (!need(inf, 32))
		return WDM_INF_NEED_IN;
	len = take(inf, 16);
	inverse = take(inf, 16);
	if (len != (inverse ^ 0xffff))
		return WDM_INF_BAD;
	inf->stored = len;
	inf->mode = WDM_INF_STORED;
	return WDM_INF_END;
}

static enum wdm_inflate_result do_stored(struct wdm_inflate *inf)
{
	u32 n;

	while (inf->stored) {
		if (inf->pos == inf->limit)
			return WDM_INF_NEED_OUT;
		if (inf->bits) {
			inf->out[inf->pos] = (u8)take(inf, 8);
			n = 1;
		} else {
			n = inf->in_len - inf->in_used;
			if (n > inf->stored)
				n = inf->stored;
			if (n > inf->limit - inf->pos)
				n = inf->limit - inf->pos;
			if (!n)
				return WDM_INF_NEED_IN;
			memcpy(inf->out + inf->pos, inf->in + inf->in_used, n);
			inf->in_used += n;
		}
		inf->pos += n;
		inf->stored -= n;
		grow(inf, n);
	}
	block_end(inf);
	return WDM_INF_END;
}

static enum wdm_inflate_result do_table(struct wdm_inflate *inf)
{
	if (!need(inf, 14))
		return WDM_INF_NEED_IN;
	inf->nlen = take(inf, 5) + 257;
	inf->ndist = take(inf, 5) + 1;
	inf->ncode = take(inf, 4) + 4;
	inf->have = 0;
	memset(inf->code_lens, 0, sizeof(inf->code_lens));
	if (inf->nlen > 286 || inf->ndist > 30)
		return WDM_INF_BAD;
	inf->mode = WDM_INF_CODE_LENS;
	return WDM_INF_END;
}

static enum wdm_inflate_result do_code_lens(struct wdm_inflate *inf)
{
	while (inf->have < inf->ncode) {
		if (!need(inf, 3))
			return WDM_INF_NEED_IN;
		inf->code_lens[code_order[inf->have++]] = (u8)take(inf, 3);
	}
	if (!build_code_lens(inf))
		return WDM_INF_BAD;
	inf->have = 0;
	inf->mode = WDM_INF_LENS;
	return WDM_INF_END;
}

static enum wdm_inflate_result do_lens(struct wdm_inflate *inf)
{
	static const u8 extra[3] = { 2, 3, 7 }, base[3] = { 3, 3, 11 };
	u32 symbol, len, repeat;
	int e;

	while (inf->have < inf->nlen + inf->ndist) {
		refill(inf);
		e = huff_decode(&inf->lit, inf->hold, inf->bits);
		if (e < 0)
			return e == HUFF_NEED ? WDM_INF_NEED_IN : WDM_INF_BAD;
		symbol = (u32)e >> 4;
		len = (u32)e & 15;
		if (symbol < 16) {
			drop(inf, len);
			inf->lens[inf->have++] = (u8)symbol;
			continue;
		}
		if (inf->bits < len + extra[symbol - 16])
			return WDM_INF_NEED_IN;
		drop(inf, len);
		repeat = base[symbol - 16] + take(inf, extra[symbol - 16]);
		if ((symbol == 16 && !inf->have) || inf->have + repeat > inf->nlen + inf->ndist)
			return WDM_INF_BAD;
		memset(inf->lens + inf->have, symbol == 16 ? inf->lens[inf->have - 1] : 0, repeat);
		inf->have += repeat;
	}
	if (!build_codes(inf))
		return WDM_INF_BAD;
	inf->mode = WDM_INF_CODES;
	return WDM_INF_END;
}

/* Decodes a whole match or nothing, so that no state between its parts has to be saved. At most 48 bits. */
static enum wdm_inflate_result decode_match(struct wdm_inflate *inf, u32 symbol, u32 used)
{
	u32 length, dist, n;
	int e;

	if (symbol > 28)
		return WDM_INF_BAD;
	n = length_extra[symbol];
	if (inf->bits < used + n)
		return WDM_INF_NEED_IN;
	length = length_base[symbol] + ((inf->hold >> used) & ((1u << n) - 1));
	used += n;
	e = huff_decode(&inf->dst, inf->hold >> used, inf->bits - used);
	if (e < 0)
		return e == HUFF_NEED ? WDM_INF_NEED_IN : WDM_INF_BAD;
	symbol = (u32)e >> 4;
	used += (u32)e & 15;
	if (symbol > 29)
		return WDM_INF_BAD;
	n = dist_extra[symbol];
	if (inf->bits < used + n)
		return WDM_INF_NEED_IN;
	dist = dist_base[symbol] + ((inf->hold >> used) & ((1u << n) - 1));
	drop(inf, used + n);
	if (dist > inf->valid)
		return WDM_INF_BAD;
	inf->length = length;
	inf->dist = dist;
	inf->mode = WDM_INF_MATCH;
	return WDM_INF_END;
}

static enum wdm_inflate_result do_codes(struct wdm_inflate *inf)
{
	u32 symbol;
	int e;

	for (;;) {
		refill(inf);
		e = huff_decode(&inf->lit, inf->hold, inf->bits);
		if (e < 0)
			return e == HUFF_NEED ? WDM_INF_NEED_IN : WDM_INF_BAD;
		symbol = (u32)e >> 4;
		if (symbol < END_OF_BLOCK) {
			if (inf->pos == inf->limit)
				return WDM_INF_NEED_OUT;
			drop(inf, (u32)e & 15);
			inf->out[inf->pos++] = (u8)symbol;
			grow(inf, 1);
			continue;
		}
		if (symbol == END_OF_BLOCK) {
			drop(inf, (u32)e & 15);
			block_end(inf);
			return WDM_INF_END;
		}
		return decode_match(inf, symbol - END_OF_BLOCK - 1, (u32)e & 15);
	}
}

static enum wdm_inflate_result do_match(struct wdm_inflate *inf)
{
	u32 n = inf->limit - inf->pos, i;
	u8 *to = inf->out + inf->pos;
	const u8 *from = to - inf->dist;

	if (n > inf->length)
		n = inf->length;
	if (inf->dist >= n)
		memcpy(to, from, n);
	else
		for (i = 0; i < n; i++)
			to[i] = from[i];
	inf->pos += n;
	inf->length -= n;
	grow(inf, n);
	if (inf->length)
		return WDM_INF_NEED_OUT;
	inf->mode = WDM_INF_CODES;
	return WDM_INF_END;
}

static enum wdm_inflate_result do_trailer(struct wdm_inflate *inf)
{
	while (inf->trailer_have < inf->trailer_bytes) {
		if (!need(inf, 8))
			return WDM_INF_NEED_IN;
		inf->trailer[inf->trailer_have++] = (u8)take(inf, 8);
	}
	inf->mode = WDM_INF_DONE;
	return WDM_INF_END;
}

enum wdm_inflate_result wdm_inflate_run(struct wdm_inflate *inf)
{
	static enum wdm_inflate_result (*const step[WDM_INF_DONE])(struct wdm_inflate *inf) = {
		[WDM_INF_HEADER] = do_header,
		[WDM_INF_STORED_LEN] = do_stored_len,
		[WDM_INF_STORED] = do_stored,
		[WDM_INF_TABLE] = do_table,
		[WDM_INF_CODE_LENS] = do_code_lens,
		[WDM_INF_LENS] = do_lens,
		[WDM_INF_CODES] = do_codes,
		[WDM_INF_MATCH] = do_match,
		[WDM_INF_TRAILER] = do_trailer,
	};
	enum wdm_inflate_result r = WDM_INF_END;

	while (inf->mode != WDM_INF_DONE && r == WDM_INF_END)
		r = step[inf->mode](inf);
	return r;
}

int wdm_inflate_rebuild(struct wdm_inflate *inf)
{
	bool ok = true;

	if (inf->mode == WDM_INF_LENS)
		ok = build_code_lens(inf);
	else if (inf->mode == WDM_INF_CODES || inf->mode == WDM_INF_MATCH)
		ok = build_codes(inf);
	return ok ? 0 : -EINVAL;
}

void wdm_inflate_start(struct wdm_inflate *inf, u32 trailer_bytes)
{
	inf->mode = WDM_INF_HEADER;
	inf->final = inf->fixed = false;
	inf->bits = 0;
	inf->hold = 0;
	inf->stored = 0;
	inf->nlen = inf->ndist = inf->ncode = inf->have = 0;
	inf->length = inf->dist = 0;
	inf->trailer_have = 0;
	inf->valid = 0;
	memset(inf->trailer, 0, sizeof(inf->trailer));
	memset(inf->code_lens, 0, sizeof(inf->code_lens));
	memset(inf->lens, 0, sizeof(inf->lens));
	inf->trailer_bytes = trailer_bytes;
}

u32 wdm_inflate_unread(struct wdm_inflate *inf, u32 most)
{
	u32 n = inf->bits / 8;

	if (n > most)
		n = most;
	if (!n)
		return 0;
	inf->bits -= n * 8;
	inf->hold &= (1ull << inf->bits) - 1;
	return n;
}
