/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries behind this CPU's path, called as their own users would. */
#ifndef BENCH_DIRECT_H
#define BENCH_DIRECT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of input that a stream is given at once. */
#define PIECE	16384u

struct direct;

/* The library that the path uses for that level, of whole buffers or of streams; level 0 decompresses. */
struct direct *direct_open(int level, bool stream);
void direct_close(struct direct *d);
/* Its name and own level, as in "isal-1". */
const char *direct_name(const struct direct *d);
/* One whole buffer, or stream, of raw deflate: bytes produced. */
size_t direct_run(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room);

#endif
