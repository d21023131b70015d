// SPDX-License-Identifier: Apache-2.0
/* Binding the ZIP driver with the n-th allocation failing, until none is left to fail. */
#include <limits.h>
#include "kselftest_harness.h"
#include "zip_client.h"

#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define FAULTS		"/sys/kernel/debug"
#define SWEEP_MAX	2000

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* PCI address of a uacce device. */
static int pci_address(const char *name, char address[NAME_MAX + 1])
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), UACCE_CLASS "/%s/device", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	snprintf(address, NAME_MAX + 1, "%s", strrchr(target, '/') + 1);
	return 0;
}

static int is_bound(const char *address)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DRIVER "/%s", address);
	return !access(path, F_OK);
}

/*
 * Which allocations may fail: all, quietly; but for files in /proc: the kernel
 * itself doesn't survive those of an interrupt missing without a warning.
 */
static int faults_prepare(void)
{
	char path[PATH_MAX];
	int ret = 0;
	struct dirent *entry;
	DIR *dir = opendir("/sys/kernel/slab");

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", entry->d_name);
		if (write_file(path, strcmp(entry->d_name, "proc_dir_entry") ? "1" : "0"))
			ret = -EACCES;
	}
	if (dir)
		closedir(dir);
	if (ret)
		return ret;
	write_file(FAULTS "/failslab/cache-filter", "Y");
	write_file(FAULTS "/failslab/ignore-gfp-wait", "N");
	write_file(FAULTS "/failslab/verbose", "0");
	write_file(FAULTS "/fail_page_alloc/ignore-gfp-wait", "N");
	write_file(FAULTS "/fail_page_alloc/ignore-gfp-highmem", "N");
	write_file(FAULTS "/fail_page_alloc/min-order", "0");
	write_file(FAULTS "/fail_page_alloc/verbose", "0");
	return 0;
}

/* Writes @text to the open @fd with allocation @nth failing; *injected says whether there was one. */
static int write_failing(int fd, const char *text, int nth, int *injected)
{
	char number[16] = "";
	int fail = open(FAIL_NTH, O_RDWR | O_CLOEXEC), ret = 0;

	if (fail < 0)
		return -errno;
	snprintf(number, sizeof(number), "%d", nth);
	if (pwrite(fail, number, strlen(number), 0) < 0)
		ret = -errno;
	else if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	if (pread(fail, number, sizeof(number) - 1, 0) < 0)
		number[0] = 0;
	*injected = atoi(number) == 0;
	if (pwrite(fail, "0", 1, 0) < 0)
		ret = -errno;
	close(fail);
	return ret;
}

FIXTURE(bind) {
	char name[UACCE_NAME_MAX];
	char address[NAME_MAX + 1];
	long available;
};

FIXTURE_SETUP(bind)
{
	if (!client_device(self->name))
		SKIP(return, "no ZIP device");
	ASSERT_EQ(0, pci_address(self->name, self->address));
	self->available = uacce_attr_num(self->name, "available_instances");
}

FIXTURE_TEARDOWN(bind)
{
	if (!is_bound(self->address))
		EXPECT_EQ(0, write_file(DRIVER "/bind", self->address));
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

TEST_F_TIMEOUT(bind, unwinds_from_every_failed_allocation, 580)
{
	long long began = now_ms();
	int fd, injected = 1, failures = 0, nth;

	if (access(FAIL_NTH, F_OK))
		SKIP(return, "this kernel has no fault injection");
	if (faults_prepare())
		SKIP(return, "this kernel can't keep the files of an interrupt in /proc out of the sweep, and warns of their loss");
	fd = open(DRIVER "/bind", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	for (nth = 1; injected; nth++) {
		int ret;

		ASSERT_LT(nth, SWEEP_MAX);
		if (is_bound(self->address))
			ASSERT_EQ(0, write_file(DRIVER "/unbind", self->address));
		ret = write_failing(fd, self->address, nth, &injected);
		/* Not every allocation is worth failing for: debugfs files are not. */
		if (ret)
			failures++;
		EXPECT_EQ(!ret, is_bound(self->address)) TH_LOG("allocation %d: %d", nth, ret);
	}
	close(fd);
	TH_LOG("%d allocations, %d failures to bind, %lld ms", nth - 2, failures, now_ms() - began);
	EXPECT_TRUE(is_bound(self->address));
	EXPECT_GT(failures, 10);
}

TEST_HARNESS_MAIN
