// SPDX-License-Identifier: Apache-2.0
/* Whether what a device made of a request is right. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"

#define AT_ONCE_MOST	(1u << 20)	/* bytes that are decompressed into a thread's memory */
#define FINAL_BYTES	2

/*
 * libdeflate is faster than a stream, and needs less stack. With an empty final block in the rest of its room, a part
 * is a whole stream. 1 right, 0 wrong, -ENOMEM.
 */
static int proves_at_once(const struct comp_msg *c, struct soft_tools *t)
{
	__u8 *end = (__u8 *)c->dst + c->produced, kept[FINAL_BYTES] = { 0 };
	struct comp_msg back = {
		.alg = c->part ? WD_DEFLATE_RAW : c->alg, .dir = WD_DIR_DECOMPRESS, .src = c->dst,
		.src_len = c->produced + (c->part ? FINAL_BYTES : 0), .dst_len = c->src_len,
	};
	int ret;

	if (!t->plain)
		t->plain = malloc(AT_ONCE_MOST);
	if (!t->plain)
		return -ENOMEM;
	back.dst = t->plain;
	if (c->part) {
		memcpy(kept, end, FINAL_BYTES);
		memcpy(end, "\x03\x00", FINAL_BYTES);
	}
	ret = soft_whole(&back, t);
	if (c->part)
		memcpy(end, kept, FINAL_BYTES);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return back.consumed == back.src_len && back.produced == c->src_len && !memcmp(t->plain, c->src, c->src_len);
}

static bool fits_at_once(const struct comp_msg *c)
{
	return c->dir == WD_DIR_COMPRESS && !c->sgl && c->src_len <= AT_ONCE_MOST &&
	       c->dst_len - c->produced >= (c->part ? FINAL_BYTES : 0);
}

static void feed(struct soft_proof *p, void (*to)(struct soft_proof *p, const void *buf, size_t n), bool sgl,
		 const void *buf, size_t len)
{
	struct wd_list_walk w;
	size_t n;

	for (wd_list_walk_init(&w, sgl, buf, len); w.left; wd_list_walk_advance(&w, n)) {
		const void *piece = wd_list_walk_piece(&w, &n);

		if (!n)
			break;
		to(p, piece, n);
	}
}

/* The thread's. */
static struct soft_proof *proof_get(const struct comp_msg *c, struct soft_tools *t)
{
	__u8 alg = c->part ? WD_DEFLATE_RAW : c->alg;
	struct soft_proof *p;

	p = t->proof[c->dir];
	if (!p || !soft_proof_is_of(p, alg)) {
		soft_proof_free(p);
		p = t->proof[c->dir] = soft_proof_new(alg, c->dir);
	} else {
		soft_proof_begin(p);
	}
	return p;
}

int soft_proves(const struct comp_msg *c)
{
	struct soft_tools *t = soft_tools_get();
	struct soft_proof *p;

	if (!t)
		return -ENOMEM;
	if (c->consumed > c->src_len || c->produced > c->dst_len)
		return 0;
	if (fits_at_once(c))
		return c->consumed == c->src_len ? proves_at_once(c, t) : 0;
	p = proof_get(c, t);
	if (!p)
		return -ENOMEM;
	feed(p, soft_proof_in, c->sgl, c->src, c->consumed);
	feed(p, soft_proof_out, c->sgl, c->dst, c->produced);
	if (c->part)
		soft_proof_part(p);
	return soft_proof_end(p) && (c->dir == WD_DIR_DECOMPRESS || c->consumed == c->src_len);
}
