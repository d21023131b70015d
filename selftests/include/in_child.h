/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a test that runs in a fork's child. */
#ifndef WD_TEST_IN_CHILD_H
#define WD_TEST_IN_CHILD_H

#include <sys/wait.h>
#include <unistd.h>
#include "wait_ms.h"

/* The function's return value, 0 to 255; -1 when the child ended otherwise. */
static inline int in_child(int (*what)(void *), void *p)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(WAIT_MS / 1000);
		_exit(what(p));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif
