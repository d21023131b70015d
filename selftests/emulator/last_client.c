// SPDX-License-Identifier: Apache-2.0
/*
 * Under wd-emulate: the first thread ends by pthread_exit(), with an argument before another thread. What the process
 * then does is printed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORK_S	2	/* longer than the emulator takes to notice that the first thread has ended */

/* As in any thread of the program. */
static void at_exit(void)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	printf("exit, %s, %s\n", sigismember(&blocked, SIGTERM) ? "SIGTERM blocked" : "SIGTERM taken",
	       open("/dev/hisi_zip-0", O_RDWR | O_CLOEXEC) < 0 ? "no device" : "device");
}

static void *work(void *arg)
{
	nanosleep(&(struct timespec){ .tv_sec = WORK_S }, NULL);
	puts("work");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (open("/dev/hisi_zip-0", O_RDWR | O_CLOEXEC) < 0 || atexit(at_exit) ||
	    (argc > 1 && pthread_create(&thread, NULL, work, NULL)))
		return 2;
	pthread_exit(NULL);
}
