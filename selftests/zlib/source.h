/* SPDX-License-Identifier: Apache-2.0 */
/* Random input for inflate: one stream or several, with flushes, sometimes damaged, with other bytes behind. */
#ifndef ZLIB_TEST_SOURCE_H
#define ZLIB_TEST_SOURCE_H

#include "run.h"

#define SOURCE_DICT_BYTES	40000

struct source {
	unsigned char *bytes;	/* the caller frees them */
	size_t len;
	int bits;		/* windowBits of what made it */
	const unsigned char *dict;
	size_t dict_len;	/* 0: it needs no dictionary */
};

void source_make(struct run *r, struct source *p);

#endif
