/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of random calls for one seed: both libraries, what is expected of them, the data, and where the run is. Each
 * call gets its input and output in buffers that belong to the call alone: they are overwritten as soon as it has
 * returned.
 */
#ifndef ZLIB_TEST_RUN_H
#define ZLIB_TEST_RUN_H

#include "data.h"
#include "zlibs.h"

#define POOL_BYTES	(2u << 20)
#define ROOM_BYTES	(POOL_BYTES + (POOL_BYTES >> 3) + 4096)	/* more than any bound of so much data */
#define CUT_BYTES	(1u << 20)				/* the largest cut */

/* What the shim is asked to do, by its environment. */
struct config {
	bool devices;		/* they may take part */
	int lo, hi;		/* levels for devices */
	size_t min;		/* bytes for devices */
	bool inflate_streams;	/* devices decompress streams in several calls */
};

/* One library's allocations, which all streams of a program share. */
struct heap {
	long blocks;
	unsigned int refuse;	/* refuse the n-th from now on; 0: none */
};

/* Where a run is, for the parent of a process that ended too early. */
struct place {
	uint64_t seed;
	unsigned int program, stream, call;
	char what[240];
};

struct run {
	struct zlib z[SIDES];
	struct config config;
	struct rng rng;
	struct heap heap[SIDES];
	unsigned char *pool;
	unsigned char *in[SIDES], *out[SIDES];
	struct place *place;
	const char *folder;	/* for files */
};

/* A stream's numbers before a call. */
struct before {
	z_stream s;
	unsigned char *in, *out;
	size_t consumed, produced;	/* by the call */
};

void run_open(struct run *r, struct place *place);
void run_close(struct run *r);

/* Names the next call. */
void run_call(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints where the run is and what is wrong, and ends the program. */
void run_fail(const struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

#define RUN_CHECK(r, condition, ...) do { \
	if (!(condition)) \
		run_fail(r, __VA_ARGS__); \
} while (0)

void run_same(const struct run *r, const char *what, long long stock, long long shim);
void run_same_bytes(const struct run *r, const char *what, const void *stock, size_t stock_len, const void *shim,
		    size_t shim_len);
void run_same_text(const struct run *r, const char *what, const char *stock, const char *shim);

/* How often something is chosen in a hundred, in quiet programs and in wild ones. */
struct weight {
	unsigned int quiet, wild;
};

/* Chooses one of n rows of that size, each with a weight; returns its number. */
size_t run_pick(struct run *r, const struct weight *first, size_t size, size_t n, bool wild);

/* Another program begins. */
void run_program(struct run *r, unsigned int program);

/* It has ended: all its streams are, too. */
void run_ended(const struct run *r);

/* Puts n bytes of random data into the pool. */
void run_data(struct run *r, size_t n);

/* A new stream of a side, whose memory is counted if counted is set. */
void run_stream(struct run *r, z_streamp s, int side, bool counted);

/* Sets up a call's input and output; afterwards run_staged() checks what the call has done with them. */
void run_stage(struct run *r, int side, z_streamp s, struct before *b, const void *in, size_t n, size_t room);
/* uncounted: the totals may not have advanced. */
void run_staged(struct run *r, int side, z_streamp s, struct before *b, bool uncounted);

/* Both sides' streams are the same, except for their pointers. */
void run_same_stream(const struct run *r, const z_stream s[SIDES]);

#endif
