// SPDX-License-Identifier: Apache-2.0
/* Numbers as bytes in fields: keys and operands before any arithmetic. */
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
		return wd_fail_all(obj, EINVAL, "%s is longer than %u bytes", name, width, 0);
	memset(field, 0, width);
	memcpy(field + width - (n->len - lead), data + lead, n->len - lead);
	return 0;
}

bool pubkey_is(const __u8 *a, size_t width, __u8 v)
{
	__u64 any = a[width - 1] ^ v;

	for (width--; width >= sizeof(any); width -= sizeof(any))
		any |= pubkey_word(a + width - sizeof(any));
	while (width--)
		any |= a[width];
	return !any;
}

bool pubkey_is_zero(const __u8 *a, size_t width)
{
	return pubkey_is(a, width, 0);
}

bool pubkey_less(const __u8 *a, const __u8 *b, size_t width)
{
	__u64 x, y, borrow = 0;

	/* Computes the borrow of a subtraction, from the lowest word up. */
	for (; width >= sizeof(x); width -= sizeof(x)) {
		x = pubkey_word(a + width - sizeof(x));
		y = pubkey_word(b + width - sizeof(y));
		borrow = ((~x & y) | (~(x ^ y) & (x - y - borrow))) >> 63;
	}
	while (width--)
		borrow = ((__u64)a[width] - b[width] - borrow) >> 63;
	return borrow;
}

void pubkey_reverse(const __u8 *from, __u8 *to, size_t width)
{
	for (; width; width -= sizeof(__u64), to += sizeof(__u64)) {
		__u64 v;

		memcpy(&v, from + width - sizeof(v), sizeof(v));
		v = __builtin_bswap64(v);
		memcpy(to, &v, sizeof(v));
	}
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
