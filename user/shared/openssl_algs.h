/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms that the provider for OpenSSL gives to devices, and lists of them, for itself and for wdctl. */
#ifndef OPENSSL_ALGS_H
#define OPENSSL_ALGS_H

#include <stdbool.h>
#include <stddef.h>

/* Bits of masks. */
enum wdp_alg {
	WDP_RSA,
	WDP_RSA_PUBLIC,
	WDP_ECDSA,
	WDP_ECDH,
	WDP_X25519,
	WDP_X448,
	WDP_DH,
	WDP_SM2,
	WDP_AES_CBC,
	WDP_AES_XTS,
	WDP_AES_CFB,
	WDP_AES_OFB,
	WDP_AES_CTR,
	WDP_AES_ECB,
	WDP_AES_GCM,
	WDP_AES_CCM,
	WDP_3DES,
	WDP_SM4,
	WDP_MD5,
	WDP_SHA1,
	WDP_SHA2,
	WDP_SM3,
	WDP_HMAC,
	WDP_ALGS,
};

#define WDP_BIT(alg)	(1u << (alg))

/**
 * struct wdp_alg_facts - one of them
 * @name: in a list
 * @accel: of the devices that have it, for wd_list_accels() and in sysfs
 * @group: the name of several, or ""
 * @alone: no group's name chooses it
 * @quick: the curve with which the CPU is quicker than the way to a device and back; NULL: none
 */
struct wdp_alg_facts {
	const char *name, *accel, *group;
	bool alone;
	const char *quick;
};

extern const struct wdp_alg_facts wdp_alg_facts[WDP_ALGS];

/* All words of a list, for messages. */
#define WDP_ALGS_EXPECTED								\
	"some of all, pkey, rsa, ecdsa, ecdh, x25519, x448, dh, sm2, rsa-public, "	\
	"ciphers, aes-cbc, aes-xts, aes-cfb, aes-ofb, aes-gcm, aes-ccm, 3des, sm4, aes-ctr, aes-ecb, " \
	"digests, md5, sha1, sha2, sm3, hmac, and -NAME to take one away"

/**
 * struct wdp_choice - what a list chooses, as WDP_BIT() of each
 * @jobs: of @algs, those that no name has added: with their quick curve they are a device's in asynchronous jobs only
 */
struct wdp_choice {
	unsigned int algs;
	unsigned int jobs;
};

/**
 * wdp_algs_chosen() - read a list
 * @list: names, separated by spaces or commas. -NAME takes away from those before it, and in front of all others from
 *	the default. NULL: the default.
 * @wrong, @wrong_len: the first word that is none, which ends the list; NULL if all are good
 */
struct wdp_choice wdp_algs_chosen(const char *list, const char **wrong, size_t *wrong_len);

/* For messages, and what follows if wdp_choice.jobs isn't 0. */
#define WDP_JOBS_ONLY	"P-256 and X25519 in asynchronous jobs only"

/**
 * wdp_jobs_only() - are operations with this curve a device's in asynchronous jobs only?
 * @curve: NIST's name, or libcrypto's where there is none
 */
bool wdp_jobs_only(const struct wdp_choice *choice, enum wdp_alg alg, const char *curve);

#endif
