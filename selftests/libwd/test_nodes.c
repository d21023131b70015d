// SPDX-License-Identifier: Apache-2.0
/* NUMA nodes as libnuma finds them: in the emulator's tree, whose device 0 is on node 1 and device 1 on node 0. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wd.h>
#include <wd_request.h>

#include "base/node.h"
#include "device/recent.h"
#include "emulated.h"
#include "kselftest_harness.h"

static int set_node(unsigned int device, const char *node)
{
	int ret = emulated_attribute(device, "zone_id", node);

	if (!ret)
		ret = emulated_attribute(device, "device/numa_node", node);
	/* Makes the next session see the change at once. */
	wd_recent_forget();
	return ret;
}

static int near_and_far(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (!emulated() || sched_setaffinity(0, sizeof(first), &first) || wd_node_of_caller())
		return -ENODEV;
	return set_node(0, "1\n") ? -ENODEV : 0;
}

#define NEED_NODES()	do { if (near_and_far()) SKIP(return, "not two emulated nodes"); } while (0)

static const char *first(void)
{
	static char name[WD_NAME_SIZE];
	struct uacce_dev_list *list = wd_list_accels("zlib");

	strcpy(name, list ? list->info->name : "");
	wd_free_list_accels(list);
	return name;
}

TEST(a_near_device_comes_before_a_far_one)
{
	NEED_NODES();
	EXPECT_STREQ("hisi_zip-1", first());
	EXPECT_EQ(0, set_node(0, "-1\n"));
	EXPECT_STREQ("hisi_zip-0", first());
	/* A node that this system doesn't have. */
	EXPECT_EQ(0, set_node(0, "900\n"));
	EXPECT_STREQ("hisi_zip-0", first());
	EXPECT_EQ(0, set_node(0, "1\n"));
}

TEST(distances_are_the_systems)
{
	NEED_NODES();
	EXPECT_EQ(10, wd_node_distance(0, 0));
	EXPECT_EQ(20, wd_node_distance(0, 1));
	EXPECT_EQ(20, wd_node_distance(1, 0));
	EXPECT_EQ(10, wd_node_distance(0, -1));
	EXPECT_EQ(10, wd_node_distance(-1, 1));
	EXPECT_EQ(10, wd_node_distance(0, 2));
	EXPECT_EQ(10, wd_node_distance(1, 100000));
}

TEST(cpus_of_a_node_are_those_that_the_thread_may_use)
{
	cpu_set_t cpus;

	NEED_NODES();
	ASSERT_EQ(0, wd_node_cpus(1, &cpus));
	EXPECT_EQ(1, CPU_COUNT(&cpus));
	EXPECT_TRUE(CPU_ISSET(0, &cpus));
	EXPECT_EQ(-ENOENT, wd_node_cpus(2, &cpus));
	EXPECT_EQ(-ENOENT, wd_node_cpus(-1, &cpus));
	EXPECT_EQ(-ENOENT, wd_node_cpus(100000, &cpus));
}

/* The number of the library's threads with names that begin with the prefix. */
static int threads_named(const char *prefix)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f))
			n += !strncmp(name, prefix, strlen(prefix));
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return n;
}

TEST(each_node_gets_a_poll_thread)
{
	NEED_NODES();
	ASSERT_EQ(0, wd_start_pollers(NULL));
	EXPECT_EQ(1, threads_named("wd-poll/0.0"));
	EXPECT_EQ(1, threads_named("wd-poll/1.0"));
	EXPECT_EQ(2, threads_named("wd-poll/"));
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_EQ(-EINVAL, wd_start_pollers("1@2"));
}

/* libnuma uses this system call to find out whether there is NUMA. */
static int forbid_get_mempolicy(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

TEST(without_NUMA_all_nodes_are_near_and_threads_are_not_bound)
{
	cpu_set_t cpus;

	NEED_NODES();
	if (forbid_get_mempolicy())
		SKIP(return, "no system call filters here");
	EXPECT_EQ(10, wd_node_distance(0, 1));
	EXPECT_EQ(-ENOENT, wd_node_cpus(0, &cpus));
	EXPECT_EQ(-EINVAL, wd_start_pollers("1@0"));
	ASSERT_EQ(0, wd_start_pollers(NULL));
	EXPECT_EQ(1, threads_named("wd-poll/any.0"));
	EXPECT_EQ(1, threads_named("wd-poll/"));
	EXPECT_EQ(0, wd_stop_pollers());
}

TEST_HARNESS_MAIN
