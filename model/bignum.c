// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Natural numbers of a fixed width. */
#include "bignum.h"

__extension__ typedef unsigned __int128 wide;

static u64 get_be64(const u8 *p)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

void wdm_num_load(u64 *r, const u8 *p, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		r[i] = get_be64(p + 8 * (nr - 1 - i));
}

void wdm_num_store(u8 *p, const u64 *a, u32 nr)
{
	u32 i;

	for (i = 0; i < 8 * nr; i++)
		p[i] = (u8)(a[nr - 1 - i / 8] >> (56 - 8 * (i % 8)));
}

void wdm_num_set(u64 *r, u64 v, u32 nr)
{
	memset(r, 0, nr * sizeof(*r));
	r[0] = v;
}

void wdm_num_copy(u64 *r, const u64 *a, u32 nr)
{
	memmove(r, a, nr * sizeof(*r));
}

bool wdm_num_is(const u64 *a, u64 v, u32 nr)
{
	u32 i;

	for (i = 1; i < nr; i++)
		if (a[i])
			return false;
	return a[0] == v;
}

int wdm_num_cmp(const u64 *a, const u64 *b, u32 nr)
{
	while (nr--)
		if (a[nr] != b[nr])
			return a[nr] < b[nr] ? -1 : 1;
	return 0;
}

u32 wdm_num_bits(const u64 *a, u32 nr)
{
	u32 bits;
	u64 top;

	while (nr && !a[nr - 1])
		nr--;
	if (!nr)
		return 0;
	bits = 64 * (nr - 1);
	for (top = a[nr - 1]; top; top >>= 1)
		bits++;
	return bits;
}

bool wdm_num_bit(const u64 *a, u32 bit)
{
	return a[bit / 64] >> bit % 64 & 1;
}

u64 wdm_num_add(u64 *r, const u64 *a, const u64 *b, u32 nr)
{
	wide sum = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		sum += (wide)a[i] + b[i];
		r[i] = (u64)sum;
		sum >>= 64;
	}
	return (u64)sum;
}

u64 wdm_num_sub(u64 *r, const u64 *a, const u64 *b, u32 nr)
{
	u64 borrow = 0;
	wide diff;
	u32 i;

	for (i = 0; i < nr; i++) {
		diff = (wide)a[i] - b[i] - borrow;
		r[i] = (u64)diff;
		borrow = (u64)(diff >> 64) & 1;
	}
	return borrow;
}

void wdm_num_mul(u64 *r, u32 r_nr, const u64 *a, u32 a_nr, const u64 *b, u32 b_nr)
{
	u32 i, j;
	wide p;

	memset(r, 0, r_nr * sizeof(*r));
	for (i = 0; i < a_nr && i < r_nr; i++) {
		p = 0;
		for (j = 0; j < b_nr && i + j < r_nr; j++) {
			p += (wide)a[i] * b[j] + r[i + j];
			r[i + j] = (u64)p;
			p >>= 64;
		}
		if (i + j < r_nr)
			r[i + j] = (u64)p;
	}
}

/* r = 2 * r + bit modulo m; @r must be below @m. */
static void num_double_mod(u64 *r, u64 bit, const u64 *m, u32 nr)
{
	u64 next;
	u32 i;

	for (i = 0; i < nr; i++, bit = next) {
		next = r[i] >> 63;
		r[i] = r[i] << 1 | bit;
	}
	if (bit || wdm_num_cmp(r, m, nr) >= 0)
		wdm_num_sub(r, r, m, nr);
}

void wdm_num_mod(u64 *r, const u64 *a, u32 a_nr, const u64 *m, u32 nr)
{
	u32 bit = wdm_num_bits(a, a_nr);

	memset(r, 0, nr * sizeof(*r));
	while (bit--) {
		num_double_mod(r, wdm_num_bit(a, bit), m, nr);
		wdm_relax();
	}
}

void wdm_num_add_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr)
{
	if (wdm_num_add(r, a, b, nr) || wdm_num_cmp(r, m, nr) >= 0)
		wdm_num_sub(r, r, m, nr);
}

void wdm_num_sub_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr)
{
	if (wdm_num_sub(r, a, b, nr))
		wdm_num_add(r, r, m, nr);
}

static void num_halve(u64 *a, u64 carry, u32 nr)
{
	u64 low;

	while (nr--) {
		low = a[nr] & 1;
		a[nr] = a[nr] >> 1 | carry << 63;
		carry = low;
	}
}

static void num_halve_mod(u64 *a, const u64 *m, u32 nr)
{
	num_halve(a, a[0] & 1 ? wdm_num_add(a, a, m, nr) : 0, nr);
}

/*
 * The binary form of Euclid's algorithm, with x * a == u and y * a == v modulo m; each
 * iteration removes a bit from u or v.
 */
bool wdm_num_inverse(u64 *r, const u64 *a, const u64 *m, u32 nr, u64 *tmp)
{
	u64 *u = tmp, *v = tmp + nr, *x = tmp + 2 * nr, *y = tmp + 3 * nr;

	wdm_num_copy(u, a, nr);
	wdm_num_copy(v, m, nr);
	wdm_num_set(x, 1, nr);
	wdm_num_set(y, 0, nr);
	while (!wdm_num_is(u, 0, nr)) {
		wdm_relax();
		if (!(u[0] & 1)) {
			num_halve(u, 0, nr);
			num_halve_mod(x, m, nr);
		} else if (wdm_num_cmp(u, v, nr) >= 0) {
			wdm_num_sub(u, u, v, nr);
			wdm_num_sub_mod(x, x, y, m, nr);
		} else {
			wdm_num_sub(v, v, u, nr);
			wdm_num_sub_mod(y, y, x, m, nr);
			while (!(v[0] & 1)) {
				num_halve(v, 0, nr);
				num_halve_mod(y, m, nr);
			}
		}
	}
	wdm_num_copy(r, y, nr);
	return wdm_num_is(v, 1, nr);
}

/* 1 / a modulo 2 ^ 64, for an odd number. The lowest 3 bits are right at first; each iteration doubles that number. */
static u64 word_inverse(u64 a)
{
	u64 x = a;
	u32 i;

	for (i = 0; i < 5; i++)
		x *= 2 - a * x;
	return x;
}

/* (1 + m * k) / e, where k makes the division exact. The result is below m, so only its low words are computed. */
bool wdm_num_inverse_even(u64 *r, const u64 *e, const u64 *m, u32 nr, u64 *tmp)
{
	u64 *k = tmp, *t = tmp + nr, inverse = word_inverse(e[0]), q, borrow;
	wide p;
	u32 i, j;

	if (!wdm_num_inverse(r, m, e, nr, tmp))
		return false;
	wdm_num_sub(k, e, r, nr);
	wdm_num_mul(t, nr, m, nr, k, nr);
	wdm_num_set(k, 1, nr);
	wdm_num_add(t, t, k, nr);
	for (i = 0; i < nr; i++) {
		q = r[i] = t[i] * inverse;
		borrow = 0;
		for (j = 0; i + j < nr; j++) {
			p = (wide)q * e[j] + borrow;
			borrow = (u64)(p >> 64) + (t[i + j] < (u64)p);
			t[i + j] -= (u64)p;
		}
	}
	return true;
}

void wdm_mont_init(struct wdm_mont *m, const u64 *modulus, u32 nr)
{
	u32 i;

	m->nr = nr;
	m->n0 = -word_inverse(modulus[0]);
	wdm_num_copy(m->m, modulus, nr);
	wdm_num_set(m->one, 1, nr);
	for (i = 0; i < 64 * nr; i++)
		num_double_mod(m->one, 0, m->m, nr);
	wdm_num_copy(m->square, m->one, nr);
	for (i = 0; i < 64 * nr; i++)
		num_double_mod(m->square, 0, m->m, nr);
}

static void mont_step(struct wdm_mont *m, const u64 *a, u64 b)
{
	u64 *t = m->t, q;
	u32 nr = m->nr, j;
	wide p = 0;

	for (j = 0; j < nr; j++) {
		p += (wide)a[j] * b + t[j];
		t[j] = (u64)p;
		p >>= 64;
	}
	p += t[nr];
	t[nr] = (u64)p;
	t[nr + 1] = (u64)(p >> 64);
	q = t[0] * m->n0;
	p = ((wide)q * m->m[0] + t[0]) >> 64;
	for (j = 1; j < nr; j++) {
		p += (wide)q * m->m[j] + t[j];
		t[j - 1] = (u64)p;
		p >>= 64;
	}
	p += t[nr];
	t[nr - 1] = (u64)p;
	t[nr] = t[nr + 1] + (u64)(p >> 64);
}

void wdm_mont_mul(struct wdm_mont *m, u64 *r, const u64 *a, const u64 *b)
{
	u32 nr = m->nr, i;

	memset(m->t, 0, (nr + 2) * sizeof(*m->t));
	for (i = 0; i < nr; i++)
		mont_step(m, a, b[i]);
	if (m->t[nr] || wdm_num_cmp(m->t, m->m, nr) >= 0)
		wdm_num_sub(r, m->t, m->m, nr);
	else
		wdm_num_copy(r, m->t, nr);
}

void wdm_mont_in(struct wdm_mont *m, u64 *r, const u64 *a)
{
	wdm_mont_mul(m, r, a, m->square);
}

void wdm_mont_out(struct wdm_mont *m, u64 *r, const u64 *a)
{
	u64 unit[WDM_NUM_WORDS];

	wdm_num_set(unit, 1, m->nr);
	wdm_mont_mul(m, r, a, unit);
}
