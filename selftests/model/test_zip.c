// SPDX-License-Identifier: Apache-2.0
/* The ZIP engine against zlib: formats, directions, streams, scatter/gather, limits, every status. */
#include <stdlib.h>
#include <zlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define COMP	0u
#define DECOMP	1u
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (10u << 20))
#define SGLS	(RIG_USER_BASE + (32u << 20))
#define HOLE	(RIG_USER_BASE + (36u << 20))

FIXTURE(dev) {
	struct rig r;
};

FIXTURE_SETUP(dev)
{
	struct rig_queue_opts decomp = { .alg = DECOMP };

	rig_init(&self->r, NULL);
	self->r.user_hole = HOLE;
	self->r.user_hole_end = HOLE + 4096;
	ASSERT_EQ(0, rig_queue_start(&self->r, COMP, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, DECOMP, &decomp));
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

static u32 seed = 1;

static u32 rnd(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Text-like, binary or incompressible, by @kind. */
static void fill(unsigned char *p, u32 len, u32 kind)
{
	u32 i;

	for (i = 0; i < len; i++)
		p[i] = kind == 0 ? "the quick brown fox "[i % 20] : kind == 1 ? (u8)(rnd() % 7 * (i & 3)) : (u8)rnd();
	if (kind == 0)
		for (i = 0; i < len; i += 50)
			p[i] = (u8)rnd();
}

static int window_bits(u32 type)
{
	return type == ZIP_REQ_DEFLATE ? -15 : type == ZIP_REQ_ZLIB ? 15 : 31;
}

static u32 header_bytes(u32 type)
{
	return type == ZIP_REQ_DEFLATE ? 0 : type == ZIP_REQ_ZLIB ? ZIP_ZLIB_HEADER : ZIP_GZIP_HEADER;
}

static void header_put(u32 type, unsigned char *p)
{
	static const unsigned char zlib[10] = { 0x78, 0x9c }, gzip[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };

	memcpy(p, type == ZIP_REQ_GZIP ? gzip : zlib, header_bytes(type));
}

/* Decodes the device's output, with software's header in front, by zlib; returns the length, or -1. */
static long zlib_decode(u32 type, const unsigned char *body, u32 len, unsigned char *out, u32 room)
{
	unsigned char *in = malloc(len + 16);
	z_stream z = { .next_out = out, .avail_out = room };
	int ret;

	header_put(type, in);
	memcpy(in + header_bytes(type), body, len);
	z.next_in = in;
	z.avail_in = len + header_bytes(type);
	inflateInit2(&z, window_bits(type));
	ret = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	free(in);
	return ret == Z_STREAM_END && !z.avail_in ? (long)z.total_out : -1;
}

/* zlib's stream without its header, as software passes it to the device. */
static u32 zlib_encode(u32 type, int level, const unsigned char *in, u32 len, unsigned char *out, u32 room)
{
	unsigned char *all = malloc(room + 32);
	z_stream z = { .next_in = (Bytef *)in, .avail_in = len, .next_out = all, .avail_out = room + 32 };
	u32 n;

	deflateInit2(&z, level, Z_DEFLATED, window_bits(type), 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	n = (u32)z.total_out - header_bytes(type);
	deflateEnd(&z);
	memcpy(out, all + header_bytes(type), n);
	free(all);
	return n;
}

static u32 status(const struct zip_sqe *sqe)
{
	return sqe->dw3 & ZIP_DW3_STATUS_MASK;
}

static u32 request(struct rig *r, u32 q, u32 type, u32 len, u32 room, struct zip_sqe *sqe)
{
	rig_sqe(sqe, type, SRC, len, DST, room);
	return rig_do(r, q, sqe) ? status(sqe) : 0xff;
}

TEST_F(dev, compressed_output_is_what_zlib_expects)
{
	static const u32 lens[] = { 0, 1, 2, 100, 4095, 65535, 65536, 65537, 300000 };
	struct rig *r = &self->r;
	unsigned char *out = malloc(400000);
	u32 type, i, kind, window;
	struct zip_sqe sqe;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++)
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			for (kind = 0; kind < 3; kind++) {
				window = (i + kind) % 5;
				fill(rig_user(r, SRC), lens[i], kind);
				rig_sqe(&sqe, type, SRC, lens[i], DST, 400000);
				sqe.dw9 = type | window << ZIP_DW9_WIN_SHIFT;
				ASSERT_TRUE(rig_do(r, COMP, &sqe));
				ASSERT_EQ(sqe.produced >= lens[i] ? ZIP_ST_NEGATIVE_COMP : ZIP_ST_OK, status(&sqe));
				ASSERT_EQ(lens[i], sqe.consumed);
				ASSERT_EQ(lens[i], zlib_decode(type, rig_user(r, DST), sqe.produced, out, 400000));
				ASSERT_EQ(0, memcmp(out, rig_user(r, SRC), lens[i]));
				/* The driver's bound of 9/8, whatever the window. */
				ASSERT_GE(lens[i] * 9 / 8 + 32, sqe.produced);
			}
	free(out);
}

TEST_F(dev, zlib_output_decompresses)
{
	static const u32 lens[] = { 0, 1, 2, 100, 65535, 65536, 65537, 300000 };
	struct rig *r = &self->r;
	unsigned char *plain = malloc(300000);
	u32 type, i, kind, n;
	struct zip_sqe sqe;

	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++)
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			for (kind = 0; kind < 3; kind++) {
				fill(plain, lens[i], kind);
				n = zlib_encode(type, (int)(i % 10), plain, lens[i], rig_user(r, SRC), 400000);
				ASSERT_EQ(ZIP_ST_OK, request(r, DECOMP, type, n, 300000, &sqe));
				ASSERT_EQ(n, sqe.consumed);
				ASSERT_EQ(lens[i], sqe.produced);
				ASSERT_NE(0, sqe.dw3 & ZIP_DW3_LAST_BLOCK);
				ASSERT_EQ(0, memcmp(plain, rig_user(r, DST), lens[i]));
			}
	free(plain);
}

static u32 reverse(u32 v)
{
	u32 r = 0, i;

	for (i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

TEST_F(dev, checksums_have_the_form_that_drivers_convert)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	memcpy(rig_user(r, SRC), "123456789", 9);
	request(r, COMP, ZIP_REQ_GZIP, 9, 4096, &sqe);
	EXPECT_EQ(0xcbf43926, reverse(~sqe.checksum));
	EXPECT_EQ(9, sqe.isize);
	request(r, COMP, ZIP_REQ_ZLIB, 9, 4096, &sqe);
	EXPECT_EQ(0x091e01de, sqe.checksum);
	request(r, COMP, ZIP_REQ_GZIP, 0, 4096, &sqe);
	EXPECT_EQ(0, reverse(~sqe.checksum));
	request(r, COMP, ZIP_REQ_DEFLATE, 9, 4096, &sqe);
	EXPECT_EQ(0, sqe.checksum);
}

TEST_F(dev, stateless_requests_ignore_flush_and_stream_bits)
{
	static const u32 bits[] = { 0, ZIP_DW7_FINISH, ZIP_DW7_NEW_STREAM, ZIP_DW7_FINISH | ZIP_DW7_NEW_STREAM };
	struct rig *r = &self->r;
	unsigned char out[256];
	struct zip_sqe sqe;
	u32 i;

	memset(rig_user(r, SRC), 'a', 200);
	for (i = 0; i < 4; i++) {
		rig_sqe(&sqe, ZIP_REQ_GZIP, SRC, 200, DST, 4096);
		sqe.dw7 |= bits[i];
		ASSERT_TRUE(rig_do(r, COMP, &sqe));
		EXPECT_EQ(200, zlib_decode(ZIP_REQ_GZIP, rig_user(r, DST), sqe.produced, out, sizeof(out)));
	}
}

TEST_F(dev, each_bad_field_is_refused)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u64 refused = 0;

#define REFUSED(change) \
	do { \
		rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, 100, DST, 4096); \
		change; \
		ASSERT_TRUE(rig_do(r, COMP, &sqe)); \
		EXPECT_EQ(ZIP_ST_BAD_REQUEST, sqe.dw3) TH_LOG(#change); \
		EXPECT_EQ(0, sqe.consumed | sqe.produced); \
		refused++; \
	} while (0)
	REFUSED(sqe.dw9 = 0);
	REFUSED(sqe.dw9 = 0x10);
	REFUSED(sqe.dw9 = 0xff);
	REFUSED(sqe.dw9 |= 2 << ZIP_DW9_BUF_SHIFT);
	REFUSED(sqe.dw9 = ZIP_REQ_ZLIB | 5 << ZIP_DW9_WIN_SHIFT);
	REFUSED(sqe.dw9 |= 1 << 16);
	REFUSED(sqe.dw7 |= 1 << 24);
	REFUSED(sqe.dw7 = 1 << ZIP_DW7_SQE_TYPE_SHIFT);
	/* The type of generation 2 */
	REFUSED(sqe.dw7 = ZIP_SQE_TYPE_0 << ZIP_DW7_SQE_TYPE_SHIFT);
	REFUSED(sqe.dw7 = 0xfu << ZIP_DW7_SQE_TYPE_SHIFT);
	REFUSED(sqe.dw7 |= 1);
	REFUSED(sqe.dw8 = 1);
	REFUSED(sqe.dw8 = 1 << 24);
	REFUSED(sqe.dw10 = 1);
	REFUSED(sqe.dw11 = 1);
	REFUSED(sqe.dw12 = 1);
	REFUSED(sqe.lba_l = 1);
	REFUSED(sqe.lba_h = 1);
	REFUSED(sqe.dw13 = 1);
	REFUSED(sqe.dw16 = 1);
	REFUSED(sqe.dw17 = 1);
	REFUSED(sqe.literals_addr_l = 1);
	REFUSED(sqe.literals_addr_h = 1);
	REFUSED(sqe.input_data_length = ZIP_MAX_INPUT + 1);
	REFUSED(sqe.input_data_length = ~0u);
	REFUSED(sqe.source_addr_l = 0; sqe.source_addr_h = 0);
	REFUSED(sqe.dest_addr_l = 0; sqe.dest_addr_h = 0);
	REFUSED(sqe.dw7 |= ZIP_DW7_STREAM | ZIP_DW7_NEW_STREAM);
	EXPECT_EQ(refused, rig_refused(r, WDM_REFUSE_SQE));
	EXPECT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_ZLIB, 100, 4096, &sqe));
}

TEST_F(dev, a_slot_rung_again_without_a_new_descriptor_is_refused)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 i;

	for (i = 0; i < RIG_DEPTH; i++) {
		ASSERT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_ZLIB, 100, 4096, &sqe));
	}
	r->q[COMP].tail = 1;
	rig_ring_sq(r, COMP);
	rig_turn(r);
	ASSERT_EQ(0, rig_pop(r, COMP));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, rig_slot(r, COMP, 0)[3]);
}

TEST_F(dev, the_largest_input_is_8_mib)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	memset(rig_user(r, SRC), 'x', ZIP_MAX_INPUT);
	ASSERT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_GZIP, ZIP_MAX_INPUT, 1 << 20, &sqe));
	EXPECT_EQ(ZIP_MAX_INPUT, sqe.consumed);
	memcpy(rig_user(r, SRC), rig_user(r, DST), sqe.produced);
	/* More output space than 8 MiB counts as 8 MiB. */
	ASSERT_EQ(ZIP_ST_OK, request(r, DECOMP, ZIP_REQ_GZIP, sqe.produced, 12 << 20, &sqe));
	EXPECT_EQ(ZIP_MAX_INPUT, sqe.produced);
}

TEST_F(dev, too_little_output_space_is_an_error_and_writes_nothing_beyond)
{
	struct rig *r = &self->r;
	unsigned char *dst = rig_user(r, DST);
	struct zip_sqe sqe;
	u32 n, room;

	fill(rig_user(r, SRC), 5000, 1);
	ASSERT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_ZLIB, 5000, 8192, &sqe));
	n = sqe.produced;
	for (room = 0; room < n; room += 1 + room / 20) {
		memset(dst, 0xee, n + 8);
		ASSERT_EQ(ZIP_ST_NOSPACE, request(r, COMP, ZIP_REQ_ZLIB, 5000, room, &sqe));
		ASSERT_EQ(0, sqe.produced);
		ASSERT_EQ(0xee, dst[room]);
	}
	ASSERT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_ZLIB, 5000, n, &sqe));
	memcpy(rig_user(r, SRC), dst, n);
	for (room = 0; room < 5000; room += 1 + room / 20) {
		memset(dst, 0xee, 5008);
		ASSERT_EQ(ZIP_ST_NOSPACE, request(r, DECOMP, ZIP_REQ_ZLIB, n, room, &sqe));
		ASSERT_EQ(0xee, dst[room]);
	}
	ASSERT_EQ(ZIP_ST_OK, request(r, DECOMP, ZIP_REQ_ZLIB, n, 5000, &sqe));
}

TEST_F(dev, input_cut_anywhere_is_truncated)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 type, n, cut;
	unsigned char plain[600];

	fill(plain, sizeof(plain), 0);
	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++) {
		n = zlib_encode(type, 6, plain, sizeof(plain), rig_user(r, SRC), 4096);
		for (cut = 0; cut < n; cut++) {
			ASSERT_EQ(ZIP_ST_TRUNCATED, request(r, DECOMP, type, cut, 4096, &sqe)) TH_LOG("cut %u", cut);
		}
		ASSERT_EQ(ZIP_ST_OK, request(r, DECOMP, type, n, 4096, &sqe));
	}
}

TEST_F(dev, what_follows_the_stream_is_not_consumed)
{
	struct rig *r = &self->r;
	unsigned char plain[600];
	struct zip_sqe sqe;
	u32 type, n;

	fill(plain, sizeof(plain), 0);
	for (type = ZIP_REQ_DEFLATE; type <= ZIP_REQ_GZIP; type++) {
		n = zlib_encode(type, 6, plain, sizeof(plain), rig_user(r, SRC), 4096);
		memset((char *)rig_user(r, SRC) + n, 0xa5, 100);
		ASSERT_EQ(ZIP_ST_OK, request(r, DECOMP, type, n + 100, 4096, &sqe));
		EXPECT_EQ(n, sqe.consumed);
	}
}

TEST_F(dev, a_wrong_trailer_is_a_checksum_error)
{
	struct rig *r = &self->r;
	unsigned char plain[600], *src = rig_user(r, SRC);
	struct zip_sqe sqe;
	u32 n, i;

	fill(plain, sizeof(plain), 0);
	n = zlib_encode(ZIP_REQ_ZLIB, 6, plain, sizeof(plain), src, 4096);
	for (i = 1; i <= 4; i++) {
		src[n - i] ^= 0x40;
		EXPECT_EQ(ZIP_ST_CHECKSUM, request(r, DECOMP, ZIP_REQ_ZLIB, n, 4096, &sqe));
		src[n - i] ^= 0x40;
	}
	n = zlib_encode(ZIP_REQ_GZIP, 6, plain, sizeof(plain), src, 4096);
	for (i = 1; i <= 8; i++) {
		src[n - i] ^= 0x40;
		EXPECT_EQ(ZIP_ST_CHECKSUM, request(r, DECOMP, ZIP_REQ_GZIP, n, 4096, &sqe));
		src[n - i] ^= 0x40;
	}
}

TEST_F(dev, corrupt_data_is_a_data_error)
{
	static const unsigned char reserved_block[] = { 0x07 }, bad_stored[] = { 0x01, 1, 0, 0, 0 },
		far_match[] = { 0x03, 0x02 };
	struct rig *r = &self->r;
	struct zip_sqe sqe;

	memcpy(rig_user(r, SRC), reserved_block, 1);
	EXPECT_EQ(ZIP_ST_BAD_DATA, request(r, DECOMP, ZIP_REQ_DEFLATE, 1, 4096, &sqe));
	memcpy(rig_user(r, SRC), bad_stored, 5);
	EXPECT_EQ(ZIP_ST_BAD_DATA, request(r, DECOMP, ZIP_REQ_DEFLATE, 5, 4096, &sqe));
	memcpy(rig_user(r, SRC), far_match, 2);
	EXPECT_EQ(ZIP_ST_BAD_DATA, request(r, DECOMP, ZIP_REQ_DEFLATE, 2, 4096, &sqe));
}

TEST_F(dev, unmapped_payload_fails_only_its_request)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 q;

	for (q = COMP; q <= DECOMP; q++) {
		rig_sqe(&sqe, ZIP_REQ_ZLIB, HOLE, 100, DST, 4096);
		ASSERT_TRUE(rig_do(r, q, &sqe));
		EXPECT_EQ(ZIP_ST_ADDRESS, sqe.dw3);
		rig_sqe(&sqe, ZIP_REQ_ZLIB, HOLE - 50, 100, DST, 4096);
		ASSERT_TRUE(rig_do(r, q, &sqe));
		EXPECT_EQ(ZIP_ST_ADDRESS, sqe.dw3);
		rig_sqe(&sqe, ZIP_REQ_ZLIB, ~0ull - 10, 100, DST, 4096);
		ASSERT_TRUE(rig_do(r, q, &sqe));
		EXPECT_EQ(ZIP_ST_ADDRESS, sqe.dw3);
	}
	rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, 100, HOLE, 4096);
	ASSERT_TRUE(rig_do(r, COMP, &sqe));
	EXPECT_EQ(ZIP_ST_ADDRESS, sqe.dw3);
	EXPECT_EQ(ZIP_ST_OK, request(r, COMP, ZIP_REQ_ZLIB, 100, 4096, &sqe));
}

TEST_F(dev, without_pasid_addresses_are_bus_addresses)
{
	struct rig_queue_opts o = { .no_pasid = true };
	struct rig *r = &self->r;
	u64 at = rig_dma_alloc(r, 4096);
	unsigned char out[64];
	struct zip_sqe sqe;

	ASSERT_EQ(0, rig_queue_start(r, 2, &o));
	memcpy(rig_dma(r, at), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 30);
	rig_sqe(&sqe, ZIP_REQ_ZLIB, at, 30, at + 1024, 1024);
	ASSERT_TRUE(rig_do(r, 2, &sqe));
	EXPECT_EQ(ZIP_ST_OK, status(&sqe));
	EXPECT_EQ(30, zlib_decode(ZIP_REQ_ZLIB, rig_dma(r, at + 1024), sqe.produced, out, sizeof(out)));
	rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, 30, at + 1024, 1024);
	ASSERT_TRUE(rig_do(r, 2, &sqe));
	EXPECT_EQ(ZIP_ST_ADDRESS, sqe.dw3);
}

/* A chain over @len bytes at @data: pieces of @piece bytes, @per_list entries a list, with empty ones among them. */
static u64 sgl_make(struct rig *r, u64 at, u64 data, u32 len, u32 piece, u32 per_list)
{
	struct qm_sgl *list = NULL;
	u64 first = at;
	struct qm_sge *e;
	u32 n;

	do {
		struct qm_sgl *next = rig_user(r, at);

		if (list)
			list->next_dma = at;
		list = next;
		memset(list, 0xcc, sizeof(*list));
		list->next_dma = 0;
		list->entry_sum_in_chain = 9999;
		list->entry_sum_in_sgl = (u16)per_list;
		list->entry_length_in_sgl = (u16)per_list;
		e = (struct qm_sge *)(list + 1);
		memset(e, 0, sizeof(*e) * per_list);
		for (n = 0; n < per_list; n++, e++) {
			if (n % 3 == 1)
				continue;
			e->buf = data;
			e->len = len < piece ? len : piece;
			data += e->len;
			len -= e->len;
		}
		at += (sizeof(*list) + per_list * sizeof(*e) + 63) & ~63ull;
	} while (len);
	return first;
}

static u32 sgl_request(struct rig *r, u32 q, u32 type, u64 src, u32 skip, u32 len, u64 dst, u32 dskip, u32 room,
		       struct zip_sqe *sqe)
{
	rig_sqe(sqe, type, src, len, dst, room);
	sqe->dw9 |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	sqe->dw7 |= skip;
	sqe->dw8 = dskip;
	return rig_do(r, q, sqe) ? status(sqe) : 0xff;
}

TEST_F(dev, scatter_gather_lists_of_every_shape)
{
	static const u32 pieces[] = { 1, 3, 100, 4096, 70000 }, per_list[] = { 1, 2, 10, 255 };
	struct rig *r = &self->r;
	unsigned char *plain = malloc(70000);
	struct zip_sqe sqe;
	u32 i, j, n, len, skip;
	u64 src, dst;

	for (i = 0; i < 5; i++)
		for (j = 0; j < 4; j++) {
			len = pieces[i] * per_list[j] * 100 > 60000 ? 60000 : pieces[i] * per_list[j] * 100;
			skip = len / 7;
			fill(rig_user(r, SRC), len, 0);
			memcpy(plain, rig_user(r, SRC), len);
			src = sgl_make(r, SGLS, SRC, len, pieces[i], per_list[j]);
			dst = sgl_make(r, SGLS + (3 << 20), DST, 100000, 5000, 30);
			ASSERT_EQ(ZIP_ST_OK,
				  sgl_request(r, COMP, ZIP_REQ_GZIP, src, skip, len - skip, dst, 10, 90000, &sqe))
				TH_LOG("%u x %u", pieces[i], per_list[j]);
			n = sqe.produced;
			memcpy(rig_user(r, SRC), (char *)rig_user(r, DST) + 10, n);
			src = sgl_make(r, SGLS, SRC, n, pieces[i] * 10, 100);
			dst = sgl_make(r, SGLS + (3 << 20), DST, len, 333, 200);
			ASSERT_EQ(ZIP_ST_OK, sgl_request(r, DECOMP, ZIP_REQ_GZIP, src, 0, n, dst, 0, len, &sqe));
			ASSERT_EQ(len - skip, sqe.produced);
			ASSERT_EQ(0, memcmp(plain + skip, rig_user(r, DST), len - skip));
		}
	free(plain);
}

TEST_F(dev, malformed_lists_are_refused)
{
	struct rig *r = &self->r;
	u64 src = sgl_make(r, SGLS, SRC, 1000, 1000, 10), dst = sgl_make(r, SGLS + 65536, DST, 8192, 8192, 2);
	struct qm_sgl *list = rig_user(r, src), good = *list;
	struct zip_sqe sqe;

#define LIST(expected, change) \
	do { \
		*list = good; \
		change; \
		EXPECT_EQ(expected, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 1000, dst, 0, 8000, &sqe)) \
			TH_LOG(#change); \
	} while (0)
	LIST(ZIP_ST_OK, (void)0);
	LIST(ZIP_ST_BAD_SGL, list->entry_sum_in_sgl = 0);
	LIST(ZIP_ST_BAD_SGL, list->entry_sum_in_sgl = 11);
	LIST(ZIP_ST_BAD_SGL, list->entry_sum_in_sgl = list->entry_length_in_sgl = 256);
	LIST(ZIP_ST_BAD_SGL, list->entry_sum_in_sgl = list->entry_length_in_sgl = 0xffff);
	*list = good;
	EXPECT_EQ(ZIP_ST_BAD_SGL, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 1001, dst, 0, 8000, &sqe));
	EXPECT_EQ(ZIP_ST_BAD_SGL, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 1, 1000, dst, 0, 8000, &sqe));
	EXPECT_EQ(ZIP_ST_BAD_SGL, sgl_request(r, COMP, ZIP_REQ_ZLIB, src + 32, 0, 10, dst, 0, 8000, &sqe));
	EXPECT_EQ(ZIP_ST_ADDRESS, sgl_request(r, COMP, ZIP_REQ_ZLIB, HOLE, 0, 10, dst, 0, 8000, &sqe));
	list->next_dma = HOLE;
	EXPECT_EQ(ZIP_ST_ADDRESS, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 1001, dst, 0, 8000, &sqe));
	/* A list that points to itself ends. */
	((struct qm_sge *)(list + 1))->len = 0;
	list->next_dma = src;
	EXPECT_EQ(ZIP_ST_BAD_SGL, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 1001, dst, 0, 8000, &sqe));
	((struct qm_sge *)(list + 1))->len = ZIP_MAX_INPUT + 1;
	EXPECT_EQ(ZIP_ST_BAD_SGL, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 10, dst, 0, 8000, &sqe));
}

TEST_F(dev, a_destination_list_that_is_too_short_is_too_little_space)
{
	struct rig *r = &self->r;
	u64 src = sgl_make(r, SGLS, SRC, 5000, 5000, 1), dst = sgl_make(r, SGLS + 65536, DST, 100, 100, 1);
	struct zip_sqe sqe;

	fill(rig_user(r, SRC), 5000, 2);
	EXPECT_EQ(ZIP_ST_NOSPACE, sgl_request(r, COMP, ZIP_REQ_ZLIB, src, 0, 5000, dst, 0, 8000, &sqe));
}

TEST_F(dev, a_running_request_can_be_aborted)
{
	struct rig *r = &self->r;
	struct wdm_job *job;
	struct zip_sqe sqe;

	rig_sqe(&sqe, ZIP_REQ_ZLIB, SRC, 1000, DST, 4096);
	r->hold_jobs = true;
	rig_push(r, COMP, &sqe);
	rig_ring_sq(r, COMP);
	job = wdm_job_next(r->dev);
	ASSERT_NE(NULL, job);
	job->abort = 1;
	wdm_job_run(job, r->scratch);
	EXPECT_EQ(ZIP_ST_ABORTED, job->sqe[3]);
	wdm_job_done(r->dev, job);
	EXPECT_EQ(0, rig_pop(r, COMP));
}

TEST_HARNESS_MAIN
