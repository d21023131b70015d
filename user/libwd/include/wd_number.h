/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in the keys and parameters of public-key algorithms. */
#ifndef WD_NUMBER_H
#define WD_NUMBER_H

#include <linux/types.h>

/* Bytes, most significant first, possibly with leading zeroes. NULL and 0: no number. */
struct wd_number {
	const void *data;
	__u32 len;
};

#endif
