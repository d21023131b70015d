/* SPDX-License-Identifier: Apache-2.0 */
/* Each way in which programs call libzstd. */
#ifndef WAY_H
#define WAY_H

#include <stdbool.h>
#include <stddef.h>

struct way {
	const char *name;
	size_t (*make)(void);
	bool is_small, with_dictionary;
};

extern const struct way ways[];
extern const size_t ways_nr;

/* The data of the calling thread's ways, which is copied. False: no memory. */
bool ways_begin(const unsigned char *bytes, size_t n);
void ways_end(void);

/* Why it fails, or NULL and what it has made, which stays until the thread's next one. It is decompressed first. */
const char *way_fails(const struct way *w, const unsigned char **result, size_t *result_len);

#endif
