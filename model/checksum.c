// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Adler-32 and CRC-32. */
#include "checksum.h"

#define CRC_POLY	0xedb88320u
#define ADLER_BASE	65521u
#define ADLER_NMAX	5552u	/* most bytes before the sums could overflow 32 bits */

void wdm_crc_init(struct wdm_crc_tables *tables)
{
	u32 i, bit, crc;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ CRC_POLY : crc >> 1;
		tables->t[0][i] = crc;
	}
	for (i = 0; i < 256; i++)
		for (bit = 1; bit < 4; bit++) {
			crc = tables->t[bit - 1][i];
			tables->t[bit][i] = crc >> 8 ^ tables->t[0][crc & 0xff];
		}
}

u32 wdm_crc32(const struct wdm_crc_tables *tables, u32 crc, const u8 *p, u32 len)
{
	const u32 (*t)[256] = tables->t;

	crc = ~crc;
	for (; len >= 4; len -= 4, p += 4) {
		crc ^= p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
		crc = t[3][crc & 0xff] ^ t[2][crc >> 8 & 0xff] ^ t[1][crc >> 16 & 0xff] ^ t[0][crc >> 24];
	}
	for (; len; len--)
		crc = crc >> 8 ^ t[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

u32 wdm_adler32(u32 adler, const u8 *p, u32 len)
{
	u32 a = (adler & 0xffff) % ADLER_BASE, b = (adler >> 16) % ADLER_BASE, n;

	while (len) {
		n = len < ADLER_NMAX ? len : ADLER_NMAX;
		len -= n;
		while (n--) {
			a += *p++;
			b += a;
		}
		a %= ADLER_BASE;
		b %= ADLER_BASE;
	}
	return b << 16 | a;
}

static u32 wdm_bit_reverse(u32 v)
{
	u32 i, r = 0;

	for (i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

u32 wdm_crc_to_register(u32 crc)
{
	return ~wdm_bit_reverse(crc);
}

u32 wdm_crc_from_register(u32 reg)
{
	return wdm_bit_reverse(~reg);
}
