// SPDX-License-Identifier: Apache-2.0
/* Time from program start to one synchronous and one asynchronous context, ready for requests. */
#include "bench.h"

static double open_both(int device)
{
	unsigned long long start = now_ns();

	session_open(WD_SYNC, 1, WD_SESS_PATH_HW, device);
	session_open(WD_ASYNC, 1, WD_SESS_PATH_HW, device);
	return (double)(now_ns() - start) / 1000;
}

/* The floor: two queues opened, mapped and started by hand. */
static double bare_both(void)
{
	unsigned long long start = now_ns();
	struct bare *b[2] = { bare_open(), bare_open() };
	double us = (double)(now_ns() - start) / 1000;

	bare_close(b[0]);
	bare_close(b[1]);
	return us;
}

/* One sample each; the runner repeats it in new processes. Needs two devices. */
int init_rows(int argc, char **argv)
{
	double bare;

	(void)argc, (void)argv;
	bare_both();
	bare = bare_both();
	row("init.first.us", open_both(0), "us", bare);
	bare = bare_both();
	row("init.next.us", open_both(1), "us", bare);
	return 0;
}
