/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What zlib's documentation promises of a deflate stream, whoever produces it: stock zlib inflates the output, as it
 * comes, to the input, and each call's return value and numbers follow from what was given.
 */
#ifndef ZLIB_TEST_MEANING_H
#define ZLIB_TEST_MEANING_H

#include "run.h"

enum wrap { WRAP_RAW, WRAP_ZLIB, WRAP_GZIP };

/* The flush of the last call, as far as a later call without input depends on it. */
enum { FLUSH_NEVER = -2, FLUSH_AGAIN = -1, FLUSH_UNKNOWN = -3 };

#define HEADER_TEXT	64

/* A gzip header with the memory that it points to. */
struct header {
	gz_header h;
	unsigned char extra[HEADER_TEXT], name[HEADER_TEXT], comment[HEADER_TEXT];
};

struct meaning {
	enum wrap wrap;
	unsigned char *given;	/* all input since the last reset, POOL_BYTES at most */
	size_t given_len;
	size_t taken;		/* of it, by the stream */
	uLong sum;		/* of what was taken */
	z_stream inf;
	size_t back;		/* bytes that were inflated */
	bool end;		/* the end was inflated */
	bool blind;		/* calls that zlib forbids have made the output undefined */
	unsigned char *dict;
	size_t dict_len;
	const struct header *header;	/* that was set, or NULL */
	struct header got;
	bool got_whole;
	int last;		/* flush */
	int most;		/* flush since the last input */
	bool started, finishing, ended;
	bool flushed;		/* nothing is held back since the last call */
	bool filled;		/* the last output filled its room */
	bool dict_set;		/* since the beginning */
	bool primed, full;	/* deflatePrime() or Z_FULL_FLUSH was called */
	unsigned int pending;	/* bytes that deflatePending() reported after the last call */
};

void meaning_open(struct meaning *m, const struct run *r, enum wrap wrap);
void meaning_close(struct meaning *m, const struct run *r);

/* The same stream from the beginning, as after deflateReset(). */
void meaning_reset(struct meaning *m, const struct run *r);
void meaning_copy(struct meaning *copy, const struct meaning *m, const struct run *r);

/* deflateSetDictionary() has returned Z_OK. */
void meaning_dictionary(struct meaning *m, const struct run *r, const void *dict, size_t n);

/* deflateGetDictionary() has returned these bytes. */
void meaning_history(const struct meaning *m, const struct run *r, const void *dict, size_t n);

/* Takes what a call has produced. */
void meaning_output(struct meaning *m, const struct run *r, const struct before *b, const z_stream *s);

/* Checks a call of deflate(), after meaning_output(). */
void meaning_deflate(struct meaning *m, const struct run *r, const struct before *b, const z_stream *s, int flush,
		     int ret);

/* Checks deflateEnd(). */
void meaning_ended(const struct meaning *m, const struct run *r, int ret);

#endif
