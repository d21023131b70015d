// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Mapped memory. Addresses are random and never given again, so a stale or computed one finds nothing. The pieces are a
 * treap, whose priorities come from the addresses.
 */
#include "internal.h"
#include "mapping.h"

/*
 * A range gets a cell of its own, whose size is a power of two, and has a random place in it. The cells are taken in an
 * order that looks random: each step from the number of a range to that of its cell can be undone, so no two ranges
 * have the same cell. Those of the largest size that are below WDM_MAPPED_FIRST are left out.
 */
static const struct wdm_cells {
	u64 base;
	u32 shift;
	u32 bits;
} wdm_cells[WDM_MAPPED_SIZES] = {
	{ 1ull << (WDM_MAPPED_BITS - 1), 16, WDM_MAPPED_BITS - 1 - 16 },
	{ 1ull << (WDM_MAPPED_BITS - 2), 20, WDM_MAPPED_BITS - 2 - 20 },
	{ 0, 26, WDM_MAPPED_BITS - 2 - 26 },
};

void wdm_map_init(struct wdm_map *map, u64 seed)
{
	*map = (struct wdm_map){ .random = seed };
	map->stride = (u64)wdm_random(&map->random) << 32 | wdm_random(&map->random) | 1;
}

/* 0: all cells were given. */
static u64 wdm_cell(struct wdm_map *map, u32 size)
{
	const struct wdm_cells *cells = &wdm_cells[size];
	u64 mask = (1ull << cells->bits) - 1, at;

	while (map->given[size] <= mask) {
		at = ++map->given[size] * map->stride & mask;
		at ^= at >> cells->bits / 2;
		at = cells->base + ((at * map->stride & mask) << cells->shift);
		if (at >= WDM_MAPPED_FIRST)
			return at;
	}
	return 0;
}

u64 wdm_map_place(struct wdm_map *map, u64 len, u64 align)
{
	u64 at, bytes, places;
	u32 size;

	for (size = 0; size < WDM_MAPPED_SIZES; size++) {
		bytes = 1ull << wdm_cells[size].shift;
		if (align <= bytes / 2 && len <= bytes - 2 * align)
			break;
	}
	if (!len || size == WDM_MAPPED_SIZES)
		return 0;
	at = wdm_cell(map, size);
	if (!at)
		return 0;
	places = (bytes - 2 * align - len) / align + 1;
	return at + align * (1 + wdm_random(&map->random) % places);
}

static u64 wdm_priority(const struct wdm_piece *piece)
{
	return piece->start * 0x9e3779b97f4a7c15ull;
}

void wdm_map_add(struct wdm_map *map, struct wdm_piece *piece)
{
	struct wdm_piece **at = &map->root, **left = &piece->left, **right = &piece->right, *rest;

	while (*at && wdm_priority(*at) >= wdm_priority(piece))
		at = piece->start < (*at)->start ? &(*at)->left : &(*at)->right;
	rest = *at;
	*at = piece;
	while (rest) {
		if (rest->start < piece->start) {
			*left = rest;
			left = &rest->right;
			rest = rest->right;
		} else {
			*right = rest;
			right = &rest->left;
			rest = rest->left;
		}
	}
	*left = NULL;
	*right = NULL;
}

void wdm_map_remove(struct wdm_map *map, struct wdm_piece *piece)
{
	struct wdm_piece **at = &map->root, *left = piece->left, *right = piece->right;

	while (*at != piece)
		at = piece->start < (*at)->start ? &(*at)->left : &(*at)->right;
	while (left && right) {
		if (wdm_priority(left) > wdm_priority(right)) {
			*at = left;
			at = &left->right;
			left = left->right;
		} else {
			*at = right;
			at = &right->left;
			right = right->left;
		}
	}
	*at = left ? left : right;
}

struct wdm_piece *wdm_map_find(const struct wdm_map *map, u64 addr)
{
	struct wdm_piece *piece = map->root, *last = NULL;

	while (piece) {
		if (addr < piece->start) {
			piece = piece->left;
		} else {
			last = piece;
			piece = piece->right;
		}
	}
	return last && addr - last->start < last->len ? last : NULL;
}

void *wdm_map_reach(const struct wdm_map *map, u64 addr, u32 rights, u64 *len)
{
	const struct wdm_piece *piece = wdm_map_find(map, addr);
	u64 skip;

	if (!piece || (piece->rights & rights) != rights)
		return NULL;
	skip = addr - piece->start;
	if (*len > piece->len - skip)
		*len = piece->len - skip;
	return piece->mem + skip;
}
