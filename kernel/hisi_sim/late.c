// SPDX-License-Identifier: GPL-2.0-or-later
/* A fault that the host injects: delayed accesses to payload. Many threads draw delays. */
#include <linux/delay.h>
#include <linux/random.h>
#include <linux/spinlock.h>

#include "internal.h"

#define STEP_MS		5

void sim_late_init(struct sim_late *late)
{
	spin_lock_init(&late->lock);
	late->random = get_random_u32();
}

void sim_late_set(struct sim_late *late, const struct wdm_fault_rule *rule)
{
	spin_lock(&late->lock);
	late->rule = *rule;
	late->state = (struct wdm_fault_state) {};
	WRITE_ONCE(late->on, wdm_fault_may(rule));
	spin_unlock(&late->lock);
}

struct wdm_fault_rule sim_late_get(struct sim_late *late)
{
	struct wdm_fault_rule rule;

	spin_lock(&late->lock);
	rule = late->rule;
	spin_unlock(&late->lock);
	return rule;
}

/* Return: the delay in ns; 0 = none. */
static u64 late_draw(struct sim_late *late)
{
	u64 ns = 0;

	if (!READ_ONCE(late->on))
		return 0;
	spin_lock(&late->lock);
	if (wdm_fault_happens(&late->rule, &late->state, ktime_get_ns(), &late->random))
		ns = late->rule.value;
	WRITE_ONCE(late->on, wdm_fault_may(&late->rule));
	spin_unlock(&late->lock);
	return ns;
}

/* Called before an access. A job that is dropped (@abort) doesn't wait for the delay's end. */
void sim_late(struct sim_late *late, const u32 *abort)
{
	u64 ns = late_draw(late), end;

	if (!ns)
		return;
	atomic64_inc(&late->count);
	end = ktime_get_ns() + ns;
	while (ktime_get_ns() < end && !READ_ONCE(*abort)) {
		u64 left = end - min(end, ktime_get_ns());

		fsleep(min_t(u64, left / NSEC_PER_USEC + 1, STEP_MS * USEC_PER_MSEC));
	}
}
