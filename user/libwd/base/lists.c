// SPDX-License-Identifier: Apache-2.0
/* Buffers that are lists of pieces: checks, copies, and walking two of them side by side. */
#include <errno.h>
#include <string.h>

#include "base/lists.h"

/* A longer list counts as a loop. */
#define LIST_MAX_PIECES	(1u << 20)
/* A device takes lists of at most 256 pieces. */
#define LIST_MAX_PAIRS	(1u << 20)

int wd_list_check(const struct wd_datalist *l, size_t len)
{
	size_t sum = 0;
	unsigned int n = 0;

	for (; l; l = l->next) {
		if (++n > LIST_MAX_PIECES)
			return -E2BIG;
		if (!l->len)
			continue;
		if (!l->data || l->len > SIZE_MAX - sum)
			return -EINVAL;
		sum += l->len;
	}
	return sum < len ? -EINVAL : 0;
}

static size_t list_copy(const struct wd_datalist *l, size_t skip, __u8 *buf, size_t len, bool to_list)
{
	size_t done = 0;

	for (; l && done < len; l = l->next) {
		size_t n;

		if (skip >= l->len) {
			skip -= l->len;
			continue;
		}
		n = l->len - skip < len - done ? l->len - skip : len - done;
		if (to_list)
			memcpy((__u8 *)l->data + skip, buf + done, n);
		else
			memcpy(buf + done, (__u8 *)l->data + skip, n);
		done += n;
		skip = 0;
	}
	return done;
}

size_t wd_list_copy_out(const struct wd_datalist *l, size_t skip, void *buf, size_t len)
{
	return list_copy(l, skip, buf, len, false);
}

size_t wd_list_copy_in(const struct wd_datalist *l, size_t skip, const void *buf, size_t len)
{
	return list_copy(l, skip, (__u8 *)buf, len, true);
}

void wd_list_walk_init(struct wd_list_walk *w, bool sgl, const void *buf, size_t len)
{
	w->one.data = (void *)buf;
	w->one.len = len;
	w->one.next = NULL;
	w->l = sgl ? buf : &w->one;
	w->at = 0;
	w->left = len;
}

void *wd_list_walk_piece(struct wd_list_walk *w, size_t *len)
{
	while (w->l && w->at >= w->l->len) {
		w->l = w->l->next;
		w->at = 0;
	}
	if (!w->l || !w->left) {
		*len = 0;
		return w->l && w->l->data ? (__u8 *)w->l->data + w->at : NULL;
	}
	*len = w->l->len - w->at < w->left ? w->l->len - w->at : w->left;
	return (__u8 *)w->l->data + w->at;
}

void wd_list_walk_advance(struct wd_list_walk *w, size_t n)
{
	w->at += n;
	w->left -= n;
}

bool wd_list_walks_meet(struct wd_list_walk a, const struct wd_list_walk *b)
{
	unsigned int pairs = 0;
	size_t a_len, b_len;

	for (;; wd_list_walk_advance(&a, a_len)) {
		uintptr_t at = (uintptr_t)wd_list_walk_piece(&a, &a_len);
		struct wd_list_walk w = *b;

		if (!a_len)
			return false;
		for (;; wd_list_walk_advance(&w, b_len)) {
			uintptr_t to = (uintptr_t)wd_list_walk_piece(&w, &b_len);

			if (!b_len)
				break;
			if (++pairs > LIST_MAX_PAIRS || (at < to + b_len && to < at + a_len))
				return true;
		}
	}
}
