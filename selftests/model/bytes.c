// SPDX-License-Identifier: Apache-2.0
/* Bytes for tests. */
#include <stdio.h>
#include <stdlib.h>
#include "bytes.h"

u32 hex(unsigned char *to, const char *digits)
{
	unsigned int byte;
	u32 n = 0;

	for (; *digits; digits += *digits == ' ' ? 1 : 2) {
		if (*digits == ' ')
			continue;
		if (sscanf(digits, "%2x", &byte) != 1)
			abort();
		to[n++] = (unsigned char)byte;
	}
	return n;
}

bool is_hex(const unsigned char *p, const char *digits)
{
	unsigned char *want = malloc(strlen(digits) + 1);
	u32 n = hex(want, digits), i;
	bool same = !memcmp(p, want, n);

	for (i = 0; !same && i < n; i++)
		fprintf(stderr, "%02x%s", p[i], i == n - 1 ? "\n" : "");
	free(want);
	return same;
}

static u64 seed = 88172645463325252ull;

u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

void rnd_fill(unsigned char *p, u32 len)
{
	while (len--)
		*p++ = (unsigned char)rnd();
}
