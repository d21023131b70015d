// SPDX-License-Identifier: Apache-2.0
/*
 * Devices that fail in the middle of a stream that they decompress (WD_ZLIB_INFLATE=stream): as long as the stream's
 * input is kept, the program notices nothing.
 */
#include "edges.h"
#include "harness_long.h"

#define DATA	(1200 * KIB)
#define LARGE	(12 * MIB)

FIXTURE(restore) {
	struct zlib z[SIDES];
	struct bytes data, in, out;
	z_stream s;
};

FIXTURE_SETUP(restore)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	setenv("WD_ZLIB_INFLATE", "stream", 1);
	zlibs_open(self->z);
}

static void buffers_free(FIXTURE_DATA(restore) *self)
{
	bytes_free(&self->data);
	bytes_free(&self->in);
	bytes_free(&self->out);
}

FIXTURE_TEARDOWN(restore)
{
	buffers_free(self);
}

static void fault(const char *command)
{
	char name[32];
	int i;

	for (i = 0; i < DEVICES; i++) {
		snprintf(name, sizeof(name), "hisi_zip-%d", i);
		emulated_control(name, command);
	}
}

static void begin(FIXTURE_DATA(restore) *self, int bits, size_t len)
{
	/* What may be either is gzip. */
	const struct how how = HOW(6, bits > 31 ? bits - 16 : bits);

	bytes_free(&self->data);
	bytes_free(&self->in);
	self->data = bytes_of(DATA_MIXED, len);
	self->in = squeeze(&self->z[STOCK], &how, self->data.p, len);
	bytes_free(&self->out);
	self->out = (struct bytes){ .p = malloc(len + 1), .len = len, .room = len + 1 };
	memset(&self->s, 0, sizeof(self->s));
	self->s.next_in = self->in.p;
	self->s.next_out = self->out.p;
	zlib_inflate_init(&self->z[SHIM], &self->s, bits);
}

/* calls: of inflate(), with 70,000 bytes of input and a room that hardly fits what comes of it. */
static int run(FIXTURE_DATA(restore) *self, unsigned int calls)
{
	z_streamp s = &self->s;
	size_t left, room;
	int ret = Z_OK;

	while (calls-- && ret == Z_OK) {
		left = self->in.len - s->total_in;
		room = self->out.len + 1 - s->total_out;
		s->avail_in = left < 70000 ? (uInt)left : 70000;
		s->avail_out = room < 100000 ? (uInt)room : 100000;
		ret = self->z[SHIM].inflate(s, calls % 3 ? Z_NO_FLUSH : Z_SYNC_FLUSH);
	}
	return ret;
}

static bool restored(FIXTURE_DATA(restore) *self, int ret)
{
	z_streamp s = &self->s;

	return ret == Z_STREAM_END && s->total_in == self->in.len && s->total_out == self->data.len &&
	       s->next_in == self->in.p + self->in.len && !memcmp(self->out.p, self->data.p, self->data.len) &&
	       self->z[SHIM].inflateEnd(s) == Z_OK;
}

FIXTURE(kinds) {
	FIXTURE_DATA(restore) f;
};

FIXTURE_VARIANT(kinds) {
	const char *fault, *after;
	bool wrong;	/* what the device has made so may have left */
};

/* One failure is repeated. */
FIXTURE_VARIANT_ADD(kinds, fail) { .fault = "fault fail=1", .after = "fault fail=0" };
FIXTURE_VARIANT_ADD(kinds, fail_on) { .fault = "fault fail=1000", .after = "fault fail=0" };
FIXTURE_VARIANT_ADD(kinds, error) { .fault = "fault error=1", .after = "fault error=0" };
FIXTURE_VARIANT_ADD(kinds, corrupt) { .fault = "fault corrupt=1", .after = "fault corrupt=0",
				    .wrong = true };
FIXTURE_VARIANT_ADD(kinds, remove) { .fault = "remove", .after = "return" };
FIXTURE_VARIANT_ADD(kinds, reset) { .fault = "reset", .after = "release" };

FIXTURE_SETUP(kinds)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	setenv("WD_ZLIB_INFLATE", "stream", 1);
	zlibs_open(self->f.z);
}

FIXTURE_TEARDOWN(kinds)
{
	buffers_free(&self->f);
}

/* At each call, in each format; a raw stream has no checksum by which a wrong result is seen. */
TEST_F(kinds, a_stream_goes_on_when_its_device_fails)
{
	static const int formats[] = { 15, 31, 47, -15 };
	unsigned int i, calls;
	int ret;

	for (i = 0; i < (variant->wrong ? 3 : 4); i++)
		for (calls = 0; calls < 12; calls++) {
			begin(&self->f, formats[i], DATA);
			ASSERT_GT(1 * MIB, self->f.in.len);
			ASSERT_EQ(Z_OK, run(&self->f, calls));
			fault(variant->fault);
			ret = run(&self->f, 1000);
			EXPECT_TRUE((variant->wrong && ret == Z_DATA_ERROR) || restored(&self->f, ret))
				TH_LOG("format %d, call %u: %d, %lu of %zu bytes", formats[i], calls, ret,
				       self->f.s.total_out, self->f.data.len);
			fault(variant->after);
		}
}

TEST_F(restore, a_device_has_the_stream)
{
	unsigned long long before = requests();

	begin(self, 15, DATA);
	EXPECT_TRUE(restored(self, run(self, 1000)));
	EXPECT_LT(before, requests());
}

/* One call, which doesn't say that it is the only one. */
TEST_F(restore, all_that_is_there_is_done_at_once)
{
	unsigned long long before = requests();
	z_streamp s = &self->s;

	begin(self, 15, DATA);
	s->avail_in = (uInt)self->in.len;
	s->avail_out = (uInt)self->out.len + 1;
	EXPECT_TRUE(restored(self, self->z[SHIM].inflate(s, Z_SYNC_FLUSH)));
	EXPECT_LT(before, requests());
	/* Half of it only: zlib's result, and its state. */
	begin(self, 15, DATA);
	s->avail_in = (uInt)self->in.len / 2;
	s->avail_out = (uInt)self->out.len + 1;
	EXPECT_EQ(Z_OK, self->z[SHIM].inflate(s, Z_SYNC_FLUSH));
	EXPECT_TRUE(restored(self, run(self, 1000)));
}

FIXTURE(by_default) {
	FIXTURE_DATA(restore) f;
};

FIXTURE_SETUP(by_default)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	zlibs_open(self->f.z);
}

FIXTURE_TEARDOWN(by_default)
{
	buffers_free(&self->f);
}

TEST_F(by_default, one_call_without_an_end_is_a_devices)
{
	unsigned long long before = requests();
	z_streamp s = &self->f.s;

	begin(&self->f, 15, DATA);
	s->avail_in = (uInt)self->f.in.len;
	s->avail_out = (uInt)self->f.out.len + 1;
	EXPECT_TRUE(restored(&self->f, self->f.z[SHIM].inflate(s, Z_SYNC_FLUSH)));
	EXPECT_LT(before, requests());
}

/* Of more than is kept. */
TEST_F(restore, a_large_stream_outlives_single_failures)
{
	static const char *const faults[] = { "fault fail=1", "fault error=1", "reset", "fault fail=3" };
	unsigned long long before = requests();
	unsigned int i;

	begin(self, 15, LARGE);
	ASSERT_EQ(Z_OK, run(self, 60));
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		fault(faults[i]);
		ASSERT_EQ(Z_OK, run(self, 3)) TH_LOG("%s", faults[i]);
	}
	EXPECT_TRUE(restored(self, run(self, 1000)));
	EXPECT_LT(before + 60, requests());
}

TEST_F(restore, a_stream_of_which_too_much_is_gone_ends)
{
	begin(self, 15, LARGE);
	ASSERT_LT(4 * MIB, self->in.len);
	ASSERT_EQ(Z_OK, run(self, 60));
	fault("fault fail=1000");
	EXPECT_EQ(Z_STREAM_ERROR, run(self, 1000));
	EXPECT_EQ(Z_STREAM_ERROR, run(self, 1000));
	fault("fault fail=0");
	self->z[SHIM].inflateReset(&self->s);
	self->s.next_in = self->in.p;
	self->s.next_out = self->out.p;
	EXPECT_TRUE(restored(self, run(self, 1000)));
}

/* zlib has the stream's beginning, and its end is still to come. */
TEST_F(restore, a_stream_that_has_failed_can_be_used_again)
{
	begin(self, 31, DATA);
	ASSERT_EQ(Z_OK, run(self, 4));
	fault("fault fail=1000");
	ASSERT_EQ(Z_OK, run(self, 1));
	fault("fault fail=0");
	ASSERT_EQ(Z_OK, self->z[SHIM].inflateReset(&self->s));
	self->s.next_in = self->in.p;
	self->s.next_out = self->out.p;
	EXPECT_TRUE(restored(self, run(self, 1000)));
}

ZLIB_TEST_MAIN
