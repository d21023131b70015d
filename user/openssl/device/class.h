/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of libwd behind one form of call. */
#ifndef WDP_CLASS_H
#define WDP_CLASS_H

#include <stddef.h>
#include <wd_aead.h>
#include <wd_cipher.h>
#include <wd_dh.h>
#include <wd_digest.h>
#include <wd_ecc.h>
#include <wd_rsa.h>

struct wdp_job;

/* One operation. Its result has exactly dst_len bytes; dst is NULL if there are none. */
struct wdp_call {
	unsigned int op;		/* the class's, if it has one */
	const void *src;
	size_t src_len;
	void *dst;
	size_t dst_len;
	const void *extra;		/* ECC: extra; DH: key; ciphers, AEAD: iv */
	unsigned int extra_len;
	void *mac;			/* AEAD: the tag, written or compared */
	unsigned int mac_len;
	unsigned int assoc_len;		/* AEAD: bytes of src */
};

struct wdp_result {
	int status;			/* 0 or -errno */
	unsigned int path;		/* enum wd_path */
	unsigned int reason;		/* enum wd_path_reason */
};

/* A request of libwd. */
union wdp_arg {
	struct wd_rsa_arg rsa;
	struct wd_ecc_arg ecc;
	struct wd_dh_arg dh;
	struct wd_cipher_arg cipher;
	struct wd_aead_arg aead;
	struct wd_digest_arg digest;
};

struct wdp_class {
	const char *name;
	int (*free)(handle_t h);
	int (*wait)(handle_t h, unsigned int timeout_ms);
	void (*sync)(handle_t h, const struct wdp_call *call, struct wdp_result *result);
	/* On success the job ends by wdp_job_done(), in a thread of libwd. */
	int (*async)(handle_t h, const struct wdp_call *call, struct wdp_job *job);
};

extern const struct wdp_class wdp_class_rsa, wdp_class_ecc, wdp_class_dh, wdp_class_cipher, wdp_class_aead,
	wdp_class_digest;

#endif
