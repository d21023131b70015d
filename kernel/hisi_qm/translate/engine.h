/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What each engine does for a translation. */
#ifndef HISI_TRANSLATE_ENGINE_H
#define HISI_TRANSLATE_ENGINE_H

#include <asm/byteorder.h>
#include "translate.h"

/**
 * struct tr_engine_ops - an engine's part
 * @words: of a descriptor
 * @pages: units of memory that one request may name
 * @only_results: words of the copy that are no input, bits by word
 * @read: checks the copy, adds the accesses, and leaves 0 in the address words; 0 or the engine's status
 * @shape: sets what depends on where the accesses are, in the words for the device; 0 or -EINVAL
 * @fail: as tr_fail()
 * @results: words with results, bits by word
 * @result: the bits of such a word that the device writes for the process; NULL: all
 * @deliver: as tr_deliver()
 * @status: by enum tr_why
 */
struct tr_engine_ops {
	u32 words;
	u32 pages;
	u32 only_results;
	u32 results;
	u32 (*read)(struct tr_request *r);
	int (*shape)(const struct tr_request *r, const struct tr_target *target, u32 *word);
	void (*fail)(const struct tr_queue *q, u32 status, __le32 *sqe);
	u32 (*result)(const struct tr_request *r, u32 word);
	u32 (*deliver)(const struct tr_request *r, const struct tr_access *a, const __le32 *device);
	u8 status[TR_WHY_STOPPED + 1];
};

extern const struct tr_engine_ops tr_zip_ops;
extern const struct tr_engine_ops tr_sec_ops;
extern const struct tr_engine_ops tr_hpre_ops;

static inline u64 tr_addr(const u32 *word, u32 first)
{
	return word[first] | (u64)word[first + 1] << 32;
}

static inline void tr_addr_put(u32 *word, u32 first, u64 addr)
{
	word[first] = (u32)addr;
	word[first + 1] = (u32)(addr >> 32);
}

/* Adds memory of @len bytes, or an address that is needed although @len is 0. */
struct tr_access *tr_add(struct tr_request *r, const struct hw_access *field, u64 addr, u32 len);

#endif
