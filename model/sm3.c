// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The compression function of SM3 (GB/T 32905), which the kernels of supported distributions lack. */
#include "hash.h"
#include "internal.h"

static u32 sm3_p0(u32 x)
{
	return x ^ wdm_rol32(x, 9) ^ wdm_rol32(x, 17);
}

static u32 sm3_p1(u32 x)
{
	return x ^ wdm_rol32(x, 15) ^ wdm_rol32(x, 23);
}

static void sm3_block(u32 *state, const u8 *data)
{
	u32 w[68], v[8], i, a12, ss1, tt1, tt2, ff, gg;

	for (i = 0; i < 16; i++)
		w[i] = wdm_get_be32(data + 4 * i);
	for (; i < 68; i++)
		w[i] = sm3_p1(w[i - 16] ^ w[i - 9] ^ wdm_rol32(w[i - 3], 15)) ^ wdm_rol32(w[i - 13], 7) ^ w[i - 6];
	memcpy(v, state, sizeof(v));
	for (i = 0; i < 64; i++) {
		a12 = wdm_rol32(v[0], 12);
		ss1 = wdm_rol32(a12 + v[4] + wdm_rol32(i < 16 ? 0x79cc4519 : 0x7a879d8a, i & 31), 7);
		ff = i < 16 ? v[0] ^ v[1] ^ v[2] : (v[0] & v[1]) | (v[0] & v[2]) | (v[1] & v[2]);
		gg = i < 16 ? v[4] ^ v[5] ^ v[6] : (v[4] & v[5]) | (~v[4] & v[6]);
		tt1 = ff + v[3] + (ss1 ^ a12) + (w[i] ^ w[i + 4]);
		tt2 = gg + v[7] + ss1 + w[i];
		v[3] = v[2];
		v[2] = wdm_rol32(v[1], 9);
		v[1] = v[0];
		v[0] = tt1;
		v[7] = v[6];
		v[6] = wdm_rol32(v[5], 19);
		v[5] = v[4];
		v[4] = sm3_p0(tt2);
	}
	for (i = 0; i < 8; i++)
		state[i] ^= v[i];
	/* The first block of an HMAC contains its key. */
	wdm_wipe(w, sizeof(w));
	wdm_wipe(v, sizeof(v));
}

void wdm_sm3_blocks(u32 *state, const u8 *data, u32 blocks)
{
	for (; blocks; blocks--, data += 64)
		sm3_block(state, data);
}
