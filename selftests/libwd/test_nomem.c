// SPDX-License-Identifier: Apache-2.0
/*
 * Each allocation of libwd's base fails once: an error, nothing changed, nothing leaked (the address sanitizer checks).
 */
#include <stdio.h>
#include <sys/stat.h>
#include "failing_alloc.h"
#include "../../user/libwd/device/device.c"
#include "../../user/libwd/device/facts.c"
#include "../../user/libwd/base/mask.c"
#include "../../user/libwd/base/ctxset.c"
#include "../../user/libwd/base/file_id.c"
#include "../../user/libwd/base/folders.c"
#include "../../user/libwd/base/sandbox.c"
#include "../../user/libwd/base/sysfs.c"
#include "kselftest_harness.h"

static char top[64];

static void put(const char *dev, const char *attr, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/class/uacce/%s/%s", top, dev, attr);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void make_tree(void)
{
	static const char *const dirs[] = {
		"sys", "sys/class", "sys/class/uacce", "sys/class/uacce/hisi_zip-0", "sys/class/uacce/hisi_zip-1"
	};
	char path[256];
	size_t i;

	strcpy(top, "/tmp/wd-nomem-XXXXXX");
	if (!mkdtemp(top))
		abort();
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", top, dirs[i]);
		mkdir(path, 0755);
	}
	for (i = 0; i < 2; i++) {
		put(i ? "hisi_zip-1" : "hisi_zip-0", "api", "hisi_qm_v3\n");
		put(i ? "hisi_zip-1" : "hisi_zip-0", "algorithms", "zlib\ngzip\n");
	}
	wd_device_set_root(top);
}

static void remove_tree(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	if (system(cmd))
		abort();
}

TEST(device_lists)
{
	struct uacce_dev_list *list;

	make_tree();
	SWEEP((list = wd_list_accels("zlib")) != NULL, wd_free_list_accels(list));
	SWEEP((list = wd_list_accels(NULL)) != NULL, wd_free_list_accels(list));
	remove_tree();
}

TEST(device_names)
{
	char *name;

	SWEEP((name = wd_get_accel_name("/dev/hisi_zip-0", 1)) != NULL, free(name));
}

TEST(masks)
{
	struct uacce_dev_info one = { .node_id = 3 }, two = { .node_id = 1000 };
	struct uacce_dev_list second = { .info = &two }, first = { .info = &one, .next = &second };
	wd_dev_mask_t *mask;

	SWEEP((mask = wd_dev_mask_alloc()) != NULL, wd_dev_mask_free(mask));
	SWEEP((mask = wd_dev_mask_from_list(&first)) != NULL, wd_dev_mask_free(mask));
}

TEST(a_mask_that_can_not_grow_stays_as_it_is)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	ASSERT_EQ(0, wd_dev_mask_set(mask, 1));
	fail_after = 0;
	EXPECT_EQ(-ENOMEM, wd_dev_mask_set(mask, 5000));
	EXPECT_EQ(1, wd_dev_mask_test(mask, 1));
	EXPECT_EQ(0, wd_dev_mask_test(mask, 5000));
	wd_dev_mask_free(mask);
}

TEST(a_set_that_can_not_grow_stays_as_it_is)
{
	wd_ctx_set_t *set, *more = wd_ctx_set_alloc();

	SWEEP((set = wd_ctx_set_alloc()) != NULL, wd_ctx_set_free(set));
	set = wd_ctx_set_alloc();
	ASSERT_EQ(0, wd_ctx_set_set(set, 1));
	ASSERT_EQ(0, wd_ctx_set_set(more, 5000));
	fail_after = 0;
	EXPECT_EQ(-ENOMEM, wd_ctx_set_set(set, 5000));
	fail_after = 0;
	EXPECT_EQ(-ENOMEM, wd_ctx_set_or(set, more));
	EXPECT_EQ(1, wd_ctx_set_test(set, 1));
	EXPECT_EQ(0, wd_ctx_set_test(set, 5000));
	wd_ctx_set_free(set);
	wd_ctx_set_free(more);
}

TEST_HARNESS_MAIN
