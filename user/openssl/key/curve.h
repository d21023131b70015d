/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves, and groups of Diffie-Hellman, that libwd names. Their sessions serve all keys: a key comes with its request.
 */
#ifndef WDP_CURVE_H
#define WDP_CURVE_H

#include <openssl/types.h>
#include <linux/types.h>

struct wdp_provider;
struct wdp_target;

struct wdp_curve {
	const char *name;	/* libcrypto's name of the group, or type of the key */
	const char *alias;	/* NIST's name, or the same */
	__u8 alg;		/* enum wd_ecc_alg, for key generation and agreement */
	__u8 bit;		/* enum wdp_alg, the same */
	__u16 bytes;		/* of a number; X25519, X448: of a string */
	__u32 curve;		/* enum wd_ecc_curve */
};

/* wdp_curve_find() - the curve of that name, or NULL. */
const struct wdp_curve *wdp_curve_find(const char *name);

/* wdp_curve_target() - the session for key agreement and key generation. */
struct wdp_target wdp_curve_target(struct wdp_provider *prov, const struct wdp_curve *curve);

#endif
