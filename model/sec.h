/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A parsed SEC request, the same for both types of descriptor. */
#ifndef WDM_SEC_H
#define WDM_SEC_H

#include "internal.h"
#include "scratch.h"
#include "hw/sec_hw.h"

enum wdm_sec_op {
	WDM_SEC_NOTHING,	/* complete without doing anything */
	WDM_SEC_CIPHER,
	WDM_SEC_HASH,
	WDM_SEC_HMAC,
	WDM_SEC_XCBC,
	WDM_SEC_CMAC,
	WDM_SEC_GMAC,
	WDM_SEC_GCM,
	WDM_SEC_GCM_AAD,	/* first part of a stream */
	WDM_SEC_GCM_DATA,	/* any later part except the tag, which software computes */
	WDM_SEC_CCM,
	WDM_SEC_AUTHENC,
};

enum wdm_sec_part {
	WDM_SEC_SINGLE,
	WDM_SEC_FIRST,
	WDM_SEC_MIDDLE,
	WDM_SEC_END,
};

/* Checks of descriptors that the driver of generation 2 has switched off */
#define WDM_SEC_SM4_ECB		(1u << 0)
#define WDM_SEC_SM4_XTS		(1u << 1)

/**
 * struct wdm_sec_req - one request, checked except for its data in memory
 * @kind: mode of the cipher, plain or in authenc
 * @key_bytes: size of one cipher key (XTS has two)
 * @hash, @part, @total: digests and authenc: algorithm, part of a stream, bytes of the whole
 *		message (END)
 * @a_key_bytes, @mac_bytes: lengths; @mac_bytes is also the tag's for GCM and CCM
 * @in_place: the destination is the source
 * @aad, @len: bytes of the AAD, which precedes the data, and of the data; a digest has data only
 * @last: the current chunk is the last of its kind
 * @icv, @flag: results
 */
struct wdm_sec_req {
	struct wdm_job *job;
	struct wdm_scratch *s;
	enum wdm_sec_op op;
	bool encrypt;
	enum wdm_block_alg alg;
	enum wdm_mode_kind kind;
	bool xts_gb;
	bool ctr_rollover;
	u32 key_bytes;
	const struct wdm_hash_info *hash;
	enum wdm_sec_part part;
	u64 total;
	u32 a_key_bytes;
	u32 mac_bytes;
	bool src_sgl, dst_sgl, in_place;
	u32 aad, len;
	u64 src, dst, mac, c_key, a_key, c_iv, a_iv;
	bool last;
	enum sec_icv icv;
	enum sec_flag flag;
};

/* Functions return an enum sec_error. */

/* sec_decode.c */
u32 wdm_sec_decode(struct wdm_sec_req *r, const struct sec_bd *bd);

/* sec_cipher.c */
u32 wdm_sec_cipher(struct wdm_sec_req *r);
/* Prepares the request's cipher for its data, with the key from memory; @iv: the IV, or NULL to read it from memory. */
u32 wdm_sec_mode(struct wdm_sec_req *r, const u8 *iv);

/* sec_digest.c */
u32 wdm_sec_digest(struct wdm_sec_req *r);
u32 wdm_sec_mac(struct wdm_sec_req *r);
/* Prepares the request's hash or HMAC for the message. */
u32 wdm_sec_hash_start(struct wdm_sec_req *r);

/* sec_aead.c */
u32 wdm_sec_gcm(struct wdm_sec_req *r);
u32 wdm_sec_gcm_part(struct wdm_sec_req *r);
u32 wdm_sec_ccm(struct wdm_sec_req *r);
u32 wdm_sec_authenc(struct wdm_sec_req *r);
u32 wdm_sec_gmac(struct wdm_sec_req *r);

/* sec_data.c */
u32 wdm_sec_open(struct wdm_sec_req *r);
u32 wdm_sec_fetch(struct wdm_sec_req *r, u64 addr, u8 *p, u32 len);
u32 wdm_sec_store(struct wdm_sec_req *r, u64 addr, const u8 *p, u32 len);
/* Writes the tag, or compares it with the one in memory. */
u32 wdm_sec_tag(struct wdm_sec_req *r, const u8 *tag);
/* Converts the first error of a computation. */
u32 wdm_sec_engine_error(int err);

/* Processes one chunk of the AAD or of the data, in place. */
typedef void (*wdm_sec_chunk)(struct wdm_sec_req *r, u8 *p, u32 len);
u32 wdm_sec_aad(struct wdm_sec_req *r, wdm_sec_chunk chunk);
u32 wdm_sec_data(struct wdm_sec_req *r, wdm_sec_chunk chunk);

#endif
