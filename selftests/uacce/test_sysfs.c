// SPDX-License-Identifier: Apache-2.0
/* Attributes of a device: their values, and what may be written. */
#include <sys/stat.h>
#include "kselftest_harness.h"
#include "zip_queue.h"

static const char *const algorithms[] = { "zlib", "gzip", "deflate", "lz77_zstd", "lz77_only", "lz4" };

#define EXPECT_ATTR(attr, value) do {						\
	char __buf[256];							\
	ASSERT_GE(uacce_attr(self->name, attr, __buf, sizeof(__buf)), 0)	\
		TH_LOG("%s", attr);						\
	EXPECT_STREQ(value, __buf) TH_LOG("%s", attr);				\
} while (0)

TEST_F(zip, identity)
{
	EXPECT_ATTR("api", "hisi_qm_v3");
	EXPECT_ATTR("flags", "1");
	EXPECT_ATTR("algorithms", "zlib\ngzip\ndeflate\nlz77_zstd\nlz77_only\nlz4");
	EXPECT_ATTR("priority", "0");
}

TEST_F(zip, simulated_device_says_so)
{
	EXPECT_ATTR("simulated", "1");
	EXPECT_ATTR("iommu", "sva-sim");
}

TEST_F(zip, zone_is_the_parent_node)
{
	char node[32];

	ASSERT_GT(uacce_attr(self->name, "device/numa_node", node, sizeof(node)), 0);
	EXPECT_ATTR("zone_id", node);
}

TEST_F(zip, region_sizes_are_pages)
{
	long dus = test_attr_num(self->name, "region_dus_size");
	long mmio = test_attr_num(self->name, "region_mmio_size");

	EXPECT_GT(dus, 0);
	EXPECT_EQ(0, dus % self->page);
	EXPECT_GT(mmio, 0);
	EXPECT_EQ(0, mmio % self->page);
}

TEST_F(zip, attributes_end_with_one_newline)
{
	const char *const attrs[] = {
		"api", "flags", "available_instances", "algorithms", "region_mmio_size",
		"region_dus_size", "simulated", "zone_id", "priority", "iommu",
	};

	for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		char path[256], buf[256];
		FILE *f;
		size_t n;

		snprintf(path, sizeof(path), UACCE_CLASS "/%s/%s", self->name, attrs[i]);
		f = fopen(path, "r");
		ASSERT_NE(NULL, f) TH_LOG("%s", attrs[i]);
		n = fread(buf, 1, sizeof(buf), f);
		fclose(f);
		ASSERT_GT(n, 1);
		EXPECT_EQ('\n', buf[n - 1]);
		EXPECT_NE('\n', buf[n - 2]);
	}
}

TEST_F(zip, facts_are_read_only)
{
	const char *const attrs[] = {
		"api", "flags", "available_instances", "algorithms", "region_mmio_size",
		"region_dus_size", "simulated", "zone_id", "priority", "iommu",
		"hisi_zip-zlib/latency", "hisi_zip-zlib/flags",
	};

	for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		char path[256];
		struct stat st;

		snprintf(path, sizeof(path), UACCE_CLASS "/%s/%s", self->name, attrs[i]);
		ASSERT_EQ(0, stat(path, &st)) TH_LOG("%s", attrs[i]);
		EXPECT_EQ(0444, st.st_mode & 07777) TH_LOG("%s", attrs[i]);
		EXPECT_LT(uacce_attr_write(self->name, attrs[i], "1"), 0);
	}
}

TEST_F(zip, each_algorithm_has_its_group)
{
	char attr[128], avail[32];

	ASSERT_GT(uacce_attr(self->name, "available_instances", avail, sizeof(avail)), 0);
	for (unsigned int i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
#define IN_GROUP(file) (snprintf(attr, sizeof(attr), "hisi_zip-%s/" file, algorithms[i]), attr)
		EXPECT_ATTR(IN_GROUP("wd_type"), "compression");
		EXPECT_ATTR(IN_GROUP("name"), algorithms[i]);
		EXPECT_ATTR(IN_GROUP("latency"), "10");
		EXPECT_ATTR(IN_GROUP("throughput"), "10");
		/* A block of LZ4 has no state that another could continue from. */
		EXPECT_ATTR(IN_GROUP("flags"), strcmp(algorithms[i], "lz4") ? "0x00000103" : "0x00000003");
		EXPECT_ATTR(IN_GROUP("available_instances"), avail);
		EXPECT_ATTR(IN_GROUP("device_api"), "hisi_qm_v3");
	}
}

TEST_F(zip, isolation_strategy_takes_numbers_in_range)
{
	char before[32], back[sizeof(before) + 1];

	if (uacce_attr(self->name, "isolate", before, sizeof(before)) == -ENOENT)
		SKIP(return, "the driver has no isolation");
	EXPECT_STREQ("0", before);
	ASSERT_GT(uacce_attr(self->name, "isolate_strategy", before, sizeof(before)), 0);
	EXPECT_EQ(-EINVAL, uacce_attr_write(self->name, "isolate_strategy", "65536"));
	EXPECT_EQ(-EINVAL, uacce_attr_write(self->name, "isolate_strategy", "-1"));
	EXPECT_EQ(-EINVAL, uacce_attr_write(self->name, "isolate_strategy", "many"));
	EXPECT_EQ(-EINVAL, uacce_attr_write(self->name, "isolate_strategy", "\n"));
	EXPECT_ATTR("isolate_strategy", before);
	EXPECT_EQ(0, uacce_attr_write(self->name, "isolate_strategy", "0x10\n"));
	EXPECT_ATTR("isolate_strategy", "16");
	snprintf(back, sizeof(back), "%s\n", before);
	EXPECT_EQ(0, uacce_attr_write(self->name, "isolate_strategy", back));
}

TEST_HARNESS_MAIN
