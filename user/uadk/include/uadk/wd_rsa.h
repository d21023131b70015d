/* SPDX-License-Identifier: Apache-2.0 */
/* RSA, the bare primitives, under the names of UADK 2. */
#ifndef UADK_WD_RSA_H
#define UADK_WD_RSA_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CRT_PARAMS_SZ(key_size)		((5 * (key_size)) >> 1)
#define CRT_GEN_PARAMS_SZ(key_size)	((7 * (key_size)) >> 1)
#define GEN_PARAMS_SZ(key_size)		((key_size) << 1)
#define CRT_PARAM_SZ(key_size)		((key_size) >> 1)

/* Gets a copy of the request as its only argument, whatever its name. */
typedef void (*wd_rsa_cb_t)(void *cb_param);

/* src and dst: as many bytes as the modulus; to make a key, struct wd_rsa_kg_in and struct wd_rsa_kg_out. */
struct wd_rsa_req {
	void *src;
	void *dst;
	__u32 src_bytes;
	__u32 dst_bytes;
	wd_rsa_cb_t cb;
	void *cb_param;
	int status;			/* WD_SUCCESS, or WD_E* */
	__u8 data_fmt;			/* WD_FLAT_BUF */
	__u8 op_type;			/* enum wd_rsa_op_type */
};

struct wd_rsa_kg_in;
struct wd_rsa_kg_out;
struct wd_rsa_pubkey;
struct wd_rsa_prikey;

enum wd_rsa_op_type {
	WD_RSA_INVALID,
	WD_RSA_SIGN,
	WD_RSA_VERIFY,
	WD_RSA_GENKEY,
};

enum wd_rsa_key_type {
	WD_RSA_INVALID_KEY,
	WD_RSA_PUBKEY,
	WD_RSA_PRIKEY1,
	WD_RSA_PRIKEY2,
};

struct wd_rsa_sess_setup {
	__u16 key_bits;			/* 1024, 2048, 3072, 4096 */
	bool is_crt;
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

/* See wd_alg_common.h. */
int wd_rsa_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_rsa_uninit(void);
int wd_rsa_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_rsa_init2(alg, sched_type, task_type) wd_rsa_init2_(alg, sched_type, task_type, NULL)
void wd_rsa_uninit2(void);
int wd_rsa_env_init(struct wd_sched *sched);
void wd_rsa_env_uninit(void);
handle_t wd_rsa_alloc_sess(struct wd_rsa_sess_setup *setup);
void wd_rsa_free_sess(handle_t sess);
int wd_do_rsa_sync(handle_t sess, struct wd_rsa_req *req);
int wd_do_rsa_async(handle_t sess, struct wd_rsa_req *req);
int wd_rsa_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_rsa_poll(__u32 expt, __u32 *count);

bool wd_rsa_is_crt(handle_t sess);
__u32 wd_rsa_get_key_bits(handle_t sess);

/* The session's key. What the getters return points into the session. */
int wd_rsa_set_pubkey_params(handle_t sess, struct wd_dtb *e, struct wd_dtb *n);
int wd_rsa_set_prikey_params(handle_t sess, struct wd_dtb *d, struct wd_dtb *n);
int wd_rsa_set_crt_prikey_params(handle_t sess, struct wd_dtb *dq, struct wd_dtb *dp, struct wd_dtb *qinv,
				 struct wd_dtb *q, struct wd_dtb *p);
void wd_rsa_get_pubkey(handle_t sess, struct wd_rsa_pubkey **pubkey);
void wd_rsa_get_prikey(handle_t sess, struct wd_rsa_prikey **prikey);
void wd_rsa_get_pubkey_params(struct wd_rsa_pubkey *pbk, struct wd_dtb **e, struct wd_dtb **n);
void wd_rsa_get_prikey_params(struct wd_rsa_prikey *pvk, struct wd_dtb **d, struct wd_dtb **n);
void wd_rsa_get_crt_prikey_params(struct wd_rsa_prikey *pvk, struct wd_dtb **dq, struct wd_dtb **dp,
				  struct wd_dtb **qinv, struct wd_dtb **q, struct wd_dtb **p);

/* Operands and results of key generation. */
struct wd_rsa_kg_in *wd_rsa_new_kg_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *p, struct wd_dtb *q);
void wd_rsa_del_kg_in(handle_t sess, struct wd_rsa_kg_in *ki);
void wd_rsa_get_kg_in_params(struct wd_rsa_kg_in *kin, struct wd_dtb *e, struct wd_dtb *q, struct wd_dtb *p);
struct wd_rsa_kg_out *wd_rsa_new_kg_out(handle_t sess);
void wd_rsa_del_kg_out(handle_t sess, struct wd_rsa_kg_out *kout);
void wd_rsa_get_kg_out_params(struct wd_rsa_kg_out *kout, struct wd_dtb *d, struct wd_dtb *n);
void wd_rsa_get_kg_out_crt_params(struct wd_rsa_kg_out *kout, struct wd_dtb *qinv, struct wd_dtb *dq,
				  struct wd_dtb *dp);

/* Of drivers only; refused. */
int wd_rsa_kg_in_data(struct wd_rsa_kg_in *ki, char **data);
int wd_rsa_kg_out_data(struct wd_rsa_kg_out *ko, char **data);
void wd_rsa_set_kg_out_crt_psz(struct wd_rsa_kg_out *kout, size_t qinv_sz, size_t dq_sz, size_t dp_sz);
void wd_rsa_set_kg_out_psz(struct wd_rsa_kg_out *kout, size_t d_sz, size_t n_sz);

/* Refused: -WD_EINVAL. */
int wd_rsa_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_rsa_ctx_num_uninit(void);
int wd_rsa_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
