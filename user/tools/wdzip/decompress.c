// SPDX-License-Identifier: Apache-2.0
/* One input of gzip members, one after the other, to their contents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_gzip(const struct window *w)
{
	return w->end - w->start >= 2 && w->in[w->start] == 0x1f && w->in[w->start + 1] == 0x8b;
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

	ret = wd_strm_decompress(job->set->sess, &strm);
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
	if (io_write(job, w->out, dst_len))
		return -ECANCELED;
	progress_update(job);
	return ret ? 1 : src_len || dst_len ? 0 : -EAGAIN;
}

static int member_decompress(struct job *job, struct window *w)
{
	unsigned int idle = 0;
	int ret;

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

/* The last member is followed by nothing, by padding of zeros (tapes), or by garbage. */
static int trailing_check(struct job *job, struct window *w)
{
	bool zeros = true;
	size_t i;

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

static int members_decompress(struct job *job, struct window *w)
{
	int ret;

	do {
		ret = member_decompress(job, w);
		if (ret)
			return ret;
		if (w->end - w->start < 2 && !w->eof && window_fill(job, w))
			return COMPLAINED;
	} while (is_gzip(w));
	return trailing_check(job, w);
}

/* As zcat -f does: data that isn't compressed is copied. */
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

static int window_decompress(struct job *job, struct window *w)
{
	if (window_fill(job, w))
		return COMPLAINED;
	if (is_gzip(w))
		return members_decompress(job, w);
	if (job->set->force && job->set->to_stdout && job->set->mode == MODE_DECOMPRESS)
		return copy_through(job, w);
	if (w->end < 2)
		complain(job->name, "unexpected end of file");
	else
		complain(job->name, "not in gzip format");
	return COMPLAINED;
}

int decompress_stream(struct job *job)
{
	struct window w = { .in = malloc(IN_BYTES), .out = malloc(OUT_BYTES) };
	int ret = -ENOMEM;

	if (w.in && w.out)
		ret = window_decompress(job, &w);
	free(w.out);
	free(w.in);
	if (!ret)
		return 0;
	wd_comp_reset_sess(job->set->sess);
	if (session_is_device_error(ret))
		return ret;
	if (ret < 0)
		session_complain(job, ret, "decompression failed");
	return -1;
}
