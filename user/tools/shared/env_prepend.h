/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the environment that are lists, such as LD_PRELOAD. */
#ifndef ENV_PREPEND_H
#define ENV_PREPEND_H

/**
 * env_prepend() - put @value in front of the variable's list, whose elements @separator separates. Return: 0, -ENOMEM.
 */
int env_prepend(const char *name, const char *value, char separator);

#endif
