/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a part of a test in a fork's child. */
#ifndef WD_TEST_IN_CHILD_H
#define WD_TEST_IN_CHILD_H

#include <sys/wait.h>
#include <unistd.h>
#include "wait_ms.h"

/* Returns the function's value, 0 to 255, or -1 if the child ended in another way. */
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
