// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The search for matches. */
#include "search.h"

static u32 word_at(const struct wdm_lz77 *z, u32 at)
{
	const u8 *p = z->buf + at;

	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

/* Files the position at @at, where there are four bytes, and returns the last one with its hash: 0, or plus 1. */
static u32 file(struct wdm_lz77 *z, u32 at)
{
	u32 *head = &z->head[word_at(z, at) * 2654435761u >> (32 - WDM_LZ77_HASH_BITS)];
	u32 last = *head;

	*head = z->base + at + 1;
	return last;
}

static u32 alike(const struct wdm_lz77 *z, u32 at, u32 offset)
{
	u32 end = z->end - z->base < z->len ? z->end - z->base : z->len, i = at;

	while (i < end && z->buf[i] == z->buf[i - offset])
		i++;
	return i - at < WDM_LZ77_LEAST ? 0 : i - at;
}

/* The length of the best match at @at, which is filed; 0: none. */
static u32 best_at(struct wdm_lz77 *z, u32 at, u32 *offset)
{
	u32 last = file(z, at), pos = z->base + at, len = 0, n;

	if (pos >= z->start)
		return 0;
	*offset = z->offset;
	if (z->offset && z->offset <= at)
		len = alike(z, at, z->offset);
	if (!last || last - 1 < z->base || last > pos || pos - (last - 1) > z->window)
		return len;
	n = alike(z, at, pos - (last - 1));
	if (n > len) {
		*offset = pos - (last - 1);
		len = n;
	}
	return len;
}

static bool room_at(const struct wdm_lz77 *z, u32 at)
{
	return at + WDM_LZ77_LEAST <= z->len;
}

static void file_all(struct wdm_lz77 *z, u32 at, u32 end)
{
	for (; at < end && room_at(z, at); at++)
		file(z, at);
}

void wdm_lz77_begin(struct wdm_lz77 *z, const u8 *buf, u32 len, u32 window, bool patient)
{
	memset(z, 0, sizeof(*z));
	z->buf = buf;
	z->len = len;
	z->window = window;
	z->patient = patient;
	z->start = z->end = ~0u;
}

void wdm_lz77_pass(struct wdm_lz77 *z)
{
	file_all(z, z->at, z->len);
	z->at = z->len;
}

bool wdm_lz77_next(struct wdm_lz77 *z, struct wdm_lz77_match *m)
{
	u32 len, next, offset = 0, other = 0;

	for (; room_at(z, z->at); z->at++) {
		len = best_at(z, z->at, &offset);
		if (!len)
			continue;
		next = z->patient && room_at(z, z->at + 1) ? best_at(z, z->at + 1, &other) : 0;
		if (next > len) {
			z->at++;
			len = next;
			offset = other;
		}
		*m = (struct wdm_lz77_match){ .at = z->at, .offset = offset, .len = len };
		file_all(z, z->at + 1, z->at + len);
		z->at += len;
		z->offset = offset;
		return true;
	}
	z->at = z->len;
	return false;
}

void wdm_lz77_slide(struct wdm_lz77 *z, u32 n)
{
	z->base += n;
	z->len -= n;
	z->at -= n;
}
