// SPDX-License-Identifier: Apache-2.0
/* Which streams devices take, which stay the distribution's zlib byte for byte, and what the environment says of it. */
#include <limits.h>
#include <sys/wait.h>

#include "edges.h"
#include "kselftest_harness.h"

FIXTURE(edges) {
	struct zlib z[SIDES];
	struct bytes text, noise;
};

FIXTURE_SETUP(edges)
{
	self->text = bytes_of(DATA_TEXT, MIB);
	self->noise = bytes_of(DATA_NOISE, 3 * MIB + 77);
}

FIXTURE_TEARDOWN(edges)
{
	bytes_free(&self->text);
	bytes_free(&self->noise);
}

/* A word of the process' map: a file that is loaded. */
static bool mapped(const char *name)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 128];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, name);
	if (f)
		fclose(f);
	return found;
}

TEST_F(edges, rule_1_without_a_device_nothing_differs)
{
	static const int bits[] = { 15, -15, 31 };
	struct how how;
	int i, level;

	if (emulated())
		SKIP(return, "there are devices");
	zlibs_open(self->z);
	for (level = -1; level <= 9; level += 3)
		for (i = 0; i < 3; i++) {
			how = HOW(level, bits[i]);
			how.cut = i == 1 ? 0 : 70001;
			how.room = i == 2 ? 5000 : 0;
			EXPECT_TRUE(is_stock_s(self->z, &how, &self->text))
				TH_LOG("level %d, windowBits %d", level, bits[i]);
			EXPECT_TRUE(is_stock_s(self->z, &how, &self->noise))
				TH_LOG("level %d, windowBits %d", level, bits[i]);
		}
}

TEST_F(edges, rule_2_the_library_is_loaded_for_a_device_only)
{
	struct bytes little = bytes_of(DATA_TEXT, 1000);
	struct how how = HOW(6, 15);

	zlibs_open(self->z);
	EXPECT_FALSE(mapped("/libwd"));
	EXPECT_TRUE(is_stock_s(self->z, &how, &little));
	EXPECT_FALSE(mapped("/libwd"));
	EXPECT_TRUE(is_a_device_s(self->z, &how, &self->text));
	EXPECT_EQ(emulated(), mapped("/libwd_comp"));
	bytes_free(&little);
}

TEST_F(edges, rule_3_levels_1_to_6_are_for_devices)
{
	struct how how;
	int level;

	zlibs_open(self->z);
	for (level = -1; level <= 9; level++) {
		how = HOW(level, 15);
		if (level == 0 || level > 6) {
			EXPECT_TRUE(is_stock_s(self->z, &how, &self->text)) TH_LOG("level %d", level);
		} else {
			EXPECT_TRUE(is_a_device_s(self->z, &how, &self->text)) TH_LOG("level %d", level);
		}
	}
}

TEST_F(edges, rule_3_other_levels_if_the_environment_says_so)
{
	struct how how;
	int level;

	setenv("WD_ZLIB_LEVELS", "2-8", 1);
	zlibs_open(self->z);
	for (level = -1; level <= 9; level++) {
		how = HOW(level, 31);
		if (level == 0 || level == 1 || level == 9) {
			EXPECT_TRUE(is_stock_s(self->z, &how, &self->text)) TH_LOG("level %d", level);
		} else {
			EXPECT_TRUE(is_a_device_s(self->z, &how, &self->text)) TH_LOG("level %d", level);
		}
	}
}

TEST_F(edges, rule_3_the_default_level_counts_as_6)
{
	struct how how = HOW(Z_DEFAULT_COMPRESSION, 15);

	setenv("WD_ZLIB_LEVELS", "1-5", 1);
	zlibs_open(self->z);
	EXPECT_TRUE(is_stock_s(self->z, &how, &self->text));
}

TEST_F(edges, rule_3_other_strategies_are_zlib_s)
{
	struct how how = HOW(6, 15);

	zlibs_open(self->z);
	for (how.strategy = Z_FILTERED; how.strategy <= Z_FIXED; how.strategy++)
		EXPECT_TRUE(is_stock_s(self->z, &how, &self->text)) TH_LOG("strategy %d", how.strategy);
}

TEST_F(edges, rule_3_small_windows_are_zlib_s)
{
	static const int bits[] = { 8, 9, 10, 11, -9, -10, -11, 25, 26, 27 };
	struct how how;
	int i;

	zlibs_open(self->z);
	for (i = 0; i < 10; i++) {
		how = HOW(6, bits[i]);
		EXPECT_TRUE(is_stock_s(self->z, &how, &self->text)) TH_LOG("windowBits %d", bits[i]);
	}
	for (i = 12; i <= 15; i++) {
		how = HOW(6, i);
		EXPECT_TRUE(is_a_device_s(self->z, &how, &self->text)) TH_LOG("windowBits %d", i);
	}
}

/* The same calls on both streams, then everything: the same bytes. */
static bool stock_s_after(const struct zlib z[SIDES], int bits, const struct bytes *in,
			  int (*call)(const struct zlib *, z_streamp))
{
	unsigned long long before = requests();
	struct bytes out[SIDES] = { { 0 }, { 0 } };
	struct how how = HOW(6, bits);
	bool ok = true;
	z_stream s;
	int side;

	for (side = STOCK; side < SIDES; side++) {
		memset(&s, 0, sizeof(s));
		ok &= zlib_deflate_init(&z[side], &s, how.level, bits, 8, 0) == Z_OK && call(&z[side], &s) == Z_OK;
		ok &= squeeze_on(&z[side], &s, &how, in->p, in->len, Z_FINISH, &out[side]) == Z_STREAM_END;
		ok &= z[side].deflateEnd(&s) == Z_OK;
	}
	ok &= bytes_same(&out[STOCK], &out[SHIM]) && requests() == before;
	bytes_free(&out[STOCK]);
	bytes_free(&out[SHIM]);
	return ok;
}

static int prime(const struct zlib *z, z_streamp s)
{
	return z->deflatePrime(s, 10, 2);
}

static int tune(const struct zlib *z, z_streamp s)
{
	return z->deflateTune(s, 5, 6, 10, 20);
}

static int dictionary(const struct zlib *z, z_streamp s)
{
	return z->deflateSetDictionary(s, (const Bytef *)"a dictionary", 12);
}

TEST_F(edges, rule_3_prime_and_tune_make_it_zlib_s)
{
	zlibs_open(self->z);
	EXPECT_TRUE(stock_s_after(self->z, -15, &self->text, prime));
	EXPECT_TRUE(stock_s_after(self->z, -15, &self->text, tune));
	EXPECT_TRUE(stock_s_after(self->z, 15, &self->text, tune));
	EXPECT_TRUE(stock_s_after(self->z, 31, &self->text, tune));
}

TEST_F(edges, rule_9_a_dictionary_before_the_data_makes_it_zlib_s)
{
	zlibs_open(self->z);
	EXPECT_TRUE(stock_s_after(self->z, 15, &self->text, dictionary));
}

/* What is small refers to it, as zlib's does; test_random decompresses the rest. */
TEST_F(edges, rule_9_a_dictionary_of_a_raw_stream_is_an_offer)
{
	struct bytes small = self->text;

	zlibs_open(self->z);
	small.len = 10000;
	EXPECT_TRUE(stock_s_after(self->z, -15, &small, dictionary));
	EXPECT_NE(emulated(), stock_s_after(self->z, -15, &self->text, dictionary));
}

/* A dictionary that was set, and little data behind it, are both what later data may refer to. */
TEST_F(edges, rule_9_the_dictionary_of_a_small_stream_is_stock_s)
{
	static const struct { size_t dict, data; } sizes[] = {
		{ 32768, 1000 }, { 100, 1000 }, { 0, 1000 }, { 32768, 0 }, { 32768, 40000 }, { 500, 32768 },
		{ 0, 50000 },
	};
	unsigned char dict[SIDES][32768], out[100];
	uInt n[SIDES], alone;
	z_stream s;
	int i, side;

	zlibs_open(self->z);
	for (i = 0; i < 7; i++) {
		for (side = STOCK; side < SIDES; side++) {
			s = (z_stream){ .next_out = out, .avail_out = sizeof(out) };
			zlib_deflate_init(&self->z[side], &s, 6, -15, 8, Z_DEFAULT_STRATEGY);
			if (sizes[i].dict)
				EXPECT_EQ(Z_OK,
					  self->z[side].deflateSetDictionary(&s, self->noise.p, (uInt)sizes[i].dict));
			s.next_in = self->text.p;
			s.avail_in = (uInt)sizes[i].data;
			EXPECT_EQ(Z_OK, self->z[side].deflate(&s, Z_NO_FLUSH));
			EXPECT_EQ(Z_OK, self->z[side].deflateGetDictionary(&s, dict[side], &n[side]));
			EXPECT_EQ(Z_OK, self->z[side].deflateGetDictionary(&s, Z_NULL, &alone));
			EXPECT_EQ(n[side], alone);
			self->z[side].deflateEnd(&s);
		}
		EXPECT_EQ(n[STOCK], n[SHIM]) TH_LOG("%zu and %zu bytes", sizes[i].dict, sizes[i].data);
		EXPECT_EQ(0, memcmp(dict[STOCK], dict[SHIM], n[SHIM]))
			TH_LOG("%zu and %zu bytes", sizes[i].dict, sizes[i].data);
	}
}

TEST_F(edges, rule_3_reproducible_builds_do_not_depend_on_devices)
{
	struct how how = HOW(6, 31);

	setenv("SOURCE_DATE_EPOCH", "1", 1);
	zlibs_open(self->z);
	EXPECT_TRUE(is_stock_s(self->z, &how, &self->text));
	EXPECT_FALSE(mapped("/libwd_comp"));
}

TEST_F(edges, rule_3_off_is_off)
{
	struct how how = HOW(1, 15);

	setenv("WD_ZLIB", "off", 1);
	zlibs_open(self->z);
	EXPECT_TRUE(is_stock_s(self->z, &how, &self->text));
	EXPECT_FALSE(mapped("/libwd_comp"));
}

TEST_F(edges, rule_4_less_than_64_KiB_is_zlib_s)
{
	static const size_t cuts[] = { 0, 1, 1000, 65534 };
	struct bytes in = bytes_of(DATA_TEXT, 64 * KIB);
	struct how how = HOW(6, 15);
	int i;

	zlibs_open(self->z);
	for (i = 0; i < 4; i++) {
		how.cut = cuts[i];
		in.len = 64 * KIB - 1;
		EXPECT_TRUE(is_stock_s(self->z, &how, &in)) TH_LOG("cuts of %zu", cuts[i]);
		in.len = 64 * KIB;
		EXPECT_TRUE(is_a_device_s(self->z, &how, &in)) TH_LOG("cuts of %zu", cuts[i]);
	}
	bytes_free(&in);
}

TEST_F(edges, rule_4_an_early_flush_makes_it_zlib_s)
{
	struct how how = HOW(6, -15);

	zlibs_open(self->z);
	how.cut = 1000;
	how.every = 1;
	for (how.flush = Z_PARTIAL_FLUSH; how.flush <= Z_FULL_FLUSH; how.flush++)
		EXPECT_TRUE(is_stock_s(self->z, &how, &self->text)) TH_LOG("flush %d", how.flush);
	how.flush = Z_BLOCK;
	EXPECT_TRUE(is_stock_s(self->z, &how, &self->text));
}

TEST_F(edges, rule_4_another_minimum)
{
	struct bytes in = bytes_of(DATA_TEXT, 300 * KIB);
	struct how how = HOW(6, 15);

	setenv("WD_ZLIB_MIN", "200k", 1);
	zlibs_open(self->z);
	in.len = 200 * KIB - 1;
	EXPECT_TRUE(is_stock_s(self->z, &how, &in));
	in.len = 200 * KIB;
	EXPECT_TRUE(is_a_device_s(self->z, &how, &in));
	bytes_free(&in);
}

TEST_F(edges, rule_4_a_minimum_above_the_chunk)
{
	struct how how = HOW(6, 15);
	struct bytes in;

	setenv("WD_ZLIB_MIN", "1m", 1);
	zlibs_open(self->z);
	in = self->text;
	in.len = MIB - 1;
	EXPECT_TRUE(is_stock_s(self->z, &how, &in));
	in.len = MIB;
	EXPECT_TRUE(is_a_device_s(self->z, &how, &in));
}

TEST_F(edges, rule_4_a_minimum_of_a_byte)
{
	struct bytes in = bytes_of(DATA_TEXT, 1000);
	struct how how = HOW(6, 31);

	setenv("WD_ZLIB_MIN", "1", 1);
	zlibs_open(self->z);
	EXPECT_TRUE(is_a_device_s(self->z, &how, &in));
	in.len = 1;
	EXPECT_TRUE(is_a_device_s(self->z, &how, &in));
	in.len = 0;
	EXPECT_TRUE(is_stock_s(self->z, &how, &in));
	in.len = 1000;
	bytes_free(&in);
}

/* The shim's bound is stock's, and enough for everything in one call. */
static bool bound_suffices(const struct zlib z[SIDES], int bits, int memory, int level, const unsigned char *in,
			   size_t n)
{
	uLong bound[SIDES];
	struct bytes out;
	z_stream s;
	bool ok = true;
	int side;

	for (side = STOCK; side < SIDES; side++) {
		memset(&s, 0, sizeof(s));
		ok &= zlib_deflate_init(&z[side], &s, level, bits, memory, 0) == Z_OK;
		bound[side] = z[side].deflateBound(&s, n);
		ok &= z[side].deflateEnd(&s) == Z_OK;
	}
	memset(&s, 0, sizeof(s));
	out = (struct bytes){ .p = malloc(bound[SHIM] + 1) };
	ok &= zlib_deflate_init(&z[SHIM], &s, level, bits, memory, 0) == Z_OK;
	s.next_in = (z_const Bytef *)in;
	s.avail_in = (uInt)n;
	s.next_out = out.p;
	s.avail_out = (uInt)bound[SHIM];
	ok &= bound[STOCK] == bound[SHIM] && z[SHIM].deflate(&s, Z_FINISH) == Z_STREAM_END;
	out.len = s.total_out;
	ok &= z[SHIM].deflateEnd(&s) == Z_OK && restores(&z[STOCK], bits, &out, in, n);
	bytes_free(&out);
	return ok;
}

TEST_F(edges, rule_6_compressBound_suffices)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 300000, 3 * MIB };
	unsigned char *got = malloc(3 * MIB);
	struct bytes out = { 0 };
	uLong len, back;
	int i;

	zlibs_open(self->z);
	for (i = 0; i < 6; i++) {
		len = self->z[SHIM].compressBound(sizes[i]);
		EXPECT_EQ(self->z[STOCK].compressBound(sizes[i]), len);
		out.p = malloc(len);
		EXPECT_EQ(Z_OK, self->z[SHIM].compress(out.p, &len, self->noise.p, sizes[i]));
		back = 3 * MIB;
		EXPECT_EQ(Z_OK, self->z[STOCK].uncompress(got, &back, out.p, len));
		EXPECT_EQ(sizes[i], back);
		EXPECT_EQ(0, memcmp(got, self->noise.p, sizes[i]));
		free(out.p);
	}
	free(got);
}

/* Two calls: all but the last bytes of input with just the room that the data needs, and then those bytes. */
static void in_two_calls(const struct zlib *z, z_streamp s, int bits, const struct bytes *b, size_t last, size_t n,
			 long got[6])
{
	unsigned char *out = malloc(n);

	*s = (z_stream){ 0 };
	zlib_inflate_init(z, s, bits);
	s->next_in = b->p;
	s->avail_in = (uInt)(b->len - last);
	s->next_out = out;
	s->avail_out = (uInt)n;
	got[0] = z->inflate(s, Z_NO_FLUSH);
	got[1] = (long)s->total_out;
	got[2] = (long)s->adler;
	s->avail_in += (uInt)last;
	got[3] = z->inflate(s, Z_NO_FLUSH);
	got[4] = s->avail_in;
	got[5] = (long)s->adler;
	z->inflateEnd(s);
	free(out);
}

TEST_F(edges, rule_11_the_trailer_needs_no_room)
{
	static const int bits[] = { 15, -15, 31, 47 };
	unsigned long long before;
	long got[SIDES][6];
	struct bytes b;
	size_t last;
	z_stream s;
	int i, j;

	setenv("WD_ZLIB_INFLATE", "stream", 1);
	zlibs_open(self->z);
	for (i = 0; i < 4; i++) {
		b = squeeze(&self->z[STOCK], &HOW(9, bits[i] == 47 ? 31 : bits[i]), self->text.p, MIB);
		ASSERT_LT(64 * KIB, b.len);
		/* Raw data has no checksum: devices get it only where results aren't verified. */
		setenv("WD_VERIFY", bits[i] < 0 ? "0" : "1", 1);
		for (last = 0; last <= 8; last++) {
			before = requests();
			in_two_calls(&self->z[STOCK], &s, bits[i], &b, last, MIB, got[STOCK]);
			in_two_calls(&self->z[SHIM], &s, bits[i], &b, last, MIB, got[SHIM]);
			for (j = 0; j < 6; j++)
				EXPECT_EQ(got[STOCK][j], got[SHIM][j])
					TH_LOG("windowBits %d, the last %zu bytes, value %d", bits[i], last, j);
			EXPECT_TRUE(as_with_devices(before)) TH_LOG("windowBits %d", bits[i]);
		}
		bytes_free(&b);
	}
}

/* gzread() takes a file to be over when all of its input is consumed. */
TEST_F(edges, rule_11_a_file_is_read_to_its_end)
{
	static const unsigned int sizes[] = { 8, 39, 100, 5000 };
	char path[] = "/tmp/wd-zlib.XXXXXX", got[97];
	size_t len = 20000, at;
	int fd = mkstemp(path), n;
	unsigned int i;
	gzFile f;

	ASSERT_LE(0, fd);
	close(fd);
	setenv("WD_ZLIB_INFLATE", "stream", 1);
	setenv("WD_ZLIB_MIN", "1", 1);
	zlibs_open(self->z);
	f = self->z[STOCK].gzopen(path, "w6");
	ASSERT_EQ(len, self->z[STOCK].gzwrite(f, self->text.p, (unsigned int)len));
	ASSERT_EQ(Z_OK, self->z[STOCK].gzclose(f));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		f = self->z[SHIM].gzopen(path, "r");
		ASSERT_EQ(0, self->z[SHIM].gzbuffer(f, sizes[i]));
		for (at = 0; (n = self->z[SHIM].gzread(f, got, sizeof(got))) > 0; at += (size_t)n)
			ASSERT_EQ(0, memcmp(self->text.p + at, got, (size_t)n));
		EXPECT_EQ(0, n);
		EXPECT_EQ(len, at) TH_LOG("a buffer of %u bytes", sizes[i]);
		EXPECT_EQ(Z_OK, self->z[SHIM].gzclose(f));
	}
	unlink(path);
}

/* zlib's own bound of few bytes is narrow for other windows and memory than the default. */
TEST_F(edges, rule_6_the_bound_of_a_few_bytes_suffices)
{
	static const int bits[] = { 15, -15, 31, 12, -13, 14 }, memories[] = { 1, 5, 8, 9 };
	size_t n;
	int b, m;

	setenv("WD_ZLIB_MIN", "1", 1);
	zlibs_open(self->z);
	for (b = 0; b < 6; b++)
		for (m = 0; m < 4; m++)
			for (n = 8; n < 200; n++) {
				EXPECT_TRUE(bound_suffices(self->z, bits[b], memories[m], 6, self->noise.p, n))
					TH_LOG("%zu bytes, windowBits %d, memLevel %d", n, bits[b], memories[m]);
			}
}

FIXTURE(chunks) {
	struct zlib z[SIDES];
	struct bytes mixed, noise;
};

FIXTURE_VARIANT(chunks) {
	const char *size;
};

FIXTURE_VARIANT_ADD(chunks, as_they_are) { .size = NULL };
FIXTURE_VARIANT_ADD(chunks, of_64_KiB) { .size = "64k" };
FIXTURE_VARIANT_ADD(chunks, of_an_odd_size) { .size = "100001" };
FIXTURE_VARIANT_ADD(chunks, of_1_MiB) { .size = "1m" };

FIXTURE_SETUP(chunks)
{
	if (variant->size)
		setenv("WD_ZLIB_CHUNK", variant->size, 1);
	zlibs_open(self->z);
	self->mixed = bytes_of(DATA_MIXED, 2 * MIB + 12345);
	self->noise = bytes_of(DATA_NOISE, 3 * MIB + 77);
}

FIXTURE_TEARDOWN(chunks)
{
	bytes_free(&self->mixed);
	bytes_free(&self->noise);
}

TEST_F(chunks, rule_5_chunks_of_any_size_in_calls_of_any_size)
{
	static const size_t cuts[] = { 0, 1, 4096, 65536, 65537, 262144, 700001 };
	struct how how = HOW(1, 15);
	struct bytes in;
	int i;

	for (i = 0; i < 7; i++) {
		how.cut = cuts[i];
		how.room = i % 2 ? 3000 : 0;
		in = self->mixed;
		in.len = cuts[i] == 1 ? 200000 : in.len;
		EXPECT_TRUE(is_a_device_s(self->z, &how, &in)) TH_LOG("cuts of %zu", cuts[i]);
	}
}

TEST_F(chunks, rule_6_what_does_not_compress_fits_into_the_bound)
{
	static const size_t sizes[] = {
		64 * KIB, 64 * KIB + 1, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, MIB + 1, 3 * MIB + 77
	};
	static const int bits[] = { 15, -15, 31 };
	int i, b;

	for (i = 0; i < 7; i++)
		for (b = 0; b < 3; b++) {
			EXPECT_TRUE(bound_suffices(self->z, bits[b], 8, 1, self->noise.p, sizes[i]))
				TH_LOG("%zu bytes, windowBits %d", sizes[i], bits[b]);
			EXPECT_TRUE(bound_suffices(self->z, bits[b], 8, 6, self->noise.p, sizes[i]))
				TH_LOG("%zu bytes, windowBits %d", sizes[i], bits[b]);
		}
}

/* Z_OK means progress: what asks for more than the call before writes its end again. */
TEST_F(edges, rule_8_flushes_without_input_are_stock_s)
{
	static const int flushes[] = {
		Z_SYNC_FLUSH, Z_NO_FLUSH, Z_SYNC_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH
	};
	unsigned char *out = malloc(2 * MIB);
	uLong came[SIDES][7];
	int ret[SIDES][7], side, i;
	z_stream s;

	zlibs_open(self->z);
	for (side = STOCK; side < SIDES; side++) {
		s = (z_stream){ .next_in = self->text.p, .avail_in = MIB, .next_out = out, .avail_out = 2 * MIB };
		zlib_deflate_init(&self->z[side], &s, 1, -15, 8, Z_DEFAULT_STRATEGY);
		EXPECT_EQ(Z_OK, self->z[side].deflate(&s, Z_FULL_FLUSH));
		for (i = 0; i < 7; i++) {
			came[side][i] = s.total_out;
			ret[side][i] = self->z[side].deflate(&s, flushes[i]);
			came[side][i] = s.total_out - came[side][i];
		}
		self->z[side].deflateEnd(&s);
	}
	for (i = 0; i < 7; i++) {
		EXPECT_EQ(ret[STOCK][i], ret[SHIM][i]) TH_LOG("call %d", i);
		EXPECT_EQ(came[STOCK][i], came[SHIM][i]) TH_LOG("call %d", i);
	}
	free(out);
}

FIXTURE(finished) {
	struct zlib z[SIDES];
	struct bytes in;
	z_stream s[SIDES];
	unsigned char *out;
};

FIXTURE_SETUP(finished)
{
	zlibs_open(self->z);
	self->in = bytes_of(DATA_TEXT, MIB);
	self->out = malloc(2 * MIB);
}

FIXTURE_TEARDOWN(finished)
{
	bytes_free(&self->in);
	free(self->out);
}

/* All of the input, with this much room. */
static void finish(FIXTURE_DATA(finished) *self, int side, uInt room)
{
	z_streamp s = &self->s[side];

	*s = (z_stream){ 0 };
	zlib_deflate_init(&self->z[side], s, 1, 31, 8, Z_DEFAULT_STRATEGY);
	s->next_in = self->in.p;
	s->avail_in = MIB;
	s->next_out = self->out;
	s->avail_out = room;
	self->z[side].deflate(s, Z_FINISH);
}

/* Input that comes too late is neither taken nor written. */
TEST_F(finished, rule_9_parameters_behind_the_end_are_stock_s)
{
	static const struct { int level, strategy; } next[] = {
		{ 1, 0 }, { 3, 0 }, { 9, 0 }, { 0, 0 }, { 1, Z_RLE }, { 3, 0 }
	};
	int ret[SIDES][6][2], side, i;
	z_streamp s;

	for (side = STOCK; side < SIDES; side++) {
		s = &self->s[side];
		finish(self, side, 2 * MIB);
		for (i = 0; i < 6; i++) {
			s->next_in = self->in.p;
			s->avail_in = 1000;
			ret[side][i][0] = self->z[side].deflateParams(s, next[i].level, next[i].strategy);
			ret[side][i][1] = self->z[side].deflate(s, Z_FINISH);
			EXPECT_EQ(MIB, s->total_in) TH_LOG("to level %d, strategy %d", next[i].level, next[i].strategy);
			EXPECT_EQ(2 * MIB, s->total_out + s->avail_out);
			EXPECT_EQ(1000, s->avail_in);
			EXPECT_EQ(ret[STOCK][i][0], ret[side][i][0])
				TH_LOG("to level %d, strategy %d", next[i].level, next[i].strategy);
			EXPECT_EQ(ret[STOCK][i][1], ret[side][i][1]);
		}
		EXPECT_EQ(Z_OK, self->z[side].deflateEnd(s));
	}
}

/* All input is there, and the end waits for room. */
TEST_F(finished, rule_9_parameters_while_the_end_waits)
{
	z_streamp s = &self->s[SHIM];
	struct bytes out = { .p = self->out };

	finish(self, SHIM, 100);
	while (s->avail_in) {
		s->avail_out = 100;
		ASSERT_EQ(Z_OK, self->z[SHIM].deflate(s, Z_FINISH));
	}
	s->avail_out = 2 * MIB - (uInt)s->total_out;
	EXPECT_EQ(Z_STREAM_ERROR, self->z[SHIM].deflateParams(s, 9, Z_DEFAULT_STRATEGY));
	EXPECT_EQ(Z_STREAM_ERROR, self->z[SHIM].deflateParams(s, 1, Z_RLE));
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateParams(s, 2, Z_DEFAULT_STRATEGY));
	EXPECT_EQ(Z_STREAM_END, self->z[SHIM].deflate(s, Z_FINISH));
	out.len = s->total_out;
	EXPECT_TRUE(restores(&self->z[STOCK], 31, &out, self->in.p, MIB));
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(s));
}

ZLIB_TEST_MAIN
