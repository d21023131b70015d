/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal as a screen that is redrawn, and restored at the end. */
#ifndef WDCTL_SCREEN_H
#define WDCTL_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

struct screen {
	int signals;		/* a signalfd */
	bool keys;		/* standard input is a terminal too */
	struct termios before;
	sigset_t mask_before;
};

enum screen_event {
	SCREEN_TIME,		/* the time is over */
	SCREEN_REDRAW,		/* its size or its whole content changed */
	SCREEN_KEY,
	SCREEN_END,		/* the user, or the system, wants an end */
};

/** screen_usable() - standard output is a terminal that knows sequences. */
bool screen_usable(void);

/** screen_begin() - Return: 0 or -errno, and then it is as it was. */
int screen_begin(struct screen *s);
void screen_end(struct screen *s);

/** screen_size() - as it is now. */
void screen_size(int *columns, int *rows);

/** screen_wait() - for the time, a key or a signal; stops and goes on like any program. */
enum screen_event screen_wait(struct screen *s, long ms, char *key);

#endif
