/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libwd_comp and its drivers share; private. */
#ifndef WD_COMP_PRIVATE_H
#define WD_COMP_PRIVATE_H

#include <assert.h>
#include <errno.h>
#include <wd_comp.h>
#include "base/lists.h"
#include "driver.h"

/* Largest input and output of one descriptor. */
#define COMP_MAX_BYTES		(8u << 20)

/* Room a device wants for one request; less is given through a bounce buffer. */
#define COMP_MIN_OUT		200
#define COMP_BOUNCE_BYTES	256

#define COMP_HEADER_MAX		16	/* bytes of header that are written */

struct hw_stream;
struct soft_stream;

/**
 * struct comp_hw_state - what a device keeps between the requests of a stream
 * @ctx:	its context buffer, zeroed at the start
 */
struct comp_hw_state {
	void *ctx;
	__u32 ctx_dw[3];
	__u32 isize;
	__u32 checksum;
};

/*
 * What every request of a session is, in one word so that it is copied as one.
 * fresh: first request of the stream; finish: end the stream with it.
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
		};		\
		__u64 kind;	\
	}

/**
 * struct comp_msg - one request to a driver
 * @src, @dst:	bytes or struct wd_datalist, as @sgl says; the whole of them
 * @head:	bytes of header, in front of @src or to be put in front of @dst
 * @why:	what is wrong, in words, or NULL
 * @hw:		state of the stream it belongs to, NULL: a whole buffer
 * @last_block:	the device saw the final block
 * @ended:	the stream is complete, trailer included
 * @more_room:	it lacked output space that one descriptor can't be given
 *
 * @consumed, @produced and from @last_block on the driver writes, and nobody
 * reads before the result is in.
 */
struct comp_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order: struct wd_msg_ends */
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
	/* the driver's own */
	void *bounce;
	size_t room;
};
WD_MSG_ASSERT(struct comp_msg);

static inline struct comp_msg *to_comp_msg(struct wd_msg *m)
{
	return (struct comp_msg *)m;
}

/* A synchronous call of the library. */
#define COMP_CALL(dir)	(WD_CALL_SYNC + (dir))

struct comp_sess {
	struct wd_session s;
	COMP_KIND;
	__u8 head;			/* bytes of header that are written */
	__u8 least;			/* no result is shorter */
	bool plain;			/* flat, and no header to be read */
	__u8 header[COMP_HEADER_MAX];	/* what is written */
	__u64 sqe_word;			/* its driver's: what a descriptor says of the session, */
	__u32 sqe_good;			/* and what it says when it is back and all is well, in these bits: */
	__u32 sqe_good_mask;
	_Atomic __u32 strm_busy;	/* wd_fork_trylock() of who is inside the stream */
	struct comp_stream *strm;
};

static inline struct comp_sess *to_comp_sess(struct wd_session *s)
{
	return (struct comp_sess *)s;
}

extern const struct wd_class comp_class;
extern const struct wd_driver hisi_zip_driver;
extern const struct wd_driver soft_deflate_driver;

/* hisi/zip.c: what its descriptors say of such a session. */
void hisi_zip_session(struct comp_sess *s);

/* comp.c */

/* arg->status of a return code. */
__s32 comp_status(int ret);
int comp_refuse_call(struct comp_sess *s, __u8 op, __u8 dir);
/* Whether this is a call for such a session; recorded. */
static inline int comp_check_call(struct comp_sess *s, __u8 op, __u8 dir)
{
	return s->s.attr.async == (op == WD_ASYNC) && s->dir == dir ? 0 : comp_refuse_call(s, op, dir);
}

/* Records why a request failed; returns ret. */
int comp_fail(struct comp_sess *s, int ret, const char *why, __u32 vendor);

/* format.c: headers that software writes and reads */

/* Bytes of header written to buf (at least 10) for this format. */
size_t format_write_header(__u8 alg, __u8 win, __u8 level, __u8 *buf);
/* Length of the header that is written, and of the trailer. */
size_t format_header_bytes(__u8 alg);
size_t format_trailer_bytes(__u8 alg);
/* Length of the header in front of a whole buffer; -EBADMSG and *why. */
int format_read_header(__u8 alg, bool sgl, const void *src, size_t len, size_t *head, const char **why);
/* An empty stream, whole, into buf (at least 32); its length. */
size_t format_write_empty(__u8 alg, __u8 win, __u8 level, __u8 *buf);

/**
 * struct format_parser - reads a header that may be cut anywhere
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
/* Feeds n bytes. 0: *used of them were taken, *done when the header is over. -EBADMSG: p->why says what is wrong. */
int format_parse(struct format_parser *p, __u8 alg, const void *buf, size_t n, size_t *used, bool *done);

/* Whether both buffers of a request are there. */
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

/* As probe_msg(), of where the header goes. */
static inline bool probe_head(const struct comp_msg *c)
{
	return wd_probe(WD_PROBE_WRITE, c->sgl, c->dst, c->head);
}

static inline bool probe_recent(const struct comp_msg *c)
{
	return comp_probe(c, WD_PROBE_RECENT, WD_PROBE_RECENT);
}

/* --- streams: what a device's and this CPU's have in common --- */

/**
 * struct comp_step - one call of a stream's back end, over flat pieces
 * @src_len, @dst_len: in: available; out: consumed, produced
 * @why:	what is wrong, in words, after -EBADMSG
 */
struct comp_step {
	const void *src;
	size_t src_len;
	void *dst;
	size_t dst_len;
	bool last;
	bool sync;
	__u64 deadline;
	__u32 vendor;
	const char *why;
};

struct comp_ends {
	struct wd_list_walk in;
	struct wd_list_walk out;
	size_t consumed;
	size_t produced;
};

/*
 * Steps until neither side moves. 0, 1 at the end, -errno; -ENOSPC only when
 * nothing moved. eager: a step that leaves room has nothing more to give, but
 * the end it may have to be asked for.
 */
static inline int comp_run(int (*step)(void *stream, struct comp_step *t), void *stream, bool eager, struct comp_ends *e,
			   struct comp_step *t)
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

/* Before the session is freed: it has none any more. 0, -EBUSY. */
int stream_end(struct comp_sess *s);

/* hwstrm.c: a stream over a device's descriptors */
struct hw_stream *hw_stream_alloc(struct comp_sess *s, struct wd_queue *q);
void hw_stream_free(struct hw_stream *h);
void hw_stream_reset(struct hw_stream *h);
/* comp_run() with its steps. */
int hw_stream_run(struct hw_stream *h, struct comp_ends *e, struct comp_step *t);

/* soft/stream.c: the same on this CPU. NULL: no memory */
struct soft_stream *soft_stream_alloc(const struct comp_sess *s);
void soft_stream_free(struct soft_stream *z);
void soft_stream_reset(struct soft_stream *z);
int soft_stream_run(struct soft_stream *z, struct comp_ends *e, struct comp_step *t);

#endif
