// SPDX-License-Identifier: Apache-2.0
/* Heap that sessions and contexts take. Null devices: the emulator's own part is some 150 bytes per queue. */
#include <malloc.h>
#include "bench.h"

#define NR	8	/* contexts, and sessions: one per device */
#define MANY	64

static double heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return (double)(m.uordblks + m.hblkhd);
}

/* A mode's first session allocates what the process needs once; the second device's session only what it needs
 * itself. */
int heap_rows(int argc, char **argv)
{
	double before, opened, sessions;
	handle_t more[MANY];
	unsigned int i;

	(void)argc, (void)argv;
	session_open(WD_SYNC, 1, WD_SESS_PATH_HW, 0);
	session_open(WD_ASYNC, 1, WD_SESS_PATH_HW, 0);
	before = heap();
	for (i = 0; i < MANY; i++)
		more[i] = session_open(WD_SYNC, 1, WD_SESS_PATH_HW, 0);
	sessions = (heap() - before) / MANY;
	row("heap.sess.bytes", sessions, "bytes", 0);
	for (i = 0; i < MANY; i++)
		wd_comp_free_sess(more[i]);

	before = heap();
	for (i = 1; i <= NR; i++)
		session_open(WD_SYNC, 1, WD_SESS_PATH_HW, (int)i);
	opened = (heap() - before) / NR;
	row("heap.ctx.bytes", opened - sessions, "bytes", 0);
	before = heap();
	for (i = 1; i <= NR; i++)
		session_open(WD_ASYNC, 1, WD_SESS_PATH_HW, (int)i);
	opened = (heap() - before) / NR;
	row("heap.ctx.async.bytes", opened - sessions, "bytes", 0);
	return 0;
}
