// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* GHASH (SP 800-38D), four bits at a time. */
#include "block.h"
#include "internal.h"

/* XORed in at the top for the four bits that are shifted out. */
static const u16 reduce[16] = {
	0x0000, 0x1c20, 0x3840, 0x2460, 0x7080, 0x6ca0, 0x48c0, 0x54e0,
	0xe100, 0xfd20, 0xd940, 0xc560, 0x9180, 0x8da0, 0xa9c0, 0xb5e0,
};

void wdm_ghash_init(struct wdm_ghash *g, const u8 *h)
{
	u64 high = wdm_get_be64(h), low = wdm_get_be64(h + 8), carry;
	u32 i, j;

	memset(g, 0, sizeof(*g));
	for (i = 8; i; i >>= 1) {
		g->high[i] = high;
		g->low[i] = low;
		carry = low & 1;
		low = high << 63 | low >> 1;
		high = high >> 1 ^ (carry ? 0xe100000000000000ull : 0);
	}
	for (i = 2; i < 16; i <<= 1)
		for (j = 1; j < i; j++) {
			g->high[i + j] = g->high[i] ^ g->high[j];
			g->low[i + j] = g->low[i] ^ g->low[j];
		}
}

static void ghash_block(struct wdm_ghash *g)
{
	u64 high = 0, low = 0;
	u32 i, nibble, out;

	for (i = 32; i-- > 0;) {
		nibble = i & 1 ? g->y[i / 2] & 15 : g->y[i / 2] >> 4;
		out = low & 15;
		low = high << 60 | low >> 4;
		high = high >> 4 ^ (u64)reduce[out] << 48;
		high ^= g->high[nibble];
		low ^= g->low[nibble];
	}
	wdm_put_be64(g->y, high);
	wdm_put_be64(g->y + 8, low);
}

void wdm_ghash_update(struct wdm_ghash *g, const u8 *p, u32 len)
{
	u32 i, n;

	for (; len; len -= n) {
		n = len < WDM_BLOCK_BYTES ? len : WDM_BLOCK_BYTES;
		for (i = 0; i < n; i++)
			g->y[i] ^= *p++;
		ghash_block(g);
	}
}

void wdm_ghash_lengths(struct wdm_ghash *g, u64 aad, u64 data)
{
	u8 block[WDM_BLOCK_BYTES];

	wdm_put_be64(block, aad * 8);
	wdm_put_be64(block + 8, data * 8);
	wdm_ghash_update(g, block, sizeof(block));
}
