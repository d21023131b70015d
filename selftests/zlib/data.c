// SPDX-License-Identifier: Apache-2.0
/* Random numbers and data of several kinds, the same for the same seed. */
#include <string.h>

#include "data.h"

#define WORDS	256

uint64_t rng_next(struct rng *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

size_t rng_size(struct rng *r, size_t max)
{
	unsigned int bits = 0;

	while (max >> bits > 1)
		bits++;
	return rng_below(r, (max >> rng_below(r, bits + 1)) + 1);
}

/* Words of a vocabulary; some follow each other often. */
static void fill_text(unsigned char *p, size_t n, struct rng *r)
{
	char words[WORDS][12];
	size_t i, word = 0, len;

	for (i = 0; i < WORDS; i++) {
		len = 2 + rng_below(r, sizeof(words[i]) - 3);
		words[i][len] = '\0';
		while (len--)
			words[i][len] = (char)('a' + rng_below(r, 26));
	}
	for (i = 0; i < n; i += len + 1) {
		word = rng_once_in(r, 3) ? rng_below(r, WORDS) : (word * 7 + rng_below(r, 4)) % WORDS;
		len = strlen(words[word]);
		len = len < n - i ? len : n - i;
		memcpy(p + i, words[word], len);
		if (i + len < n)
			p[i + len] = rng_once_in(r, 12) ? '\n' : ' ';
	}
}

/* As of a table: numbers that count, numbers that differ a little, a few random bytes. */
static void fill_records(unsigned char *p, size_t n, struct rng *r)
{
	unsigned char record[24] = { 0 };
	uint32_t count = (uint32_t)rng_next(r), drift = (uint32_t)rng_next(r);
	uint64_t noise;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		count++;
		drift += (uint32_t)rng_below(r, 5) - 2;
		noise = rng_next(r);
		memcpy(record, &count, sizeof(count));
		memcpy(record + 8, &drift, sizeof(drift));
		memcpy(record + 16, &noise, 3);
		len = n - i < sizeof(record) ? n - i : sizeof(record);
		memcpy(p + i, record, len);
	}
}

static void fill_noise(unsigned char *p, size_t n, struct rng *r)
{
	uint64_t x;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		x = rng_next(r);
		len = n - i < sizeof(x) ? n - i : sizeof(x);
		memcpy(p + i, &x, len);
	}
}

static void fill_zeroes(unsigned char *p, size_t n, struct rng *r)
{
	(void)r;
	memset(p, 0, n);
}

static void fill_mixed(unsigned char *p, size_t n, struct rng *r)
{
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = 1 + rng_size(r, 200000);
		len = len < n - i ? len : n - i;
		data_fill(p + i, len, (enum data_kind)rng_below(r, DATA_MIXED), r);
	}
}

void data_fill(unsigned char *p, size_t n, enum data_kind kind, struct rng *r)
{
	static void (*const fill[DATA_KINDS])(unsigned char *, size_t, struct rng *) = {
		[DATA_TEXT] = fill_text, [DATA_RECORDS] = fill_records, [DATA_NOISE] = fill_noise,
		[DATA_ZEROES] = fill_zeroes, [DATA_MIXED] = fill_mixed,
	};

	fill[kind](p, n, r);
}
