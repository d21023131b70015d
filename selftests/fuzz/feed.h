/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the targets: takes an input apart from its beginning, and reports a comparison that fails. */
#ifndef FUZZ_FEED_H
#define FUZZ_FEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Aborts like a sanitizer: libFuzzer keeps the input. */
#define MUST(condition, ...) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
		fprintf(stderr, "" __VA_ARGS__); \
		fputc('\n', stderr); \
		abort(); \
	} \
} while (0)

/* The rest of the input; zeroes follow it. */
struct feed {
	const uint8_t *at;
	size_t left;
};

static inline size_t feed_bytes(struct feed *f, void *to, size_t n)
{
	size_t have = n < f->left ? n : f->left;

	if (have)
		memcpy(to, f->at, have);
	memset((uint8_t *)to + have, 0, n - have);
	f->at += have;
	f->left -= have;
	return have;
}

static inline uint8_t feed_u8(struct feed *f)
{
	uint8_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint16_t feed_u16(struct feed *f)
{
	uint16_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint32_t feed_u32(struct feed *f)
{
	uint32_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint64_t feed_u64(struct feed *f)
{
	uint64_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

/* Memory of exactly that size, so that an access beyond either end is noticed; the caller frees it. */
static inline uint8_t *exactly(const void *from, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	MUST(copy);
	if (n)
		memcpy(copy, from, n);
	return copy;
}

/* Numbers that follow from a seed: positions of cuts, and the like. */
static inline uint32_t drawn(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return below ? (*seed >> 8) % below : 0;
}

#endif
