/* SPDX-License-Identifier: Apache-2.0 */
/* Compression and decompression (zlib, gzip, raw deflate) on accelerators, on simulated ones, or on this CPU. */
#ifndef WD_COMP_H
#define WD_COMP_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Rules that hold for every function here
 *
 * Errors: 0 or a count, else -errno (errno itself is left alone). A function
 * that returns a handle or a size returns 0 and sets errno. In words:
 * wd_error_detail(session, ...), or wd_error_detail(0, ...) for the calling
 * thread's last failed call.
 *
 * Buffers: any memory of the process. When a call returns, or a callback
 * starts, with whatever result, nobody reads or writes the request's buffers
 * any more. On an error *dst_len is 0, and nothing is ever written past the
 * length given. An asynchronous request that isn't taken is left as it was.
 *
 * Threads: any thread may use any session, several at once; one stream per
 * session, with one call at a time (another gets -EBUSY).
 *
 * fork: the child's copies of stateless sessions go on working, on the
 * child's own contexts. A half-done stream answers -ESTALE in the child; what
 * was in flight belongs to the parent, whose callbacks never run in the child.
 *
 * Interrupted system calls are retried; nothing here may be called from a
 * signal handler.
 */

enum wd_comp_alg_type {
	WD_ZLIB,		/* RFC 1950 */
	WD_GZIP,		/* RFC 1952 */
	WD_DEFLATE_RAW,		/* RFC 1951, neither header nor trailer */
};

/* WD_SYNC: wd_compress(), wd_decompress() and streams; WD_ASYNC: wd_comp_async(). */
#define wd_comp_op_type wd_op_type

enum wd_comp_dir_type {
	WD_DIR_COMPRESS,
	WD_DIR_DECOMPRESS,
};

/* Window when compressing. 24K is written as 32K into a zlib header and treated as 32K by the CPU path. */
enum wd_comp_win_type {
	WD_COMP_WS_4K,
	WD_COMP_WS_8K,
	WD_COMP_WS_16K,
	WD_COMP_WS_24K,
	WD_COMP_WS_32K,
};

/* arg->status: one of these, or the call's -errno when none of them says it. */
enum wd_comp_result {
	WD_COMP_OK = 0,
	WD_COMP_PARMS = -1,		/* the call returns -EINVAL */
	WD_DATA_ERR = -2,		/* -EBADMSG */
	WD_COMP_OUT_NOSPACE = -3,	/* -ENOSPC */
};

/*
 * setup->data_fmt is an enum wd_buff_type. With WD_SGL_BUF src and dst point to
 * a struct wd_datalist; src_len and *dst_len count over the list, and must not
 * exceed its sum.
 */

/* Flush of one stream call: strm->flags. Without one the library may keep data back. */
#define WD_COMP_FLUSH_SYNC	0x1u	/* everything given so far can be decompressed from what was produced */
#define WD_COMP_FLUSH_FINISH	0x2u	/* the same as last = 1 */

struct wd_comp_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_comp_cb_t(struct wd_comp_arg *arg, void *cb_param);

/* One whole buffer. Members up to cb_param and flags .. wr_id are read, consumed .. path_reason are written. */
struct wd_comp_arg {
	const void *src;
	size_t src_len;			/* bytes */
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: bytes produced, 0 on an error */
	wd_alg_comp_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	__u32 flags;			/* 0; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, untouched */
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
	__u64 wr_id;			/* the caller's, untouched */
	__u64 consumed;			/* as *src_len */
	__s32 status;
	__u16 path;
	__u16 path_reason;
	__u64 reserved[4];		/* 0 */
};

/* Only read, so one may serve many sessions and threads. */
struct wd_comp_sess_setup {
	__u8 alg_type;			/* enum wd_comp_alg_type */
	__u8 op_type;			/* enum wd_comp_op_type */
	__u8 dir_type;			/* enum wd_comp_dir_type */
	__u8 comp_lv;			/* 1 .. 22 (a device ignores it); 0 only when decompressing */
	__u16 win_size;			/* enum wd_comp_win_type */
	__u16 data_fmt;			/* enum wd_buff_type */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_comp_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use (as wd_dev_mask_from_list() and wd_dev_mask_set()
 * make it), NULL for all; read only during the call. With NULL no device is
 * needed unless WD_PATH=hw or WD_SESS_PATH_HW says so; with a mask one of its
 * devices must be there.
 *
 * Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown enum value or
 * flag, level or window out of range; the detail names the member), ENODEV
 * (devices only or a mask, and none fits), EBUSY (devices only, and all queues taken),
 * EDQUOT (the same of what its section grants), ENOENT, EUSERS, ESHUTDOWN (its
 * section can't be had: wd_user.h),
 * EACCES, EOPNOTSUPP (WD_PATH forbids what the session asks for), ESTALE (the
 * completion queue was made before fork()), ENOMEM.
 */
handle_t wd_comp_alloc_sess(const struct wd_comp_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_comp_free_sess() - free a session, abandoning its stream if it has one.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, or a thread inside the stream; nothing freed), -EDEADLK (from its own callback).
 */
int wd_comp_free_sess(handle_t sess);

/*
 * wd_comp_reset_sess() - abandon the session's stream; the next call starts a new one.
 *
 * Returns 0 (also when there was none), -EINVAL, -EBUSY (a call is inside the stream).
 */
int wd_comp_reset_sess(handle_t sess);

/*
 * wd_compress(), wd_decompress() - one whole buffer, any size.
 *
 * An empty src is compressed to an empty stream. A decompression ends where
 * the stream ends (arg->consumed): what follows is the caller's.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL, -EBADMSG
 * (corrupt, cut off, wrong checksum), -ENOSPC (dst too small), -EFAULT (a
 * buffer is not mapped; or protected, on a device: this CPU takes the fault), -ETIMEDOUT (timeout_ms passed; the
 * device has been stopped), -ENODEV (device gone), -EIO (device reset or
 * stopped), -E2BIG (devices only, and a list of more pieces than they take), -EDQUOT
 * (devices only, and no context of the section's grant can be had), -EOPNOTSUPP, -ENOMEM.
 */
int wd_compress(handle_t sess, struct wd_comp_arg *arg);
int wd_decompress(handle_t sess, struct wd_comp_arg *arg);

/*
 * wd_strm_compress(), wd_strm_decompress() - a step of the session's stream.
 *
 * A stream starts by itself at the first call and after the end of the one
 * before; it is bound to one device or to this CPU when it starts and never
 * moves. Input may be cut and output taken anywhere.
 *
 * Returns 0 to go on, 1 at the end (trailer written, or verified), else
 * -ENOSPC only if no progress is possible without more room (the stream can
 * go on), -EBADMSG for corrupt data and for input that ends early with last =
 * 1, -EBUSY when another thread is inside, and the errors of wd_compress().
 * After any error but -ENOSPC, -EBUSY and -EINVAL the stream is over:
 * wd_comp_reset_sess() starts a new one.
 */
int wd_strm_compress(handle_t sess, struct wd_comp_strm *strm);
int wd_strm_decompress(handle_t sess, struct wd_comp_strm *strm);

/*
 * wd_comp_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg, src,
 * dst, *dst_len and list nodes. On the CPU path the poller computes.
 *
 * Returns 0, -EINVAL, -EBUSY (full, or so is the completion queue: poll, or wd_comp_wait()), -EFBIG (src
 * above wd_comp_async's limit of 8 MiB), -EBADMSG (src doesn't begin with a
 * header of the format), -E2BIG, -EDQUOT, -ENODEV, -EIO, -ESTALE. What was refused is untouched:
 * arg's results and *dst_len keep their values, and no callback will run.
 */
int wd_comp_async(handle_t sess, struct wd_comp_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_comp_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_comp_async_burst(handle_t sess, struct wd_comp_arg *args[], int n, const wd_ctx_set_t *set);

/*
 * wd_comp_poll() - run callbacks of finished requests.
 *
 * Returns when count callbacks have run, nothing is in flight in the set (NULL:
 * all asynchronous contexts of compression), or timeout_ms is over. n > 0: as
 * many ran; 0: nothing in flight, or timeout_ms 0 and none ready; -ETIMEDOUT: time
 * over, some in flight, none finished; -ENODEV: every context of the set is
 * gone; -EINVAL: count 0, a bad set or an empty one; -ESTALE: a set from before fork().
 * Any number of threads may poll.
 */
int wd_comp_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_comp_wait(), wd_comp_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE. Room that
 * came between the -EBUSY and this call counts.
 */
int wd_comp_wait(handle_t sess, unsigned int timeout_ms);
int wd_comp_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_comp_wakeup(), wd_comp_wakeup_set() - wake those who wait so, or in wd_comp_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_comp_wakeup(handle_t sess);
int wd_comp_wakeup_set(const wd_ctx_set_t *set);

/* wd_comp_bound() - bytes of room that compressing len bytes can ever need in this session; 0 and errno EINVAL, EOVERFLOW. */
size_t wd_comp_bound(handle_t sess, size_t len);

/*
 * wd_comp_poll_wait() - sleep until there are callbacks to run, and run them.
 *
 * The loop of a thread that does nothing else. As wd_comp_poll(), but it also
 * sleeps while nothing is in flight, and returns with the first callbacks, at
 * most count of them. n > 0: as many ran; 0: wd_comp_wakeup() or
 * wd_comp_wakeup_set() was called since this thread's last 0; -ETIMEDOUT: time
 * over, none ran; else the errors of wd_comp_poll().
 */
int wd_comp_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_comp_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_comp_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
