// SPDX-License-Identifier: Apache-2.0
/*
 * Random round trips in the formats of zstd and LZ4, on devices without faults and with each: the format's library and
 * ours get the data back, and a device's wrong result changes nothing.
 *
 * WD_TEST_LONG=1: a million in all; WD_TEST_TRIPS=N: N of each fault; WD_TEST_SEED=N: others.
 */
#include <lz4.h>

#include "emulated.h"
#include "frames_test.h"

#define LEN	(512u * KIB)
#define ROOM	(2 * LEN)
#define SHORT	40u
#define LONG	125000u
#define NO_FAULT	"corrupt=0"

static const struct way {
	int alg, level, win;
	unsigned int flags;
} ways[] = {
	{ WD_ZSTD, 1, WD_COMP_WS_32K, 0 }, { WD_ZSTD, 3, WD_COMP_WS_4K, WD_COMP_SESS_CHECKSUM },
	{ WD_ZSTD, 9, WD_COMP_WS_LOG(14), 0 }, { WD_ZSTD, 6, WD_COMP_WS_LOG(18), WD_COMP_SESS_CHECKSUM },
	{ WD_LZ4, 1, WD_COMP_WS_32K, WD_COMP_SESS_CHECKSUM }, { WD_LZ4, 2, WD_COMP_WS_LOG(16), 0 },
	{ WD_LZ4, 4, WD_COMP_WS_LOG(18), 0 }, { WD_LZ4, 1, WD_COMP_WS_32K, WD_COMP_SESS_BLOCK },
	{ WD_LZ4, 2, WD_COMP_WS_32K, WD_COMP_SESS_BLOCK }, { WD_LZ77, 1, WD_COMP_WS_32K, 0 },
	{ WD_LZ77, 9, WD_COMP_WS_8K, 0 }, { WD_LZ77, 15, WD_COMP_WS_4K, WD_COMP_LITERALS },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

FIXTURE(trips) {
	unsigned char *plain, *packed, *back;
	handle_t c[WAYS], d[3];
	unsigned long long rnd;
	unsigned long on_device, wrong;
};

FIXTURE_VARIANT(trips) {
	const char *fault;
};

FIXTURE_VARIANT_ADD(trips, without_faults) { .fault = NO_FAULT };
FIXTURE_VARIANT_ADD(trips, corrupt) { .fault = "corrupt=1/3" };
FIXTURE_VARIANT_ADD(trips, corrupt_seldom) { .fault = "corrupt=1/50" };
FIXTURE_VARIANT_ADD(trips, fail) { .fault = "fail=1/5:4" };
FIXTURE_VARIANT_ADD(trips, page_fault) { .fault = "page-fault=1/9:1us" };
FIXTURE_VARIANT_ADD(trips, delay) { .fault = "delay=1/50:100us" };
FIXTURE_VARIANT_ADD(trips, error) { .fault = "error=1/400" };
FIXTURE_VARIANT_ADD(trips, corrupt_and_fail) { .fault = "corrupt=1/4,fail=1/7:4,delay=1/90:50us" };

static unsigned int any(FIXTURE_DATA(trips) *self, unsigned int below)
{
	self->rnd = self->rnd * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(self->rnd >> 33) % below;
}

FIXTURE_SETUP(trips)
{
	static const int flags[] = { 0, 0, WD_COMP_SESS_BLOCK }, algs[] = { WD_ZSTD, WD_LZ4, WD_LZ4 };
	const char *seed = getenv("WD_TEST_SEED");
	char text[80];
	size_t i;

	if (!emulated() && strcmp(variant->fault, NO_FAULT))
		return;
	self->rnd = seed ? strtoull(seed, NULL, 0) : 1;
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->back = malloc(ROOM);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
	for (i = 0; i < WAYS; i++) {
		unsigned int flag = ways[i].alg == WD_LZ77 ? 0 : ways[i].flags;

		self->c[i] = sess_flags(ways[i].alg, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, ways[i].level, ways[i].win,
					flag);
		ASSERT_TRUE(self->c[i]) TH_LOG("way %zu: %s", i, detail(0));
	}
	for (i = 0; i < 3; i++)
		self->d[i] = sess_flags(algs[i], WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, WD_COMP_WS_32K, flags[i]);
	snprintf(text, sizeof(text), "fault %s", variant->fault);
	ASSERT_TRUE(!emulated() || !emulated_control(EMULATED_DEVICE, text));
}

FIXTURE_TEARDOWN(trips)
{
	size_t i;

	if (!self->plain)
		return;
	EXPECT_TRUE(!emulated() ||
		    !emulated_control(EMULATED_DEVICE, "fault corrupt=0,fail=0,page-fault=0,delay=0,error=0"));
	for (i = 0; i < WAYS; i++)
		EXPECT_EQ(0, wd_comp_free_sess(self->c[i]));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, wd_comp_free_sess(self->d[i]));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* Mostly short; some around the borders of blocks, and longer than literals' and matches' fields hold. */
static size_t draw_length(FIXTURE_DATA(trips) *self, size_t most)
{
	static const size_t borders[] = { 65536, 131072, 262144, 400000 };
	unsigned int what = any(self, 64);
	size_t n;

	if (!what)
		n = borders[any(self, 4)] - 20 + any(self, 41);
	else if (what < 8)
		n = any(self, 20000);
	else
		n = any(self, 1u << (1 + any(self, 11)));
	return n < most ? n : most;
}

/* Text, noise, runs, copies of what is far away. */
static void draw_data(FIXTURE_DATA(trips) *self, size_t n)
{
	unsigned int i, pieces = any(self, 5);
	size_t at, len;

	fill_text(self->plain, n, any(self, 1u << 30));
	for (i = 0; i < pieces && n > 1; i++) {
		at = any(self, (unsigned int)n);
		len = 1 + any(self, (unsigned int)(n - at));
		switch (any(self, 3)) {
		case 0:
			fill_noise(self->plain + at, len, any(self, 1u << 30));
			break;
		case 1:
			memset(self->plain + at, (int)any(self, 256), len);
			break;
		default:
			memmove(self->plain + at, self->plain + any(self, (unsigned int)(n - len + 1)), len);
			break;
		}
	}
}

static void note(FIXTURE_DATA(trips) *self, __u16 path, __u16 reason)
{
	self->on_device += path == WD_PATH_SIM;
	self->wrong += reason == WD_REASON_WRONG;
}

static long pack(FIXTURE_DATA(trips) *self, size_t way, size_t n)
{
	size_t room = ROOM;
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = n, .dst = self->packed, .dst_len = &room,
		.flags = ways[way].alg == WD_LZ77 ? ways[way].flags : 0,
	};
	int ret = wd_compress(self->c[way], &arg);

	note(self, arg.path, arg.path_reason);
	return ret ? ret : (long)room;
}

static long pack_stream(FIXTURE_DATA(trips) *self, size_t way, size_t n)
{
	size_t at = 0, out = 0;
	int ret;

	do {
		size_t in = any(self, (unsigned int)(n - at) + 1), room = 20 + any(self, 40000);
		struct wd_comp_strm strm = {
			.src = self->plain + at, .src_len = &in, .dst = self->packed + out, .dst_len = &room,
			.last = at + in == n, .flags = any(self, 4) ? 0 : WD_COMP_FLUSH_SYNC,
		};

		if (room > ROOM - out)
			room = ROOM - out;
		ret = wd_strm_compress(self->c[way], &strm);
		if (ret < 0)
			return ret;
		note(self, strm.path, strm.path_reason);
		at += in;
		out += room;
	} while (!ret);
	return (long)out;
}

/* From sequences, whose literals are the source's. */
static long blocks_back(FIXTURE_DATA(trips) *self, size_t len, size_t n, bool literals)
{
	const struct wd_lz77_seq *seq = (void *)self->packed;
	size_t at = 0, i, k, nr = 0, taken = 0;
	const unsigned char *from;

	while (seq[nr].match)
		nr++;
	from = literals ? (const unsigned char *)&seq[nr + 1] : self->plain;
	for (i = 0; i <= nr; i++) {
		memcpy(self->back + at, from, seq[i].literals);
		at += seq[i].literals;
		taken += seq[i].literals;
		from += seq[i].literals + (literals ? 0 : seq[i].match);
		if (seq[i].offset > at || at + seq[i].match > n)
			return -1;
		for (k = 0; k < seq[i].match; k++, at++)
			self->back[at] = self->back[at - seq[i].offset];
	}
	return len == (nr + 1) * sizeof(*seq) + (literals ? taken : 0) ? (long)at : -1;
}

static long unpack(FIXTURE_DATA(trips) *self, size_t way, size_t len, size_t n)
{
	const struct way *w = &ways[way];

	if (w->alg == WD_LZ77)
		return blocks_back(self, len, n, w->flags & WD_COMP_LITERALS);
	if (any(self, 2))
		return frame_do(self->d[w->flags & WD_COMP_SESS_BLOCK ? 2 : w->alg == WD_LZ4], false, self->packed, len,
				self->back, any(self, 2) ? n : ROOM, NULL);
	if (w->flags & WD_COMP_SESS_BLOCK)
		return LZ4_decompress_safe((char *)self->packed, (char *)self->back, (int)len, (int)n);
	return frame_read(w->alg, self->packed, len, self->back, ROOM);
}

TEST_F_TIMEOUT(trips, bring_the_data_back, 40000)
{
	const char *nr = getenv("WD_TEST_TRIPS");
	unsigned long trips = nr ? strtoul(nr, NULL, 0) : getenv("WD_TEST_LONG") ? LONG : SHORT, i;

	if (!self->plain)
		SKIP(return, "there are no faults to order");
	for (i = 0; i < trips; i++) {
		size_t way = any(self, WAYS), n = draw_length(self, ways[way].alg == WD_LZ77 ? WD_LZ77_MAX : LEN);
		bool blocks = ways[way].alg == WD_LZ77 || ways[way].flags & WD_COMP_SESS_BLOCK;
		long len;

		n += blocks && !n;
		draw_data(self, n);
		len = !blocks && !any(self, 3) ? pack_stream(self, way, n) : pack(self, way, n);
		/* A block that a device refuses is its caller's; frames have software for it. */
		if (len == -EIO && blocks && strstr(variant->fault, "fail="))
			continue;
		ASSERT_LT(0, len) TH_LOG("trip %lu, way %zu, %zu bytes: %ld %s", i, way, n, len, detail(self->c[way]));
		ASSERT_EQ((long)n, unpack(self, way, (size_t)len, n)) TH_LOG("trip %lu, way %zu", i, way);
		ASSERT_EQ(0, memcmp(self->plain, self->back, n)) TH_LOG("trip %lu, way %zu, %zu bytes", i, way, n);
	}
	TH_LOG("%lu trips, %lu of them on devices, %lu wrong results", trips, self->on_device, self->wrong);
	EXPECT_LT(0u, self->on_device);
	if (!strncmp(variant->fault, "corrupt=1/3", 11) || trips > 10000)
		EXPECT_EQ(!!strstr(variant->fault, "corrupt=1"), self->wrong > 0);
}

TEST_HARNESS_MAIN
