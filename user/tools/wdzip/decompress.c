// SPDX-License-Identifier: Apache-2.0
/* One input of members or frames, one after the other, to their contents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "wdzip.h"

#define IN_BYTES (256U << 10)
#define OUT_BYTES (1U << 20)
#define IDLE_CALLS_MAX 64

/* Results besides 0 and -errno. */
#define COMPLAINED 1

struct window {
	unsigned char *in, *out;
	size_t start, end;	/* input not yet used */
	bool eof;
};

/* Reads more input behind the unused part, which moves to the front. Return: 0 or COMPLAINED. */
static int window_fill(struct job *job, struct window *w)
{
	ssize_t got;

	memmove(w->in, w->in + w->start, w->end - w->start);
	w->end -= w->start;
	w->start = 0;
	got = io_read(job->in, w->in + w->end, IN_BYTES - w->end);
	if (got < 0) {
		complain(job->name, "read: %s", strerror(-got));
		return COMPLAINED;
	}
	w->eof = got < (ssize_t)(IN_BYTES - w->end);
	w->end += got;
	return 0;
}

/* What is there is the beginning of another member. */
static bool is_member(const struct job *job, const struct window *w)
{
	return format_begins(job->format, w->in + w->start, w->end - w->start);
}

/* The end of input is a call of its own, without data: this tells a truncated stream from corrupt data. */
static int member_step(struct job *job, struct window *w)
{
	size_t src_len = w->end - w->start, dst_len = OUT_BYTES;
	bool last = w->eof && !src_len;
	struct wd_comp_strm strm = {
		.src = w->in + w->start,
		.src_len = &src_len,
		.dst = w->out,
		.dst_len = &dst_len,
		.last = last,
	};
	int ret;

	ret = wd_strm_decompress(job->stream, &strm);
	job->path = strm.path;
	job->path_reason = strm.path_reason;
	if (ret < 0 && last && ret == -EBADMSG) {
		complain(job->name, "unexpected end of file");
		return -ECANCELED;
	}
	if (ret < 0)
		return ret;
	w->start += src_len;
	job->in_bytes += src_len;
	if (job->set->mode == MODE_LIST)
		job->sum = libdeflate_crc32(job->sum, w->out, dst_len);
	if (io_write(job, w->out, dst_len))
		return -ECANCELED;
	progress_update(job);
	return ret ? 1 : src_len || dst_len ? 0 : -EAGAIN;
}

static int member_decompress(struct job *job, struct window *w)
{
	unsigned int idle = 0;
	int ret;

	/* gzip lists the last member's, and frames are pieces of one file. */
	if (!formats[job->format].framed)
		job->sum = 0;
	for (;;) {
		if (w->start == w->end && !w->eof && window_fill(job, w))
			return COMPLAINED;
		ret = member_step(job, w);
		if (ret == 1)
			return 0;
		if (ret == -ECANCELED)
			return COMPLAINED;
		if (ret < 0 && ret != -EAGAIN)
			return ret;
		idle = ret ? idle + 1 : 0;
		if (idle > IDLE_CALLS_MAX)
			return -EPROTO;
	}
}

/* A byte that isn't zero may be what is left of one more member. */
static bool is_cut_off(const struct job *job, const struct window *w)
{
	size_t n = w->end - w->start;

	return w->eof && n && n < format_magic_bytes(job->format) && w->in[w->start];
}

/* The last member is followed by nothing, by padding of zeros (tapes), or by garbage. */
static int trailing_check(struct job *job, struct window *w)
{
	bool zeros = true;
	size_t i;

	if (is_cut_off(job, w)) {
		complain(job->name, "unexpected end of file");
		return COMPLAINED;
	}
	while (w->start != w->end) {
		for (i = w->start; i < w->end && zeros; i++)
			zeros = !w->in[i];
		w->start = w->end;
		if (!zeros)
			break;
		if (!w->eof && window_fill(job, w))
			return COMPLAINED;
	}
	if (!zeros)
		warn(job, "decompressed, but trailing garbage ignored");
	return 0;
}

static bool copies(const struct job *job)
{
	return job->set->force && job->set->mode == MODE_DECOMPRESS && !job_makes_file(job);
}

/* As zcat -f does: data that isn't compressed is copied, also behind members. */
static int copy_through(struct job *job, struct window *w)
{
	do {
		if (io_write(job, w->in + w->start, w->end - w->start))
			return COMPLAINED;
		job->in_bytes += w->end - w->start;
		w->start = w->end;
		if (!w->eof && window_fill(job, w))
			return COMPLAINED;
	} while (w->start != w->end);
	return 0;
}

/* Bytes that are no member, at the beginning or behind members. */
static int rest_decompress(struct job *job, struct window *w, bool behind)
{
	const char *other = format_unread(w->in + w->start, w->end - w->start);

	if (other) {
		complain(job->name, "has the format of %s, which wdzip doesn't read", other);
		return COMPLAINED;
	}
	if (copies(job))
		return copy_through(job, w);
	if (behind)
		return trailing_check(job, w);
	if (w->end < 2)
		complain(job->name, "unexpected end of file");
	else if (job->set->format == WD_ZLIB)
		complain(job->name, "not in zlib format");
	else
		complain(job->name, "not in gzip format, nor in zstd's or lz4's");
	return COMPLAINED;
}

static int members_decompress(struct job *job, struct window *w)
{
	int ret;

	do {
		ret = member_decompress(job, w);
		if (ret)
			return ret;
		if (w->end - w->start < format_magic_bytes(job->format) && !w->eof && window_fill(job, w))
			return COMPLAINED;
	} while (is_member(job, w));
	return rest_decompress(job, w, true);
}

static void header_keep(struct job *job, const struct window *w)
{
	struct header h;

	job->frame_bytes = formats[job->format].ends;
	if (job->format != WD_GZIP)
		return;
	if (header_parse(w->in, w->end, &h))
		job->frame_bytes = h.len + TRAILER_BYTES;
	if (job->set->mode != MODE_LIST)
		return;
	job->stored_name = header_name(&h);
	job->stored_time = h.when;
}

static int window_decompress(struct job *job, struct window *w)
{
	int format;

	if (window_fill(job, w))
		return COMPLAINED;
	format = format_recognize(job->set->format, w->in, w->end);
	if (format < 0)
		return rest_decompress(job, w, false);
	if (session_read(job, format))
		return COMPLAINED;
	header_keep(job, w);
	return members_decompress(job, w);
}

int decompress_stream(struct job *job)
{
	struct window w = { .in = malloc(IN_BYTES), .out = malloc(OUT_BYTES) };
	int ret = -ENOMEM;

	if (w.in && w.out)
		ret = window_decompress(job, &w);
	free(w.out);
	free(w.in);
	return session_end(job, ret, "decompression failed");
}
