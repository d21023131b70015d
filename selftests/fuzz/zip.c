// SPDX-License-Identifier: Apache-2.0
/*
 * The ZIP engine: a process does what it likes to two queues; two other queues compress and decompress meanwhile and
 * afterwards, and zlib confirms their results.
 * Input: steps of hostile.c, up to a byte 0xff; then a format, a seed of cuts (4 bytes), and data.
 */
#include <zlib.h>

#include "hostile.h"

#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (10u << 20))
#define CTX	(RIG_USER_BASE + (20u << 20))
#define LIST	(RIG_USER_BASE + (30u << 20))
/* Memory of the process that keeps to the rules */
#define MINE	(RIG_USER_BASE + (32u << 20))
#define ROOM	(64u << 10)
#define DATA_MAX 4096u

enum {
	QUEUE_BAD_COMP,
	QUEUE_BAD_DECOMP,
	QUEUE_COMP,
	QUEUE_DECOMP,
};

static const u64 areas[] = { SRC, DST, CTX, LIST };

/* Requests with a second destination, and blocks of LZ4 */
static void descriptor_lz(struct feed *f, u32 flags, struct zip_sqe *s)
{
	static const u32 types[] = { ZIP_REQ_LZ4, ZIP_REQ_LZ77_ONLY, ZIP_REQ_LZ77_ONLY_PRICE, ZIP_REQ_LZ77_ZSTD_PRICE,
				     ZIP_REQ_LZ77_ZSTD };
	u64 literals = flags & 8 ? LIST : flags & 4 ? DST : DST + ROOM;

	s->dw9 = (s->dw9 & ~ZIP_DW9_REQ_MASK) | types[flags % 5];
	if (types[flags % 5] == ZIP_REQ_LZ4)
		return;
	s->dw13 = feed_u16(f);
	s->literals_addr_l = (u32)literals;
	s->literals_addr_h = (u32)(literals >> 32);
}

static void descriptor(struct feed *f, u32 queue, u32 *sqe)
{
	struct zip_sqe s;
	u32 flags = feed_u8(f), len = feed_u16(f);
	u64 ctx = CTX + ZIP_CTX_HW_OFFSET;

	(void)queue;
	rig_sqe(&s, 1 + flags % 3, flags & 4 ? LIST : SRC, len, flags & 8 ? LIST : DST, feed_u16(f));
	if (flags & 128)
		descriptor_lz(f, flags, &s);
	if (flags & 12)
		s.dw9 |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	if (flags & 16)
		s.dw7 |= ZIP_DW7_STREAM | (flags & 32 ? ZIP_DW7_NEW_STREAM : 0) | (flags & 64 ? ZIP_DW7_FINISH : 0);
	s.stream_ctx_addr_l = (u32)ctx;
	s.stream_ctx_addr_h = (u32)(ctx >> 32);
	memcpy(sqe, &s, sizeof(s));
}

static const struct hostile zip_process = {
	areas, sizeof(areas) / sizeof(areas[0]), QUEUE_BAD_COMP, 2, 48, descriptor
};

/* Submits a request on a queue of the other process: returns the request's status. */
static u32 ask(struct rig *r, u32 q, struct zip_sqe *sqe)
{
	MUST(rig_do(r, q, sqe), "no completion on a queue that nobody has touched");
	return sqe->dw3 & ZIP_DW3_STATUS_MASK;
}

static u32 trailer_bytes(u32 type)
{
	return type == ZIP_REQ_ZLIB ? 4 : type == ZIP_REQ_GZIP ? 8 : 0;
}

static void make_trailer(u32 type, const u8 *plain, u32 len, u8 *to)
{
	u32 v = type == ZIP_REQ_GZIP ? (u32)crc32(0, plain, len) : __builtin_bswap32((u32)adler32(1, plain, len));

	memcpy(to, &v, 4);
	memcpy(to + 4, &len, 4);
}

/* Raw deflate as zlib reads it: its code, the bytes that it used and made. */
static int unpack(const u8 *in, u32 len, u8 *out, u32 *used, u32 *made)
{
	z_stream z = { .next_in = (Bytef *)in, .avail_in = len };
	int ret;

	z.next_out = out;
	z.avail_out = *made;
	MUST(inflateInit2(&z, -15) == Z_OK);
	ret = inflate(&z, Z_SYNC_FLUSH);
	*used = (u32)z.total_in;
	*made = (u32)z.total_out;
	inflateEnd(&z);
	return ret;
}

static void compress_honestly(struct rig *r, u32 type, u32 window, const u8 *data, u32 len)
{
	u8 *back = malloc(DATA_MAX), want[8];
	u32 status, used, made = DATA_MAX;
	struct zip_sqe sqe;

	memcpy(rig_user(r, MINE), data, len);
	rig_sqe(&sqe, type, MINE, len, MINE + ROOM, ROOM);
	sqe.dw9 = (sqe.dw9 & ~(ZIP_DW9_WIN_MASK << ZIP_DW9_WIN_SHIFT)) | window << ZIP_DW9_WIN_SHIFT;
	status = ask(r, QUEUE_COMP, &sqe);
	MUST(status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP, "status %#x", status);
	MUST(sqe.consumed == len && sqe.produced <= ROOM);
	MUST(unpack(rig_user(r, MINE + ROOM), sqe.produced, back, &used, &made) == Z_STREAM_END);
	MUST(made == len && !memcmp(back, data, len) && used + trailer_bytes(type) == sqe.produced);
	make_trailer(type, data, len, want);
	MUST(!memcmp(rig_user(r, MINE + ROOM + used), want, trailer_bytes(type)));
	free(back);
}

struct unpacked {
	u32 status, consumed, made;
	u8 *out;
};

/* A stream in requests of any size, each with the state from the request before. */
static struct unpacked decompress_in_pieces(struct rig *r, u32 type, const u8 *data, u32 len, u32 seed)
{
	u64 ctx = MINE + 4 * ROOM + ZIP_CTX_HW_OFFSET;
	struct unpacked u = { .out = malloc(2 * ROOM) };
	struct zip_sqe sqe, last = { 0 };
	u32 n, requests, room;

	for (requests = 0; requests < 300; requests++) {
		n = drawn(&seed, requests < 30 ? 60 : DATA_MAX);
		room = 1 + drawn(&seed, 6000) + ZIP_STREAM_MIN_OUT;
		if (n > len - u.consumed)
			n = len - u.consumed;
		if (room > ROOM - u.made)
			break;
		memcpy(rig_user(r, MINE), data + u.consumed, n);
		rig_sqe(&sqe, type, MINE, n, MINE + ROOM, room);
		sqe.dw7 |= ZIP_DW7_STREAM | (requests ? 0 : ZIP_DW7_NEW_STREAM);
		sqe.stream_ctx_addr_l = (u32)ctx;
		sqe.stream_ctx_addr_h = (u32)(ctx >> 32);
		sqe.ctx_dw0 = last.ctx_dw0;
		sqe.ctx_dw1 = last.ctx_dw1;
		sqe.ctx_dw2 = last.ctx_dw2;
		sqe.isize = last.isize;
		sqe.checksum = last.checksum;
		u.status = ask(r, QUEUE_DECOMP, &sqe);
		if (u.status != ZIP_ST_OK && u.status != ZIP_ST_END)
			break;
		memcpy(u.out + u.made, rig_user(r, MINE + ROOM), sqe.produced);
		u.made += sqe.produced;
		u.consumed += sqe.consumed;
		last = sqe;
		if (u.status == ZIP_ST_END || (u.consumed == len && sqe.produced < room))
			break;
	}
	return u;
}

static void decompress_honestly(struct rig *r, u32 type, const u8 *data, u32 len, u32 seed)
{
	struct unpacked u = decompress_in_pieces(r, type, data, len, seed);
	u32 used, made = 2 * ROOM, least, tail = trailer_bytes(type);
	u8 *want = malloc(2 * ROOM), trailer[8];
	int ret = unpack(data, len, want, &used, &made);

	least = made < u.made ? made : u.made;
	MUST(!memcmp(u.out, want, least));
	MUST(u.status != ZIP_ST_BAD_CONTEXT && u.status != ZIP_ST_ADDRESS && u.status != ZIP_ST_BAD_REQUEST,
	     "status %#x", u.status);
	if (ret == Z_STREAM_END && used + tail <= len && made < ROOM / 2) {
		make_trailer(type, want, made, trailer);
		if (memcmp(trailer, data + used, tail))
			MUST(u.status == ZIP_ST_CHECKSUM, "status %#x", u.status);
		else
			MUST(u.status == ZIP_ST_END && u.made == made && u.consumed == used + tail,
			     "status %#x, %u of %u", u.status, u.consumed, used + tail);
	}
	if (ret == Z_DATA_ERROR && made < ROOM / 2)
		MUST(u.status == ZIP_ST_BAD_DATA, "status %#x", u.status);
	if (u.status == ZIP_ST_END)
		MUST(ret == Z_STREAM_END);
	free(u.out);
	free(want);
}

static void honest(struct rig *r, struct feed *f)
{
	u8 how = feed_u8(f), data[DATA_MAX];
	u32 seed = feed_u32(f), len = (u32)feed_bytes(f, data, sizeof(data)), type = 1 + how % 3;

	if (len) {
		compress_honestly(r, type, (how >> 4) % 5, data, len);
		decompress_honestly(r, type, data, len, seed);
	} else {
		compress_honestly(r, ZIP_REQ_ZLIB, ZIP_WIN_32K, (const u8 *)"abcabcabc", 9);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	struct rig r;
	u32 q;

	rig_init(&r, NULL);
	for (q = 0; q < 4; q++) {
		struct rig_queue_opts o = { .alg = q & 1 ? ZIP_QC_DECOMPRESS : ZIP_QC_COMPRESS };

		MUST(!rig_queue_start(&r, q, &o));
	}
	hostile_run(&r, &f, &zip_process);
	honest(&r, &f);
	MUST(!rig_queue_start(&r, 0, NULL));
	rig_free(&r);
	return 0;
}
