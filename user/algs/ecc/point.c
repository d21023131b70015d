// SPDX-License-Identifier: Apache-2.0
/*
 * Whether two numbers are a point of a curve, and nothing else: libcrypto takes several times as long to say so. Points
 * are public: branches depend on them. Numbers are words, the least first, and products are Montgomery's.
 */
#include "ecc.h"

/* With a number of words that the compiler knows, nothing is left of the loops. */
#define UNROLL	_Pragma("GCC unroll 3")
#define INLINE	static inline __attribute__((always_inline))

__extension__ typedef unsigned __int128 wide;

INLINE void number_get(const __u8 *from, size_t width, __u64 *to, unsigned int n)
{
	__u8 field[sizeof(__u64) * ECC_WORDS_MAX] = { 0 };
	unsigned int i;

	if (__builtin_expect(width != sizeof(__u64) * n, 0)) {
		memcpy(field + sizeof(__u64) * n - width, from, width);
		from = field;
	}
	for (i = 0; i < n; i++)
		to[n - 1 - i] = pubkey_word(from + sizeof(__u64) * i);
}

/* a - p, of n words and the one above them. Returns whether that is below 0. */
INLINE bool minus_p(const struct ecc_words *c, const __u64 *a, __u64 above, __u64 *r, unsigned int n)
{
	__u64 borrow = 0;
	unsigned int i;
	wide d;

	for (i = 0; i < n; i++) {
		d = (wide)a[i] - c->p[i] - borrow;
		r[i] = (__u64)d;
		borrow = (__u64)(d >> 64) & 1;
	}
	return above < borrow;
}

/* a, or a - p if that isn't below 0 */
INLINE void reduce(const struct ecc_words *c, const __u64 *a, __u64 above, __u64 *r, unsigned int n)
{
	__u64 less[ECC_WORDS_MAX];

	memcpy(r, minus_p(c, a, above, less, n) ? a : less, n * sizeof(*r));
}

/* r = a + b */
INLINE void add(const struct ecc_words *c, const __u64 *a, const __u64 *b, __u64 *r, unsigned int n)
{
	__u64 sum[ECC_WORDS_MAX];
	unsigned int i;
	wide s = 0;

	for (i = 0; i < n; i++) {
		s = (s >> 64) + a[i] + b[i];
		sum[i] = (__u64)s;
	}
	reduce(c, sum, (__u64)(s >> 64), r, n);
}

/* r = a / 2^(64 n) */
INLINE void divide(const struct ecc_words *c, const __u64 *a, __u64 *r, unsigned int n)
{
	__u64 t[ECC_WORDS_MAX], m;
	unsigned int i, j;
	wide u;

	memcpy(t, a, n * sizeof(*t));
	for (i = 0; i < n; i++) {
		m = t[0] * c->inverse;
		u = (wide)m * c->p[0] + t[0];
		UNROLL
		for (j = 1; j < n; j++) {
			u = (wide)m * c->p[j] + t[j] + (__u64)(u >> 64);
			t[j - 1] = (__u64)u;
		}
		t[n - 1] = (__u64)(u >> 64);
	}
	/* It is at most p, and that only if a was a multiple of it. */
	reduce(c, t, 0, r, n);
}

/* r = a b / 2^(64 n) */
INLINE void multiply(const struct ecc_words *c, const __u64 *a, const __u64 *b, __u64 *r, unsigned int n)
{
	__u64 t[ECC_WORDS_MAX + 1] = { 0 }, m;
	unsigned int i, j;
	wide s, u;

	for (i = 0; i < n; i++) {
		s = (wide)a[0] * b[i] + t[0];
		m = (__u64)s * c->inverse;
		u = (wide)m * c->p[0] + (__u64)s;
		UNROLL
		for (j = 1; j < n; j++) {
			s = (wide)a[j] * b[i] + t[j] + (__u64)(s >> 64);
			u = (wide)m * c->p[j] + (__u64)s + (__u64)(u >> 64);
			t[j - 1] = (__u64)u;
		}
		u = (wide)t[n] + (__u64)(s >> 64) + (__u64)(u >> 64);
		t[n - 1] = (__u64)u;
		t[n] = (__u64)(u >> 64);
	}
	reduce(c, t, t[n], r, n);
}

/* With R = 2^(64 n): y^2 / R^2 = (x^2 + a) x / R^2 + b / R^2 */
INLINE bool is_point(const struct ecc_words *c, const __u8 *from_x, const __u8 *from_y, size_t width, unsigned int n)
{
	__u64 x[ECC_WORDS_MAX], y[ECC_WORDS_MAX], t[ECC_WORDS_MAX];

	number_get(from_x, width, x, n);
	number_get(from_y, width, y, n);
	if (!minus_p(c, x, 0, t, n) || !minus_p(c, y, 0, t, n))
		return false;
	multiply(c, y, y, y, n);
	divide(c, y, y, n);
	multiply(c, x, x, t, n);
	add(c, t, c->a, t, n);
	multiply(c, t, x, t, n);
	add(c, t, c->b, t, n);
	return !memcmp(t, y, n * sizeof(*t));
}

bool ecc_is_point(const struct ecc_sess *s, const __u8 *x, const __u8 *y)
{
	const struct ecc_words *c = &s->words;

	/* What the compiler knows the number of words of costs half as much. */
	if (__builtin_expect(c->n == 4, 1))
		return is_point(c, x, y, s->w, 4);
	return is_point(c, x, y, s->w, c->n);
}

void ecc_words_set(struct ecc_sess *s)
{
	struct ecc_words *c = &s->words;
	__u64 inverse = 1;
	unsigned int i;

	c->n = (unsigned int)((s->w + sizeof(__u64) - 1) / sizeof(__u64));
	number_get(s->part[ECC_P], s->w, c->p, c->n);
	number_get(s->part[ECC_A], s->w, c->a, c->n);
	number_get(s->part[ECC_B], s->w, c->b, c->n);
	/* p is odd; each step makes twice as many bits right. */
	for (i = 0; i < 6; i++)
		inverse *= 2 - c->p[0] * inverse;
	c->inverse = -inverse;
	divide(c, c->a, c->a, c->n);
	divide(c, c->b, c->b, c->n);
	divide(c, c->b, c->b, c->n);
}
