// SPDX-License-Identifier: Apache-2.0
/* xxHash with 32 bits: four lanes that take 4 bytes each in turns, then what is left, mixed into one. */
#include <string.h>

#include "soft.h"
#include "xxh32.h"

#define PRIME_1	0x9e3779b1u
#define PRIME_2	0x85ebca77u
#define PRIME_3	0xc2b2ae3du
#define PRIME_4	0x27d4eb2fu
#define PRIME_5	0x165667b1u

static __u32 rotl(__u32 v, int bits)
{
	return v << bits | v >> (32 - bits);
}

void xxh32_begin(struct xxh32 *x)
{
	*x = (struct xxh32){ .lane = { PRIME_1 + PRIME_2, PRIME_2, 0, 0u - PRIME_1 } };
}

static void stripe_add(struct xxh32 *x, const __u8 *p)
{
	int i;

	for (i = 0; i < XXH32_LANES; i++)
		x->lane[i] = rotl(x->lane[i] + soft_le32(p + 4 * i) * PRIME_2, 13) * PRIME_1;
}

void xxh32_add(struct xxh32 *x, const void *src, size_t n)
{
	size_t have = x->total % XXH32_STRIPE, most;
	const __u8 *p = src;

	x->total += n;
	if (have) {
		most = XXH32_STRIPE - have < n ? XXH32_STRIPE - have : n;
		memcpy(x->rest + have, p, most);
		p += most;
		n -= most;
		if (have + most < XXH32_STRIPE)
			return;
		stripe_add(x, x->rest);
	}
	for (; n >= XXH32_STRIPE; p += XXH32_STRIPE, n -= XXH32_STRIPE)
		stripe_add(x, p);
	if (n)
		memcpy(x->rest, p, n);
}

__u32 xxh32_end(const struct xxh32 *x)
{
	const __u8 *p = x->rest, *end = p + x->total % XXH32_STRIPE;
	__u32 h = PRIME_5;

	if (x->total >= XXH32_STRIPE)
		h = rotl(x->lane[0], 1) + rotl(x->lane[1], 7) + rotl(x->lane[2], 12) + rotl(x->lane[3], 18);
	h += (__u32)x->total;
	for (; end - p >= 4; p += 4)
		h = rotl(h + soft_le32(p) * PRIME_3, 17) * PRIME_4;
	for (; p < end; p++)
		h = rotl(h + *p * PRIME_5, 11) * PRIME_1;
	h = (h ^ h >> 15) * PRIME_2;
	h = (h ^ h >> 13) * PRIME_3;
	return h ^ h >> 16;
}
