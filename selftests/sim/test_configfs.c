// SPDX-License-Identifier: Apache-2.0
/* The configfs tree of simulated devices: accepted values, refused values, and that a refusal changes nothing. */
#include <endian.h>
#include <linux/pci_regs.h>
#include <stdint.h>
#include <sys/klog.h>
#include "kselftest_harness.h"
#include "sim_item.h"

#define NAME	"test"
#define LOG_READ_ALL	3
#define LOG_BYTES	(1 << 20)

FIXTURE(item) {
};

FIXTURE_SETUP(item)
{
	ASSERT_EQ(0, sim_mkdir(NAME)) TH_LOG("no hisi_sim in configfs");
}

FIXTURE_TEARDOWN(item)
{
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
}

/* Writes each text; all must fail with @err and leave the value unchanged. */
static int all_refused(const char *attr, const char *const *texts, int err)
{
	char before[256];

	if (sim_get(NAME, attr, before, sizeof(before)) < 0)
		return 0;
	for (; *texts; texts++) {
		int ret = sim_set(NAME, attr, *texts);

		if (ret != err || !sim_is(NAME, attr, before)) {
			printf("# %s: \"%s\": %d\n", attr, *texts, ret);
			return 0;
		}
	}
	return 1;
}

#define REFUSED(attr, err, ...) \
	EXPECT_TRUE(all_refused(attr, (const char *const[]){ __VA_ARGS__, NULL }, err))

TEST_F(item, starts_as_a_zip_device_that_is_not_live)
{
	EXPECT_TRUE(sim_is(NAME, "type", "zip"));
	EXPECT_TRUE(sim_is(NAME, "generation", "3"));
	EXPECT_TRUE(sim_is(NAME, "node", "-1"));
	EXPECT_TRUE(sim_is(NAME, "queues", "64"));
	EXPECT_TRUE(sim_is(NAME, "vfs", "0"));
	EXPECT_TRUE(sim_is(NAME, "function_queues", "0"));
	EXPECT_TRUE(sim_is(NAME, "vf_migration", "1"));
	EXPECT_TRUE(sim_is(NAME, "sub_version", "0"));
	EXPECT_TRUE(sim_is(NAME, "message_vector", "2"));
	EXPECT_TRUE(sim_is(NAME, "reset_method", "auto"));
	EXPECT_TRUE(sim_is(NAME, "bridge", "0"));
	EXPECT_TRUE(sim_is(NAME, "sva", "1"));
	EXPECT_TRUE(sim_is(NAME, "iommu", "1"));
	EXPECT_TRUE(sim_is(NAME, "mappings", "present 0\nmade 0\nsegments 0\nfailed 0\nfaults 0"));
	EXPECT_TRUE(sim_is(NAME, "latency_ns", "0"));
	EXPECT_TRUE(sim_is(NAME, "bandwidth_mbps", "0"));
	EXPECT_TRUE(sim_is(NAME, "live", "0"));
	EXPECT_TRUE(sim_is(NAME, "address", ""));
}

TEST_F(item, what_is_printed_can_be_written_back)
{
	static const char *const attrs[] = {
		"type", "generation", "node", "queues", "vfs", "function_queues", "vf_migration", "sub_version",
		"message_vector", "reset_method", "bridge", "sva", "iommu", "latency_ns", "bandwidth_mbps", "live",
	};
	char buf[256];

	for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		ASSERT_LT(0, sim_get(NAME, attrs[i], buf, sizeof(buf)));
		EXPECT_EQ(0, sim_set(NAME, attrs[i], buf)) TH_LOG("%s", attrs[i]);
		EXPECT_TRUE(sim_is(NAME, attrs[i], buf));
	}
}

TEST_F(item, every_type_can_be_chosen)
{
	EXPECT_EQ(0, sim_set(NAME, "type", "sec\n"));
	EXPECT_TRUE(sim_is(NAME, "type", "sec"));
	EXPECT_EQ(0, sim_set(NAME, "type", "zip"));
	EXPECT_TRUE(sim_is(NAME, "type", "zip"));
}

TEST_F(item, an_unknown_type_is_refused)
{
	REFUSED("type", -EINVAL, "zap", "zi", "zipp", "ZIP", "zip,zip", "\n");
}

TEST_F(item, an_unknown_generation_is_refused)
{
	REFUSED("generation", -EINVAL, "1", "4", "5", "0", "-2", "v2", "2x", "\n");
	EXPECT_EQ(0, sim_set(NAME, "generation", "2\n"));
	EXPECT_TRUE(sim_is(NAME, "generation", "2"));
	EXPECT_EQ(0, sim_set(NAME, "generation", "3"));
}

TEST_F(item, a_number_of_queues_out_of_range_is_refused)
{
	REFUSED("queues", -EINVAL, "0", "1", "1025", "4294967295", "-1", "many", "64x", " ", "\n");
	REFUSED("queues", -ERANGE, "4294967296", "99999999999999999999");
	EXPECT_EQ(0, sim_set(NAME, "queues", "2"));
	EXPECT_EQ(0, sim_set(NAME, "queues", "1024\n"));
	EXPECT_TRUE(sim_is(NAME, "queues", "1024"));
}

TEST_F(item, a_node_that_is_not_there_is_refused)
{
	REFUSED("node", -EINVAL, "-2", "1000", "65536", "x", "0 0");
	EXPECT_EQ(0, sim_set(NAME, "node", "0"));
	EXPECT_TRUE(sim_is(NAME, "node", "0"));
	EXPECT_EQ(0, sim_set(NAME, "node", "-1"));
}

TEST_F(item, a_number_of_virtual_functions_out_of_range_is_refused)
{
	REFUSED("vfs", -EINVAL, "64", "4294967295", "-1", "no", "3x", "\n");
	REFUSED("vfs", -ERANGE, "4294967296");
	EXPECT_EQ(0, sim_set(NAME, "vfs", "63\n"));
	EXPECT_TRUE(sim_is(NAME, "vfs", "63"));
	EXPECT_EQ(0, sim_set(NAME, "vfs", "0"));
}

TEST_F(item, a_number_of_queues_for_a_function_out_of_range_is_refused)
{
	REFUSED("function_queues", -EINVAL, "1025", "-1", "all");
	REFUSED("reset_method", -EINVAL, "flr", "ACPI", "capability", "auto acpi");
	REFUSED("bridge", -EINVAL, "2", "-1", "yes");
	REFUSED("sva", -EINVAL, "2", "-1", "no");
	REFUSED("sva", -ERANGE, "4294967296");
	REFUSED("iommu", -EINVAL, "2", "-1", "no");
	REFUSED("vf_migration", -EINVAL, "2", "-1", "no");
	REFUSED("sub_version", -EINVAL, "256", "-1", "v5");
	REFUSED("message_vector", -EINVAL, "0", "1", "4", "two");
	EXPECT_EQ(0, sim_set(NAME, "function_queues", "1024"));
	EXPECT_TRUE(sim_is(NAME, "function_queues", "1024"));
}

TEST_F(item, a_latency_or_bandwidth_out_of_range_is_refused)
{
	REFUSED("latency_ns", -EINVAL, "60000000001", "-1", "1us");
	REFUSED("bandwidth_mbps", -EINVAL, "1000001", "-1", "1G");
	EXPECT_EQ(0, sim_set(NAME, "latency_ns", "60000000000"));
	EXPECT_EQ(0, sim_set(NAME, "bandwidth_mbps", "1000000"));
}

TEST_F(item, live_is_0_or_1)
{
	REFUSED("live", -EINVAL, "2", "yes", "-1", "\n");
}

TEST_F(item, the_address_cannot_be_written)
{
	EXPECT_NE(0, sim_set(NAME, "address", "0000:00:00.0"));
}

TEST_F(item, live_makes_a_pci_function_and_its_end_removes_it)
{
	char address[64], path[160], buf[64];

	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(sim_is(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	snprintf(path, sizeof(path), SIM_PCI "/%s/device", address);
	ASSERT_LT(0, text_read(path, buf, sizeof(buf)));
	EXPECT_STREQ("0xa250", buf);
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_FALSE(sim_exists(path));
	EXPECT_TRUE(sim_is(NAME, "address", ""));
}

TEST_F(item, writing_the_state_it_has_changes_nothing)
{
	char before[64];

	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", before, sizeof(before)));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(sim_is(NAME, "address", before));
}

TEST_F(item, the_shape_is_fixed_while_live)
{
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	REFUSED("type", -EBUSY, "zip");
	REFUSED("generation", -EBUSY, "2", "3");
	REFUSED("node", -EBUSY, "-1", "0");
	REFUSED("queues", -EBUSY, "64", "128");
	REFUSED("vfs", -EBUSY, "0", "1");
	REFUSED("function_queues", -EBUSY, "0", "1");
	REFUSED("reset_method", -EBUSY, "acpi", "auto");
	REFUSED("bridge", -EBUSY, "0", "1");
	REFUSED("sva", -EBUSY, "1");
	REFUSED("iommu", -EBUSY, "0", "1");
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_EQ(0, sim_set(NAME, "queues", "128"));
}

TEST_F(item, a_bridge_has_a_bus_of_its_own)
{
	char address[64], path[128];

	ASSERT_EQ(0, sim_set(NAME, "bridge", "1"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	snprintf(path, sizeof(path), SIM_PCI "/%s/../secondary_bus_number", address);
	EXPECT_TRUE(sim_exists(path));
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
}

TEST_F(item, the_pace_can_change_while_live)
{
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	EXPECT_EQ(0, sim_set(NAME, "latency_ns", "1000"));
	EXPECT_EQ(0, sim_set(NAME, "bandwidth_mbps", "8000"));
	EXPECT_TRUE(sim_is(NAME, "latency_ns", "1000"));
	EXPECT_TRUE(sim_is(NAME, "bandwidth_mbps", "8000"));
}

TEST_F(item, a_live_directory_cannot_be_removed)
{
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	EXPECT_EQ(-EBUSY, sim_rmdir(NAME));
	EXPECT_TRUE(sim_is(NAME, "live", "1"));
}

TEST_F(item, a_name_in_use_is_refused)
{
	EXPECT_EQ(-EEXIST, sim_mkdir(NAME));
}

TEST_F(item, the_node_is_the_device_node)
{
	char address[64], path[160], buf[64];

	if (!sim_exists("/sys/devices/system/node/node0"))
		SKIP(return, "the kernel has no NUMA");
	ASSERT_EQ(0, sim_set(NAME, "node", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	snprintf(path, sizeof(path), SIM_PCI "/%s/numa_node", address);
	ASSERT_LT(0, text_read(path, buf, sizeof(buf)));
	EXPECT_STREQ("0", buf);
}

static const char *const kinds[] = {
	"fail", "delay", "reorder", "drop", "duplicate", "corrupt", "stuck", "mailbox", "error", "remove", "page_fault",
};

TEST_F(item, has_no_faults_at_first)
{
	char path[64];

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "faults/%s", kinds[i]);
		EXPECT_TRUE(sim_is(NAME, path, "0")) TH_LOG("%s", path);
		EXPECT_EQ(0, sim_set(NAME, path, "0\n"));
	}
	EXPECT_TRUE(sim_is(NAME, "faults/seed", "0"));
	EXPECT_TRUE(sim_is(NAME, "faults/counts",
			   "fail 0\ndelay 0\nreorder 0\ndrop 0\nduplicate 0\ncorrupt 0\n"
			   "stuck 0\nmailbox 0\nerror 0\nremove 0\npage-fault 0"));
}

static int written_back(const char *path, const char *text)
{
	return !sim_set(NAME, path, text) && sim_is(NAME, path, text) && !sim_set(NAME, path, text);
}

TEST_F(item, faults_that_are_printed_can_be_written_back)
{
	for (int live = 0; live < 2; live++) {
		EXPECT_TRUE(written_back("faults/fail", "3:0x8@7,1/100:0x8@7"));
		EXPECT_TRUE(written_back("faults/delay", "1/7:2000000ns"));
		EXPECT_TRUE(written_back("faults/drop", "5/40@3"));
		EXPECT_TRUE(written_back("faults/corrupt", "1,2/5000000ns"));
		EXPECT_TRUE(written_back("faults/reorder", "1/3600000000000ns:7ns"));
		EXPECT_TRUE(written_back("faults/stuck", "1@63"));
		EXPECT_TRUE(written_back("faults/error", "2@5,1/200000000ns@5"));
		EXPECT_TRUE(written_back("faults/remove", "1"));
		EXPECT_TRUE(written_back("faults/remove", "2@7,3/40@7"));
		EXPECT_TRUE(written_back("faults/remove", "1/9"));
		EXPECT_TRUE(written_back("faults/page_fault", "1:10000000000ns"));
		EXPECT_TRUE(written_back("faults/seed", "18446744073709551615"));
		EXPECT_EQ(0, sim_set(NAME, "live", live ? "0" : "1"));
	}
	/* The fault rules stay when the device goes. */
	EXPECT_TRUE(sim_is(NAME, "faults/stuck", "1@63"));
}

TEST_F(item, bad_faults_are_refused)
{
	for (int live = 0; live < 2; live++) {
		REFUSED("faults/fail", -EINVAL, "x", "\n", "-1", "1:0x13", "1:256", "1@64", "1,", ",1",
			"1 1", "1000000001", "1/0", "1:0x8@1,1/10:0x9@1", "1:0x8@1,1/10:0x8@2", "0/3", "1/0s", "1/5h",
			"1/3601s", "1/9,1/9ms");
		REFUSED("faults/delay", -EINVAL, "1", "1:11s", "1:5", "1:2h", "1:0ns");
		REFUSED("faults/drop", -EINVAL, "1:1us", "1@1024");
		REFUSED("faults/mailbox", -EINVAL, "1@0");
		REFUSED("faults/page_fault", -EINVAL, "1:1us@0", "1/5ms", "2/5ms:11s");
		REFUSED("faults/seed", -EINVAL, "x", "-1");
		REFUSED("faults/seed", -ERANGE, "18446744073709551616");
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/error", "qm"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/error", "zip 1"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/error", "qm 1 1"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/error", "qm 4294967298"));
		REFUSED("faults/error", -EINVAL, "1:2", "1/0", "1@64");
		REFUSED("faults/remove", -EINVAL, "x", "no", "now 1", "1,now", "1:1ms", "1@64");
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/gone", "0"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/overflow", "x"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/bind", "2"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/bind", "x"));
		EXPECT_EQ(live ? 0 : -ENODEV, sim_set(NAME, "faults/bind", "1"));
		EXPECT_TRUE(sim_is(NAME, "faults/bind", live ? "1" : "0"));
		EXPECT_EQ(0, sim_set(NAME, "faults/bind", "0"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/reset", "2"));
		EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/reset", "x"));
		EXPECT_EQ(live ? 0 : -ENODEV, sim_set(NAME, "faults/reset", "1"));
		EXPECT_TRUE(sim_is(NAME, "faults/reset", live ? "1" : "0"));
		EXPECT_EQ(0, sim_set(NAME, "faults/reset", "0"));
		EXPECT_EQ(live ? -EINVAL : -ENODEV, sim_set(NAME, "faults/error", "qm 31"));
		EXPECT_EQ(0, sim_set(NAME, "live", live ? "0" : "1"));
	}
	EXPECT_EQ(-ENODEV, sim_set(NAME, "faults/remove", "now"));
	EXPECT_EQ(-ENODEV, sim_set(NAME, "faults/gone", "1"));
	EXPECT_EQ(-ENODEV, sim_set(NAME, "faults/overflow", "1"));
}

static int config_write(const char *address, off_t at, uint16_t value)
{
	char path[160];
	int fd, ret;

	snprintf(path, sizeof(path), SIM_PCI "/%s/config", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = pwrite(fd, &value, sizeof(value), at) == sizeof(value) ? 0 : -EIO;
	close(fd);
	return ret;
}

TEST_F(item, an_error_is_refused_while_no_driver_has_the_device)
{
	char address[64], path[160];

	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	snprintf(path, sizeof(path), SIM_PCI "/%s/driver/unbind", address);
	if (sim_exists(path))
		ASSERT_EQ(0, text_write(path, address));
	/* As before the first driver: memory decoding of an unbound device stays on. */
	ASSERT_EQ(0, config_write(address, PCI_COMMAND, 0));
	EXPECT_EQ(-ENODEV, sim_set(NAME, "faults/error", "qm 2"));
	ASSERT_EQ(0, config_write(address, PCI_COMMAND, htole16(PCI_COMMAND_MEMORY)));
	EXPECT_EQ(0, sim_set(NAME, "faults/error", "qm 2"));
}

/* A line that only this call has written: other processes write to the log, too. */
static int log_mark(char *mark, size_t size)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(mark, size, "test_configfs %d %lld.%09ld", getpid(), (long long)now.tv_sec, now.tv_nsec);
	return text_write("/dev/kmsg", mark);
}

static int logged_since(const char *mark, const char *text)
{
	char *log = calloc(1, LOG_BYTES), *at = NULL;
	int found;

	if (log && klogctl(LOG_READ_ALL, log, LOG_BYTES - 1) > 0)
		at = strstr(log, mark);
	found = at && strstr(at, text);
	free(log);
	return found;
}

TEST_F(item, the_log_says_what_is_wrong_with_a_fault)
{
	char mark[64];

	ASSERT_EQ(0, log_mark(mark, sizeof(mark)));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/delay", "1:5"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME "/faults/delay: \"1:5\": expected a time"));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/fail", "1:0x13"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME "/faults/fail: status 0x13: expected one that means failure"));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "faults/drop", "1@64"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME "/faults/drop: queue 64: expected 0 to 63"));
}

TEST_F(item, a_fault_that_the_shape_cannot_have_keeps_it_from_going_live)
{
	ASSERT_EQ(0, sim_set(NAME, "faults/stuck", "1@63"));
	ASSERT_EQ(0, sim_set(NAME, "queues", "63"));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(sim_is(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "queues", "64"));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
}

TEST_F(item, each_function_needs_a_queue)
{
	char mark[64];

	ASSERT_EQ(0, log_mark(mark, sizeof(mark)));
	ASSERT_EQ(0, sim_set(NAME, "vfs", "63"));
	ASSERT_EQ(0, sim_set(NAME, "queues", "63"));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME ": 63 queues are too few for 64 functions"));
	ASSERT_EQ(0, sim_set(NAME, "queues", "64"));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
}

TEST_F(item, a_function_has_no_more_queues_than_the_device)
{
	char mark[64];

	ASSERT_EQ(0, log_mark(mark, sizeof(mark)));
	ASSERT_EQ(0, sim_set(NAME, "function_queues", "65"));
	EXPECT_EQ(-EINVAL, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME ": function_queues 65 is more than the device's 64 queues"));
	ASSERT_EQ(0, sim_set(NAME, "function_queues", "64"));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
}

/* 63 BARs of 64 MiB. */
TEST_F(item, virtual_functions_that_need_more_than_the_aperture_are_refused)
{
	char mark[64];

	ASSERT_EQ(0, log_mark(mark, sizeof(mark)));
	ASSERT_EQ(0, sim_set(NAME, "queues", "1024"));
	ASSERT_EQ(0, sim_set(NAME, "function_queues", "1024"));
	ASSERT_EQ(0, sim_set(NAME, "vfs", "63"));
	EXPECT_EQ(-ENOSPC, sim_set(NAME, "live", "1"));
	EXPECT_TRUE(logged_since(mark, "hisi_sim: " NAME ": the BARs need 4202432 KiB, "
				 "4132800 KiB of them for 63 virtual functions"));
	ASSERT_EQ(0, sim_set(NAME, "function_queues", "0"));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
}

TEST(devices_of_the_parameter_have_faults_too)
{
	if (!sim_exists(SIM_ROOT "/zip0"))
		SKIP(return, "no device of the parameter");
	EXPECT_TRUE(sim_is("zip0", "faults/fail", "0"));
	EXPECT_EQ(0, sim_set("zip0", "faults/fail", "0"));
}

/* 1024 queues need 64 MiB for each device: a few devices fill any aperture that a test machine has. */
TEST(a_full_aperture_is_refused_and_nothing_is_lost)
{
	char name[32];
	int made, ret = 0, again;

	for (made = 0; made < 64 && !ret; made++) {
		snprintf(name, sizeof(name), "big%d", made);
		ASSERT_EQ(0, sim_mkdir(name));
		ASSERT_EQ(0, sim_set(name, "queues", "1024"));
		ret = sim_set(name, "live", "1");
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_TRUE(sim_is(name, "live", "0"));
	EXPECT_TRUE(sim_is(name, "address", ""));
	/* The space that one device gives back is enough for the refused device. */
	if (made > 1) {
		EXPECT_EQ(0, sim_set("big0", "live", "0"));
		again = sim_set(name, "live", "1");
		EXPECT_EQ(0, again);
	}
	while (made--) {
		snprintf(name, sizeof(name), "big%d", made);
		EXPECT_EQ(0, sim_set(name, "live", "0"));
		EXPECT_EQ(0, sim_rmdir(name));
	}
}

TEST_HARNESS_MAIN
