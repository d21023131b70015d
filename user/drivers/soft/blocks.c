// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the last block of a raw deflate stream (RFC 1951), which has no index of its blocks: reads the codes of each
 * block, and skips its symbols without making data of them. Whatever the bytes are, nothing behind them is read.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/likely.h"
#include "soft.h"

#define CODE_BITS	15	/* the longest code */
#define LITERAL_FAST	11	/* bits that the tables are indexed with; most codes are shorter */
#define DISTANCE_FAST	8
#define LITERALS	288
#define DISTANCES	32
#define ORDERS		19	/* codes that describe the lengths of codes */

enum {
	BLOCK_STORED,
	BLOCK_FIXED,
	BLOCK_DYNAMIC,
};

/*
 * The meaning of a table's entry, beside the number of bits to skip: the code's and those that follow it. An entry
 * for two symbols is of the second one's kind; LITERAL: literals, or a length with its distance.
 */
enum {
	LITERAL = 0,
	LENGTH = 0x40,
	END = 0x80,
	LONG = 0xc0,	/* the code is longer than the index */
	KIND = 0xc0,
};

/**
 * struct bits - a reader; behind the end there are zeros
 * @at:		offset of the next byte; more than 8 behind @len: the stream is cut off
 * @word:	the next bits, the first one lowest
 * @nr:		how many of them there are
 */
struct bits {
	const __u8 *src;
	size_t len;
	size_t at;
	__u64 word;
	unsigned int nr;
};

/**
 * struct code - a prefix code: codes of one length are numbers in a row
 * @first:	the first code of each length
 * @nr:		how many there are
 * @from:	place of the first one's symbol in @symbols
 */
struct code {
	__u16 first[CODE_BITS + 1];
	__u16 nr[CODE_BITS + 1];
	__u16 from[CODE_BITS + 1];
	__u16 symbols[LITERALS];
	__u8 fast[1 << LITERAL_FAST];
};

/**
 * struct soft_walk - the walk through a stream
 * @distance_lens: of @distances, without the bits that follow the codes
 * @pairs:	as the table of @literals, for two symbols where the index has both codes
 */
struct soft_walk {
	struct bits bits;
	struct code literals, distances, distance_lens, orders;
	__u8 pairs[1 << LITERAL_FAST];
	__u8 lens[LITERALS + DISTANCES];
};

/* At least 56 bits, as long as there are some. */
static inline void bits_fill(struct bits *b)
{
	__u64 next;

	if (likely(b->at + sizeof(next) <= b->len)) {
		memcpy(&next, b->src + b->at, sizeof(next));
		b->word |= le64toh(next) << b->nr;
		b->at += (63 - b->nr) / 8;
		b->nr |= 56;
		return;
	}
	for (; b->nr < 56; b->nr += 8, b->at++)
		b->word |= (__u64)(b->at < b->len ? b->src[b->at] : 0) << b->nr;
}

static inline void bits_drop(struct bits *b, unsigned int nr)
{
	b->word >>= nr;
	b->nr -= nr;
}

static inline unsigned int bits_take(struct bits *b, unsigned int nr)
{
	unsigned int value = b->word & ((1u << nr) - 1);

	bits_drop(b, nr);
	return value;
}

static inline bool bits_over(const struct bits *b)
{
	return b->at > b->len + sizeof(b->word);
}

/* The offset of the next bit. */
static size_t bits_at(const struct bits *b)
{
	return b->at * 8 - b->nr;
}

static unsigned int length_extra(unsigned int symbol)
{
	return symbol < 265 || symbol > 284 ? 0 : (symbol - 261) / 4;
}

static unsigned int distance_extra(unsigned int symbol)
{
	return symbol < 2 ? 0 : symbol / 2 - 1;
}

static unsigned int no_extra(unsigned int symbol)
{
	(void)symbol;
	return 0;
}

static unsigned int literal_entry(unsigned int symbol)
{
	return symbol < 256 ? LITERAL : symbol == 256 ? END : LENGTH + length_extra(symbol);
}

/* The first bit of a code is the highest of its number, and the lowest of an index. */
static unsigned int turned(unsigned int code, unsigned int len)
{
	unsigned int index = 0;

	for (; len; len--, code >>= 1)
		index = index << 1 | (code & 1);
	return index;
}

static void code_begin(struct code *c, const __u8 *lens, unsigned int nr)
{
	unsigned int i, next = 0, from = 0;

	memset(c->nr, 0, sizeof(c->nr));
	for (i = 0; i < nr; i++)
		c->nr[lens[i]]++;
	for (i = 1; i <= CODE_BITS; i++) {
		c->first[i] = next;
		c->from[i] = from;
		from += c->nr[i];
		next = (next + c->nr[i]) << 1;
	}
}

/* bits 0: without a table. entry: what the table says of a symbol. */
static void code_make(struct code *c, const __u8 *lens, unsigned int nr, unsigned int bits,
		      unsigned int (*entry)(unsigned int symbol))
{
	__u16 done[CODE_BITS + 1] = { 0 };
	unsigned int i, at;

	code_begin(c, lens, nr);
	memset(c->fast, LONG, 1u << bits);
	for (i = 0; i < nr; i++) {
		unsigned int len = lens[i];

		if (!len)
			continue;
		c->symbols[c->from[len] + done[len]] = i;
		at = turned(c->first[len] + done[len]++, len);
		for (; len <= bits && at < 1u << bits; at += 1u << len)
			c->fast[at] = entry(i) + len;
	}
}

/* The entry for what begins with a symbol, whose own entry is e. */
static unsigned int pair(const struct soft_walk *w, unsigned int index, unsigned int e)
{
	unsigned int nr = e & ~KIND, rest = index >> nr, next, len;

	if (e >= END || nr >= LITERAL_FAST)
		return e;
	if (e < LENGTH) {
		next = w->literals.fast[rest];
		len = next & ~KIND;
	} else {
		next = w->distances.fast[rest % (1 << DISTANCE_FAST)];
		len = w->distance_lens.fast[rest % (1 << DISTANCE_FAST)];
	}
	return next >= LONG || nr + len > LITERAL_FAST ? e : nr + next;
}

static void codes_make(struct soft_walk *w, unsigned int literals, unsigned int distances)
{
	const __u8 *lens = w->lens + literals;
	unsigned int i;

	code_make(&w->literals, w->lens, literals, LITERAL_FAST, literal_entry);
	code_make(&w->distances, lens, distances, DISTANCE_FAST, distance_extra);
	code_make(&w->distance_lens, lens, distances, DISTANCE_FAST, no_extra);
	for (i = 0; i < 1 << LITERAL_FAST; i++)
		w->pairs[i] = pair(w, i, w->literals.fast[i]);
}

/* One symbol, without the table; -1: there is no such code. */
static int symbol_read(struct bits *b, const struct code *c)
{
	unsigned int len, code = 0;

	bits_fill(b);
	for (len = 1; len <= CODE_BITS; len++) {
		code = code << 1 | bits_take(b, 1);
		if (code >= c->first[len] && code - c->first[len] < c->nr[len])
			return c->symbols[c->from[len] + code - c->first[len]];
	}
	return -1;
}

/* Return: what it was, as in a table; LONG: there is no such code. */
static unsigned int literal_long(struct soft_walk *w)
{
	int symbol = symbol_read(&w->bits, &w->literals);

	if (symbol < 0)
		return LONG;
	bits_drop(&w->bits, literal_entry(symbol) & ~KIND);
	return literal_entry(symbol) & KIND;
}

static bool distance_long(struct soft_walk *w)
{
	int symbol = symbol_read(&w->bits, &w->distances);

	if (symbol < 0)
		return false;
	bits_drop(&w->bits, distance_extra(symbol));
	return true;
}

/*
 * To the end of a block with codes. A fill is enough for two entries, each of which skips 11 bits of codes and 13 that
 * follow a distance at most.
 */
static bool symbols_skip(struct soft_walk *w)
{
	struct bits b = w->bits;
	unsigned int e, kind;

	for (;;) {
		bits_fill(&b);
		if (unlikely(bits_over(&b)))
			return false;
		e = w->pairs[b.word % (1 << LITERAL_FAST)];
		if (e < LENGTH) {
			bits_drop(&b, e);
			e = w->pairs[b.word % (1 << LITERAL_FAST)];
		}
		kind = e & KIND;
		if (likely(kind != LONG)) {
			bits_drop(&b, e & ~KIND);
		} else {
			w->bits = b;
			kind = literal_long(w);
			b = w->bits;
		}
		if (kind == LITERAL)
			continue;
		if (unlikely(kind != LENGTH))
			break;
		bits_fill(&b);
		e = w->distances.fast[b.word % (1 << DISTANCE_FAST)];
		if (likely(e < LONG)) {
			bits_drop(&b, e);
			continue;
		}
		w->bits = b;
		if (!distance_long(w))
			return false;
		b = w->bits;
	}
	w->bits = b;
	return kind == END;
}

static bool stored_skip(struct bits *b)
{
	size_t at = (bits_at(b) + 7) / 8;

	if (at + 4 > b->len)
		return false;
	b->at = at + 4 + (b->src[at] | b->src[at + 1] << 8);
	b->word = 0;
	b->nr = 0;
	return b->at <= b->len;
}

static void codes_fixed(struct soft_walk *w)
{
	memset(w->lens, 8, 144);
	memset(w->lens + 144, 9, 112);
	memset(w->lens + 256, 7, 24);
	memset(w->lens + 280, 8, 8);
	memset(w->lens + LITERALS, 5, DISTANCES);
	codes_make(w, LITERALS, DISTANCES);
}

/* The lengths of all codes of a block, themselves coded: 16 repeats the last one, 17 and 18 are zeros. */
static bool lens_read(struct soft_walk *w, unsigned int nr)
{
	struct bits *b = &w->bits;
	unsigned int i = 0, times;
	int symbol;
	__u8 len;

	while (i < nr) {
		symbol = symbol_read(b, &w->orders);
		if (symbol < 0 || bits_over(b) || (symbol == 16 && !i))
			return false;
		len = symbol < 16 ? symbol : symbol == 16 ? w->lens[i - 1] : 0;
		times = symbol < 16 ? 1 : symbol == 16 ? 3 + bits_take(b, 2) :
			symbol == 17 ? 3 + bits_take(b, 3) : 11 + bits_take(b, 7);
		if (times > nr - i)
			return false;
		memset(w->lens + i, len, times);
		i += times;
	}
	return true;
}

static bool codes_read(struct soft_walk *w)
{
	static const __u8 order[ORDERS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	unsigned int literals, distances, nr, i;
	__u8 lens[ORDERS] = { 0 };

	bits_fill(&w->bits);
	literals = 257 + bits_take(&w->bits, 5);
	distances = 1 + bits_take(&w->bits, 5);
	nr = 4 + bits_take(&w->bits, 4);
	for (i = 0; i < nr; i++) {
		bits_fill(&w->bits);
		lens[order[i]] = bits_take(&w->bits, 3);
	}
	code_make(&w->orders, lens, ORDERS, 0, NULL);
	if (literals > LITERALS || !lens_read(w, literals + distances))
		return false;
	codes_make(w, literals, distances);
	return true;
}

static bool block_skip(struct soft_walk *w, unsigned int type)
{
	switch (type) {
	case BLOCK_STORED:
		return stored_skip(&w->bits);
	case BLOCK_FIXED:
		codes_fixed(w);
		return symbols_skip(w);
	case BLOCK_DYNAMIC:
		return codes_read(w) && symbols_skip(w);
	}
	return false;
}

static bool blocks_skip(struct soft_walk *w, struct soft_last *last)
{
	bool final = false;

	while (!final) {
		bits_fill(&w->bits);
		if (bits_over(&w->bits))
			return false;
		last->head = bits_at(&w->bits);
		final = bits_take(&w->bits, 1);
		if (!block_skip(w, bits_take(&w->bits, 2)))
			return false;
	}
	last->end = bits_at(&w->bits);
	return (last->end + 7) / 8 == w->bits.len;
}

int soft_last_block(struct soft_tools *t, const void *src, size_t len, struct soft_last *last)
{
	if (!t->walk)
		t->walk = malloc(sizeof(*t->walk));
	if (!t->walk)
		return -ENOMEM;
	t->walk->bits = (struct bits){ .src = src, .len = len };
	return blocks_skip(t->walk, last) ? 0 : -EBADMSG;
}

void soft_walk_free(struct soft_walk *w)
{
	free(w);
}
