/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of programs, and those of ours, which have leading zeroes. */
#ifndef UADK_NUMBERS_H
#define UADK_NUMBERS_H

#include "own_number.h"
#include "uadk/wd.h"

/* Writes @from to the @w bytes of @to. Return: false if it is longer. */
static inline bool number_put(__u8 *to, __u32 w, const struct wd_dtb *from)
{
	const char *data = from->data;
	__u32 len = from->dsize;

	for (; len > w && !*data; len--)
		data++;
	if (len > w)
		return false;
	memset(to, 0, w - len);
	memcpy(to + (w - len), data, len);
	return true;
}

static inline bool number_given(const struct wd_dtb *n)
{
	return n && n->data && n->dsize;
}

/* Makes @to stand for @w bytes without leading zeroes. */
static inline void number_get(struct wd_dtb *to, __u8 *from, __u32 w)
{
	__u32 bsize = w;

	for (; w > 1 && !*from; w--)
		from++;
	*to = (struct wd_dtb){ (char *)from, w, bsize };
}

static inline struct own_number number_own(const struct wd_dtb *n)
{
	return (struct own_number){ n->data, n->dsize };
}

#endif
