// SPDX-License-Identifier: Apache-2.0
/* Text to compress. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"

static unsigned int next(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* The number seeds the word, so it always gives the same one; small numbers are frequent and short. */
static size_t word(unsigned int number, unsigned char *to)
{
	static const char letters[] = "etaoinshrdlucmfwypvbgkjqxz";
	unsigned int state = number * 2654435761u, i, len = 2 + number % 3 + (number > 40) * (next(&state) % 7);

	for (i = 0; i < len; i++) {
		unsigned int a = next(&state) % 26, b = next(&state) % 26;

		to[i] = (unsigned char)letters[a < b ? a : b];
	}
	to[i++] = ' ';
	return i;
}

void text_fill(unsigned char *to, size_t bytes)
{
	unsigned int state = 1, number;
	unsigned char one[32];
	size_t at = 0, n;

	while (at < bytes) {
		number = next(&state) % 4096;
		/* Scaled down twice by a random factor: most words are among the first few hundred. */
		number = number * (next(&state) % 4096) / 4096;
		number = number * (next(&state) % 4096) / 4096;
		n = word(number, one);
		if (next(&state) % 12 == 0)
			one[n - 1] = '\n';
		if (n > bytes - at)
			n = bytes - at;
		memcpy(to + at, one, n);
		at += n;
	}
}

/* wd-bench text BYTES */
int text_print(int argc, char **argv)
{
	size_t bytes = argc > 0 ? strtoull(argv[0], NULL, 0) : 0;
	unsigned char *text = malloc(bytes + 1);
	bool written;

	if (!text)
		return 1;
	text_fill(text, bytes);
	written = fwrite(text, 1, bytes, stdout) == bytes && !fflush(stdout);
	free(text);
	return written ? 0 : 1;
}
