// SPDX-License-Identifier: Apache-2.0
/* Headers of zlib and gzip streams, written and read by software: devices handle only bodies and trailers. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "comp.h"

#define GZIP_FTEXT	0x01
#define GZIP_FHCRC	0x02
#define GZIP_FEXTRA	0x04
#define GZIP_FNAME	0x08
#define GZIP_FCOMMENT	0x10
#define GZIP_RESERVED	0xe0

#define ZLIB_HEADER	2
#define GZIP_HEADER	10

/* CINFO: log2 of the window minus 8; zlib has no window of 24K. */
static const __u8 zlib_cinfo[] = {
	[WD_COMP_WS_4K] = 4,
	[WD_COMP_WS_8K] = 5,
	[WD_COMP_WS_16K] = 6,
	[WD_COMP_WS_24K] = 7,
	[WD_COMP_WS_32K] = 7,
};

size_t format_header_bytes(__u8 alg)
{
	return alg == WD_ZLIB ? ZLIB_HEADER : alg == WD_GZIP ? GZIP_HEADER : 0;
}

size_t format_trailer_bytes(__u8 alg)
{
	return alg == WD_ZLIB ? 4 : alg == WD_GZIP ? 8 : 0;
}

static __u8 zlib_flevel(__u8 level)
{
	return level <= 1 ? 0 : level <= 5 ? 1 : level <= 6 ? 2 : 3;
}

size_t format_write_header(__u8 alg, __u8 win, __u8 level, __u8 *buf)
{
	static const __u8 gzip[GZIP_HEADER] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };

	if (alg == WD_ZLIB) {
		unsigned int head = (zlib_cinfo[win] << 4 | 8) << 8 | zlib_flevel(level) << 6;

		head += 31 - head % 31;
		buf[0] = head >> 8;
		buf[1] = head;
	} else if (alg == WD_GZIP) {
		memcpy(buf, gzip, GZIP_HEADER);
		buf[8] = level >= 9 ? 2 : level <= 1 ? 4 : 0;
	}
	return format_header_bytes(alg);
}

size_t format_write_empty(__u8 alg, __u8 win, __u8 level, __u8 *buf)
{
	size_t n = format_write_header(alg, win, level, buf);

	/* A final block with fixed codes and no data; then the checksum (and length) of no data. */
	buf[n++] = 0x03;
	buf[n++] = 0x00;
	memset(buf + n, 0, format_trailer_bytes(alg));
	n += format_trailer_bytes(alg);
	if (alg == WD_ZLIB)
		buf[n - 1] = 1;
	return n;
}

enum parser_state {
	PARSE_ZLIB_0,
	PARSE_ZLIB_1,
	PARSE_GZIP_FIXED,
	PARSE_GZIP_XLEN,
	PARSE_GZIP_EXTRA,
	PARSE_GZIP_NAME,
	PARSE_GZIP_COMMENT,
	PARSE_GZIP_HCRC,
	PARSE_DONE,
};

void format_parser_init(struct format_parser *p, __u8 alg)
{
	memset(p, 0, sizeof(*p));
	p->state = alg == WD_ZLIB ? PARSE_ZLIB_0 : alg == WD_GZIP ? PARSE_GZIP_FIXED : PARSE_DONE;
	p->crc = crc32(0, NULL, 0);
}

static int parse_fail(struct format_parser *p, const char *why)
{
	p->why = why;
	return -EBADMSG;
}

static int parse_zlib_byte(struct format_parser *p, __u8 b)
{
	if (p->state == PARSE_ZLIB_0) {
		if ((b & 0xf) != 8)
			return parse_fail(p, "zlib header: compression method is not deflate");
		if (b >> 4 > 7)
			return parse_fail(p, "zlib header: window larger than 32K");
		p->first = b;
		p->state = PARSE_ZLIB_1;
		return 0;
	}
	if ((p->first << 8 | b) % 31)
		return parse_fail(p, "zlib header: check bits are wrong");
	if (b & 0x20)
		return parse_fail(p, "zlib header: the stream needs a preset dictionary");
	p->state = PARSE_DONE;
	return 0;
}

static int parse_gzip_fixed(struct format_parser *p, __u8 b)
{
	switch (p->at++) {
	case 0:
		return b == 0x1f ? 0 : parse_fail(p, "gzip header: magic number is wrong");
	case 1:
		return b == 0x8b ? 0 : parse_fail(p, "gzip header: magic number is wrong");
	case 2:
		return b == 8 ? 0 : parse_fail(p, "gzip header: compression method is not deflate");
	case 3:
		p->flags = b;
		return b & GZIP_RESERVED ? parse_fail(p, "gzip header: reserved flag is set") : 0;
	}
	return 0;
}

/* Goes to the first optional field at or after the given state that the flags announce. */
static void gzip_next_field(struct format_parser *p, enum parser_state from)
{
	p->at = 0;
	if (from <= PARSE_GZIP_XLEN && (p->flags & GZIP_FEXTRA))
		p->state = PARSE_GZIP_XLEN;
	else if (from <= PARSE_GZIP_NAME && (p->flags & GZIP_FNAME))
		p->state = PARSE_GZIP_NAME;
	else if (from <= PARSE_GZIP_COMMENT && (p->flags & GZIP_FCOMMENT))
		p->state = PARSE_GZIP_COMMENT;
	else if (from <= PARSE_GZIP_HCRC && (p->flags & GZIP_FHCRC))
		p->state = PARSE_GZIP_HCRC;
	else
		p->state = PARSE_DONE;
}

static int parse_gzip_byte(struct format_parser *p, __u8 b)
{
	int ret = 0;

	if (p->state != PARSE_GZIP_HCRC)
		p->crc = crc32(p->crc, &b, 1);
	switch (p->state) {
	case PARSE_GZIP_FIXED:
		ret = parse_gzip_fixed(p, b);
		if (!ret && p->at == GZIP_HEADER)
			gzip_next_field(p, PARSE_GZIP_XLEN);
		break;
	case PARSE_GZIP_XLEN:
		p->left |= b << (8 * p->at++);
		if (p->at == 2) {
			if (p->left)
				p->state = PARSE_GZIP_EXTRA;
			else
				gzip_next_field(p, PARSE_GZIP_NAME);
		}
		break;
	case PARSE_GZIP_EXTRA:
		if (!--p->left)
			gzip_next_field(p, PARSE_GZIP_NAME);
		break;
	case PARSE_GZIP_NAME:
		if (!b)
			gzip_next_field(p, PARSE_GZIP_COMMENT);
		break;
	case PARSE_GZIP_COMMENT:
		if (!b)
			gzip_next_field(p, PARSE_GZIP_HCRC);
		break;
	case PARSE_GZIP_HCRC:
		p->hcrc[p->at++] = b;
		if (p->at == 2) {
			if ((p->hcrc[0] | p->hcrc[1] << 8) != (int)(p->crc & 0xffff))
				return parse_fail(p, "gzip header: header checksum is wrong");
			p->state = PARSE_DONE;
		}
		break;
	}
	return ret;
}

int format_parse(struct format_parser *p, __u8 alg, const void *buf, size_t n, size_t *used, bool *done)
{
	const __u8 *b = buf;
	size_t i;
	int ret;

	for (i = 0; i < n && p->state != PARSE_DONE; i++) {
		ret = alg == WD_ZLIB ? parse_zlib_byte(p, b[i]) : parse_gzip_byte(p, b[i]);
		if (ret)
			return ret;
	}
	*used = i;
	*done = p->state == PARSE_DONE;
	return 0;
}

/* The common gzip header: the fixed part without optional fields. */
static bool gzip_is_plain(const __u8 *b, size_t n)
{
	return n >= GZIP_HEADER && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && !b[3];
}

int format_read_header(__u8 alg, bool sgl, const void *src, size_t len, size_t *head, const char **why)
{
	struct format_parser p;
	struct wd_list_walk w;
	bool done = alg >= WD_DEFLATE_RAW;

	*head = 0;
	if (alg == WD_GZIP && !sgl && gzip_is_plain(src, len)) {
		*head = GZIP_HEADER;
		return 0;
	}
	format_parser_init(&p, alg);
	wd_list_walk_init(&w, sgl, src, len);
	while (!done) {
		size_t n, used;
		const void *piece = wd_list_walk_piece(&w, &n);

		if (!n) {
			*why = "the stream ends early, within its header";
			return -EBADMSG;
		}
		if (format_parse(&p, alg, piece, n, &used, &done)) {
			*why = p.why;
			return -EBADMSG;
		}
		wd_list_walk_advance(&w, used);
		*head += used;
	}
	return 0;
}
