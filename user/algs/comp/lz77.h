/* SPDX-License-Identifier: Apache-2.0 */
/* What a device says of a block: sequences that are checked before they are used; private. */
#ifndef WD_COMP_LZ77_H
#define WD_COMP_LZ77_H

#include <stddef.h>
#include <sys/types.h>
#include <wd_comp.h>

/* Sequences that a device may make of that many bytes, at most. */
#define LZ77_SEQS(len)	((len) / WD_LZ77_MATCH_MIN + 1)

/**
 * struct lz77_answer - what a device has written; none of it is trusted
 * @seqs:	its array, which it may still write to
 * @nr:		how many there are, it says
 * @literals:	how many bytes no match has, it says
 * @extra:	which sequence has 65536 literals more than its field says, it says
 */
struct lz77_answer {
	const void *seqs;
	__u32 nr;
	__u32 literals;
	__u32 extra;
};

/**
 * struct lz77_block - a block and its sequences
 * @src, @len:	the block
 * @window:	the largest offset
 * @seq, @room:	for the sequences, and for how many there is room
 */
struct lz77_block {
	const __u8 *src;
	size_t len;
	size_t window;
	struct wd_lz77_seq *seq;
	size_t room;
};

/* Bytes for all sequences and all literals of a block. */
static inline size_t lz77_bound(size_t len)
{
	len = len < WD_LZ77_MAX ? len : WD_LZ77_MAX;
	return (LZ77_SEQS(len) + 1) * sizeof(struct wd_lz77_seq) + len;
}

/* The bytes of one of the windows of devices. */
size_t lz77_window(__u8 win);

/*
 * Takes an answer's sequences. How many there are with the last literals; -ENOSPC: more than there is room for; -EIO:
 * the answer is wrong.
 */
ssize_t lz77_take(const struct lz77_block *b, const struct lz77_answer *a);

struct comp_msg;

/* Appends the block's literals to the sequences in the message's destination. 0, -ENOSPC. */
int lz77_literals(struct comp_msg *c);

#endif
