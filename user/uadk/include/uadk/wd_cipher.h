/* SPDX-License-Identifier: Apache-2.0 */
/* Block ciphers, under the names of UADK 2. */
#ifndef UADK_WD_CIPHER_H
#define UADK_WD_CIPHER_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AES_BLOCK_SIZE		16
#define GCM_IV_SIZE		12
#define DES3_BLOCK_SIZE		8
#define MAX_CIPHER_KEY_SIZE	64
#define MAX_IV_SIZE		AES_BLOCK_SIZE

enum {
	CTX_TYPE_ENCRYPT = 0,
	CTX_TYPE_DECRYPT,
};

enum wd_cipher_op_type {
	WD_CIPHER_ENCRYPTION,
	WD_CIPHER_DECRYPTION,
};

enum wd_cipher_alg {
	WD_CIPHER_SM4,
	WD_CIPHER_AES,
	WD_CIPHER_DES,			/* not supported */
	WD_CIPHER_3DES,
	WD_CIPHER_ALG_TYPE_MAX,
};

enum wd_cipher_mode {
	WD_CIPHER_ECB,
	WD_CIPHER_CBC,
	WD_CIPHER_CTR,
	WD_CIPHER_XTS,
	WD_CIPHER_OFB,
	WD_CIPHER_CFB,
	WD_CIPHER_CBC_CS1,
	WD_CIPHER_CBC_CS2,
	WD_CIPHER_CBC_CS3,
	WD_CIPHER_CCM,			/* wd_aead.h */
	WD_CIPHER_GCM,			/* wd_aead.h */
	WD_CIPHER_XTS_GB,		/* not supported */
	WD_CIPHER_MODE_TYPE_MAX,
};

struct wd_cipher_sess_setup {
	enum wd_cipher_alg alg;
	enum wd_cipher_mode mode;
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

struct wd_cipher_req;
typedef void *wd_alg_cipher_cb_t(struct wd_cipher_req *req, void *cb_param);

/* The callback gets a copy of the request. */
struct wd_cipher_req {
	enum wd_cipher_op_type op_type;
	union {
		struct wd_datalist *list_src;
		void *src;
	};
	union {
		struct wd_datalist *list_dst;
		void *dst;
	};
	void *iv;			/* in modes that chain, a synchronous request leaves the next one's value */
	__u32 in_bytes;
	__u32 iv_bytes;
	__u32 out_buf_bytes;
	__u32 out_bytes;
	__u16 state;			/* WD_SUCCESS, or WD_E* */
	__u8 type;
	__u8 data_fmt;			/* enum wd_buff_type */
	wd_alg_cipher_cb_t *cb;
	void *cb_param;
};

/* See wd_alg_common.h. */
int wd_cipher_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_cipher_uninit(void);
int wd_cipher_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_cipher_init2(alg, sched_type, task_type) wd_cipher_init2_(alg, sched_type, task_type, NULL)
void wd_cipher_uninit2(void);
int wd_cipher_env_init(struct wd_sched *sched);
void wd_cipher_env_uninit(void);
handle_t wd_cipher_alloc_sess(struct wd_cipher_sess_setup *setup);
void wd_cipher_free_sess(handle_t h_sess);
int wd_do_cipher_sync(handle_t h_sess, struct wd_cipher_req *req);
int wd_do_cipher_async(handle_t h_sess, struct wd_cipher_req *req);
int wd_cipher_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_cipher_poll(__u32 expt, __u32 *count);

/* wd_cipher_set_key() - 0, -WD_EINVAL, -WD_EBUSY (requests are in flight), -WD_ENOMEM. */
int wd_cipher_set_key(handle_t h_sess, const __u8 *key, __u32 key_len);

/* Refused: -WD_EINVAL. */
int wd_cipher_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_cipher_ctx_num_uninit(void);
int wd_cipher_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
