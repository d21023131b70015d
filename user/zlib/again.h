/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input that a device has had of a stream, kept so that zlib can begin it again when the device fails: what the
 * caller has got comes out a second time, and is dropped. The caller notices nothing.
 */
#ifndef WDZ_AGAIN_H
#define WDZ_AGAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "zlib_own.h"

#define WDZ_AGAIN_MOST	(1u << 20)	/* bytes of input; a stream with more has nothing to begin again with */

/**
 * struct wdz_again - what is kept
 * @at, @len, @room: the input
 * @used: bytes that zlib has had again
 * @lost: it was too much, or there was no memory
 * @charged: bytes that count for the bound of the process
 * @raw: the stream has no checksum of its own
 * @sum: of the output of a raw stream
 */
struct wdz_again {
	unsigned char *at;
	size_t len, room, used, charged;
	bool lost, raw;
	uLong sum;
};

void wdz_again_keep(struct wdz_again *a, const unsigned char *src, size_t len);
void wdz_again_free(struct wdz_again *a);

/*
 * wdz_again_begin() - zlib's stream, which is fresh, comes to where the caller is: total_out bytes
 *
 * strm is lent to zlib; its input and output stay the caller's, and its adler, or sum, is that of the bytes that
 * the caller has got. Return: Z_OK; Z_STREAM_ERROR if there is nothing to begin again with; Z_DATA_ERROR if the caller
 * has got other bytes, which nothing mends.
 */
int wdz_again_begin(struct wdz_again *a, z_streamp strm);

/* wdz_again_step() - one inflate() with kept input that wasn't used yet, into the caller's room; strm is lent. */
int wdz_again_step(struct wdz_again *a, z_streamp strm, int flush);

#endif
