// SPDX-License-Identifier: Apache-2.0
/*
 * Frames of zstd and LZ4, and bare blocks of LZ4, as their readers take them: whatever they have, they are read the
 * same at once and cut anywhere, and their libraries make the same data of them.
 * Input: format (1 byte), seed of the cuts (4 bytes), log of the room and one byte more or less (1 byte), the frame.
 */
#include <errno.h>
#include <lz4.h>
#include <lz4frame.h>
#include <stdbool.h>
#include <wd_comp.h>
#include <zstd.h>

#include "feed.h"
#include "lz4_check.h"

#define ROOM_LOG	18
#define WINDOW_LOG	17	/* that zstd's frames may need: a stream allocates as much */

enum kind {
	KIND_ZSTD,
	KIND_LZ4,
	KIND_BLOCK,
	KIND_NR,
};

struct result {
	int ret;		/* 0, -EBADMSG, -ENOSPC */
	size_t used, made;
	uint8_t *data;
};

static handle_t session_new(enum kind kind)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = kind == KIND_ZSTD ? WD_ZSTD : WD_LZ4, .dir_type = WD_DIR_DECOMPRESS,
		.win_size = kind == KIND_ZSTD ? WD_COMP_WS_LOG(WINDOW_LOG) : WD_COMP_WS_32K,
		.flags = kind == KIND_BLOCK ? WD_COMP_SESS_BLOCK : 0,
	};
	handle_t h = wd_comp_alloc_sess(&setup, NULL);

	MUST(h, "is the format's library there?");
	return h;
}

static struct result at_once(handle_t h, const uint8_t *src, size_t n, size_t room)
{
	struct result r = { .made = room, .data = malloc(room ? room : 1) };
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = r.data, .dst_len = &r.made };

	r.ret = wd_decompress(h, &arg);
	r.used = arg.consumed;
	MUST(!r.ret || r.ret == -EBADMSG || r.ret == -ENOSPC, "%d", r.ret);
	MUST(r.made <= room && r.used <= n);
	MUST(!r.ret || (!r.made && !r.used));
	return r;
}

/* One call over pieces of their exact sizes. */
static int piece_do(handle_t h, struct result *r, const uint8_t *src, size_t n, size_t room, bool last, bool *moved)
{
	uint8_t *in = exactly(src, n), *out = malloc(room ? room : 1);
	size_t took = n, made = room;
	struct wd_comp_strm strm = { .src = in, .src_len = &took, .dst = out, .dst_len = &made, .last = last };
	int ret = wd_strm_decompress(h, &strm);

	MUST(took <= n && made <= room);
	*moved = took || made;
	if (made)
		memcpy(r->data + r->made, out, made);
	r->used += took;
	r->made += made;
	free(in);
	free(out);
	return ret;
}

static struct result in_pieces(handle_t h, const uint8_t *src, size_t n, size_t room, uint32_t seed)
{
	uint32_t most = drawn(&seed, 3) ? 1 + drawn(&seed, 300) : 70000;
	struct result r = { .data = malloc(room + 1) };
	unsigned int idle = 0;
	bool moved, last;
	size_t in, out;

	do {
		in = drawn(&seed, most + 1);
		out = drawn(&seed, most + 1);
		in = in < n - r.used && !idle ? in : n - r.used;
		out = out < room - r.made && !idle ? out : room + 1 - r.made;
		last = in == n - r.used;
		r.ret = piece_do(h, &r, src + r.used, in, out, last, &moved);
		/* A cut may leave no room for what comes next; another one has more. */
		if (r.ret == -ENOSPC && !idle)
			r.ret = 0;
		idle = moved ? 0 : idle + 1;
		MUST(idle < 4);
	} while (!r.ret && r.made <= room);
	/* The byte of room that a whole frame doesn't have tells what is cut off from what has no room. */
	if (r.made > room)
		r.ret = -ENOSPC;
	MUST(r.ret == 1 || r.ret == -EBADMSG || r.ret == -ENOSPC, "%d", r.ret);
	if (r.ret == 1)
		r.ret = 0;
	MUST(!wd_comp_reset_sess(h));
	return r;
}

/* libzstd is laxer in pieces than at once: it takes a compressed block of no bytes. */
static size_t by_libzstd(const uint8_t *src, const struct result *r, uint8_t *to)
{
	ZSTD_outBuffer out = { .dst = to, .size = r->made + 1 };
	ZSTD_inBuffer in = { .src = src, .size = r->used };
	ZSTD_DCtx *d = ZSTD_createDCtx();
	size_t moved;

	do {
		moved = in.pos + out.pos;
		MUST(!ZSTD_isError(ZSTD_decompressStream(d, &out, &in)));
	} while (moved != in.pos + out.pos);
	MUST(in.pos == r->used);
	ZSTD_freeDCtx(d);
	return out.pos;
}

static size_t by_liblz4(const uint8_t *src, const struct result *r, uint8_t *to)
{
	size_t in = 0, out = 0, took, made;
	LZ4F_dctx *d;

	MUST(!LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)));
	do {
		took = r->used - in;
		made = r->made + 1 - out;
		MUST(!LZ4F_isError(LZ4F_decompress(d, to + out, &made, src + in, &took, NULL)));
		in += took;
		out += made;
	} while (took || made);
	MUST(in == r->used);
	LZ4F_freeDecompressionContext(d);
	return out;
}

/* What was read, by the library alone, which has room for a byte more. */
static size_t by_library(enum kind kind, const uint8_t *src, const struct result *r, uint8_t *to)
{
	if (kind == KIND_ZSTD)
		return by_libzstd(src, r, to);
	if (kind == KIND_LZ4)
		return by_liblz4(src, r, to);
	return (size_t)LZ4_decompress_safe((const char *)src, (char *)to, (int)r->used, (int)r->made + 1);
}

static void block_is_checked(const uint8_t *src, size_t n, const struct result *r)
{
	uint8_t *other = exactly(r->data, r->made);

	/* The check of a device's blocks takes less than readers do, and never one of other data. */
	if (lz4_is_block_of(src, n, r->data, r->made) && r->made) {
		MUST(!lz4_is_block_of(src, n, r->data, r->made - 1));
		other[r->made / 2] ^= 1;
		MUST(!lz4_is_block_of(src, n, other, r->made));
	}
	free(other);
}

static void is_read_right(enum kind kind, const uint8_t *src, size_t n, const struct result *r)
{
	uint8_t *to = malloc(r->made + 1);

	MUST(by_library(kind, src, r, to) == r->made && (!r->made || !memcmp(to, r->data, r->made)));
	if (kind == KIND_BLOCK)
		block_is_checked(src, n, r);
	free(to);
}

static bool is_same(enum kind kind, const struct result *whole, const struct result *cut)
{
	if (!whole->ret && !cut->ret)
		return cut->used == whole->used && cut->made == whole->made &&
		       !memcmp(cut->data, whole->data, cut->made);
	/* libzstd's ways differ: a window counts where the result doesn't fit at once. */
	if (kind == KIND_ZSTD && (cut->ret == -EBADMSG || whole->ret == -EBADMSG))
		return true;
	/* Behind the last byte that there is room for, the frame may be corrupt. */
	return cut->ret == whole->ret || (whole->ret == -ENOSPC && cut->ret == -EBADMSG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	enum kind kind = feed_u8(&f) % KIND_NR;
	uint32_t seed = feed_u32(&f);
	uint8_t log = feed_u8(&f);
	size_t room = ((size_t)1 << (log & 31) % (ROOM_LOG + 1)) + (log >> 5) - 1;
	uint8_t *src = exactly(f.at, f.left);
	handle_t h = session_new(kind);
	struct result whole = at_once(h, src, f.left, room), cut;

	if (!whole.ret)
		is_read_right(kind, src, f.left, &whole);
	if (kind != KIND_BLOCK) {
		cut = in_pieces(h, src, f.left, room, seed);
		MUST(is_same(kind, &whole, &cut), "cut: %d %zu %zu, whole: %d %zu %zu", cut.ret, cut.used, cut.made,
		     whole.ret, whole.used, whole.made);
		free(cut.data);
	}
	MUST(!wd_comp_free_sess(h));
	free(whole.data);
	free(src);
	return 0;
}
