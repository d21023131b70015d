// SPDX-License-Identifier: Apache-2.0
/* sections/: what each file takes and refuses, and how a section goes live and down. */
#include "kselftest_harness.h"
#include "uacce_tree.h"

#define S	"test-section"

FIXTURE(section) {
	long total;
};

FIXTURE_SETUP(section)
{
	self->total = dev_num(DEV0, "total_ctxs");
	ASSERT_EQ(0, sec_mkdir(S)) TH_LOG("no sections in configfs");
}

FIXTURE_TEARDOWN(section)
{
	EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, dev_num(DEV1, "reserved_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

/* Writes each text; all must fail with @err and leave what was there. */
static bool all_refused(const char *attr, int err, const char *const *texts)
{
	char before[4096];

	if (tree_read(sec_path(S, attr), before, sizeof(before)))
		return false;
	for (; *texts; texts++) {
		int ret = sec_set(S, attr, *texts);

		if (ret != err || !sec_is(S, attr, before)) {
			printf("# %s: \"%s\": %d\n", attr, *texts, ret);
			return false;
		}
	}
	return true;
}

#define REFUSED(attr, err, ...) \
	EXPECT_TRUE(all_refused(attr, err, (const char *const[]){ __VA_ARGS__, NULL }))

TEST_F(section, begins_configured_with_one_slot_of_one_and_one)
{
	EXPECT_TRUE(sec_is(S, "num_processes", "1"));
	EXPECT_TRUE(sec_is(S, "limit_dev_access", "0"));
	EXPECT_TRUE(sec_is(S, "sync_ctxs", "1"));
	EXPECT_TRUE(sec_is(S, "async_ctxs", "1"));
	EXPECT_TRUE(sec_is(S, "nodes", ""));
	EXPECT_TRUE(sec_is(S, "devices", ""));
	EXPECT_TRUE(sec_is(S, "queue_priority", "0"));
	EXPECT_TRUE(sec_is(S, "max_extra_ctxs", "0"));
	EXPECT_TRUE(sec_is(S, "bandwidth", "0"));
	EXPECT_TRUE(sec_is(S, "max_pinned", "0"));
	EXPECT_TRUE(sec_is(S, "allowed_uids", ""));
	EXPECT_TRUE(sec_is(S, "allowed_gids", ""));
	EXPECT_TRUE(sec_is(S, "live", "0"));
	EXPECT_TRUE(sec_is(S, "status", "configured"));
}

TEST_F(section, keeps_what_is_written)
{
	static const char *const values[][2] = {
		{ "num_processes", "65535" }, { "limit_dev_access", "1" }, { "sync_ctxs", "1024" },
		{ "async_ctxs", "0" }, { "nodes", "0=2+2 1=1+0" }, { "devices", "hisi_zip-0 0000:75:00.0" },
		{ "queue_priority", "7" }, { "max_extra_ctxs", "3" }, { "bandwidth", "1000" }, { "max_pinned", "128" },
		{ "allowed_uids", "0,1000-1999" }, { "allowed_gids", "*" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		EXPECT_EQ(0, sec_set(S, values[i][0], values[i][1]));
		EXPECT_TRUE(sec_is(S, values[i][0], values[i][1]));
	}
	EXPECT_EQ(0, sec_set(S, "nodes", "\n"));
	EXPECT_EQ(0, sec_set(S, "devices", "\n"));
	EXPECT_EQ(0, sec_set(S, "allowed_uids", "\n"));
	EXPECT_TRUE(sec_is(S, "nodes", ""));
	EXPECT_TRUE(sec_is(S, "devices", ""));
	EXPECT_TRUE(sec_is(S, "allowed_uids", ""));
}

TEST_F(section, refuses_what_is_no_number)
{
	static const char *const attrs[] = {
		"num_processes", "limit_dev_access", "sync_ctxs", "async_ctxs", "queue_priority", "max_extra_ctxs",
		"bandwidth", "max_pinned",
	};
	unsigned int i;

	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		REFUSED(attrs[i], -EINVAL, "\n", "x", "01", "+1", "-1", " 1", "1 ", "1x", "0x1", "1\n\n", "1.0");
		REFUSED(attrs[i], -ERANGE, "4294967296", "9999999999");
	}
	REFUSED("num_processes", -ERANGE, "0", "65536");
	REFUSED("limit_dev_access", -ERANGE, "2");
	REFUSED("sync_ctxs", -ERANGE, "1025");
	REFUSED("async_ctxs", -ERANGE, "1025");
	REFUSED("queue_priority", -ERANGE, "8");
	REFUSED("bandwidth", -ERANGE, "1001");
	REFUSED("max_pinned", -ERANGE, "1048577");
	REFUSED("live", -EINVAL, "\n", "2", "yes", "revoked", "1 1");
}

TEST_F(section, refuses_bad_lists)
{
	EXPECT_EQ(0, sec_set(S, "nodes", "0=1+1"));
	REFUSED("nodes", -EINVAL, "0", "0=1", "0=1+", "=1+1", "0=1+1 0=2+2", "0=1+1,1=1+1", "-1=1+1", "0=1 + 1");
	REFUSED("nodes", -ERANGE, "0=1025+0", "99999=1+1");
	REFUSED("devices", -EINVAL, "a/b", "a a", "a\x7f");
	REFUSED("allowed_uids", -EINVAL, "a", "1,", ",1", "2-1", "1-", "1 2", "**", "1,*");
	REFUSED("allowed_gids", -ERANGE, "4294967295", "0-4294967295");
}

TEST_F(section, refuses_values_that_are_too_long)
{
	char *text = malloc(5001);

	memset(text, '1', 5000);
	text[5000] = 0;
	text[4001] = 0;
	EXPECT_EQ(-E2BIG, sec_set(S, "devices", text));
	EXPECT_EQ(-E2BIG, sec_set(S, "nodes", text));
	EXPECT_EQ(-E2BIG, sec_set(S, "allowed_uids", text));
	EXPECT_EQ(-E2BIG, sec_set(S, "num_processes", text));
	EXPECT_EQ(-E2BIG, sec_set(S, "live", text));
	EXPECT_TRUE(sec_is(S, "devices", ""));
	free(text);
}

TEST_F(section, takes_lists_of_128_and_no_more)
{
	char text[2000];
	int i, n = 0;

	for (i = 0; i < 128; i++)
		n += sprintf(text + n, "%s%d", i ? "," : "", i * 2);
	EXPECT_EQ(0, sec_set(S, "allowed_uids", text));
	EXPECT_TRUE(sec_is(S, "allowed_uids", text));
	sprintf(text + n, ",1000");
	EXPECT_EQ(-E2BIG, sec_set(S, "allowed_uids", text));
}

TEST_F(section, refuses_bad_names)
{
	char name[201];

	EXPECT_EQ(-EINVAL, sec_mkdir("a.b"));
	EXPECT_EQ(-EINVAL, sec_mkdir("a b"));
	EXPECT_EQ(-EINVAL, sec_mkdir("\xc3\xa4"));
	EXPECT_EQ(-EEXIST, sec_mkdir(S));
	memset(name, 'x', sizeof(name));
	name[200] = 0;
	EXPECT_EQ(-ENAMETOOLONG, sec_mkdir(name));
	name[32] = 0;
	EXPECT_EQ(-ENAMETOOLONG, sec_mkdir(name));
	name[31] = 0;
	EXPECT_EQ(0, sec_mkdir(name));
	EXPECT_EQ(0, sec_rmdir(name));
}

TEST_F(section, reserves_everywhere_when_it_goes_live)
{
	EXPECT_EQ(0, sec_set(S, "num_processes", "3"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
	EXPECT_EQ(6, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(6, dev_num(DEV1, "reserved_ctxs"));
	EXPECT_EQ(self->total - 6, dev_num(DEV0, "free_ctxs"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(6, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_TRUE(sec_is(S, "status", "configured"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(self->total, dev_num(DEV0, "free_ctxs"));
}

TEST_F(section, reserves_nothing_when_one_device_is_too_small)
{
	char text[32];

	EXPECT_EQ(0, sec_make("other", DEV1, 1, 1, 0));
	snprintf(text, sizeof(text), "%ld", self->total);
	EXPECT_EQ(0, sec_set(S, "num_processes", text));
	EXPECT_EQ(0, sec_set(S, "async_ctxs", "0"));
	EXPECT_EQ(-ENOSPC, sec_set(S, "live", "1"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(1, dev_num(DEV1, "reserved_ctxs"));
	snprintf(text, sizeof(text), "%ld", self->total);
	EXPECT_TRUE(sec_state(S, "configured"));
	EXPECT_TRUE(sec_is(S, "live", "0"));
	EXPECT_EQ(0, sec_end("other"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
}

TEST_F(section, says_why_it_was_refused)
{
	char status[512], text[200];

	snprintf(text, sizeof(text), "%ld", self->total + 1);
	EXPECT_EQ(0, sec_set(S, "num_processes", text));
	EXPECT_EQ(0, sec_set(S, "devices", DEV0));
	EXPECT_EQ(0, sec_set(S, "async_ctxs", "0"));
	EXPECT_EQ(-ENOSPC, sec_set(S, "live", "1"));
	ASSERT_EQ(0, tree_read(sec_path(S, "status"), status, sizeof(status)));
	snprintf(text, sizeof(text), "configured\n" DEV0 ": %ld contexts are needed, %ld are free", self->total + 1,
		 self->total);
	EXPECT_STREQ(text, status);
	EXPECT_EQ(0, sec_set(S, "num_processes", "1"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
}

TEST_F(section, forgets_why_it_was_refused_at_the_next_write)
{
	EXPECT_EQ(-EINVAL, sec_set(S, "live", "maybe"));
	EXPECT_TRUE(sec_is(S, "status", "configured\nlive takes 1, 0 or revoke"));
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_TRUE(sec_is(S, "status", "configured"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(-ENOSPC, sec_set(S, "num_processes", "60000"));
	EXPECT_FALSE(sec_is(S, "status", "live"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "2"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
	EXPECT_EQ(-ENOSPC, sec_set(S, "num_processes", "60000"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
}

TEST_F(section, needs_some_context_in_its_slots)
{
	EXPECT_EQ(0, sec_set(S, "sync_ctxs", "0"));
	EXPECT_EQ(0, sec_set(S, "async_ctxs", "0"));
	EXPECT_EQ(-EINVAL, sec_set(S, "live", "1"));
	/* the last node that the kernels of all architectures know, and one without devices */
	EXPECT_EQ(0, sec_set(S, "nodes", "15=1+1"));
	EXPECT_EQ(-EINVAL, sec_set(S, "live", "1"));
}

TEST_F(section, refuses_a_device_by_both_its_names)
{
	char link[256], text[300];
	ssize_t n = readlink("/sys/class/uacce/" DEV0 "/device", link, sizeof(link) - 1);

	ASSERT_LT(0, n);
	link[n] = 0;
	snprintf(text, sizeof(text), DEV0 " %s", strrchr(link, '/') + 1);
	EXPECT_EQ(0, sec_set(S, "devices", text));
	EXPECT_EQ(-EINVAL, sec_set(S, "live", "1"));
	EXPECT_EQ(0, sec_set(S, "devices", strrchr(link, '/') + 1));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(2, dev_num(DEV0, "reserved_ctxs"));
}

TEST_F(section, keeps_its_shape_while_it_is_live)
{
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	REFUSED("limit_dev_access", -EBUSY, "1");
	REFUSED("sync_ctxs", -EBUSY, "2");
	REFUSED("async_ctxs", -EBUSY, "2");
	REFUSED("nodes", -EBUSY, "0=1+1");
	REFUSED("devices", -EBUSY, DEV1);
	EXPECT_EQ(0, sec_set(S, "max_extra_ctxs", "1"));
	EXPECT_EQ(0, sec_set(S, "queue_priority", "5"));
	EXPECT_EQ(0, sec_set(S, "allowed_uids", "*"));
	EXPECT_EQ(0, sec_set(S, "allowed_gids", "0"));
}

TEST_F(section, is_not_removed_while_it_is_live)
{
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(-EBUSY, sec_rmdir(S));
	EXPECT_TRUE(sec_is(S, "status", "live"));
}

TEST_F(section, grows_and_shrinks_while_it_is_live)
{
	char text[32];

	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "4"));
	EXPECT_EQ(8, dev_num(DEV0, "reserved_ctxs"));
	snprintf(text, sizeof(text), "%ld", self->total);
	EXPECT_EQ(-ENOSPC, sec_set(S, "num_processes", text));
	EXPECT_TRUE(sec_is(S, "num_processes", "4"));
	EXPECT_EQ(8, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "2"));
	EXPECT_EQ(4, dev_num(DEV1, "reserved_ctxs"));
}

TEST_F(section, claims_a_device_that_is_absent)
{
	EXPECT_EQ(0, sec_set(S, "devices", DEV0 " hisi_zip-77"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_TRUE(sec_is(S, "status", "live"));
	EXPECT_EQ(2, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, dev_num(DEV1, "reserved_ctxs"));
}

TEST_F(section, counts_by_node)
{
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "0"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "1"));
	EXPECT_EQ(0, sec_set(S, "nodes", "1=3+1"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "2"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(8, dev_num(DEV1, "reserved_ctxs"));
	EXPECT_EQ(-EBUSY, dev_set(DEV1, "zone_id", "0"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "1"));
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "-1"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "-1"));
}

TEST_F(section, of_65535_slots_costs_little_and_goes_live)
{
	EXPECT_EQ(0, sec_set(S, "devices", "hisi_zip-77"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "65535"));
	EXPECT_EQ(0, sec_set(S, "sync_ctxs", "1024"));
	EXPECT_EQ(0, sec_set(S, "live", "1"));
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_EQ(0, sec_set(S, "devices", DEV0));
	EXPECT_EQ(-ENOSPC, sec_set(S, "live", "1"));
}

TEST(nobody_makes_or_removes_devices)
{
	EXPECT_EQ(-1, mkdir(TREE "/devices/mine", 0755));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(-1, rmdir(TREE "/devices/" DEV0));
	EXPECT_EQ(EPERM, errno);
}

TEST_HARNESS_MAIN
