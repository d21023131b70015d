// SPDX-License-Identifier: Apache-2.0
/* Numbers as bytes in fields: what keys and operands are before any arithmetic. */
#include <errno.h>

#include "pubkey.h"

int pubkey_number_put(struct wd_object *obj, const char *name, const struct wd_number *n, __u8 *field, size_t width)
{
	const __u8 *data = n->data;
	size_t lead = n->len > width ? n->len - width : 0, i;
	__u8 beyond = 0;

	if (!data || !n->len)
		return wd_fail_str(obj, EINVAL, data ? "%s has no bytes" : "%s is missing", name);
	for (i = 0; i < lead; i++)
		beyond |= data[i];
	if (beyond)
		return wd_fail_all(obj, EINVAL, "%s has more than the %u bytes that there are for it", name, width, 0);
	memset(field, 0, width);
	memcpy(field + width - (n->len - lead), data + lead, n->len - lead);
	return 0;
}

bool pubkey_is(const __u8 *a, size_t width, __u8 v)
{
	__u8 any = 0;
	size_t i;

	for (i = 0; i + 1 < width; i++)
		any |= a[i];
	return !(any | (a[i] ^ v));
}

bool pubkey_is_zero(const __u8 *a, size_t width)
{
	return pubkey_is(a, width, 0);
}

bool pubkey_less(const __u8 *a, const __u8 *b, size_t width)
{
	unsigned int borrow = 0;

	while (width--)
		borrow = (a[width] - b[width] - borrow) >> 8 & 1;
	return borrow;
}

unsigned int pubkey_bits(const __u8 *a, size_t width)
{
	unsigned int bits;
	size_t i;

	for (i = 0; i < width && !a[i]; i++)
		;
	if (i == width)
		return 0;
	for (bits = 8; !(a[i] >> (bits - 1)); bits--)
		;
	return (unsigned int)(width - i - 1) * 8 + bits;
}
