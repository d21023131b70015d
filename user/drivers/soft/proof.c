// SPDX-License-Identifier: Apache-2.0
/*
 * The proof that what a device made is right. Decompressed data is compared with the stream's checksum; compressed data
 * is decompressed into nothing, and its checksum compared with the source's.
 */
#include <stdlib.h>
#include <string.h>
#include <libdeflate.h>

#include "soft.h"

#define SCRATCH_BYTES	0x10000
#define TRAILER_MAX	8

/**
 * struct soft_proof - what has been seen of one stream
 * @alg:	the format; of a part: raw
 * @in, @out:	bytes on the side of the source, and of the result
 * @source:	compression: the source's CRC-32
 * @result:	checksum of the decompressed data: Adler-32 for zlib when decompressing, else CRC-32
 * @plain:	compression: bytes that the result decompresses to
 * @trailer:	decompression: the last bytes of the source
 * @inflate:	compression: decompresses the result
 * @ended:	the result's stream is complete
 */
struct soft_proof {
	__u8 alg;
	__u8 dir;
	__u64 in;
	__u64 out;
	__u32 source;
	__u32 result;
	__u64 plain;
	__u8 trailer[TRAILER_MAX];
	bool ended;
	bool wrong;
	struct soft_stream *inflate;
	__u8 scratch[SCRATCH_BYTES];
};

void soft_proof_begin(struct soft_proof *p)
{
	if (p->inflate)
		soft_stream_reset(p->inflate);
	p->in = p->out = p->plain = 0;
	p->source = 0;
	p->result = p->dir == WD_DIR_DECOMPRESS && p->alg == WD_ZLIB;
	p->ended = p->wrong = false;
	memset(p->trailer, 0, sizeof(p->trailer));
}

struct soft_proof *soft_proof_new(__u8 alg, __u8 dir)
{
	struct soft_key key = { .alg = alg, .dir = WD_DIR_DECOMPRESS };
	struct soft_proof *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->alg = alg;
	p->dir = dir;
	p->inflate = dir == WD_DIR_COMPRESS ? soft_stream_new(key) : NULL;
	if (dir == WD_DIR_COMPRESS && !p->inflate) {
		free(p);
		return NULL;
	}
	soft_proof_begin(p);
	return p;
}

void soft_proof_free(struct soft_proof *p)
{
	if (!p)
		return;
	soft_stream_free(p->inflate);
	free(p);
}

/* The last bytes of all that came. */
static void trailer_keep(struct soft_proof *p, const __u8 *src, size_t n)
{
	size_t old = n < TRAILER_MAX ? TRAILER_MAX - n : 0;

	memmove(p->trailer, p->trailer + TRAILER_MAX - old, old);
	memcpy(p->trailer + old, src + n - (TRAILER_MAX - old), TRAILER_MAX - old);
}

void soft_proof_in(struct soft_proof *p, const void *src, size_t n)
{
	if (!n)
		return;
	p->in += n;
	if (p->dir == WD_DIR_COMPRESS)
		p->source = libdeflate_crc32(p->source, src, n);
	else
		trailer_keep(p, src, n);
}

/* One step of decompressing what the device made; false: it is no such stream. */
static bool inflate_step(struct soft_proof *p, struct comp_step *t)
{
	int ret;

	t->dst = p->scratch;
	t->dst_len = SCRATCH_BYTES;
	ret = soft_stream_step(p->inflate, t);
	if (ret < 0)
		return false;
	p->result = libdeflate_crc32(p->result, p->scratch, t->dst_len);
	p->plain += t->dst_len;
	p->ended = ret;
	return true;
}

static bool inflate_all(struct soft_proof *p, const __u8 *src, size_t n)
{
	struct comp_step t = { .dst_len = 0 };

	do {
		/* Nothing may follow the end. */
		if (p->ended)
			return !n;
		t.src = src;
		t.src_len = n;
		if (!inflate_step(p, &t))
			return false;
		src += t.src_len;
		n -= t.src_len;
	} while (t.src_len || t.dst_len);
	return !n;
}

void soft_proof_out(struct soft_proof *p, const void *dst, size_t n)
{
	if (!n)
		return;
	p->out += n;
	if (p->dir == WD_DIR_COMPRESS)
		p->wrong |= !inflate_all(p, dst, n);
	else if (p->alg == WD_ZLIB)
		p->result = libdeflate_adler32(p->result, dst, n);
	else
		p->result = libdeflate_crc32(p->result, dst, n);
}

static bool is_equal(const struct soft_proof *p)
{
	return !p->wrong && p->plain == p->in && p->result == p->source;
}

bool soft_proof_so_far(const struct soft_proof *p)
{
	return p->dir == WD_DIR_COMPRESS ? is_equal(p) : !p->wrong;
}

bool soft_proof_end(const struct soft_proof *p)
{
	const __u8 *t = p->trailer;

	if (p->dir == WD_DIR_COMPRESS)
		return p->ended && is_equal(p);
	if (p->alg == WD_ZLIB)
		return p->result == __builtin_bswap32(soft_le32(t + 4));
	if (p->alg == WD_GZIP)
		return p->result == soft_le32(t) && (__u32)p->out == soft_le32(t + 4);
	return true;
}

void soft_proof_part(struct soft_proof *p)
{
	static const __u8 final[] = { 0x03, 0x00 };

	p->wrong |= p->ended || !inflate_all(p, final, sizeof(final));
}

bool soft_proof_is_of(const struct soft_proof *p, __u8 alg)
{
	return p->alg == alg;
}
