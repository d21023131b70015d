// SPDX-License-Identifier: Apache-2.0
/*
 * Headers of gzip and zlib streams: however they are cut into pieces, the result is the same, and equals zlib's.
 * Input: format, seed of the cuts (4 bytes), the stream's beginning.
 */
#include <errno.h>
#include <zlib.h>

#include "comp.h"
#include "feed.h"

#define PIECES	40

struct result {
	int ret;		/* 0: see done; -EBADMSG */
	bool done;
	size_t used;
	const char *why;
};

static struct result in_pieces(__u8 alg, const uint8_t *stream, size_t len, uint32_t seed)
{
	uint32_t most = drawn(&seed, 3) ? 1 + drawn(&seed, 40) : 1;
	struct result r = { 0 };
	struct format_parser p;
	size_t at, n, used;
	uint8_t *piece;

	format_parser_init(&p, alg);
	for (at = 0; at < len && !r.ret && !r.done; at += n) {
		n = drawn(&seed, most + 1);
		if (n > len - at)
			n = len - at;
		piece = exactly(stream + at, n);
		r.ret = format_parse(&p, alg, piece, n, &used, &r.done);
		free(piece);
		if (r.ret)
			break;
		MUST(used <= n && (r.done || used == n));
		r.used += used;
	}
	r.why = r.ret ? p.why : NULL;
	return r;
}

/* A whole stream; with sgl as a list of pieces, some of them empty. */
static struct result whole(__u8 alg, const uint8_t *stream, size_t len, bool sgl, uint32_t seed)
{
	struct wd_datalist list[PIECES] = { 0 };
	uint8_t *copy[PIECES];
	struct result r = { 0 };
	size_t at = 0, n;
	int i;

	for (i = 0; i < PIECES; i++) {
		n = !sgl ? len : i == PIECES - 1 ? len - at : drawn(&seed, (uint32_t)(len - at) / 2 + 2);
		if (n > len - at)
			n = len - at;
		copy[i] = exactly(stream + at, n);
		list[i] = (struct wd_datalist){
			.data = copy[i], .len = (__u32)n, .next = i < PIECES - 1 ? &list[i + 1] : NULL
		};
		at += n;
	}
	r.ret = format_read_header(alg, sgl, sgl ? (void *)list : copy[0], len, &r.used, &r.why);
	r.done = !r.ret;
	for (i = 0; i < PIECES; i++)
		free(copy[i]);
	return r;
}

static struct result by_zlib(__u8 alg, const uint8_t *stream, size_t len)
{
	z_stream z = { .next_in = (Bytef *)stream, .avail_in = (uInt)len };
	struct result r = { 0 };
	gz_header head = { 0 };
	uint8_t out[1];
	int ret;

	z.next_out = out;
	z.avail_out = sizeof(out);
	MUST(inflateInit2(&z, alg == WD_GZIP ? 31 : 15) == Z_OK);
	if (alg == WD_GZIP)
		inflateGetHeader(&z, &head);
	ret = inflate(&z, Z_BLOCK);
	r.used = z.total_in;
	if (ret == Z_DATA_ERROR || ret == Z_NEED_DICT)
		r.ret = -EBADMSG;
	else
		r.done = alg == WD_GZIP ? head.done == 1 : ret == Z_OK && z.total_in == 2;
	inflateEnd(&z);
	return r;
}

static bool same(const struct result *a, const struct result *b)
{
	return a->ret == b->ret && a->done == b->done && (a->ret || a->used == b->used) && a->why == b->why;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	__u8 alg = feed_u8(&f) & 1 ? WD_GZIP : WD_ZLIB, longer[16] = { 0 };
	uint32_t seed = feed_u32(&f);
	struct result want, got;
	uint8_t *copy;

	copy = exactly(f.at, f.left);
	want = in_pieces(alg, copy, f.left, 0);
	got = in_pieces(alg, copy, f.left, seed);
	MUST(same(&want, &got), "cut: %d %zu, other cuts: %d %zu", want.ret, want.used, got.ret, got.used);

	got = whole(alg, copy, f.left, seed & 1, seed);
	if (want.done || want.ret)
		MUST(same(&want, &got), "cut: %d %zu, whole: %d %zu", want.ret, want.used, got.ret, got.used);
	else
		MUST(got.ret == -EBADMSG && strstr(got.why, "early"));

	got = by_zlib(alg, copy, f.left);
	/* libwd looks at each byte, zlib at up to six. */
	if (want.ret && !got.ret && f.left < 8) {
		memcpy(longer, copy, f.left);
		got = by_zlib(alg, longer, sizeof(longer));
	}
	MUST(want.ret == got.ret && want.done == got.done && (want.ret || !want.done || want.used == got.used),
	     "here: %d %d %zu %s, zlib: %d %d %zu", want.ret, want.done, want.used, want.why ? want.why : "", got.ret,
	     got.done, got.used);
	free(copy);
	return 0;
}
