// SPDX-License-Identifier: Apache-2.0
/* The terminal as a screen that is redrawn, and restored at the end. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "screen.h"

/* Switch to the alternate screen and hide the cursor; and back. */
#define PAGE_BEGIN "\033[?1049h\033[?25l\033[H\033[2J"
#define PAGE_END "\033[?25h\033[?1049l"

#define COLUMNS_OTHERWISE 80
#define ROWS_OTHERWISE 24

/* Read through a signalfd between two drawings, so that the terminal is always restored. */
static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };

bool screen_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static void page(const char *sequence)
{
	fputs(sequence, stdout);
	fflush(stdout);
}

static void keys_begin(struct screen *s)
{
	struct termios t;

	s->keys = !tcgetattr(STDIN_FILENO, &s->before);
	if (!s->keys)
		return;
	t = s->before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	/* In the background, tcsetattr() would stop this process: then there are no keys. */
	s->keys = tcgetpgrp(STDIN_FILENO) == getpgrp() && !tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

static void keys_end(const struct screen *s)
{
	if (s->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
}

int screen_begin(struct screen *s)
{
	sigset_t mask;
	size_t i;
	int ret;

	sigemptyset(&mask);
	for (i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		sigaddset(&mask, handled[i]);
	s->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return -errno;
	if (sigprocmask(SIG_BLOCK, &mask, &s->mask_before)) {
		ret = -errno;
		close(s->signals);
		return ret;
	}
	keys_begin(s);
	page(PAGE_BEGIN);
	return 0;
}

void screen_end(struct screen *s)
{
	page(PAGE_END);
	keys_end(s);
	close(s->signals);
	sigprocmask(SIG_SETMASK, &s->mask_before, NULL);
}

void screen_size(int *columns, int *rows)
{
	struct winsize w;

	*columns = COLUMNS_OTHERWISE;
	*rows = ROWS_OTHERWISE;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col || !w.ws_row)
		return;
	*columns = w.ws_col;
	*rows = w.ws_row;
}

/* The shell has its terminal while this process is stopped. */
static void stop_here(struct screen *s)
{
	page(PAGE_END);
	keys_end(s);
	raise(SIGSTOP);
	keys_begin(s);
	page(PAGE_BEGIN);
}

static enum screen_event take_signal(struct screen *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return SCREEN_REDRAW;
	switch (info.ssi_signo) {
	case SIGTSTP:
		stop_here(s);
		return SCREEN_REDRAW;
	case SIGCONT:
	case SIGWINCH:
		return SCREEN_REDRAW;
	default:
		return SCREEN_END;
	}
}

enum screen_event screen_wait(struct screen *s, long ms, char *key)
{
	struct pollfd fds[] = {
		{ s->signals, POLLIN, 0 },
		{ s->keys ? STDIN_FILENO : -1, POLLIN, 0 },
		{ STDOUT_FILENO, 0, 0 },	/* the terminal may go away */
	};
	int ret = poll(fds, sizeof(fds) / sizeof(fds[0]), (int)ms);

	if (ret < 0 || fds[2].revents & (POLLERR | POLLHUP | POLLNVAL))
		return SCREEN_END;
	if (fds[0].revents)
		return take_signal(s);
	if (!fds[1].revents)
		return SCREEN_TIME;
	if (read(STDIN_FILENO, key, 1) == 1)
		return SCREEN_KEY;
	/* The end of input stays readable: stop reading keys. */
	s->keys = false;
	return SCREEN_REDRAW;
}
