// SPDX-License-Identifier: Apache-2.0
/* The addresses of mapped memory: where they are, and that nothing but the mapped bytes is behind them. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "mapping.h"

#define PAGE	4096ull
#define MANY	20000
#define SMALL	(1ull << 18)
#define MIDDLE	(512ull << 10)
#define LARGE	(32ull << 20)
/* The most that fits with a page before and behind it. */
#define LARGEST	((64ull << 20) - 2 * PAGE)

FIXTURE(map) {
	struct wdm_map map;
	u64 random;
};

FIXTURE_SETUP(map)
{
	self->random = 1;
	wdm_map_init(&self->map, 42);
}

FIXTURE_TEARDOWN(map)
{
}

static u32 draw(u64 *random)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*random >> 33);
}

/* Maps @len bytes of @mem. */
static struct wdm_piece *piece_add(struct wdm_map *map, u8 *mem, u64 len, u32 rights)
{
	struct wdm_piece *piece = malloc(sizeof(*piece));

	*piece = (struct wdm_piece){
		.start = wdm_map_place(map, len, PAGE), .len = len, .mem = mem, .rights = rights,
	};
	wdm_map_add(map, piece);
	return piece;
}

static int reaches(struct wdm_map *map, u64 addr, u32 rights)
{
	u64 len = 1;

	return wdm_map_reach(map, addr, rights, &len) != NULL;
}

static int by_address(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The least distance from the end of one of the ranges to the next. */
static u64 least_gap(u64 *at, unsigned int count, u64 len)
{
	u64 least = ~0ull;

	qsort(at, count, sizeof(*at), by_address);
	for (unsigned int i = 1; i < count; i++)
		if (at[i] - at[i - 1] - len < least)
			least = at[i] - at[i - 1] - len;
	return least;
}

static int places_are_good(struct wdm_map *map, u64 len, u64 align)
{
	static u64 at[MANY];
	unsigned int up = 0;

	for (unsigned int i = 0; i < MANY; i++) {
		at[i] = wdm_map_place(map, len, align);
		if (at[i] < WDM_MAPPED_FIRST || at[i] % align || (at[i] + len - 1) >> WDM_MAPPED_BITS)
			return 0;
		up += i && at[i] > at[i - 1];
	}
	return up > MANY / 4 && up < MANY - MANY / 4 && least_gap(at, MANY, len) >= 2 * align;
}

TEST_F(map, addresses_are_aligned_apart_and_never_given_again)
{
	EXPECT_TRUE(places_are_good(&self->map, 1, PAGE));
	EXPECT_TRUE(places_are_good(&self->map, SMALL, SMALL));
	EXPECT_TRUE(places_are_good(&self->map, MIDDLE, PAGE));
	EXPECT_TRUE(places_are_good(&self->map, LARGE - 2 * PAGE, PAGE));
	EXPECT_TRUE(places_are_good(&self->map, 5 * PAGE, PAGE));
}

TEST_F(map, another_seed_has_other_addresses)
{
	struct wdm_map other, same;

	wdm_map_init(&other, 43);
	wdm_map_init(&same, 42);
	EXPECT_EQ(wdm_map_place(&same, PAGE, PAGE), wdm_map_place(&self->map, PAGE, PAGE));
	EXPECT_NE(wdm_map_place(&other, PAGE, PAGE), wdm_map_place(&self->map, PAGE, PAGE));
}

TEST_F(map, what_is_too_large_has_no_address)
{
	EXPECT_NE(0, wdm_map_place(&self->map, LARGEST, PAGE));
	EXPECT_EQ(0, wdm_map_place(&self->map, LARGEST + 1, PAGE));
	EXPECT_EQ(0, wdm_map_place(&self->map, LARGE + 1, LARGE));
	EXPECT_EQ(0, wdm_map_place(&self->map, PAGE, 128ull << 20));
	EXPECT_EQ(0, wdm_map_place(&self->map, ~0ull, PAGE));
	EXPECT_EQ(0, wdm_map_place(&self->map, 0, PAGE));
}

/* The counts are those of a function that has mapped for weeks. */
TEST_F(map, addresses_end_before_one_is_given_again)
{
	u64 first = wdm_map_place(&self->map, LARGE, PAGE), last;

	ASSERT_NE(0, first);
	self->map.given[2] = (1ull << (WDM_MAPPED_BITS - 2 - 26)) - 1;
	last = wdm_map_place(&self->map, LARGE, PAGE);
	/* The last cell is the one at 0, which no address may have. */
	EXPECT_EQ(0, last);
	EXPECT_EQ(0, wdm_map_place(&self->map, LARGE, PAGE));
	EXPECT_NE(0, wdm_map_place(&self->map, PAGE, PAGE));
}

TEST_F(map, a_piece_is_reached_to_the_byte)
{
	u8 mem[100];
	struct wdm_piece *piece = piece_add(&self->map, mem, sizeof(mem), WDM_MAY_READ);
	u64 start = piece->start, len = 1000;

	EXPECT_EQ(&mem[0], wdm_map_reach(&self->map, start, WDM_MAY_READ, &len));
	EXPECT_EQ(100, len);
	len = 7;
	EXPECT_EQ(mem + 99, wdm_map_reach(&self->map, start + 99, WDM_MAY_READ, &len));
	EXPECT_EQ(1, len);
	len = 7;
	EXPECT_EQ(mem + 9, wdm_map_reach(&self->map, start + 9, WDM_MAY_READ, &len));
	EXPECT_EQ(7, len);
	EXPECT_FALSE(reaches(&self->map, start - 1, WDM_MAY_READ));
	EXPECT_FALSE(reaches(&self->map, start + 100, WDM_MAY_READ));
	wdm_map_remove(&self->map, piece);
	EXPECT_FALSE(reaches(&self->map, start, WDM_MAY_READ));
	free(piece);
}

TEST_F(map, rights_count)
{
	u8 mem[1];
	struct wdm_piece *r = piece_add(&self->map, mem, 1, WDM_MAY_READ);
	struct wdm_piece *w = piece_add(&self->map, mem, 1, WDM_MAY_WRITE);
	struct wdm_piece *rw = piece_add(&self->map, mem, 1, WDM_MAY_READ | WDM_MAY_WRITE);
	struct wdm_piece *none = piece_add(&self->map, mem, 1, 0);

	EXPECT_TRUE(reaches(&self->map, r->start, WDM_MAY_READ));
	EXPECT_FALSE(reaches(&self->map, r->start, WDM_MAY_WRITE));
	EXPECT_FALSE(reaches(&self->map, w->start, WDM_MAY_READ));
	EXPECT_TRUE(reaches(&self->map, w->start, WDM_MAY_WRITE));
	EXPECT_TRUE(reaches(&self->map, rw->start, WDM_MAY_READ | WDM_MAY_WRITE));
	EXPECT_FALSE(reaches(&self->map, w->start, WDM_MAY_READ | WDM_MAY_WRITE));
	EXPECT_FALSE(reaches(&self->map, none->start, WDM_MAY_READ));
	EXPECT_FALSE(reaches(&self->map, none->start, WDM_MAY_WRITE));
	free(r);
	free(w);
	free(rw);
	free(none);
}

/* Is each piece found if it is there, and only then? */
static int all_found(struct wdm_map *map, struct wdm_piece *const *pieces, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct wdm_piece *p = pieces[i];

		if (p && (wdm_map_find(map, p->start) != p || wdm_map_find(map, p->start + p->len - 1) != p ||
			  wdm_map_find(map, p->start - 1) == p || wdm_map_find(map, p->start + p->len) == p))
			return 0;
	}
	return 1;
}

/* Pieces come and go at random, some of them with consecutive addresses, as those of a scatterlist. */
TEST_F(map, pieces_come_and_go)
{
	static struct wdm_piece *pieces[512];
	u8 mem[1];
	u64 next = 0;

	for (unsigned int round = 0; round < 40 * 512; round++) {
		struct wdm_piece **p = &pieces[draw(&self->random) % 512];

		if (*p) {
			wdm_map_remove(&self->map, *p);
			ASSERT_EQ(NULL, wdm_map_find(&self->map, (*p)->start));
			free(*p);
			*p = NULL;
		} else if (next && draw(&self->random) % 2) {
			*p = malloc(sizeof(**p));
			**p = (struct wdm_piece){ .start = next, .len = 1 + draw(&self->random) % PAGE, .mem = mem };
			wdm_map_add(&self->map, *p);
			next += (*p)->len;
		} else {
			*p = piece_add(&self->map, mem, 1 + draw(&self->random) % PAGE, WDM_MAY_READ);
			next = (*p)->start + (*p)->len;
		}
		if (round % 512 == 0)
			ASSERT_TRUE(all_found(&self->map, pieces, 512));
	}
	for (unsigned int i = 0; i < 512; i++) {
		if (pieces[i])
			wdm_map_remove(&self->map, pieces[i]);
		free(pieces[i]);
	}
	EXPECT_EQ(NULL, self->map.root);
}

TEST_HARNESS_MAIN
