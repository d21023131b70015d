// SPDX-License-Identifier: Apache-2.0
/*
 * A process that gets no more memory. zlib takes all of a stream's memory when the stream is made, so deflate() never
 * fails for it, and neither does it here. This program's malloc() refuses large blocks on demand, of whichever library.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "edges.h"
#include "kselftest_harness.h"

#define LARGE	(64 * KIB - 64)	/* devices are opened with less */
#define STREAM	(6 * MIB)
#define BLOCKS	24		/* more than a stream takes */

/* How many large blocks there still are; negative: any number. */
static atomic_long left = -1;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define REFUSES	1

void *__libc_malloc(size_t n);

void *malloc(size_t n)
{
	if (n >= LARGE && atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) <= 0) {
		atomic_store(&left, 0);
		return NULL;
	}
	return __libc_malloc(n);
}
#else
#define REFUSES	0
#endif

FIXTURE(memory) {
	struct zlib z[SIDES];
	struct bytes in, out;
	z_stream s;
};

FIXTURE_SETUP(memory)
{
	zlibs_open(self->z);
	self->in = bytes_of(DATA_MIXED, STREAM);
	self->out = (struct bytes){ .p = malloc(2 * STREAM), .room = 2 * STREAM };
	/* Devices are open, and have what they need. */
	self->s = (z_stream){ 0 };
	zlib_deflate_init(&self->z[SHIM], &self->s, 1, 15, 8, Z_DEFAULT_STRATEGY);
	self->s.next_in = self->in.p;
	self->s.avail_in = MIB;
	self->s.next_out = self->out.p;
	self->s.avail_out = 2 * MIB;
	self->z[SHIM].deflate(&self->s, Z_FINISH);
	self->z[SHIM].deflateEnd(&self->s);
}

FIXTURE_TEARDOWN(memory)
{
	bytes_free(&self->in);
	bytes_free(&self->out);
}

static void begin(FIXTURE_DATA(memory) *self, int bits)
{
	self->s = (z_stream){ 0 };
	self->out.len = 0;
	zlib_deflate_init(&self->z[SHIM], &self->s, 1, bits, 8, Z_DEFAULT_STRATEGY);
	self->s.next_out = self->out.p;
	self->s.avail_out = 2 * STREAM;
}

/* The next bytes. */
static int give(FIXTURE_DATA(memory) *self, size_t n, int flush)
{
	int ret;

	self->s.next_in = self->in.p + self->s.total_in;
	self->s.avail_in = (uInt)n;
	ret = self->z[SHIM].deflate(&self->s, flush);
	return self->s.avail_in ? Z_BUF_ERROR : ret;
}

static bool finishes(FIXTURE_DATA(memory) *self, int bits)
{
	int ret = give(self, 0, Z_FINISH);

	atomic_store(&left, -1);
	self->out.len = self->s.total_out;
	return ret == Z_STREAM_END && self->z[SHIM].deflateEnd(&self->s) == Z_OK &&
	       restores(&self->z[STOCK], bits, &self->out, self->in.p, self->s.total_in);
}

TEST_F(memory, rule_4_deflate_needs_none)
{
	static const int bits[] = { 15, -15, 31 };
	unsigned int i, at;
	int ret;

	for (i = 0; i < BLOCKS; i++) {
		begin(self, bits[i % 3]);
		atomic_store(&left, i);
		for (at = 0, ret = Z_OK; at < STREAM && ret == Z_OK; at += 100000)
			ret = give(self, STREAM - at < 100000 ? STREAM - at : 100000, Z_NO_FLUSH);
		EXPECT_EQ(Z_OK, ret) TH_LOG("with %u large blocks, at %u", i, at);
		EXPECT_TRUE(finishes(self, bits[i % 3])) TH_LOG("with %u large blocks", i);
	}
}

/* With little room for output, so that the ring is full, and no more of it can be had. */
TEST_F(memory, rule_4_a_ring_of_fewer_parts)
{
	unsigned int i;
	int ret;

	for (i = 0; i < BLOCKS; i++) {
		begin(self, 31);
		atomic_store(&left, i);
		self->s.next_in = self->in.p;
		self->s.avail_in = STREAM;
		do {
			self->s.avail_out = 5000;
			ret = self->z[SHIM].deflate(&self->s, Z_FINISH);
		} while (ret == Z_OK && self->s.total_out < 2 * STREAM - 5000);
		EXPECT_EQ(Z_STREAM_END, ret) TH_LOG("with %u large blocks", i);
		EXPECT_TRUE(finishes(self, 31)) TH_LOG("with %u large blocks", i);
	}
}

/* A flush brings all, and its end. */
TEST_F(memory, rule_8_flushes_need_none)
{
	unsigned int i, n;
	int ret;

	for (i = 0; i < BLOCKS; i++) {
		begin(self, -15);
		atomic_store(&left, i);
		for (n = 0, ret = Z_OK; n < 12 && ret == Z_OK; n++)
			ret = give(self, n % 2 ? 0 : 300 * KIB, n % 2 ? Z_FULL_FLUSH : Z_SYNC_FLUSH);
		EXPECT_EQ(Z_OK, ret) TH_LOG("with %u large blocks, call %u", i, n);
		EXPECT_EQ(0, memcmp(self->s.next_out - 4, "\0\0\xff\xff", 4)) TH_LOG("with %u large blocks", i);
		EXPECT_TRUE(finishes(self, -15)) TH_LOG("with %u large blocks", i);
	}
}

TEST_F(memory, rule_9_parameters_need_none)
{
	static const size_t before[] = { 1000, 300 * KIB, 3 * MIB };
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_RLE };
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		begin(self, 15);
		atomic_store(&left, i / 6);
		EXPECT_EQ(Z_OK, give(self, before[i % 3], Z_NO_FLUSH)) TH_LOG("with %u large blocks", i / 6);
		EXPECT_EQ(Z_OK, self->z[SHIM].deflateParams(&self->s, 6, strategies[i / 3 % 2]))
			TH_LOG("with %u large blocks", i / 6);
		EXPECT_EQ(Z_OK, give(self, MIB, Z_NO_FLUSH)) TH_LOG("with %u large blocks", i / 6);
		EXPECT_TRUE(finishes(self, 15)) TH_LOG("with %u large blocks", i / 6);
	}
}

TEST_F(memory, rule_9_a_reset_makes_it_a_device_s_again)
{
	unsigned long long before;

	begin(self, 15);
	atomic_store(&left, 0);
	ASSERT_EQ(Z_OK, give(self, STREAM, Z_NO_FLUSH));
	atomic_store(&left, -1);
	ASSERT_EQ(Z_OK, self->z[SHIM].deflateReset(&self->s));
	self->s.next_out = self->out.p;
	self->s.avail_out = 2 * STREAM;
	before = requests();
	ASSERT_EQ(Z_OK, give(self, STREAM, Z_NO_FLUSH));
	EXPECT_TRUE(finishes(self, 15));
	EXPECT_TRUE(as_with_devices(before));
}

int main(int argc, char **argv)
{
	if (!REFUSES) {
		printf("1..0 # SKIP malloc() can't be replaced here\n");
		return 4;
	}
	zlibs_start(argv);
	return zlib_shim_built() ? test_harness_run(argc, argv) : 4;
}


#define STREAMS	1000

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* What so many streams take, each with more than a part. */
static size_t taken_by(FIXTURE_DATA(memory) *self, const struct zlib *z)
{
	static z_stream s[STREAMS];
	size_t before = in_use(), after;
	unsigned int i;

	for (i = 0; i < STREAMS; i++) {
		s[i] = (z_stream){ .next_in = self->in.p, .avail_in = 300 * KIB,
				   .next_out = self->out.p, .avail_out = MIB };
		zlib_deflate_init(z, &s[i], 1, 15, 8, Z_DEFAULT_STRATEGY);
		if (z->deflate(&s[i], Z_NO_FLUSH) != Z_OK || s[i].avail_in)
			return 0;
	}
	after = in_use();
	for (i = 0; i < STREAMS; i++)
		z->deflateEnd(&s[i]);
	return after - before;
}

/* 256 MiB, and what the states of streams take. */
TEST_F(memory, rule_4_all_streams_of_a_process_have_a_bound)
{
	unsigned long long before = requests();
	size_t stock, ours;

	if (!REFUSES)
		SKIP(return, "a sanitizer counts memory in another way");
	stock = taken_by(self, &self->z[STOCK]);
	ours = taken_by(self, &self->z[SHIM]);
	ASSERT_LT(0, stock);
	ASSERT_LE(stock, ours);
	EXPECT_GT(270 * MIB, ours - stock) TH_LOG("%zu bytes, zlib %zu", ours, stock);
	EXPECT_LT(before + STREAMS / 5, requests());
	/* It is free again. */
	before = requests();
	begin(self, 15);
	EXPECT_EQ(Z_STREAM_END, give(self, STREAM, Z_FINISH));
	EXPECT_LE(before + STREAM / (256 * KIB), requests());
	self->z[SHIM].deflateEnd(&self->s);
}

#define STACK		(256 * KIB)
#define STACK_MOST	(10 * KIB)	/* documented */
#define PAINT		0xa5
#define FRAME		256		/* of the function that paints, and of the one that it calls for that */

FIXTURE(stack) {
	struct zlib z[SIDES];
	struct bytes in, out;
	z_stream s;
	int flush, ret;
	unsigned char *stack;
	size_t used;
	void (*call)(struct _test_data_stack *self);
};

FIXTURE_SETUP(stack)
{
	zlibs_open(self->z);
	self->in = bytes_of(DATA_MIXED, STREAM);
	self->out = (struct bytes){ .p = malloc(2 * STREAM), .room = 2 * STREAM };
	self->s.next_in = self->in.p;
	self->s.next_out = self->out.p;
	self->s.avail_out = 2 * STREAM;
}

FIXTURE_TEARDOWN(stack)
{
	bytes_free(&self->in);
	bytes_free(&self->out);
}

static void do_init(FIXTURE_DATA(stack) *self)
{
	self->ret = zlib_deflate_init(&self->z[SHIM], &self->s, 1, 15, 8, Z_DEFAULT_STRATEGY);
}

static void do_deflate(FIXTURE_DATA(stack) *self)
{
	self->ret = self->z[SHIM].deflate(&self->s, self->flush);
}

/* Paints the stack below its own frame, and looks how far the call has come, from that frame on. */
static __attribute__((noinline)) void *call_painted(void *p)
{
	FIXTURE_DATA(stack) *self = p;
	unsigned char *frame = __builtin_frame_address(0);
	size_t left = (size_t)(frame - self->stack), i = 0;

	memset(self->stack, PAINT, left - FRAME);
	self->call(self);
	while (i < left && self->stack[i] == PAINT)
		i++;
	self->used = left - i;
	return NULL;
}

/* In a thread, whose stack has room for the measurement. */
static size_t stack_used(FIXTURE_DATA(stack) *self, void (*call)(FIXTURE_DATA(stack) *self))
{
	pthread_attr_t attr;
	pthread_t thread;

	self->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	self->call = call;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, self->stack, STACK);
	if (pthread_create(&thread, &attr, call_painted, self) || pthread_join(thread, NULL))
		return STACK;
	pthread_attr_destroy(&attr);
	munmap(self->stack, STACK);
	return self->used;
}

/* The first deflate() with enough data opens libraries and devices. */
TEST_F(stack, rule_4_calls_need_little)
{
	unsigned long long before = requests();
	size_t used;
	int i;

	if (!REFUSES)
		SKIP(return, "a sanitizer needs more");
	EXPECT_GE(STACK_MOST, stack_used(self, do_init));
	ASSERT_EQ(Z_OK, self->ret);
	for (i = 0; i < 3; i++) {
		self->s.avail_in = STREAM / 3;
		self->flush = i < 2 ? Z_NO_FLUSH : Z_FINISH;
		used = stack_used(self, do_deflate);
		EXPECT_GE(STACK_MOST, used) TH_LOG("call %d: %zu bytes", i, used);
		ASSERT_EQ(i < 2 ? Z_OK : Z_STREAM_END, self->ret);
	}
	EXPECT_LT(before, requests());
	EXPECT_EQ(Z_OK, self->z[SHIM].deflateEnd(&self->s));
}
