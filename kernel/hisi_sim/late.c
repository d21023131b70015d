// SPDX-License-Identifier: GPL-2.0-or-later
/* A fault that the host injects: delayed accesses to payload. Many threads draw delays without a lock. */
#include <linux/delay.h>
#include <linux/random.h>

#include "internal.h"

#define STEP_MS		5

void sim_late_set(struct sim_late *late, const struct wdm_fault_rule *rule)
{
	WRITE_ONCE(late->ns, rule->value);
	WRITE_ONCE(late->one_in, rule->one_in);
	/* Pairs with the decrement in late_draw(): a thread that draws a delay sees its time. */
	smp_mb__before_atomic();
	atomic_set(&late->next, rule->next);
}

struct wdm_fault_rule sim_late_get(struct sim_late *late)
{
	return (struct wdm_fault_rule) {
		.next = atomic_read(&late->next),
		.one_in = READ_ONCE(late->one_in),
		.queue = WDM_FAULT_ANY,
		.value = READ_ONCE(late->ns),
	};
}

static bool late_draw(struct sim_late *late)
{
	u32 one_in = READ_ONCE(late->one_in);

	if (atomic_read(&late->next) && atomic_dec_if_positive(&late->next) >= 0)
		return true;
	return one_in && get_random_u32() % one_in == 0;
}

/* Called before an access. A job that is dropped (@abort) doesn't wait for the delay's end. */
void sim_late(struct sim_late *late, const u32 *abort)
{
	u64 end;

	if (!late_draw(late))
		return;
	atomic64_inc(&late->count);
	end = ktime_get_ns() + READ_ONCE(late->ns);
	while (ktime_get_ns() < end && !READ_ONCE(*abort)) {
		u64 left = end - min(end, ktime_get_ns());

		fsleep(min_t(u64, left / NSEC_PER_USEC + 1, STEP_MS * USEC_PER_MSEC));
	}
}
