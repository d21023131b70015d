/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of the members that argument and setup structs of all algorithms' libraries share: those that existing
 * programs were built with.
 */
#ifndef WD_TEST_ABI_H
#define WD_TEST_ABI_H

#include <stddef.h>

#define AT(type, member, offset)	EXPECT_EQ(offset, offsetof(struct type, member))

/* The first and last members of every argument struct. */
#define ARG(type, end) do { \
	AT(type, src, 0); \
	AT(type, src_len, 8); \
	AT(type, dst, 16); \
	AT(type, dst_len, 24); \
	AT(type, cb, 32); \
	AT(type, cb_param, 40); \
	AT(type, flags, end); \
	AT(type, timeout_ms, (end) + 4); \
	AT(type, wr_id, (end) + 8); \
	AT(type, consumed, (end) + 16); \
	AT(type, status, (end) + 24); \
	AT(type, path, (end) + 28); \
	AT(type, path_reason, (end) + 30); \
	AT(type, reserved, (end) + 32); \
	EXPECT_EQ((end) + 64, sizeof(struct type)); \
} while (0)

/* The last members of every setup struct, from the flags on. */
#define SETUP(type, op_at, from) do { \
	AT(type, op_type, op_at); \
	AT(type, flags, from); \
	AT(type, timeout_ms, (from) + 4); \
	AT(type, cq, (from) + 8); \
	AT(type, reserved, (from) + 16); \
	EXPECT_EQ((from) + 48, sizeof(struct type)); \
} while (0)

#endif
