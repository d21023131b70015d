// SPDX-License-Identifier: Apache-2.0
/* Life of a stream. zlib's own state comes from the caller's allocator, all else from malloc(). */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "stream.h"

#define FLUSH_NONE_YET	(-2)	/* before the first call: ranks below each flush */

const char wdz_magic;

bool wdz_stream_wants(int level, int strategy)
{
	const struct wdz_config *config = wdz_config();

	if (level == Z_DEFAULT_COMPRESSION)
		level = 6;
	return level >= config->level_low && level <= config->level_high && strategy == Z_DEFAULT_STRATEGY;
}

/* Without memory the stream stays zlib's own. */
void wdz_stream_open(z_streamp strm, int level, int window_bits, int mem_level, int strategy)
{
	struct wdz_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return;
	s->wrap = WDZ_ZLIB;
	if (window_bits < 0) {
		s->wrap = WDZ_RAW;
		window_bits = -window_bits;
	} else if (window_bits > MAX_WBITS) {
		s->wrap = WDZ_GZIP;
		window_bits -= 16;
	}
	s->magic = &wdz_magic;
	s->strm = strm;
	s->zlib_state = strm->state;
	s->level = level == Z_DEFAULT_COMPRESSION ? 6 : level;
	s->strategy = strategy;
	s->window_bits = window_bits;
	s->mem_level = mem_level;
	s->last_flush = FLUSH_NONE_YET;
	s->zlib_adler = strm->adler;
	s->ring = WDZ_RING_MIN;
	wdz_take_back(s);
}

/* Buffers that devices still write to can't be freed. */
static void parts_end(struct wdz_stream *s)
{
	unsigned int i;

	for (i = 0; i < WDZ_RING_MAX; i++) {
		if (s->parts[i].submitted)
			wdz_wait(&s->parts[i].request);
		s->parts[i].submitted = false;
	}
}

void wdz_stream_reset(struct wdz_stream *s)
{
	unsigned int i;

	parts_end(s);
	for (i = 0; i < WDZ_RING_MAX; i++)
		s->parts[i].in_len = s->parts[i].len = s->parts[i].taken = 0;
	free(s->head.at);
	s->head = s->tail = (struct wdz_bytes){ 0 };
	s->first = s->open = 0;
	s->drained = 0;
	s->stage = WDZ_GATHER;
	s->last_flush = FLUSH_NONE_YET;
	s->marked = Z_NO_FLUSH;
	s->begun = s->ending = s->ended = false;
	s->zlib_adler = s->strm->adler;
}

static void buffers_free(struct wdz_stream *s)
{
	unsigned int i;

	parts_end(s);
	for (i = 0; i < WDZ_RING_MAX; i++) {
		free(s->parts[i].in);
		free(s->parts[i].out);
		s->parts[i].in = s->parts[i].out = NULL;
		s->parts[i].in_len = s->parts[i].len = s->parts[i].taken = 0;
	}
	if (s->have_raw)
		zlib_deflateEnd(&s->raw);
	s->have_raw = false;
	wdz_memory_give(&s->charged);
	free(s->head.at);
	s->head = (struct wdz_bytes){ 0 };
	s->drained = 0;
}

/* zlib compresses the remainder of the stream. A reset makes another decision possible. */
void wdz_stream_to_zlib(struct wdz_stream *s)
{
	buffers_free(s);
	s->stage = WDZ_BY_ZLIB;
}

/* All but zlib's own state. */
void wdz_stream_free(struct wdz_stream *s)
{
	buffers_free(s);
	free(s);
}

/* For good: calls cost what they cost with zlib from now on. */
void wdz_stream_drop(struct wdz_stream *s)
{
	wdz_lend(s);
	wdz_stream_free(s);
}

static bool bytes_copy(unsigned char **to, const unsigned char *from, size_t size, size_t len)
{
	if (!from)
		return true;
	*to = malloc(size);
	if (!*to)
		return false;
	memcpy(*to, from, len);
	return true;
}

/* No part of either is in flight. */
static bool parts_copy(struct wdz_stream *to, const struct wdz_stream *from)
{
	const struct wdz_part *p;
	unsigned int i;

	for (i = 0; i < WDZ_RING_MAX; i++) {
		p = &from->parts[i];
		if (!bytes_copy(&to->parts[i].in, p->in, wdz_config()->chunk, p->in_len) ||
		    !bytes_copy(&to->parts[i].out, p->out, from->room, p->len))
			return false;
		to->parts[i].in_len = p->in_len;
		to->parts[i].len = p->len;
		to->parts[i].taken = p->taken;
	}
	return true;
}

static bool stream_copy(struct wdz_stream *to, struct wdz_stream *from)
{
	if (!parts_copy(to, from) ||
	    !bytes_copy(&to->head.at, from->head.at, from->head.len, from->head.len))
		return false;
	to->head.len = from->head.len;
	to->head.taken = from->head.taken;
	if (from->have_raw && zlib_deflateCopy(&to->raw, &from->raw) != Z_OK)
		return false;
	to->have_raw = from->have_raw;
	return true;
}

/* dest is a copy of the caller's z_stream, with zlib's copy of its state. */
int wdz_stream_copy(z_streamp dest, struct wdz_stream *s)
{
	struct wdz_stream *copy = calloc(1, sizeof(*copy));

	if (copy) {
		*copy = *s;
		memset(copy->parts, 0, sizeof(copy->parts));
		copy->head = (struct wdz_bytes){ 0 };
		copy->tail.at = copy->end;
		copy->have_raw = false;
		copy->charged = 0;
		wdz_memory_add(&copy->charged, s->charged);
		copy->strm = dest;
		copy->zlib_state = dest->state;
		if (stream_copy(copy, s)) {
			wdz_take_back(copy);
			return Z_OK;
		}
		wdz_stream_free(copy);
	}
	zlib_deflateEnd(dest);
	return Z_MEM_ERROR;
}

/* As zlib: with its words. */
int wdz_fail(z_streamp strm, int err)
{
	strm->msg = (char *)(uintptr_t)zError(err);
	return err;
}

/*
 * The checksum of what a call has taken, for the trailer and for the caller. That of libwd_comp is faster, but is
 * loaded for streams of devices only.
 */
void wdz_sum(struct wdz_stream *s, const void *at, size_t len)
{
	const struct wdz_library *lib = s->stage == WDZ_GATHER ? NULL : wdz_library();
	uLong adler = s->strm->adler;

	if (s->wrap == WDZ_ZLIB)
		s->strm->adler = lib ? lib->adler32((__u32)adler, at, len) : adler32_z(adler, at, len);
	else if (s->wrap == WDZ_GZIP)
		s->strm->adler = lib ? lib->crc32((__u32)adler, at, len) : crc32_z(adler, at, len);
}
