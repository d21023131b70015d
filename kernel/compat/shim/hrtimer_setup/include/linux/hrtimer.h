/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hrtimer_setup() as of 6.13. */
#ifndef WD_SHIM_LINUX_HRTIMER_H
#define WD_SHIM_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>

static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}

#endif
