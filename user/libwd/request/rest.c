// SPDX-License-Identifier: Apache-2.0
/*
 * Devices whose results were wrong rest: sessions that find that out leave them, and no session is bound to them
 * meanwhile, unless it may use nothing else. Requests in flight together are wrong together: they cause one rest. Only
 * this process' results count.
 */
#include <sys/ioctl.h>
#include <misc/uacce/uacce.h>

#include "base/env.h"
#include "request/core.h"

#define NS_PER_S	1000000000ull
#define REST_SECONDS	10	/* without WD_REST */
#define REST_MOST	86400	/* the highest WD_REST */
#define DOUBLED		6	/* times at most */
#define DEVICES		256	/* those whose numbers are equal modulo this rest together */

struct rest {
	_Atomic __u64 until;	/* on the monotonic clock; 0: it never did */
	_Atomic unsigned int doubled;
};

static struct rest rests[DEVICES];

static struct rest *rest_of(int node_id)
{
	return &rests[(unsigned int)node_id % DEVICES];
}

/* The first rest in ns; 0: devices don't rest. */
static __u64 rest_first(void)
{
	long seconds = REST_SECONDS;

	/* Sessions have checked it. */
	wd_env_number("WD_REST", 0, REST_MOST, &seconds);
	return (__u64)seconds * NS_PER_S;
}

int wd_rest_check(void)
{
	long seconds;

	return wd_env_number("WD_REST", 0, REST_MOST, &seconds);
}

bool wd_device_rests(int node_id)
{
	__u64 until = atomic_load_explicit(&rest_of(node_id)->until, memory_order_relaxed);

	return until && wd_now_ns() < until;
}

/* A device that was right for as long as it has rested before begins anew. */
static void rest_begin(struct rest *r)
{
	__u64 until = atomic_load(&r->until), now = wd_now_ns(), first = rest_first();
	unsigned int doubled = atomic_load(&r->doubled);

	if (!first || (until && now < until))
		return;
	if (!until || now - until > first << doubled)
		doubled = 0;
	else if (doubled < DOUBLED)
		doubled++;
	if (atomic_compare_exchange_strong(&r->until, &until, now + (first << doubled)))
		atomic_store(&r->doubled, doubled);
}

/* Another uacce than ours refuses it, and needn't know. */
static void report(struct wd_queue *q)
{
	int saved = errno, fd;

	wd_drain_lock(q);
	fd = wd_queue_own_file(q);
	if (fd >= 0)
		ioctl(fd, UACCE_CMD_WRONG_RESULT);
	wd_drain_unlock(q);
	errno = saved;
}

void wd_result_wrong(struct wd_session *s, struct wd_queue *q)
{
	__u32 gen = atomic_load(&s->bound_gen);

	atomic_fetch_add_explicit(&s->shared[q->pub.path - WD_PATH_HW].wrong, 1, memory_order_relaxed);
	report(q);
	rest_begin(rest_of(q->node_id));
	/* The next call binds the session anew. One that is being bound by another thread may keep the context. */
	if (!s->takes_resting && wd_device_rests(q->node_id))
		atomic_compare_exchange_strong(&s->bound_gen, &gen, gen | WD_GEN_LEAVES);
}
