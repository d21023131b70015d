/* SPDX-License-Identifier: Apache-2.0 */
/* What the classes of algorithms share: contexts, schedulers, lists. */
#ifndef UADK_WD_ALG_COMMON_H
#define UADK_WD_ALG_COMMON_H

#include <pthread.h>
#include "wd.h"
#include "wd_alg.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BYTE_BITS		8
#define BYTE_BITS_SHIFT		3
#define GET_NEGATIVE(val)	(0 - (val))
#define BITS_TO_BYTES(bits)	(((bits) + 7) >> 3)
#define BYTES_TO_BITS(bytes)	((bytes) << 3)
#define MAX_STR_LEN		256
#define CTX_TYPE_INVALID	9999
#define POLL_TIME		1000

enum alg_task_type {
	TASK_MIX = 0x0,			/* devices, else the CPU */
	TASK_HW,			/* devices only */
	TASK_INSTR,			/* as TASK_MIX: the library chooses */
	TASK_MAX_TYPE,
};

enum wd_ctx_mode {
	CTX_MODE_SYNC = 0,
	CTX_MODE_ASYNC,
	CTX_MODE_MAX,
};

struct wd_cap_config {
	__u32 ctx_msg_num;
	__u32 resv;
};

/* Tokens, and what the program wants of them. The library takes their numbers as a hint. */
struct wd_ctx {
	handle_t ctx;
	__u8 op_type;
	__u8 ctx_mode;			/* enum wd_ctx_mode */
};

struct wd_ctx_config {
	__u32 ctx_num;
	struct wd_ctx *ctxs;
	void *priv;
	struct wd_cap_config *cap;
};

struct wd_ctx_nums {
	__u32 sync_ctx_num;
	__u32 async_ctx_num;
};

struct bitmask;
struct wd_ctx_params {
	__u32 op_type_num;
	struct wd_ctx_nums *ctx_set_num;	/* op_type_num of them */
	struct bitmask *bmp;
	struct wd_cap_config *cap;
};

/* A scheduler is a hint, too: none of its functions is called. */
struct wd_sched {
	const char *name;
	int sched_policy;
	handle_t (*sched_init)(handle_t h_sched_ctx, void *sched_param);
	__u32 (*pick_next_ctx)(handle_t h_sched_ctx, void *sched_key, const int sched_mode);
	int (*poll_policy)(handle_t h_sched_ctx, __u32 expect, __u32 *count);
	handle_t h_sched_ctx;
};

typedef int (*wd_alg_init)(struct wd_ctx_config *config, struct wd_sched *sched);
typedef int (*wd_alg_poll_ctx)(__u32 idx, __u32 expt, __u32 *count);

/* A piece of a buffer; the last one has next NULL. */
struct wd_datalist {
	void *data;
	__u32 len;
	struct wd_datalist *next;
};

/*
 * The calls of each class; <x> is comp, cipher, digest, aead, rsa, dh or ecc.
 *
 * wd_<x>_init() - prepare the class. wd_<x>_init2_() takes an algorithm's name instead, and wd_<x>_env_init() nothing.
 *	0; -WD_EEXIST: done already, in this process; -WD_EINVAL; -WD_ENODEV (TASK_HW, and no device); -WD_ETIMEDOUT
 *	(another thread has been in such a call for three seconds). In a fork's child the class isn't prepared.
 * wd_<x>_uninit(), _uninit2(), _env_uninit() - the reverse. Sessions that exist go on working.
 * wd_<x>_alloc_sess() - 0 and errno: EINVAL (also: not prepared), ENODEV, ENOMEM, EOPNOTSUPP.
 * wd_<x>_free_sess() - ends the session's requests in flight, without callbacks.
 * wd_do_<x>_sync() - 0, or -WD_E*.
 * wd_do_<x>_async() - 0, -WD_EINVAL, -WD_EBUSY (64Ki requests are in flight, or no context has room), and others.
 * wd_<x>_poll_ctx() - deliver at most expt results; *count says how many; -WD_EAGAIN: fewer than expt.
 * wd_<x>_poll() - wait until expt results are delivered or nothing is in flight; adds to *count.
 */

#ifdef __cplusplus
}
#endif

#endif
