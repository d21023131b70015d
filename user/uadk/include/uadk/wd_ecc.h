/* SPDX-License-Identifier: Apache-2.0 */
/* Elliptic curves, under the names of UADK 2. */
#ifndef UADK_WD_ECC_H
#define UADK_WD_ECC_H

#include "wd_alg_common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wd_ecc_in;
struct wd_ecc_out;
struct wd_ecc_key;

/* Gets a copy of the request as its only argument, whatever its name. */
typedef void (*wd_ecc_cb_t)(void *cb_param);
typedef int (*wd_rand)(char *out, size_t out_len, void *usr);
typedef int (*wd_hash)(const char *in, size_t in_len, char *out, size_t out_len, void *usr);

struct wd_ecc_point {
	struct wd_dtb x;
	struct wd_dtb y;
};

enum wd_ecc_op_type {
	WD_EC_OP_INVALID,
	WD_ECXDH_GEN_KEY,
	WD_ECXDH_COMPUTE_KEY,
	WD_ECDSA_SIGN,
	WD_ECDSA_VERIFY,
	WD_SM2_SIGN,
	WD_SM2_VERIFY,
	WD_SM2_ENCRYPT,
	WD_SM2_DECRYPT,
	WD_SM2_KG,
	WD_EC_OP_MAX
};

enum wd_ecc_curve_id {
	WD_SECP128R1 = 0x10,
	WD_SECP192K1 = 0x11,
	WD_SECP224R1 = 0x12,
	WD_SECP256K1 = 0x13,
	WD_BRAINPOOLP320R1 = 0x14,
	WD_BRAINPOOLP384R1 = 0x15,
	WD_SECP384R1 = 0x16,
	WD_SECP521R1 = 0x17,
};

enum wd_ecc_hash_type {
	WD_HASH_SM3,
	WD_HASH_SHA1,
	WD_HASH_SHA224,
	WD_HASH_SHA256,
	WD_HASH_SHA384,
	WD_HASH_SHA512,
	WD_HASH_MD4,
	WD_HASH_MD5,
	WD_HASH_MAX
};

struct wd_ecc_curve {
	struct wd_dtb p;
	struct wd_dtb a;
	struct wd_dtb b;
	struct wd_ecc_point g;
	struct wd_dtb n;
};

enum wd_ecc_curve_cfg_type {
	WD_CV_CFG_ID,
	WD_CV_CFG_PARAM
};

struct wd_ecc_curve_cfg {
	__u32 type;			/* enum wd_ecc_curve_cfg_type */
	union {
		enum wd_ecc_curve_id id;
		struct wd_ecc_curve *pparam;
	} cfg;
	__u8 resv[4];
};

/* Nonces come from the library, which doesn't call this. */
struct wd_rand_mt {
	wd_rand cb;
	void *usr;
};

/* Texts are hashed by the library, which doesn't call this. */
struct wd_hash_mt {
	wd_hash cb;
	void *usr;
	__u8 type;			/* enum wd_ecc_hash_type */
	__u8 rsv[3];
};

struct wd_ecc_sess_setup {
	const char *alg;		/* "ecdh", "ecdsa", "sm2", "x25519", "x448" */
	__u16 key_bits;
	struct wd_ecc_curve_cfg cv;
	struct wd_rand_mt rand;
	struct wd_hash_mt hash;
	void *sched_param;
	struct wd_mm_ops mm_ops;	/* not read */
	enum wd_mem_type mm_type;	/* not read */
};

struct wd_ecc_req {
	void *src;			/* struct wd_ecc_in */
	void *dst;			/* struct wd_ecc_out */
	__u32 src_bytes;
	__u32 dst_bytes;
	wd_ecc_cb_t cb;
	void *cb_param;
	int status;			/* WD_SUCCESS, or WD_E* */
	__u8 data_fmt;			/* WD_FLAT_BUF */
	__u8 op_type;			/* enum wd_ecc_op_type */
};

/* See wd_alg_common.h. */
int wd_ecc_init(struct wd_ctx_config *config, struct wd_sched *sched);
void wd_ecc_uninit(void);
int wd_ecc_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params);
#define wd_ecc_init2(alg, sched_type, task_type) wd_ecc_init2_(alg, sched_type, task_type, NULL)
void wd_ecc_uninit2(void);
int wd_ecc_env_init(struct wd_sched *sched);
void wd_ecc_env_uninit(void);
handle_t wd_ecc_alloc_sess(struct wd_ecc_sess_setup *setup);
void wd_ecc_free_sess(handle_t sess);
int wd_do_ecc_sync(handle_t sess, struct wd_ecc_req *req);
int wd_do_ecc_async(handle_t sess, struct wd_ecc_req *req);
int wd_ecc_poll_ctx(__u32 idx, __u32 expt, __u32 *count);
int wd_ecc_poll(__u32 expt, __u32 *count);

int wd_ecc_get_key_bits(handle_t sess);

/* The session's key. What the getters return points into the session. X25519, X448: most significant byte first. */
struct wd_ecc_key *wd_ecc_get_key(handle_t sess);
int wd_ecc_set_prikey(struct wd_ecc_key *ecc_key, struct wd_dtb *prikey);
int wd_ecc_get_prikey(struct wd_ecc_key *ecc_key, struct wd_dtb **prikey);
int wd_ecc_set_pubkey(struct wd_ecc_key *ecc_key, struct wd_ecc_point *pubkey);
int wd_ecc_get_pubkey(struct wd_ecc_key *ecc_key, struct wd_ecc_point **pubkey);
void wd_ecc_get_prikey_params(struct wd_ecc_key *key, struct wd_dtb **p, struct wd_dtb **a, struct wd_dtb **b,
			      struct wd_dtb **n, struct wd_ecc_point **g, struct wd_dtb **d);
void wd_ecc_get_pubkey_params(struct wd_ecc_key *key, struct wd_dtb **p, struct wd_dtb **a, struct wd_dtb **b,
			      struct wd_dtb **n, struct wd_ecc_point **g, struct wd_ecc_point **pub);

/* Operands and results. Results have no leading zeroes. */
void wd_ecc_del_in(handle_t sess, struct wd_ecc_in *in);
void wd_ecc_del_out(handle_t sess, struct wd_ecc_out *out);
struct wd_ecc_in *wd_ecxdh_new_in(handle_t sess, struct wd_ecc_point *in);
struct wd_ecc_out *wd_ecxdh_new_out(handle_t sess);
void wd_ecxdh_get_out_params(struct wd_ecc_out *out, struct wd_ecc_point **pbk);
struct wd_ecc_in *wd_ecdsa_new_sign_in(handle_t sess, struct wd_dtb *dgst, struct wd_dtb *k);
struct wd_ecc_in *wd_ecdsa_new_verf_in(handle_t sess, struct wd_dtb *dgst, struct wd_dtb *r, struct wd_dtb *s);
struct wd_ecc_out *wd_ecdsa_new_sign_out(handle_t sess);
void wd_ecdsa_get_sign_out_params(struct wd_ecc_out *out, struct wd_dtb **r, struct wd_dtb **s);

/* is_dgst 0: e is a text, which is hashed with the identity id and the public key. */
struct wd_ecc_in *wd_sm2_new_sign_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *k, struct wd_dtb *id,
				     __u8 is_dgst);
struct wd_ecc_in *wd_sm2_new_verf_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *r, struct wd_dtb *s,
				     struct wd_dtb *id, __u8 is_dgst);
struct wd_ecc_in *wd_sm2_new_enc_in(handle_t sess, struct wd_dtb *k, struct wd_dtb *plaintext);
struct wd_ecc_in *wd_sm2_new_dec_in(handle_t sess, struct wd_ecc_point *c1, struct wd_dtb *c2, struct wd_dtb *c3);
struct wd_ecc_out *wd_sm2_new_sign_out(handle_t sess);
struct wd_ecc_out *wd_sm2_new_enc_out(handle_t sess, __u32 plaintext_len);
struct wd_ecc_out *wd_sm2_new_dec_out(handle_t sess, __u32 plaintext_len);
struct wd_ecc_out *wd_sm2_new_kg_out(handle_t sess);
void wd_sm2_get_sign_out_params(struct wd_ecc_out *out, struct wd_dtb **r, struct wd_dtb **s);
void wd_sm2_get_kg_out_params(struct wd_ecc_out *out, struct wd_dtb **privkey, struct wd_ecc_point **pubkey);
void wd_sm2_get_enc_out_params(struct wd_ecc_out *out, struct wd_ecc_point **c1, struct wd_dtb **c2,
			       struct wd_dtb **c3);
void wd_sm2_get_dec_out_params(struct wd_ecc_out *out, struct wd_dtb **plaintext);

/* Refused: -WD_EINVAL. */
int wd_ecc_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode);
void wd_ecc_ctx_num_uninit(void);
int wd_ecc_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable);

#ifdef __cplusplus
}
#endif

#endif
