/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-written descriptors for raw deflate, and the check of their results. */
#ifndef ZIP_JOB_H
#define ZIP_JOB_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <zlib.h>
#include "hw/zip_hw.h"

static inline void job_fill(struct zip_sqe *sqe, const void *src, size_t len, void *dst, size_t room, uint32_t tag)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->input_data_length = htole32((uint32_t)len);
	sqe->dw7 = htole32(ZIP_DW7_FINISH | ZIP_DW7_NEW_STREAM | ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT);
	sqe->dw9 = htole32(ZIP_REQ_DEFLATE | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT);
	sqe->dest_avail_out = htole32((uint32_t)room);
	sqe->source_addr_l = htole32((uint32_t)(uintptr_t)src);
	sqe->source_addr_h = htole32((uint32_t)((uintptr_t)src >> 32));
	sqe->dest_addr_l = htole32((uint32_t)(uintptr_t)dst);
	sqe->dest_addr_h = htole32((uint32_t)((uintptr_t)dst >> 32));
	sqe->tag_l = htole32(tag);
}

static inline unsigned int job_status(const struct zip_sqe *sqe)
{
	return le32toh(sqe->dw3) & ZIP_DW3_STATUS_MASK;
}

static inline bool job_compressed(const struct zip_sqe *sqe)
{
	return job_status(sqe) == ZIP_ST_OK || job_status(sqe) == ZIP_ST_NEGATIVE_COMP;
}

/* Does the finished job's output decompress to src? */
static inline bool job_right(const struct zip_sqe *sqe, const void *src, size_t len, void *dst)
{
	static _Thread_local unsigned char back[1 << 20];
	z_stream z = {
		.next_in = dst, .avail_in = le32toh(sqe->produced), .next_out = back, .avail_out = sizeof(back)
	};
	bool ok;

	if (!job_compressed(sqe) || inflateInit2(&z, -15) != Z_OK)
		return false;
	ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == len && !memcmp(back, src, len);
	inflateEnd(&z);
	return ok;
}

static inline long long job_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

#endif
