/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and data of several kinds, the same for the same seed. */
#ifndef ZLIB_TEST_DATA_H
#define ZLIB_TEST_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

enum data_kind { DATA_TEXT, DATA_RECORDS, DATA_NOISE, DATA_ZEROES, DATA_MIXED, DATA_KINDS };

uint64_t rng_next(struct rng *r);

/* 0 .. n - 1 */
static inline size_t rng_below(struct rng *r, size_t n)
{
	return n ? rng_next(r) % n : 0;
}

/* lo .. hi */
static inline int rng_from(struct rng *r, int lo, int hi)
{
	return lo + (int)rng_below(r, (size_t)(hi - lo) + 1);
}

/* True once in n times. */
static inline bool rng_once_in(struct rng *r, unsigned int n)
{
	return !rng_below(r, n);
}

/* Up to max, and as often small as large. */
size_t rng_size(struct rng *r, size_t max);

void data_fill(unsigned char *p, size_t n, enum data_kind kind, struct rng *r);

#endif
