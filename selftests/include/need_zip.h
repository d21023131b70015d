/* SPDX-License-Identifier: Apache-2.0 */
/* Skips a whole program, all of whose tests need devices, if there are too few: define NEED_DEVICES first. */
#ifndef WD_TEST_NEED_ZIP_H
#define WD_TEST_NEED_ZIP_H

#include <stdio.h>
#include <stdlib.h>
#include "uacce_sys.h"

#define NEED_EXIT	4	/* KSFT_SKIP */

/* Runs before the harness prints anything. */
static void __attribute__((constructor)) need_devices(void)
{
	char name[UACCE_NAME_MAX];

	if (uacce_find("hisi_zip", NEED_DEVICES - 1, name))
		return;
	printf("TAP version 13\n1..0 # SKIP %d hisi_zip device%s needed\n", NEED_DEVICES, NEED_DEVICES > 1 ? "s" : "");
	exit(NEED_EXIT);
}

#endif
