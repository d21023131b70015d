// SPDX-License-Identifier: Apache-2.0
/* Sequences of blocks: from devices and from the software path, judged by libzstd; and devices that answer wrongly. */
#define ZSTD_STATIC_LINKING_ONLY
#include <assert.h>
#include <stdatomic.h>
#include <zstd.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define MOST	WD_LZ77_MAX
#define SEQS	(MOST / WD_LZ77_MATCH_MIN + 2)
#define FLIGHT	12

static_assert(sizeof(struct wd_lz77_seq) == sizeof(ZSTD_Sequence), "they have one layout");
static_assert(offsetof(struct wd_lz77_seq, literals) == offsetof(ZSTD_Sequence, litLength), "the same");
static_assert(offsetof(struct wd_lz77_seq, match) == offsetof(ZSTD_Sequence, matchLength), "the same");

FIXTURE(lz77) {
	unsigned char *plain, *back;
	struct wd_lz77_seq *seq;
	size_t len;
	int path;
	struct wd_comp_arg arg;
	handle_t h;
};

FIXTURE_VARIANT(lz77) {
	int level, win;
};

FIXTURE_VARIANT_ADD(lz77, level1) { .level = 1, .win = WD_COMP_WS_32K };
FIXTURE_VARIANT_ADD(lz77, level12_4K) { .level = 12, .win = WD_COMP_WS_4K };

static const size_t windows[] = { 4096, 8192, 16384, 24576, 32768 };

FIXTURE_SETUP(lz77)
{
	self->plain = malloc(MOST + 1);
	self->back = malloc(MOST + 4096);
	self->seq = calloc(SEQS, sizeof(*self->seq));
	ASSERT_TRUE(self->plain && self->back && self->seq);
	self->path = expected_path("lz77_zstd");
	self->h = sess_flags(WD_LZ77, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, variant->level, variant->win, 0);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	setenv("WD_REST", "0", 1);
}

FIXTURE_TEARDOWN(lz77)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	free(self->plain);
	free(self->back);
	free(self->seq);
}

static int ask(FIXTURE_DATA(lz77) *self, size_t n, size_t room, unsigned int flags)
{
	self->len = room;
	self->arg = (struct wd_comp_arg){
		.src = self->plain, .src_len = n, .dst = self->seq, .dst_len = &self->len, .flags = flags,
	};
	return wd_compress(self->h, &self->arg);
}

/* The sequences as they say: each offset within its bounds, and libzstd makes a frame of them that has the data. */
static bool is_right(const struct wd_lz77_seq *seq, size_t nr, const unsigned char *src, size_t n, size_t window)
{
	size_t i, at = 0, room = ZSTD_compressBound(n), len;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	unsigned char *frame = malloc(room), *back = malloc(n + 1);
	bool right = nr && !seq[nr - 1].offset && !seq[nr - 1].match;

	for (i = 0; i < nr; i++) {
		at += seq[i].literals;
		right &= seq[i].offset <= at && seq[i].offset <= window && !seq[i].rep;
		right &= i == nr - 1 || (seq[i].offset && seq[i].match >= WD_LZ77_MATCH_MIN);
		at += seq[i].match;
	}
	ZSTD_CCtx_setParameter(c, ZSTD_c_blockDelimiters, ZSTD_sf_explicitBlockDelimiters);
	ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, 3);
	len = ZSTD_compressSequences(c, frame, room, (const ZSTD_Sequence *)seq, nr, src, n);
	right &= at == n && !ZSTD_isError(len) && ZSTD_decompress(back, n + 1, frame, len) == n &&
		 !memcmp(back, src, n);
	ZSTD_freeCCtx(c);
	free(frame);
	free(back);
	return right;
}

TEST_F(lz77, blocks_of_any_size)
{
	static const size_t lens[] = { 1, 2, 3, 7, 100, 1024, 4096, 32767, 32769, 65536, MOST - 1, MOST };
	unsigned int i, kind;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (kind = 0; kind < 3; kind++) {
			if (kind == 0)
				fill_text(self->plain, lens[i], i);
			else if (kind == 1)
				fill_noise(self->plain, lens[i], i);
			else
				memset(self->plain, 'a', lens[i]);
			ASSERT_EQ(0, ask(self, lens[i], SEQS * sizeof(*self->seq), 0)) TH_LOG("%s", detail(self->h));
			ASSERT_EQ(lens[i], self->arg.consumed);
			ASSERT_EQ(self->path, self->arg.path);
			ASSERT_TRUE(is_right(self->seq, self->len / sizeof(*self->seq), self->plain, lens[i],
					     windows[variant->win]))
				TH_LOG("%zu bytes of kind %u", lens[i], kind);
			ASSERT_GE(wd_comp_bound(self->h, lens[i]), self->len);
		}
}

/* Literals behind more than 16 bits count, before a match */
TEST_F(lz77, long_literals)
{
	size_t i, n = 0;

	fill_noise(self->plain, MOST, 1);
	memcpy(self->plain + MOST - 500, self->plain + MOST - 2000, 500);
	ASSERT_EQ(0, ask(self, MOST, SEQS * sizeof(*self->seq), 0));
	for (i = 0; i < self->len / sizeof(*self->seq); i++)
		n += self->seq[i].literals > 65535 && self->seq[i].match;
	EXPECT_EQ(1, n);
	EXPECT_TRUE(is_right(self->seq, i, self->plain, MOST, windows[variant->win]));
}

TEST_F(lz77, literals_follow)
{
	size_t i, n = 0, at = 0, nr, room;
	unsigned char *buf;

	fill_text(self->plain, 50000, 1);
	ASSERT_EQ(0, ask(self, 50000, SEQS * sizeof(*self->seq), 0));
	nr = self->len / sizeof(*self->seq);
	for (i = 0; i < nr; i++)
		n += self->seq[i].literals;
	room = self->len + n;
	buf = malloc(room);
	self->len = room - 1;
	self->arg.dst = buf;
	self->arg.flags = WD_COMP_LITERALS;
	EXPECT_EQ(-ENOSPC, wd_compress(self->h, &self->arg));
	self->len = room;
	ASSERT_EQ(0, wd_compress(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(room, self->len);
	EXPECT_EQ(0, memcmp(buf, self->seq, nr * sizeof(*self->seq)));
	for (i = 0, n = nr * sizeof(*self->seq); i < nr; i++) {
		ASSERT_EQ(0, memcmp(buf + n, self->plain + at, self->seq[i].literals));
		n += self->seq[i].literals;
		at += self->seq[i].literals + self->seq[i].match;
	}
	free(buf);
}

TEST_F(lz77, too_little_room_is_said)
{
	size_t need;

	fill_text(self->plain, 50000, 1);
	ASSERT_EQ(0, ask(self, 50000, SEQS * sizeof(*self->seq), 0));
	need = self->len;
	EXPECT_EQ(-ENOSPC, ask(self, 50000, need - 1, 0));
	EXPECT_EQ(0, self->len);
	EXPECT_EQ(-ENOSPC, ask(self, 50000, sizeof(*self->seq), 0));
	EXPECT_EQ(-ENOSPC, ask(self, 50000, 1, 0));
	EXPECT_EQ(0, ask(self, 50000, need, 0));
}

TEST_F(lz77, what_a_session_refuses)
{
	struct wd_comp_strm strm = {
		.src = self->plain, .src_len = &self->len, .dst = self->seq, .dst_len = &self->len,
	};

	EXPECT_EQ(-EFBIG, ask(self, MOST + 1, SEQS * sizeof(*self->seq), 0));
	EXPECT_EQ(-EINVAL, ask(self, 0, SEQS * sizeof(*self->seq), 0));
	EXPECT_EQ(-EINVAL, ask(self, 100, 1000, WD_COMP_PART));
	ask(self, 100, 1000, 0);
	self->arg.dst = (char *)self->seq + 2;
	EXPECT_EQ(-EINVAL, wd_compress(self->h, &self->arg));
	self->arg.dst = self->plain + 50 - (uintptr_t)(self->plain + 50) % 4;
	self->len = 1000;
	EXPECT_EQ(-EINVAL, wd_compress(self->h, &self->arg));
	self->arg.dst = NOWHERE;
	self->len = 1000;
	EXPECT_EQ(-EFAULT, wd_compress(self->h, &self->arg));
	EXPECT_EQ(-EINVAL, wd_strm_compress(self->h, &strm));
	EXPECT_EQ(0, wd_comp_sess_caps(self->h) & (WD_CAP_STREAM | WD_CAP_SGL));
	EXPECT_EQ(0, sess_flags(WD_LZ77, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_32K, 0));
	EXPECT_EQ(0, sess_flags(WD_LZ77, WD_DIR_COMPRESS, WD_SYNC, WD_SGL_BUF, 1, WD_COMP_WS_32K, 0));
}

/* ------ asynchronous ------ */

static void count(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	atomic_fetch_add((atomic_uint *)param, 1);
}

TEST_F(lz77, many_at_once)
{
	handle_t h = sess_flags(WD_LZ77, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF, variant->level, variant->win, 0);
	struct wd_lz77_seq *seq[FLIGHT];
	struct wd_comp_arg arg[FLIGHT];
	size_t len[FLIGHT], n;
	atomic_uint done;
	unsigned int i, round;

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	fill_text(self->plain, MOST, 3);
	for (i = 0; i < FLIGHT; i++)
		seq[i] = malloc(SEQS * sizeof(*seq[i]));
	for (round = 0; round < 4; round++) {
		atomic_store(&done, 0);
		for (i = 0; i < FLIGHT; i++) {
			len[i] = SEQS * sizeof(*seq[i]);
			arg[i] = (struct wd_comp_arg){
				.src = self->plain, .src_len = MOST - i * 5000, .dst = seq[i], .dst_len = &len[i],
				.cb = count, .cb_param = &done,
			};
			ASSERT_EQ(0, wd_comp_async(h, &arg[i], NULL)) TH_LOG("%s", detail(h));
		}
		while (atomic_load(&done) < FLIGHT) {
			ASSERT_LE(0, wd_comp_poll(FLIGHT, 10000, NULL));
		}
		for (i = 0; i < FLIGHT; i++) {
			n = MOST - i * 5000;
			ASSERT_EQ(0, arg[i].status);
			ASSERT_TRUE(is_right(seq[i], len[i] / sizeof(*seq[i]), self->plain, n, windows[variant->win]));
		}
	}
	for (i = 0; i < FLIGHT; i++)
		free(seq[i]);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

/* ------ devices that answer wrongly ------ */

/* Whichever device a session gets. */
static int devices_corrupt(const char *rule)
{
	char text[40], name[] = EMULATED_DEVICE;
	int ret;

	snprintf(text, sizeof(text), "fault corrupt=%s", rule);
	ret = emulated_control(name, text);
	name[sizeof(name) - 2]++;
	/* There may be one only. */
	emulated_control(name, text);
	return ret;
}

TEST_F(lz77, a_wrong_answer_is_made_again)
{
	unsigned int i, soft = 0;
	handle_t hw;
	int ret;

	if (!emulated() || self->path == WD_PATH_SOFT)
		SKIP(return, "needs an emulated device that does lz77_zstd");
	fill_text(self->plain, 60000, 1);
	ASSERT_EQ(0, devices_corrupt("1/2"));
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, ask(self, 60000, SEQS * sizeof(*self->seq), 0)) TH_LOG("%s", detail(self->h));
		ASSERT_TRUE(is_right(self->seq, self->len / sizeof(*self->seq), self->plain, 60000,
				     windows[variant->win]));
		soft += self->arg.path == WD_PATH_SOFT;
		ASSERT_EQ(self->arg.path == WD_PATH_SOFT ? WD_REASON_WRONG : WD_REASON_BEST, self->arg.path_reason);
	}
	EXPECT_LT(5, soft);
	EXPECT_GT(35, soft);
	hw = sess_flags(WD_LZ77, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, variant->level, variant->win,
			WD_SESS_PATH_HW);
	ASSERT_NE(0, hw);
	ASSERT_EQ(0, devices_corrupt("1"));
	self->len = SEQS * sizeof(*self->seq);
	ret = wd_compress(hw, &self->arg);
	EXPECT_EQ(-EIO, ret);
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	EXPECT_NE(NULL, strstr(detail(hw), "sequences are wrong"));
	EXPECT_EQ(0, wd_comp_free_sess(hw));
	EXPECT_EQ(0, devices_corrupt("0"));
}

/* Other faults: each request ends with a right result. */
TEST_F(lz77, other_faults)
{
	static const char *const faults[] = {
		"fail=1/3", "fail=1/3:0x0e", "delay=1/3:1ms", "reorder=1/3", "duplicate=1/3",
	};
	char text[64];
	unsigned int i, k;

	if (!emulated() || self->path == WD_PATH_SOFT)
		SKIP(return, "needs an emulated device that does lz77_zstd");
	fill_text(self->plain, 20000, 1);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		snprintf(text, sizeof(text), "fault %s", faults[i]);
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, text)) TH_LOG("%s", text);
		for (k = 0; k < 20; k++) {
			ASSERT_EQ(0, ask(self, 20000, SEQS * sizeof(*self->seq), 0))
				TH_LOG("%s: %s", text, detail(self->h));
			ASSERT_TRUE(is_right(self->seq, self->len / sizeof(*self->seq), self->plain, 20000,
					     windows[variant->win]));
		}
		snprintf(text, sizeof(text), "fault %.*s=0", (int)strcspn(faults[i], "="), faults[i]);
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, text));
	}
}

/* Hardware of generation 2 has no search for zstd. */
TEST_F(lz77, the_reason_for_software)
{
	fill_text(self->plain, 20000, 1);
	ASSERT_EQ(0, ask(self, 20000, SEQS * sizeof(*self->seq), 0));
	if (self->path == WD_PATH_SOFT) {
		EXPECT_TRUE(self->arg.path_reason == WD_REASON_NO_DEVICE ||
			    self->arg.path_reason == WD_REASON_UNSUPPORTED)
			TH_LOG("%s", wd_path_reason_str(self->arg.path_reason));
	} else {
		EXPECT_EQ(WD_REASON_BEST, self->arg.path_reason);
	}
}

TEST_HARNESS_MAIN
