/* SPDX-License-Identifier: Apache-2.0 */
/* A SEC device of the rig: each request is stated once, and becomes a descriptor of either type. */
#ifndef SEC_RIG_H
#define SEC_RIG_H

#include "bytes.h"
#include "rig.h"
#include "hw/sec_hw.h"

/* Addresses in user memory, far from each other. */
#define AT_SRC		RIG_USER_BASE
#define AT_DST		(RIG_USER_BASE + (17u << 20))
#define AT_SMALL(n)	(RIG_USER_BASE + (35u << 20) + (n) * 4096u)
#define AT_C_KEY	AT_SMALL(0)
#define AT_A_KEY	AT_SMALL(1)
#define AT_C_IV		AT_SMALL(2)
#define AT_A_IV		AT_SMALL(3)
#define AT_MAC		AT_SMALL(4)
#define AT_SGL		AT_SMALL(5)
#define AT_HOLE		(RIG_USER_BASE + (36u << 20))

/* Named by the descriptor's fields; lengths are in bytes here, addresses are AT_ ones unless stated otherwise. */
struct ask {
	u32 type;		/* 2 or 3 */
	u32 cipher, auth, seq, scene, src_type, dst_type;
	bool in_place;
	u32 c_alg, c_mode, c_width, c_key_len, c_icv_len, c_len, offset;
	u32 a_alg, a_key_bytes, mac_bytes, a_len, ai_gen, pad, ctr_xts, mac_sel, prefetch;
	u64 total;		/* bytes */
	u64 src, dst, a_iv;	/* 0: the usual address */
};

/*
 * A device of generation 3 with a queue. Descriptors of type 2 go to a device of generation 2 with the same user
 * memory, as long as they go through sec_do() or ask_do().
 */
void sec_rig_init(struct rig *r);
/* One device */
void sec_rig_init_of(struct rig *r, u32 generation);
/* Does generation 2 have what is asked for? */
bool sec_has2(const struct ask *a);
void ask_fill(struct sec_bd *bd, const struct ask *a);
/* Fills, submits, waits: returns enum sec_error, or -1 when no completion came or the result bits are inconsistent. */
int sec_do(struct rig *r, struct sec_bd *bd);
int ask_do(struct rig *r, const struct ask *a);
/* As above when the device verifies the tag: returns 1000 on a mismatch. */
#define SEC_RIG_MISMATCH	1000

/*
 * Makes a list at @where over @len bytes at @data, in pieces of random sizes that skip some bytes; sgl_put(), sgl_get()
 * copy through it.
 */
void sgl_make(struct rig *r, u64 where, u64 data, u32 len);
void sgl_put(struct rig *r, u64 where, const unsigned char *p, u32 len);
void sgl_get(struct rig *r, u64 where, unsigned char *p, u32 len);

#endif
