/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption, under the names of UADK 2. */
#ifndef UADK_WD_AEAD_H
#define UADK_WD_AEAD_H

#include "wd_alg_common.h"
#include "wd_cipher.h"
#include "wd_digest.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AIV_STREAM_LEN	64

enum wd_aead_op_type {
	WD_CIPHER_ENCRYPTION_DIGEST,
	WD_CIPHER_DECRYPTION_DIGEST,
	WD_DIGEST_CIPHER_ENCRYPTION,	/* not supported */
	WD_DIGEST_CIPHER_DECRYPTION,	/* not supported */
};

struct wd_aead_sess_setup {
	enum wd_cipher_alg calg;
	enum wd_cipher_mode cmode;
	enum wd_digest_type dalg;
	enum wd_digest_mode dmode;
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

/* GCM only, and synchronous. */
enum wd_aead_msg_state {
	AEAD_MSG_BLOCK = 0x0,
	AEAD_MSG_FIRST,
	AEAD_MSG_MIDDLE,
	AEAD_MSG_END,
	AEAD_MSG_INVALID,
};

struct wd_aead_req;
typedef void *wd_alg_aead_cb_t(struct wd_aead_req *req, void *cb_param);

/* src begins with assoc_bytes that are only authenticated, and so does dst. The callback gets a copy of the request. */
struct wd_aead_req {
	enum wd_aead_op_type op_type;
	union {
		struct wd_datalist *list_src;
		void *src;
	};
	union {
		struct wd_datalist *list_dst;
		void *dst;
	};
	void *mac;
	void *iv;
	__u32 in_bytes;			/* without assoc_bytes */
	__u32 out_bytes;
	__u16 iv_bytes;
	__u16 mac_bytes;
	__u16 assoc_bytes;
	__u16 state;			/* WD_SUCCESS, or WD_E* */
	__u8 data_fmt;			/* enum wd_buff_type */
	wd_alg_aead_cb_t *cb;
	void *cb_param;
	enum wd_aead_msg_state msg_state;
};

/* See wd_alg_common.h. */
int wd_aead_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_aead_uninit(void);
int wd_aead_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_aead_init2(alg, sched_type, task_type) wd_aead_init2_(alg, sched_type, task_type, NULL)
void wd_aead_uninit2(void);
int wd_aead_env_init(struct wd_sched *sched);
void wd_aead_env_uninit(void);
handle_t wd_aead_alloc_sess(struct wd_aead_sess_setup *setup);
void wd_aead_free_sess(handle_t h_sess);
int wd_do_aead_sync(handle_t h_sess, struct wd_aead_req *req);
int wd_do_aead_async(handle_t h_sess, struct wd_aead_req *req);
int wd_aead_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_aead_poll(__u32 expt, __u32 *count);

int wd_aead_set_ckey(handle_t h_sess, const __u8 *key, __u16 key_len);
int wd_aead_set_akey(handle_t h_sess, const __u8 *key, __u16 key_len);
int wd_aead_set_authsize(handle_t h_sess, __u16 authsize);
int wd_aead_get_authsize(handle_t h_sess);
int wd_aead_get_maxauthsize(handle_t h_sess);

/* Refused: -WD_EINVAL. */
int wd_aead_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_aead_ctx_num_uninit(void);
int wd_aead_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
