// SPDX-License-Identifier: Apache-2.0
/* Making and freeing a session, with the list of devices and the choice of a context. */
#include "bench.h"

#define SESSIONS	5000
#define ROUNDS		9

static unsigned long long sessions(void *arg, unsigned int n)
{
	unsigned long long start = cpu_ns();

	(void)arg;
	while (n--)
		wd_comp_free_sess(session_open(WD_SYNC, 1, WD_SESS_PATH_HW, ANY_DEVICE));
	return cpu_ns() - start;
}

/* A session stays, as in a program that makes one for each of its connections. Needs eight devices. */
int session_rows(int argc, char **argv)
{
	handle_t stays = session_open(WD_SYNC, 1, WD_SESS_PATH_HW, ANY_DEVICE);

	(void)argc, (void)argv;
	row("sess.8dev.ns", measure_pair(sessions, NULL, NULL, NULL, SESSIONS, ROUNDS).ours, "ns", 0);
	wd_comp_free_sess(stays);
	return 0;
}
