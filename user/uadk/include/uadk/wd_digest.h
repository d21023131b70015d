/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes and HMACs, under the names of UADK 2. */
#ifndef UADK_WD_DIGEST_H
#define UADK_WD_DIGEST_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum wd_digest_type {
	WD_DIGEST_SM3,
	WD_DIGEST_MD5,
	WD_DIGEST_SHA1,
	WD_DIGEST_SHA256,
	WD_DIGEST_SHA224,
	WD_DIGEST_SHA384,
	WD_DIGEST_SHA512,
	WD_DIGEST_SHA512_224,
	WD_DIGEST_SHA512_256,
	WD_DIGEST_AES_XCBC_MAC_96,	/* this and the next three: not supported */
	WD_DIGEST_AES_XCBC_PRF_128,
	WD_DIGEST_AES_CMAC,
	WD_DIGEST_AES_GMAC,
	WD_DIGEST_TYPE_MAX,
};

enum wd_digest_mac_len {
	WD_DIGEST_SM3_LEN = 32,
	WD_DIGEST_MD5_LEN = 16,
	WD_DIGEST_SHA1_LEN = 20,
	WD_DIGEST_SHA256_LEN = 32,
	WD_DIGEST_SHA224_LEN = 28,
	WD_DIGEST_SHA384_LEN = 48,
	WD_DIGEST_SHA512_LEN = 64,
	WD_DIGEST_SHA512_224_LEN = 28,
	WD_DIGEST_SHA512_256_LEN = 32,
	WD_DIGEST_AES_XCBC_MAC_96_LEN = 12,
	WD_DIGEST_AES_XCBC_PRF_128_LEN = 16,
	WD_DIGEST_AES_CMAC_LEN = 16,
	WD_DIGEST_AES_GMAC_LEN = 16,
};

/* out_bytes of a part that isn't the last one. */
enum wd_digest_mac_full_len {
	WD_DIGEST_SM3_FULL_LEN = 32,
	WD_DIGEST_MD5_FULL_LEN = 16,
	WD_DIGEST_SHA1_FULL_LEN = 20,
	WD_DIGEST_SHA256_FULL_LEN = 32,
	WD_DIGEST_SHA224_FULL_LEN = 32,
	WD_DIGEST_SHA384_FULL_LEN = 64,
	WD_DIGEST_SHA512_FULL_LEN = 64,
	WD_DIGEST_SHA512_224_FULL_LEN = 64,
	WD_DIGEST_SHA512_256_FULL_LEN = 64,
};

enum wd_digest_mode {
	WD_DIGEST_NORMAL,
	WD_DIGEST_HMAC,
	WD_DIGEST_MODE_MAX,
};

/* has_next: END alone is a whole message; parts are DOING .. END, or DOING, STREAM_DOING .. STREAM_END. */
enum wd_digest_msg_state {
	WD_DIGEST_END = 0x0,
	WD_DIGEST_DOING,
	WD_DIGEST_STREAM_END,
	WD_DIGEST_STREAM_DOING,
	WD_DIGEST_MSG_STATE_MAX,
};

struct wd_digest_sess_setup {
	enum wd_digest_type alg;
	enum wd_digest_mode mode;
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

/* Gets a copy of the request as its only argument, whatever its name. */
typedef void *wd_digest_cb_t(void *cb_param);

struct wd_digest_req {
	union {
		void *in;
		struct wd_datalist *list_in;
	};
	void *out;
	__u32 in_bytes;
	__u32 out_bytes;		/* of the digest, which may be cut */
	__u32 out_buf_bytes;		/* out_bytes or more */
	__u8 *iv;
	__u32 iv_bytes;
	__u16 state;			/* WD_SUCCESS, or WD_E* */
	__u16 has_next;			/* enum wd_digest_msg_state */
	__u8 data_fmt;			/* enum wd_buff_type */
	wd_digest_cb_t *cb;
	void *cb_param;
	__u64 long_data_len;
};

struct wd_cb_tag {
	void *ctx;
	void *tag;
	int ctx_id;
};

struct wd_digest_tag {
	struct wd_cb_tag wd_tag;
	__u64 long_data_len;
	void *priv;
};

/* See wd_alg_common.h. */
int wd_digest_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_digest_uninit(void);
int wd_digest_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_digest_init2(alg, sched_type, task_type) wd_digest_init2_(alg, sched_type, task_type, NULL)
void wd_digest_uninit2(void);
int wd_digest_env_init(struct wd_sched *sched);
void wd_digest_env_uninit(void);
handle_t wd_digest_alloc_sess(struct wd_digest_sess_setup *setup);
void wd_digest_free_sess(handle_t h_sess);
int wd_do_digest_sync(handle_t h_sess, struct wd_digest_req *req);
int wd_do_digest_async(handle_t h_sess, struct wd_digest_req *req);
int wd_digest_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_digest_poll(__u32 expt, __u32 *count);

/* wd_digest_set_key() - 0, -WD_EINVAL, -WD_EBUSY (requests are in flight), -WD_ENOMEM. */
int wd_digest_set_key(handle_t h_sess, const __u8 *key, __u32 key_len);

/* Refused: -WD_EINVAL. */
int wd_digest_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_digest_ctx_num_uninit(void);
int wd_digest_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
