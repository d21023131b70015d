/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes for debuggers and tracers (USDT), where sys/sdt.h is there when a library is built. A probe has a semaphore,
 * which the tracer counts up: without one, its arguments are not computed. docs/tracing.md lists the probes.
 */
#ifndef WD_USDT_H
#define WD_USDT_H

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#define WD_HAS_PROBES
#endif
#endif

#ifdef WD_HAS_PROBES

#define _SDT_HAS_SEMAPHORES 1
#define SDT_USE_VARIADIC
#include <sys/sdt.h>

/* The kernel writes to it, in each process that has the library mapped. */
#define WD_PROBE_SEMAPHORE(provider, name) \
	unsigned short provider##_##name##_semaphore __attribute__((visibility("hidden"), section(".probes"), used))
#define WD_PROBE_DECLARE(provider, name) \
	extern unsigned short provider##_##name##_semaphore __attribute__((visibility("hidden")))

#define WD_LISTENS(provider, name) __builtin_expect(*(const volatile unsigned short *)&provider##_##name##_semaphore, 0)
/* A tracer can't read a page that the process has not touched. */
static inline const char *wd_probe_text(const char *text)
{
	(void)*(const volatile char *)text;
	return text;
}

/* clang takes the macros of sys/sdt.h for ours: the last of them is called without arguments. */
#ifdef __clang__
#define WD_PROBE_PRAGMA(text)	_Pragma(text)
#else
#define WD_PROBE_PRAGMA(text)
#endif

#define WD_PROBE(provider, name, ...) \
	do { \
		WD_PROBE_PRAGMA("clang diagnostic push") \
		WD_PROBE_PRAGMA("clang diagnostic ignored \"-Wgnu-zero-variadic-macro-arguments\"") \
		if (WD_LISTENS(provider, name)) \
			STAP_PROBEV(provider, name, __VA_ARGS__); \
		WD_PROBE_PRAGMA("clang diagnostic pop") \
	} while (0)

#else

#define WD_PROBE_SEMAPHORE(provider, name)	_Static_assert(1, "no probes")
#define WD_PROBE_DECLARE(provider, name)	_Static_assert(1, "no probes")
#define WD_LISTENS(provider, name)		0

static inline const char *wd_probe_text(const char *text)
{
	return text;
}

/* The arguments count as used. */
static inline void wd_probe_nothing(int first, ...)
{
	(void)first;
}

#define WD_PROBE(provider, name, ...) \
	do { \
		if (0) \
			wd_probe_nothing(0, __VA_ARGS__); \
	} while (0)

#endif

#endif
