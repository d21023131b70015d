// SPDX-License-Identifier: Apache-2.0
/* Offsets, sizes and numbers of UADK 2.10 on 64-bit machines, which existing programs were built with. */
#include <stddef.h>

#include "uadk/wd_aead.h"
#include "uadk/wd_comp.h"
#include "uadk/wd_dh.h"
#include "uadk/wd_ecc.h"
#include "uadk/wd_rsa.h"
#include "uadk/wd_sched.h"

#include "kselftest_harness.h"

#define AT(type, member, offset) _Static_assert(offsetof(struct type, member) == (offset), #type " " #member)
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
#define IS(number, value) _Static_assert((int)(number) == (value), #number)

AT(wd_comp_req, src, 0);
AT(wd_comp_req, list_src, 0);
AT(wd_comp_req, src_len, 8);
AT(wd_comp_req, dst, 16);
AT(wd_comp_req, list_dst, 16);
AT(wd_comp_req, dst_len, 24);
AT(wd_comp_req, cb, 32);
AT(wd_comp_req, cb_param, 40);
AT(wd_comp_req, op_type, 48);
AT(wd_comp_req, data_fmt, 52);
AT(wd_comp_req, last, 56);
AT(wd_comp_req, status, 60);
AT(wd_comp_req, priv, 64);
SIZE(wd_comp_req, 72);
AT(wd_comp_sess_setup, alg_type, 0);
AT(wd_comp_sess_setup, comp_lv, 4);
AT(wd_comp_sess_setup, win_sz, 8);
AT(wd_comp_sess_setup, op_type, 12);
AT(wd_comp_sess_setup, sched_param, 16);
AT(wd_comp_sess_setup, mm_ops, 24);
AT(wd_comp_sess_setup, mm_type, 80);
SIZE(wd_comp_sess_setup, 88);
AT(wd_lz77_zstd_data, literals_start, 0);
AT(wd_lz77_zstd_data, sequences_start, 8);
AT(wd_lz77_zstd_data, lit_num, 16);
AT(wd_lz77_zstd_data, seq_num, 20);
AT(wd_lz77_zstd_data, lit_length_overflow_cnt, 24);
AT(wd_lz77_zstd_data, lit_length_overflow_pos, 28);
AT(wd_lz77_zstd_data, freq, 32);
AT(wd_lz77_zstd_data, blk_type, 40);
SIZE(wd_lz77_zstd_data, 48);

AT(wd_cipher_req, op_type, 0);
AT(wd_cipher_req, src, 8);
AT(wd_cipher_req, dst, 16);
AT(wd_cipher_req, iv, 24);
AT(wd_cipher_req, in_bytes, 32);
AT(wd_cipher_req, iv_bytes, 36);
AT(wd_cipher_req, out_buf_bytes, 40);
AT(wd_cipher_req, out_bytes, 44);
AT(wd_cipher_req, state, 48);
AT(wd_cipher_req, type, 50);
AT(wd_cipher_req, data_fmt, 51);
AT(wd_cipher_req, cb, 56);
AT(wd_cipher_req, cb_param, 64);
SIZE(wd_cipher_req, 72);
AT(wd_cipher_sess_setup, alg, 0);
AT(wd_cipher_sess_setup, mode, 4);
AT(wd_cipher_sess_setup, sched_param, 8);
AT(wd_cipher_sess_setup, mm_ops, 16);
AT(wd_cipher_sess_setup, mm_type, 72);
SIZE(wd_cipher_sess_setup, 80);
AT(wd_digest_sess_setup, sched_param, 8);
AT(wd_digest_sess_setup, mm_type, 72);
SIZE(wd_digest_sess_setup, 80);

AT(wd_digest_req, in, 0);
AT(wd_digest_req, out, 8);
AT(wd_digest_req, in_bytes, 16);
AT(wd_digest_req, out_bytes, 20);
AT(wd_digest_req, out_buf_bytes, 24);
AT(wd_digest_req, iv, 32);
AT(wd_digest_req, iv_bytes, 40);
AT(wd_digest_req, state, 44);
AT(wd_digest_req, has_next, 46);
AT(wd_digest_req, data_fmt, 48);
AT(wd_digest_req, cb, 56);
AT(wd_digest_req, cb_param, 64);
AT(wd_digest_req, long_data_len, 72);
SIZE(wd_digest_req, 80);

AT(wd_aead_req, op_type, 0);
AT(wd_aead_req, src, 8);
AT(wd_aead_req, dst, 16);
AT(wd_aead_req, mac, 24);
AT(wd_aead_req, iv, 32);
AT(wd_aead_req, in_bytes, 40);
AT(wd_aead_req, out_bytes, 44);
AT(wd_aead_req, iv_bytes, 48);
AT(wd_aead_req, mac_bytes, 50);
AT(wd_aead_req, assoc_bytes, 52);
AT(wd_aead_req, state, 54);
AT(wd_aead_req, data_fmt, 56);
AT(wd_aead_req, cb, 64);
AT(wd_aead_req, cb_param, 72);
AT(wd_aead_req, msg_state, 80);
SIZE(wd_aead_req, 88);
AT(wd_aead_sess_setup, sched_param, 16);
SIZE(wd_aead_sess_setup, 88);

AT(wd_rsa_req, src, 0);
AT(wd_rsa_req, dst, 8);
AT(wd_rsa_req, src_bytes, 16);
AT(wd_rsa_req, dst_bytes, 20);
AT(wd_rsa_req, cb, 24);
AT(wd_rsa_req, cb_param, 32);
AT(wd_rsa_req, status, 40);
AT(wd_rsa_req, data_fmt, 44);
AT(wd_rsa_req, op_type, 45);
SIZE(wd_rsa_req, 48);
AT(wd_ecc_req, cb, 24);
AT(wd_ecc_req, status, 40);
AT(wd_ecc_req, op_type, 45);
SIZE(wd_ecc_req, 48);
AT(wd_dh_req, x_p, 0);
AT(wd_dh_req, pv, 8);
AT(wd_dh_req, pri, 16);
AT(wd_dh_req, pri_bytes, 24);
AT(wd_dh_req, pbytes, 26);
AT(wd_dh_req, xbytes, 28);
AT(wd_dh_req, pvbytes, 30);
AT(wd_dh_req, cb, 32);
AT(wd_dh_req, cb_param, 40);
AT(wd_dh_req, status, 48);
AT(wd_dh_req, op_type, 52);
AT(wd_dh_req, data_fmt, 53);
SIZE(wd_dh_req, 56);
AT(wd_rsa_sess_setup, key_bits, 0);
AT(wd_rsa_sess_setup, is_crt, 2);
AT(wd_rsa_sess_setup, sched_param, 8);
SIZE(wd_rsa_sess_setup, 80);
AT(wd_dh_sess_setup, key_bits, 0);
AT(wd_dh_sess_setup, is_g2, 2);
AT(wd_dh_sess_setup, sched_param, 8);
SIZE(wd_dh_sess_setup, 80);
AT(wd_ecc_sess_setup, alg, 0);
AT(wd_ecc_sess_setup, key_bits, 8);
AT(wd_ecc_sess_setup, cv, 16);
AT(wd_ecc_sess_setup, rand, 40);
AT(wd_ecc_sess_setup, hash, 56);
SIZE(wd_ecc_sess_setup, 152);

AT(wd_ctx, ctx, 0);
AT(wd_ctx, op_type, 8);
AT(wd_ctx, ctx_mode, 9);
SIZE(wd_ctx, 16);
AT(wd_ctx_config, ctx_num, 0);
AT(wd_ctx_config, ctxs, 8);
AT(wd_ctx_config, cap, 24);
SIZE(wd_ctx_config, 32);
AT(wd_ctx_params, op_type_num, 0);
AT(wd_ctx_params, ctx_set_num, 8);
AT(wd_ctx_params, bmp, 16);
AT(wd_ctx_params, cap, 24);
SIZE(wd_ctx_params, 32);
SIZE(wd_ctx_nums, 8);
AT(wd_sched, name, 0);
AT(wd_sched, sched_policy, 8);
AT(wd_sched, sched_init, 16);
AT(wd_sched, pick_next_ctx, 24);
AT(wd_sched, poll_policy, 32);
AT(wd_sched, h_sched_ctx, 40);
SIZE(wd_sched, 48);
AT(sched_params, numa_id, 0);
AT(sched_params, type, 4);
AT(sched_params, mode, 5);
AT(sched_params, begin, 8);
AT(sched_params, end, 12);
AT(sched_params, dev_id, 16);
SIZE(sched_params, 20);
AT(uacce_dev, flags, 0);
AT(uacce_dev, numa_id, 4);
AT(uacce_dev, api, 8);
AT(uacce_dev, algs, 72);
AT(uacce_dev, dev_root, 456);
AT(uacce_dev, char_dev_path, 712);
SIZE(uacce_dev, 992);
AT(uacce_dev_list, dev, 0);
AT(uacce_dev_list, next, 8);
SIZE(uacce_dev_list, 16);
AT(wd_dtb, data, 0);
AT(wd_dtb, dsize, 8);
AT(wd_dtb, bsize, 12);
SIZE(wd_dtb, 16);
AT(wd_datalist, data, 0);
AT(wd_datalist, len, 8);
AT(wd_datalist, next, 16);
SIZE(wd_datalist, 24);
_Static_assert(sizeof(((struct wd_datalist *)0)->len) == 4, "wd_datalist len");
SIZE(wd_mm_ops, 56);
SIZE(wd_capability, 280);

IS(WD_DEFLATE, 0);
IS(WD_ZLIB, 1);
IS(WD_GZIP, 2);
IS(WD_LZ77_ZSTD, 3);
IS(WD_LZ4, 4);
IS(WD_LZ77_ONLY, 5);
IS(WD_COMP_L1, 1);
IS(WD_COMP_L15, 15);
IS(WD_COMP_WS_4K, 0);
IS(WD_COMP_WS_32K, 4);
IS(WD_CIPHER_3DES, 3);
IS(WD_CIPHER_CBC_CS3, 8);
IS(WD_CIPHER_CCM, 9);
IS(WD_CIPHER_GCM, 10);
IS(WD_CIPHER_XTS_GB, 11);
IS(WD_DIGEST_SM3, 0);
IS(WD_DIGEST_SHA256, 3);
IS(WD_DIGEST_SHA224, 4);
IS(WD_DIGEST_SHA512_256, 8);
IS(WD_DIGEST_AES_GMAC, 12);
IS(WD_DIGEST_HMAC, 1);
IS(WD_DIGEST_STREAM_DOING, 3);
IS(WD_RSA_SIGN, 1);
IS(WD_RSA_GENKEY, 3);
IS(WD_DH_PHASE1, 1);
IS(WD_DH_PHASE2, 2);
IS(WD_ECXDH_GEN_KEY, 1);
IS(WD_ECDSA_VERIFY, 4);
IS(WD_SM2_KG, 9);
IS(WD_SECP128R1, 0x10);
IS(WD_SECP521R1, 0x17);
IS(AEAD_MSG_END, 3);
IS(TASK_MIX, 0);
IS(TASK_HW, 1);
IS(TASK_INSTR, 2);
IS(SCHED_POLICY_RR, 0);
IS(SCHED_POLICY_DEV, 3);
IS(CTX_MODE_ASYNC, 1);
IS(UADK_MEM_PROXY, 2);
IS(WD_SGL_BUF, 1);
IS(WD_STREAM_END, 1);
IS(WD_EACCES, 13);
IS(WD_EEXIST, 17);
IS(WD_ETIMEDOUT, 110);
IS(WD_ADDR_ERR, 61);
IS(WD_HW_EACCESS, 62);
IS(WD_VERIFY_ERR, 64);
IS(WD_OUT_EPARA, 66);
IS(WD_IN_EPARA, 67);
IS(WD_ENOPROC, 68);

TEST(table)
{
	/* The compiler has checked it. */
	TH_LOG("the layouts of 2.10");
}

TEST_HARNESS_MAIN
