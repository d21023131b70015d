// SPDX-License-Identifier: Apache-2.0
/* Headers and ends of zlib (RFC 1950) and gzip (RFC 1952) around the parts of a raw stream. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define GZIP_FIXED	10
#define GZIP_TEXT	0x01
#define GZIP_HCRC	0x02
#define GZIP_EXTRA	0x04
#define GZIP_NAME	0x08
#define GZIP_COMMENT	0x10
#define OS_UNIX		3

static unsigned char *put(unsigned char *at, const void *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static unsigned char *put_le(unsigned char *at, unsigned long value, unsigned int bytes)
{
	while (bytes--) {
		*at++ = value & 0xff;
		value >>= 8;
	}
	return at;
}

/* FLEVEL as zlib sets it for a level; the whole is a multiple of 31. */
static size_t zlib_head(const struct wdz_stream *s, unsigned char *to)
{
	unsigned int flevel = s->level < 2 ? 0 : s->level < 6 ? 1 : s->level == 6 ? 2 : 3;
	unsigned int head = (unsigned int)(s->window_bits - 8) << 12 | Z_DEFLATED << 8 | flevel << 6;

	head += 31 - head % 31;
	to[0] = head >> 8 & 0xff;
	to[1] = head & 0xff;
	return 2;
}

static unsigned int xfl(const struct wdz_stream *s)
{
	return s->level == 9 ? 2 : s->level < 2 ? 4 : 0;
}

static size_t gzip_head_bytes(const gz_header *h)
{
	size_t bytes = GZIP_FIXED;

	if (!h)
		return bytes;
	if (h->extra)
		bytes += 2 + (h->extra_len & 0xffff);
	if (h->name)
		bytes += strlen((const char *)h->name) + 1;
	if (h->comment)
		bytes += strlen((const char *)h->comment) + 1;
	return bytes + (h->hcrc ? 2 : 0);
}

static unsigned int gzip_flags(const gz_header *h)
{
	if (!h)
		return 0;
	return (h->text ? GZIP_TEXT : 0) | (h->hcrc ? GZIP_HCRC : 0) | (h->extra ? GZIP_EXTRA : 0) |
	       (h->name ? GZIP_NAME : 0) | (h->comment ? GZIP_COMMENT : 0);
}

static size_t gzip_head(const struct wdz_stream *s, unsigned char *to)
{
	const unsigned char start[3] = { 0x1f, 0x8b, Z_DEFLATED };
	const gz_header *h = s->header;
	unsigned char *at = put(to, start, sizeof(start));

	*at++ = (unsigned char)gzip_flags(h);
	at = put_le(at, h ? h->time : 0, 4);
	*at++ = (unsigned char)xfl(s);
	*at++ = h ? h->os & 0xff : OS_UNIX;
	if (h && h->extra) {
		at = put_le(at, h->extra_len & 0xffff, 2);
		at = put(at, h->extra, h->extra_len & 0xffff);
	}
	if (h && h->name)
		at = put(at, h->name, strlen((const char *)h->name) + 1);
	if (h && h->comment)
		at = put(at, h->comment, strlen((const char *)h->comment) + 1);
	if (h && h->hcrc)
		at = put_le(at, wdz_library()->crc32(0, to, (size_t)(at - to)) & 0xffff, 2);
	return (size_t)(at - to);
}

/* False: no memory. */
bool wdz_format_head(struct wdz_stream *s)
{
	if (s->wrap == WDZ_RAW)
		return true;
	s->head.at = malloc(s->wrap == WDZ_ZLIB ? 2 : gzip_head_bytes(s->header));
	if (!s->head.at)
		return false;
	s->head.len = s->wrap == WDZ_ZLIB ? zlib_head(s, s->head.at) : gzip_head(s, s->head.at);
	return true;
}

/* block: a final block without data is missing. */
void wdz_format_end(struct wdz_stream *s, bool block)
{
	static const unsigned char final[2] = { 0x03, 0x00 };
	unsigned char *at = s->end;
	uLong adler = s->strm->adler;

	if (block)
		at = put(at, final, sizeof(final));
	if (s->wrap == WDZ_GZIP) {
		at = put_le(at, adler, 4);
		at = put_le(at, s->strm->total_in, 4);
	} else if (s->wrap == WDZ_ZLIB) {
		*at++ = adler >> 24 & 0xff;
		*at++ = adler >> 16 & 0xff;
		*at++ = adler >> 8 & 0xff;
		*at++ = adler & 0xff;
	}
	s->tail = (struct wdz_bytes){ .at = s->end, .len = (size_t)(at - s->end) };
}

/* Binary: there is a control character that no text has; text: there is another that text has. */
int wdz_format_data_type(const unsigned char *at, size_t len)
{
	const unsigned long binary = 0xf3ffc07f;	/* 0 .. 6, 14 .. 25, 28 .. 31 */
	int type = Z_BINARY;

	for (; len; at++, len--) {
		if (*at < 32 && binary >> *at & 1)
			return Z_BINARY;
		if (*at >= 32 || *at == '\t' || *at == '\n' || *at == '\r')
			type = Z_TEXT;
	}
	return type;
}
