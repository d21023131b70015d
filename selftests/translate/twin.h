/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request twice: with SVA, and translated as a kernel does it, by a device that reaches mapped memory only. Both
 * devices are the model, and both have the same memory at their beginning.
 */
#ifndef TWIN_H
#define TWIN_H

#include "mapping.h"
#include "model.h"
#include "translate.h"

#define TWIN_USER	0x7f0000000000ull
#define TWIN_BYTES	(1u << 19)
#define TWIN_WINDOWS	20000
#define TWIN_PIECES	9000

struct emu_kind;

/* How the kernel of this test brings data to the device. */
struct twin_how {
	bool merge;		/* an IOMMU makes one range of all pieces */
	bool pages;		/* flat memory is in scattered pages */
	u32 bounce;		/* payload of at most so many bytes is copied */
	u32 capacity;		/* entries of a table of the device's lists */
	bool flip;		/* a byte that is copied a second time has changed meanwhile */
};

enum twin_end {
	TWIN_REFUSED,		/* by the table */
	TWIN_MEMORY,		/* by the kernel, for an address or a list */
	TWIN_DONE,		/* by the device */
};

/**
 * struct twin - a process, its queue, and both devices
 * @q: the queue; its engine, generation and type may change between requests
 * @user: memory of the request with SVA, and of the translated one
 * @hole, @hole_end: addresses of user memory that nothing is mapped at
 * @gone: nothing is mapped at all
 * @copied: how often each byte of the translated one's memory was copied since the request began
 * @twice: bytes that were copied more than once
 * @use, @clash: what the device does to each byte; it writes what it may read later, or writes twice, so that the
 *		result depends on its order
 * @strays: accesses of the device to memory that isn't mapped, or not in that direction
 * @accesses: of the device
 * @end, @why: how the translated request ended
 * @sva_status: how twin_compare() has seen it end with SVA
 */
struct twin {
	struct tr_queue q;
	struct twin_how how;
	u8 *user[2];
	u64 hole, hole_end;
	bool gone;
	u8 *copied;
	u32 twice;
	u8 *use;
	bool clash;
	bool walking;
	u32 strays;
	u32 accesses;
	enum twin_end end;
	enum tr_why why;
	u32 sva_status;
	struct tr_request request;
	u32 pages;		/* that the request may name */
	struct wdm_map map;		/* what the device reaches */
	struct wdm_piece *window;
	u32 windows;
	struct tr_piece *piece;
	u8 *slot, *zeroes, *pool;
	u32 pool_used;
	const struct emu_kind *kind[3];
	struct wdm_env env;
	void *scratch_mem[3], *ws[3];
	struct wdm_scratch *scratch[3];
};

void twin_init(struct twin *t);
void twin_free(struct twin *t);

/* Puts the same bytes into the memory of both. */
void twin_put(struct twin *t, u64 addr, const void *from, u32 bytes);
u8 *twin_at(struct twin *t, u32 which, u64 addr);
/* Both have the memory of the first. */
void twin_sync(struct twin *t);

/* Runs the descriptor with SVA, on the first memory; results go into @sqe. */
void twin_sva(struct twin *t, u32 *sqe);
/* Translates it, and runs what was made of it, on the second memory; results go into @sqe. */
void twin_translated(struct twin *t, u32 *sqe);
/* Does the model take the descriptor, whatever is in memory? */
bool twin_accepts(struct twin *t, const u32 *sqe);
/* Are all pieces of memory there that the last request names? @list: are its lists as a list has to be? */
bool twin_all_there(struct twin *t, bool *list);
/* The engine's status, and whether that is success */
u32 twin_status(const struct twin *t, const u32 *sqe);
bool twin_good(const struct twin *t, const u32 *sqe);
/*
 * Does @sqe both ways and compares: verdict, results, memory. NULL, or what is wrong. @sqe has the translated results
 * afterwards.
 */
const char *twin_compare(struct twin *t, u32 *sqe);

#endif
