// SPDX-License-Identifier: Apache-2.0
/* Events about devices: a device comes, goes and is reset. */
#include "kselftest_harness.h"
#define NEED_AWAY	1
#include "netlink_test.h"
#include "rawq.h"
#include "turn.h"

#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define QUEUE_MS	300000
#define REGS_PAGE	(QM_ABNORMAL_INT_SET & ~4095)

FIXTURE(devices) {
	struct nlc *ask, *config, *event;
	char dev[UACCE_NAME_MAX];
	char parent[UACCE_NAME_MAX];
	long available;
};

static struct nlc *client(void)
{
	struct nlc *c = malloc(sizeof(*c));

	return c && !nlc_open(c) ? c : NULL;
}

static void client_end(struct nlc *c)
{
	nlc_close(c);
	free(c);
}

FIXTURE_SETUP(devices)
{
	self->ask = client();
	self->config = client();
	self->event = client();
	ASSERT_TRUE(self->ask && self->config && self->event) TH_LOG("no family \"uacce\"");
	/* The second device: the first device's number stays what other tests expect. */
	ASSERT_TRUE(uacce_find("hisi_zip", 1, self->dev));
	ASSERT_EQ(0, uacce_parent(self->dev, self->parent, sizeof(self->parent)));
	self->available = test_attr_num(self->dev, "available_instances");
	ASSERT_EQ(0, nlc_join(self->config, self->config->config_group));
	ASSERT_EQ(0, nlc_join(self->event, self->event->event_group));
}

/* The device is bound again, whatever state a test has left. */
FIXTURE_TEARDOWN(devices)
{
	long long deadline = now_ms() + QUEUE_MS;

	text_write(DRIVER "/unbind", self->parent);
	EXPECT_EQ(0, text_write(DRIVER "/bind", self->parent));
	while (uacce_attr_num(self->dev, "available_instances") != self->available && now_ms() < deadline)
		turn_over();
	EXPECT_EQ(self->available, uacce_attr_num(self->dev, "available_instances"));
	client_end(self->ask);
	client_end(self->config);
	client_end(self->event);
}

static bool is_of(const struct nlmsghdr *h, const char *dev, const char *parent)
{
	return !strcmp(dev, nlm_string(h, UACCE_A_DEV)) && !strcmp(parent, nlm_string(h, UACCE_A_DEV_PARENT));
}

TEST_F_TIMEOUT(devices, coming_and_going_are_told, 120)
{
	struct nlmsghdr *h = NULL;
	long long seq;
	int fd;

	ASSERT_EQ(0, text_write(DRIVER "/unbind", self->parent));
	ASSERT_EQ(0, nlc_event(self->config, UACCE_NL_DEV_DEL, &h, NL_WAIT_MS));
	EXPECT_TRUE(is_of(h, self->dev, self->parent));
	/* An event about a device that is gone has nothing but the name. */
	EXPECT_EQ(NULL, nlm_next(h, UACCE_A_CTXS_TOTAL, NULL));
	EXPECT_EQ(-ENOENT, nlc_dev_get(self->ask, self->dev));
	seq = nlm_num(h, UACCE_A_CONFIG_SEQ);
	ASSERT_EQ(0, text_write(DRIVER "/bind", self->parent));
	ASSERT_EQ(0, nlc_event(self->config, UACCE_NL_DEV_ADD, &h, NL_WAIT_MS));
	EXPECT_TRUE(is_of(h, self->dev, self->parent));
	EXPECT_EQ(self->available, nlm_num(h, UACCE_A_CTXS_FREE));
	EXPECT_GT(nlm_num(h, UACCE_A_CONFIG_SEQ), seq);
	/* A process that receives the event can use the device. */
	fd = uacce_open(self->dev);
	EXPECT_GE(fd, 0);
	close(fd);
}

/* A section that waits for the device has its share before the event is sent. */
TEST_F_TIMEOUT(devices, a_pending_claim_is_served_before_the_device_is_told_of, 120)
{
	struct nlmsghdr *h = NULL;

	sec_end("devevent");
	ASSERT_EQ(0, sec_make("devevent", self->parent, 1, 1, 0));
	ASSERT_EQ(0, text_write(DRIVER "/unbind", self->parent));
	ASSERT_EQ(0, text_write(DRIVER "/bind", self->parent));
	ASSERT_EQ(0, nlc_event(self->config, UACCE_NL_DEV_ADD, &h, NL_WAIT_MS));
	EXPECT_EQ(1, nlm_num(h, UACCE_A_CTXS_RESERVED));
	EXPECT_EQ(self->available - 1, nlm_num(h, UACCE_A_CTXS_FREE));
	EXPECT_EQ(0, sec_end("devevent"));
}

/* Errors can be set by hand, in a register of the device. Returns 0 or -errno. */
static int inject(const char *parent, uint32_t error)
{
	char path[128];
	void *regs;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", parent);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	regs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, REGS_PAGE);
	close(fd);
	if (regs == MAP_FAILED)
		return -errno;
	*(volatile uint32_t *)((char *)regs + QM_ABNORMAL_INT_SET - REGS_PAGE) = htole32(error);
	munmap(regs, 4096);
	return 0;
}

TEST_F_TIMEOUT(devices, a_reset_is_told_before_contexts_die_and_its_end_after, 120)
{
	struct nlmsghdr *h = NULL;
	long long seq, resets;
	struct rawq q;
	int ret;

	ASSERT_EQ(0, rawq_begin(&q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, nlc_dev_get(self->ask, self->dev));
	seq = NUM(self->ask, EVENT_SEQ);
	resets = NUM(self->ask, DEV_RESETS);
	ret = inject(self->parent, QM_ERR_ECC_MBIT);
	if (ret) {
		rawq_close(&q);
		SKIP(return, "the kernel keeps a device's registers from root (%s): iomem=relaxed", strerror(-ret));
	}
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_RESET, &h, NL_WAIT_MS));
	EXPECT_TRUE(is_of(h, self->dev, self->parent));
	EXPECT_EQ(seq + 1, nlm_num(h, UACCE_A_EVENT_SEQ));
	EXPECT_NE(0, uacce_poll_gone(q.fd, QUEUE_MS) & (POLLERR | POLLHUP));
	ASSERT_EQ(0, nlc_next(self->event, &h, NL_WAIT_MS));
	/* A device without a reset method is isolated. */
	EXPECT_TRUE(nlm_cmd(h) == UACCE_NL_DEV_READY || nlm_cmd(h) == UACCE_NL_DEV_ISOLATE);
	EXPECT_TRUE(is_of(h, self->dev, self->parent));
	EXPECT_EQ(seq + 2, nlm_num(h, UACCE_A_EVENT_SEQ));
	if (nlm_cmd(h) == UACCE_NL_DEV_READY)
		EXPECT_EQ(resets + 1, nlm_num(h, UACCE_A_DEV_RESETS));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(self->event, &h, 0));
	rawq_close(&q);
}

TEST_HARNESS_MAIN
