/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from the environment; privileged programs ignore them. */
#ifndef WD_ENV_H
#define WD_ENV_H

/* Value of a WD_* variable; NULL when it is unset or empty, or when the program is privileged. */
const char *wd_env(const char *name);

/*
 * Index of the value in names (NULL at the end); none when the variable is unset; -EINVAL, recorded, for any other
 * value.
 */
int wd_env_choice(const char *name, const char *const names[], int none);

/* A decimal number between min and max; *value doesn't change when the variable is unset. 0, or -EINVAL, recorded. */
int wd_env_number(const char *name, long min, long max, long *value);

/*
 * For text of a variable that another function has refused and recorded: records the same failure with the variable's
 * name before it. Returns ret.
 */
int wd_env_refused(const char *name, int ret);

#endif
