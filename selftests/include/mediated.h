/* SPDX-License-Identifier: Apache-2.0 */
/* Do devices reach the process' memory by addresses of the kernel? */
#ifndef WD_TEST_MEDIATED_H
#define WD_TEST_MEDIATED_H

#include <stdbool.h>
#include <wd.h>

/* True if the kernel executes what is submitted to the devices of this algorithm. */
static inline bool devices_mediated(const char *alg)
{
	struct uacce_dev_list *list = wd_list_accels(alg);
	bool mediated = list && list->info->mediated;

	wd_free_list_accels(list);
	return mediated;
}

#endif
