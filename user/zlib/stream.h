/* SPDX-License-Identifier: Apache-2.0 */
/* A deflate stream that is, or may become, a device's. */
#ifndef WDZ_STREAM_H
#define WDZ_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "memory.h"
#include "zlib_own.h"

/* Parts of a stream that devices may have at the same time: a device works on several, too. */
#define WDZ_RING_MIN	8u
#define WDZ_RING_MAX	(2 * WDZ_SESSIONS)

#define WDZ_MEM_LEVEL	8	/* of deflateInit() */

/* Ends of streams: the final block without data, and the longest trailer. */
#define WDZ_END_BYTES	(2 + 8)

enum wdz_wrap {
	WDZ_RAW,
	WDZ_ZLIB,
	WDZ_GZIP,
};

/**
 * enum wdz_stage - what has become of a stream
 * @WDZ_GATHER: its input is collected, until it is clear whether it is large
 * @WDZ_DRAIN: zlib compresses it, and has not taken all that was collected
 * @WDZ_BY_ZLIB: zlib compresses it until it is reset
 * @WDZ_DEVICE: it consists of parts
 * @WDZ_TAIL: it has begun with parts and goes on as the raw stream
 */
enum wdz_stage {
	WDZ_GATHER,
	WDZ_DRAIN,
	WDZ_BY_ZLIB,
	WDZ_DEVICE,
	WDZ_TAIL,
};

/**
 * struct wdz_part - a part of a stream
 * @in, @in_len: its data, kept until the slot is used again
 * @out, @len, @taken: its result, and how much of it the caller has
 * @submitted: a device has it, or had; the result isn't known yet
 * @flushed: it ends with what a flush ends with, also as stored blocks
 */
struct wdz_part {
	unsigned char *in, *out;
	size_t in_len, len, taken;
	bool submitted, flushed;
	struct wdz_request request;
};

/* Bytes between parts and caller: the header, or the end. */
struct wdz_bytes {
	unsigned char *at;
	size_t len, taken;
};

/**
 * struct wdz_stream - our state of a deflate stream that a device has, or may get
 * @magic: tells it from zlib's own state, which begins with a pointer to the caller's z_stream
 * @strm: the caller's, as long as that wasn't copied by hand
 * @zlib_state: zlib's own state, made when the stream was: it checks arguments and answers questions
 * @last_flush: as zlib defines when a call makes no progress
 * @begun: deflate() was called
 * @tuned: deflateTune() was called
 * @marked: the flush whose end was written since the last input
 * @ending: all input is there
 * @ended: the end of the stream is in @tail
 * @parts: a ring of @ring places; @first is not written yet, @open gets input; both are counted on for ever
 * @turn: which of the devices gets the first part
 * @room: bytes of a part's @out
 * @charged: bytes that count for the bound of the process
 * @raw: continues after parts, and compresses those that no device did; @have_raw as long as there are parts
 * @drained: bytes of the open part that zlib has taken
 * @zlib_adler: the checksum of those; the caller's is that of all input
 */
struct wdz_stream {
	const void *magic;
	z_streamp strm;
	struct internal_state *zlib_state;
	enum wdz_stage stage;
	int level, strategy, window_bits, mem_level;
	enum wdz_wrap wrap;
	int last_flush, marked;
	bool begun, tuned, ending, ended;
	gz_headerp header;
	struct wdz_part parts[WDZ_RING_MAX];
	unsigned int ring;
	unsigned long first, open, turn;
	size_t room, charged;
	struct wdz_bytes head, tail;
	unsigned char end[WDZ_END_BYTES];
	bool have_raw;
	z_stream raw;
	size_t drained;
	uLong zlib_adler;
};

extern const char wdz_magic;

/* Our state of a stream; NULL: the stream is zlib's alone. */
static inline struct wdz_stream *wdz_stream_of(z_streamp strm)
{
	struct wdz_stream *s;

	/* As zlib: a z_stream without these isn't initialized. */
	if (!strm || !strm->zalloc || !strm->zfree || !strm->state)
		return NULL;
	s = (struct wdz_stream *)(void *)strm->state;
	return s->magic == &wdz_magic && s->strm == strm ? s : NULL;
}

static inline struct wdz_part *wdz_part(struct wdz_stream *s, unsigned long n)
{
	return &s->parts[n % s->ring];
}

/* Between these two the caller's z_stream has zlib's own state, as zlib's functions expect. */
static inline void wdz_lend(struct wdz_stream *s)
{
	s->strm->state = s->zlib_state;
}

static inline void wdz_take_back(struct wdz_stream *s)
{
	s->strm->state = (struct internal_state *)(void *)s;
}

static inline int wdz_zlib_deflate(struct wdz_stream *s, int flush)
{
	int ret;

	wdz_lend(s);
	ret = zlib_deflate(s->strm, flush);
	wdz_take_back(s);
	return ret;
}

/* stream.c */
bool wdz_stream_wants(int level, int strategy);
void wdz_stream_open(z_streamp strm, int level, int window_bits, int mem_level, int strategy);
void wdz_stream_free(struct wdz_stream *s);
void wdz_stream_reset(struct wdz_stream *s);
void wdz_stream_to_zlib(struct wdz_stream *s);
void wdz_stream_drop(struct wdz_stream *s);
int wdz_stream_copy(z_streamp dest, struct wdz_stream *s);
int wdz_fail(z_streamp strm, int err);
void wdz_sum(struct wdz_stream *s, const void *at, size_t len);

/* gather.c: the stages GATHER and DRAIN */
int wdz_gather(struct wdz_stream *s, int flush);
int wdz_drain(struct wdz_stream *s, int flush);
bool wdz_gather_end(struct wdz_stream *s, bool give);

/* parts.c: the stage DEVICE */
int wdz_device(struct wdz_stream *s, int flush);
bool wdz_device_take(struct wdz_stream *s);

/* part.c */
bool wdz_part_room(struct wdz_stream *s, struct wdz_part *p, bool out);
size_t wdz_part_take(struct wdz_stream *s, struct wdz_part *p, size_t limit);
void wdz_part_submit(struct wdz_stream *s, bool flushed);
void wdz_part_finish(struct wdz_stream *s, struct wdz_part *p);
void wdz_parts_finish(struct wdz_stream *s);
bool wdz_open_has_data(struct wdz_stream *s);

/* output.c */
void wdz_output(struct wdz_stream *s, bool wait);
bool wdz_output_all(struct wdz_stream *s);
size_t wdz_output_pending(const struct wdz_stream *s);

/* tail.c: the stage TAIL */
bool wdz_raw_open(struct wdz_stream *s);
int wdz_tail(struct wdz_stream *s, int flush);
void wdz_tail_begin(struct wdz_stream *s);
int wdz_tail_params(struct wdz_stream *s, int level, int strategy);

/* format.c */
bool wdz_format_head(struct wdz_stream *s);
void wdz_format_end(struct wdz_stream *s, bool block);
int wdz_format_data_type(const unsigned char *at, size_t len);

#endif
