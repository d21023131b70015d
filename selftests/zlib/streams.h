/* SPDX-License-Identifier: Apache-2.0 */
/* Whole streams: data to compressed bytes and back, with cuts, by either library. */
#ifndef ZLIB_TEST_STREAMS_H
#define ZLIB_TEST_STREAMS_H

#include <stddef.h>

#include "data.h"
#include "zlibs.h"

/*
 * How a stream is made. cut: input of a call; room: output of a call; 0: everything. every: a flush after so many
 * calls.
 */
struct how {
	int level, bits, memory, strategy;
	size_t cut, room;
	int flush;
	unsigned int every;
};

#define HOW(level_, bits_)	(struct how){ .level = level_, .bits = bits_, .memory = 8 }

struct bytes {
	unsigned char *p;
	size_t len, room;
};

/* Data of a kind, always the same. */
struct bytes bytes_of(enum data_kind kind, size_t n);
void bytes_free(struct bytes *b);
void bytes_add(struct bytes *b, const void *p, size_t n);

/* Compresses. Returns no bytes if a call does not return what it should. */
struct bytes squeeze(const struct zlib *z, const struct how *how, const void *in, size_t n);

/* The same with a stream that was initialised, from where it is; the caller ends it. Returns the last value. */
int squeeze_on(const struct zlib *z, z_streamp s, const struct how *how, const void *in, size_t n, int finish,
	       struct bytes *out);

/* Does it inflate to these bytes, to its end, and is nothing behind it? */
bool restores(const struct zlib *z, int bits, const struct bytes *b, const void *want, size_t n);

#endif
