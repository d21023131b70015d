/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression and decompression (zlib, gzip, raw deflate, zstd, LZ4) on accelerators, on simulated ones, or on the
 * software path.
 */
#ifndef WD_COMP_H
#define WD_COMP_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules and calls that all classes share are described in wd_request.h. */

enum wd_comp_alg_type {
	WD_ZLIB,		/* RFC 1950 */
	WD_GZIP,		/* RFC 1952 */
	WD_DEFLATE_RAW,		/* RFC 1951, neither header nor trailer */
	WD_ZSTD,		/* RFC 8878 frames */
	WD_LZ4,			/* LZ4 frames, or bare blocks */
	WD_LZ77,		/* sequences of a block of WD_ZSTD, struct wd_lz77_seq; compression only */
};

/*
 * WD_SYNC: wd_compress(), wd_decompress() and streams; WD_ASYNC: wd_comp_async().
 *
 * A macro, since C can't give an enum a second tag and programs write "enum
 * wd_comp_op_type". Only the tag of wd_request.h is renamed.
 */
#define wd_comp_op_type wd_op_type

enum wd_comp_dir_type {
	WD_DIR_COMPRESS,
	WD_DIR_DECOMPRESS,
};

/* Window when compressing. A zlib header states 32K for 24K, and the software path uses 32K for it. */
enum wd_comp_win_type {
	WD_COMP_WS_4K,
	WD_COMP_WS_8K,
	WD_COMP_WS_16K,
	WD_COMP_WS_24K,
	WD_COMP_WS_32K,
};

/*
 * In place of those, for WD_ZSTD: a window of 1 << log bytes, log being 10 .. 31. When compressing, matches are looked
 * for as far back, from 27 on with zstd's search over long distances, and a device is used up to 15; when
 * decompressing, frames of larger windows are refused. With one of the windows above, a device has that, software the
 * one that zstd gives the level, and frames of up to 128 MiB are decompressed.
 *
 * For WD_LZ4: the size of a frame's blocks, log being 16, 18, 20 or 22. With one of the windows above, 22.
 */
#define WD_COMP_WS_LOG(log)	(0x40 + (log))

/*
 * Further bits of setup->flags, for WD_ZSTD and WD_LZ4 only.
 *
 * WD_COMP_SESS_CHECKSUM: frames end with a checksum of the data. When decompressing it has no effect: a checksum is
 * always compared.
 *
 * WD_COMP_SESS_BLOCK, WD_LZ4 with flat buffers only: bare blocks in place of frames. A block has neither length nor end
 * of its own, so src is exactly one block, dst has room for all of its data, and there are no streams.
 * Levels 1 and 2 use devices, whose blocks are compared with the source; src and dst must not overlap then, -EINVAL.
 */
#define WD_COMP_SESS_CHECKSUM	0x10000u
#define WD_COMP_SESS_BLOCK	0x20000u

/* arg->status: one of these, or the call's -errno if none of them applies. */
enum wd_comp_result {
	WD_COMP_OK = 0,
	WD_COMP_PARMS = -1,		/* the call returns -EINVAL */
	WD_DATA_ERR = -2,		/* -EBADMSG */
	WD_COMP_OUT_NOSPACE = -3,	/* -ENOSPC */
};

/*
 * wd_comp_status_str() - an arg->status or strm->status of this library in a few words.
 *
 * The values -1 to -3 of enum wd_comp_result are the numbers of other errors
 * in errno, and no request of compression ends with one of those. For the
 * return values of the calls and for wc.status there is wd_status_str(), which
 * also has the words for all other values here. Static storage, never NULL.
 * Any thread.
 */
const char *wd_comp_status_str(int status);

/*
 * setup->data_fmt is an enum wd_buff_type. With WD_SGL_BUF src and dst point to
 * a struct wd_datalist; src_len and *dst_len are totals over the list and must
 * not exceed the sum of its lengths.
 */

/* Flush of one stream call: strm->flags. Without a flush the library may hold data back. */
#define WD_COMP_FLUSH_SYNC	0x1u	/* the output so far is enough to decompress all input so far */
#define WD_COMP_FLUSH_FINISH	0x2u	/* the same as last = 1 */

/*
 * wd_comp_arg.flags: the result is a part of a raw deflate stream (RFC 1951) and not a whole one. It ends at a byte,
 * with an empty stored block and without a final one, and it refers to no data before it. Parts that follow each other
 * are one stream, in any order, from any maker; the two bytes 03 00 end it. So large data can be compressed by many
 * requests at once, and any of them can be repeated. Costs: matches don't reach back into the part before.
 *
 * Compression sessions of any format, else -EINVAL: parts are raw in each. Devices of generation 2 have no raw format,
 * so sessions of WD_ZLIB reach more devices. src_len is 1 byte to 4 MiB, above it -EFBIG. dst needs
 * wd_comp_bound() of src_len, whatever the data, else -ENOSPC. Synchronous and asynchronous. A part in flight on a
 * device takes 64 KiB of memory.
 */
#define WD_COMP_PART		0x1u

/*
 * A sequence of WD_LZ77: literals, and a match behind them. It has the layout of ZSTD_Sequence.
 *
 * A request compresses one block of 1 byte to WD_LZ77_MAX, above it -EFBIG. Its result in dst is an array of sequences,
 * which fills *dst_len. The last one has offset 0 and match 0 and the block's last literals, which may be none. All
 * lengths add up to src_len. An offset is never a repeat code, never reaches before src and never beyond the window of
 * the session, and every match has been compared with the data that it refers to: literals from src and the sequences
 * make the block again. src and dst must not overlap, -EINVAL.
 *
 * dst needs wd_comp_bound() of src_len at most, else -ENOSPC; it is aligned to 4 bytes, else -EINVAL. Levels from
 * WD_LZ77_PRICE on ask for a slower search, which finds more. Sessions have flat buffers and no streams, and compress.
 * A device's answer that isn't right is made again as in sessions with WD_SESS_VERIFY, whether a session has it or not.
 */
struct wd_lz77_seq {
	__u32 offset;		/* of the match: bytes back from its first one; 0: no match */
	__u32 literals;		/* bytes before the match */
	__u32 match;		/* bytes, WD_LZ77_MATCH_MIN or more; 0: no match */
	__u32 rep;		/* 0 */
};

#define WD_LZ77_MAX		(128u << 10)
#define WD_LZ77_MATCH_MIN	3u
#define WD_LZ77_PRICE		12

/* wd_comp_arg.flags of WD_LZ77: the block's literals follow behind the array, as many as its sequences have. */
#define WD_COMP_LITERALS	0x8u

struct wd_comp_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_comp_cb_t(struct wd_comp_arg *arg, void *cb_param);

/* One whole buffer. Members up to cb_param and flags .. wr_id are read, consumed .. path_reason are written. */
struct wd_comp_arg {
	const void *src;
	size_t src_len;			/* bytes */
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: bytes produced, 0 on an error */
	wd_alg_comp_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	__u32 flags;			/* 0 or WD_COMP_PART; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* bytes of src used; a decompression stops at the stream's end */
	__s32 status;			/* enum wd_comp_result or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* One call of a stream. */
struct wd_comp_strm {
	const void *src;
	size_t *src_len;		/* in: bytes available; out: consumed */
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: produced */
	size_t last;			/* 1: no input follows this, 0: more may follow */
	__u32 flags;			/* WD_COMP_FLUSH_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* as *src_len */
	__s32 status;
	__u16 path;
	__u16 path_reason;
	__u64 reserved[4];		/* 0 */
};

/* The library only reads a setup: several sessions and threads may share one. */
struct wd_comp_sess_setup {
	__u8 alg_type;			/* enum wd_comp_alg_type */
	__u8 op_type;			/* enum wd_comp_op_type */
	__u8 dir_type;			/* enum wd_comp_dir_type */
	__u8 comp_lv;			/* 1 .. 22 (a device ignores it); 0 only when decompressing */
	__u16 win_size;			/* enum wd_comp_win_type, or WD_COMP_WS_LOG() */
	__u16 data_fmt;			/* enum wd_buff_type */
	__u32 flags;			/* WD_SESS_*, WD_COMP_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/* wd_comp_alloc_sess() - allocate a session: see wd_request.h. */
handle_t wd_comp_alloc_sess(const struct wd_comp_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_comp_free_sess() - free a session: see wd_request.h. */
int wd_comp_free_sess(handle_t sess);

/*
 * wd_comp_reset_sess() - abandon the session's stream; the next call starts a new one.
 *
 * Returns 0 (also if there was no stream), -EINVAL, -EBUSY (a call is inside the stream).
 */
int wd_comp_reset_sess(handle_t sess);

/*
 * wd_compress(), wd_decompress() - process one whole buffer of any size.
 *
 * An empty src is compressed to an empty stream. A decompression ends at the
 * end of the stream (arg->consumed) and ignores what follows. Of zstd and LZ4,
 * frames to be skipped belong to the frame behind them; without one, the result
 * is empty.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL, -EBADMSG
 * (corrupt, truncated, wrong checksum), -ENOSPC (dst too small), -EFAULT (a
 * buffer is not mapped; on a device also if dst is read-only, which raises a
 * SIGSEGV on the software path), -ETIMEDOUT (timeout_ms has passed; the device
 * has been stopped), -ENODEV (device gone), -EIO (device reset or stopped),
 * -E2BIG (devices only, and a list has more pieces than they take), -EDQUOT
 * (devices only, and the section grants no context for it), -EOPNOTSUPP,
 * -ENOMEM.
 */
int wd_compress(handle_t sess, struct wd_comp_arg *arg);
int wd_decompress(handle_t sess, struct wd_comp_arg *arg);

/*
 * wd_strm_compress(), wd_strm_decompress() - take one step of the session's stream.
 *
 * A stream starts with the first call, and again with the first call after the
 * end of a stream. It is bound to one device or to the software path when it
 * starts, and never moves. Input and output may be split anywhere.
 *
 * Returns 0 to continue, 1 at the end (trailer written, or verified), else
 * -ENOSPC only if no progress is possible without more room (the stream can
 * continue), -EBADMSG for corrupt data and for input that ends early with last =
 * 1, -EBUSY if another thread is inside the stream, and the errors of
 * wd_compress(). After any error but -ENOSPC, -EBUSY and -EINVAL the stream is
 * over: wd_comp_reset_sess() starts a new one.
 */
int wd_strm_compress(handle_t sess, struct wd_comp_strm *strm);
int wd_strm_decompress(handle_t sess, struct wd_comp_strm *strm);

/*
 * wd_comp_async(), wd_comp_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * src may have at most 8 MiB. Further errors: -EBADMSG (src doesn't begin with
 * a header of the format), -EFAULT (src is not mapped), -E2BIG (devices only,
 * and a list has more pieces than they take).
 */
int wd_comp_async(handle_t sess, struct wd_comp_arg *arg, const wd_ctx_set_t *set);
int wd_comp_async_burst(handle_t sess, struct wd_comp_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_comp_poll(), wd_comp_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_comp_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_comp_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_comp_wait(), wd_comp_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_comp_wait(handle_t sess, unsigned int timeout_ms);
int wd_comp_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_comp_wakeup(), wd_comp_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_comp_wakeup(handle_t sess);
int wd_comp_wakeup_set(const wd_ctx_set_t *set);

/* wd_comp_bound() - bytes that compressing len bytes in this session needs at most; 0 and errno EINVAL, EOVERFLOW. */
size_t wd_comp_bound(handle_t sess, size_t len);

/* wd_comp_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_comp_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
