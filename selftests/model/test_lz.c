// SPDX-License-Identifier: Apache-2.0
/* lz77 and lz4 of the ZIP engine against libzstd and liblz4: sizes, windows, repeat codes, streams, limits, faults. */
#define ZSTD_STATIC_LINKING_ONLY
#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>
#include "kselftest_harness.h"
#include "fault.h"
#include "rig.h"

#define COMP	0u
#define DECOMP	1u
#define SRC	RIG_USER_BASE
#define SEQ	(RIG_USER_BASE + (10u << 20))
#define LIT	(RIG_USER_BASE + (20u << 20))
#define CTX	(RIG_USER_BASE + (30u << 20))
#define LISTS	(RIG_USER_BASE + (31u << 20))
#define MOST	(128u << 10)
#define SEQS	(MOST / 3 + 2)
#define LZ4_END	5u
#define LZ4_LAST_MATCH	12u

FIXTURE(dev) {
	struct rig r;
	ZSTD_Sequence *seq;
	unsigned char *out;
	u32 nr;			/* sequences, with the delimiter */
	u32 rep[3];
	u32 longest, codes[4];	/* literals before a match; repeat codes by value */
};

FIXTURE_SETUP(dev)
{
	struct rig_queue_opts decomp = { .alg = DECOMP };

	rig_init(&self->r, NULL);
	ASSERT_EQ(0, rig_queue_start(&self->r, COMP, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, DECOMP, &decomp));
	self->seq = calloc(SEQS, sizeof(*self->seq));
	self->out = malloc(9u << 20);
	srand(1);
}

FIXTURE_TEARDOWN(dev)
{
	free(self->seq);
	free(self->out);
	rig_free(&self->r);
}

typedef FIXTURE_DATA(dev) dev_t_;

enum kind { TEXT, FEW, NOISE, SAME, KINDS, LONG_LITERALS = KINDS, LONG_MATCH };

static void fill(unsigned char *p, u32 len, u32 kind)
{
	u32 i, from;

	for (i = 0; i < len; i++) {
		p[i] = (u8)(kind == FEW ? rand() % 4 : kind == SAME ? 'a' : rand());
		from = (u32)rand();
		if (kind == TEXT && i > 64 && from % 4) {
			u32 n = 4 + from / 4 % 20, back = 1 + from / 128 % (i - 1);

			for (; n && i < len; n--, i++)
				p[i] = p[i - back];
			i--;
		}
	}
	/* A match behind more literals than 16 bits count; a match longer than 16 bits count */
	if (kind == LONG_LITERALS)
		memcpy(p + len - 1000, p + len - 20000, 1000);
	if (kind == LONG_MATCH)
		memset(p + 100, 'x', len - 200);
}

static void sqe_make(struct zip_sqe *sqe, u32 type, u32 len, u32 window)
{
	rig_sqe(sqe, type, SRC, len, SEQ, len / 3 * 8 + 8 + ZIP_LZ77_ZSTD_TAIL + 4100);
	sqe->dw9 = type | window << ZIP_DW9_WIN_SHIFT;
	if (type == ZIP_REQ_LZ4) {
		sqe->dest_avail_out = len + len / 255 + 16;
		return;
	}
	sqe->dw13 = len + ZIP_LZ77_LITERALS_MORE;
	sqe->literals_addr_l = (u32)LIT;
	sqe->literals_addr_h = (u32)(LIT >> 32);
}

static u32 status(const struct zip_sqe *sqe)
{
	return sqe->dw3 & ZIP_DW3_STATUS_MASK;
}

/* As RFC 8878 says: 3.1.1.5. 0: there is no such offset. */
static u32 resolve(u32 *rep, u32 value, u32 literals)
{
	u32 which = value - 1 + !literals, offset;

	if (value > 3)
		offset = value - 3;
	else
		offset = which == 3 ? rep[0] - 1 : rep[which];
	if (value > 3 || which >= 2)
		rep[2] = rep[1];
	if (value > 3 || which >= 1) {
		rep[1] = rep[0];
		rep[0] = offset;
	}
	return offset;
}

/* Reads the device's answer: sequences with offsets, and the data again from literals and them, behind a window. */
static u32 answer_read(dev_t_ *self, const struct zip_sqe *sqe, bool codes, u32 window, u32 before)
{
	const unsigned char *seq = rig_user(&self->r, SEQ), *lit = rig_user(&self->r, LIT);
	u32 i, k, value, at = before, used = 0, where = sqe->checksum & ZIP_LZ77_LONG_AT;

	for (i = 0; i < sqe->produced; i++, seq += ZIP_LZ77_SEQ) {
		ZSTD_Sequence *s = &self->seq[i];

		memcpy(&value, seq, 4);
		s->litLength = seq[4] | (u32)seq[5] << 8;
		s->matchLength = (seq[6] | (u32)seq[7] << 8) + 3;
		if (sqe->checksum >> ZIP_LZ77_LONG_SHIFT && where == i)
			s->litLength += 65536;
		self->longest = s->litLength > self->longest ? s->litLength : self->longest;
		if (value <= 3)
			self->codes[value]++;
		s->offset = codes ? resolve(self->rep, value, s->litLength) : value - 3;
		if (used + s->litLength > sqe->comp_data_length)
			return 0;
		memcpy(self->out + at, lit + used, s->litLength);
		used += s->litLength;
		at += s->litLength;
		if (!s->offset || s->offset > at || s->offset > window)
			return 0;
		for (k = 0; k < s->matchLength; k++, at++)
			self->out[at] = self->out[at - s->offset];
	}
	self->seq[i] = (ZSTD_Sequence){ .litLength = sqe->comp_data_length - used };
	memcpy(self->out + at, lit + used, sqe->comp_data_length - used);
	self->nr = i + 1;
	return at + sqe->comp_data_length - used - before;
}

static void repeats_begin(dev_t_ *self)
{
	self->rep[0] = 1;
	self->rep[1] = 4;
	self->rep[2] = 8;
}

static const u32 windows[] = { 4096, 8192, 16384, 24576, 32768 };

/* One block, and what makes of it. */
static bool block_is_right(dev_t_ *self, u32 type, u32 len, u32 window, struct zip_sqe *sqe)
{
	bool zstd = type == ZIP_REQ_LZ77_ZSTD || type == ZIP_REQ_LZ77_ZSTD_PRICE;

	sqe_make(sqe, type, len, window);
	if (!rig_do(&self->r, COMP, sqe) || status(sqe) != ZIP_ST_OK || sqe->consumed != len)
		return false;
	repeats_begin(self);
	return answer_read(self, sqe, zstd, windows[window], 0) == len &&
	       !memcmp(self->out, rig_user(&self->r, SRC), len);
}

/* libzstd makes a frame of the sequences, which its decoder reads. Its size, or 0. */
static size_t frame_of(dev_t_ *self, const void *src, u32 len)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t n, room = ZSTD_compressBound(len);
	char *frame = malloc(room), *back = malloc(len + 1);

	ZSTD_CCtx_setParameter(c, ZSTD_c_blockDelimiters, ZSTD_sf_explicitBlockDelimiters);
	ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, 3);
	n = ZSTD_compressSequences(c, frame, room, self->seq, self->nr, src, len);
	if (ZSTD_isError(n) || ZSTD_decompress(back, len + 1, frame, n) != len || memcmp(back, src, len))
		n = 0;
	ZSTD_freeCCtx(c);
	free(frame);
	free(back);
	return n;
}

TEST_F(dev, sequences_are_those_of_zstd)
{
	static const u32 lens[] = { 1, 3, 4, 5, 12, 100, 4096, 32767, 32768, 32769, 65536, 100000, MOST };
	u32 i, kind, window, type, len;
	struct zip_sqe sqe;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (kind = 0; kind < KINDS; kind++)
			for (type = ZIP_REQ_LZ77_ZSTD_PRICE; type <= ZIP_REQ_LZ77_ZSTD; type++) {
				len = lens[i];
				window = (i + kind) % 5;
				fill(rig_user(&self->r, SRC), len, kind);
				ASSERT_TRUE(block_is_right(self, type, len, window, &sqe))
					TH_LOG("%u bytes of kind %u, status %#x", len, kind, sqe.dw3);
				ASSERT_NE(0, frame_of(self, rig_user(&self->r, SRC), len));
			}
	/* Each code was used, and no data had a run above 16 bits before a match. */
	EXPECT_LT(0, self->codes[1]);
	EXPECT_LT(0, self->codes[2]);
	EXPECT_LT(0, self->codes[3]);
	EXPECT_GE(65535, self->longest);
}

TEST_F(dev, long_literals_and_long_matches)
{
	struct zip_sqe sqe;
	u32 i, matches = 0;

	fill(rig_user(&self->r, SRC), MOST, LONG_LITERALS);
	ASSERT_TRUE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, MOST, ZIP_WIN_32K, &sqe));
	EXPECT_LT(65535, self->longest);
	EXPECT_EQ(1, sqe.checksum >> ZIP_LZ77_LONG_SHIFT);
	EXPECT_NE(0, frame_of(self, rig_user(&self->r, SRC), MOST));
	fill(rig_user(&self->r, SRC), MOST, LONG_MATCH);
	ASSERT_TRUE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, MOST, ZIP_WIN_32K, &sqe));
	for (i = 0; i < sqe.produced; i++)
		matches += self->seq[i].matchLength > 60000;
	EXPECT_EQ(2, matches);
	EXPECT_NE(0, frame_of(self, rig_user(&self->r, SRC), MOST));
}

/* lz77_only has no repeat codes, and no way to tell longer literals. */
TEST_F(dev, lz77_only)
{
	u32 type, len, kind;
	struct zip_sqe sqe;

	for (type = ZIP_REQ_LZ77_ONLY; type <= ZIP_REQ_LZ77_ONLY_PRICE; type++)
		for (len = 1; len <= 65536; len *= 4)
			for (kind = 0; kind < KINDS; kind++) {
				fill(rig_user(&self->r, SRC), len, kind);
				ASSERT_TRUE(block_is_right(self, type, len, kind, &sqe)) TH_LOG("%u bytes", len);
				ASSERT_EQ(0, sqe.checksum);
			}
	EXPECT_EQ(0, self->codes[1] | self->codes[2] | self->codes[3]);
	fill(rig_user(&self->r, SRC), MOST, LONG_LITERALS);
	sqe_make(&sqe, ZIP_REQ_LZ77_ONLY, MOST, ZIP_WIN_32K);
	ASSERT_TRUE(rig_do(&self->r, COMP, &sqe));
	EXPECT_EQ(ZIP_ST_NOSPACE, status(&sqe));
}

TEST_F(dev, the_patient_search_finds_more)
{
	struct zip_sqe normal, price;

	fill(rig_user(&self->r, SRC), MOST, TEXT);
	ASSERT_TRUE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, MOST, ZIP_WIN_32K, &normal));
	ASSERT_TRUE(block_is_right(self, ZIP_REQ_LZ77_ZSTD_PRICE, MOST, ZIP_WIN_32K, &price));
	EXPECT_GT(normal.produced, price.produced);
}

/* ------ streams ------ */

static void stream_sqe(struct zip_sqe *sqe, u32 type, u64 src, u32 len, bool first, const struct zip_sqe *last)
{
	u64 ctx = CTX + ZIP_CTX_HW_OFFSET;

	sqe_make(sqe, type, len, ZIP_WIN_32K);
	sqe->source_addr_l = (u32)src;
	sqe->dw7 |= ZIP_DW7_STREAM | (first ? ZIP_DW7_NEW_STREAM : 0);
	sqe->stream_ctx_addr_l = (u32)ctx;
	sqe->stream_ctx_addr_h = (u32)(ctx >> 32);
	if (first)
		return;
	sqe->ctx_dw0 = last->ctx_dw0;
	sqe->ctx_dw1 = last->ctx_dw1;
	sqe->ctx_dw2 = last->ctx_dw2;
}

static void word_clear(dev_t_ *self)
{
	memset((char *)rig_user(&self->r, CTX) + ZIP_CTX_HW_OFFSET + ZIP_CTX_HW_CLEARED, 0, 4);
}

TEST_F(dev, a_stream_refers_to_blocks_before_it)
{
	static const u32 lens[] = { 1, 5000, 70000, 3, MOST, 20000 };
	unsigned char *src = rig_user(&self->r, SRC);
	u32 i, k, at = 0, across = 0;
	struct zip_sqe sqe, last = { 0 };

	fill(src, 400000, TEXT);
	memset(rig_user(&self->r, CTX), 0, ZIP_CTX_BUF_SIZE);
	repeats_begin(self);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++, at += lens[i - 1], last = sqe) {
		u32 pos = at;

		stream_sqe(&sqe, ZIP_REQ_LZ77_ZSTD, SRC + at, lens[i], !i, &last);
		word_clear(self);
		ASSERT_TRUE(rig_do(&self->r, COMP, &sqe));
		ASSERT_EQ(ZIP_ST_OK, status(&sqe)) TH_LOG("block %u", i);
		ASSERT_EQ(lens[i], answer_read(self, &sqe, true, 32768, at));
		ASSERT_EQ(0, memcmp(self->out, src, at + lens[i]));
		for (k = 0; k < sqe.produced; k++) {
			pos += self->seq[k].litLength;
			across += self->seq[k].offset > pos - at;
			pos += self->seq[k].matchLength;
		}
	}
	EXPECT_LT(0, across);
}

TEST_F(dev, a_stream_needs_its_context)
{
	struct zip_sqe first, sqe;

	fill(rig_user(&self->r, SRC), 5000, TEXT);
	memset(rig_user(&self->r, CTX), 0, ZIP_CTX_BUF_SIZE);
	stream_sqe(&first, ZIP_REQ_LZ77_ZSTD, SRC, 5000, true, NULL);
	ASSERT_TRUE(rig_do(&self->r, COMP, &first));
	ASSERT_EQ(ZIP_ST_OK, status(&first));

#define STATUS(want, ...) do { \
	stream_sqe(&sqe, ZIP_REQ_LZ77_ZSTD, SRC, 5000, false, &first); \
	__VA_ARGS__; \
	ASSERT_TRUE(rig_do(&self->r, COMP, &sqe)); \
	EXPECT_EQ(want, status(&sqe)) TH_LOG(#__VA_ARGS__); \
} while (0)
	/* The word that software clears before each request */
	STATUS(ZIP_ST_BAD_CONTEXT, (void)0);
	word_clear(self);
	STATUS(ZIP_ST_BAD_CONTEXT, sqe.ctx_dw2++);
	STATUS(ZIP_ST_BAD_CONTEXT, sqe.dw9 = ZIP_REQ_LZ77_ONLY);
	STATUS(ZIP_ST_NOSPACE, sqe.dest_avail_out = 1000);
	STATUS(ZIP_ST_NOSPACE, sqe.dw9 = ZIP_REQ_LZ77_ZSTD_PRICE; sqe.dest_avail_out = 4096);
	STATUS(ZIP_ST_OK, sqe.dw7 |= ZIP_DW7_FINISH);
	STATUS(ZIP_ST_BAD_CONTEXT, word_clear(self));
#undef STATUS
}

/* ------ LZ4 ------ */

/* The rules for a block's end, which the decoder doesn't check, and each offset. */
static bool lz4_is_strict(const unsigned char *p, u32 n, u32 len, u32 window)
{
	const unsigned char *end = p + n;
	u32 at = 0, lit, match;

	for (;;) {
		u32 token = *p++;

		lit = token >> 4;
		if (lit == 15)
			do
				lit += *p;
			while (*p++ == 255);
		p += lit;
		at += lit;
		if (p == end)
			return at == len && (lit >= LZ4_END || lit == len);
		match = p[0] | (u32)p[1] << 8;
		if (!match || match > at || match > window || at + LZ4_LAST_MATCH > len)
			return false;
		p += 2;
		match = token & 15;
		if (match == 15)
			do
				match += *p;
			while (*p++ == 255);
		at += match + 4;
	}
}

TEST_F(dev, blocks_of_lz4)
{
	static const u32 lens[] = { 1, 4, 5, 11, 12, 13, 14, 17, 100, 32767, 32768, 32769, 65536, 32768 + 4, 300000,
				    4u << 20, 8u << 20 };
	unsigned char *src = rig_user(&self->r, SRC), *dst = rig_user(&self->r, SEQ);
	struct zip_sqe sqe;
	u32 i, kind;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (kind = 0; kind < KINDS; kind++) {
			fill(src, lens[i], kind);
			sqe_make(&sqe, ZIP_REQ_LZ4, lens[i], (i + kind) % 5);
			ASSERT_TRUE(rig_do(&self->r, COMP, &sqe));
			/* A descriptor has no more room than this. */
			if (lens[i] == ZIP_MAX_OUTPUT && kind == NOISE) {
				ASSERT_EQ(ZIP_ST_NOSPACE, status(&sqe));
				continue;
			}
			ASSERT_EQ(sqe.produced >= lens[i] ? ZIP_ST_NEGATIVE_COMP : ZIP_ST_OK, status(&sqe))
				TH_LOG("%u bytes of kind %u", lens[i], kind);
			ASSERT_EQ(lens[i], sqe.consumed);
			ASSERT_EQ(lens[i], LZ4_decompress_safe((char *)dst, (char *)self->out, sqe.produced,
							       (int)lens[i]));
			ASSERT_EQ(0, memcmp(src, self->out, lens[i]));
			ASSERT_TRUE(lz4_is_strict(dst, sqe.produced, lens[i], windows[(i + kind) % 5]));
		}
	fill(src, 60000, LONG_LITERALS);
	sqe_make(&sqe, ZIP_REQ_LZ4, 60000, 0);
	sqe.dest_avail_out = 59000;
	memset(dst + 59000, 0xee, 8);
	ASSERT_TRUE(rig_do(&self->r, COMP, &sqe));
	EXPECT_EQ(ZIP_ST_NOSPACE, status(&sqe));
	EXPECT_EQ(0xee, dst[59000]);
}

/* ------ refusals ------ */

TEST_F(dev, each_bad_field_is_refused)
{
	struct zip_sqe sqe;

	fill(rig_user(&self->r, SRC), 2000, TEXT);
#define STATUS(want, type, ...) do { \
	sqe_make(&sqe, type, 2000, ZIP_WIN_32K); \
	__VA_ARGS__; \
	ASSERT_TRUE(rig_do(&self->r, COMP, &sqe)); \
	EXPECT_EQ(want, status(&sqe)) TH_LOG(#type ": " #__VA_ARGS__); \
	EXPECT_TRUE(want == ZIP_ST_OK || !(sqe.consumed | sqe.produced | sqe.comp_data_length)); \
} while (0)
	STATUS(ZIP_ST_OK, ZIP_REQ_LZ77_ZSTD, (void)0);
	STATUS(ZIP_ST_OK, ZIP_REQ_LZ77_ZSTD, sqe.input_data_length = 0);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.literals_addr_l = 0; sqe.literals_addr_h = 0);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.input_data_length = MOST + 1; sqe.dw13 = ~0u);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ONLY, sqe.input_data_length = ZIP_LZ77_ONLY_MAX + 1; sqe.dw13 = ~0u);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw9 |= 5u << ZIP_DW9_WIN_SHIFT);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw9 = 0x44);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw9 = 0x3f);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw12 = 1);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw16 = 1);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ77_ZSTD, sqe.dw8 = 1; sqe.dw9 |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	STATUS(ZIP_ST_NOSPACE, ZIP_REQ_LZ77_ZSTD, sqe.dw13--);
	STATUS(ZIP_ST_NOSPACE, ZIP_REQ_LZ77_ZSTD, sqe.dest_avail_out = ZIP_LZ77_ZSTD_TAIL);
	STATUS(ZIP_ST_NOSPACE, ZIP_REQ_LZ77_ONLY, sqe.dest_avail_out = ZIP_LZ77_ONLY_TAIL - 1);
	STATUS(ZIP_ST_ADDRESS, ZIP_REQ_LZ77_ZSTD, sqe.literals_addr_h++);
	STATUS(ZIP_ST_ADDRESS, ZIP_REQ_LZ77_ZSTD, sqe.dest_addr_h++);
	STATUS(ZIP_ST_OK, ZIP_REQ_LZ4, (void)0);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ4, sqe.input_data_length = 0);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ4, sqe.input_data_length = ZIP_MAX_INPUT + 1);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ4, sqe.dw13 = 1);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ4, sqe.literals_addr_l = 64);
	STATUS(ZIP_ST_BAD_REQUEST, ZIP_REQ_LZ4, sqe.dw7 |= ZIP_DW7_STREAM | ZIP_DW7_NEW_STREAM;
	       sqe.stream_ctx_addr_h = (u32)(CTX >> 32));
#undef STATUS
}

/* Nothing decompresses these. */
TEST_F(dev, queues_that_decompress_refuse_them)
{
	static const u32 types[] = { ZIP_REQ_LZ4, ZIP_REQ_LZ77_ONLY, ZIP_REQ_LZ77_ONLY_PRICE, ZIP_REQ_LZ77_ZSTD_PRICE,
				     ZIP_REQ_LZ77_ZSTD };
	struct zip_sqe sqe;
	u32 i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		sqe_make(&sqe, types[i], 2000, 0);
		ASSERT_TRUE(rig_do(&self->r, DECOMP, &sqe));
		EXPECT_EQ(ZIP_ST_BAD_REQUEST, status(&sqe));
	}
}

/* All three sides are lists, whose borders are anywhere. */
TEST_F(dev, lists)
{
	struct { struct qm_sgl head; struct qm_sge sge[4]; } *list = rig_user(&self->r, LISTS);
	const u64 addr[3] = { SRC, SEQ, LIT };
	u32 bytes[3], i, k;
	struct zip_sqe sqe;

	fill(rig_user(&self->r, SRC), 50000, TEXT);
	sqe_make(&sqe, ZIP_REQ_LZ77_ZSTD, 50000, ZIP_WIN_32K);
	bytes[0] = 50000;
	bytes[1] = sqe.dest_avail_out;
	bytes[2] = sqe.dw13;
	memset(list, 0, 3 * sizeof(*list));
	for (i = 0; i < 3; i++) {
		list[i].head.entry_sum_in_sgl = list[i].head.entry_sum_in_chain = 3;
		list[i].head.entry_length_in_sgl = 4;
		for (k = 0; k < 3; k++) {
			list[i].sge[k].buf = addr[i] + k * 777;
			list[i].sge[k].len = k < 2 ? 777 : bytes[i] - 2 * 777;
		}
	}
	sqe.dw9 |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	sqe.source_addr_l = (u32)LISTS;
	sqe.dest_addr_l = (u32)(LISTS + sizeof(*list));
	sqe.literals_addr_l = (u32)(LISTS + 2 * sizeof(*list));
	ASSERT_EQ(0, sizeof(*list) % QM_SGL_ALIGN);
	ASSERT_TRUE(rig_do(&self->r, COMP, &sqe));
	EXPECT_EQ(ZIP_ST_OK, status(&sqe));
	repeats_begin(self);
	EXPECT_EQ(50000, answer_read(self, &sqe, true, 32768, 0));
	EXPECT_EQ(0, memcmp(self->out, rig_user(&self->r, SRC), 50000));
}

/* A corrupt answer has a good status, and isn't the data. */
TEST_F(dev, a_corrupt_answer)
{
	struct wdm_fault_rule rule = { .next = 1, .queue = WDM_FAULT_ANY };
	struct zip_sqe sqe;

	fill(rig_user(&self->r, SRC), 50000, TEXT);
	ASSERT_EQ(0, wdm_fault_set(self->r.dev, WDM_FAULT_CORRUPT, &rule));
	ASSERT_FALSE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, 50000, ZIP_WIN_32K, &sqe));
	EXPECT_EQ(ZIP_ST_OK, status(&sqe));
	ASSERT_TRUE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, 50000, ZIP_WIN_32K, &sqe));
	/* Also of a few sequences */
	ASSERT_EQ(0, wdm_fault_set(self->r.dev, WDM_FAULT_CORRUPT, &rule));
	ASSERT_FALSE(block_is_right(self, ZIP_REQ_LZ77_ZSTD, 300, ZIP_WIN_32K, &sqe));
}

TEST_HARNESS_MAIN
