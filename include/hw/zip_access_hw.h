/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Bits of a ZIP descriptor that may be set, and the memory that it names. */
#ifndef WD_ZIP_ACCESS_HW_H
#define WD_ZIP_ACCESS_HW_H

#include "hw/access_hw.h"
#include "hw/zip_hw.h"

#define ZIP_SQE_WORDS	(ZIP_SQE_SIZE / 4)

enum zip_extent {
	ZIP_EXTENT_IN,		/* input_data_length, behind the skipped bytes of a list */
	ZIP_EXTENT_OUT,		/* dest_avail_out, behind the skipped bytes of a list; at most ZIP_MAX_OUTPUT */
	ZIP_EXTENT_CONTEXT,	/* ZIP_CTX_HW_MAX, of streams only */
	ZIP_EXTENT_LITERALS,	/* dw13, at most ZIP_MAX_OUTPUT, of requests with literals only */
};

enum zip_field {
	ZIP_FIELD_SRC,
	ZIP_FIELD_DST,
	ZIP_FIELD_CTX,
	ZIP_FIELD_LITERALS,
	ZIP_FIELDS,
};

/* One buffer type holds for source, destination and literals. */
HW_TABLE struct hw_access zip_access[ZIP_FIELDS] = {
	[ZIP_FIELD_SRC] = { 18, HW_READ, HW_FREE, ZIP_EXTENT_IN },
	[ZIP_FIELD_DST] = { 20, HW_WRITE, HW_FREE, ZIP_EXTENT_OUT },
	[ZIP_FIELD_CTX] = { 22, HW_READ | HW_WRITE, HW_FLAT, ZIP_EXTENT_CONTEXT },
	[ZIP_FIELD_LITERALS] = { 24, HW_WRITE, HW_FREE, ZIP_EXTENT_LITERALS },
};

/* Flags of a request type */
#define ZIP_ONLY_COMPRESSES	1
#define ZIP_ONLY_WHOLE		2	/* no streams */
#define ZIP_NEVER_EMPTY		4
#define ZIP_HAS_LITERALS	8

/**
 * struct zip_access_req - a request type
 * @req: enum zip_req_type
 * @since: the first generation that has it
 * @flags: ZIP_*
 * @most: bytes of input
 * @stream_room: bytes of output space that a stateful request needs
 * @tail: bytes behind the sequences that a device writes, too
 */
struct zip_access_req {
	__u8 req;
	__u8 since;
	__u8 flags;
	__u16 stream_room;
	__u16 tail;
	__u32 most;
};

#define ZIP_LZ77_FLAGS	(ZIP_ONLY_COMPRESSES | ZIP_HAS_LITERALS)

HW_TABLE struct zip_access_req zip_access_reqs[] = {
	{ ZIP_REQ_DEFLATE, 3, 0, ZIP_STREAM_MIN_OUT, 0, ZIP_MAX_INPUT },
	{ ZIP_REQ_ZLIB, 2, 0, ZIP_STREAM_MIN_OUT, 0, ZIP_MAX_INPUT },
	{ ZIP_REQ_GZIP, 2, 0, ZIP_STREAM_MIN_OUT, 0, ZIP_MAX_INPUT },
	{ ZIP_REQ_LZ4, 3, ZIP_ONLY_COMPRESSES | ZIP_ONLY_WHOLE | ZIP_NEVER_EMPTY, 0, 0, ZIP_MAX_INPUT },
	{ ZIP_REQ_LZ77_ONLY, 3, ZIP_LZ77_FLAGS, 201, ZIP_LZ77_ONLY_TAIL, ZIP_LZ77_ONLY_MAX },
	{ ZIP_REQ_LZ77_ONLY_PRICE, 3, ZIP_LZ77_FLAGS, 4097, ZIP_LZ77_ONLY_TAIL, ZIP_LZ77_ONLY_MAX },
	{ ZIP_REQ_LZ77_ZSTD, 3, ZIP_LZ77_FLAGS, 1001, ZIP_LZ77_ZSTD_TAIL, ZIP_LZ77_ZSTD_MAX },
	{ ZIP_REQ_LZ77_ZSTD_PRICE, 3, ZIP_LZ77_FLAGS, 4097, ZIP_LZ77_ZSTD_TAIL, ZIP_LZ77_ZSTD_MAX },
};

/* The type's row, or NULL: the generation doesn't have it. */
static inline const struct zip_access_req *zip_access_req_of(__u32 generation, __u32 req)
{
	const struct zip_access_req *row = zip_access_reqs;

	for (; row < zip_access_reqs + sizeof(zip_access_reqs) / sizeof(*row); row++)
		if (row->req == req)
			return row->since <= generation ? row : NULL;
	return NULL;
}

/**
 * struct zip_access_type - descriptors of one generation
 * @sqe_type: the value of their type field
 * @may: bits that may be set, by word. Results are no input, and may have any value before.
 *
 * Other bits switch hardware to other memory: DIF headers, keys of XTS.
 */
struct zip_access_type {
	__u32 sqe_type;
	__u32 may[ZIP_SQE_WORDS];
};

#define ZIP_ALL		0xffffffffu
#define ZIP_MAY_DW7	0xfeffffffu
#define ZIP_MAY_DW8	ZIP_DW8_DST_SKIP_MASK
#define ZIP_MAY_DW9	0x0000ffffu

HW_TABLE struct zip_access_type zip_access_types[HW_GENERATIONS] = {
	[HW_ROW(2)] = {
		ZIP_SQE_TYPE_0, {
			ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, 0, 0, ZIP_MAY_DW7,
			ZIP_MAY_DW8, ZIP_MAY_DW9, 0, 0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, 0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
		},
	},
	[HW_ROW(3)] = {
		ZIP_SQE_TYPE_3, {
			ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, 0, 0, ZIP_MAY_DW7,
			ZIP_MAY_DW8, ZIP_MAY_DW9, 0, 0, 0, 0, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
		},
	},
};

/* Words with the literals' size and address, which requests with literals have beside those of @may */
#define ZIP_LITERALS_ROOM	13
#define ZIP_LITERALS_WORDS	(1u << ZIP_LITERALS_ROOM | 1u << 24 | 1u << 25)

/* Whether no word of a descriptor has a bit that its type can't have. */
static inline int zip_access_bits_known(const struct zip_access_type *type, const struct zip_access_req *row, __u32 i,
					__u32 word)
{
	return !(word & ~type->may[i]) || (row->flags & ZIP_HAS_LITERALS && ZIP_LITERALS_WORDS & 1u << i);
}

/* Words that the device writes, bits by word; the first four are no input. */
#define ZIP_RESULT_WORDS	0xf000800fu
#define ZIP_RESULT_ONLY		0x0000000fu

#endif
