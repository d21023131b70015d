// SPDX-License-Identifier: Apache-2.0
/*
 * What a device without shared virtual addressing reaches: memory that was mapped for it, at addresses that nothing
 * else has. Any other access fails, and is counted.
 */
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
#include "emu.h"

EMU_REAL(ssize_t, write, int fd, const void *buf, size_t len)

/* An IOMMU translates whole pages. */
#define ALIGN	4096u

void emu_mapped_init(struct emu_device *dev, u64 seed)
{
	pthread_mutex_init(&dev->mapped_lock, NULL);
	wdm_map_init(&dev->mapped, seed);
}

u64 emu_mapped_place(struct emu_device *dev, u64 len)
{
	u64 at;

	pthread_mutex_lock(&dev->mapped_lock);
	at = wdm_map_place(&dev->mapped, len, ALIGN);
	pthread_mutex_unlock(&dev->mapped_lock);
	return at;
}

struct emu_mapping *emu_mapping_new(void *mem, u64 len, bool user)
{
	struct emu_mapping *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->user = user;
	m->piece.mem = mem;
	m->piece.len = len;
	return m;
}

void emu_mapping_open(struct emu_device *dev, struct emu_mapping *m, u64 at, u32 rights)
{
	m->piece.start = at;
	m->piece.rights = rights;
	pthread_mutex_lock(&dev->mapped_lock);
	wdm_map_add(&dev->mapped, &m->piece);
	pthread_mutex_unlock(&dev->mapped_lock);
}

struct emu_mapping *emu_mapping_on(struct emu_device *dev, void *mem, u64 len, u32 rights)
{
	struct emu_mapping *m = mem ? emu_mapping_new(mem, len, false) : NULL;
	u64 at = m ? emu_mapped_place(dev, len) : 0;

	if (!at) {
		free(m);
		return NULL;
	}
	emu_mapping_open(dev, m, at, rights);
	return m;
}

struct emu_mapping *emu_mapping_own(struct emu_device *dev, u64 len, u32 rights)
{
	void *mem = calloc(1, len);
	struct emu_mapping *m = emu_mapping_on(dev, mem, len, rights);

	if (m)
		m->freed = mem;
	else
		free(mem);
	return m;
}

void emu_mapping_close(struct emu_device *dev, struct emu_mapping *first)
{
	struct emu_mapping *m;

	while ((m = first)) {
		first = m->next;
		if (m->piece.start) {
			pthread_mutex_lock(&dev->mapped_lock);
			wdm_map_remove(&dev->mapped, &m->piece);
			pthread_mutex_unlock(&dev->mapped_lock);
		}
		free(m->freed);
		free(m);
	}
}

static void outside(struct emu_device *dev, const char *what, u64 addr, u64 len)
{
	char text[160];
	int n;

	emu_counts_outside(dev);
	n = snprintf(text, sizeof(text), "wd-emulate: %s %s %llu bytes at %#llx, which aren't mapped for that\n",
		     dev->name, what, (unsigned long long)len, (unsigned long long)addr);
	if (real_write()(STDERR_FILENO, text, (size_t)n) != n)
		return;
}

/*
 * The memory at an address, and whether it is the program's. It stays until the device has let go of the request, so
 * the lock isn't held over the access.
 */
unsigned char *emu_mapped_reach(struct emu_device *dev, u64 addr, u32 rights, u64 *len, bool *user)
{
	struct wdm_piece *piece;
	unsigned char *mem;

	pthread_mutex_lock(&dev->mapped_lock);
	mem = wdm_map_reach(&dev->mapped, addr, rights, len);
	piece = mem ? wdm_map_find(&dev->mapped, addr) : NULL;
	*user = piece && ((struct emu_mapping *)(void *)piece)->user;
	pthread_mutex_unlock(&dev->mapped_lock);
	if (!mem)
		outside(dev, rights & WDM_MAY_WRITE ? "writes" : "reads", addr, *len);
	return mem;
}
