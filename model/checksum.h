/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Adler-32, CRC-32, and the CRC register as the device reports it. */
#ifndef WDM_CHECKSUM_H
#define WDM_CHECKSUM_H

#include "env.h"

#define WDM_ADLER_INIT	1u

struct wdm_crc_tables {
	u32 t[4][256];
};

void wdm_crc_init(struct wdm_crc_tables *tables);
/* The same as zlib's: starts from 0; the function applies the conditioning before and after. */
u32 wdm_crc32(const struct wdm_crc_tables *tables, u32 crc, const u8 *p, u32 len);
u32 wdm_adler32(u32 adler, const u8 *p, u32 len);
/* The device reports its register. The CRC is the bit-reversed complement of the register, and vice versa. */
u32 wdm_crc_to_register(u32 crc);
u32 wdm_crc_from_register(u32 reg);

#endif
