/* SPDX-License-Identifier: Apache-2.0 */
/* Elliptic curves: sessions and keys, operands and results. */
#ifndef UADK_ECC_H
#define UADK_ECC_H

#include "numbers.h"
#include "own_ecc.h"
#include "pubkey.h"
#include "uadk/wd_ecc.h"

#define ECC_BYTES	72u		/* of the widest number: 576 bits */

/* All of it may be changed by the program in place. */
struct wd_ecc_key {
	struct wd_ecc_curve curve;
	struct wd_dtb d;
	struct wd_ecc_point pub;
	__u32 w;			/* bytes of a number */
	bool string;			/* X25519, X448: ours has their numbers with the last byte first, and no y */
	char bytes[9][ECC_BYTES];
};

struct ecc_sess {
	struct uadk_sess sess;
	struct pubkey_state state;
	struct wd_ecc_key key;
	__u8 alg;			/* enum own_ecc_alg */
	__u32 curve;			/* enum own_ecc_curve */
	bool named;			/* by an identity of UADK's, or by the algorithm */
};

/* What ours takes as src and extra. */
struct wd_ecc_in {
	__u32 src_len;
	__u32 extra_len;		/* 0: none */
	__u32 id_len;
	bool text;			/* src has to be hashed first, with the identity */
	__u8 data[];			/* src, extra, the identity */
};

/* What ours writes to dst, and where its parts are. */
struct wd_ecc_out {
	struct wd_ecc_point point;
	struct wd_dtb number[2];
	__u32 w;
	__u32 text_len;
	size_t room;
	__u8 data[];
};

/* Of the session's parameters, for the getters. A curve that libcrypto doesn't have has none. */
void ecc_key_init(struct ecc_sess *s, const struct wd_ecc_curve *given);
/* Return: 0, or -errno. */
int ecc_key_give(struct uadk_sess *sess, own_handle_t own);
/* Copies @w bytes, the last first. */
void ecc_reverse(__u8 *to, const __u8 *from, __u32 w);
/* Finds the parts of a result. */
void ecc_out_fill(struct wd_ecc_out *out, __u8 op, bool string);

#endif
