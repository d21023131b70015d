/* SPDX-License-Identifier: Apache-2.0 */
/* Failure texts: recorded as a format and its arguments, formatted only when they are read. */
#ifndef WD_ERROR_H
#define WD_ERROR_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct wd_object;

#define WD_ERROR_STR	128

/* The last failure of an object or thread. All zero: none. */
struct wd_error {
	_Atomic uint32_t holder;	/* fork generation of the thread that reads or writes; 0: none */
	int err;		/* positive errno */
	const char *fmt;	/* static storage */
	uint64_t a;
	uint64_t b;
	char str[WD_ERROR_STR];
};

/*
 * Records a failure of obj (NULL: of no object) and of this thread; returns
 * -err, for "return wd_fail(...)".
 *
 * fmt: static text that may contain, in any order, %s (str, its first 127
 * characters) and %d, %u, %x (the next of a, b). No punctuation at the end: the name
 * of err is appended when the text is formatted. Doesn't change errno.
 */
__attribute__((cold))
int wd_fail_all(struct wd_object *obj, int err, const char *fmt, const char *str, uint64_t a, uint64_t b);

#define wd_fail(obj, err, fmt)			wd_fail_all(obj, err, fmt, NULL, 0, 0)
#define wd_fail_str(obj, err, fmt, str)		wd_fail_all(obj, err, fmt, str, 0, 0)
#define wd_fail_num(obj, err, fmt, a, b)	wd_fail_all(obj, err, fmt, NULL, (uint64_t)(a), (uint64_t)(b))

/* For functions that return pointers or handles: sets errno, returns NULL. */
static inline void *wd_null(int ret)
{
	errno = -ret;
	return NULL;
}

static inline unsigned long long wd_no_handle(int ret)
{
	errno = -ret;
	return 0;
}

#endif
