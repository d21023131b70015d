/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Adler-32, CRC-32, and the form in which the device reports the latter. */
#ifndef WDM_CHECKSUM_H
#define WDM_CHECKSUM_H

#include "env.h"

#define WDM_ADLER_INIT	1u

struct wdm_crc_tables {
	u32 t[4][256];
};

void wdm_crc_init(struct wdm_crc_tables *tables);
/* As zlib's: starts from 0, before and after conditioning inside. */
u32 wdm_crc32(const struct wdm_crc_tables *tables, u32 crc, const u8 *p, u32 len);
u32 wdm_adler32(u32 adler, const u8 *p, u32 len);
/* The device reports its register; crc = bit-reversed complement of it, and the other way round. */
u32 wdm_crc_to_register(u32 crc);
u32 wdm_crc_from_register(u32 reg);

#endif
