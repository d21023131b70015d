/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes threads that sleep in a poll call on the files of several contexts. Private to libwd. */
#ifndef WD_BELL_H
#define WD_BELL_H

#include "request/core.h"

/**
 * struct wd_bell - an event file for one sleep; kept for later sleeps until the process ends
 * @taken:	a thread owns it
 * @listens:	its file is open, and its owner may be asleep
 * @rung:	the file is readable
 * @doubtful:	its file was readable although nobody rang: it may be the program's
 * @done:	its owner sleeps on no file of a context with requests in flight: callbacks of other threads wake it
 * @queue:	contexts that its owner watches
 */
struct wd_bell {
	struct wd_bell *next;
	struct wd_fork_file file;
	bool taken;
	bool listens;
	bool rung;
	bool doubtful;
	bool done;
	struct wd_queue *const *queue;
	unsigned int nr;
};

/* NULL: no memory, or no descriptor. The file may be polled now. */
struct wd_bell *wd_bell_take(struct wd_queue *const queue[], unsigned int nr);
/* Callbacks of other threads no longer wake the owner. */
void wd_bell_not_done(struct wd_bell *bell);
/* readable: poll() has said so of its file. */
void wd_bell_put(struct wd_bell *bell, bool readable);
/* Wake the threads that watch the context; NULL: all. */
void wd_bells_ring(const struct wd_queue *q);

#endif
