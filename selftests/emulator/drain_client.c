// SPDX-License-Identifier: Apache-2.0
/*
 * A client of a ZIP device of generation 2, with faults: whatever completions there are, its queue ends, and works
 * again.
 */
#include "kselftest_harness.h"
#include "rawq.h"

#define LEN	4000
#define ROUNDS	30
#define BATCH	8

static unsigned char src[LEN], packed[2 * LEN];

TEST(queues_end_whatever_completes)
{
	struct rawq q;
	int round, i;

	ASSERT_EQ(0, rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS));
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < BATCH; i++) {
			rawq_zip_fill2(rawq_slot(&q), ZIP_REQ_ZLIB, src, LEN, packed, sizeof(packed), 1);
			rawq_push(&q, i == BATCH - 1);
		}
		/* At once, or when the device has begun. */
		if (round % 2)
			poll(NULL, 0, 1);
		ASSERT_EQ(0, uacce_put_q(q.fd)) TH_LOG("round %d", round);
		rawq_rewind(&q);
		ASSERT_EQ(0, uacce_start_q(q.fd));
	}
	rawq_close(&q);
}

TEST_HARNESS_MAIN
