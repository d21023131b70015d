/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The generations of the device: one row of facts for each, as far as they don't depend on the engine. */
#ifndef WDM_GENERATION_H
#define WDM_GENERATION_H

#include "env.h"

#define WDM_GENERATION_FIRST	2
#define WDM_GENERATION_LAST	3
#define WDM_GENERATIONS		(WDM_GENERATION_LAST - WDM_GENERATION_FIRST + 1)
/* Position of a generation in a table with a row for each. */
#define WDM_ROW(generation)	((generation) - WDM_GENERATION_FIRST)

/* A register with a reset value, such as a capability. */
struct wdm_reg {
	u32 offset;
	u32 value;
};

/* Registers from @first to before @end */
struct wdm_reg_range {
	u32 first, end;
};

/**
 * struct wdm_generation - facts about one generation
 * @name: what users call it: "v2"
 * @revision: PCI revision of PF and VFs
 * @api: uacce's name for the programming interface of a queue
 * @window_bytes: what a user maps to reach a queue's doorbell (region_mmio_size), with pages of 4 KiB
 * @isolated: each queue has a doorbell window of its own in BAR4; otherwise there is no BAR4
 * @capable: registers describe the device: capabilities, and numbers of queues
 * @pasid_bits: contexts have a bit that makes their PASID valid; otherwise registers of the engine do, for all queues
 * @shapers: there are limits of bandwidth for functions
 * @commands: mailbox commands that exist, bits by enum qm_mb_cmd. Without STOP_QP a driver compares dumps of SQC and
 * CQC
 *		until they agree, without SRC and DST functions exchange no messages, and without PAUSE_QM no VF
 *		migrates.
 * @regs: reset values in the queue manager, terminated by offset 0
 * @absent: registers that don't exist, terminated by 0: they read 0 and have no effect. The engine has more of them.
 */
struct wdm_generation {
	const char *name;
	u32 revision;
	const char *api;
	u32 window_bytes;
	bool isolated;
	bool capable;
	bool pasid_bits;
	bool shapers;
	u32 commands;
	const struct wdm_reg *regs;
	const struct wdm_reg_range *absent;
};

/* NULL: there is no such generation; 0 is the newest one. */
const struct wdm_generation *wdm_generation(u32 generation);
/* The number of the generation with that name, or 0. */
u32 wdm_generation_find(const char *name);

#endif
