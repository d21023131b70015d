// SPDX-License-Identifier: Apache-2.0
/* A queue that can't be stopped, because the device was forbidden to reach memory. */
#include <limits.h>
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#define NEED_AWAY	1
#include "need_machine.h"
#include "log_count.h"
#include "text_file.h"
#include "zip_client.h"

#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define DEBUGFS		"/sys/kernel/debug/hisi_zip"
#define PCI_COMMAND	4
#define PCI_MASTER	4	/* bit 2 of the command */
#define BYTES		4096

FIXTURE(stuck) {
	char name[UACCE_NAME_MAX];
	char address[64];
	long available;
	struct rawq q;
	uint8_t src[BYTES], dst[2 * BYTES];
};

static int set_master(const char *address, int on)
{
	char path[PATH_MAX];
	uint8_t command;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, 1, PCI_COMMAND) != 1)
		ret = -EIO;
	command = on ? command | PCI_MASTER : command & ~PCI_MASTER;
	if (!ret && pwrite(fd, &command, 1, PCI_COMMAND) != 1)
		ret = -EIO;
	close(fd);
	return ret;
}

/* The PASID in the device's context of queue @id, or -errno. */
static long pasid_of(const char *address, int id)
{
	long word = context_word(address, "SQC", id, 5);

	return word < 0 ? word : word & 0xffff;
}

/* The number of queues that the driver waits for, or -errno. */
static long quarantined(const char *address)
{
	char path[PATH_MAX], text[128], *at;
	int ret;

	snprintf(path, sizeof(path), DEBUGFS "/%s/qm/queues", address);
	ret = text_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	at = strstr(text, "quarantined ");
	return at ? strtol(at + strlen("quarantined "), NULL, 10) : -EINVAL;
}

FIXTURE_SETUP(stuck)
{
	ASSERT_TRUE(client_device(self->name)) TH_LOG("no ZIP device");
	ASSERT_EQ(0, uacce_parent(self->name, self->address, sizeof(self->address)));
	self->available = uacce_attr_num(self->name, "available_instances");
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
	client_fill(self->src, BYTES, 1);
	memset(self->dst, 0xa5, sizeof(self->dst));
}

FIXTURE_TEARDOWN(stuck)
{
	rawq_close(&self->q);
	EXPECT_EQ(0, set_master(self->address, 1));
	EXPECT_EQ(0, text_write(DRIVER "/unbind", self->address));
	EXPECT_EQ(0, text_write(DRIVER "/bind", self->address));
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

TEST_F_TIMEOUT(stuck, nothing_reaches_memory_without_bus_mastering, 200)
{
	ASSERT_EQ(0, set_master(self->address, 0));
	client_queue(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	/* The mailbox is served in order with the doorbell, but the device can't fetch contexts. */
	EXPECT_EQ(-EIO, uacce_put_q(self->q.fd));
	EXPECT_FALSE(rawq_ready(&self->q));
	for (int i = 0; i < 2 * BYTES; i++) {
		ASSERT_EQ(0xa5, self->dst[i]);
	}
}

/*
 * A process has one PASID while any of its queues is bound, and a new one afterwards. The driver asks the device about
 * the queue from time to time, so the queue may have stopped just before this check: @lost reports that. The longer the
 * device has refused by then (@refused_ms), the later the driver asks.
 */
static int still_bound(const char *name, const char *address, struct rawq *q, int refused_ms, int *lost)
{
	int first = q->id, ret = -EAGAIN;
	struct rawq other;
	long pasid;

	pasid = pasid_of(address, first);
	if (pasid <= 0)
		return pasid ? (int)pasid : -EINVAL;
	if (set_master(address, 0))
		return -EIO;
	rawq_close(q);
	poll(NULL, 0, refused_ms);
	if (set_master(address, 1))
		return -EIO;
	if (!rawq_begin(&other, name, ZIP_QC_COMPRESS)) {
		ret = other.id != first && pasid_of(address, other.id) == pasid && pasid_of(address, first) == pasid;
		rawq_close(&other);
	}
	*lost = quarantined(address) == 0;
	return ret;
}

TEST_F_TIMEOUT(stuck, its_address_space_stays_bound_after_close, 200)
{
	int ret, lost = 1;

	for (int i = 0; i < 20 && lost; i++) {
		rawq_close(&self->q);
		ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
		ret = still_bound(self->name, self->address, &self->q, i * 1000, &lost);
		if (ret == -ENOENT || ret == -EACCES)
			SKIP(return, "no debugfs");
		ASSERT_LE(0, ret);
	}
	EXPECT_EQ(0, lost);
	EXPECT_EQ(1, ret);
}

/* Once the device answers again, the queue needs nothing but time. */
TEST_F_TIMEOUT(stuck, a_queue_that_can_stop_again_comes_back, 200)
{
	int first = self->q.id;
	long pasid = pasid_of(self->address, first);

	ASSERT_EQ(0, set_master(self->address, 0));
	rawq_close(&self->q);
	EXPECT_EQ(self->available - 1, uacce_attr_num(self->name, "available_instances"));
	EXPECT_EQ(1, quarantined(self->address));
	ASSERT_EQ(0, set_master(self->address, 1));
	ASSERT_EQ(0, client_wait_available(self->name, self->available));
	EXPECT_EQ(0, quarantined(self->address));
	/* The address space isn't bound for the queue any more, either. */
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
	if (pasid > 0)
		EXPECT_NE(pasid, pasid_of(self->address, self->q.id));
}

/* The precondition of the first test: without it that test proves nothing. */
TEST_F_TIMEOUT(stuck, address_space_of_a_stopped_queue_is_unbound, 200)
{
	long pasid = pasid_of(self->address, self->q.id);

	if (pasid == -ENOENT || pasid == -EACCES)
		SKIP(return, "no debugfs");
	ASSERT_GT(pasid, 0);
	rawq_close(&self->q);
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
	EXPECT_NE(pasid, pasid_of(self->address, self->q.id));
}

/* With 10 stuck clients gone and the device taken away, no memory may be leaked (the debug kernel looks). */
TEST_F_TIMEOUT(stuck, removal_frees_what_was_kept, 200)
{
	struct rawq many[10];

	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, rawq_begin(&many[i], self->name, ZIP_QC_COMPRESS));
	}
	ASSERT_EQ(0, set_master(self->address, 0));
	for (int i = 0; i < 10; i++)
		rawq_close(&many[i]);
	ASSERT_EQ(self->available - 11, uacce_attr_num(self->name, "available_instances"));
	ASSERT_EQ(0, text_write(DRIVER "/unbind", self->address));
	ASSERT_EQ(0, text_write(DRIVER "/bind", self->address));
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

/* Clearing bus mastering waits for the access under way, whatever interrupts come meanwhile. */
TEST_F_TIMEOUT(stuck, bus_mastering_comes_and_goes_under_load, 200)
{
	struct rawq q;

	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, rawq_begin(&q, self->name, ZIP_QC_COMPRESS));
		for (int i = 0; i < 64; i++)
			client_queue(&q, self->src, BYTES, self->dst, sizeof(self->dst));
		rawq_ack(&q, 1);
		client_ring(&q);
		for (int i = 0; i < 20; i++) {
			ASSERT_EQ(0, set_master(self->address, 0));
			ASSERT_EQ(0, set_master(self->address, 1));
		}
		rawq_close(&q);
	}
	ASSERT_EQ(0, rawq_begin(&q, self->name, ZIP_QC_COMPRESS));
	EXPECT_EQ(0, client_burst(&q, 4, self->src, BYTES, self->dst, sizeof(self->dst), 1));
	rawq_close(&q);
}

TEST_HARNESS_MAIN
