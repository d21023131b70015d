/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman, under the names of UADK 2. */
#ifndef UADK_WD_DH_H
#define UADK_WD_DH_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gets a copy of the request as its only argument, whatever its name. */
typedef void (*wd_dh_cb_t)(void *cb_param);

enum wd_dh_op_type {
	WD_DH_INVALID,
	WD_DH_PHASE1,			/* g^x mod p */
	WD_DH_PHASE2,			/* pv^x mod p */
};

struct wd_dh_sess_setup {
	__u16 key_bits;			/* 768, 1024, 1536, 2048, 3072, 4096 */
	bool is_g2;			/* the generator is 2 */
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

/* Requests of a session with another p come one after the other. */
struct wd_dh_req {
	void *x_p;			/* x in the first half, p in the second: key_bits / 8 bytes each */
	void *pv;			/* phase 2: the peer's value */
	void *pri;			/* the result */
	__u16 pri_bytes;		/* in: room; out: bytes, without leading zeroes */
	__u16 pbytes;
	__u16 xbytes;
	__u16 pvbytes;
	wd_dh_cb_t cb;
	void *cb_param;
	int status;			/* WD_SUCCESS, or WD_E* */
	__u8 op_type;			/* enum wd_dh_op_type */
	__u8 data_fmt;			/* WD_FLAT_BUF */
};

/* See wd_alg_common.h. */
int wd_dh_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_dh_uninit(void);
int wd_dh_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_dh_init2(alg, sched_type, task_type) wd_dh_init2_(alg, sched_type, task_type, NULL)
void wd_dh_uninit2(void);
int wd_dh_env_init(struct wd_sched *sched);
void wd_dh_env_uninit(void);
handle_t wd_dh_alloc_sess(struct wd_dh_sess_setup *setup);
void wd_dh_free_sess(handle_t sess);
int wd_do_dh_sync(handle_t sess, struct wd_dh_req *req);
int wd_do_dh_async(handle_t sess, struct wd_dh_req *req);
int wd_dh_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_dh_poll(__u32 expt, __u32 *count);

int wd_dh_get_mode(handle_t sess, __u8 *alg_mode);
__u32 wd_dh_key_bits(handle_t sess);
int wd_dh_set_g(handle_t sess, struct wd_dtb *g);
void wd_dh_get_g(handle_t sess, struct wd_dtb **g);

/* Refused: -WD_EINVAL. */
int wd_dh_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_dh_ctx_num_uninit(void);
int wd_dh_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
