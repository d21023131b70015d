/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries behind the software path, called directly. */
#ifndef BENCH_DIRECT_H
#define BENCH_DIRECT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of input for each call of a stream. */
#define PIECE	16384u

struct direct;

/* The library that the software path uses for that level, for whole buffers or streams; level 0 decompresses. */
struct direct *direct_open(int level, bool stream);
void direct_close(struct direct *d);
/* The library's name and its own level, as in "isal-1". */
const char *direct_name(const struct direct *d);
/* One whole buffer, or one stream, of raw deflate; returns the bytes produced. */
size_t direct_run(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room);

#endif
