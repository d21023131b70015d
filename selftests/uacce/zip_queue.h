/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of these tests: one queue of the first ZIP device, opened but neither mapped nor started. */
#ifndef WD_TEST_ZIP_QUEUE_H
#define WD_TEST_ZIP_QUEUE_H

#define NEED_DEVICES	1
#include "need_machine.h"
#include "rawq.h"
#include "turn.h"

#define REQUEST_MS	300000

FIXTURE(zip) {
	char name[UACCE_NAME_MAX];
	struct rawq q;
	size_t page;
	long available;		/* before the queue was opened */
};

FIXTURE_SETUP(zip)
{
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	self->available = test_attr_num(self->name, "available_instances");
	ASSERT_EQ(0, rawq_open(&self->q, self->name));
}

FIXTURE_TEARDOWN(zip)
{
	rawq_close(&self->q);
}

/* Waits for queues to come back; returns how many are free in the end. */
static inline long wait_available(const char *name, long wanted, int ms)
{
	long long deadline = now_ms() + ms;
	long seen;

	while ((seen = uacce_attr_num(name, "available_instances")) != wanted &&
	       now_ms() < deadline)
		turn_over();
	return seen;
}

/* Runs one small request; 0 or what went wrong. */
static inline int rawq_works(struct rawq *q)
{
	/* Not in the program's file: a device waits two seconds for a file's page; a machine may stall as long. */
	char text[] = "a queue works when it compresses this, this, this and this";
	uint8_t out[256];
	uint32_t produced = 0;
	int ret = rawq_zip(q, ZIP_REQ_DEFLATE, text, sizeof(text), out, sizeof(out), &produced,
			   REQUEST_MS);

	return ret ? ret : produced ? 0 : -ENODATA;
}

#endif
