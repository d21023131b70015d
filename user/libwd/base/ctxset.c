// SPDX-License-Identifier: Apache-2.0
/* Sets of this process' contexts. */
#include <stdlib.h>
#include "base/bits.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/set.h"

/* The low bits of the magic number hold the fork generation in which the set was made. */
#define SET_MAGIC	0x57435000u	/* "WCP" */
#define SET_GEN_MASK	0xfffu

static unsigned int magic_now(void)
{
	return SET_MAGIC | (wd_fork_now() & SET_GEN_MASK);
}

static bool is_set(const wd_ctx_set_t *set)
{
	return set && (set->magic & ~SET_GEN_MASK) == SET_MAGIC && set->len >= 0 && (!set->len || set->set);
}

int wd_ctx_set_check(const wd_ctx_set_t *set)
{
	if (!set)
		return wd_fail(NULL, EINVAL, "context set is NULL");
	if (!is_set(set))
		return wd_fail(NULL, EINVAL, "the context set was not made by wd_ctx_set_alloc(), or was freed");
	if (set->magic != magic_now())
		return wd_fail(NULL, ESTALE, "context set was made before fork()");
	return 0;
}

static int check(const wd_ctx_set_t *set, int ctx)
{
	int ret = wd_ctx_set_check(set);

	if (ret)
		return ret;
	if (ctx < 0 || ctx >= WD_CTX_SET_BITS)
		return wd_fail_num(NULL, EINVAL, "context number %d is not within 0 .. %d", ctx, WD_CTX_SET_BITS - 1);
	return 0;
}

wd_ctx_set_t *wd_ctx_set_alloc(void)
{
	wd_ctx_set_t *set = calloc(1, sizeof(*set));

	if (!set)
		return wd_null(wd_fail(NULL, ENOMEM, "no memory for the context set"));
	set->magic = magic_now();
	return set;
}

void wd_ctx_set_free(wd_ctx_set_t *set)
{
	if (!set)
		return;
	if (!is_set(set)) {
		wd_ctx_set_check(set);
		return;
	}
	free(set->set);
	set->magic = 0;
	free(set);
}

int wd_ctx_set_set(wd_ctx_set_t *set, int ctx)
{
	int ret = check(set, ctx);

	if (ret)
		return ret;
	if (wd_bits_widen(&set->set, &set->len, ctx))
		return wd_fail_num(NULL, ENOMEM, "no memory for context number %d in the context set", ctx, 0);
	set->set[ctx >> 3] |= (unsigned char)(1 << (ctx & 7));
	return 0;
}

int wd_ctx_set_clear(wd_ctx_set_t *set, int ctx)
{
	int ret = check(set, ctx);

	if (!ret && ctx >> 3 < set->len)
		set->set[ctx >> 3] &= (unsigned char)~(1 << (ctx & 7));
	return ret;
}

int wd_ctx_set_test(const wd_ctx_set_t *set, int ctx)
{
	int ret = check(set, ctx);

	return ret ? ret : wd_bits_test(set->set, set->len, ctx);
}

int wd_ctx_set_or(wd_ctx_set_t *dst, const wd_ctx_set_t *src)
{
	int ret = wd_ctx_set_check(dst);
	int i;

	if (!ret)
		ret = wd_ctx_set_check(src);
	if (ret)
		return ret;
	if (src->len && wd_bits_widen(&dst->set, &dst->len, src->len * 8 - 1))
		return wd_fail_num(NULL, ENOMEM, "no memory for a context set of %d bytes", src->len, 0);
	for (i = 0; i < src->len; i++)
		dst->set[i] |= src->set[i];
	return 0;
}
