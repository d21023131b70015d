// SPDX-License-Identifier: Apache-2.0
/* The last block of a deflate stream, which zlib finds by decompressing (Z_BLOCK), and the software path without. */
#include <zlib.h>

#include "comp_test.h"
#include "drivers/soft/soft.h"
#include "kselftest_harness.h"

#define MOST	(600 * KIB)

FIXTURE(blocks) {
	struct soft_tools tools;
	unsigned char *plain, *packed, *back;
	size_t room;
};

FIXTURE_SETUP(blocks)
{
	self->room = MOST + MOST / 8 + 4096;
	self->plain = malloc(self->room);
	self->packed = malloc(self->room);
	self->back = malloc(self->room);
	ASSERT_TRUE(self->plain && self->packed && self->back);
}

FIXTURE_TEARDOWN(blocks)
{
	soft_walk_free(self->tools.walk);
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* Noise, text, zeros, two letters, and all of these in turn. */
static void fill(unsigned char *p, size_t n, unsigned int kind)
{
	size_t i, part;

	fill_text(p, n, kind);
	for (i = 0; i < n; i += part) {
		unsigned int what = kind < 4 ? kind : i / 20000 % 4;

		part = n - i < 20000 ? n - i : 20000;
		if (what == 0 || what == 3)
			fill_noise(p + i, part, i + 1);
		for (size_t k = i; what == 3 && k < i + part; k++)
			p[k] = 'a' + p[k] % 2;
		if (what == 2)
			memset(p + i, 0, part);
	}
}

static size_t pack(FIXTURE_DATA(blocks) *self, size_t n, int level, int strategy)
{
	z_stream z = {
		.next_in = self->plain, .avail_in = n, .next_out = self->packed, .avail_out = self->room
	};

	if (deflateInit2(&z, level, Z_DEFLATED, -15, 8, strategy) != Z_OK || deflate(&z, Z_FINISH) != Z_STREAM_END)
		z.total_out = 0;
	deflateEnd(&z);
	return z.total_out;
}

/* zlib stops behind each block, and says how many bits of its last byte it hasn't used. */
static bool referee(FIXTURE_DATA(blocks) *self, size_t len, struct soft_last *last)
{
	z_stream z = { .next_in = self->packed, .avail_in = len, .next_out = self->back, .avail_out = self->room };
	int ret = inflateInit2(&z, -15);

	last->head = last->end = 0;
	while (ret == Z_OK) {
		ret = inflate(&z, Z_BLOCK);
		if (!(z.data_type & 128))
			continue;
		last->head = last->end;
		last->end = z.total_in * 8 - (z.data_type & 7);
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END;
}

TEST_F(blocks, the_last_one_is_where_zlib_finds_it)
{
	static const int ways[][2] = {
		{ 0, Z_DEFAULT_STRATEGY }, { 1, Z_DEFAULT_STRATEGY }, { 6, Z_DEFAULT_STRATEGY },
		{ 9, Z_DEFAULT_STRATEGY }, { 6, Z_FIXED }, { 6, Z_HUFFMAN_ONLY }, { 6, Z_RLE },
	};
	static const size_t sizes[] = { 0, 1, 2, 3, 100, 5000, 66000, 300000, MOST };
	unsigned int way, i, kind;

	for (kind = 0; kind < 5; kind++)
		for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
			for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
				struct soft_last ours = { 0 }, theirs;
				size_t len;

				fill(self->plain, sizes[i], kind);
				len = pack(self, sizes[i], ways[way][0], ways[way][1]);
				ASSERT_TRUE(len && referee(self, len, &theirs));
				EXPECT_EQ(0, soft_last_block(&self->tools, self->packed, len, &ours))
					TH_LOG("kind %u way %u %zu bytes", kind, way, sizes[i]);
				EXPECT_EQ(theirs.head, ours.head);
				EXPECT_EQ(theirs.end, ours.end);
			}
}

/* The copy is as long as the stream, so that the sanitizer notices a byte too many. */
static int walk_copy(FIXTURE_DATA(blocks) *self, const unsigned char *from, size_t len, struct soft_last *last)
{
	unsigned char *copy = malloc(len);
	int ret;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, from, len);
	ret = soft_last_block(&self->tools, copy, len, last);
	free(copy);
	return ret;
}

TEST_F(blocks, a_stream_that_is_cut_off_or_has_a_byte_more_has_none)
{
	size_t n, len;
	struct soft_last last;
	unsigned int way;

	for (way = 0; way < 3; way++) {
		fill(self->plain, 70000, 4);
		len = pack(self, 70000, way ? 6 : 0, way == 1 ? Z_FIXED : Z_DEFAULT_STRATEGY);
		for (n = 1; n < len; n += n < 500 || n + 20 > len ? 1 : 97)
			ASSERT_EQ(-EBADMSG, walk_copy(self, self->packed, n, &last)) TH_LOG("%zu of %zu", n, len);
		self->packed[len] = 0;
		EXPECT_EQ(-EBADMSG, walk_copy(self, self->packed, len + 1, &last));
	}
}

TEST_F(blocks, damage_does_no_harm)
{
	unsigned int i, rounds = brief() ? 2000 : 20000;
	struct soft_last last;
	size_t len;

	fill(self->plain, 3000, 1);
	len = pack(self, 3000, 6, Z_DEFAULT_STRATEGY);
	for (i = 0; i < rounds; i++) {
		unsigned char noise[8];
		size_t at;

		fill_noise(noise, sizeof(noise), i);
		at = (noise[0] | noise[1] << 8) % len;
		self->packed[at] ^= noise[2];
		if (!walk_copy(self, self->packed, len, &last)) {
			ASSERT_LT(last.head, last.end);
			ASSERT_LE(last.end, len * 8);
		}
		self->packed[at] ^= i % 50 ? noise[2] : 0;
	}
	for (i = 0; i < rounds; i++) {
		fill_noise(self->packed, 300, i);
		self->packed[0] = (self->packed[0] & ~7) | 5;
		walk_copy(self, self->packed, 300, &last);
	}
}

TEST_HARNESS_MAIN
