// SPDX-License-Identifier: Apache-2.0
/* Binding the ZIP driver with the n-th allocation failing, until none is left to fail. */
#include <limits.h>
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#define NEED_AWAY	1
#include "need_machine.h"
#include "fail_nth.h"
#include "zip_client.h"
#include "text_file.h"

#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define SWEEP_MAX	2000

static int is_bound(const char *address)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DRIVER "/%s", address);
	return !access(path, F_OK);
}

static int slab_reads(const char *cache, const char *text)
{
	char path[PATH_MAX], now[4] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", cache);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, now, sizeof(now) - 1) < 0)
		now[0] = 0;
	close(fd);
	return now[0] == text[0];
}

/*
 * All allocations may fail but those of files in /proc: the kernel itself warns when an interrupt's files are missing
 * there. Which caches may fail is settled at boot (slub_debug=).
 */
static const char *faults_missing(void)
{
	const char *missing = fail_nth_missing();

	if (missing)
		return missing;
	if (!slab_reads("proc_dir_entry", "0") || !slab_reads("kmalloc-64", "1"))
		return "not booted with slub_debug=A;-,proc_dir_entry: "
		       "the kernel warns of an interrupt's missing files in /proc";
	return fail_nth_knob("failslab/cache-filter", "Y") ? "failslab has no filter by cache" : NULL;
}

/* Writes @text to the open @fd with allocation @nth failing; *injected: whether an allocation failed. */
static int write_failing(int fd, const char *text, int nth, int *injected)
{
	int ret;

	fail_nth_set(nth);
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	*injected = fail_nth_happened();
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
	ASSERT_EQ(0, uacce_parent(self->name, self->address, sizeof(self->address)));
	self->available = uacce_attr_num(self->name, "available_instances");
}

FIXTURE_TEARDOWN(bind)
{
	if (!is_bound(self->address))
		EXPECT_EQ(0, text_write(DRIVER "/bind", self->address));
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

TEST_F_TIMEOUT(bind, unwinds_from_every_failed_allocation, 580)
{
	const char *missing = faults_missing();
	long long began = now_ms();
	int fd, injected = 1, failures = 0, nth;

	if (missing)
		SKIP(return, "%s", missing);
	fd = open(DRIVER "/bind", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	for (nth = 1; injected; nth++) {
		int ret;

		ASSERT_LT(nth, SWEEP_MAX);
		if (is_bound(self->address))
			ASSERT_EQ(0, text_write(DRIVER "/unbind", self->address));
		ret = write_failing(fd, self->address, nth, &injected);
		/* Binding succeeds without some allocations: those of debugfs files, for one. */
		if (ret)
			failures++;
		EXPECT_EQ(!ret, is_bound(self->address)) TH_LOG("allocation %d: %d", nth, ret);
	}
	close(fd);
	fail_nth_knob("failslab/cache-filter", "N");
	TH_LOG("%d allocations, %d failures to bind, %lld ms", nth - 2, failures, now_ms() - began);
	EXPECT_TRUE(is_bound(self->address));
	EXPECT_GT(failures, 10);
}

TEST_HARNESS_MAIN
