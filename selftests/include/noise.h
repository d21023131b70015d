/* SPDX-License-Identifier: Apache-2.0 */
/* Data that doesn't compress, repeatable for a seed. */
#ifndef WD_TEST_NOISE_H
#define WD_TEST_NOISE_H

#include <stddef.h>

static inline void fill_noise(unsigned char *p, size_t n, unsigned int seed)
{
	unsigned long long x = seed * 0x9e3779b97f4a7c15ull + 1;
	size_t i;

	for (i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (unsigned char)(x >> 32);
	}
}

#endif
