/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate streams of both libraries, and the calls that move data through them. */
#ifndef ZLIB_TEST_DEFLATE_STREAMS_H
#define ZLIB_TEST_DEFLATE_STREAMS_H

#include "meaning.h"
#include "run.h"

#define STREAMS		4
#define HEADERS		8

/*
 * Where both libraries must do the same, byte for byte, they make the same calls side by side. A stream that devices
 * may take exists in the shim only, and its meaning is checked.
 */
struct deflating {
	bool used, exact, counted;
	bool tuned;		/* parameters have changed since the beginning */
	int level, bits, memory, strategy;
	z_stream s[SIDES];
	struct meaning m;
};

struct deflates {
	struct deflating stream[STREAMS];
	struct header header[HEADERS];
	unsigned int headers;
	size_t limit;		/* of each stream's input */
	size_t in, out;		/* cuts, as a rule */
};

#define EACH_SIDE(side, d)	side = (d)->exact ? STOCK : SHIM; side < SIDES; side++

/* Is it a stream that no device may take? */
bool deflate_exact(const struct run *r, int level, int bits, int strategy);

void deflate_begin(struct run *r, struct deflating *d);
void deflate_drop(struct run *r, struct deflating *d);

/* Gives up to n bytes more, offers some of what was given, and calls deflate(). */
void deflate_step(struct run *r, struct deflates *p, struct deflating *d, int flush);

/* Offers bytes that were given, in a room; returns deflate()'s value. */
int deflate_offer(struct run *r, struct deflating *d, size_t offer, size_t room, int flush);

/* Gives up to n bytes of the pool. Returns how many. */
size_t deflate_give(struct run *r, struct deflates *p, struct deflating *d, size_t n);

/* Finishes the stream, with Z_FINISH as often as it takes. */
void deflate_finish(struct run *r, struct deflates *p, struct deflating *d);

/* Compares both sides' output of a call, in exact streams, and checks what the shim's means. */
void deflate_came(struct run *r, struct deflating *d, const struct before b[SIDES]);

#endif
