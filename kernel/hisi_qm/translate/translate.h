/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Descriptors with a process' addresses, translated for a device that doesn't share its address space: portable C
 * without locks, memory or pages of its own, for the kernel, the emulator and the tests. docs/no-sva.md says how a
 * request goes through it.
 *
 * Everything that a process gives (descriptor, lists) is copied once, and only the copy is looked at.
 */
#ifndef HISI_TRANSLATE_H
#define HISI_TRANSLATE_H

#include <linux/types.h>

#ifdef __KERNEL__

#include <linux/errno.h>
#include <linux/string.h>

#define tr_load(p)	READ_ONCE(*(p))

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define tr_load(p)	__atomic_load_n((p), __ATOMIC_RELAXED)

#endif

#include "hw/access_hw.h"

enum tr_engine {
	TR_ZIP,
	TR_SEC,
	TR_HPRE,
};

#define TR_WORDS_MAX	32	/* of a descriptor */
#define TR_ACCESSES_MAX	7
#define TR_EMPTY_MAX	2	/* both sides of the payload, or one of them and an initial value */
#define TR_ALIGN	64	/* of small data in a slot */
/* Bytes of a slot for the small data of one request, its stream context excepted */
#define TR_SLOT_SEC	512
#define TR_SLOT_HPRE	3072
#define TR_PAGE_SHIFT	12	/* the unit in which a request's memory is bounded, on every machine */

/* What a queue is: all that the meaning of its descriptors depends on. */
struct tr_queue {
	enum tr_engine engine;
	u8 generation;
	u8 qc_type;
};

/**
 * struct tr_access - memory that a request names
 * @field: which of the engine's address fields (enum zip_field, sec_l, hpre_extent)
 * @word: first words of the one or two addresses; 0 = no second one. A request in place has one access.
 * @dir: HW_READ, HW_WRITE
 * @form: HW_SMALL, HW_FLAT, HW_FREE
 * @list: @addr is a hardware list in the process' memory
 * @short_end: the list may end before @len
 * @addr: the process' address
 * @skip: bytes of a list to pass over
 * @len: bytes that the device may access, not 0
 * @at: of HW_SMALL: offset in the slot
 * @fill: bytes that a bounced destination has to begin with: so many of the source's first ones
 */
struct tr_access {
	u8 field;
	u8 word[2];
	u8 dir;
	u8 form;
	bool list;
	bool short_end;
	u64 addr;
	u32 skip;
	u32 len;
	u32 at;
	u32 fill;
};

/**
 * struct tr_request - a descriptor that was accepted
 * @q: its queue
 * @word: the copy, in the host's byte order; results are 0
 * @nr_empty, @empty: first words of addresses that must not be 0, although nothing is there
 * @slot_bytes: of a slot that are used by small data
 * @pages: units of memory that it may still name
 * @row: of HPRE: its operation
 * @nr, @access: memory that it names
 */
struct tr_request {
	struct tr_queue q;
	u32 word[TR_WORDS_MAX];
	u8 nr_empty;
	u8 empty[TR_EMPTY_MAX];
	u32 slot_bytes;
	u32 pages;
	u8 row;
	u32 nr;
	struct tr_access access[TR_ACCESSES_MAX];
};

/* Why the kernel completes a request itself. */
enum tr_why {
	TR_WHY_ADDRESS,		/* not all memory is there, or it can't be mapped */
	TR_WHY_LIST,		/* malformed, too short or too long */
	TR_WHY_NO_SPACE,	/* a destination without any room: ZIP only */
	TR_WHY_STOPPED,
};

/* Bytes of a descriptor. */
u32 tr_sqe_bytes(const struct tr_queue *q);
/* Units of memory that one request may name. */
u32 tr_pages(const struct tr_queue *q);

/* Copies the descriptor at @sqe, which its owner may change meanwhile. */
void tr_take(struct tr_request *r, const struct tr_queue *q, const __le32 *sqe);
/* Reads the copy. 0, or the engine's status for why it is refused, for tr_fail(). */
u32 tr_check(struct tr_request *r);
/* Both */
u32 tr_read(struct tr_request *r, const struct tr_queue *q, const __le32 *sqe);

/* The engine's status for @why; 0: it has none. */
u32 tr_status(const struct tr_queue *q, enum tr_why why);

/* Writes the results of a failed request into the process' slot. */
void tr_fail(const struct tr_queue *q, u32 status, __le32 *sqe);

/**
 * struct tr_user - how to reach the process' memory
 * @copy: copies from there once, and may sleep; 0 or -EFAULT
 */
struct tr_user {
	int (*copy)(void *arg, void *to, u64 from, u32 bytes);
	void *arg;
};

#define TR_BATCH	8

/* A walk over the pieces of an access, see list.c */
struct tr_walk {
	const struct tr_user *user;
	struct tr_request *r;
	bool list, short_end;
	u32 left, skip;
	u64 addr;
	u32 piece;		/* bytes left of the current piece */
	u64 next;		/* table */
	u64 entry;		/* address of the next entry to copy */
	u32 entries;		/* of this table, not copied yet */
	u32 tables;
	u32 batch, batch_at;
	u8 sge[TR_BATCH][32];
};

struct tr_piece {
	u64 addr;
	u32 len;
};

/* Begins with access @i. Each access may be walked once: what it names counts for the request's bound. */
void tr_walk_begin(struct tr_walk *w, struct tr_request *r, u32 i, const struct tr_user *user);
/*
 * The next piece: 1; the end: 0, after @len bytes, or less if a destination of ZIP ends there. -EFAULT: a list isn't
 * there, or an address wraps (TR_WHY_ADDRESS); -EINVAL: malformed, or too much memory; -ENODATA: too short (both
 * TR_WHY_LIST).
 */
int tr_walk_next(struct tr_walk *w, struct tr_piece *piece);

/* Copies small data that the device reads into a slot of @r->slot_bytes; the rest of these bytes is 0. 0 or -EFAULT. */
int tr_slot_fill(const struct tr_request *r, void *slot, const struct tr_user *user);

/* A list for the device, in tables of @capacity entries, at most QM_SGL_MAX_ENTRIES */
struct tr_list {
	u8 *first, *table;
	u32 capacity;
	u32 entries;		/* of the current table */
	u32 total;
};

#define TR_TABLE_BYTES(capacity)	(64 + 32 * (capacity))
/* Entries that a table of so many bytes has room for */
#define TR_CAPACITY(bytes)		(((bytes) - 64) / 32 < 255 ? ((bytes) - 64) / 32 : 255)

/* Begins at @table, which is aligned to 64 bytes for the device. */
void tr_list_begin(struct tr_list *l, void *table, u32 capacity);
/* Goes on at another table, at @dma for the device. */
void tr_list_chain(struct tr_list *l, void *table, u64 dma);
/* Adds memory of the device, and returns how many bytes of it; 0: the table is full. */
u32 tr_list_add(struct tr_list *l, u64 dma, u32 bytes);
/* Ends a list that isn't empty. */
void tr_list_end(struct tr_list *l);

/* Where an access is for the device: flat or a list, and how many bytes are there */
struct tr_target {
	u64 dma;
	u32 bytes;
	bool list;
};

/*
 * Writes the whole descriptor for the device. @slot is the slot's address, for small data; @target has an entry for
 * each access, which is ignored for small data; @zeroes is memory that the device may read. -EINVAL: a list where the
 * device takes none, a flat buffer and a list where it takes one kind only, or too few bytes; only a list that ends
 * early may have fewer than the access, since the device finds its end.
 */
int tr_write(const struct tr_request *r, u64 slot, const struct tr_target *target, u64 zeroes, __le32 *sqe);

/*
 * Copies the results from the completed descriptor @device, which is a copy that the device doesn't change any more, to
 * the process' slot.
 */
void tr_results(const struct tr_request *r, const __le32 *device, __le32 *sqe);

/* How many bytes of access @i go to the process, if the device has written to a copy. */
u32 tr_deliver(const struct tr_request *r, u32 i, const __le32 *device);

#endif
