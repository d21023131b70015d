// SPDX-License-Identifier: Apache-2.0
/* Adds what this process' devices do to the counts of the whole command, for wd-emulate --stats. */
#include <stdio.h>
#include <sys/mman.h>
#include "work_done.h"
#include "emu.h"

EMU_REAL(int, open, const char *path, int flags, ...)
EMU_REAL(int, close, int fd)
EMU_REAL(void *, mmap, void *addr, size_t len, int prot, int flags, int fd, off_t offset)

static struct emu_counts *all;

void emu_counts_map(const char *root)
{
	size_t bytes = EMU_DEVICES_MAX * sizeof(*all);
	char path[512];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/" EMU_COUNTS_FILE, root);
	fd = real_open()(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	map = real_mmap()(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	real_close()(fd);
	if (map != MAP_FAILED)
		all = map;
}

void emu_counts_add(struct emu_device *dev)
{
	const struct wdm_stats *now = wdm_device_stats(dev->model);
	struct wdm_stats *seen = &dev->counted;

	if (!all || now->completions == seen->completions)
		return;
	__atomic_fetch_add(&all[dev->index].requests, now->completions - seen->completions, __ATOMIC_RELAXED);
	__atomic_fetch_add(&all[dev->index].bytes_in, now->bytes_in - seen->bytes_in, __ATOMIC_RELAXED);
	__atomic_fetch_add(&all[dev->index].bytes_out, now->bytes_out - seen->bytes_out, __ATOMIC_RELAXED);
	*seen = *now;
}

void emu_counts_outside(struct emu_device *dev)
{
	atomic_fetch_add(&dev->outside, 1);
	if (all)
		__atomic_fetch_add(&all[dev->index].outside, 1, __ATOMIC_RELAXED);
}

void emu_counts_wrong(struct emu_device *dev)
{
	atomic_fetch_add(&dev->wrong, 1);
	if (all)
		__atomic_fetch_add(&all[dev->index].wrong, 1, __ATOMIC_RELAXED);
}
