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

#endif
