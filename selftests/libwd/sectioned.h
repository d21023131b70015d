/* SPDX-License-Identifier: Apache-2.0 */
/* A test program that runs itself under wd-emulate, with sections. */
#ifndef SECTIONED_H
#define SECTIONED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef SECTIONED_FILE
#define SECTIONED_FILE \
	"[PAIR]\nNumProcesses = 2\n" \
	"[ONE]\nNodes = 0=1+0\nQueuePriority = 5\n" \
	"[EXTRA]\nNodes = 0=1+0\nQueuePriority = 5\nMaxExtraCtxs = 1\n" \
	"[ASYNC]\nNodes = 0=0+1\n" \
	"[BOTH]\nNodes = 0=1+1\n" \
	"[FOUR]\nDevices = hisi_zip-0\nSyncCtxs = 4\nAsyncCtxs = 2\n" \
	"[NODES]\nNodes = 0=1+1 1=2+3\n" \
	"[LIMIT]\nLimitDevAccess = 1\n" \
	"[DOWN]\nLive = 0\n" \
	"[CLOSED]\nAllowedUsers = 54321\n"
#endif

static const char sectioned_file[] = SECTIONED_FILE;

/* Returns only under wd-emulate, with this many devices of each kind; each device has 64 queues. */
static inline void sectioned_on(char **argv, const char *zip, const char *sec, const char *nodes)
{
	const char *out = getenv("OUT");
	char path[4096], file[32];
	int fd;

	if (getenv("WD_EMULATE"))
		return;
	fd = memfd_create("sections", 0);
	if (!out || fd < 0 || write(fd, sectioned_file, sizeof(sectioned_file) - 1) < 0) {
		printf("1..0 # SKIP OUT isn't set\n");
		exit(0);
	}
	snprintf(path, sizeof(path), "%s/bin/wd-emulate", out);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	execl(path, path, "--zip", zip, "--sec", sec, "--node", nodes, "--sections", file, "--", argv[0], argv[1],
	      (char *)NULL);
	perror(path);
	exit(1);
}

/* Two devices, one on node 0 and one on node 1. */
static inline void sectioned(char **argv)
{
	sectioned_on(argv, "2", "0", "0,1");
}

#endif
