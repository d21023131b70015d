// SPDX-License-Identifier: Apache-2.0
/* Mappings of queues: each region can be mapped once and completely, and a child doesn't inherit it. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <misc/uacce/uacce.h>
#include "emu.h"

#define REGIONS_MAX	4096

EMU_REAL(void *, mmap, void *addr, size_t len, int prot, int flags, int fd, off_t offset)
EMU_REAL(int, munmap, void *addr, size_t len)
EMU_REAL(int, madvise, void *addr, size_t len, int advice)

static struct region {
	uintptr_t start, end;
	struct emu_queue *q;
	unsigned int type;
} regions[REGIONS_MAX];
static unsigned int nr_regions;
static atomic_uint any;		/* nr_regions, for a check without the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int region_check(const struct emu_queue *q, size_t len, int flags, off_t offset, unsigned int *type)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (len + page - 1) & ~(page - 1);
	int sharing = flags & MAP_TYPE;

	if (atomic_load(&q->foreign))
		return -EPERM;
	if (!len || offset < 0 || (size_t)offset % page || (size_t)offset / page >= EMU_REGIONS)
		return -EINVAL;
	*type = (unsigned int)((size_t)offset / page);
	if (!emu_region_bytes(q->dev, *type) ||
	    (sharing != MAP_SHARED && sharing != MAP_SHARED_VALIDATE))
		return -EINVAL;
	if (q->state == EMU_ZOMBIE)
		return -ENXIO;
	if (*type == UACCE_QFRT_MMIO && q->dev->mediated)
		return -EPERM;
	if (q->mapped[*type])
		return -EEXIST;
	if (*type == UACCE_QFRT_MMIO ? bytes > emu_window_bytes(q->dev) : bytes != emu_region_bytes(q->dev, *type))
		return -EINVAL;
	return nr_regions < REGIONS_MAX ? 0 : -ENOMEM;
}

/*
 * The page with the doorbell that all queues share is the device's. The pages in front of it are ordinary ones: the
 * registers there are the kernel's.
 */
static bool map_shared_page(const struct emu_queue *q, void *p, size_t len, int prot, int flags)
{
	size_t own = emu_window_own(q->dev);

	return len <= own || own == emu_window_bytes(q->dev) ||
	       real_mmap()((unsigned char *)p + own, len - own, prot, flags | MAP_FIXED, q->dev->bar2_fd, (off_t)own) !=
	       MAP_FAILED;
}

static void *map_memory(const struct emu_queue *q, unsigned int type, void *addr, size_t len, int prot, int flags)
{
	void *p = real_mmap()(addr, len, prot, flags, q->mem_fd, (off_t)emu_region_at(q->dev, type));
	int err;

	if (p == MAP_FAILED || type != UACCE_QFRT_MMIO || map_shared_page(q, p, len, prot, flags))
		return p;
	err = errno;
	real_munmap()(p, len);
	errno = err;
	return MAP_FAILED;
}

/* Stores to a doorbell window are to fault, or not. */
static int region_prot(unsigned int type, int prot)
{
	return type == UACCE_QFRT_MMIO && emu_config()->trap ? prot & ~PROT_WRITE : prot;
}

void *emu_region_map(struct emu_queue *q, int access, void *addr, size_t len, int prot, int flags, off_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int type = 0;
	void *p = MAP_FAILED;
	int err;

	pthread_mutex_lock(&lock);
	err = access == O_WRONLY || (access == O_RDONLY && prot & PROT_WRITE) ? -EACCES :
	      region_check(q, len, flags, offset, &type);
	if (!err && type == UACCE_QFRT_DEVICE_CQ && prot & PROT_WRITE)
		err = -EACCES;
	if (!err) {
		p = map_memory(q, type, addr, len, region_prot(type, prot), flags);
		if (p == MAP_FAILED)
			err = -errno;
	}
	if (!err) {
		real_madvise()(p, len, MADV_DONTFORK);
		regions[nr_regions++] = (struct region){
			.start = (uintptr_t)p, .end = (uintptr_t)p + ((len + page - 1) & ~(page - 1)), .q = q,
			.type = type,
		};
		atomic_store(&any, nr_regions);
		q->mapped[type] = true;
		emu_queue_get(q);
	}
	pthread_mutex_unlock(&lock);
	if (err)
		errno = -err;
	return p;
}

struct emu_queue *emu_region_window(const void *addr, size_t *offset)
{
	uintptr_t at = (uintptr_t)addr;
	struct emu_queue *q = NULL;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_regions && !q; i++)
		if (regions[i].type == UACCE_QFRT_MMIO && at >= regions[i].start && at < regions[i].end) {
			q = regions[i].q;
			*offset = at - regions[i].start;
		}
	if (q)
		emu_queue_get(q);
	pthread_mutex_unlock(&lock);
	return q;
}

/* Whether a call on that range would cut a region; such a call is refused. */
static bool region_cut(uintptr_t start, uintptr_t end)
{
	unsigned int i;

	for (i = 0; i < nr_regions; i++)
		if (start < regions[i].end && end > regions[i].start &&
		    (start > regions[i].start || end < regions[i].end))
			return true;
	return false;
}

int emu_region_unmap(void *addr, size_t len, int *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)addr, end = start + ((len + page - 1) & ~(page - 1));
	struct emu_queue *put[2] = { 0 };
	unsigned int i, n = 0;
	bool ours = false;

	if (!atomic_load(&any))
		return 0;
	pthread_mutex_lock(&lock);
	if (region_cut(start, end)) {
		pthread_mutex_unlock(&lock);
		errno = EINVAL;
		*ret = -1;
		return 1;
	}
	/* More than two regions in one call: the queues of the others stay until exit. */
	for (i = nr_regions; i-- > 0 && n < 2;) {
		if (regions[i].start < start || regions[i].end > end)
			continue;
		regions[i].q->mapped[regions[i].type] = false;
		put[n++] = regions[i].q;
		regions[i] = regions[--nr_regions];
		atomic_store(&any, nr_regions);
		ours = true;
	}
	if (ours)
		*ret = real_munmap()(addr, len);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < n; i++)
		emu_queue_put(put[i]);
	return ours;
}

bool emu_region_covers(const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)addr, end = start + len;
	bool hit = false;
	unsigned int i;

	if (!atomic_load(&any))
		return false;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_regions && !hit; i++)
		hit = start < regions[i].end && end > regions[i].start;
	pthread_mutex_unlock(&lock);
	return hit;
}

bool emu_region_cut(const void *addr, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)addr;
	bool cut;

	if (!atomic_load(&any))
		return false;
	pthread_mutex_lock(&lock);
	cut = region_cut(start, start + ((len + page - 1) & ~(page - 1)));
	pthread_mutex_unlock(&lock);
	return cut;
}

/* A fork's child doesn't have the mappings. */
void emu_region_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	nr_regions = 0;
	atomic_store(&any, 0);
}
