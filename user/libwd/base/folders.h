/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of devices and of their attributes, kept so that a process finds them after chroot(2). */
#ifndef WD_FOLDERS_H
#define WD_FOLDERS_H

/*
 * The descriptor of a kept folder that contains path, and in *rest the remaining path; AT_FDCWD and the whole path if
 * path lies elsewhere, or the folder is not kept. For openat() and its relatives; the descriptor belongs to this file.
 */
int wd_folder_of(const char *path, const char **rest);

/* Keeps the folders if they aren't kept, which costs one failing call where there are no devices. */
void wd_folders_keep(void);

#endif
