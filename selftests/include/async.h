/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of asynchronous requests of each library. Each test defines struct job, its argument member, and a
 * count of callbacks.
 */
#ifndef WD_TEST_ASYNC_H
#define WD_TEST_ASYNC_H

/* Functions that differ only in their types. */
#define ASYNC_LIB(x, alg, member) \
static void x##_done(struct wd_##alg##_arg *arg, void *param) \
{ \
	(void)arg; \
	((struct job *)param)->calls++; \
	total++; \
} \
\
static int x##_send(handle_t h, struct job *j, const wd_ctx_set_t *set) \
{ \
	return wd_##alg##_async(h, &j->member, set); \
} \
\
static int x##_burst(handle_t h, struct job *j[], int n, const wd_ctx_set_t *set) \
{ \
	return wd_##alg##_async_burst(h, (struct wd_##alg##_arg **)j, n, set); \
} \
\
static __s32 x##_status(const struct job *j) \
{ \
	return j->member.status; \
}

#endif
