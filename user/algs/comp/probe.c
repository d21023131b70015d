// SPDX-License-Identifier: Apache-2.0
/* Whether memory is there: devices say only that they failed, and a CPU would be killed for trying. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "comp.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif

static bool range_call(const void *addr, size_t len, int (*call)(void *addr, size_t len, int arg), int arg)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), first = (uintptr_t)addr & ~(page - 1);
	int saved = errno, ret, cancel;

	if (!len)
		return true;
	/* Nothing lies in the last page, and rounding up must not come out at the beginning. */
	if ((uintptr_t)addr + len < len || (uintptr_t)addr + len > UINTPTR_MAX - page)
		return false;
	/* msync() can be cancelled; whoever asks here may hold a lock or a stream. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = call((void *)first, ((uintptr_t)addr + len - first + page - 1) & ~(page - 1), arg);
	/* A kernel that doesn't know the call gives no answer. */
	if (ret && (errno == EINVAL || errno == ENOSYS))
		ret = 0;
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return !ret;
}

bool probe_range(const void *addr, size_t len, bool write)
{
	/* Not synchronising anything: the quickest call that fails for what isn't mapped. */
	return range_call(addr, len, msync, MS_ASYNC) &&
	       range_call(addr, len, madvise, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

static bool range_mapped(const void *addr, size_t len)
{
	return range_call(addr, len, msync, MS_ASYNC);
}

static bool range_readable(const void *addr, size_t len)
{
	return probe_range(addr, len, false);
}

static bool range_writable(const void *addr, size_t len)
{
	return probe_range(addr, len, true);
}

static bool probe_side(bool sgl, const void *buf, size_t len, bool (*probe)(const void *addr, size_t len))
{
	struct list_walk w;

	if (!sgl)
		return probe(buf, len);
	for (list_walk_init(&w, sgl, buf, len); ; ) {
		size_t n;
		const void *piece = list_walk_piece(&w, &n);

		if (!n)
			return true;
		if (!probe(piece, n))
			return false;
		list_walk_advance(&w, n);
	}
}

bool probe_msg(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->src, c->src_len, range_readable) &&
	       probe_side(c->sgl, c->dst, c->dst_len, range_writable);
}

bool probe_head(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->dst, c->head, range_writable);
}

bool probe_mapped(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->src, c->src_len, range_mapped) &&
	       probe_side(c->sgl, c->dst, c->dst_len, range_mapped);
}

/* --- what was found a moment ago --- */

#define RECENT_NR	8
#define RECENT_USES	64
#define RECENT_BLOCK	((uintptr_t)128 << 10)	/* asked about as a whole: whoever walks through memory goes on in it */

static _Thread_local struct recent {
	uintptr_t start;
	uintptr_t end;
	unsigned int left;	/* how often it is believed */
} recents[RECENT_NR];
static _Thread_local unsigned int recent_next;	/* to be replaced */

static bool recent_ask(const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)addr, end = start + len;
	uintptr_t first = start & ~(RECENT_BLOCK - 1), last = (end + RECENT_BLOCK - 1) & ~(RECENT_BLOCK - 1);

	if (first && last > end && range_mapped((void *)first, last - first)) {
		start = first;
		end = last;
	} else if (!range_mapped(addr, len)) {
		return false;
	}
	recents[recent_next++ % RECENT_NR] = (struct recent){ .start = start, .end = end, .left = RECENT_USES };
	return true;
}

static bool range_recent(const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)addr;
	struct recent *r;

	for (r = recents; r < recents + RECENT_NR; r++) {
		if (start < r->start || start >= r->end || len > r->end - start || !r->left)
			continue;
		r->left--;
		return true;
	}
	return !len || recent_ask(addr, len);
}

bool probe_recent(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->src, c->src_len, range_recent) &&
	       probe_side(c->sgl, c->dst, c->dst_len, range_recent);
}
