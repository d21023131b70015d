/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll_does_not_wait() for kernels since 7.2: whether poll() only asks, and does not sleep. */
#ifndef WD_SHIM_LINUX_POLL_H
#define WD_SHIM_LINUX_POLL_H

#include_next <linux/poll.h>

static inline bool poll_does_not_wait(const poll_table *p)
{
	return !p || !p->_qproc;
}

#endif
