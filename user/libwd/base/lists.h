/* SPDX-License-Identifier: Apache-2.0 */
/* Callers' buffers, flat or lists of pieces: checks, copies, walks, and whether their memory is accessible. */
#ifndef WD_LISTS_H
#define WD_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wd.h>

/* --- lists.c --- */

/* Whether the list holds at least len bytes and has no NULL piece: 0, -EINVAL, -E2BIG (it may never end). */
int wd_list_check(const struct wd_datalist *l, size_t len);
size_t wd_list_copy_out(const struct wd_datalist *l, size_t skip, void *buf, size_t len);
size_t wd_list_copy_in(const struct wd_datalist *l, size_t skip, const void *buf, size_t len);

/* The source or destination of a request, walked piece by piece; a flat buffer is a list of one piece. */
struct wd_list_walk {
	const struct wd_datalist *l;
	struct wd_datalist one;
	size_t at;		/* offset in l */
	size_t left;		/* of the request's length */
};

void wd_list_walk_init(struct wd_list_walk *w, bool sgl, const void *buf, size_t len);
/* The current piece: its address, and its length in *len (0: the end). */
void *wd_list_walk_piece(struct wd_list_walk *w, size_t *len);
void wd_list_walk_advance(struct wd_list_walk *w, size_t n);
/* Whether the two have a byte in common; true, too, if they have too many pieces to be compared. */
bool wd_list_walks_meet(struct wd_list_walk a, const struct wd_list_walk *b);

/* --- probe.c: whether memory can be read, or written --- */

/*
 * READ, WRITE: for finding out why something failed. MAPPED: cheaper, only whether the ranges are mapped, with one
 * system call each. RECENT: the same for the request path: a range that this thread found mapped a moment ago isn't
 * checked again. For buffers that the software path is about to touch: a caller that unmaps one and passes it again may
 * get a signal.
 */
enum wd_probe {
	WD_PROBE_READ,
	WD_PROBE_WRITE,
	WD_PROBE_MAPPED,
	WD_PROBE_RECENT,
};

bool wd_probe(enum wd_probe how, bool sgl, const void *buf, size_t len);

struct wd_span {
	const void *at;
	size_t len;		/* not 0 */
};

/* RECENT for several flat buffers in one call. */
bool wd_probe_recent(const struct wd_span *spans, unsigned int n);
bool wd_probe_pair(const void *a, size_t a_len, const void *b, size_t b_len);

#endif
