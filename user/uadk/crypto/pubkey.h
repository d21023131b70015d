/* SPDX-License-Identifier: Apache-2.0 */
/* What RSA, DH and ECC share: programs change a key in place, so each request looks whether it did. */
#ifndef UADK_PUBKEY_H
#define UADK_PUBKEY_H

#include "class.h"

/*
 * Gives the key to a session of ours: all of them have it, or will. Return: 0, or -errno; then the next request tries
 * again.
 */
typedef int pubkey_give_t(struct uadk_sess *sess, own_handle_t own);

struct pubkey_state {
	void *now;			/* the program's */
	void *given;			/* what sessions of ours have */
	size_t len;
	bool fresh;			/* they have one */
};

/* Return: 0, -ENOMEM. */
int pubkey_state_init(struct pubkey_state *p, void *now, size_t len);
void pubkey_state_wipe(struct pubkey_state *p);
/* Return: 0, or -errno. */
int pubkey_refresh(struct uadk_sess *sess, struct pubkey_state *p, pubkey_give_t *give);

#endif
