// SPDX-License-Identifier: Apache-2.0
/* Each allocation of a scatter/gather pool fails once: an error and no leak (the address sanitizer checks). */
#include "failing_alloc.h"
#include "../../user/libhisi_qm/sgl.c"
#include "kselftest_harness.h"

TEST(pools)
{
	handle_t pool;

	SWEEP((pool = hisi_qm_create_sglpool(4, 4)) != 0, hisi_qm_destroy_sglpool(pool));
}

TEST_HARNESS_MAIN
