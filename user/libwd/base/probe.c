// SPDX-License-Identifier: Apache-2.0
/*
 * Whether memory is accessible: a device reports only that it failed, and on the software path an access would kill the
 * process.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/likely.h"
#include "base/lists.h"
#include "base/sandbox.h"
#include "base/thread.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif

/* The call's error for the pages of the range, or 0. */
static int range_error(const void *addr, size_t len, int (*call)(void *addr, size_t len, int arg), int arg)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), first = (uintptr_t)addr & ~(page - 1);
	int saved = errno, err = 0, cancel;

	if (!len)
		return 0;
	/* No mapping includes the last page, and rounding up must not wrap around to 0. */
	if ((uintptr_t)addr + len < len || (uintptr_t)addr + len > UINTPTR_MAX - page)
		return EFAULT;
	/* Where no call can be made, an address that isn't mapped is a SIGSEGV. */
	if (wd_sandbox())
		return 0;
	/* msync() can be cancelled; the caller may hold a lock or a stream. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (call((void *)first, ((uintptr_t)addr + len - first + page - 1) & ~(page - 1), arg))
		err = errno;
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return err;
}

/* Where the kernel doesn't know the call, or not for this mapping, the range counts as accessible. */
static bool is_unknown(int err)
{
	return err == EINVAL || err == ENOSYS;
}

static bool range_call(const void *addr, size_t len, int (*call)(void *addr, size_t len, int arg), int arg)
{
	int err = range_error(addr, len, call, arg);

	return !err || is_unknown(err);
}

static bool range_mapped(const void *addr, size_t len)
{
	/* MS_ASYNC synchronises nothing: msync() is the quickest call that fails for unmapped memory. */
	return range_call(addr, len, msync, MS_ASYNC);
}

static bool range_readable(const void *addr, size_t len)
{
	return range_mapped(addr, len) && range_call(addr, len, madvise, MADV_POPULATE_READ);
}

/* Memory that is read-only is EINVAL for one of these calls only, and so is told from a call that the kernel lacks. */
static bool range_writable(const void *addr, size_t len)
{
	int err;

	if (!range_mapped(addr, len))
		return false;
	err = range_error(addr, len, madvise, MADV_POPULATE_WRITE);
	return !err || (is_unknown(err) && range_error(addr, len, madvise, MADV_POPULATE_READ));
}

/* --- ranges that were found mapped a moment ago --- */

#define RECENT_NR	8
#define RECENT_USES	256
#define RECENT_BLOCK	((uintptr_t)128 << 10)	/* checked as a whole: a caller that walks through memory stays in it */
#define RECENT_PAGE	((uintptr_t)4 << 10)	/* if the block isn't fully mapped, as on a stack; the smallest page */

static WD_THREAD_LOCAL struct recent {
	uintptr_t end;
	size_t size;		/* 0: not valid any more */
	uintptr_t start;
	unsigned int left;	/* uses before it has to be checked again */
} recents[RECENT_NR];
static WD_THREAD_LOCAL unsigned int recent_next;	/* the entry to replace next */

/* Two comparisons: room is above size if addr lies before r, and wraps around if addr lies behind r. */
static inline bool recent_has(const struct recent *r, const void *addr, size_t len)
{
	size_t room = r->end - (uintptr_t)addr;

	return room <= r->size && len <= room;
}

static inline void recent_used(struct recent *r)
{
	if (unlikely(!--r->left))
		r->size = 0;
}

/*
 * Fills r with the whole blocks around the range. False: they aren't all mapped, or they reach an end of the address
 * space.
 */
static bool recent_fill(struct recent *r, const void *addr, size_t len, uintptr_t block)
{
	uintptr_t end = (uintptr_t)addr + len, first = (uintptr_t)addr & ~(block - 1),
		  last = (end + block - 1) & ~(block - 1);

	if (!first || end < len || last < end || !range_mapped((void *)first, last - first))
		return false;
	*r = (struct recent){ .end = last, .size = last - first, .start = first, .left = RECENT_USES };
	return true;
}

/*
 * Replaces r, in which the range begins, so that memory in use keeps its position in the search; without r, the next
 * entry in turn.
 */
static __attribute__((noinline)) bool recent_ask(const void *addr, size_t len, struct recent *r)
{
	struct recent found;

	if (!len)
		return true;
	if (!recent_fill(&found, addr, len, RECENT_BLOCK) && !recent_fill(&found, addr, len, RECENT_PAGE))
		return false;
	if (!r)
		r = &recents[recent_next++ % RECENT_NR];
	*r = found;
	return true;
}

static inline bool range_recent(const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)addr;
	struct recent *r;

	for (r = recents; r < recents + RECENT_NR; r++) {
		if (recent_has(r, addr, len)) {
			recent_used(r);
			return true;
		}
		if (start >= r->start && start < r->end && len <= r->end - start)
			return recent_ask(addr, len, r);
	}
	return recent_ask(addr, len, NULL);
}

static bool (*const probes[])(const void *addr, size_t len) = {
	[WD_PROBE_READ] = range_readable,
	[WD_PROBE_WRITE] = range_writable,
	[WD_PROBE_MAPPED] = range_mapped,
	[WD_PROBE_RECENT] = range_recent,
};

static __attribute__((noinline)) bool probe_list(enum wd_probe how, const void *buf, size_t len)
{
	struct wd_list_walk w;

	for (wd_list_walk_init(&w, true, buf, len); ; ) {
		size_t n;
		const void *piece = wd_list_walk_piece(&w, &n);

		if (!n)
			return true;
		if (!probes[how](piece, n))
			return false;
		wd_list_walk_advance(&w, n);
	}
}

/* Some of these ranges are unknown, or not valid any more. */
static __attribute__((noinline)) bool spans_ask(const struct wd_span *spans, size_t n)
{
	for (; n--; spans++)
		if (!range_recent(spans->at, spans->len))
			return false;
	return true;
}

static inline bool recent_look(const void *addr, size_t len)
{
	struct recent *r = recents;

	while (!recent_has(r, addr, len))
		if (++r == recents + RECENT_NR)
			return false;
	recent_used(r);
	return true;
}

bool wd_probe_recent(const struct wd_span *spans, unsigned int n)
{
	const struct wd_span *end = spans + n;

	for (; spans != end; spans++)
		if (!recent_look(spans->at, spans->len))
			return spans_ask(spans, (size_t)(end - spans));
	return true;
}

bool wd_probe_pair(const void *a, size_t a_len, const void *b, size_t b_len)
{
	if (likely(recent_look(a, a_len) && recent_look(b, b_len)))
		return true;
	return spans_ask((struct wd_span []){ { a, a_len }, { b, b_len } }, 2);
}

bool wd_probe(enum wd_probe how, bool sgl, const void *buf, size_t len)
{
	if (unlikely(sgl))
		return probe_list(how, buf, len);
	return likely(how == WD_PROBE_RECENT) ? range_recent(buf, len) : probes[how](buf, len);
}
