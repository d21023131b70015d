/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Accesses of an engine to memory, as its descriptors state them. The engines' tables are in zip_access_hw.h,
 * sec_access_hw.h and hpre_access_hw.h; the kernel translates by them, and the model executes what they allow.
 */
#ifndef WD_ACCESS_HW_H
#define WD_ACCESS_HW_H

#include <linux/types.h>

/* A table in a header: not every file that reads one table reads all. */
#define HW_TABLE static const __attribute__((unused))

/* Directions, as the device sees them */
#define HW_READ		1
#define HW_WRITE	2

enum hw_form {
	HW_SMALL,	/* at most some KiB: may be copied */
	HW_FLAT,	/* contiguous for the device */
	HW_FREE,	/* contiguous, or a hardware list */
};

/* An address field: the first of its two words, and what is there; @extent is one of the engine's */
struct hw_access {
	__u8 word;
	__u8 dir;
	__u8 form;	/* enum hw_form */
	__u8 extent;
};

#define HW_GENERATION_FIRST	2
#define HW_GENERATIONS		2
/* Position of a generation in a table with a row for each. */
#define HW_ROW(generation)	((generation) - HW_GENERATION_FIRST)

#endif
