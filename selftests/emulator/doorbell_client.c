// SPDX-License-Identifier: Apache-2.0
/*
 * Clients that ring the CQ doorbell, and one that never does: its queue ends, as on hardware.
 * Run under wd-emulate --zip 1 --depth 8 --engine none --trap-doorbells.
 */
#include <hisi_qm.h>
#include "kselftest_harness.h"
#include "emulated.h"
#include "rawq.h"
#include "turn.h"
#include "wait_ms.h"

#define DEPTH	8
#define MANY	(100 * DEPTH)
#define LEN	64

static unsigned char src[LEN], dst[2 * LEN];

/* Sends requests one by one. Returns how many have completed. */
static unsigned int complete(struct rawq *q, unsigned int most, bool ring)
{
	struct rawq_done done;
	unsigned int n;

	for (n = 0; n < most; n++) {
		rawq_zip_fill(rawq_slot(q), ZIP_REQ_ZLIB, src, LEN, dst, sizeof(dst), n);
		rawq_push(q, 1);
		if (rawq_wait(q, &done, WAIT_MS))
			break;
		if (ring)
			rawq_ack(q, 0);
	}
	return n;
}

TEST(a_client_that_never_rings_the_cq_doorbell_ends)
{
	struct rawq q;

	ASSERT_EQ(0, rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(DEPTH - 1, complete(&q, MANY, false));
	EXPECT_TRUE(rawq_let_go(&q, WAIT_MS));
	rawq_close(&q);
}

TEST(a_client_that_rings_it_goes_on)
{
	struct rawq q;

	ASSERT_EQ(0, rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(MANY, complete(&q, MANY, true));
	EXPECT_EQ(0, rawq_rx_stop(&q));
	rawq_close(&q);
}

TEST(the_library_rings_it)
{
	const struct hisi_qp_cfg cfg = { .sqe_size = 128, .op_type = ZIP_QC_COMPRESS, .mode = QP_SYNC };
	long long end = now_ms() + WAIT_MS;
	struct zip_sqe sqe, out;
	struct uacce_dev_list *list = wd_list_accels("zlib");
	unsigned int n;
	handle_t qp;
	int ret = 0;

	ASSERT_NE(NULL, list);
	qp = hisi_qm_alloc_qp(list->info->dev_root, &cfg);
	ASSERT_NE(0, qp);
	memset(&sqe, 0, sizeof(sqe));
	rawq_zip_fill(&sqe, ZIP_REQ_ZLIB, src, LEN, dst, sizeof(dst), 1);
	for (n = 0; n < MANY; n++) {
		ASSERT_EQ(1, hisi_qm_send(qp, &sqe, 1)) TH_LOG("request %u", n);
		while (!(ret = hisi_qm_recv(qp, &out, 1)) && now_ms() < end)
			turn_over();
		ASSERT_EQ(1, ret) TH_LOG("request %u", n);
	}
	hisi_qm_free_qp(qp);
	wd_free_list_accels(list);
}

TEST_HARNESS_MAIN
