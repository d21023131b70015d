/* SPDX-License-Identifier: Apache-2.0 */
/* Compression and decompression, under the names of UADK 2. */
#ifndef UADK_WD_COMP_H
#define UADK_WD_COMP_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum wd_comp_alg_type {
	WD_DEFLATE,
	WD_ZLIB,
	WD_GZIP,
	WD_LZ77_ZSTD,			/* not supported */
	WD_LZ4,
	WD_LZ77_ONLY,			/* not supported */
	WD_COMP_ALG_MAX,
};

enum wd_comp_op_type {
	WD_DIR_COMPRESS,
	WD_DIR_DECOMPRESS,
	WD_DIR_MAX,
};

enum wd_comp_level {
	WD_COMP_L1 = 1,
	WD_COMP_L2,
	WD_COMP_L3,
	WD_COMP_L4,
	WD_COMP_L5,
	WD_COMP_L6,
	WD_COMP_L7,
	WD_COMP_L8,
	WD_COMP_L9,
	WD_COMP_L10,
	WD_COMP_L11,
	WD_COMP_L12,
	WD_COMP_L13,
	WD_COMP_L14,
	WD_COMP_L15,
};

enum wd_comp_winsz_type {
	WD_COMP_WS_4K,
	WD_COMP_WS_8K,
	WD_COMP_WS_16K,
	WD_COMP_WS_24K,
	WD_COMP_WS_32K,
};

struct wd_comp_req;
typedef void *wd_alg_comp_cb_t(struct wd_comp_req *req, void *cb_param);

/* The callback gets a copy of the request, which is valid until it returns. */
struct wd_comp_req {
	union {
		void *src;
		struct wd_datalist *list_src;
	};
	__u32 src_len;			/* in: bytes; out: consumed */
	union {
		void *dst;
		struct wd_datalist *list_dst;
	};
	__u32 dst_len;			/* in: bytes of room; out: produced */
	wd_alg_comp_cb_t *cb;
	void *cb_param;
	enum wd_comp_op_type op_type;
	enum wd_buff_type data_fmt;
	__u32 last;			/* of streams */
	__u32 status;			/* WD_SUCCESS, WD_STREAM_END, WD_OUT_EPARA, WD_IN_EPARA, .. */
	void *priv;
};

struct wd_lz77_zstd_data {
	void *literals_start;
	void *sequences_start;
	__u32 lit_num;
	__u32 seq_num;
	__u32 lit_length_overflow_cnt;
	__u32 lit_length_overflow_pos;
	void *freq;
	__u32 blk_type;
};

struct wd_comp_sess_setup {
	enum wd_comp_alg_type alg_type;
	enum wd_comp_level comp_lv;	/* 0: the default. A session that decompresses ignores level and window */
	enum wd_comp_winsz_type win_sz;
	enum wd_comp_op_type op_type;
	void *sched_param;		/* struct sched_params */
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

/* See wd_alg_common.h. */
int wd_comp_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_comp_uninit(void);
int wd_comp_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_comp_init2(alg, sched_type, task_type) wd_comp_init2_(alg, sched_type, task_type, NULL)
void wd_comp_uninit2(void);
int wd_comp_env_init(struct wd_sched *sched);
void wd_comp_env_uninit(void);
handle_t wd_comp_alloc_sess(struct wd_comp_sess_setup *setup);
void wd_comp_free_sess(handle_t h_sess);
int wd_do_comp_sync(handle_t h_sess, struct wd_comp_req *req);
int wd_do_comp_async(handle_t h_sess, struct wd_comp_req *req);
int wd_comp_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_comp_poll(__u32 expt, __u32 *count);

/* wd_do_comp_sync2() - the same as wd_do_comp_sync(), which takes any size. */
int wd_do_comp_sync2(handle_t h_sess, struct wd_comp_req *req);

/*
 * wd_do_comp_strm() - take one step of the session's stream; flat buffers.
 *
 * src_len below what was given means: call again with the rest, and more room. A step that compresses ends with a
 * flush. status is WD_STREAM_END at the end.
 */
int wd_do_comp_strm(handle_t h_sess, struct wd_comp_req *req);

/* wd_comp_reset_sess() - abandon the stream. */
int wd_comp_reset_sess(handle_t h_sess);

/* Refused: -WD_EINVAL. */
int wd_comp_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_comp_ctx_num_uninit(void);
int wd_comp_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
