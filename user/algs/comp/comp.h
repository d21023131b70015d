/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of libwd_comp and its drivers; private. */
#ifndef WD_COMP_PRIVATE_H
#define WD_COMP_PRIVATE_H

#include <assert.h>
#include <errno.h>
#include <wd_comp.h>
#include "base/lists.h"
#include "driver.h"

WD_ARG_ASSERT(struct wd_comp_arg);

/* Largest input and output of one descriptor. */
#define COMP_MAX_BYTES		(8u << 20)

/* Room that a device needs for one request; a smaller buffer is served through a bounce buffer. */
#define COMP_MIN_OUT		200
#define COMP_BOUNCE_BYTES	256

#define COMP_HEADER_MAX		16	/* length of a written header */
#define COMP_PART_MAX		(4u << 20)	/* bytes: its result fits into one descriptor, however long it gets */
#define COMP_CTX_BYTES		0x10000	/* a device's context buffer */
#define COMP_CTX_USED		0x9840	/* what a device uses of it, from its beginning */

struct comp_finder;
struct hw_stream;
struct soft_stream;
struct soft_proof;

/**
 * struct comp_hw_state - a device's state between the requests of a stream
 * @ctx:	the device's context buffer, zeroed at the start
 */
struct comp_hw_state {
	void *ctx;
	__u32 ctx_dw[3];
	__u32 isize;
	__u32 checksum;
};

/*
 * Properties that all requests of a session share, in one word so that they are copied at once. fresh: first request of
 * the stream; finish: end the stream with this request. part: of one request, WD_COMP_PART.
 */
#define COMP_KIND		\
	union {			\
		struct {	\
			__u8 alg;	\
			__u8 dir;	\
			__u8 win;	\
			__u8 level;	\
			bool sgl;	\
			bool fresh;	\
			bool finish;	\
			bool part;	\
		};		\
		__u64 kind;	\
	}

/**
 * struct comp_msg - one request to a driver
 * @src, @dst:	bytes or struct wd_datalist, as @sgl says; the whole buffers
 * @head:	length of the header, at the start of @src or to be put at the start of @dst
 * @why:	text of the error, or NULL
 * @hw:		state of the request's stream, NULL: a whole buffer
 * @last_block:	the device saw the final block
 * @ended:	the stream is complete, trailer included
 * @wrong:	the result was checked, and isn't right
 * @by_path:	path of the sessions that a frame's matches were found with, or 0, and @by_reason
 * @more_room:	output space was missing that one descriptor can't use
 *
 * The driver writes @consumed, @produced and the members from @last_block on. They are
 * not read before the result is there.
 */
struct comp_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order because of struct wd_msg_ends */
	size_t produced;
	const void *src;
	void *dst;
	size_t src_len;
	size_t dst_len;
	size_t head;
	const char *why;
	struct comp_hw_state *hw;
	COMP_KIND;
	bool last_block;
	bool ended;
	bool more_room;
	bool wrong;
	__u16 by_path;
	__u16 by_reason;
	/* owned by the driver */
	void *bounce;
	size_t room;
};
WD_MSG_ASSERT(struct comp_msg);

static inline struct comp_msg *to_comp_msg(struct wd_msg *m)
{
	return (struct comp_msg *)m;
}

/* Whether libzstd or liblz4 make the format's frames, or read them, from its magic number on. */
static inline bool comp_is_framed(__u8 alg)
{
	return alg == WD_ZSTD || alg == WD_LZ4;
}

#define COMP_LZ4_LEVEL_MAX	2	/* of devices */
#define COMP_LZ4_LOG_MIN	16	/* of a block in a frame */
#define COMP_LZ4_LOG_MAX	22
#define COMP_ZSTD_LOG_MIN	10
#define COMP_ZSTD_LOG_MAX	31

/* The log of WD_COMP_WS_LOG(); 0: one of the windows of devices. */
static inline int comp_win_log(__u8 win)
{
	return win > WD_COMP_WS_LOG(0) ? win - WD_COMP_WS_LOG(0) : 0;
}

/* The number of a synchronous call of the library. */
#define COMP_CALL(dir)	(WD_CALL_SYNC + (dir))

struct comp_sess {
	struct wd_session s;
	COMP_KIND;
	__u8 head;			/* length of the header that is written */
	__u8 least;			/* shortest possible result */
	bool plain;			/* flat, and without a header to parse */
	bool verify;			/* results of devices are verified */
	bool checksum;			/* frames end with one */
	bool block;			/* bare blocks of LZ4 in place of frames */
	struct comp_finder *finder;	/* devices that find a frame's matches, or NULL */
	bool apart;			/* by the session's flag: source and destination don't overlap */
	__u8 header[COMP_HEADER_MAX];	/* the header that is written */
	__u64 sqe_word;			/* the driver's: constant part of a descriptor */
	__u32 sqe_good;			/* status bits of a successful request, under sqe_good_mask */
	__u32 sqe_good_mask;
	_Atomic __u32 strm_busy;	/* wd_fork_trylock() of the thread that uses the stream */
	struct comp_stream *strm;
};

static inline struct comp_sess *to_comp_sess(struct wd_session *s)
{
	return (struct comp_sess *)s;
}

/* Hidden, so that the compiler may use its values. */
extern const struct wd_class comp_class __attribute__((visibility("hidden")));
extern const struct wd_driver hisi_zip_driver;
extern const struct wd_driver hisi_zip_v2_driver;
extern const struct wd_driver soft_deflate_driver;

/* hisi/zip_msg.c: computes the constant part of the session's descriptors. */
void hisi_zip_session(struct comp_sess *s);

/* comp.c */

/* arg->status for a return code. */
__s32 comp_status(int ret);
int comp_refuse_call(struct comp_sess *s, __u8 op, __u8 dir);
/* Whether the call goes with the session's mode and direction; recorded. */
static inline int comp_check_call(struct comp_sess *s, __u8 op, __u8 dir)
{
	return s->s.attr.async == (op == WD_ASYNC) && s->dir == dir ? 0 : comp_refuse_call(s, op, dir);
}

/*
 * Bytes that compressing len bytes needs at most: on a device an eighth more than the data; every encoder needs less.
 */
static inline size_t comp_bound(size_t len)
{
	return len + len / 8 + 256;
}

/* Records why a request failed; returns ret. */
int comp_fail(struct comp_sess *s, int ret, const char *why, __u32 vendor);

/* format.c: headers that software writes and reads */

/* Writes the format's header to buf (at least 10 bytes); returns its length. */
size_t format_write_header(__u8 alg, __u8 win, __u8 level, __u8 *buf);
/* Length of the written header, and of the trailer. */
size_t format_header_bytes(__u8 alg);
size_t format_trailer_bytes(__u8 alg);
/* Length of the header at the start of a whole buffer; -EBADMSG and *why. */
int format_read_header(__u8 alg, bool sgl, const void *src, size_t len, size_t *head, const char **why);
/* Writes a complete empty stream to buf (at least 32 bytes); returns its length. */
size_t format_write_empty(__u8 alg, __u8 win, __u8 level, __u8 *buf);

/**
 * struct format_parser - reads a header that arrives in arbitrary pieces
 */
struct format_parser {
	__u8 state;
	__u8 flags;
	__u16 left;
	__u16 at;
	__u32 crc;
	__u8 hcrc[2];
	__u8 first;
	const char *why;
};

void format_parser_init(struct format_parser *p, __u8 alg);
/* Parses n bytes. 0: *used of them were taken, *done at the end of the header. -EBADMSG: p->why is the error's text. */
int format_parse(struct format_parser *p, __u8 alg, const void *buf, size_t n, size_t *used, bool *done);

/* Whether both buffers of a request are mapped. */
static inline bool comp_probe(const struct comp_msg *c, enum wd_probe src, enum wd_probe dst)
{
	return wd_probe(src, c->sgl, c->src, c->src_len) && wd_probe(dst, c->sgl, c->dst, c->dst_len);
}

static inline bool probe_msg(const struct comp_msg *c)
{
	return comp_probe(c, WD_PROBE_READ, WD_PROBE_WRITE);
}

static inline bool probe_mapped(const struct comp_msg *c)
{
	return comp_probe(c, WD_PROBE_MAPPED, WD_PROBE_MAPPED);
}

/* Like probe_msg(), for the header's memory. */
static inline bool probe_head(const struct comp_msg *c)
{
	return wd_probe(WD_PROBE_WRITE, c->sgl, c->dst, c->head);
}

static inline bool probe_recent(const struct comp_msg *c)
{
	return comp_probe(c, WD_PROBE_RECENT, WD_PROBE_RECENT);
}

/* --- streams: shared by devices and the software path --- */

/**
 * struct comp_step - one call of a stream's back end, over flat pieces
 * @src_len, @dst_len: in: available; out: consumed, produced
 * @total:	bytes of the whole input plus one; 0: unknown
 * @why:	text of the error, after -EBADMSG
 * @wrong:	the error is a wrong result of the device
 */
struct comp_step {
	const void *src;
	size_t src_len;
	void *dst;
	size_t dst_len;
	bool last;
	bool sync;
	__u64 total;
	__u64 deadline;
	__u32 vendor;
	const char *why;
	bool wrong;
};

struct comp_ends {
	struct wd_list_walk in;
	struct wd_list_walk out;
	size_t consumed;
	size_t produced;
};

/*
 * Repeats steps until neither side moves. 0, 1 at the end, -errno; -ENOSPC only when nothing moved. eager: a step that
 * leaves room has no more output, except for the end of the stream, which another step may have to write.
 */
static inline int comp_run(int (*step)(void *stream, struct comp_step *t), void *stream, bool eager,
			   struct comp_ends *e, struct comp_step *t)
{
	bool last = t->last, sync = t->sync, moved = false;
	int ret;

	for (;;) {
		size_t in, out;

		t->src = wd_list_walk_piece(&e->in, &in);
		t->dst = wd_list_walk_piece(&e->out, &out);
		t->src_len = in;
		t->dst_len = out;
		t->last = last && in == e->in.left;
		t->sync = sync && in == e->in.left;
		ret = step(stream, t);
		if (ret < 0)
			break;
		wd_list_walk_advance(&e->in, t->src_len);
		wd_list_walk_advance(&e->out, t->dst_len);
		e->consumed += t->src_len;
		e->produced += t->dst_len;
		if (ret || (!t->src_len && !t->dst_len))
			break;
		moved = true;
		if (eager && !last && !e->in.left && t->dst_len < out)
			break;
	}
	t->last = last;
	t->sync = sync;
	return ret == -ENOSPC && moved ? 0 : ret;
}

/* stream.c */

/* Before the session is freed: frees its stream. 0, -EBUSY. */
int stream_end(struct comp_sess *s);

/* hwstrm.c: a stream over a device's descriptors. verify: it ends with -EIO where the device made something wrong. */
struct hw_stream *hw_stream_alloc(struct comp_sess *s, struct wd_queue *q, bool verify);
void hw_stream_free(struct hw_stream *h);
void hw_stream_reset(struct hw_stream *h);
/* comp_run() with hw_stream's steps. */
int hw_stream_run(struct hw_stream *h, struct comp_ends *e, struct comp_step *t);

/* soft/codecs.c: whether the library of that format can be loaded. 0, or -EOPNOTSUPP, recorded. */
int soft_frames_ready(__u8 alg);
/* Whether libzstd takes matches that others have found. */
bool soft_zstd_takes_sequences(void);

/* soft/stream.c: the same on the software path. NULL: no memory */
struct soft_stream *soft_stream_alloc(const struct comp_sess *s);
void soft_stream_free(struct soft_stream *z);
void soft_stream_reset(struct soft_stream *z);
int soft_stream_run(struct soft_stream *z, struct comp_ends *e, struct comp_step *t);
/* Who found the matches of what the stream made so far, if it can be another than the software path. */
void soft_stream_by(const struct soft_stream *z, __u16 *path, __u16 *reason);

/* --- whether what a device made is right --- */

/* soft/verify.c: of a request that succeeded: 1 right, 0 wrong, -ENOMEM. */
int soft_proves(const struct comp_msg *c);

/* soft/proof.c: of a stream, whose two sides are shown piece by piece. NULL: no memory. */
struct soft_proof *soft_proof_new(__u8 alg, __u8 dir);
void soft_proof_free(struct soft_proof *p);
void soft_proof_in(struct soft_proof *p, const void *src, size_t n);
void soft_proof_out(struct soft_proof *p, const void *dst, size_t n);
/* After a flush: all input can be decompressed from the output so far. */
bool soft_proof_so_far(const struct soft_proof *p);
/* At the end of the stream. */
bool soft_proof_end(const struct soft_proof *p);

#endif
