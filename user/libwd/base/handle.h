/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: kind, generation and index in one word, checked against a table that never moves. */
#ifndef WD_HANDLE_H
#define WD_HANDLE_H

#include <stdatomic.h>
#include <stdint.h>
#include <wd.h>
#include "base/error.h"
#include "base/likely.h"

/* One number per kind of object, across all libraries; never reused. */
enum wd_kind {
	WD_KIND_CTX = 1,
	WD_KIND_QP = 2,
	WD_KIND_SGLPOOL = 3,
	WD_KIND_CQ = 4,
	WD_KIND_COMP = 16,	/* sessions, one kind per class */
	WD_KIND_CIPHER = 17,
	WD_KIND_DIGEST = 18,
	WD_KIND_AEAD = 19,
	WD_KIND_RSA = 20,
	WD_KIND_DH = 21,
	WD_KIND_ECC = 22,
};

#define WD_CLASSES	(WD_KIND_ECC - WD_KIND_COMP + 1)

/* First member of every object that has a handle. */
struct wd_object {
	handle_t handle;
	uint32_t fork_gen;	/* wd_fork_now() when it was made */
	struct wd_error error;
};

#define WD_HANDLE_INDEX_BITS	20
#define WD_HANDLE_GEN_BITS	36
#define WD_HANDLE_KIND_SHIFT	56
#define WD_HANDLE_INDEX_MASK	((1u << WD_HANDLE_INDEX_BITS) - 1)

/* In use: tag is the handle. Free: tag is 0, and the other word holds generation and next free index. */
struct wd_handle_entry {
	_Atomic uint64_t tag;
	union {
		_Atomic(struct wd_object *) obj;
		_Atomic uint64_t spare;
	};
};

extern _Atomic(struct wd_handle_entry *) wd_handle_table;

/* A new handle for obj; sets obj's handle and fork_gen. 0 and errno ENOMEM on failure. */
handle_t wd_handle_new(enum wd_kind kind, struct wd_object *obj);

/* Makes the handle stale. The caller frees the object. */
void wd_handle_free(handle_t h);

/* The object of a handle of any kind, or NULL. */
static inline struct wd_object *wd_handle_any(handle_t h)
{
	struct wd_handle_entry *table = atomic_load_explicit(&wd_handle_table, memory_order_acquire);
	struct wd_handle_entry *entry;
	struct wd_object *obj;

	if (unlikely(!table || !h))
		return NULL;
	entry = &table[h & WD_HANDLE_INDEX_MASK];
	if (unlikely(atomic_load_explicit(&entry->tag, memory_order_acquire) != h))
		return NULL;
	obj = atomic_load_explicit(&entry->obj, memory_order_relaxed);
	/* Every live handle has an object: callers need no second check. */
	if (!obj)
		__builtin_unreachable();
	return obj;
}

/* The object of a live handle of this kind, or NULL. Doesn't check for a fork: see wd_stale() in fork.h. */
static inline void *wd_handle_get(handle_t h, enum wd_kind kind)
{
	return likely(h >> WD_HANDLE_KIND_SHIFT == (handle_t)kind) ? wd_handle_any(h) : NULL;
}

/* Records that h is not a live handle of the kind that what names; returns -EINVAL. */
int wd_handle_bad(handle_t h, const char *what);

#endif
