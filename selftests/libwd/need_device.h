/* SPDX-License-Identifier: Apache-2.0 */
/* A main() for tests that need a device: without one the whole program is skipped, with the reason. */
#ifndef NEED_DEVICE_H
#define NEED_DEVICE_H

#include <stdio.h>
#include <wd.h>
#include "kselftest_harness.h"
#include "tsan_fork.h"

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	struct uacce_dev_list *list = wd_list_accels("zlib");

	if (!list) {
		printf("1..0 # SKIP no device offers zlib\n");
		return 4;
	}
	wd_free_list_accels(list);
	return harness_main(argc, argv);
}

#endif
