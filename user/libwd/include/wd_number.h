/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of public-key algorithms, as they stand in keys and parameters. */
#ifndef WD_NUMBER_H
#define WD_NUMBER_H

#include <linux/types.h>

/* Bytes, most significant first; zeroes may lead. NULL and 0: there is none. */
struct wd_number {
	const void *data;
	__u32 len;
};

#endif
