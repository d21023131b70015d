/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of RSA, DH and ECC: words in messages, paths, numbers, checks of refusals. */
#ifndef PUBKEY_TEST_H
#define PUBKEY_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wd.h>
#include <wd_number.h>
#include <wd_request.h>

#include "noise.h"
#include "session.h"
#include "vectors.h"
#include "wait_ms.h"

static inline struct wd_number number(const void *p, size_t len)
{
	return (struct wd_number){ .data = p, .len = (__u32)len };
}

static inline struct wd_number number_of(const struct bytes *b)
{
	return number(b->at, b->len);
}

/* Right-aligned in width bytes; a longer number must begin with zeroes. */
static inline bool pad_to(unsigned char *to, size_t width, const struct bytes *b)
{
	size_t lead = b->len > width ? b->len - width : 0, i;

	for (i = 0; i < lead; i++)
		if (b->at[i])
			return false;
	memset(to, 0, width);
	memcpy(to + width - (b->len - lead), b->at + lead, b->len - lead);
	return true;
}

/* A hexadecimal number, perhaps without a leading zero digit. */
static inline struct bytes digits(const char *hex)
{
	char even[1200];

	if (!hex || strlen(hex) % 2 == 0 || strlen(hex) > sizeof(even) - 2)
		return bytes_of(hex);
	snprintf(even, sizeof(even), "0%s", hex);
	return bytes_of(even);
}

static inline void release(struct bytes *b, unsigned int n)
{
	while (n--)
		free(b[n].at);
}

#define REFUSED(err, h, call, word) do { \
	EXPECT_EQ(-(err), call); \
	EXPECT_NE(NULL, strstr(detail(h), word)) TH_LOG("%s", detail(h)); \
} while (0)

#define NO_SESSION(err, call, word) do { \
	errno = 0; \
	EXPECT_EQ(0, call); \
	EXPECT_EQ(err, errno); \
	EXPECT_NE(NULL, strstr(detail(0), word)) TH_LOG("%s", detail(0)); \
} while (0)

/* Changes one member of a copy of good. */
#define BAD_SETUP(alloc, change, err, word) do { \
	setup = good; \
	change; \
	NO_SESSION(err, alloc(&setup, NULL), word); \
} while (0)

/* Runs each test of the file; skips the test without the file. */
#define WYCHE(name, call, arg) do { \
	int n_ = wyche_file(name, call, arg); \
	\
	if (n_ == -1) \
		SKIP(return, "no %s.json: set WYCHEPROOF to its folder", name); \
	EXPECT_LT(0, n_); \
} while (0)

#endif
