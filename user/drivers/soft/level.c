// SPDX-License-Identifier: Apache-2.0
/* Selects the library for a compression level. */
#include "soft.h"

/* Applies to levels up to most; how.level 0: the requested level. */
struct soft_row {
	__u8 most;
	struct soft_choice how;
};

static const struct soft_row whole_rows[] = {
#ifdef WD_HAVE_ISAL
	{ 1, { SOFT_ISAL, 1 } },
#endif
	{ 12, { SOFT_LIBDEFLATE, 0 } },
	{ UINT8_MAX, { SOFT_LIBDEFLATE, 12 } },
};

static const struct soft_row stream_rows[] = {
#ifdef WD_HAVE_ISAL
	{ 2, { SOFT_ISAL, 1 } },
	{ 3, { SOFT_ISAL, 3 } },
#endif
	{ 9, { SOFT_ZLIB, 0 } },
	{ UINT8_MAX, { SOFT_ZLIB, 9 } },
};

static struct soft_choice choose(const struct soft_row *row, __u8 level)
{
	struct soft_choice how;

	while (level > row->most)
		row++;
	how = row->how;
	if (!how.level)
		how.level = level;
	return how;
}

struct soft_choice soft_choose_whole(__u8 level)
{
	return choose(whole_rows, level);
}

struct soft_choice soft_choose_stream(__u8 dir, __u8 level)
{
	/* Decompression has no level; ISA-L is the fastest for it, too. */
	return choose(stream_rows, dir == WD_DIR_COMPRESS ? level : 1);
}
