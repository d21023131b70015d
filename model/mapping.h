/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The memory that a function without an address space of a process reaches: what is behind an address, and how far.
 * The host has the lock, and the memory of the pieces.
 */
#ifndef WDM_MAPPING_H
#define WDM_MAPPING_H

#include "env.h"

#define WDM_MAY_READ	1u
#define WDM_MAY_WRITE	2u

/* Every address is above those of 32 bits, and leaves the bits 0 that marks in free slots need (mark.c). */
#define WDM_MAPPED_FIRST	(1ull << 32)
#define WDM_MAPPED_BITS		48
#define WDM_MAPPED_SIZES	3

/**
 * struct wdm_piece - memory of the host at consecutive addresses of the device
 * @start, @len: these addresses; an access beyond them by one byte fails
 * @mem:	what is behind @start
 * @rights:	WDM_MAY_READ, WDM_MAY_WRITE
 * @left, @right: belong to mapping.c
 */
struct wdm_piece {
	u64 start;
	u64 len;
	u8 *mem;
	u32 rights;
	struct wdm_piece *left;
	struct wdm_piece *right;
};

/**
 * struct wdm_map - addresses that a function may use
 * @root:	its pieces
 * @random:	state of a generator
 * @given:	how many ranges of each size were given
 * @stride:	odd
 */
struct wdm_map {
	struct wdm_piece *root;
	u64 random;
	u64 given[WDM_MAPPED_SIZES];
	u64 stride;
};

void wdm_map_init(struct wdm_map *map, u64 seed);
/*
 * @len consecutive addresses that weren't given before, at an unpredictable place, the first of them a multiple of
 * @align, a power of two. Before and behind them are at least @align addresses that nobody gets. 0: none are left, or
 * @len is too large.
 */
u64 wdm_map_place(struct wdm_map *map, u64 len, u64 align);
/* The addresses of @piece must not be those of another one. */
void wdm_map_add(struct wdm_map *map, struct wdm_piece *piece);
void wdm_map_remove(struct wdm_map *map, struct wdm_piece *piece);
/* The piece that has @addr, or NULL. */
struct wdm_piece *wdm_map_find(const struct wdm_map *map, u64 addr);
/*
 * The memory behind @addr, for an access that needs @rights. It reaches *@len bytes, at most those of one piece. NULL:
 * nothing is there, or not with these rights.
 */
void *wdm_map_reach(const struct wdm_map *map, u64 addr, u32 rights, u64 *len);

#endif
