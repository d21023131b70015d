// SPDX-License-Identifier: Apache-2.0
/* One input to one gzip member, or to a file of another format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wdzip.h"

/* A file that is read as one piece; its result may need as much memory again. */
#define WHOLE_MOST (128 << 20)
/* A device may need some calls without progress, but never this many in a row. */
#define IDLE_CALLS_MAX 64

struct buffers {
	size_t piece, room;
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
		dst_len = b->room;
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
static int whole_compress(struct job *job, const struct buffers *b, const void *src, size_t len, size_t *dst_len)
{
	struct wd_comp_arg arg = { .src = (void *)src, .src_len = len, .dst = b->out, .dst_len = dst_len };
	int ret;

	*dst_len = b->room;
	ret = wd_compress(job->stream, &arg);
	job->path = arg.path;
	job->path_reason = arg.path_reason;
	return ret;
}

/* Return: false if the file has to be read, since it isn't still, or didn't remain so. */
static bool still_compress(struct job *job, const struct buffers *b, size_t len, int *ret)
{
	const void *at = still_begin(job, len);
	size_t dst_len;

	if (!at)
		return false;
	*ret = whole_compress(job, b, at, len, &dst_len);
	if (!still_end(job, at, len))
		return false;
	if (!*ret) {
		job->in_bytes = len;
		*ret = header_write(job, b->out, dst_len) ? 1 : 0;
	}
	return true;
}

/* In software parts are better than a stream: shorter from level 4 on, and made in half the time. */
static bool wants_parts(const struct settings *set, const struct buffers *b, ssize_t got, bool last)
{
	if (set->rsyncable)
		return got > 0;
	/* Frames cost what they can't find in those before. */
	if (formats[set->format].framed && (set->threads == 1 || set->window_log))
		return false;
	return !last && b->piece == PIECE_BYTES && (set->threads > 1 || set->software);
}

static int pieces_compress(struct job *job, const struct buffers *b)
{
	size_t dst_len;
	bool last = false;
	ssize_t got;
	int ret;

	while (!last) {
		got = io_read(job->in, b->in, b->piece);
		if (got < 0) {
			complain(job->name, "read: %s", strerror(-got));
			return 1;
		}
		last = got < (ssize_t)b->piece;
		/* A stream that has begun goes on. */
		if (!job->in_bytes && wants_parts(job->set, b, got, last) && session_of_thread(job->set, 0))
			return parts_compress(job, b->in, (size_t)got);
		if (last && !job->in_bytes) {
			ret = whole_compress(job, b, b->in, (size_t)got, &dst_len);
			if (!ret && header_write(job, b->out, dst_len))
				ret = 1;
		} else {
			ret = piece_compress(job, b, got, last);
		}
		if (ret)
			return ret;
		job->in_bytes += got;
		progress_update(job);
	}
	return 0;
}

static bool buffers_alloc(struct buffers *b, size_t piece)
{
	b->piece = piece;
	b->room = piece + piece / 8 + 4096;	/* wd_comp_bound() is less */
	b->in = malloc(b->piece);
	b->out = malloc(b->room);
	return b->in && b->out;
}

static void buffers_free(struct buffers *b)
{
	free(b->out);
	free(b->in);
}

/*
 * Parts are for the sake of other threads, and for a bound of memory. Without them the result is shorter, and software
 * doesn't have to find the end of each, which it needn't at level 1: there the memory would cost more than the parts.
 * One byte more than the file has shows that it doesn't grow.
 */
static size_t piece_bytes(const struct job *job)
{
	const struct settings *set = job->set;
	off_t size = job->stat.st_size;

	if (formats[set->format].framed)
		return PIECE_BYTES;
	if (!set->software || set->threads > 1 || set->level == 1 || set->rsyncable || !S_ISREG(job->stat.st_mode) ||
	    size < (off_t)PIECE_BYTES || size > WHOLE_MOST)
		return PIECE_BYTES;
	return (size_t)size + 1;
}

int compress_stream(struct job *job)
{
	int ret = -ENOMEM;
	struct buffers b;

	job->frame_bytes = formats[job->format].ends;
	if (job->format == WD_GZIP)
		job->frame_bytes += header_bytes(job) - HEADER_BYTES;
	if (!buffers_alloc(&b, piece_bytes(job)) && b.piece != PIECE_BYTES) {
		buffers_free(&b);
		buffers_alloc(&b, PIECE_BYTES);
	}
	if (b.in && b.out && (b.piece == PIECE_BYTES || !still_compress(job, &b, b.piece - 1, &ret)))
		ret = pieces_compress(job, &b);
	buffers_free(&b);
	return session_end(job, ret, "compression failed");
}
