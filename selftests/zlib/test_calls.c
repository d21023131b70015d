// SPDX-License-Identifier: Apache-2.0
/*
 * Each call of a stream that is on a device: flushes, parameters, dictionaries, copies, resets, headers, numbers, gz
 * files.
 */
#include <unistd.h>

#include "edges.h"
#include "kselftest_harness.h"

#define PART	(300 * KIB)

FIXTURE(calls) {
	struct zlib z[SIDES];
	struct bytes text, out;
	z_stream s;
	unsigned long long before;
};

FIXTURE_SETUP(calls)
{
	zlibs_open(self->z);
	self->text = bytes_of(DATA_TEXT, 4 * PART);
	self->before = requests();
}

/* The stream has become a device's, or there is none. */
FIXTURE_TEARDOWN(calls)
{
	EXPECT_TRUE(as_with_devices(self->before));
	bytes_free(&self->text);
	bytes_free(&self->out);
}

static void begin(FIXTURE_DATA(calls) *self, int level, int bits)
{
	memset(&self->s, 0, sizeof(self->s));
	zlib_deflate_init(&self->z[SHIM], &self->s, level, bits, 8, Z_DEFAULT_STRATEGY);
}

/* The next part of the text, with a flush. Returns the last value. */
static int give_to(FIXTURE_DATA(calls) *self, z_streamp s, unsigned int part, int flush, struct bytes *out)
{
	struct how how = { 0 };

	return squeeze_on(&self->z[SHIM], s, &how, self->text.p + part * PART, PART, flush, out);
}

static int give(FIXTURE_DATA(calls) *self, unsigned int part, int flush)
{
	return give_to(self, &self->s, part, flush, &self->out);
}

/* Finishes, ends, and compares with this much of the text. */
static bool finishes(FIXTURE_DATA(calls) *self, int bits, size_t n)
{
	struct how how = { 0 };
	int ret = squeeze_on(&self->z[SHIM], &self->s, &how, "", 0, Z_FINISH, &self->out);

	return ret == Z_STREAM_END && self->s.total_in == n && self->s.total_out == self->out.len &&
	       self->z[SHIM].deflateEnd(&self->s) == Z_OK &&
	       restores(&self->z[STOCK], bits, &self->out, self->text.p, n);
}

/* What inflates of the output so far. */
static size_t back(FIXTURE_DATA(calls) *self, int bits, size_t from)
{
	unsigned char *buf = malloc(self->text.len);
	z_stream s = { .next_in = self->out.p + from, .avail_in = (uInt)(self->out.len - from), .next_out = buf,
		       .avail_out = (uInt)self->text.len };
	size_t n = 0;

	zlib_inflate_init(&self->z[STOCK], &s, bits);
	self->z[STOCK].inflate(&s, Z_SYNC_FLUSH);
	if (!from && !memcmp(buf, self->text.p, s.total_out))
		n = s.total_out;
	/* From a full flush, at which this part of the text ended. */
	if (from && !memcmp(buf, self->text.p + PART, s.total_out))
		n = s.total_out;
	self->z[STOCK].inflateEnd(&s);
	free(buf);
	return n;
}

TEST_F(calls, rule_8_each_flush_brings_everything)
{
	int flush;

	for (flush = Z_PARTIAL_FLUSH; flush <= Z_FULL_FLUSH; flush++) {
		begin(self, 1, 15);
		ASSERT_EQ(Z_OK, give(self, 0, flush));
		EXPECT_EQ(PART, self->s.total_in);
		EXPECT_EQ(PART, back(self, 15, 0)) TH_LOG("flush %d", flush);
		if (flush != Z_PARTIAL_FLUSH) {
			EXPECT_EQ(0, memcmp(self->out.p + self->out.len - 4, "\0\0\xff\xff", 4));
		}
		ASSERT_EQ(Z_OK, give(self, 1, flush));
		EXPECT_EQ(2 * PART, back(self, 15, 0)) TH_LOG("flush %d", flush);
		EXPECT_TRUE(finishes(self, 15, 2 * PART));
		bytes_free(&self->out);
	}
}

/* WebSocket's compression cuts the marker off, wherever zlib has put it. */
TEST_F(calls, rule_8_a_flush_of_noise_ends_with_its_marker)
{
	struct bytes noise = bytes_of(DATA_NOISE, PART);
	int flush;

	for (flush = Z_SYNC_FLUSH; flush <= Z_FULL_FLUSH; flush++) {
		begin(self, 6, -15);
		memcpy(self->text.p, noise.p, PART);
		ASSERT_EQ(Z_OK, give(self, 0, flush));
		EXPECT_EQ(0, memcmp(self->out.p + self->out.len - 4, "\0\0\xff\xff", 4)) TH_LOG("flush %d", flush);
		EXPECT_EQ(PART, back(self, -15, 0));
		EXPECT_TRUE(finishes(self, -15, PART));
		bytes_free(&self->out);
	}
	bytes_free(&noise);
}

/* OpenSSH calls until there is room left, and takes Z_BUF_ERROR for the end of the connection. */
TEST_F(calls, rule_8_a_flush_that_just_fills_its_room_is_called_again)
{
	unsigned char *buf = malloc(2 * PART);
	size_t n;
	int flush;

	for (flush = Z_PARTIAL_FLUSH; flush <= Z_FULL_FLUSH; flush++) {
		begin(self, 6, 15);
		ASSERT_EQ(Z_OK, give(self, 0, flush));
		n = self->out.len;
		ASSERT_EQ(Z_OK, self->z[SHIM].deflateReset(&self->s));
		self->s.next_in = self->text.p;
		self->s.avail_in = PART;
		self->s.next_out = buf;
		self->s.avail_out = (uInt)n;
		ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, flush));
		self->s.avail_out = 100 + !self->s.avail_out;
		EXPECT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, flush)) TH_LOG("flush %d", flush);
		bytes_free(&self->out);
		bytes_add(&self->out, buf, self->s.next_out - buf);
		EXPECT_EQ(PART, back(self, 15, 0));
		EXPECT_TRUE(finishes(self, 15, PART));
		bytes_free(&self->out);
	}
	free(buf);
}

TEST_F(calls, rule_8_inflate_can_begin_at_a_full_flush)
{
	size_t at;

	begin(self, 6, 15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_FULL_FLUSH));
	at = self->out.len;
	ASSERT_EQ(Z_OK, give(self, 1, Z_FULL_FLUSH));
	EXPECT_EQ(PART, back(self, -15, at));
	EXPECT_TRUE(finishes(self, 15, 2 * PART));
}

TEST_F(calls, rule_8_a_block_and_what_follows)
{
	begin(self, 6, -15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
	ASSERT_EQ(Z_OK, give(self, 1, Z_BLOCK));
	ASSERT_EQ(Z_OK, give(self, 2, Z_SYNC_FLUSH));
	EXPECT_EQ(3 * PART, back(self, -15, 0));
	ASSERT_EQ(Z_OK, give(self, 3, Z_BLOCK));
	EXPECT_TRUE(finishes(self, -15, 4 * PART));
}

TEST_F(calls, rule_8_the_same_flush_again_can_do_nothing)
{
	unsigned char buf[100];
	int flush;

	for (flush = Z_PARTIAL_FLUSH; flush <= Z_FULL_FLUSH; flush++) {
		begin(self, 6, 31);
		ASSERT_EQ(Z_OK, give(self, 0, flush));
		self->s.next_out = buf;
		self->s.avail_out = sizeof(buf);
		self->s.avail_in = 0;
		EXPECT_EQ(Z_BUF_ERROR, self->z[SHIM].deflate(&self->s, flush)) TH_LOG("flush %d", flush);
		EXPECT_EQ(Z_BUF_ERROR, self->z[SHIM].deflate(&self->s, Z_NO_FLUSH)) TH_LOG("flush %d", flush);
		EXPECT_EQ(sizeof(buf), self->s.avail_out);
		self->s.avail_out = 0;
		EXPECT_EQ(Z_BUF_ERROR, self->z[SHIM].deflate(&self->s, Z_FINISH));
		EXPECT_TRUE(finishes(self, 31, PART));
		bytes_free(&self->out);
	}
}

TEST_F(calls, rule_8_the_end_comes_in_rooms_of_any_size)
{
	static const size_t rooms[] = { 1, 7, 100, 4096 };
	struct how how = HOW(1, 31);
	struct bytes out;
	int i;

	for (i = 0; i < 4; i++) {
		how.room = rooms[i];
		out = squeeze(&self->z[SHIM], &how, self->text.p, PART);
		EXPECT_TRUE(restores(&self->z[STOCK], 31, &out, self->text.p, PART)) TH_LOG("rooms of %zu", rooms[i]);
		bytes_free(&out);
	}
}

TEST_F(calls, rule_8_behind_the_end_there_is_nothing)
{
	unsigned char buf[10];

	begin(self, 6, 15);
	ASSERT_EQ(Z_STREAM_END, give(self, 0, Z_FINISH));
	self->s.next_out = buf;
	self->s.avail_out = sizeof(buf);
	EXPECT_EQ(Z_STREAM_END, self->z[SHIM].deflate(&self->s, Z_FINISH));
	EXPECT_EQ(Z_STREAM_ERROR, self->z[SHIM].deflate(&self->s, Z_NO_FLUSH));
	self->s.next_in = buf;
	self->s.avail_in = 1;
	EXPECT_EQ(Z_BUF_ERROR, self->z[SHIM].deflate(&self->s, Z_FINISH));
	EXPECT_EQ(sizeof(buf), self->s.avail_out);
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&self->s));
	EXPECT_TRUE(restores(&self->z[STOCK], 15, &self->out, self->text.p, PART));
}

/* deflateParams() with room for what is there. */
static int params(FIXTURE_DATA(calls) *self, int level, int strategy)
{
	unsigned char *buf = malloc(2 * PART);
	int ret;

	self->s.next_out = buf;
	self->s.avail_out = 2 * PART;
	ret = self->z[SHIM].deflateParams(&self->s, level, strategy);
	bytes_add(&self->out, buf, 2 * PART - self->s.avail_out);
	free(buf);
	return ret;
}

TEST_F(calls, rule_9_parameters_change_between_parts)
{
	static const struct { int level, strategy; } next[] = { { 1, 0 }, { 9, 0 }, { 0, 0 }, { 6, Z_RLE }, { -1, 0 } };
	int i, j;

	for (i = 0; i < 5; i++) {
		begin(self, 6, 31);
		ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
		ASSERT_EQ(Z_OK, params(self, next[i].level, next[i].strategy));
		ASSERT_EQ(Z_OK, give(self, 1, Z_SYNC_FLUSH));
		ASSERT_EQ(Z_OK, params(self, 3, Z_DEFAULT_STRATEGY));
		ASSERT_EQ(Z_OK, give(self, 2, Z_NO_FLUSH));
		for (j = 10; j < 13; j++)
			EXPECT_EQ(Z_STREAM_ERROR, params(self, j, 0));
		EXPECT_EQ(Z_STREAM_ERROR, params(self, 6, 5));
		EXPECT_TRUE(finishes(self, 31, 3 * PART))
			TH_LOG("to level %d, strategy %d", next[i].level, next[i].strategy);
		bytes_free(&self->out);
	}
}

TEST_F(calls, rule_9_tuning_is_never_refused)
{
	unsigned char *buf = malloc(2 * PART);
	uLong n;

	begin(self, 1, 15);
	self->s.next_in = self->text.p;
	self->s.avail_in = PART;
	self->s.next_out = buf;
	self->s.avail_out = 3;
	ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, Z_NO_FLUSH));
	n = self->s.total_out;
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateTune(&self->s, 8, 16, 128, 128));
	EXPECT_EQ(n, self->s.total_out);
	self->s.avail_out = 2 * PART - 3;
	ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, Z_SYNC_FLUSH));
	n = self->s.total_out;
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateTune(&self->s, 8, 16, 128, 128));
	EXPECT_EQ(n, self->s.total_out);
	bytes_add(&self->out, buf, self->s.total_out);
	free(buf);
	EXPECT_TRUE(finishes(self, 15, PART));
}

/* Little data, of which the stream has put nothing out, with room and without. */
TEST_F(calls, rule_9_tuning_needs_no_room_and_takes_none)
{
	unsigned char buf[3];
	uLong n;

	begin(self, 1, 15);
	self->s.next_in = self->text.p;
	self->s.avail_in = 1000;
	self->s.next_out = buf;
	self->s.avail_out = 3;
	ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, Z_NO_FLUSH));
	bytes_add(&self->out, buf, self->s.total_out);
	n = self->s.total_out;
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateTune(&self->s, 8, 16, 128, 128));
	EXPECT_EQ(n, self->s.total_out);
	self->s.avail_out = 0;
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateTune(&self->s, 8, 16, 128, 128));
	EXPECT_TRUE(finishes(self, 15, 1000));
	bytes_free(&self->out);
	/* The fixture wants a device's stream. */
	begin(self, 1, 15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
	EXPECT_TRUE(finishes(self, 15, PART));
}

TEST_F(calls, rule_9_level_0_stores)
{
	size_t at;

	begin(self, 6, 15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_SYNC_FLUSH));
	ASSERT_EQ(Z_OK, params(self, 0, Z_DEFAULT_STRATEGY));
	at = self->out.len;
	ASSERT_EQ(Z_OK, give(self, 1, Z_SYNC_FLUSH));
	EXPECT_LT(PART, self->out.len - at);
	EXPECT_TRUE(finishes(self, 15, 2 * PART));
}

TEST_F(calls, rule_9_a_dictionary_in_a_raw_stream)
{
	unsigned char *buf = malloc(4 * PART), *dict = self->text.p + 2 * PART;
	z_stream s = { .next_out = buf, .avail_out = 4 * PART };
	size_t at;

	begin(self, 6, -15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_FULL_FLUSH));
	at = self->out.len;
	ASSERT_EQ(Z_OK, self->z[SHIM].deflateSetDictionary(&self->s, dict, 30000));
	ASSERT_EQ(Z_STREAM_END, give(self, 1, Z_FINISH));
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&self->s));
	ASSERT_EQ(Z_OK, zlib_inflate_init(&self->z[STOCK], &s, -15));
	s.next_in = self->out.p;
	s.avail_in = (uInt)at;
	ASSERT_EQ(Z_OK, self->z[STOCK].inflate(&s, Z_SYNC_FLUSH));
	ASSERT_EQ(Z_OK, self->z[STOCK].inflateSetDictionary(&s, dict, 30000));
	s.avail_in = (uInt)(self->out.len - at);
	EXPECT_EQ(Z_STREAM_END, self->z[STOCK].inflate(&s, Z_SYNC_FLUSH));
	EXPECT_EQ(2 * PART, s.total_out);
	EXPECT_EQ(0, memcmp(buf, self->text.p, 2 * PART));
	self->z[STOCK].inflateEnd(&s);
	free(buf);
}

TEST_F(calls, rule_9_a_dictionary_is_refused_behind_the_beginning)
{
	static const int bits[] = { 15, 31 };
	int i;

	for (i = 0; i < 2; i++) {
		begin(self, 6, bits[i]);
		ASSERT_EQ(Z_OK, give(self, 0, Z_SYNC_FLUSH));
		EXPECT_EQ(Z_STREAM_ERROR, self->z[SHIM].deflateSetDictionary(&self->s, self->text.p, 100));
		EXPECT_TRUE(finishes(self, bits[i], PART));
		bytes_free(&self->out);
	}
}

TEST_F(calls, rule_9_the_dictionary_is_the_end_of_the_input)
{
	unsigned char dict[40000];
	uInt n = 0;

	begin(self, 6, 15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_SYNC_FLUSH));
	ASSERT_EQ(Z_OK, self->z[SHIM].deflateGetDictionary(&self->s, dict, &n));
	EXPECT_GE(32768, n);
	EXPECT_LE(32768 - 258, n);
	EXPECT_EQ(0, memcmp(dict, self->text.p + PART - n, n));
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateGetDictionary(&self->s, Z_NULL, &n));
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateGetDictionary(&self->s, dict, Z_NULL));
	EXPECT_TRUE(finishes(self, 15, PART));
}

/* With data in flight, after a flush, and from a call that had too little room. */
TEST_F(calls, rule_9_a_copy_and_its_source_go_on)
{
	static const int flushes[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_BLOCK };
	struct bytes other = { 0 };
	struct how how = { 0 };
	z_stream copy;
	int i;

	for (i = 0; i < 3; i++) {
		begin(self, 1, 31);
		memset(&copy, 0, sizeof(copy));
		ASSERT_EQ(Z_OK, give(self, 0, flushes[i]));
		ASSERT_EQ(Z_OK, self->z[SHIM].deflateCopy(&copy, &self->s));
		EXPECT_EQ(self->s.total_in, copy.total_in);
		EXPECT_EQ(self->s.total_out, copy.total_out);
		bytes_add(&other, self->out.p, self->out.len);
		ASSERT_EQ(Z_OK, give(self, 1, Z_NO_FLUSH));
		/* The copy gets less, and ends first. */
		ASSERT_EQ(Z_OK, squeeze_on(&self->z[SHIM], &copy, &how, self->text.p + PART, 1000, Z_NO_FLUSH, &other));
		ASSERT_EQ(Z_STREAM_END, squeeze_on(&self->z[SHIM], &copy, &how, "", 0, Z_FINISH, &other));
		EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&copy));
		EXPECT_TRUE(restores(&self->z[STOCK], 31, &other, self->text.p, PART + 1000))
			TH_LOG("flush %d", flushes[i]);
		ASSERT_EQ(Z_OK, give(self, 2, Z_NO_FLUSH));
		EXPECT_TRUE(finishes(self, 31, 3 * PART)) TH_LOG("flush %d", flushes[i]);
		bytes_free(&self->out);
		bytes_free(&other);
	}
}

TEST_F(calls, rule_9_a_stream_can_be_used_again)
{
	static const int flushes[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH };
	int i;

	begin(self, 6, 15);
	for (i = 0; i < 6; i++) {
		give(self, 1, flushes[i % 3]);
		/* zlib's own stream would go on to refer to what it had before the call. */
		ASSERT_EQ(Z_OK, i == 5 && emulated() ? self->z[SHIM].deflateResetKeep(&self->s) :
						       self->z[SHIM].deflateReset(&self->s));
		EXPECT_EQ(0, self->s.total_in);
		EXPECT_EQ(0, self->s.total_out);
		EXPECT_EQ(1, self->s.adler);
		bytes_free(&self->out);
	}
	ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
	EXPECT_TRUE(finishes(self, 15, PART));
}

TEST_F(calls, rule_9_pending_bytes_come_with_the_next_call)
{
	unsigned char *buf = malloc(PART);
	struct how how = { 0 };
	unsigned int bytes = 0;
	int bits = -1;

	begin(self, 6, -15);
	self->s.next_in = self->text.p;
	self->s.avail_in = PART;
	self->s.next_out = buf;
	self->s.avail_out = 100;
	ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, Z_FINISH));
	EXPECT_EQ(0, self->s.avail_out);
	ASSERT_EQ(Z_OK, self->z[SHIM].deflatePending(&self->s, &bytes, &bits));
	EXPECT_LE(0, bits);
	EXPECT_GE(7, bits);
	bytes_add(&self->out, buf, 100);
	if (bytes) {
		self->s.next_out = buf;
		self->s.avail_out = bytes;
		ASSERT_EQ(Z_OK, self->z[SHIM].deflate(&self->s, Z_FINISH));
		EXPECT_EQ(0, self->s.avail_out);
		bytes_add(&self->out, buf, bytes);
	}
	free(buf);
	if (self->s.avail_in) {
		ASSERT_EQ(Z_STREAM_END, squeeze_on(&self->z[SHIM], &self->s, &how, self->s.next_in, self->s.avail_in,
						   Z_FINISH, &self->out));
	}
	EXPECT_TRUE(finishes(self, -15, PART));
}

TEST_F(calls, rule_9_the_header_of_a_gzip_stream)
{
	unsigned char extra[] = "extra", got[SIDES][16];
	gz_header set = { .text = 1, .time = 1234567, .os = 7, .extra = extra, .extra_len = 5,
			  .name = (Bytef *)"a name", .comment = (Bytef *)"a comment", .hcrc = 1 };
	gz_header h = { .extra = got[0], .extra_max = 16, .name = got[1], .name_max = 16 };
	z_stream s = { 0 };

	begin(self, 1, 31);
	ASSERT_EQ(Z_OK, self->z[SHIM].deflateSetHeader(&self->s, &set));
	ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
	EXPECT_TRUE(finishes(self, 31, PART));
	ASSERT_EQ(Z_OK, zlib_inflate_init(&self->z[STOCK], &s, 31));
	ASSERT_EQ(Z_OK, self->z[STOCK].inflateGetHeader(&s, &h));
	s.next_in = self->out.p;
	s.avail_in = (uInt)self->out.len;
	s.next_out = extra;
	self->z[STOCK].inflate(&s, Z_BLOCK);
	EXPECT_EQ(1, h.done);
	EXPECT_EQ(1, h.text);
	EXPECT_EQ(1234567, h.time);
	EXPECT_EQ(7, h.os);
	EXPECT_EQ(1, h.hcrc);
	EXPECT_EQ(5, h.extra_len);
	EXPECT_EQ(0, memcmp(got[0], "extra", 5));
	EXPECT_STREQ("a name", (char *)got[1]);
	self->z[STOCK].inflateEnd(&s);
}

/* git compares them after each call. */
TEST_F(calls, rule_10_numbers_after_each_call)
{
	unsigned char buf[777];
	size_t taken = 0, came = 0, n, left;
	int ret = Z_OK, flush;

	begin(self, 1, 15);
	while (ret != Z_STREAM_END) {
		n = PART - taken < 5000 ? PART - taken : 5000;
		flush = n == PART - taken ? Z_FINISH : Z_NO_FLUSH;
		self->s.next_in = self->text.p + taken;
		self->s.avail_in = (uInt)n;
		self->s.next_out = buf;
		self->s.avail_out = sizeof(buf);
		ret = self->z[SHIM].deflate(&self->s, flush);
		ASSERT_TRUE(ret == Z_OK || ret == Z_STREAM_END) TH_LOG("value %d", ret);
		left = self->s.avail_in;
		taken += n - left;
		came += sizeof(buf) - self->s.avail_out;
		ASSERT_EQ(self->text.p + taken, self->s.next_in);
		ASSERT_EQ(buf + sizeof(buf) - self->s.avail_out, self->s.next_out);
		ASSERT_EQ(taken, self->s.total_in);
		ASSERT_EQ(came, self->s.total_out);
		ASSERT_EQ(self->z[STOCK].adler32(1, self->text.p, (uInt)taken), self->s.adler);
		ASSERT_TRUE(!left || !self->s.avail_out);
		bytes_add(&self->out, buf, sizeof(buf) - self->s.avail_out);
	}
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&self->s));
	EXPECT_TRUE(restores(&self->z[STOCK], 15, &self->out, self->text.p, PART));
}

TEST_F(calls, rule_10_an_early_end_is_reported)
{
	begin(self, 6, 15);
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&self->s));
	EXPECT_EQ(Z_STREAM_ERROR, self->z[SHIM].deflateEnd(&self->s));
	begin(self, 6, 15);
	ASSERT_EQ(Z_OK, give(self, 0, Z_NO_FLUSH));
	EXPECT_EQ(Z_DATA_ERROR, self->z[SHIM].deflateEnd(&self->s));
}

/* Memory comes from the stream's zalloc; whichever of its calls fails, the stream begins not at all or ends well. */
struct heap {
	long blocks;
	unsigned int refuse;
};

static voidpf heap_alloc(voidpf opaque, uInt items, uInt size)
{
	struct heap *h = opaque;
	void *p = h->refuse == 1 ? NULL : malloc((size_t)items * size);

	h->refuse -= h->refuse > 1;
	h->blocks += !!p;
	return p;
}

static void heap_free(voidpf opaque, voidpf p)
{
	((struct heap *)opaque)->blocks -= !!p;
	free(p);
}

TEST_F(calls, rule_4_memory_is_the_stream_s_own)
{
	struct how how = { .cut = 10000 };
	struct heap h;
	unsigned int i;
	int ret;

	for (i = 0; i < 20; i++) {
		h = (struct heap){ .refuse = i };
		self->s = (z_stream){ .zalloc = heap_alloc, .zfree = heap_free, .opaque = &h };
		ret = zlib_deflate_init(&self->z[SHIM], &self->s, 1, 15, 8, Z_DEFAULT_STRATEGY);
		ASSERT_TRUE(ret == Z_OK || (i && ret == Z_MEM_ERROR)) TH_LOG("allocation %u: %d", i, ret);
		if (ret == Z_OK) {
			EXPECT_LT(0, h.blocks);
			EXPECT_EQ(Z_OK, squeeze_on(&self->z[SHIM], &self->s, &how, self->text.p, PART, Z_SYNC_FLUSH,
						   &self->out))
				TH_LOG("allocation %u", i);
			EXPECT_TRUE(finishes(self, 15, PART)) TH_LOG("allocation %u", i);
		}
		EXPECT_EQ(0, h.blocks);
		bytes_free(&self->out);
	}
}

/* Small writes of a program, as tar and log rotation make them. */
TEST_F(calls, rule_12_gz_files)
{
	char path[] = "/tmp/wd-zlib-gz.XXXXXX";
	unsigned char *got = malloc(4 * PART + 1);
	size_t i, n;
	gzFile f;

	close(mkstemp(path));
	f = self->z[SHIM].gzopen(path, "wb6");
	ASSERT_NE(NULL, f);
	for (i = 0; i < 4 * PART; i += n) {
		n = 4 * PART - i < 1000 ? 4 * PART - i : 1000;
		ASSERT_EQ(n, self->z[SHIM].gzwrite(f, self->text.p + i, (unsigned int)n));
		ASSERT_EQ(i + n, self->z[SHIM].gztell(f));
	}
	EXPECT_EQ(Z_OK, self->z[SHIM].gzclose(f));
	for (i = 0; i < SIDES; i++) {
		f = self->z[i].gzopen(path, "rb");
		ASSERT_NE(NULL, f);
		EXPECT_EQ(4 * PART, self->z[i].gzread(f, got, 4 * PART + 1));
		EXPECT_EQ(0, memcmp(got, self->text.p, 4 * PART));
		EXPECT_EQ(Z_OK, self->z[i].gzclose(f));
	}
	unlink(path);
	free(got);
}

ZLIB_TEST_MAIN
