/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the installation, or of the build folder, that the running program belongs to. */
#ifndef BESIDE_H
#define BESIDE_H

#include <stddef.h>

/**
 * beside_find() - find a file that was installed with this program.
 * @path: the file, without symbolic links; without such a file, where an installation usually has it.
 * @file: its path below LIBDIR, or below the build folder.
 * Return: 0, -ENOENT, -ENAMETOOLONG, -ENOMEM, or -errno of reading the program's name.
 */
int beside_find(char *path, size_t len, const char *file);

#endif
