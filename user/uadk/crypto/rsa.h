/* SPDX-License-Identifier: Apache-2.0 */
/* RSA: sessions and their keys. */
#ifndef UADK_RSA_H
#define UADK_RSA_H

#include "own_rsa.h"
#include "pubkey.h"
#include "uadk/wd_rsa.h"

struct wd_rsa_pubkey {
	struct wd_dtb e;
	struct wd_dtb n;
};

struct wd_rsa_prikey {
	struct wd_dtb d;
	struct wd_dtb n;
	struct wd_dtb dq;
	struct wd_dtb dp;
	struct wd_dtb qinv;
	struct wd_dtb q;
	struct wd_dtb p;
};

/* Everything that a program may change in place: numbers, and the bytes that they point to. */
#define RSA_NUMBERS	9u

struct rsa_key {
	struct wd_rsa_pubkey pub;
	struct wd_rsa_prikey pri;
	char bytes[];			/* k of each number */
};

struct rsa_sess {
	struct uadk_sess sess;
	struct pubkey_state state;
	struct rsa_key *key;
	__u32 k;			/* bytes of the modulus */
	bool crt;
};

/* Gives the session of ours the key, with the numbers that the program left out. Return: 0, or -errno. */
int rsa_key_give(struct uadk_sess *sess, own_handle_t own);

#endif
