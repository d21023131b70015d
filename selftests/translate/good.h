/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of every kind that succeed, with their memory: what the tests and the fuzzer begin with. */
#ifndef GOOD_H
#define GOOD_H

#include "twin.h"

/* Where they have their memory */
#define GOOD_SRC	(TWIN_USER + 0x8000)
#define GOOD_DST	(TWIN_USER + 0x10000)
#define GOOD_CTX	(TWIN_USER + 0x18000)
#define GOOD_MAC	(TWIN_USER + 0x22000)
#define GOOD_C_KEY	(TWIN_USER + 0x23000)
#define GOOD_C_IV	(TWIN_USER + 0x24000)
#define GOOD_A_KEY	(TWIN_USER + 0x25000)
#define GOOD_A_IV	(TWIN_USER + 0x26000)
/* Lists of the tests: tables, and what they point to */
#define GOOD_LIST	(TWIN_USER + 0x28000)
#define GOOD_LIST2	(TWIN_USER + 0x30000)
#define GOOD_DATA	(TWIN_USER + 0x38000)
#define GOOD_LIST3	(TWIN_USER + 0x40000)
/* Literals of lz77 */
#define GOOD_LIT	(TWIN_USER + 0x48000)

u32 good_nr(void);
const char *good_name(u32 i);
/*
 * Makes request @i: sets the queue, puts memory, writes the descriptor. Bytes that don't matter come from @seed. false:
 * the generation doesn't have it.
 */
bool good_make(struct twin *t, u32 i, u32 generation, u32 seed, u32 *sqe);

/* Sets a field of a SEC descriptor, by enum sec_f, and one of two words, by enum sec_l */
void good_sec_set(u32 *sqe, u32 generation, u32 f, u32 value);
void good_sec_set64(u32 *sqe, u32 generation, u32 l, u64 value);

/* An address in a descriptor */
static inline void good_addr(u32 *sqe, u32 word, u64 addr)
{
	sqe[word] = (u32)addr;
	sqe[word + 1] = (u32)(addr >> 32);
}

/*
 * Makes a list at @where over the @len bytes at @addr, in pieces of at most @most bytes; @skip bytes of other memory
 * come first. The tables have @capacity entries.
 */
void good_list(struct twin *t, u64 where, u64 addr, u32 len, u32 most, u32 skip, u32 capacity);

#endif
