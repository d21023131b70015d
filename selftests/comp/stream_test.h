/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of each format in both directions, cut as a test chooses. */
#ifndef STREAM_TEST_H
#define STREAM_TEST_H

#include "comp_test.h"
#include "kselftest_harness.h"

FIXTURE(stream) {
	unsigned char *plain, *packed, *back;
	size_t room;
	int path;
	handle_t c, d;
	unsigned int seed;
};

FIXTURE_VARIANT(stream) {
	int alg;
};

FIXTURE_VARIANT_ADD(stream, zlib) { .alg = WD_ZLIB };
FIXTURE_VARIANT_ADD(stream, gzip) { .alg = WD_GZIP };
FIXTURE_VARIANT_ADD(stream, deflate) { .alg = WD_DEFLATE_RAW };

FIXTURE_SETUP(stream)
{
	self->room = 20 * MIB;
	self->plain = malloc(self->room);
	self->packed = malloc(self->room);
	self->back = malloc(self->room);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	self->path = expected_path(alg_names[variant->alg]);
	self->c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	self->d = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	ASSERT_TRUE(self->c && self->d) TH_LOG("%s", detail(0));
	self->seed = 1;
}

FIXTURE_TEARDOWN(stream)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->c));
	EXPECT_EQ(0, wd_comp_free_sess(self->d));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* How many bytes in and out one call gets: the same for all calls, or (0) random up to a limit. */
struct chunks {
	size_t in, in_most;
	size_t out, out_most;
	unsigned int flags;
	bool late_end;		/* last = 1 only in a call without input */
};

static inline size_t chunk(FIXTURE_DATA(stream) *self, size_t fixed, size_t most)
{
	if (fixed)
		return fixed;
	self->seed = self->seed * 1103515245u + 12345u;
	return (self->seed >> 8) % most + 1;
}

/* Passes all of src through a stream; the length of the result, or -errno. */
static inline long run(FIXTURE_DATA(stream) *self, handle_t h, bool comp, const unsigned char *src, size_t n,
		unsigned char *dst, size_t room, const struct chunks *ch, size_t *used)
{
	size_t at = 0, out = 0;
	unsigned int idle = 0;
	int ret;

	do {
		size_t in = chunk(self, ch->in, ch->in_most), space = chunk(self, ch->out, ch->out_most);
		struct wd_comp_strm strm = { .src_len = &in, .dst_len = &space, .flags = ch->flags };

		if (in > n - at)
			in = n - at;
		if (space > room - out)
			space = room - out;
		strm.src = (void *)(src + at);
		strm.dst = dst + out;
		strm.last = ch->late_end ? at == n : at + in == n;
		ret = comp ? wd_strm_compress(h, &strm) : wd_strm_decompress(h, &strm);
		if (ret < 0)
			return ret;
		if (strm.path != self->path)
			return -ERANGE;
		idle = in || space ? 0 : idle + 1;
		if (idle > 3)
			return -ELOOP;
		at += in;
		out += space;
	} while (!ret);
	if (used)
		*used = at;
	return out;
}

static const struct chunks whole = { .in = 64 * MIB, .out = 64 * MIB };

/* One call; it returns like the library's, and *n and *room become the consumed and produced lengths. */
static inline int call(handle_t h, bool comp, const void *src, size_t *n, void *dst, size_t *room, bool last,
		       unsigned int flags)
{
	struct wd_comp_strm strm = {
		.src = (void *)src, .src_len = n, .dst = dst, .dst_len = room, .last = last, .flags = flags,
	};

	return comp ? wd_strm_compress(h, &strm) : wd_strm_decompress(h, &strm);
}

#endif
