/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of test_mix.c: each engine's, with answers that another implementation computes in advance. */
#ifndef MIX_H
#define MIX_H

#include "rig.h"

#define MIX_LEN		600

struct mix_req {
	bool busy;
	u32 slot;
	u32 want_len;
	u64 out;		/* where the answer is to be */
	unsigned char want[MIX_LEN];
	bool packed;		/* the answer is a stream that unpacks to it */
	_Alignas(8) unsigned char sqe[128];	/* the largest engine's */
};

/* 64 random bits of the caller's, which @random is the state of. */
u64 mix_random(u64 *random);
/* The class of that queue. */
u32 mix_alg(enum wdm_type type, u32 q);
/* Makes a request for queue @q, with its operands in 64 KiB of user memory from @at on. */
void mix_make(enum wdm_type type, struct rig *r, u32 q, u64 at, u64 *random, struct mix_req *req);
/* Is this the descriptor of a good answer, and is the answer in memory? */
bool mix_is_right(enum wdm_type type, struct rig *r, const struct mix_req *req, const void *sqe);

#endif
