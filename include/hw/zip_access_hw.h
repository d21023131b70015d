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
};

enum zip_field {
	ZIP_FIELD_SRC,
	ZIP_FIELD_DST,
	ZIP_FIELD_CTX,
	ZIP_FIELDS,
};

/* One buffer type holds for source and destination. */
HW_TABLE struct hw_access zip_access[ZIP_FIELDS] = {
	[ZIP_FIELD_SRC] = { 18, HW_READ, HW_FREE, ZIP_EXTENT_IN },
	[ZIP_FIELD_DST] = { 20, HW_WRITE, HW_FREE, ZIP_EXTENT_OUT },
	[ZIP_FIELD_CTX] = { 22, HW_READ | HW_WRITE, HW_FLAT, ZIP_EXTENT_CONTEXT },
};

/**
 * struct zip_access_type - descriptors of one generation
 * @sqe_type: the value of their type field
 * @first_req, @last_req: request types, enum zip_req_type
 * @may: bits that may be set, by word. Results are no input, and may have any value before.
 *
 * Other bits switch hardware to other memory: DIF headers, literals, keys of XTS.
 */
struct zip_access_type {
	__u32 sqe_type;
	__u32 first_req, last_req;
	__u32 may[ZIP_SQE_WORDS];
};

#define ZIP_ALL		0xffffffffu
#define ZIP_MAY_DW7	0xfeffffffu
#define ZIP_MAY_DW8	ZIP_DW8_DST_SKIP_MASK
#define ZIP_MAY_DW9	0x0000ffffu

HW_TABLE struct zip_access_type zip_access_types[HW_GENERATIONS] = {
	[HW_ROW(2)] = {
		ZIP_SQE_TYPE_0, ZIP_REQ_ZLIB, ZIP_REQ_GZIP, {
			ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, 0, 0, ZIP_MAY_DW7,
			ZIP_MAY_DW8, ZIP_MAY_DW9, 0, 0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, 0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
		},
	},
	[HW_ROW(3)] = {
		ZIP_SQE_TYPE_3, ZIP_REQ_DEFLATE, ZIP_REQ_GZIP, {
			ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, 0, 0, ZIP_MAY_DW7,
			ZIP_MAY_DW8, ZIP_MAY_DW9, 0, 0, 0, 0, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
			0, 0, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL, ZIP_ALL,
		},
	},
};

/* Words that the device writes, bits by word; the first four are no input. */
#define ZIP_RESULT_WORDS	0xf000800fu
#define ZIP_RESULT_ONLY		0x0000000fu

#endif
