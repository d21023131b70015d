// SPDX-License-Identifier: Apache-2.0
/* One input to one gzip member. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wdzip.h"

#define OUT_BYTES (640U << 10)	/* wd_comp_bound() of a piece is less */
/* A device may need some calls without progress, but never this many in a row. */
#define IDLE_CALLS_MAX 64

struct buffers {
	unsigned char *in, *out;
};

/* Gives one piece to the session until it is used up and, at the end of input, the trailer is written. */
static int piece_compress(struct job *job, const struct buffers *b, size_t len, bool last)
{
	size_t used = 0, src_len, dst_len;
	unsigned int idle = 0;
	int ret;

	for (;;) {
		struct wd_comp_strm strm = {
			.src = b->in + used,
			.src_len = &src_len,
			.dst = b->out,
			.dst_len = &dst_len,
			.last = last,
		};

		src_len = len - used;
		dst_len = OUT_BYTES;
		ret = wd_strm_compress(job->stream, &strm);
		job->path = strm.path;
		job->path_reason = strm.path_reason;
		if (ret < 0)
			return ret;
		used += src_len;
		idle = src_len || dst_len ? 0 : idle + 1;
		if (header_write(job, b->out, dst_len))
			return 1;
		if (last ? ret == 1 : used == len)
			return 0;
		if (idle > IDLE_CALLS_MAX)
			return -EPROTO;
	}
}

/* An input that is one piece: whole buffers are what devices and software are best at. */
static int whole_compress(struct job *job, const struct buffers *b, size_t len)
{
	size_t dst_len = OUT_BYTES;
	struct wd_comp_arg arg = { .src = b->in, .src_len = len, .dst = b->out, .dst_len = &dst_len };
	int ret = wd_compress(job->stream, &arg);

	job->path = arg.path;
	job->path_reason = arg.path_reason;
	if (ret)
		return ret;
	return header_write(job, b->out, dst_len) ? 1 : 0;
}

static bool wants_parts(const struct settings *set, ssize_t got, bool last)
{
	return set->rsyncable ? got > 0 : !last && set->threads > 1;
}

static int pieces_compress(struct job *job, const struct buffers *b)
{
	bool last = false;
	ssize_t got;
	int ret;

	while (!last) {
		got = io_read(job->in, b->in, PIECE_BYTES);
		if (got < 0) {
			complain(job->name, "read: %s", strerror(-got));
			return 1;
		}
		last = got < (ssize_t)PIECE_BYTES;
		/* A stream that has begun goes on. */
		if (!job->in_bytes && wants_parts(job->set, got, last) && session_of_thread(job->set, 0))
			return parts_compress(job, b->in, (size_t)got);
		if (last && !job->in_bytes)
			ret = whole_compress(job, b, (size_t)got);
		else
			ret = piece_compress(job, b, got, last);
		if (ret)
			return ret;
		job->in_bytes += got;
		progress_update(job);
	}
	return 0;
}

int compress_stream(struct job *job)
{
	struct buffers b = { .in = malloc(PIECE_BYTES), .out = malloc(OUT_BYTES) };
	int ret = -ENOMEM;

	job->frame_bytes = header_bytes(job) + TRAILER_BYTES;
	if (b.in && b.out)
		ret = pieces_compress(job, &b);
	free(b.out);
	free(b.in);
	return session_end(job, ret, "compression failed");
}
