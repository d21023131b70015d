// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The decoder's state in a user's stream context: written by the device, but the user can read and write it. */
#include "inflate.h"
#include "internal.h"

#define SAVED_MAGIC	0x31665769u

enum saved_offset {
	SAVED_MAGIC_AT = 0,
	SAVED_MODE = 4,
	SAVED_FINAL = 8,
	SAVED_FIXED = 12,
	SAVED_HOLD = 16,
	SAVED_BITS = 24,
	SAVED_STORED = 28,
	SAVED_NLEN = 32,
	SAVED_NDIST = 36,
	SAVED_NCODE = 40,
	SAVED_HAVE = 44,
	SAVED_LENGTH = 48,
	SAVED_DIST = 52,
	SAVED_TRAILER_HAVE = 56,
	SAVED_TRAILER_BYTES = 60,
	SAVED_TRAILER = 64,
	SAVED_VALID = 72,
	SAVED_CODE_LENS = 76,
	SAVED_LENS = 96,
	SAVED_END = SAVED_LENS + WDM_LENS,
};

_Static_assert(SAVED_END <= WDM_INFLATE_SAVED, "the saved state fits");

void wdm_inflate_save(const struct wdm_inflate *inf, u8 *saved)
{
	memset(saved, 0, WDM_INFLATE_SAVED);
	wdm_put32(saved + SAVED_MAGIC_AT, SAVED_MAGIC);
	wdm_put32(saved + SAVED_MODE, inf->mode);
	wdm_put32(saved + SAVED_FINAL, inf->final);
	wdm_put32(saved + SAVED_FIXED, inf->fixed);
	wdm_put64(saved + SAVED_HOLD, inf->hold);
	wdm_put32(saved + SAVED_BITS, inf->bits);
	wdm_put32(saved + SAVED_STORED, inf->stored);
	wdm_put32(saved + SAVED_NLEN, inf->nlen);
	wdm_put32(saved + SAVED_NDIST, inf->ndist);
	wdm_put32(saved + SAVED_NCODE, inf->ncode);
	wdm_put32(saved + SAVED_HAVE, inf->have);
	wdm_put32(saved + SAVED_LENGTH, inf->length);
	wdm_put32(saved + SAVED_DIST, inf->dist);
	wdm_put32(saved + SAVED_TRAILER_HAVE, inf->trailer_have);
	wdm_put32(saved + SAVED_TRAILER_BYTES, inf->trailer_bytes);
	memcpy(saved + SAVED_TRAILER, inf->trailer, sizeof(inf->trailer));
	wdm_put32(saved + SAVED_VALID, inf->valid);
	memcpy(saved + SAVED_CODE_LENS, inf->code_lens, sizeof(inf->code_lens));
	memcpy(saved + SAVED_LENS, inf->lens, sizeof(inf->lens));
}

static bool lens_ok(const u8 *lens, u32 n, u32 most)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (lens[i] > most)
			return false;
	return true;
}

static bool state_ok(const struct wdm_inflate *inf)
{
	if ((u32)inf->mode >= WDM_INF_DONE || inf->bits > 63 || inf->hold >> inf->bits ||
	    inf->stored > 0xffff || inf->valid > 32768 || inf->trailer_have > inf->trailer_bytes)
		return false;
	if (!lens_ok(inf->code_lens, WDM_CODE_LENS, 7) || !lens_ok(inf->lens, WDM_LENS, WDM_HUFF_MAX))
		return false;
	switch (inf->mode) {
	case WDM_INF_STORED:
	case WDM_INF_STORED_LEN:
		return !(inf->bits & 7);
	case WDM_INF_CODE_LENS:
		return inf->nlen >= 257 && inf->nlen <= 286 && inf->ndist >= 1 && inf->ndist <= 30 &&
		       inf->ncode >= 4 && inf->ncode <= WDM_CODE_LENS && inf->have <= inf->ncode;
	case WDM_INF_LENS:
		return inf->nlen >= 257 && inf->nlen <= 286 && inf->ndist >= 1 && inf->ndist <= 30 &&
		       inf->have <= inf->nlen + inf->ndist;
	case WDM_INF_CODES:
	case WDM_INF_MATCH:
		if (!inf->fixed && (inf->nlen < 257 || inf->nlen > 286 || inf->ndist < 1 || inf->ndist > 30))
			return false;
		return inf->mode == WDM_INF_CODES ||
		       (inf->length >= 1 && inf->length <= 258 && inf->dist >= 1 && inf->dist <= inf->valid);
	default:
		return true;
	}
}

int wdm_inflate_load(struct wdm_inflate *inf, const u8 *saved, u32 trailer_bytes)
{
	if (wdm_get32(saved) != SAVED_MAGIC || wdm_get32(saved + SAVED_TRAILER_BYTES) != trailer_bytes)
		return -EINVAL;
	wdm_inflate_start(inf, trailer_bytes);
	inf->mode = wdm_get32(saved + SAVED_MODE);
	inf->final = wdm_get32(saved + SAVED_FINAL);
	inf->fixed = wdm_get32(saved + SAVED_FIXED);
	inf->hold = wdm_get64(saved + SAVED_HOLD);
	inf->bits = wdm_get32(saved + SAVED_BITS);
	inf->stored = wdm_get32(saved + SAVED_STORED);
	inf->nlen = wdm_get32(saved + SAVED_NLEN);
	inf->ndist = wdm_get32(saved + SAVED_NDIST);
	inf->ncode = wdm_get32(saved + SAVED_NCODE);
	inf->have = wdm_get32(saved + SAVED_HAVE);
	inf->length = wdm_get32(saved + SAVED_LENGTH);
	inf->dist = wdm_get32(saved + SAVED_DIST);
	inf->trailer_have = wdm_get32(saved + SAVED_TRAILER_HAVE);
	memcpy(inf->trailer, saved + SAVED_TRAILER, sizeof(inf->trailer));
	inf->valid = wdm_get32(saved + SAVED_VALID);
	memcpy(inf->code_lens, saved + SAVED_CODE_LENS, sizeof(inf->code_lens));
	memcpy(inf->lens, saved + SAVED_LENS, sizeof(inf->lens));
	if (!state_ok(inf) || wdm_inflate_rebuild(inf))
		return -EINVAL;
	return 0;
}
