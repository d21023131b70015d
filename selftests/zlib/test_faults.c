// SPDX-License-Identifier: Apache-2.0
/*
 * Devices that fail, hang, are reset or removed in the middle of a stream, and processes that fork there: the stream
 * goes on, and stock zlib restores it.
 *
 * A stream of 8 MiB has 32 chunks. WD_TEST_LONG=1: faults at each of them.
 */
#include <unistd.h>

#include "in_child.h"
#include "tsan_fork.h"
#include "edges.h"
#include "harness_long.h"

#define CHUNK		(256 * KIB)
#define STREAM		(8 * MIB)
#define CHUNKS		(STREAM / CHUNK)

/* The sizes of a program's calls. */
static const size_t cuts[] = { 10000, 100000, CHUNK, 700001, 3 * MIB };

#define CUTS	(sizeof(cuts) / sizeof(cuts[0]))

FIXTURE(faults) {
	struct zlib z[SIDES];
	struct bytes in, out;
	z_stream s;
	size_t taken;
	unsigned int calls;
};

FIXTURE_SETUP(faults)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	zlibs_open(self->z);
	self->in = bytes_of(DATA_MIXED, STREAM);
}

FIXTURE_TEARDOWN(faults)
{
	bytes_free(&self->in);
	bytes_free(&self->out);
}

static void all_devices(const char *command)
{
	char name[32];
	int i;

	for (i = 0; i < DEVICES; i++) {
		snprintf(name, sizeof(name), "hisi_zip-%d", i);
		emulated_control(name, command);
	}
}

static void begin(FIXTURE_DATA(faults) *self)
{
	memset(&self->s, 0, sizeof(self->s));
	self->taken = 0;
	self->calls = 0;
	bytes_free(&self->out);
	zlib_deflate_init(&self->z[SHIM], &self->s, 1, 15, 8, Z_DEFAULT_STRATEGY);
}

/* Gives data up to there in calls of various sizes. Returns the last value. */
static int give(FIXTURE_DATA(faults) *self, size_t to, int finish)
{
	struct how how = { .room = 300 * KIB };
	int ret = Z_OK;
	size_t n;

	while (self->taken < to && ret == Z_OK) {
		n = cuts[self->calls++ % CUTS];
		n = n < to - self->taken ? n : to - self->taken;
		how.cut = n;
		ret = squeeze_on(&self->z[SHIM], &self->s, &how, self->in.p + self->taken, n,
				 self->taken + n == to ? finish : Z_NO_FLUSH, &self->out);
		self->taken += n;
	}
	return ret;
}

/* The rest of the stream, and whether it restores. */
static bool finishes(FIXTURE_DATA(faults) *self)
{
	int ret = give(self, STREAM, Z_FINISH);
	bool ok = ret == Z_STREAM_END && self->s.total_in == STREAM && self->s.total_out == self->out.len;

	ok &= self->z[SHIM].deflateEnd(&self->s) == Z_OK;
	return ok && restores(&self->z[STOCK], 15, &self->out, self->in.p, STREAM);
}

/* Whichever chunks: all of them, if there is time, else some. */
static unsigned int step(void)
{
	return getenv("WD_TEST_LONG") ? 1 : getenv("WD_TEST_BRIEF") ? 13 : 5;
}

/* The fault happens to the device's next requests when the stream has come to its n-th chunk. */
static bool goes_on(FIXTURE_DATA(faults) *self, unsigned int n, const char *fault, const char *after)
{
	int ret;

	begin(self);
	ret = give(self, (size_t)n * CHUNK + 1000, Z_NO_FLUSH);
	all_devices(fault);
	if (ret != Z_OK || !finishes(self))
		return false;
	all_devices(after);
	return true;
}

FIXTURE(kinds) {
	FIXTURE_DATA(faults) f;
};

FIXTURE_VARIANT(kinds) {
	const char *fault, *after;
	const char *kind;	/* that the device counts */
	bool slow;		/* each costs a deadline */
};

FIXTURE_VARIANT_ADD(kinds, corrupt) { .fault = "fault corrupt=1", .after = "fault corrupt=0", .kind = "corrupt" };
FIXTURE_VARIANT_ADD(kinds, fail) { .fault = "fault fail=1", .after = "fault fail=0", .kind = "fail" };
FIXTURE_VARIANT_ADD(kinds, all_fail) { .fault = "fault fail=1000", .after = "fault fail=0", .kind = "fail" };
FIXTURE_VARIANT_ADD(kinds, delay) { .fault = "fault delay=3:20ms", .after = "fault delay=0", .kind = "delay" };
FIXTURE_VARIANT_ADD(kinds, reorder) { .fault = "fault reorder=3:20ms", .after = "fault reorder=0", .kind = "reorder" };
FIXTURE_VARIANT_ADD(kinds, duplicate) { .fault = "fault duplicate=3", .after = "fault duplicate=0",
					.kind = "duplicate" };
FIXTURE_VARIANT_ADD(kinds, error) { .fault = "fault error=1", .after = "fault error=0", .kind = "error" };
FIXTURE_VARIANT_ADD(kinds, remove) { .fault = "fault remove=1", .after = "return" };
FIXTURE_VARIANT_ADD(kinds, reset) { .fault = "reset", .after = "release" };
FIXTURE_VARIANT_ADD(kinds, removed_at_once) { .fault = "remove", .after = "return" };
FIXTURE_VARIANT_ADD(kinds, drop) { .fault = "fault drop=1", .after = "fault drop=0", .kind = "drop", .slow = true };
FIXTURE_VARIANT_ADD(kinds, stuck) { .fault = "fault stuck=1", .after = "fault stuck=0", .kind = "stuck", .slow = true };

FIXTURE_SETUP(kinds)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	zlibs_open(self->f.z);
	self->f.in = bytes_of(DATA_MIXED, STREAM);
}

FIXTURE_TEARDOWN(kinds)
{
	bytes_free(&self->f.in);
	bytes_free(&self->f.out);
}

#define NO_FAULT	100	/* the device had no occasion for it */

/* The second stream finds the devices as the first has left them. */
struct at_chunk {
	FIXTURE_DATA(faults) *self;
	const FIXTURE_VARIANT(kinds) *variant;
	unsigned int n;
};

static int twice_at_chunk(void *p)
{
	const struct at_chunk *at = p;
	const FIXTURE_VARIANT(kinds) *v = at->variant;

	if (!goes_on(at->self, at->n, v->fault, v->after))
		return 1;
	if (!goes_on(at->self, at->n, v->fault, v->after))
		return 2;
	return v->kind && !devices_count(v->kind) ? NO_FAULT : 0;
}

/* Each time in a process of its own, for which no device rests. */
TEST_F(kinds, rule_7_the_stream_goes_on_at_each_chunk)
{
	struct at_chunk at = { .self = &self->f, .variant = variant };
	unsigned int every = variant->slow ? 3 * step() : step(), faults = 0;
	int ret;

	for (at.n = 1; at.n < CHUNKS; at.n += every) {
		ret = in_child(twice_at_chunk, &at);
		ASSERT_TRUE(!ret || ret == NO_FAULT) TH_LOG("chunk %u: %d", at.n, ret);
		faults += !ret;
	}
	EXPECT_LT(0, faults);
}

TEST_F(faults, rule_7_many_faults_in_one_stream)
{
	begin(self);
	all_devices("seed 5");
	all_devices("fault fail=1/5,corrupt=1/6,reorder=1/7:1ms,delay=1/9:1ms,duplicate=1/11");
	EXPECT_TRUE(finishes(self));
	begin(self);
	EXPECT_TRUE(finishes(self));
}

TEST_F(faults, rule_7_devices_that_come_and_go)
{
	unsigned int n;

	begin(self);
	for (n = 1; n < CHUNKS; n += 4) {
		ASSERT_EQ(Z_OK, give(self, (size_t)n * CHUNK, Z_NO_FLUSH));
		all_devices(n % 8 == 1 ? "remove" : "return");
	}
	all_devices("return");
	EXPECT_TRUE(finishes(self));
}

/* Requests that the device has accepted and does not end. */
TEST_F(faults, rule_7_a_device_that_is_held_is_done_without)
{
	begin(self);
	ASSERT_EQ(Z_OK, give(self, 3 * CHUNK, Z_NO_FLUSH));
	all_devices("hold");
	ASSERT_EQ(Z_OK, give(self, 5 * CHUNK, Z_NO_FLUSH));
	all_devices("remove");
	EXPECT_TRUE(finishes(self));
	all_devices("return");
}

/* What is in flight by then is lost as well, and some of it is submitted twice. */
TEST_F(faults, rule_7_a_device_that_loses_requests_is_not_asked_again)
{
	unsigned long long before = requests();

	all_devices("fault drop=1000");
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_GT(before + CHUNKS, requests());
	before = requests();
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_EQ(before, requests());
}

TEST_F(faults, rule_7_a_device_that_fails_all_requests_is_not_asked_again)
{
	unsigned long long before;

	all_devices("fault fail=1000");
	begin(self);
	EXPECT_TRUE(finishes(self));
	begin(self);
	EXPECT_TRUE(finishes(self));
	before = requests();
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_EQ(before, requests());
}

TEST_F(faults, rule_7_beside_a_device_that_loses_requests_another_goes_on)
{
	unsigned long long bad, good;

	emulated_control("hisi_zip-0", "fault drop=1000");
	begin(self);
	EXPECT_TRUE(finishes(self));
	bad = emulated_count("hisi_zip-0", "descriptors");
	good = emulated_count("hisi_zip-1", "descriptors");
	EXPECT_LT(0, bad);
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_EQ(bad, emulated_count("hisi_zip-0", "descriptors"));
	EXPECT_LE(good + CHUNKS, emulated_count("hisi_zip-1", "descriptors"));
}

/*
 * Streams until a device is asked again, how ever long that takes. Returns its requests in the stream that has asked.
 */
static unsigned long long asked_again(FIXTURE_DATA(faults) *self)
{
	unsigned long long before = requests();

	while (requests() == before) {
		usleep(100000);
		begin(self);
		if (!finishes(self))
			return 0;
	}
	return requests() - before;
}

TEST_F(faults, rule_7_a_device_that_stays_bad_costs_one_request_each_time)
{
	unsigned long long n;

	all_devices("fault drop=1000");
	begin(self);
	EXPECT_TRUE(finishes(self));
	n = asked_again(self);
	EXPECT_LE(1, n);
	EXPECT_GE(DEVICES, n);
}

TEST_F(faults, rule_7_a_device_that_has_recovered_takes_all_again)
{
	unsigned long long before;

	all_devices("fault drop=1000");
	begin(self);
	EXPECT_TRUE(finishes(self));
	all_devices("fault drop=0");
	EXPECT_LT(0, asked_again(self));
	before = requests();
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_LE(before + CHUNKS, requests());
}

static int finish_in_child(void *self)
{
	return finishes(self) ? 0 : 1;
}

/* Both go on with their copies of one stream: with chunks in flight, behind a flush, at its beginning. */
TEST_F(faults, rule_13_a_child_and_its_parent_go_on)
{
	static const size_t at[] = { 0, 1000, CHUNK + 1000, 10 * CHUNK, 31 * CHUNK };
	static const int flushes[] = { Z_NO_FLUSH, Z_SYNC_FLUSH };
	unsigned int i;

	for (i = 0; i < 5; i++) {
		begin(self);
		ASSERT_EQ(Z_OK, give(self, at[i], flushes[i % 2]));
		EXPECT_EQ(0, in_child(finish_in_child, self)) TH_LOG("the child, at %zu", at[i]);
		EXPECT_TRUE(finishes(self)) TH_LOG("the parent, at %zu", at[i]);
	}
}

static int child_of_child(void *self)
{
	int ret = give(self, 20 * CHUNK, Z_NO_FLUSH) != Z_OK || in_child(finish_in_child, self);

	return ret ? 2 : finish_in_child(self);
}

TEST_F(faults, rule_13_a_child_s_child_goes_on)
{
	begin(self);
	ASSERT_EQ(Z_OK, give(self, 10 * CHUNK + 1, Z_NO_FLUSH));
	EXPECT_EQ(0, in_child(child_of_child, self));
	EXPECT_TRUE(finishes(self));
}

/* The child drops what the parent still uses. */
static int drop_in_child(void *p)
{
	FIXTURE_DATA(faults) *self = p;

	return self->z[SHIM].deflateEnd(&self->s) == Z_DATA_ERROR ? 0 : 1;
}

TEST_F(faults, rule_13_a_child_that_drops_the_stream)
{
	begin(self);
	ASSERT_EQ(Z_OK, give(self, 7 * CHUNK + 1, Z_NO_FLUSH));
	EXPECT_EQ(0, in_child(drop_in_child, self));
	EXPECT_TRUE(finishes(self));
}

/* The stream was initialised before the fork, and no device was open. */
static int all_in_child(void *p)
{
	FIXTURE_DATA(faults) *self = p;
	unsigned long long before = requests();

	return finishes(self) && requests() > before ? 0 : 1;
}

TEST_F(faults, rule_13_a_child_opens_devices_of_its_own)
{
	begin(self);
	EXPECT_EQ(0, in_child(all_in_child, self));
	EXPECT_TRUE(finishes(self));
	begin(self);
	EXPECT_EQ(0, in_child(all_in_child, self));
	EXPECT_TRUE(finishes(self));
}

/* A service that was started before the drivers were loaded. */
TEST_F(faults, rule_7_a_device_that_comes_later_is_found)
{
	unsigned long long before;

	all_devices("remove");
	before = requests();
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_EQ(before, requests());
	all_devices("return");
	EXPECT_LT(0, asked_again(self));
	before = requests();
	begin(self);
	EXPECT_TRUE(finishes(self));
	EXPECT_LE(before + CHUNKS, requests());
}

ZLIB_TEST_MAIN
