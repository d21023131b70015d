/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of all algorithms' libraries: why a call failed, and which path a request must take. */
#ifndef WD_TEST_SESSION_H
#define WD_TEST_SESSION_H

#include <string.h>
#include <wd.h>
#include <wd_request.h>

static inline const char *detail(handle_t h)
{
	static __thread char buf[256];

	if (wd_error_detail(h, buf, sizeof(buf)) < 0)
		strcpy(buf, "(no detail)");
	return buf;
}

/* The path that requests of that sysfs algorithm must take here. */
static inline int expected_path(const char *alg)
{
	struct uacce_dev_list *list = wd_list_accels((char *)alg);
	int path = !list ? WD_PATH_SOFT : list->info->simulated ? WD_PATH_SIM : WD_PATH_HW;

	wd_free_list_accels(list);
	return path;
}

#endif
