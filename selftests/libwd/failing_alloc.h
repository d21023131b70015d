/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations that can be made to fail. Include this before the sources to test. */
#ifndef FAILING_ALLOC_H
#define FAILING_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The allocation after this many others fails, once. If negative, none fails. */
static int fail_after = -1;
static bool has_failed;

static inline bool fails_now(void)
{
	if (fail_after < 0 || fail_after--)
		return false;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

static inline void *failing_malloc(size_t size)
{
	return fails_now() ? NULL : malloc(size);
}

static inline void *failing_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : calloc(n, size);
}

static inline void *failing_realloc(void *old, size_t size)
{
	return fails_now() ? NULL : realloc(old, size);
}

static inline void *failing_aligned_alloc(size_t align, size_t size)
{
	return fails_now() ? NULL : aligned_alloc(align, size);
}

static inline char *failing_strndup(const char *s, size_t n)
{
	return fails_now() ? NULL : strndup(s, n);
}

/* Tests leave with _exit(), which runs no leak check. */
#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
#define leaks()	__lsan_do_recoverable_leak_check()
#else
#define leaks()	0
#endif

#define malloc		failing_malloc
#define calloc		failing_calloc
#define realloc		failing_realloc
#define aligned_alloc	failing_aligned_alloc
#undef strndup
#define strndup		failing_strndup

/* Runs op with the first, second, ... allocation failing, until op succeeds without a failure. */
#define SWEEP(op, undo)								\
	do {									\
		int nth_;							\
										\
		for (nth_ = 0; nth_ < 1000; nth_++) {				\
			bool ok_;						\
										\
			fail_after = nth_;					\
			has_failed = false;					\
			errno = 0;						\
			ok_ = (op);						\
			fail_after = -1;					\
			if (ok_) {						\
				undo;						\
			}							\
			if (!has_failed) {					\
				EXPECT_TRUE(ok_);				\
				break;						\
			}							\
			EXPECT_FALSE(ok_);					\
			EXPECT_EQ(ENOMEM, errno);				\
		}								\
		EXPECT_LT(0, nth_);						\
		EXPECT_EQ(0, leaks());						\
	} while (0)

#endif
