/* SPDX-License-Identifier: Apache-2.0 */
/* The replacement of zlib: where its file is, and what devices do for it. */
#ifndef WDCTL_ZLIB_SHIM_H
#define WDCTL_ZLIB_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#include "health.h"

/**
 * zlib_shim_find() - find the replacement that was installed with this program, or with libwd_comp as the loader finds
 * it.
 * @path: the file; without it, where it usually is.
 * Return: 0 or -ENOENT.
 */
int zlib_shim_find(char *path, size_t len);

/** zlib_shim_device() - may the caller use this device, and does it compress? */
bool zlib_shim_device(const struct root *r, const struct device *d);

/**
 * zlib_shim_check() - add findings about the file and the devices.
 * @lack: what it is if a part is missing: a program that never uses the replacement has no problem with that.
 */
void zlib_shim_check(struct health *h, const struct health_input *in, enum health_state lack);

#endif
