// SPDX-License-Identifier: Apache-2.0
/* The sysfs tree and the nodes of emulated devices, as files of a temporary folder. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tree.h"
#include "qm_hw.h"

#define FLAG_SHARE_ALL	(1u << 0)
#define FLAG_SGL_MEM	(1u << 1)

struct tree {
	const char *root;
	char path[512];
	size_t len;		/* of the folder that files go into */
	int err;
};

/* What the driver of a kind says of it. */
static const struct {
	unsigned int pci_id;
	const char *wd_type;
	unsigned int sqe_bytes;
	unsigned int flags;
	const char *algorithms[8];
} kinds[DEVICE_KINDS] = {
	[DEVICE_ZIP] = { QM_PCI_ID_ZIP_PF, "compression", 128, FLAG_SHARE_ALL | FLAG_SGL_MEM, { "zlib", "gzip", "deflate" } },
	[DEVICE_SEC] = { QM_PCI_ID_SEC_PF, "crypto", 128, FLAG_SHARE_ALL | FLAG_SGL_MEM, { "cipher", "digest", "aead" } },
	[DEVICE_HPRE] = { QM_PCI_ID_HPRE_PF, "crypto", 64, FLAG_SHARE_ALL,
			  { "rsa", "dh", "ecdh", "ecdsa", "sm2", "x25519", "x448" } },
};

static void fail(struct tree *t)
{
	if (!t->err)
		fprintf(stderr, "wd-emulate: %s: %s\n", t->path, strerror(errno));
	t->err = t->err ? t->err : -errno;
}

__attribute__((format(printf, 2, 3))) static void folder(struct tree *t, const char *format, ...)
{
	va_list ap;
	char *p;
	int n;

	n = snprintf(t->path, sizeof(t->path), "%s/", t->root);
	va_start(ap, format);
	n += vsnprintf(t->path + n, sizeof(t->path) - (size_t)n, format, ap);
	va_end(ap);
	t->len = (size_t)n;
	for (p = t->path + strlen(t->root) + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(t->path, 0755) && errno != EEXIST)
			fail(t);
		*p = c;
		if (!c)
			return;
	}
}

__attribute__((format(printf, 3, 4))) static void file(struct tree *t, const char *name, const char *format, ...)
{
	va_list ap;
	FILE *f;

	if (t->err)
		return;
	snprintf(t->path + t->len, sizeof(t->path) - t->len, "/%s", name);
	f = fopen(t->path, "we");
	if (!f) {
		fail(t);
		return;
	}
	va_start(ap, format);
	if (vfprintf(f, format, ap) < 0)
		fail(t);
	va_end(ap);
	if (fchmod(fileno(f), strcmp(name, "isolate_strategy") ? 0444 : 0644))
		fail(t);
	if (fclose(f))
		fail(t);
}

__attribute__((format(printf, 3, 4))) static void link_to(struct tree *t, const char *name, const char *format, ...)
{
	char target[256];
	va_list ap;

	if (t->err)
		return;
	va_start(ap, format);
	vsnprintf(target, sizeof(target), format, ap);
	va_end(ap);
	snprintf(t->path + t->len, sizeof(t->path) - t->len, "/%s", name);
	if (symlink(target, t->path))
		fail(t);
}

static unsigned int dus_bytes(enum device_kind kind, unsigned int depth)
{
	unsigned int page = (unsigned int)sysconf(_SC_PAGESIZE);
	unsigned int rings = (kinds[kind].sqe_bytes + sizeof(struct qm_cqe)) * depth;

	return ((rings + page - 1) & ~(page - 1)) + page;
}

static void algorithm(struct tree *t, const char *device, enum device_kind kind, const char *name)
{
	folder(t, "sys/class/uacce/%s/%s-%s", device, device_driver(kind), name);
	file(t, "wd_type", "%s\n", kinds[kind].wd_type);
	file(t, "name", "%s\n", name);
	file(t, "latency", "10\n");
	file(t, "throughput", "10\n");
	file(t, "flags", "0x%08x\n", kinds[kind].flags);
	file(t, "device_api", "hisi_qm_v3\n");
	link_to(t, "available_instances", "../available_instances");
}

static void pci_function(struct tree *t, enum device_kind kind, const char *slot, int node)
{
	folder(t, "sys/devices/pci0000:00/%s", slot);
	file(t, "vendor", "0x%04x\n", QM_PCI_VENDOR_HUAWEI);
	file(t, "device", "0x%04x\n", kinds[kind].pci_id);
	file(t, "revision", "0x%02x\n", QM_HW_V3);
	file(t, "numa_node", "%d\n", node);
	file(t, "uevent", "DRIVER=%s\nPCI_SLOT_NAME=%s\n", device_driver(kind), slot);
}

static void device(struct tree *t, unsigned int id, const struct tree_shape *shape)
{
	enum device_kind kind = device_kind(id);
	const char * const *names = kinds[kind].algorithms;
	char name[DEVICE_NAME], slot[32], lines[128];
	size_t i, n = 0;

	device_name(id, name);
	snprintf(slot, sizeof(slot), "0000:%02x:00.0", 0x80 + id);
	pci_function(t, kind, slot, shape->node[id]);
	for (i = 0; names[i]; i++)
		n += (size_t)snprintf(lines + n, sizeof(lines) - n, "%s\n", names[i]);

	folder(t, "sys/class/uacce/%s", name);
	file(t, "api", "hisi_qm_v3\n");
	file(t, "flags", "1\n");
	file(t, "available_instances", "%u\n", shape->queues);
	file(t, "algorithms", "%s", lines);
	file(t, "region_mmio_size", "%u\n", QM_DB_WINDOW);
	file(t, "region_dus_size", "%u\n", dus_bytes(kind, shape->depth));
	file(t, "isolate", "0\n");
	file(t, "isolate_strategy", "0\n");
	file(t, "simulated", "1\n");
	file(t, "zone_id", "%d\n", shape->node[id]);
	file(t, "priority", "0\n");
	file(t, "iommu", "sva-sim\n");
	file(t, "dev", "511:%u\n", id);
	link_to(t, "device", "../../../devices/pci0000:00/%s", slot);
	for (i = 0; names[i]; i++)
		algorithm(t, name, kind, names[i]);

	folder(t, "dev");
	file(t, name, "%s", "");
}

/* All with all CPUs, so that poll threads of any node find some. */
static void node(struct tree *t, int id, int nodes)
{
	char distance[16 * 4] = "";
	int i;

	folder(t, "sys/devices/system/node/node%d", id);
	file(t, "cpulist", "0-%ld\n", sysconf(_SC_NPROCESSORS_CONF) - 1);
	for (i = 0; i < nodes; i++)
		strcat(distance, i == id ? " 10" : " 20");
	file(t, "distance", "%s\n", distance + 1);
}

int tree_make(const char *root, const struct tree_shape *shape)
{
	struct tree t = { .root = root };
	unsigned int i;
	int n;

	folder(&t, "sys/class/uacce");
	for (n = 0; n < shape->nodes; n++)
		node(&t, n, shape->nodes);
	for (i = 0; i < devices_nr(); i++)
		device(&t, i, shape);
	return t.err;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	return remove(path);
}

void tree_remove(const char *root)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
