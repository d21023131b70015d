// SPDX-License-Identifier: Apache-2.0
/* Enumeration, order and names, in a fake /sys and /dev. */
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device/recent.h"
#include "kselftest_harness.h"

#define CLASS	"/sys/class/uacce"

static char top[64];

static void make_dirs(const char *path)
{
	char part[PATH_MAX];
	char *p;

	snprintf(part, sizeof(part), "%s%s", top, path);
	for (p = part + strlen(top) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(part, 0755);
		*p = '/';
	}
	mkdir(part, 0755);
}

__attribute__((format(printf, 2, 3)))
static void put(const char *path, const char *fmt, ...)
{
	char name[PATH_MAX];
	va_list ap;
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", top, path);
	*strrchr(name + strlen(top), '/') = '\0';
	make_dirs(name + strlen(top));
	snprintf(name, sizeof(name), "%s%s", top, path);
	f = fopen(name, "w");
	if (!f)
		abort();
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fclose(f);
}

/* Returns when changes get a later time than all earlier ones: a file system's clock may not advance during a sleep. */
static void next_tick(void)
{
	struct stat before, now;

	if (chmod(top, 0700) || stat(top, &before))
		abort();
	do {
		usleep(1000);
		if (chmod(top, 0700) || stat(top, &now))
			abort();
	} while (now.st_ctim.tv_sec == before.st_ctim.tv_sec && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

static void attr(const char *dev, const char *name, const char *value)
{
	char path[512];

	snprintf(path, sizeof(path), CLASS "/%s/%s", dev, name);
	put(path, "%s", value);
}

/* The attributes that a mainline kernel has. */
static void add_device(const char *dev, const char *algs)
{
	attr(dev, "api", "hisi_qm_v3");
	attr(dev, "flags", "1");
	attr(dev, "algorithms", algs);
	attr(dev, "available_instances", "64");
	attr(dev, "region_mmio_size", "65536");
	attr(dev, "region_dus_size", "151552");
	attr(dev, "device/numa_node", "-1");
}

/* The list's names in order, separated by blanks; "errno N" if there is no list. */
static const char *names(const char *alg)
{
	static char text[512];
	struct uacce_dev_list *list = wd_list_accels(alg), *node;

	text[0] = '\0';
	if (!list)
		snprintf(text, sizeof(text), "errno %d", errno);
	for (node = list; node; node = node->next) {
		strcat(text, node->info->name);
		if (node->next)
			strcat(text, " ");
	}
	wd_free_list_accels(list);
	return text;
}

static const char *error_number(int number)
{
	static char text[32];

	snprintf(text, sizeof(text), "errno %d", number);
	return text;
}

FIXTURE(tree) {
	int unused;
};

FIXTURE_SETUP(tree)
{
	strcpy(top, "/tmp/wd-device-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(top));
	make_dirs(CLASS);
	make_dirs("/dev");
	ASSERT_EQ(0, wd_device_set_root(top));
}

FIXTURE_TEARDOWN(tree)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	EXPECT_EQ(0, system(cmd));
}

TEST_F(tree, without_devices_there_is_no_list)
{
	EXPECT_STREQ(error_number(ENODEV), names(NULL));
	EXPECT_STREQ(error_number(ENODEV), names("zlib"));
}

TEST_F(tree, without_the_class_there_is_no_list)
{
	char path[128];

	snprintf(path, sizeof(path), "%s" CLASS, top);
	ASSERT_EQ(0, rmdir(path));
	EXPECT_STREQ(error_number(ENODEV), names(NULL));
}

TEST_F(tree, algorithms_are_compared_line_by_line)
{
	add_device("hisi_hpre-0", "rsa\necdh\nx25519");
	add_device("hisi_hpre-1", "rsa\ndh\necdh");
	EXPECT_STREQ("hisi_hpre-1", names("dh"));
	EXPECT_STREQ("hisi_hpre-0", names("x25519"));
	EXPECT_STREQ(error_number(ENODEV), names("ec"));
	EXPECT_STREQ(error_number(ENODEV), names("ecdhe"));
	EXPECT_STREQ("hisi_hpre-0 hisi_hpre-1", names("rsa"));
}

TEST_F(tree, bad_names_are_refused)
{
	add_device("hisi_zip-0", "zlib\ngzip");
	EXPECT_STREQ(error_number(EINVAL), names(""));
	EXPECT_STREQ(error_number(EINVAL), names("zlib\ngzip"));
}

TEST_F(tree, info_tells_what_sysfs_tells)
{
	struct uacce_dev_list *list;
	struct uacce_dev_info *info;
	char path[256];

	add_device("hisi_zip-12", "zlib\ngzip");
	attr("hisi_zip-12", "zone_id", "1");
	attr("hisi_zip-12", "priority", "-7");
	attr("hisi_zip-12", "simulated", "1");
	list = wd_list_accels("gzip");
	ASSERT_NE(NULL, list);
	info = list->info;
	EXPECT_EQ(NULL, list->next);
	EXPECT_STREQ("hisi_zip-12", info->name);
	EXPECT_STREQ("hisi_qm_v3", info->api);
	EXPECT_STREQ("zlib\ngzip", info->algs);
	EXPECT_EQ(UACCE_DEV_SVA, info->flags);
	EXPECT_EQ(65536, info->qfrs_offs[UACCE_QFRT_MMIO]);
	EXPECT_EQ(151552, info->qfrs_offs[UACCE_QFRT_DUS]);
	EXPECT_EQ(12, info->node_id);
	EXPECT_EQ(1, info->numa_node);
	EXPECT_EQ(-7, info->priority);
	EXPECT_EQ(1, info->simulated);
	EXPECT_EQ(0, info->isolated);
	EXPECT_EQ(64, info->avail);
	snprintf(path, sizeof(path), "%s/dev/hisi_zip-12", top);
	EXPECT_STREQ(path, info->dev_root);
	snprintf(path, sizeof(path), "%s" CLASS "/hisi_zip-12", top);
	EXPECT_STREQ(path, info->alg_path);
	wd_free_list_accels(list);
}

TEST_F(tree, attributes_of_newer_kernels_may_be_missing)
{
	struct uacce_dev_info info;

	attr("hisi_zip-0", "api", "hisi_qm_v2");
	ASSERT_EQ(0, wd_device_read("hisi_zip-0", &info));
	EXPECT_EQ(-1, info.numa_node);
	EXPECT_EQ(0, info.priority);
	EXPECT_EQ(0, info.simulated);
	EXPECT_EQ(0, info.isolated);
	EXPECT_EQ(0, info.avail);
	EXPECT_STREQ("", info.algs);
	EXPECT_EQ(-ENODEV, wd_device_read("hisi_zip-1", &info));
	EXPECT_EQ(-EINVAL, wd_device_read("../hisi_zip-0", &info));
	EXPECT_EQ(-EINVAL, wd_device_read("zip", &info));
}

TEST_F(tree, what_is_not_a_device_is_not_listed)
{
	add_device("hisi_zip-0", "zlib");
	attr("strange", "api", "hisi_qm_v3");
	attr("half-3", "flags", "1");
	EXPECT_STREQ("hisi_zip-0", names(NULL));
}

TEST_F(tree, a_long_list_of_algorithms_is_cut_between_lines)
{
	struct uacce_dev_info info;
	char algs[800] = "";
	int i;

	for (i = 0; i < 60; i++)
		sprintf(algs + strlen(algs), "%salgorithm%02d", i ? "\n" : "", i);
	add_device("hisi_sec2-0", algs);
	ASSERT_EQ(0, wd_device_read("hisi_sec2-0", &info));
	EXPECT_EQ(31 * 12 - 1, strlen(info.algs));
	EXPECT_TRUE(wd_device_has_alg(&info, "algorithm30"));
	EXPECT_FALSE(wd_device_has_alg(&info, "algorithm31"));
}

TEST_F(tree, priority_comes_first)
{
	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	add_device("hisi_zip-2", "zlib");
	attr("hisi_zip-1", "priority", "-100");
	attr("hisi_zip-0", "priority", "99");
	EXPECT_STREQ("hisi_zip-1 hisi_zip-2 hisi_zip-0", names("zlib"));
}

TEST_F(tree, a_disabled_or_isolated_device_is_listed_only_when_all_are)
{
	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	add_device("hisi_zip-2", "zlib");
	add_device("hisi_zip-3", "zlib");
	attr("hisi_zip-0", "priority", "100");
	attr("hisi_zip-1", "priority", "-101");
	attr("hisi_zip-2", "isolate", "1");
	EXPECT_STREQ("hisi_zip-3", names("zlib"));
	EXPECT_STREQ("hisi_zip-3 hisi_zip-1 hisi_zip-2 hisi_zip-0", names(NULL));
	attr("hisi_zip-3", "isolate", "1");
	EXPECT_STREQ(error_number(ENODEV), names("zlib"));
}

TEST_F(tree, more_free_queues_come_before_fewer)
{
	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	attr("hisi_zip-0", "available_instances", "3");
	EXPECT_STREQ("hisi_zip-1 hisi_zip-0", names("zlib"));
}

static const char *first(struct uacce_dev_list *list)
{
	static char name[WD_NAME_SIZE];

	strcpy(name, list ? list->info->name : "");
	wd_free_list_accels(list);
	return name;
}

TEST_F(tree, then_throughput_or_latency_decides)
{
	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	add_device("hisi_zip-2", "zlib");
	attr("hisi_zip-1", "hisi_zip-zlib/throughput", "50");
	attr("hisi_zip-2", "hisi_zip-zlib/latency", "3");
	EXPECT_STREQ("hisi_zip-1", first(wd_device_list("zlib", WD_RANK_THROUGHPUT, 0)));
	EXPECT_STREQ("hisi_zip-2", first(wd_device_list("zlib", WD_RANK_LATENCY, 0)));
}

/* Mainline's devices say nothing about features: they count as having all. */
TEST_F(tree, devices_that_say_they_lack_a_feature_are_left_out)
{
	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	EXPECT_STREQ("hisi_zip-0", first(wd_device_list("zlib", WD_RANK_LATENCY, 3)));
	attr("hisi_zip-0", "hisi_zip-zlib/flags", "0x00000001");
	EXPECT_STREQ("hisi_zip-1", first(wd_device_list("zlib", WD_RANK_LATENCY, 3)));
	EXPECT_STREQ("hisi_zip-0", first(wd_device_list("zlib", WD_RANK_LATENCY, 1)));
	attr("hisi_zip-1", "hisi_zip-zlib/flags", "0xfffffffd");
	errno = 0;
	EXPECT_EQ(NULL, wd_device_list("zlib", WD_RANK_LATENCY, 3));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

TEST_F(tree, devices_are_listed_by_features)
{
	add_device("hisi_sec2-0", "digest");
	add_device("hisi_sec2-1", "digest");
	attr("hisi_sec2-0", "hisi_sec2-digest/flags", "0x00000003");
	attr("hisi_sec2-1", "hisi_sec2-digest/flags", "0x00000103");
	EXPECT_STREQ("hisi_sec2-0", first(wd_list_accels_with("digest", 0)));
	EXPECT_STREQ("hisi_sec2-0", first(wd_list_accels_with("digest", WD_CAPA_SHARE_ALL | WD_CAPA_SGL_MEM)));
	EXPECT_STREQ("hisi_sec2-1", first(wd_list_accels_with("digest", WD_CAPA_STREAM)));
	EXPECT_STREQ("hisi_sec2-1", first(wd_list_accels_with("digest", WD_CAPA_STREAM | WD_CAPA_SGL_MEM)));
	errno = 0;
	EXPECT_EQ(NULL, wd_list_accels_with("digest", 1u << 31));
	EXPECT_EQ(EOPNOTSUPP, errno);
	errno = 0;
	EXPECT_EQ(NULL, wd_list_accels_with(NULL, WD_CAPA_STREAM));
	EXPECT_EQ(EINVAL, errno);
	errno = 0;
	EXPECT_EQ(NULL, wd_list_accels_with("aead", WD_CAPA_STREAM));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_STREQ("hisi_sec2-0", first(wd_list_accels_with(NULL, 0)));
}

/* Complete, as the kernel adds it. */
static void add_whole_device(const char *dev, const char *algs)
{
	add_device(dev, algs);
	attr(dev, "dev", "511:0");
}

static void move(const char *from, const char *to)
{
	char a[PATH_MAX], b[PATH_MAX];

	snprintf(a, sizeof(a), "%s%s", top, from);
	snprintf(b, sizeof(b), "%s%s", top, to);
	if (rename(a, b))
		abort();
}

static const char *algs_of(const char *dev)
{
	static _Thread_local struct uacce_dev_info info;

	return wd_device_read(dev, &info) ? "gone" : info.algs;
}

TEST_F(tree, a_device_without_shared_addresses_may_be_mediated)
{
	struct uacce_dev_info info;

	add_whole_device("hisi_zip-0", "zlib");
	attr("hisi_zip-0", "iommu", "mediated");
	ASSERT_EQ(0, wd_device_read("hisi_zip-0", &info));
	EXPECT_EQ(0, info.mediated);
	add_whole_device("hisi_zip-1", "zlib");
	attr("hisi_zip-1", "flags", "0");
	ASSERT_EQ(0, wd_device_read("hisi_zip-1", &info));
	EXPECT_EQ(0, info.mediated);
	add_whole_device("hisi_zip-2", "zlib");
	attr("hisi_zip-2", "flags", "0");
	attr("hisi_zip-2", "iommu", "mediated");
	ASSERT_EQ(0, wd_device_read("hisi_zip-2", &info));
	EXPECT_EQ(1, info.mediated);
}

TEST_F(tree, what_stays_is_read_once_and_what_changes_each_time)
{
	struct uacce_dev_info info;

	add_whole_device("hisi_zip-0", "zlib");
	/* Another file in the folder would make it look like another device. */
	attr("hisi_zip-0", "simulated", "0");
	attr("hisi_zip-0", "zone_id", "0");
	attr("hisi_zip-0", "priority", "0");
	attr("hisi_zip-0", "isolate", "0");
	EXPECT_STREQ("zlib", algs_of("hisi_zip-0"));
	attr("hisi_zip-0", "api", "unread");
	attr("hisi_zip-0", "algorithms", "unread");
	attr("hisi_zip-0", "flags", "0");
	attr("hisi_zip-0", "region_mmio_size", "0");
	attr("hisi_zip-0", "region_dus_size", "0");
	attr("hisi_zip-0", "simulated", "1");
	attr("hisi_zip-0", "zone_id", "3");
	attr("hisi_zip-0", "priority", "5");
	attr("hisi_zip-0", "isolate", "1");
	attr("hisi_zip-0", "available_instances", "7");
	ASSERT_EQ(0, wd_device_read("hisi_zip-0", &info));
	EXPECT_STREQ("hisi_zip-0", info.name);
	EXPECT_STREQ("hisi_qm_v3", info.api);
	EXPECT_STREQ("zlib", info.algs);
	EXPECT_EQ(UACCE_DEV_SVA, info.flags);
	EXPECT_EQ(65536, info.qfrs_offs[UACCE_QFRT_MMIO]);
	EXPECT_EQ(151552, info.qfrs_offs[UACCE_QFRT_DUS]);
	EXPECT_EQ(0, info.simulated);
	EXPECT_EQ(3, info.numa_node);
	EXPECT_EQ(5, info.priority);
	EXPECT_EQ(1, info.isolated);
	EXPECT_EQ(7, info.avail);
}

TEST_F(tree, what_is_not_complete_is_read_again)
{
	add_device("hisi_zip-0", "");
	EXPECT_STREQ("", algs_of("hisi_zip-0"));
	add_whole_device("hisi_zip-0", "zlib");
	EXPECT_STREQ("zlib", algs_of("hisi_zip-0"));
}

TEST_F(tree, a_device_that_returns_is_another_one)
{
	char cmd[128];

	add_whole_device("hisi_zip-0", "zlib");
	EXPECT_STREQ("zlib", algs_of("hisi_zip-0"));
	snprintf(cmd, sizeof(cmd), "rm -rf %s" CLASS "/hisi_zip-0", top);
	ASSERT_EQ(0, system(cmd));
	EXPECT_STREQ("gone", algs_of("hisi_zip-0"));
	/* A file system may reuse the inode, and give it the same time as the old one's end. */
	next_tick();
	add_whole_device("hisi_zip-0", "gzip");
	EXPECT_STREQ("gzip", algs_of("hisi_zip-0"));
}

TEST_F(tree, devices_that_share_a_place_are_not_mistaken)
{
	int i;

	add_whole_device("hisi_zip-1", "zlib");
	add_whole_device("hisi_zip-65", "gzip");
	add_whole_device("hisi_sec2-1", "cipher");
	for (i = 0; i < 3; i++) {
		EXPECT_STREQ("zlib", algs_of("hisi_zip-1"));
		EXPECT_STREQ("gzip", algs_of("hisi_zip-65"));
		EXPECT_STREQ("cipher", algs_of("hisi_sec2-1"));
	}
}

TEST_F(tree, a_child_reads_for_itself)
{
	int status;
	pid_t pid;

	add_whole_device("hisi_zip-0", "zlib");
	EXPECT_STREQ("zlib", algs_of("hisi_zip-0"));
	attr("hisi_zip-0", "algorithms", "gzip");
	pid = fork();
	if (!pid)
		_exit(strcmp("gzip", algs_of("hisi_zip-0")) || strcmp("gzip", algs_of("hisi_zip-0")));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_STREQ("zlib", algs_of("hisi_zip-0"));
}

static _Atomic bool over;

static void *read_on(void *arg)
{
	while (!over) {
		const char *algs = algs_of("hisi_zip-0");

		if (strcmp(algs, "zlib") && strcmp(algs, "gzip") && strcmp(algs, "gone") && strcmp(algs, ""))
			return "mixed";
	}
	return NULL;
}

TEST_F(tree, who_looks_after_a_change_sees_it_whoever_else_looks)
{
	pthread_t t[3];
	void *ret;
	int i;

	add_whole_device("hisi_zip-0", "zlib");
	add_whole_device("other", "gzip");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, read_on, NULL));
	}
	for (i = 0; i < 50; i++) {
		EXPECT_STREQ(i & 1 ? "gzip" : "zlib", algs_of("hisi_zip-0"));
		move(CLASS "/hisi_zip-0", CLASS "/away");
		EXPECT_STREQ("gone", algs_of("hisi_zip-0"));
		/* A concurrent reader must not see the old folder unchanged. */
		next_tick();
		move(CLASS "/other", CLASS "/hisi_zip-0");
		move(CLASS "/away", CLASS "/other");
	}
	over = true;
	for (i = 0; i < 3; i++) {
		pthread_join(t[i], &ret);
		EXPECT_EQ(NULL, ret);
	}
}

TEST_F(tree, facts_of_an_algorithm_have_defaults)
{
	struct uacce_dev_list *list;
	struct uacce_dev_info info;

	add_device("hisi_zip-0", "zlib");
	ASSERT_EQ(0, wd_device_read("hisi_zip-0", &info));
	EXPECT_EQ(WD_LEVEL_AVERAGE, wd_device_level(&info, "zlib", WD_RANK_LATENCY));
	EXPECT_EQ(WD_LEVEL_AVERAGE, wd_device_level(&info, "zlib", WD_RANK_THROUGHPUT));
	list = wd_device_list("zlib", WD_RANK_LATENCY, 0);
	ASSERT_NE(NULL, list);
	EXPECT_STREQ("hisi_qm_v3", wd_device_listed_api(list->info));
	wd_free_list_accels(list);
	attr("hisi_zip-0", "hisi_zip-zlib/latency", "3");
	attr("hisi_zip-0", "hisi_zip-zlib/throughput", "4");
	attr("hisi_zip-0", "hisi_zip-zlib/device_api", "hisi_qm_v9");
	EXPECT_EQ(3, wd_device_level(&info, "zlib", WD_RANK_LATENCY));
	EXPECT_EQ(4, wd_device_level(&info, "zlib", WD_RANK_THROUGHPUT));
	list = wd_device_list("zlib", WD_RANK_LATENCY, 0);
	ASSERT_NE(NULL, list);
	EXPECT_STREQ("hisi_qm_v9", wd_device_listed_api(list->info));
	wd_free_list_accels(list);
}

static bool old;

static struct wd_recent *recent(void)
{
	return wd_recent_get("zlib", WD_RANK_LATENCY, 0, &old);
}

TEST_F(tree, a_list_is_kept_for_the_next_session_until_a_device_fails)
{
	struct wd_recent *first, *next;
	int tries;

	add_device("hisi_zip-0", "zlib");
	/* A busy machine may need longer than a list is kept. */
	for (tries = 0; tries < 1000; tries++) {
		first = recent();
		ASSERT_NE(NULL, first);
		EXPECT_FALSE(old);
		next = recent();
		if (old)
			break;
		wd_recent_put(first);
		wd_recent_put(next);
		wd_recent_forget();
	}
	ASSERT_TRUE(old);
	EXPECT_EQ(first, next);
	wd_recent_put(next);
	wd_recent_forget();
	next = recent();
	EXPECT_NE(first, next);
	EXPECT_FALSE(old);
	EXPECT_STREQ("hisi_zip-0", first->list->info->name);
	wd_recent_put(first);
	wd_recent_put(next);
}

TEST_F(tree, a_kept_list_gets_too_old)
{
	struct wd_recent *r;

	add_device("hisi_zip-0", "zlib");
	wd_recent_forget();
	r = recent();
	ASSERT_NE(NULL, r);
	wd_recent_put(r);
	do {
		poll(NULL, 0, 1);
		r = recent();
		ASSERT_NE(NULL, r);
		wd_recent_put(r);
	} while (old);
}

TEST_F(tree, a_refusal_is_not_kept)
{
	wd_recent_forget();
	EXPECT_EQ(NULL, recent());
	EXPECT_EQ(ENODEV, errno);
	add_device("hisi_zip-0", "zlib");
	wd_recent_put(recent());
	EXPECT_FALSE(old);
}

TEST_F(tree, a_usual_path_names_its_device)
{
	struct uacce_dev_info info;
	char path[128];
	dev_t rdev;

	add_device("hisi_zip-0", "zlib");
	attr("hisi_zip-0", "dev", "240:7");
	snprintf(path, sizeof(path), "%s/dev/hisi_zip-0", top);
	EXPECT_EQ(0, wd_device_of_node(path, &info, &rdev));
	EXPECT_STREQ("hisi_zip-0", info.name);
	EXPECT_EQ(makedev(240, 7), rdev);
	snprintf(path, sizeof(path), "%s/dev/hisi_zip-1", top);
	EXPECT_EQ(-ENOENT, wd_device_of_node(path, &info, &rdev));
}

TEST_F(tree, another_path_is_followed_to_its_device_number)
{
	struct uacce_dev_info info;
	dev_t rdev;

	add_device("hisi_zip-0", "zlib");
	add_device("hisi_zip-1", "zlib");
	attr("hisi_zip-0", "dev", "1:5");
	attr("hisi_zip-1", "dev", "1:3");
	EXPECT_EQ(0, wd_device_of_node("/dev/null", &info, &rdev));
	EXPECT_EQ(makedev(1, 3), rdev);
	EXPECT_STREQ("hisi_zip-1", info.name);
	EXPECT_EQ(-ENODEV, wd_device_of_node("/dev/full", &info, &rdev));
}

TEST_F(tree, free_queues_are_counted_per_node)
{
	char path[128];

	add_device("hisi_zip-0", "zlib");
	attr("hisi_zip-0", "available_instances", "17");
	put("/dev/hisi_zip-0", "%s", "");
	snprintf(path, sizeof(path), "%s/dev/hisi_zip-0", top);
	EXPECT_EQ(17, wd_ctx_get_avail_ctx(path));
	ASSERT_EQ(0, chmod(path, 0));
	if (!geteuid())
		ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(-EACCES, wd_ctx_get_avail_ctx(path));
	if (!getuid())
		ASSERT_EQ(0, seteuid(0));
}

TEST(a_root_that_is_too_long_is_refused)
{
	char path[4096];

	memset(path, 'r', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, wd_device_set_root(path));
}

TEST(names_come_from_paths)
{
	static const struct {
		const char *path;
		const char *with, *without;
	} rows[] = {
		{ "/dev/hisi_zip-0", "hisi_zip-0", "hisi_zip" },
		{ "hisi_sec2-12", "hisi_sec2-12", "hisi_sec2" },
		{ "/some/where/a-b-3", "a-b-3", "a-b" },
	};
	size_t i;
	char *name;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		name = wd_get_accel_name(rows[i].path, 0);
		EXPECT_STREQ(rows[i].with, name);
		free(name);
		name = wd_get_accel_name(rows[i].path, 1);
		EXPECT_STREQ(rows[i].without, name);
		free(name);
	}
}

TEST(what_has_no_device_name_is_refused)
{
	static const char *const bad[] = {
		"", "/", "/dev/", "/dev/null", "-3", "/dev/zip-", "/dev/zip-3x", "zip-0/", "zip-123456789"
	};
	char longer[100];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		EXPECT_EQ(NULL, wd_get_accel_name(bad[i], 0));
		EXPECT_EQ(EINVAL, errno);
	}
	errno = 0;
	EXPECT_EQ(NULL, wd_get_accel_name(NULL, 1));
	EXPECT_EQ(EINVAL, errno);
	memset(longer, 'd', sizeof(longer));
	strcpy(longer + 90, "-1");
	EXPECT_EQ(NULL, wd_get_accel_name(longer, 0));
	EXPECT_EQ(ENAMETOOLONG, errno);
}

TEST_HARNESS_MAIN
