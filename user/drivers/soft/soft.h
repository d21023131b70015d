/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the software driver; private. */
#ifndef WD_SOFT_H
#define WD_SOFT_H

#include <errno.h>
#include <sys/types.h>
#include <libdeflate.h>
#include "comp.h"

enum soft_lib {
	SOFT_ISAL,
	SOFT_LIBDEFLATE,
	SOFT_ZLIB,
};

/* The library that computes a level. */
struct soft_choice {
	enum soft_lib lib;
	int level;	/* in that library's numbering */
};

/* level.c */
struct soft_choice soft_choose_whole(__u8 level);
struct soft_choice soft_choose_stream(__u8 dir, __u8 level);

/* --- streams --- */

struct soft_stream_ops {
	/* Consumes and produces as much as possible; 0, 1 at the end, -errno. Makes progress if it can. */
	int (*step)(struct soft_stream *z, struct comp_step *t);
	void (*reset)(struct soft_stream *z);
	void (*free)(struct soft_stream *z);
	/* Of memory, if that may be much; NULL: it isn't. */
	size_t (*bytes)(struct soft_stream *z);
};

/* First member of each library's stream. */
struct soft_stream {
	const struct soft_stream_ops *ops;
	struct soft_key {
		__u8 alg;
		__u8 dir;
		__u8 level;
		__u8 win;
		__u8 checksum;	/* of frames: at their end */
		__u8 none[3];
		const struct comp_finder *finder;
	} key;
	__u16 path;	/* soft_stream_by()'s, 0: the software path */
	__u16 reason;
};

/* NULL: no memory. */
struct soft_stream *soft_stream_new(struct soft_key key);
/* One step over flat pieces; 0, 1 at the end, -errno. */
int soft_stream_step(struct soft_stream *z, struct comp_step *t);
struct soft_stream *zlib_stream_new(struct soft_key key, int level);
struct soft_stream *zstd_stream_new(struct soft_key key);
struct soft_stream *lz4_stream_new(struct soft_key key);
/* The same, by devices: key.finder. */
struct soft_stream *lz4_maker_new(struct soft_key key);

/* What a frame reports of its blocks: a device, if one did a part; a wrong result in any case. */
static inline void soft_note_path(struct soft_stream *z, __u16 path, __u16 reason)
{
	if (z->path != WD_PATH_SOFT && path == WD_PATH_SOFT && reason != WD_REASON_WRONG)
		return;
	if (path != WD_PATH_SOFT || z->path == WD_PATH_SOFT)
		z->path = path;
	if (z->reason != WD_REASON_WRONG)
		z->reason = reason;
}
/* Of a session's requests and streams. */
struct soft_key soft_key_of(const struct comp_sess *s);

/* --- whole buffers --- */

#define SOFT_COMPRESSORS	2	/* that a thread keeps; some need megabytes */

/**
 * struct soft_tools - memory that a thread keeps between requests
 * @comp:	the last used first
 * @isal:	ISA-L's state and level buffer
 * @pieces:	stream for lists and for small windows, by direction
 * @proof:	for verifying what devices made, by direction
 * @plain:	for the same, what a small request's result decompresses to
 * @walk:	for the last block of a part
 *
 * Allocated on first use, freed when the thread ends. A fork's child continues
 * with its copy.
 */
struct soft_tools {
	struct {
		struct libdeflate_compressor *lc;
		int level;
	} comp[SOFT_COMPRESSORS];
	struct libdeflate_decompressor *decomp;
	struct isal_tools *isal;
	struct soft_stream *pieces[2];
	struct soft_proof *proof[2];
	void *plain;
	struct soft_walk *walk;
};

/* NULL: no memory. */
struct soft_tools *soft_tools_get(void);

/* proof.c, beside what comp.h has: another stream of the same kind. */
void soft_proof_begin(struct soft_proof *p);
bool soft_proof_is_of(const struct soft_proof *p, __u8 alg);
/* What was shown is a part: with an empty final block it is a whole stream. */
void soft_proof_part(struct soft_proof *p);

/* A number of a trailer, which needn't be aligned. */
static inline __u32 soft_le32(const __u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (__u32)p[3] << 24;
}

/* Whether a first attempt at filling dst may have overwritten src. */
static inline bool soft_overlaps(const struct comp_msg *c)
{
	uintptr_t src = (uintptr_t)c->src, dst = (uintptr_t)c->dst;

	return src < dst + c->dst_len && dst < src + c->src_len;
}

/* Computes a flat buffer in one call. 0 or -errno, results in the message. */
int soft_whole(struct comp_msg *c, struct soft_tools *t);
/* One part, flat, of a level that is libdeflate's. */
int soft_part(struct comp_msg *c, struct soft_tools *t);
/* libdeflate's raw stream of the message's source: the length, 0 if dst is too small, -ENOMEM. */
ssize_t soft_deflate_raw(struct comp_msg *c, struct soft_tools *t, void *dst, size_t room);
/* The same as one stream, for lists as well. */
int soft_pieces(struct comp_msg *c, struct soft_tools *t);

/* lz4.c: a flat buffer to a frame, -ENOSPC also where a stream could do with less room. */
int soft_lz4_whole(struct comp_msg *c, struct soft_key key);
/* lz77.c: sequences of a block. */
int soft_lz77(struct comp_msg *c);
/* lz4_block.c: a bare block. */
int soft_lz4_block(struct comp_msg *c);

/* Offsets in bits: of the last block's first bit, and of the end of the stream. */
struct soft_last {
	size_t head;
	size_t end;
};

/* blocks.c: of a raw stream that is whole and fills src. 0, -EBADMSG, -ENOMEM. */
int soft_last_block(struct soft_tools *t, const void *src, size_t len, struct soft_last *last);
void soft_walk_free(struct soft_walk *w);

/* Room beyond the result that a library needs before it accepts a buffer. */
#define SOFT_SLACK	512

/* --- isal.c; without ISA-L, no table refers to it --- */

#ifdef WD_HAVE_ISAL
/* Compresses c into dst; returns the length, 0 if dst is too small, -errno. */
ssize_t isal_whole(struct comp_msg *c, struct soft_tools *t, int level, void *dst, size_t room);
void isal_tools_free(struct isal_tools *t);
struct soft_stream *isal_deflate_new(struct soft_key key, int level);
struct soft_stream *isal_inflate_new(struct soft_key key);
#else
static inline ssize_t isal_whole(struct comp_msg *c, struct soft_tools *t, int level, void *dst, size_t room)
{
	(void)c, (void)t, (void)level, (void)dst, (void)room;
	return -EOPNOTSUPP;
}
static inline void isal_tools_free(struct isal_tools *t)
{
	(void)t;
}
static inline struct soft_stream *isal_deflate_new(struct soft_key key, int level)
{
	(void)key, (void)level;
	return NULL;
}
static inline struct soft_stream *isal_inflate_new(struct soft_key key)
{
	(void)key;
	return NULL;
}
#endif

#endif
