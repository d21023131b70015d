/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of compression. */
#ifndef UADK_COMP_H
#define UADK_COMP_H

#include "class.h"
#include "own_comp.h"
#include "uadk/wd_comp.h"

struct comp_sess {
	struct uadk_sess sess;
	__u8 alg;			/* enum own_comp_alg_type */
	__u8 level;
	__u16 window;
	/*
	 * The stream took the last byte that it was given, and the destination was full. The program hears that the
	 * byte was not taken, so that it calls again.
	 */
	bool held;
};

extern struct uadk_class comp_class;

static inline unsigned int comp_kind(const struct wd_comp_req *req)
{
	return (unsigned int)req->op_type * UADK_DECOMPRESS;
}

#endif
