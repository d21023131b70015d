// SPDX-License-Identifier: Apache-2.0
/* devices/: what an admin sets, what the kernel counts, and what becomes of both when a device goes and returns. */
#include <limits.h>
#include <time.h>
#include "kselftest_harness.h"
#include "uacce_sys.h"
#include "uacce_tree.h"

#define S	"test-device"

FIXTURE(device) {
	char pci[256];
};

FIXTURE_SETUP(device)
{
	char link[256];
	ssize_t n = readlink("/sys/class/uacce/" DEV0 "/device", link, sizeof(link) - 1);

	ASSERT_LT(0, n);
	link[n] = 0;
	snprintf(self->pci, sizeof(self->pci), "%s", strrchr(link, '/') + 1);
}

FIXTURE_TEARDOWN(device)
{
	EXPECT_EQ(0, dev_set(DEV0, "priority", "0"));
	EXPECT_EQ(0, dev_set(DEV0, "latency", "10"));
	EXPECT_EQ(0, dev_set(DEV0, "max_ctxs_per_process", "0"));
	EXPECT_EQ(0, dev_set(DEV0, "memory", "auto"));
	EXPECT_TRUE(accounts_ok());
}

static bool sysfs_is(const char *attr, const char *text)
{
	char path[128], buf[128];

	snprintf(path, sizeof(path), "/sys/class/uacce/" DEV0 "/%s", attr);
	return !tree_read(path, buf, sizeof(buf)) && !strcmp(buf, text);
}

static bool refused(const char *attr, int err, const char *text)
{
	long before = dev_num(DEV0, attr);

	return dev_set(DEV0, attr, text) == err && dev_num(DEV0, attr) == before;
}

TEST_F(device, shows_in_sysfs_what_is_set)
{
	EXPECT_EQ(0, dev_set(DEV0, "priority", "-10"));
	EXPECT_TRUE(sysfs_is("priority", "-10"));
	EXPECT_EQ(0, dev_set(DEV0, "priority", "1000"));
	EXPECT_TRUE(sysfs_is("priority", "1000"));
	EXPECT_EQ(0, dev_set(DEV0, "latency", "3"));
	EXPECT_TRUE(sysfs_is("hisi_zip-gzip/latency", "3"));
	EXPECT_TRUE(sysfs_is("hisi_zip-gzip/throughput", "10"));
}

TEST_F(device, refuses_garbage)
{
	EXPECT_TRUE(refused("priority", -EINVAL, "x"));
	EXPECT_TRUE(refused("priority", -EINVAL, "-0"));
	EXPECT_TRUE(refused("priority", -EINVAL, "--1"));
	EXPECT_TRUE(refused("priority", -ERANGE, "2147483648"));
	EXPECT_TRUE(refused("zone_id", -ERANGE, "-2"));
	EXPECT_TRUE(refused("zone_id", -ERANGE, "100000"));
	EXPECT_TRUE(refused("latency", -ERANGE, "100"));
	EXPECT_TRUE(refused("throughput", -EINVAL, "\n"));
	EXPECT_TRUE(refused("max_ctxs_per_process", -EINVAL, "-1"));
	EXPECT_GT(0, dev_set(DEV0, "total_ctxs", "1"));
}

TEST_F(device, keeps_its_settings_while_it_is_away)
{
	EXPECT_EQ(0, dev_set(DEV0, "priority", "-5"));
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->pci));
	EXPECT_NE(0, access(dev_path(DEV0, "priority"), F_OK));
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->pci));
	EXPECT_EQ(-5, dev_num(DEV0, "priority"));
	EXPECT_TRUE(sysfs_is("priority", "-5"));
}

TEST_F(device, takes_its_way_to_memory_when_its_driver_is_bound)
{
	EXPECT_TRUE(dev_is(DEV0, "memory", "auto"));
	EXPECT_TRUE(sysfs_is("iommu", "sva-sim"));
	EXPECT_EQ(-EINVAL, dev_set(DEV0, "memory", "all"));
	EXPECT_EQ(-EINVAL, dev_set(DEV0, "memory", "mediated sva"));
	ASSERT_EQ(0, dev_set(DEV0, "memory", "mediated"));
	EXPECT_TRUE(sysfs_is("iommu", "sva-sim"));
	EXPECT_TRUE(sysfs_is("flags", "1"));
	ASSERT_EQ(0, uacce_rebind("hisi_zip", self->pci));
	EXPECT_TRUE(sysfs_is("iommu", "mediated"));
	EXPECT_TRUE(sysfs_is("flags", "0"));
	EXPECT_TRUE(dev_is(DEV0, "doorbells", "kernel"));
	EXPECT_TRUE(dev_is(DEV0, "memory", "mediated"));
	ASSERT_EQ(0, dev_set(DEV0, "memory", "sva"));
	EXPECT_TRUE(sysfs_is("iommu", "mediated"));
	EXPECT_TRUE(sysfs_is("available_instances", "0"));
	ASSERT_EQ(0, uacce_rebind("hisi_zip", self->pci));
	EXPECT_TRUE(sysfs_is("iommu", "sva-sim"));
	EXPECT_FALSE(sysfs_is("available_instances", "0"));
	EXPECT_TRUE(dev_is(DEV0, "doorbells", "isolated"));
}

TEST_F(device, is_reserved_again_when_it_returns)
{
	ASSERT_EQ(0, sec_make(S, DEV0 " " DEV1, 2, 3, 0));
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->pci));
	EXPECT_TRUE(sec_is(S, "status", "live"));
	EXPECT_EQ(6, dev_num(DEV1, "reserved_ctxs"));
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->pci));
	EXPECT_EQ(6, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
}

TEST_F(device, that_returns_serves_claims_in_order_and_whole)
{
	long total = dev_num(DEV0, "total_ctxs");

	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->pci));
	ASSERT_EQ(0, sec_make("first", DEV0, 1, 2, 0));
	ASSERT_EQ(0, sec_make("second", DEV0, total - 1, 1, 0));
	ASSERT_EQ(0, sec_make("third", DEV0, 1, 1, 0));
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->pci));
	EXPECT_EQ(3, dev_num(DEV0, "reserved_ctxs"));
	/* The second section gets the contexts that the first gives back. */
	EXPECT_EQ(0, sec_end("first"));
	EXPECT_EQ(total, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, sec_end("second"));
	EXPECT_EQ(0, sec_end("third"));
}

TEST_F(device, an_open_attribute_of_one_that_went_does_no_harm)
{
	int fd = open(dev_path(DEV0, "used_ctxs"), O_RDONLY);
	char buf[64];

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "unbind", self->pci));
	EXPECT_GE(0, read(fd, buf, sizeof(buf)));
	close(fd);
	EXPECT_EQ(0, uacce_driver_write("hisi_zip", "bind", self->pci));
	EXPECT_EQ(0, dev_num(DEV0, "used_ctxs"));
}

TEST_HARNESS_MAIN
