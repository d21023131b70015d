// SPDX-License-Identifier: Apache-2.0
/* Heads of frames. Both formats have the same numbers for frames that are skipped (RFC 8878, 3.1.2). */
#include <string.h>

#include "frames.h"

#define SKIPPABLE	0x184d2a50u
#define SKIPPABLE_MASK	0xfffffff0u
#define LZ4_MAGIC	0x184d2204u
#define LZ4_LEGACY	0x184c2102u
#define LZ4_DICTIONARY	0x01	/* of the byte behind the number */
#define MAGIC_BYTES	4

void frame_note(struct frame_read *f, const void *src, size_t n)
{
	size_t room;

	/* Bytes that were noted but not consumed come again. */
	if (f->at >= FRAME_HEAD)
		return;
	f->have = (__u8)f->at;
	room = FRAME_HEAD - f->have;
	memcpy(f->head + f->have, src, n < room ? n : room);
	f->have += n < room ? n : room;
}

static bool has_magic(const struct frame_read *f, __u32 mask, __u32 magic)
{
	return f->have >= MAGIC_BYTES && (soft_le32(f->head) & mask) == magic;
}

bool frame_is_skippable(const struct frame_read *f)
{
	return has_magic(f, SKIPPABLE_MASK, SKIPPABLE);
}

void frame_skip(struct frame_read *f)
{
	*f = (struct frame_read){ .skipped = true };
}

const char *frame_refusal(const struct frame_read *f, __u8 alg)
{
	if (alg != WD_LZ4)
		return NULL;
	if (has_magic(f, ~0u, LZ4_LEGACY))
		return "the frame has LZ4's legacy format, which isn't read here; 'lz4 -d' reads it";
	if (has_magic(f, ~0u, LZ4_MAGIC) && f->have > MAGIC_BYTES && f->head[MAGIC_BYTES] & LZ4_DICTIONARY)
		return "the frame needs a dictionary, which isn't supported here";
	return NULL;
}
