// SPDX-License-Identifier: Apache-2.0
/*
 * Schedulers: objects that programs make and pass on. The library distributes requests itself, so nothing calls these
 * functions but programs that have a scheduler around one of these.
 */
#include <stdlib.h>

#include "scheduler.h"

struct scheduler {
	struct wd_sched sched;
	user_poll_func poll;
	__u8 types;
};

static handle_t rr_init(handle_t h_sched_ctx, void *sched_param)
{
	(void)sched_param;
	return h_sched_ctx;
}

static __u32 rr_pick(handle_t h_sched_ctx, void *sched_key, const int sched_mode)
{
	(void)h_sched_ctx;
	(void)sched_key;
	(void)sched_mode;
	return 0;
}

/* One result of any context is as good as of another. */
static int rr_poll(handle_t h_sched_ctx, __u32 expect, __u32 *count)
{
	const struct scheduler *s = (const struct scheduler *)h_sched_ctx;
	__u32 got = 0;
	int ret;

	if (!s || !count)
		return -WD_EINVAL;
	ret = s->poll(0, expect, &got);
	*count += got;
	return ret == -WD_EAGAIN ? 0 : ret;
}

bool uadk_sched_is_own(const struct wd_sched *sched)
{
	return sched && sched->pick_next_ctx == rr_pick;
}

struct wd_sched *uadk_sched_alloc(__u8 sched_type, __u8 type_num, __u16 numa_num, user_poll_func func)
{
	static const char *const names[] = { "round robin", "none", "single", "device" };
	struct scheduler *s;

	if (sched_type >= SCHED_POLICY_BUTT || !type_num || !func)
		return NULL;
	if (!numa_num && sched_type != SCHED_POLICY_NONE && sched_type != SCHED_POLICY_SINGLE)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->poll = func;
	s->types = type_num;
	s->sched = (struct wd_sched){
		.name = names[sched_type],
		.sched_policy = sched_type,
		.sched_init = rr_init,
		.pick_next_ctx = rr_pick,
		.poll_policy = rr_poll,
		.h_sched_ctx = (handle_t)s,
	};
	return &s->sched;
}

int uadk_sched_instance(const struct wd_sched *sched, struct sched_params *param)
{
	if (!uadk_sched_is_own(sched) || !param || param->begin > param->end || param->mode >= CTX_MODE_MAX ||
	    param->type >= ((const struct scheduler *)sched->h_sched_ctx)->types)
		return -WD_EINVAL;
	return 0;
}

void uadk_sched_release(struct wd_sched *sched)
{
	if (uadk_sched_is_own(sched))
		free((void *)sched->h_sched_ctx);
}
