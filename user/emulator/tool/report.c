// SPDX-License-Identifier: Apache-2.0
/* Counts of the devices of all processes, in memory that these share with wd-emulate. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "devices.h"
#include "report.h"
#include "work_done.h"

static const char *name;
static FILE *report;
static struct emu_counts *all;

static int failed(const char *path)
{
	int err = errno;

	fprintf(stderr, "wd-emulate: %s: %s\n", path, strerror(err));
	return -err;
}

int report_begin(const char *root, const char *path)
{
	char counts[512];
	int fd;

	name = path;
	report = !path ? NULL : strcmp(path, "-") ? fopen(path, "we") : stderr;
	if (path && !report)
		return failed(path);
	snprintf(counts, sizeof(counts), "%s/" EMU_COUNTS_FILE, root);
	fd = open(counts, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, DEVICES_MAX * (off_t)sizeof(*all)))
		return failed(counts);
	all = mmap(NULL, DEVICES_MAX * sizeof(*all), PROT_READ, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED)
		return failed(counts);
	close(fd);
	return 0;
}

static int strays_report(void)
{
	char device[DEVICE_NAME];
	unsigned int i;
	uint64_t nr;
	int err = 0;

	for (i = 0; i < devices_nr(); i++) {
		nr = __atomic_load_n(&all[i].outside, __ATOMIC_RELAXED);
		if (!nr)
			continue;
		device_name(i, device);
		fprintf(stderr, "wd-emulate: %s: %" PRIu64 " accesses to memory that isn't mapped for them\n", device,
			nr);
		err = -EFAULT;
	}
	return err;
}

int report_end(void)
{
	char device[DEVICE_NAME];
	unsigned int i;
	int err;

	if (!all)
		return 0;
	err = strays_report();
	for (i = 0; report && i < devices_nr(); i++) {
		device_name(i, device);
		fprintf(report, "%s requests %" PRIu64 " bytes_in %" PRIu64, device,
			__atomic_load_n(&all[i].requests, __ATOMIC_RELAXED),
			__atomic_load_n(&all[i].bytes_in, __ATOMIC_RELAXED));
		fprintf(report, " bytes_out %" PRIu64 " wrong %" PRIu64,
			__atomic_load_n(&all[i].bytes_out, __ATOMIC_RELAXED),
			__atomic_load_n(&all[i].wrong, __ATOMIC_RELAXED));
		if (device_memory(i) != DEVICE_SVA)
			fprintf(report, " outside %" PRIu64, __atomic_load_n(&all[i].outside, __ATOMIC_RELAXED));
		fputs("\n", report);
	}
	if (report && report != stderr && fclose(report))
		return failed(name);
	return err;
}
