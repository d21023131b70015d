/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Registers, descriptor and status codes of the ZIP engine. */
#ifndef WD_ZIP_HW_H
#define WD_ZIP_HW_H

#include <linux/types.h>
#include "hw/qm_hw.h"

#define ZIP_SQE_SIZE		128
#define ZIP_QUEUES_DEFAULT	64

/* Queue algorithm type, SQC w13 [11:8]: a queue has one direction */
enum zip_qc_type {
	ZIP_QC_COMPRESS = 0,
	ZIP_QC_DECOMPRESS = 1,
};

/* Capability registers with their V3 defaults */
#define ZIP_CAP_NFE_MASK	0x3130
#define ZIP_CAP_RESET_MASK	0x3134
#define ZIP_CAP_CE_MASK		0x3138
#define ZIP_CAP_CORES		0x313c
#define ZIP_CAP_CORE_ENABLE	0x3140
#define ZIP_CAP_DRV_ALGS	0x3144
#define ZIP_CAP_DEV_ALGS	0x3148
#define ZIP_CAP_CORE_BITMAP_FIRST 0x314c

#define ZIP_CAP_NFE_MASK_V3	0x1ffe
#define ZIP_CAP_RESET_MASK_V3	0x7fe
#define ZIP_CAP_CE_MASK_V3	0x1
#define ZIP_CAP_CORES_V3	0x12050203
#define ZIP_CAP_CORE_ENABLE_V3	0x1c0003
#define ZIP_CAP_DRV_ALGS_V3	0x30
#define ZIP_CAP_DEV_ALGS_V3	0x3f
#define ZIP_CAP_DEV_ALGS_LZ	0x3ff	/* of later devices, with lz77 and lz4 as well */
#define ZIP_CAP_QM_NFE_V3	0x7c77
#define ZIP_CAP_QM_RESET_V3	0x6c77
#define ZIP_CAP_QM_CE_V3	0x8

/* Errors of generation 2, which has no capability registers */
#define ZIP_QM_NFE_V2		0x1c57
#define ZIP_QM_CE_V2		0x8
#define ZIP_NFE_V2		0x7fe
#define ZIP_CE_V2		0x1
#define ZIP_BLOCKS_V2		0x2	/* of these, those that close the bus master */

/* Bits of ZIP_CAP_DEV_ALGS: two per algorithm */
#define ZIP_ALG_ZLIB		0x3
#define ZIP_ALG_GZIP		0xc
#define ZIP_ALG_DEFLATE		0x30
#define ZIP_ALG_LZ77		0xc0
#define ZIP_ALG_LZ4		0x300

/* Engine registers, PF only */
#define ZIP_SOFT_CTRL_CNT_CLR	0x301000
#define ZIP_SOFT_CTRL_CNT_CLR_ON 0x5u
#define ZIP_CLOCK_GATE_CTRL	0x301004
#define ZIP_ERR_CTRL		0x30100c
#define ZIP_ERR_CTRL_AXI_SHUTDOWN (1u << 14)
#define ZIP_PORT_ARCA_0		0x301040
#define ZIP_PORT_ARCA_1		0x301044
#define ZIP_PORT_AWCA_0		0x301060
#define ZIP_PORT_AWCA_1		0x301064
#define ZIP_ERR_SOURCE		0x3010a0
#define ZIP_ERR_MASK		0x3010a4
#define ZIP_ERR_SET		0x3010a8
#define ZIP_ERR_STATUS		0x3010ac
#define ZIP_BD_RUSER		0x301110
#define ZIP_SGL_RUSER		0x30111c
#define ZIP_DATA_RUSER		0x301128
#define ZIP_DATA_WUSER		0x301134
#define ZIP_BD_WUSER		0x301140
#define ZIP_ECC_INFO		0x301148
#define ZIP_RAS_CE		0x301160
#define ZIP_RAS_NFE		0x301164
#define ZIP_RAS_FE		0x301168
#define ZIP_CLOCK_GATE_EN	0x3011a8
#define ZIP_PREFETCH_CFG	0x3011b0
#define ZIP_PREFETCH_DISABLE	(1u << 26)
#define ZIP_PREFETCH_ENABLE_CLR	((1u << 26) | (1u << 17) | (1u << 0))
#define ZIP_SVA_TRANS		0x3011c4
#define ZIP_SVA_TRANS_BUSY	((1u << 26) | (1u << 30))
#define ZIP_LIT_LEN_CTRL	0x301204
#define ZIP_HIGH_PERF		0x301208
#define ZIP_OOO_SHUTDOWN_SEL	0x30120c
#define ZIP_CORE_BASE		0x302000
#define ZIP_CORE_STRIDE		0x1000
#define ZIP_DECOMP_CORE_FIRST	2
#define ZIP_CORE_GET_BD		0x00	/* offsets in a core's block */
#define ZIP_CORE_RIGHT_BD	0x04
#define ZIP_CORE_ERROR_BD	0x08
#define ZIP_CORE_DONE_BD	0x0c
#define ZIP_CORE_WORK_CYCLE	0x10
#define ZIP_CORE_MAX_DELAY	0x20
#define ZIP_CORE_MIN_DELAY	0x24
#define ZIP_CORE_AVG_DELAY	0x28
#define ZIP_CORE_CONSUMED	0x38
#define ZIP_CORE_PRODUCED	0x40
#define ZIP_CACHE_ATTR_ALL	0xffffffffu
#define ZIP_DECOMP_CHECK_EN	(1u << 16)
#define ZIP_CLOCK_GATE_V3	0x2000ff00u
#define ZIP_SHAPER_RATE_COMP	750
#define ZIP_SHAPER_RATE_DECOMP	140

/**
 * struct zip_sqe - one request
 *
 * The device writes consumed, produced, comp_data_length, dw3, ctx_dw*, isize and checksum back
 * into the same slot before it writes the CQE.
 */
struct zip_sqe {
	__le32 consumed;
	__le32 produced;
	__le32 comp_data_length;
	__le32 dw3;
	__le32 input_data_length;
	__le32 lba_l;
	__le32 lba_h;
	__le32 dw7;
	__le32 dw8;
	__le32 dw9;
	__le32 dw10;
	__le32 dw11;
	__le32 dw12;
	__le32 dw13;
	__le32 dest_avail_out;
	__le32 ctx_dw0;
	__le32 dw16;
	__le32 dw17;
	__le32 source_addr_l;
	__le32 source_addr_h;
	__le32 dest_addr_l;
	__le32 dest_addr_h;
	__le32 stream_ctx_addr_l;
	__le32 stream_ctx_addr_h;
	__le32 literals_addr_l;
	__le32 literals_addr_h;
	__le32 tag_l;		/* type 3: tag */
	__le32 tag_h;
	__le32 ctx_dw1;
	__le32 ctx_dw2;
	__le32 isize;
	__le32 checksum;
};
QM_HW_ASSERT("ZIP SQE is 128 bytes", sizeof(struct zip_sqe) == ZIP_SQE_SIZE);

#define ZIP_DW3_STATUS_MASK	0xffu
#define ZIP_DW3_LAST_BLOCK	(1u << 8)
#define ZIP_DW7_SRC_SKIP_MASK	0xffffffu
#define ZIP_DW7_FINISH		(1u << 25)
#define ZIP_DW7_STREAM		(1u << 26)
#define ZIP_DW7_NEW_STREAM	(1u << 27)
#define ZIP_DW7_SQE_TYPE_SHIFT	28
#define ZIP_SQE_TYPE_0		0u
#define ZIP_SQE_TYPE_3		3u
#define ZIP_DW8_DST_SKIP_MASK	0xffffffu
#define ZIP_DW9_REQ_MASK	0xffu
#define ZIP_DW9_BUF_SHIFT	8
#define ZIP_DW9_BUF_MASK	0xfu
#define ZIP_DW9_WIN_SHIFT	12
#define ZIP_DW9_WIN_MASK	0xfu

enum zip_req_type {
	ZIP_REQ_DEFLATE = 0x01,
	ZIP_REQ_ZLIB = 0x02,
	ZIP_REQ_GZIP = 0x03,
	ZIP_REQ_LZ4 = 0x04,
	ZIP_REQ_LZ77_ONLY = 0x40,
	ZIP_REQ_LZ77_ONLY_PRICE = 0x41,
	ZIP_REQ_LZ77_ZSTD_PRICE = 0x42,
	ZIP_REQ_LZ77_ZSTD = 0x43,
};

enum zip_buf_type {
	ZIP_BUF_FLAT = 0,
	ZIP_BUF_SGL = 1,
};

enum zip_win {
	ZIP_WIN_4K = 0,
	ZIP_WIN_8K = 1,
	ZIP_WIN_16K = 2,
	ZIP_WIN_24K = 3,
	ZIP_WIN_32K = 4,
};

/* The values of hardware for other failures aren't public: those marked "model" are the simulated device's. */
enum zip_status {
	ZIP_ST_OK = 0x00,
	ZIP_ST_BAD_REQUEST = 0x01,	/* model: invalid field in the descriptor */
	ZIP_ST_ADDRESS = 0x02,		/* model: payload or context address not mapped */
	ZIP_ST_BAD_SGL = 0x03,		/* model: list malformed, or too short for the length */
	ZIP_ST_BAD_DATA = 0x04,		/* model: not a valid deflate stream */
	ZIP_ST_TRUNCATED = 0x05,	/* model: stateless input ends before its stream does */
	ZIP_ST_BAD_CONTEXT = 0x06,	/* model: the stream context wasn't written by the device */
	ZIP_ST_ABORTED = 0x07,		/* model: queue stopped, or engine failure */
	ZIP_ST_NEGATIVE_COMP = 0x0d,	/* output not smaller than input; a valid result */
	ZIP_ST_NOSPACE = 0x0e,
	ZIP_ST_DIF_IN = 0x0f,
	ZIP_ST_CHECKSUM = 0x10,
	ZIP_ST_DIF_UNCOMP = 0x12,
	ZIP_ST_END = 0x13,		/* decompression reached the end of the stream */
};

/* ctx_dw0 */
#define ZIP_CTX_STATE_MASK	0xfu
#define ZIP_CTX_STATE_NO_SPACE_LAST 1u	/* last block done, but output space missing */
#define ZIP_CTX_STATE_NO_SPACE	2u
#define ZIP_CTX_STATE_NOT_STARTED 3u
#define ZIP_CTX_STATE_NO_CHECKSUM 4u
#define ZIP_CTX_BFINAL		(1u << 7)
#define ZIP_CTX_CACHED_SHIFT	10
#define ZIP_CTX_CACHED_MASK	0x3fu
/* ctx_dw1, ctx_dw2 */
#define ZIP_CTX_STORED_MASK	0x7ffffu
#define ZIP_CTX_WINDOW_MASK	0xffffu

/* Stream context buffer in user memory */
#define ZIP_CTX_BUF_SIZE	0x10000
#define ZIP_CTX_HW_OFFSET	64	/* start of the hardware context, to which stream_ctx_addr points */
#define ZIP_CTX_HW_WINDOW	0xc00	/* offset from the start of the hardware context */
#define ZIP_CTX_HW_MAX		0x9800	/* the device uses at most this many bytes */

#define ZIP_MAX_INPUT		(8u << 20)
#define ZIP_MAX_OUTPUT		(8u << 20)
#define ZIP_STREAM_MIN_OUT	200	/* minimum output space of a stateful request */

/*
 * lz77_zstd and lz77_only: literals and sequences go to two destinations. A sequence has 8 bytes: u32 offset value (1
 * to 3: a repeat code of zstd, else the offset and 3 more), u16 length of the literals, u16 length of the match less 3.
 * produced counts sequences, comp_data_length literals.
 */
#define ZIP_LZ77_SEQ		8
#define ZIP_LZ77_REPEATS	3	/* offset values that are repeat codes */
#define ZIP_LZ77_MATCH_MIN	3
#define ZIP_LZ77_LEN_MAX	0xffffu	/* of a length's field; longer matches are several */
#define ZIP_LZ77_LITERALS_MORE	16	/* room for literals beyond the input's size */
#define ZIP_LZ77_ZSTD_MAX	(128u << 10)	/* input: one block */
#define ZIP_LZ77_ONLY_MAX	(ZIP_MAX_INPUT - ZIP_LZ77_LITERALS_MORE)
/* Behind the sequences of lz77_zstd: the overflow's data and a table of frequencies; of lz77_only: internal data */
#define ZIP_LZ77_ZSTD_TAIL	(8 + 784)
#define ZIP_LZ77_ONLY_TAIL	16
/* checksum of lz77_zstd: at most one sequence has 65536 literals more than its field says */
#define ZIP_LZ77_LONG_AT	0xffffffu
#define ZIP_LZ77_LONG_SHIFT	24
#define ZIP_LZ77_LONG_MORE	0x10000u
/* In the hardware context of a stream: the last three offsets, then a word that software clears for each request */
#define ZIP_CTX_HW_REPEATS	784
#define ZIP_CTX_HW_CLEARED	796

/* Headers that software handles */
#define ZIP_ZLIB_HEADER		2
#define ZIP_GZIP_HEADER		10

#endif
