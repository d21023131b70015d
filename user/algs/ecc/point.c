// SPDX-License-Identifier: Apache-2.0
/*
 * Checks whether two numbers are a point of a curve: libcrypto takes several times as long for this. Points are public:
 * branches may depend on them. Numbers are words, the least significant first, and products are Montgomery's.
 */
#include "base/likely.h"
#include "ecc.h"

/* With a constant number of words the compiler unrolls the loops. */
#define UNROLL	_Pragma("GCC unroll 4")
#define INLINE	static inline __attribute__((always_inline))

__extension__ typedef unsigned __int128 wide;

INLINE void number_get(const __u8 *from, size_t width, __u64 *to, unsigned int n)
{
	__u8 field[sizeof(__u64) * ECC_WORDS_MAX] = { 0 };
	unsigned int i;

	if (unlikely(width != sizeof(__u64) * n)) {
		memcpy(field + sizeof(field) - width, from, width);
		from = field + sizeof(field) - sizeof(__u64) * n;
	}
	for (i = 0; i < n; i++)
		to[n - 1 - i] = pubkey_word(from + sizeof(__u64) * i);
}

/* r = a - p, for n words and the one above them. Returns whether the result is below 0. */
INLINE bool minus_p(const struct ecc_words *w, const __u64 *a, __u64 above, __u64 *r, unsigned int n)
{
	__u64 borrow = 0;
	unsigned int i;
	wide d;

	for (i = 0; i < n; i++) {
		d = (wide)a[i] - w->p[i] - borrow;
		r[i] = (__u64)d;
		borrow = (__u64)(d >> 64) & 1;
	}
	return above < borrow;
}

/* r = a - p if that isn't below 0, else a */
INLINE void reduce(const struct ecc_words *w, const __u64 *a, __u64 above, __u64 *r, unsigned int n)
{
	__u64 less[ECC_WORDS_MAX];

	memcpy(r, minus_p(w, a, above, less, n) ? a : less, n * sizeof(*r));
}

/* r = p - a, which is p for 0 */
INLINE void negate(const struct ecc_words *w, const __u64 *a, __u64 *r, unsigned int n)
{
	__u64 borrow = 0;
	unsigned int i;
	wide d;

	for (i = 0; i < n; i++) {
		d = (wide)w->p[i] - a[i] - borrow;
		r[i] = (__u64)d;
		borrow = (__u64)(d >> 64) & 1;
	}
}

/* r = (a b + c) / 2^(64 n). As a and b are below p, and c at most p, the sum is below 2 p before it is reduced. */
INLINE void multiply_add(const struct ecc_words *w, const __u64 *a, const __u64 *b, const __u64 *c, __u64 *r,
			 unsigned int n)
{
	__u64 t[ECC_WORDS_MAX + 1], m;
	unsigned int i, j;
	wide s, u;

	memcpy(t, c, n * sizeof(*t));
	t[n] = 0;
	UNROLL
	for (i = 0; i < n; i++) {
		s = (wide)a[0] * b[i] + t[0];
		m = (__u64)s * w->inverse;
		u = (wide)m * w->p[0] + (__u64)s;
		UNROLL
		for (j = 1; j < n; j++) {
			s = (wide)a[j] * b[i] + t[j] + (__u64)(s >> 64);
			u = (wide)m * w->p[j] + (__u64)s + (__u64)(u >> 64);
			t[j - 1] = (__u64)u;
		}
		u = (wide)t[n] + (__u64)(s >> 64) + (__u64)(u >> 64);
		t[n - 1] = (__u64)u;
		t[n] = (__u64)(u >> 64);
	}
	reduce(w, t, t[n], r, n);
}

/* With R = 2^(64 n), u = (y^2 - b) / R and v = (x^2 + a) / R: a point has (v x - u) / R = 0. */
INLINE bool is_point(const struct ecc_words *w, const __u8 *from_x, const __u8 *from_y, size_t width, unsigned int n)
{
	__u64 x[ECC_WORDS_MAX], y[ECC_WORDS_MAX], t[ECC_WORDS_MAX], any = 0;
	unsigned int i;

	number_get(from_x, width, x, n);
	number_get(from_y, width, y, n);
	if (!minus_p(w, x, 0, t, n) || !minus_p(w, y, 0, t, n))
		return false;
	multiply_add(w, y, y, w->minus_b, y, n);
	negate(w, y, y, n);
	multiply_add(w, x, x, w->a, t, n);
	multiply_add(w, t, x, y, t, n);
	for (i = 0; i < n; i++)
		any |= t[i];
	return !any;
}

bool ecc_is_point(const struct ecc_sess *s, const __u8 *x, const __u8 *y)
{
	const struct ecc_words *w = &s->words;

	/* With a constant number of words the check takes half as long. */
	if (likely(w->n == 4))
		return is_point(w, x, y, s->w, 4);
	return is_point(w, x, y, s->w, w->n);
}

void ecc_words_set(struct ecc_sess *s)
{
	struct ecc_words *w = &s->words;
	__u64 inverse = 1;
	unsigned int i;

	w->n = (unsigned int)((s->w + sizeof(__u64) - 1) / sizeof(__u64));
	number_get(s->part[ECC_P], s->w, w->p, w->n);
	number_get(s->part[ECC_A], s->w, w->a, w->n);
	number_get(s->part[ECC_B], s->w, w->minus_b, w->n);
	negate(w, w->minus_b, w->minus_b, w->n);
	/* p is odd; each step doubles the number of correct bits. */
	for (i = 0; i < 6; i++)
		inverse *= 2 - w->p[0] * inverse;
	w->inverse = -inverse;
}
