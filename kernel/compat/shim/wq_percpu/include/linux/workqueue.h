/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WQ_PERCPU as of 6.17; before, a queue without WQ_UNBOUND is one for each CPU. */
#ifndef WD_SHIM_LINUX_WORKQUEUE_H
#define WD_SHIM_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>

#define WQ_PERCPU	0

#endif
