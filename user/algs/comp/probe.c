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

static bool probe_side(bool sgl, const void *buf, size_t len, bool write, bool mapped_only)
{
	struct list_walk w;

	for (list_walk_init(&w, sgl, buf, len); ; ) {
		size_t n;
		const void *piece = list_walk_piece(&w, &n);

		if (!n)
			return true;
		if (mapped_only ? !range_call(piece, n, msync, MS_ASYNC) : !probe_range(piece, n, write))
			return false;
		list_walk_advance(&w, n);
	}
}

bool probe_msg(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->src, c->src_len, false, false) &&
	       probe_side(c->sgl, c->dst, c->dst_len, true, false);
}

bool probe_mapped(const struct comp_msg *c)
{
	return probe_side(c->sgl, c->src, c->src_len, false, true) &&
	       probe_side(c->sgl, c->dst, c->dst_len, true, true);
}
