/* SPDX-License-Identifier: Apache-2.0 */
/* UADK's interface of its drivers. This library has none to register; programs include the header for its constants. */
#ifndef UADK_WD_ALG_H
#define UADK_WD_ALG_H

#include "wd.h"

#define ALG_NAME_SIZE		128
#define DEV_NAME_LEN		128

struct wd_alg_driver;

/* What a driver offers; wd_get_alg_head() returns none. */
struct wd_capability {
	char alg_name[ALG_NAME_SIZE];
	char drv_name[DEV_NAME_LEN];
	bool available;
	int priority;
	int calc_type;
	struct wd_capability *next;
};

#endif
