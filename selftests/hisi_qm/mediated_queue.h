/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture "mediated": a device without shared virtual addressing, of three kinds, and requests for its queues. */
#ifndef WD_TEST_MEDIATED_QUEUE_H
#define WD_TEST_MEDIATED_QUEUE_H

#include "kselftest_harness.h"
static int shape(const char *iommu);
#define FAULTY_GENERATION	variant->generation
#define FAULTY_SHAPE		shape(variant->iommu)
#include "call.h"
#include "mediated_counts.h"

#define NAME		FAULTY_NAME

FIXTURE(mediated) {
	FAULTY_MEMBERS;
	long pins, maps;
	const char *generation;
};

FIXTURE_VARIANT(mediated) {
	const char *generation;
	const char *iommu;
};

FIXTURE_VARIANT_ADD(mediated, one_range) {
	.generation = "3",
	.iommu = "1",
};

FIXTURE_VARIANT_ADD(mediated, pieces) {
	.generation = "3",
	.iommu = "0",
};

FIXTURE_VARIANT_ADD(mediated, second_generation) {
	.generation = "2",
	.iommu = "1",
};

static int shape(const char *iommu)
{
	int ret = sim_set(NAME, "sva", "0");

	if (!ret)
		ret = sim_set(NAME, "vfs", "1");
	return ret ? ret : sim_set(NAME, "iommu", iommu);
}

FIXTURE_SETUP(mediated)
{
	if (!mediated_possible())
		SKIP(return, "this kernel lets no device have DMA mapping operations of its own");
	FAULTY_BEGIN(self);
	self->generation = variant->generation;
	self->pins = pins_now();
	self->maps = maps_now();
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_TRUE(self->q.mediated);
}

FIXTURE_TEARDOWN(mediated)
{
	if (!self->dev[0])
		return;
	rawq_close(&self->q);
	rawq_close(&self->other);
	if (sim_is(NAME, "live", "1")) {
		EXPECT_EQ(0, maps_count("faults "));
		EXPECT_TRUE(back_to(maps_now, self->maps)) TH_LOG("%ld mappings, not %ld", maps_now(), self->maps);
	}
	FAULTY_END(self);
	EXPECT_TRUE(back_to(pins_now, self->pins)) TH_LOG("%ld pins, not %ld", pins_now(), self->pins);
}

/* ------ requests ------ */

static struct zip_sqe *fill(FIXTURE_DATA(mediated) *self, struct rawq *q, const void *src, uint32_t len, void *dst,
			    uint32_t room)
{
	struct zip_sqe *sqe = rawq_slot(q);

	rawq_zip_fill_of(self->generation, sqe, ZIP_REQ_ZLIB, src, len, dst, room, q->sq_tail);
	return sqe;
}

/* The next completion's status, or -errno. */
static int take(struct rawq *q, uint32_t *produced)
{
	struct rawq_done done;
	int ret = rawq_wait(q, &done, CLIENT_WAIT_MS);

	if (ret)
		return ret;
	if (produced)
		*produced = le32toh(rawq_zip_done(q, &done)->produced);
	return rawq_zip_status(rawq_zip_done(q, &done));
}

/* Submits the descriptor that was filled. */
static int submit(struct rawq *q)
{
	rawq_push(q, 0);
	return rawq_call(q, HISI_QP_DB_SQ, q->sq_tail, 0);
}

static int one(FIXTURE_DATA(mediated) *self, struct rawq *q, const void *src, uint32_t len, void *dst, uint32_t room,
	       uint32_t *produced)
{
	int ret;

	fill(self, q, src, len, dst, room);
	ret = submit(q);
	return ret ? ret : take(q, produced);
}

static bool good(int status)
{
	return status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP || status == ZIP_ST_END;
}

#endif
