/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a descriptor is still the library's. */
#ifndef WD_FILE_ID_H
#define WD_FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The file that a descriptor refers to. A program that closes all descriptors closes the library's, too, and may then
 * get their numbers for files of its own: those must not be written to, closed or slept on. All eventfds, timers and
 * epoll sets of a system are one file to fstat(), so these are told from other files only.
 */
struct wd_file_id {
	dev_t dev;
	ino_t ino;
};

/* Neither changes errno. A descriptor that can't be identified is nobody's. */
void wd_file_identify(int fd, struct wd_file_id *id);
bool wd_file_is(int fd, const struct wd_file_id *id);

#endif
