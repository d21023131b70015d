// SPDX-License-Identifier: Apache-2.0
/*
 * Descriptors translated for a device that doesn't share the process' address space, against the same descriptors with
 * SVA: the device stays in what is mapped, the table takes what the model takes, results and memory are the same.
 * Input: number of a good request, generation, how it is mapped, a seed; then changes, one after the other; a change of
 * STEP_RUN, and the end, run the request.
 */
#include "feed.h"
#include "good.h"
#include "hw/qm_hw.h"
#include "hw/sec_access_hw.h"

enum step {
	STEP_RUN,
	STEP_WORD,		/* some bits of a word */
	STEP_FIELD,		/* a field of SEC */
	STEP_ADDRESS,		/* an address somewhere near the memory that requests use */
	STEP_LENGTH,
	STEP_MEMORY,
	STEP_LIST,		/* a list, good or nearly so */
	STEP_ENTRY,		/* a word of a table */
	STEP_HOLE,
	STEP_NR,
};

#define RUNS	3

static struct twin twin;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	twin_init(&twin);
	return 0;
}

static const u64 places[] = {
	GOOD_SRC, GOOD_DST, GOOD_CTX, GOOD_MAC, GOOD_C_KEY, GOOD_C_IV, GOOD_A_KEY, GOOD_A_IV, GOOD_LIST, GOOD_LIST2,
	GOOD_DATA, TWIN_USER, TWIN_USER + TWIN_BYTES - 256, 0, ~0ull - 255,
};
#define PLACES	(sizeof(places) / sizeof(places[0]))

static u64 place(struct feed *f)
{
	u64 addr = places[feed_u8(f) % PLACES];

	return addr + feed_u8(f);
}

/* A list over memory of requests, and the two fields that make the request use it. */
static void list(struct feed *f, u32 *sqe)
{
	u64 where = feed_u8(f) & 1 ? GOOD_LIST2 : GOOD_LIST;
	u32 len = feed_u16(f) % 9000, most = 1 + feed_u8(f) * 4, capacity = 1 + feed_u8(f) % 60;
	u32 flags = feed_u8(f), skip = flags & 4 ? feed_u8(f) : 0, gen = twin.q.generation;

	/* A list takes no more than the memory between the two, and fills it at most. */
	if ((len + skip) / most > 150)
		most = 64;
	good_list(&twin, where, flags & 8 ? GOOD_DST : GOOD_SRC, len, most, skip, capacity);
	if (twin.q.engine == TR_ZIP) {
		sqe[9] = (sqe[9] & ~0xf00u) | 1u << 8;
		good_addr(sqe, flags & 1 ? 20 : 18, where);
		sqe[flags & 1 ? 8 : 7] |= skip;
	} else if (twin.q.engine == TR_SEC) {
		good_sec_set(sqe, gen, flags & 1 ? SEC_F_DST_TYPE : SEC_F_SRC_TYPE, SEC_ADDR_SGL);
		good_sec_set64(sqe, gen, flags & 1 ? SEC_L_DST : SEC_L_SRC, where);
	}
}

static void address(struct feed *f, u32 *sqe)
{
	static const u8 words[][7] = {
		[TR_ZIP] = { 18, 20, 22, 18, 20, 22, 18 }, [TR_HPRE] = { 2, 4, 6, 2, 4, 6, 2 },
	};
	u32 which = feed_u8(f) % 7;
	u64 addr = place(f);

	if (twin.q.engine == TR_SEC)
		good_sec_set64(sqe, twin.q.generation, which, addr);
	else
		good_addr(sqe, words[twin.q.engine][which], addr);
}

static void length(struct feed *f, u32 *sqe)
{
	u32 gen = twin.q.generation, which = feed_u8(f), n = feed_u16(f);

	if (which & 0x80)
		n <<= 8;
	if (twin.q.engine == TR_ZIP)
		sqe[which & 1 ? 14 : 4] = n;
	else if (twin.q.engine == TR_SEC)
		good_sec_set(sqe, gen, which & 1 ? SEC_F_C_LEN : SEC_F_A_LEN, n);
	else
		sqe[1] = (sqe[1] & ~0xffu) | (n & 0xff);
}

static void memory(struct feed *f)
{
	u64 where = places[feed_u8(f) % 11];
	u8 bytes[64], n = feed_u8(f) % 64;

	where += feed_u8(f);
	feed_bytes(f, bytes, n);
	twin_put(&twin, where, bytes, n);
}

static void entry(struct feed *f)
{
	static const u8 at[] = { 0, 8, 10, 12, 64, 80, 96, 112, 128, 144 };
	u64 where = feed_u8(f) & 1 ? GOOD_LIST2 : GOOD_LIST, value;

	where += at[feed_u8(f) % sizeof(at)];
	value = feed_u8(f) & 1 ? place(f) : feed_u16(f);
	twin_put(&twin, where, &value, feed_u8(f) & 1 ? 8 : 2);
}

static void compare(u32 *sqe)
{
	const char *what;

	twin_sync(&twin);
	what = twin_compare(&twin, sqe);
	MUST(!what, "%s (end %d, why %d, status %u, with SVA %u, generation %u)", what, twin.end, twin.why,
	     twin_status(&twin, sqe), twin.sva_status, twin.q.generation);
	/* Both go on with what the device with SVA has made of it. */
	twin_sync(&twin);
}

static bool step(struct feed *f, u32 *sqe, u32 *runs)
{
	u32 words = tr_sqe_bytes(&twin.q) / 4, at;

	if (!f->left)
		return false;
	switch (feed_u8(f) % STEP_NR) {
	case STEP_RUN:
		compare(sqe);
		return ++*runs < RUNS;
	case STEP_WORD:
		at = feed_u8(f) % words;
		sqe[at] ^= feed_u8(f) & 1 ? feed_u32(f) : 1u << feed_u8(f) % 32;
		break;
	case STEP_FIELD:
		at = feed_u8(f) % SEC_F_NR;
		if (twin.q.engine == TR_SEC)
			good_sec_set(sqe, twin.q.generation, at, feed_u16(f));
		break;
	case STEP_ADDRESS:
		address(f, sqe);
		break;
	case STEP_LENGTH:
		length(f, sqe);
		break;
	case STEP_MEMORY:
		memory(f);
		break;
	case STEP_LIST:
		list(f, sqe);
		break;
	case STEP_ENTRY:
		entry(f);
		break;
	case STEP_HOLE:
		twin.hole = place(f);
		twin.hole_end = twin.hole + feed_u16(f);
		break;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	u32 sqe[TR_WORDS_MAX], which = feed_u8(&f) % good_nr(), runs = 0;
	u32 generation = 2 + (feed_u8(&f) & 1), how = feed_u8(&f), seed = feed_u8(&f);

	memset(twin.user[0], 0, TWIN_BYTES);
	memset(twin.user[1], 0, TWIN_BYTES);
	twin.hole = twin.hole_end = 0;
	wdm_map_init(&twin.map, seed);
	twin.how = (struct twin_how){
		.merge = how & 1, .pages = how & 2, .bounce = how & 4 ? 1u << (how >> 4) : 0,
		.capacity = how & 8 ? 126 : 1 + (how >> 4), .flip = seed & 1,
	};
	if (!good_make(&twin, which, generation, seed, sqe))
		return 0;
	while (step(&f, sqe, &runs))
		;
	if (runs < RUNS)
		compare(sqe);
	return 0;
}
