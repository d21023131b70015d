// SPDX-License-Identifier: GPL-2.0-or-later
/* The physical range outside System RAM that holds the BARs of all simulated functions. */
/*
 * Lock		protects		taken under
 * map_lock	map			any lock whose holder may sleep
 */
#include <linux/bitmap.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "internal.h"

#define UNIT_SHIFT		15	/* of the map: the smallest BAR */
#define UNIT			BIT(16)	/* of the aperture's start and size */
#define APERTURE_MAX		(16ull << 30)

#define IVSHMEM_VENDOR		0x1af4
#define IVSHMEM_DEVICE		0x1110
#define IVSHMEM_BAR		2

static struct resource aperture = {
	.name = "hisi_sim",
	.flags = IORESOURCE_MEM,
};

static struct pci_dev *backing;
static unsigned long *map;
static unsigned long map_units;
static DEFINE_MUTEX(map_lock);

struct resource *sim_aperture_resource(void)
{
	return &aperture;
}

/* A hole in the address map swallows writes, but the functions need real memory. */
static int check_memory(void)
{
	static const u32 pattern[] = { 0x5a5a1234, 0xa5a5edcb };
	u64 offset[] = { 0, resource_size(&aperture) - PAGE_SIZE };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		void __iomem *io = ioremap(aperture.start + offset[i], PAGE_SIZE);
		bool ok = io;

		for (j = 0; io && j < ARRAY_SIZE(pattern); j++) {
			writel(pattern[j], io);
			writel(~pattern[j], io + 4);
			ok &= readl(io) == pattern[j] && readl(io + 4) == ~pattern[j];
		}
		if (io)
			iounmap(io);
		if (!ok) {
			pr_err("hisi_sim: aperture %pR is not backed by memory\n", &aperture);
			return -ENXIO;
		}
	}
	return 0;
}

/* Places the range below the smallest resource around it, in which the range must be free. */
static int aperture_place(void)
{
	struct resource *same;
	int err;

	err = insert_resource(&iomem_resource, &aperture);
	if (err)
		return err;
	same = aperture.child;
	if (same) {
		/*
		 * insert_resource() put the range above an equal resource, which is the memory itself,
		 * or above resources that use the range.
		 */
		bool equal = same->start == aperture.start && same->end == aperture.end &&
			     !same->child;

		remove_resource(&aperture);
		aperture.child = NULL;
		aperture.sibling = NULL;
		err = equal ? request_resource(same, &aperture) : -EBUSY;
		if (err)
			return err;
	}
	if (aperture.parent->flags & IORESOURCE_BUSY) {
		remove_resource(&aperture);
		return -EBUSY;
	}
	return 0;
}

/*
 * On arm64 an access to an address where nothing is ends in a panic, so only a range that is known to be memory can be
 * tried: one in a BAR (windows of buses have no such alignment), or reserved by the firmware.
 */
static bool may_be_tried(void)
{
	const struct resource *parent = aperture.parent;

	return !IS_ENABLED(CONFIG_ARM64) || parent->flags & IORESOURCE_SIZEALIGN ||
	       (parent->name && !strcmp(parent->name, "reserved"));
}

static int aperture_claim(u64 start, u64 size, bool trusted)
{
	int err;

	aperture.start = start;
	aperture.end = start + size - 1;
	aperture.flags = IORESOURCE_MEM;
	if (region_intersects(start, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) != REGION_DISJOINT) {
		pr_err("hisi_sim: aperture %pR is System RAM\n", &aperture);
		return -EINVAL;
	}
	err = aperture_place();
	if (err) {
		pr_err("hisi_sim: aperture %pR is in use\n", &aperture);
		return err;
	}
	err = -ENXIO;
	if (!trusted && !may_be_tried())
		pr_err("hisi_sim: aperture %pR is not known to be memory, and other addresses stop this machine: "
		       "aperture_trusted=1 tries it\n",
		       &aperture);
	else
		err = check_memory();
	if (err)
		remove_resource(&aperture);
	return err;
}

static int claim_range(const char *range, bool trusted)
{
	u64 start, size;
	char *end;

	start = memparse(range, &end);
	if (end == range || *end != ',')
		goto err_syntax;
	range = end + 1;
	size = memparse(range, &end);
	if (end == range || (*end && strcmp(end, "\n")))
		goto err_syntax;
	if (!size || size > APERTURE_MAX || start + size < start ||
	    !IS_ALIGNED(start, UNIT) || !IS_ALIGNED(size, UNIT)) {
		pr_err("hisi_sim: aperture: expected start and size in multiples of 64 KiB, size at most 16 GiB\n");
		return -EINVAL;
	}
	return aperture_claim(start, size, trusted);

err_syntax:
	pr_err("hisi_sim: aperture: expected START,SIZE\n");
	return -EINVAL;
}

static int claim_ivshmem(void)
{
	struct pci_dev *pdev = NULL;
	int err = -ENODEV;

	while ((pdev = pci_get_device(IVSHMEM_VENDOR, IVSHMEM_DEVICE, pdev))) {
		struct resource *bar = &pdev->resource[IVSHMEM_BAR];

		if (pdev->driver || !(bar->flags & IORESOURCE_MEM) ||
		    (bar->flags & IORESOURCE_UNSET) || resource_size(bar) < UNIT)
			continue;
		err = pci_enable_device_mem(pdev);
		if (err)
			continue;
		err = aperture_claim(bar->start, resource_size(bar) & ~(UNIT - 1), true);
		if (!err) {
			backing = pdev;
			return 0;
		}
		pci_disable_device(pdev);
	}
	if (err == -ENODEV)
		pr_err("hisi_sim: no memory for the BARs: add an ivshmem-plain device to the VM, "
		       "or keep a range free with memmap= or mem= and name it with aperture=START,SIZE\n");
	return err;
}

int sim_aperture_init(const char *range, bool trusted)
{
	int err;

	err = range && *range ? claim_range(range, trusted) : claim_ivshmem();
	if (err)
		return err;
	map_units = resource_size(&aperture) >> UNIT_SHIFT;
	map = bitmap_zalloc(map_units, GFP_KERNEL);
	if (!map) {
		sim_aperture_exit();
		return -ENOMEM;
	}
	return 0;
}

void sim_aperture_exit(void)
{
	bitmap_free(map);
	map = NULL;
	remove_resource(&aperture);
	if (backing) {
		pci_disable_device(backing);
		pci_dev_put(backing);
		backing = NULL;
	}
}

/*
 * Allocates zeroed memory for @count BARs of @size bytes, a power of two, side by side and
 * naturally aligned.
 */
int sim_aperture_alloc(struct sim_bar *bars, size_t size, unsigned int count)
{
	unsigned long unit = size >> UNIT_SHIFT, units = unit * count, at;
	unsigned long offset = (aperture.start >> UNIT_SHIFT) & (unit - 1);

	mutex_lock(&map_lock);
	at = bitmap_find_next_zero_area_off(map, map_units, 0, units, unit - 1, offset);
	if (at < map_units)
		bitmap_set(map, at, units);
	mutex_unlock(&map_lock);
	if (at >= map_units)
		return -ENOSPC;

	bars->phys = aperture.start + ((phys_addr_t)at << UNIT_SHIFT);
	bars->size = size * count;
	bars->io = ioremap(bars->phys, bars->size);
	if (!bars->io) {
		sim_aperture_free(bars);
		return -ENOMEM;
	}
	memset_io(bars->io, 0, bars->size);
	return 0;
}

/* Does nothing when @bars hasn't been allocated. */
void sim_aperture_free(struct sim_bar *bars)
{
	unsigned long at = (bars->phys - aperture.start) >> UNIT_SHIFT;

	if (!bars->size)
		return;
	if (bars->io)
		iounmap(bars->io);
	mutex_lock(&map_lock);
	bitmap_clear(map, at, bars->size >> UNIT_SHIFT);
	mutex_unlock(&map_lock);
	*bars = (struct sim_bar){};
}

/* Bytes of the aperture, and how many of them are free. */
void sim_aperture_space(u64 *free, u64 *all)
{
	mutex_lock(&map_lock);
	*all = (u64)map_units << UNIT_SHIFT;
	*free = (u64)(map_units - bitmap_weight(map, map_units)) << UNIT_SHIFT;
	mutex_unlock(&map_lock);
}
