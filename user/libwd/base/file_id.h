/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a descriptor is still the library's. */
#ifndef WD_FILE_ID_H
#define WD_FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The file that a descriptor refers to. A program that closes all descriptors closes the library's, too, and may then
 * get their numbers for files of its own: those must not be written to, closed or slept on.
 *
 * All eventfds, timers and epoll sets of a system are one inode, and the program may open a device as well. So what
 * the library opens carries a mark that means nothing there: O_APPEND, and O_DSYNC for devices (fork.c). Files of the
 * library itself are told from each other by the list in fork.c: of two with one number, the older is closed.
 */
struct wd_file_id {
	dev_t dev;
	ino_t ino;
	int marks;
};

/* Marks an eventfd, a timer or an epoll set, before it is identified. False: it can't be told from the program's. */
bool wd_file_mark(int fd);
/* None of them changes errno. A descriptor that can't be identified is nobody's. */
void wd_file_identify(int fd, struct wd_file_id *id);
bool wd_file_is(int fd, const struct wd_file_id *id);
/*
 * Whether the descriptor has the marks, which only one in very many files of a program has. Enough for poll(), which
 * does no harm to such a file; one system call instead of two. Not for a process that may be in a sandbox.
 */
bool wd_file_seems(int fd, const struct wd_file_id *id);

#endif
