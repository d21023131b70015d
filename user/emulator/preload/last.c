// SPDX-License-Identifier: Apache-2.0
/*
 * A process ends with its last thread, and a device's threads are none of the program's. They can be the last ones only
 * if the program's first thread has ended by pthread_exit(); it stays as a zombie. From then on one more thread looks
 * whether only they are left.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "emu.h"

/* This file reads the process' own memory, and nothing of an emulated device. */
EMU_REAL(int, open, const char *path, int flags, ...)
EMU_REAL(int, close, int fd)
EMU_REAL(ssize_t, read, int fd, void *buf, size_t len)
EMU_REAL(DIR *, opendir, const char *path)
EMU_REAL(int, poll, struct pollfd *fds, nfds_t n, int timeout)

#define LOOK_MS	1000

static pthread_key_t key;	/* set in the first thread: its destructor reports that the thread ends */
static bool keyed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of the rest */
static unsigned int ours;	/* threads of this library, which end with the process */
static bool first_ends, watched;
static sigset_t mask;		/* of the thread that started to watch: the first one's, or that of a later device's
				 * user */

static bool first_has_ended(void)
{
	int fd = real_open()("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[256], *name_end;
	ssize_t n;

	if (fd < 0)
		return false;
	n = real_read()(fd, text, sizeof(text) - 1);
	real_close()(fd);
	text[n < 0 ? 0 : n] = '\0';
	name_end = strrchr(text, ')');
	return name_end && !strncmp(name_end, ") Z", 3);
}

static unsigned int threads(void)
{
	DIR *dir = real_opendir()("/proc/self/task");
	const struct dirent *entry;
	unsigned int n = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static bool only_ours(void)
{
	bool only;

	pthread_mutex_lock(&lock);
	only = first_has_ended() && threads() == ours + 1;
	pthread_mutex_unlock(&lock);
	return only;
}

/* At the end it does what libc does in the last thread, as one of the program's. */
static void *watch(void *arg)
{
	(void)arg;
	while (!only_ours())
		real_poll()(NULL, 0, LOOK_MS);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	exit(EXIT_SUCCESS);
}

/* Under the lock. */
static int thread_start(void *(*fn)(void *), void *arg, sigset_t *old)
{
	pthread_t thread;
	sigset_t all;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
	err = pthread_create(&thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, old, NULL);
	if (err)
		return -err;
	ours++;
	/* Tools that show threads tell the devices' from the program's. */
	pthread_setname_np(thread, "wd-emulate");
	pthread_detach(thread);
	return 0;
}

/* Under the lock. */
static void watch_if_due(void)
{
	if (first_ends && ours && !watched)
		watched = !thread_start(watch, NULL, &mask);
}

static void first_thread_ends(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	first_ends = true;
	watch_if_due();
	pthread_mutex_unlock(&lock);
}

int emu_thread_start(void *(*fn)(void *), void *arg)
{
	sigset_t old;
	int err;

	pthread_mutex_lock(&lock);
	err = thread_start(fn, arg, &old);
	watch_if_due();
	pthread_mutex_unlock(&lock);
	return err;
}

void emu_threads_begin(void)
{
	keyed = !pthread_key_create(&key, first_thread_ends);
	if (keyed)
		pthread_setspecific(key, &key);
}

void emu_threads_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	ours = 0;
	first_ends = watched = false;
	if (keyed)
		pthread_setspecific(key, &key);
}
