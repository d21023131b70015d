// SPDX-License-Identifier: Apache-2.0
/* Streams: state kept in the user's context between requests, cut anywhere, both directions, against zlib. */
#include <stdlib.h>
#include <zlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define COMP	0u
#define DECOMP	1u
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (10u << 20))
#define CTX	(RIG_USER_BASE + (20u << 20) + ZIP_CTX_HW_OFFSET)
#define ROOM	65536u

FIXTURE(dev) {
	struct rig r;
	struct zip_sqe last;	/* whose state goes on */
	unsigned char *out;
	u32 produced, consumed;
};

FIXTURE_SETUP(dev)
{
	struct rig_queue_opts decomp = { .alg = DECOMP };

	rig_init(&self->r, NULL);
	self->out = malloc(4 << 20);
	ASSERT_EQ(0, rig_queue_start(&self->r, COMP, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, DECOMP, &decomp));
}

FIXTURE_TEARDOWN(dev)
{
	free(self->out);
	rig_free(&self->r);
}

static u32 seed = 7;

static u32 rnd(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static void fill(unsigned char *p, u32 len, u32 kind)
{
	u32 i;

	for (i = 0; i < len; i++)
		p[i] = kind == 2 ? (u8)rnd() : kind ? (u8)(rnd() % 5 * (i & 3)) : "the quick brown fox "[i % 20];
	for (i = 0; kind == 0 && i < len; i += 30)
		p[i] = (u8)rnd();
}

static FIXTURE_DATA(dev) *begin(FIXTURE_DATA(dev) *s)
{
	memset(&s->last, 0, sizeof(s->last));
	memset(rig_user(&s->r, CTX - ZIP_CTX_HW_OFFSET), 0, ZIP_CTX_BUF_SIZE);
	s->produced = s->consumed = 0;
	return s;
}

/* One request of a stream, its state taken from the last; the status, or 0xff. */
static u32 next(FIXTURE_DATA(dev) *s, u32 q, u32 type, const void *in, u32 len, u32 room, u32 flags)
{
	bool first = !s->last.dest_avail_out;
	struct zip_sqe sqe;
	u32 status;

	memcpy(rig_user(&s->r, SRC), in, len);
	rig_sqe(&sqe, type, SRC, len, DST, room);
	sqe.dw7 |= ZIP_DW7_STREAM | flags | (first ? ZIP_DW7_NEW_STREAM : 0);
	sqe.stream_ctx_addr_l = (u32)CTX;
	sqe.stream_ctx_addr_h = (u32)(CTX >> 32);
	sqe.ctx_dw0 = s->last.ctx_dw0;
	sqe.ctx_dw1 = s->last.ctx_dw1;
	sqe.ctx_dw2 = s->last.ctx_dw2;
	sqe.isize = s->last.isize;
	sqe.checksum = s->last.checksum;
	if (!rig_do(&s->r, q, &sqe))
		return 0xff;
	status = sqe.dw3 & ZIP_DW3_STATUS_MASK;
	if (status == ZIP_ST_OK || status == ZIP_ST_END || status == ZIP_ST_NEGATIVE_COMP) {
		memcpy(s->out + s->produced, rig_user(&s->r, DST), sqe.produced);
		s->produced += sqe.produced;
		s->consumed += sqe.consumed;
		s->last = sqe;
	}
	return status;
}

static int window_bits(u32 type)
{
	return type == ZIP_REQ_DEFLATE ? -15 : type == ZIP_REQ_ZLIB ? 15 : 31;
}

static u32 header_bytes(u32 type)
{
	return type == ZIP_REQ_DEFLATE ? 0 : type == ZIP_REQ_ZLIB ? ZIP_ZLIB_HEADER : ZIP_GZIP_HEADER;
}

/* A zlib stream without its header, of blocks of all kinds. */
static u32 encode(u32 type, const unsigned char *in, u32 len, unsigned char *out, u32 room)
{
	static const int levels[] = { 0, 1, 9, 6 }, strategies[] = { Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY };
	u32 piece = len / 6 + 1, n, i = 0;
	z_stream z = { .next_in = (Bytef *)in, .next_out = out, .avail_out = room };

	deflateInit2(&z, 6, Z_DEFLATED, window_bits(type), 8, Z_DEFAULT_STRATEGY);
	do {
		n = len - (u32)z.total_in < piece ? len - (u32)z.total_in : piece;
		z.avail_in = n;
		deflate(&z, Z_BLOCK);
		deflateParams(&z, levels[i % 4], strategies[i % 3]);
		i++;
	} while (z.total_in < len);
	deflate(&z, Z_FINISH);
	n = (u32)z.total_out - header_bytes(type);
	deflateEnd(&z);
	memmove(out, out + header_bytes(type), n);
	return n;
}

TEST_F(dev, streams_cut_at_every_byte_decompress)
{
	unsigned char plain[900], packed[2048];
	u32 type, n, cut, kind;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++)
		for (kind = 0; kind < 3; kind++) {
			fill(plain, sizeof(plain), kind);
			n = encode(type, plain, sizeof(plain), packed, sizeof(packed));
			for (cut = 0; cut < n; cut++) {
				begin(self);
				ASSERT_EQ(ZIP_ST_OK, next(self, DECOMP, type, packed, cut, ROOM, 0));
				ASSERT_EQ(cut, self->consumed);
				ASSERT_EQ(ZIP_ST_END,
					  next(self, DECOMP, type, packed + cut, n - cut, ROOM, ZIP_DW7_FINISH));
				ASSERT_EQ(n, self->consumed);
				ASSERT_EQ(sizeof(plain), self->produced);
				ASSERT_NE(0, self->last.dw3 & ZIP_DW3_LAST_BLOCK);
				ASSERT_EQ(0, memcmp(plain, self->out, sizeof(plain)));
			}
		}
}

TEST_F(dev, one_byte_a_request_decompresses)
{
	unsigned char plain[900], packed[2048];
	u32 type, n, i;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++) {
		fill(plain, sizeof(plain), 0);
		n = encode(type, plain, sizeof(plain), packed, sizeof(packed));
		begin(self);
		for (i = 0; i < n; i++) {
			ASSERT_EQ(i + 1 == n ? ZIP_ST_END : ZIP_ST_OK,
				  next(self, DECOMP, type, packed + i, 1, ROOM, 0));
		}
		ASSERT_EQ(sizeof(plain), self->produced);
		ASSERT_EQ(0, memcmp(plain, self->out, sizeof(plain)));
	}
}

TEST_F(dev, little_output_space_goes_on_with_the_next_request)
{
	unsigned char *plain = malloc(20000), *packed = malloc(40000);
	u32 type, n, kind, status, at, calls;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++)
		for (kind = 0; kind < 3; kind++) {
			fill(plain, 20000, kind);
			n = encode(type, plain, 20000, packed, 40000);
			begin(self);
			for (at = 0, calls = 0; calls < 200; calls++, at = self->consumed) {
				status = next(self, DECOMP, type, packed + at, n - at, 200 + calls % 3, 0);
				if (status == ZIP_ST_END)
					break;
				ASSERT_EQ(ZIP_ST_OK, status);
				ASSERT_EQ(ZIP_CTX_STATE_NO_SPACE, self->last.ctx_dw0 & ZIP_CTX_STATE_MASK);
			}
			ASSERT_EQ(ZIP_ST_END, status);
			ASSERT_EQ(n, self->consumed);
			ASSERT_EQ(20000, self->produced);
			ASSERT_EQ(0, memcmp(plain, self->out, 20000));
		}
	free(plain);
	free(packed);
}

TEST_F(dev, output_that_is_owed_comes_without_input)
{
	unsigned char plain[5000], packed[8192];
	u32 n, i;

	memset(plain, 'a', sizeof(plain));
	n = encode(ZIP_REQ_DEFLATE, plain, sizeof(plain), packed, sizeof(packed));
	begin(self);
	ASSERT_EQ(ZIP_ST_OK, next(self, DECOMP, ZIP_REQ_DEFLATE, packed, n, 200, 0));
	for (i = 0; i < 30 && !(self->last.dw3 & ZIP_DW3_LAST_BLOCK); i++)
		next(self, DECOMP, ZIP_REQ_DEFLATE, packed + self->consumed, n - self->consumed, 200, 0);
	EXPECT_EQ(ZIP_ST_END, self->last.dw3 & ZIP_DW3_STATUS_MASK);
	EXPECT_EQ(5000, self->produced);
}

TEST_F(dev, random_splits_of_large_streams_decompress)
{
	unsigned char *plain = malloc(1 << 20), *packed = malloc(2 << 20);
	u32 round, type, n, at, len, status;

	for (round = 0; round < 12; round++) {
		type = ZIP_REQ_DEFLATE + round % 3;
		fill(plain, 1 << 20, round % 3);
		n = encode(type, plain, 1 << 20, packed, 2 << 20);
		begin(self);
		status = ZIP_ST_OK;
		for (at = 0; status == ZIP_ST_OK && at <= n; at = self->consumed) {
			len = rnd() % 70000;
			status = next(self, DECOMP, type, packed + at, len < n - at ? len : n - at,
				      200 + rnd() % 100000, 0);
		}
		ASSERT_EQ(ZIP_ST_END, status);
		ASSERT_EQ(n, self->consumed);
		ASSERT_EQ(1 << 20, self->produced);
		ASSERT_EQ(0, memcmp(plain, self->out, 1 << 20));
	}
	free(plain);
	free(packed);
}

/* The output of the device, with its header, through zlib. */
static long decode(u32 type, const unsigned char *body, u32 len, unsigned char *out, u32 room)
{
	static const unsigned char zlib[2] = { 0x78, 0x9c }, gzip[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	z_stream z = { .next_out = out, .avail_out = room };
	int ret = Z_OK;

	inflateInit2(&z, window_bits(type));
	z.next_in = (Bytef *)(type == ZIP_REQ_GZIP ? gzip : zlib);
	z.avail_in = header_bytes(type);
	if (z.avail_in)
		inflate(&z, Z_NO_FLUSH);
	z.next_in = (Bytef *)body;
	z.avail_in = len;
	ret = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_in ? (long)z.total_out : -1;
}

TEST_F(dev, streams_of_any_pieces_compress)
{
	unsigned char *plain = malloc(300000), *back = malloc(300000);
	u32 round, type, at, len, status;

	for (round = 0; round < 15; round++) {
		type = ZIP_REQ_DEFLATE + round % 3;
		fill(plain, 300000, round % 3);
		begin(self);
		for (at = 0; at < 300000; at += len) {
			len = rnd() % 50000;
			len = len < 300000 - at ? len : 300000 - at;
			status = next(self, COMP, type, plain + at, len, 100000,
				      at + len == 300000 ? ZIP_DW7_FINISH : 0);
			ASSERT_TRUE(status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP);
		}
		ASSERT_EQ(300000, decode(type, self->out, self->produced, back, 300000));
		ASSERT_EQ(0, memcmp(plain, back, 300000));
	}
	free(plain);
	free(back);
}

TEST_F(dev, later_requests_refer_to_the_window)
{
	unsigned char plain[8192];
	u32 first;

	fill(plain, sizeof(plain), 2);
	begin(self);
	next(self, COMP, ZIP_REQ_DEFLATE, plain, sizeof(plain), ROOM, 0);
	first = self->produced;
	ASSERT_EQ(ZIP_ST_OK, next(self, COMP, ZIP_REQ_DEFLATE, plain, sizeof(plain), ROOM, ZIP_DW7_FINISH));
	EXPECT_GT(first / 10, self->produced - first);
}

TEST_F(dev, a_sync_flush_leaves_a_byte_boundary_that_software_may_end)
{
	static const unsigned char end[5] = { 1, 0, 0, 0xff, 0xff };
	unsigned char plain[3000], back[3000];

	fill(plain, sizeof(plain), 0);
	begin(self);
	ASSERT_EQ(ZIP_ST_OK, next(self, COMP, ZIP_REQ_DEFLATE, plain, sizeof(plain), ROOM, 0));
	ASSERT_EQ(0, memcmp(self->out + self->produced - 4, "\0\0\xff\xff", 4));
	memcpy(self->out + self->produced, end, 5);
	EXPECT_EQ(sizeof(plain), decode(ZIP_REQ_DEFLATE, self->out, self->produced + 5, back, sizeof(back)));
	EXPECT_EQ(sizeof(plain), self->last.isize);
}

TEST_F(dev, an_empty_stream_has_both_ends)
{
	unsigned char back[16];
	u32 type;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++) {
		begin(self);
		ASSERT_EQ(ZIP_ST_NEGATIVE_COMP, next(self, COMP, type, "", 0, ROOM, ZIP_DW7_FINISH));
		EXPECT_EQ(0, decode(type, self->out, self->produced, back, sizeof(back)));
		memcpy(back, self->out, self->produced);
		begin(self);
		EXPECT_EQ(ZIP_ST_END, next(self, DECOMP, type, back,
					   type == ZIP_REQ_GZIP ? 10 : type == ZIP_REQ_ZLIB ? 6 : 2, ROOM, 0));
	}
}

TEST_F(dev, stream_requests_need_200_bytes_of_space)
{
	begin(self);
	EXPECT_EQ(ZIP_ST_NOSPACE, next(self, COMP, ZIP_REQ_ZLIB, "a", 1, 199, 0));
	EXPECT_EQ(ZIP_ST_OK, next(self, COMP, ZIP_REQ_ZLIB, "aaaaaaaaaaaaaaaaaaaaaaaa", 24, 200, 0));
}

TEST_F(dev, nine_eighths_of_the_input_is_always_enough)
{
	unsigned char data[176 * 9];
	u32 len, at;

	fill(data, sizeof(data), 2);
	for (len = 176; len <= 1400; len += 51) {
		begin(self);
		at = len * 9 / 8 + 1;
		ASSERT_NE(ZIP_ST_NOSPACE,
			  next(self, COMP, ZIP_REQ_GZIP, data, len, at < 200 ? 200 : at, ZIP_DW7_FINISH));
	}
}

TEST_F(dev, a_failed_request_leaves_the_stream_where_it_was)
{
	unsigned char plain[4000], back[4000];

	fill(plain, sizeof(plain), 2);
	begin(self);
	next(self, COMP, ZIP_REQ_ZLIB, plain, 1000, ROOM, 0);
	EXPECT_EQ(ZIP_ST_NOSPACE, next(self, COMP, ZIP_REQ_ZLIB, plain + 1000, 3000, 300, ZIP_DW7_FINISH));
	next(self, COMP, ZIP_REQ_ZLIB, plain + 1000, 3000, ROOM, ZIP_DW7_FINISH);
	EXPECT_EQ(4000, decode(ZIP_REQ_ZLIB, self->out, self->produced, back, sizeof(back)));
}

TEST_F(dev, a_context_of_something_else_is_refused)
{
	unsigned char plain[4000], packed[8000];
	u32 n;

	fill(plain, sizeof(plain), 0);
	n = encode(ZIP_REQ_ZLIB, plain, sizeof(plain), packed, sizeof(packed));
#define REFUSED(q, type, change) \
	do { \
		begin(self); \
		next(self, DECOMP, ZIP_REQ_ZLIB, packed, n / 2, ROOM, 0); \
		change; \
		EXPECT_EQ(ZIP_ST_BAD_CONTEXT, next(self, q, type, packed + n / 2, n - n / 2, ROOM, 0)) \
			TH_LOG(#change); \
	} while (0)
	REFUSED(COMP, ZIP_REQ_ZLIB, (void)0);
	REFUSED(DECOMP, ZIP_REQ_GZIP, (void)0);
	REFUSED(DECOMP, ZIP_REQ_ZLIB, self->last.ctx_dw2--);
	REFUSED(DECOMP, ZIP_REQ_ZLIB, self->last.ctx_dw1++);
	REFUSED(DECOMP, ZIP_REQ_ZLIB, memset(rig_user(&self->r, CTX), 0, 64));
	begin(self);
	next(self, DECOMP, ZIP_REQ_ZLIB, packed, n, ROOM, 0);
	EXPECT_EQ(ZIP_ST_BAD_CONTEXT, next(self, DECOMP, ZIP_REQ_ZLIB, packed, n, ROOM, 0));
	begin(self);
	next(self, COMP, ZIP_REQ_ZLIB, plain, 100, ROOM, ZIP_DW7_FINISH);
	EXPECT_EQ(ZIP_ST_BAD_CONTEXT, next(self, COMP, ZIP_REQ_ZLIB, plain, 100, ROOM, 0));
}

TEST_F(dev, a_changed_checksum_input_is_noticed_at_the_end)
{
	unsigned char plain[4000], packed[8000];
	u32 n;

	fill(plain, sizeof(plain), 0);
	n = encode(ZIP_REQ_GZIP, plain, sizeof(plain), packed, sizeof(packed));
	begin(self);
	next(self, DECOMP, ZIP_REQ_GZIP, packed, n / 2, ROOM, 0);
	self->last.checksum ^= 1;
	EXPECT_EQ(ZIP_ST_CHECKSUM, next(self, DECOMP, ZIP_REQ_GZIP, packed + n / 2, n - n / 2, ROOM, 0));
}

TEST_F(dev, corrupt_streams_end_as_zlib_says)
{
	unsigned char plain[700], packed[1500], out[8192];
	z_stream z = { 0 };
	u32 round, n, len, status;
	int ret;

	inflateInit2(&z, -15);
	for (round = 0; round < 20000; round++) {
		fill(plain, sizeof(plain), round % 3);
		n = encode(ZIP_REQ_DEFLATE, plain, sizeof(plain), packed, sizeof(packed));
		for (len = 1 + rnd() % 3; len; len--)
			packed[rnd() % n] ^= (u8)(1 << rnd() % 8);
		inflateReset(&z);
		z.next_in = packed;
		z.avail_in = n;
		z.next_out = out;
		z.avail_out = sizeof(out);
		ret = inflate(&z, Z_SYNC_FLUSH);
		begin(self);
		status = next(self, DECOMP, ZIP_REQ_DEFLATE, packed, n, sizeof(out), 0);
		if (ret == Z_STREAM_END) {
			ASSERT_EQ(ZIP_ST_END, status) TH_LOG("round %u", round);
			ASSERT_EQ(z.total_in, self->consumed);
		} else if (ret == Z_DATA_ERROR) {
			ASSERT_EQ(ZIP_ST_BAD_DATA, status) TH_LOG("round %u %s", round, z.msg);
		} else {
			ASSERT_EQ(ZIP_ST_OK, status) TH_LOG("round %u", round);
		}
		if (ret != Z_DATA_ERROR) {
			ASSERT_EQ(z.total_out, self->produced);
			ASSERT_EQ(0, memcmp(out, self->out, self->produced));
		}
	}
	inflateEnd(&z);
}

TEST_HARNESS_MAIN
