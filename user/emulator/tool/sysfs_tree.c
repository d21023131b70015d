// SPDX-License-Identifier: Apache-2.0
/* The sysfs tree and the device nodes of emulated devices, as files in a temporary folder. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sysfs_tree.h"
#include "generation.h"
#include "hw/qm_hw.h"

#define FLAG_SHARE_ALL	(1u << 0)
#define FLAG_SGL_MEM	(1u << 1)
#define FLAG_STREAM	(1u << 8)

struct tree {
	const char *root;
	char path[512];
	size_t len;		/* of the path of the folder for files */
	int err;
};

/* The kernel driver's words for an algorithm. */
struct algorithm {
	const char *name;
	unsigned int flags;
	unsigned int latency;
	unsigned int throughput;
	unsigned int since;	/* the first generation that has it; 0: all do */
};

static const struct {
	unsigned int pci_id;
	const char *wd_type;
	unsigned int sqe_bytes;
	unsigned int flags;
	struct algorithm algorithms[8];
} kinds[DEVICE_KINDS] = {
	[DEVICE_ZIP] = { QM_PCI_ID_ZIP_PF, "compression", 128, FLAG_SHARE_ALL | FLAG_SGL_MEM, {
		{ "zlib", FLAG_STREAM, 10, 10, 0 }, { "gzip", FLAG_STREAM, 10, 10, 0 },
		{ "deflate", FLAG_STREAM, 10, 10, 3 }, { "lz77_zstd", FLAG_STREAM, 10, 10, 3 },
		{ "lz77_only", FLAG_STREAM, 10, 10, 3 }, { "lz4", 0, 10, 10, 3 },
	} },
	[DEVICE_SEC] = { QM_PCI_ID_SEC_PF, "crypto", 128, FLAG_SHARE_ALL | FLAG_SGL_MEM, {
		{ "cipher", 0, 5, 20, 0 }, { "digest", FLAG_STREAM, 6, 16, 0 }, { "aead", FLAG_STREAM, 7, 14, 0 },
	} },
	[DEVICE_HPRE] = { QM_PCI_ID_HPRE_PF, "crypto", 64, FLAG_SHARE_ALL, {
		{ "rsa", 0, 40, 3, 0 }, { "dh", 0, 40, 3, 0 }, { "ecdh", 0, 22, 6, 3 }, { "ecdsa", 0, 24, 5, 3 },
		{ "sm2", 0, 24, 5, 3 }, { "x25519", 0, 20, 7, 3 }, { "x448", 0, 30, 4, 3 },
	} },
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
	/* Also what nobody may write in the kernel's: the emulator updates numbers, for a user who isn't root. */
	if (fchmod(fileno(f), 0644))
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

static const struct wdm_generation *generation_of(unsigned int id)
{
	return wdm_generation(device_generation(id));
}

/* The pages up to the one with the doorbell. */
static unsigned int window_bytes(unsigned int id)
{
	unsigned int page = (unsigned int)sysconf(_SC_PAGESIZE);

	return (generation_of(id)->window_bytes + page - 1) & ~(page - 1);
}

static unsigned int dus_bytes(enum device_kind kind, unsigned int depth)
{
	unsigned int page = (unsigned int)sysconf(_SC_PAGESIZE);
	unsigned int rings = (kinds[kind].sqe_bytes + sizeof(struct qm_cqe)) * depth;

	return ((rings + page - 1) & ~(page - 1)) + page;
}

static void algorithm(struct tree *t, const char *device, unsigned int id, const struct algorithm *alg)
{
	enum device_kind kind = device_kind(id);

	folder(t, "sys/class/uacce/%s/%s-%s", device, device_driver(kind), alg->name);
	file(t, "wd_type", "%s\n", kinds[kind].wd_type);
	file(t, "name", "%s\n", alg->name);
	file(t, "latency", "%u\n", alg->latency);
	file(t, "throughput", "%u\n", alg->throughput);
	file(t, "flags", "0x%08x\n", kinds[kind].flags | alg->flags);
	file(t, "device_api", "%s\n", generation_of(id)->api);
	link_to(t, "available_instances", "../available_instances");
}

static void pci_function(struct tree *t, unsigned int id, const char *slot, int node)
{
	enum device_kind kind = device_kind(id);

	folder(t, "sys/devices/pci0000:00/%s", slot);
	file(t, "vendor", "0x%04x\n", QM_PCI_VENDOR_HUAWEI);
	file(t, "device", "0x%04x\n", kinds[kind].pci_id);
	file(t, "revision", "0x%02x\n", generation_of(id)->revision);
	file(t, "numa_node", "%d\n", node);
	file(t, "uevent", "DRIVER=%s\nPCI_SLOT_NAME=%s\n", device_driver(kind), slot);
}

static void device(struct tree *t, unsigned int id, const struct tree_shape *shape)
{
	enum device_kind kind = device_kind(id);
	const struct algorithm *algs = kinds[kind].algorithms;
	char name[DEVICE_NAME], slot[32], lines[128];
	size_t i, n = 0;

	device_name(id, name);
	snprintf(slot, sizeof(slot), "0000:%02x:00.0", 0x80 + id);
	pci_function(t, id, slot, shape->node[id]);
	for (i = 0; algs[i].name; i++)
		if (device_generation(id) >= algs[i].since)
			n += (size_t)snprintf(lines + n, sizeof(lines) - n, "%s\n", algs[i].name);

	folder(t, "sys/class/uacce/%s", name);
	file(t, "api", "%s\n", generation_of(id)->api);
	file(t, "flags", "%d\n", device_memory(id) == DEVICE_SVA);
	file(t, "available_instances", "%u\n", shape->queues);
	file(t, "algorithms", "%s", lines);
	file(t, "region_mmio_size", "%u\n", window_bytes(id));
	file(t, "region_dus_size", "%u\n", dus_bytes(kind, shape->depth));
	file(t, "isolate", "0\n");
	file(t, "isolate_strategy", "0\n");
	file(t, "simulated", "1\n");
	file(t, "zone_id", "%d\n", shape->node[id]);
	file(t, "priority", "0\n");
	file(t, "iommu", "%s\n", device_memory(id) == DEVICE_SVA ? "sva-sim" : "mediated");
	file(t, "dev", "511:%u\n", id);
	link_to(t, "device", "../../../devices/pci0000:00/%s", slot);
	for (i = 0; algs[i].name; i++)
		if (device_generation(id) >= algs[i].since)
			algorithm(t, name, id, &algs[i]);

	folder(t, "dev");
	file(t, name, "%s", "");
}

/* Words of 32 bits, the highest first. */
static void cpu_map(struct tree *t, long cpus)
{
	char map[512] = "";
	size_t n = 0;
	long word;

	for (word = (cpus - 1) / 32; word >= 0 && n + 10 < sizeof(map); word--)
		n += (size_t)snprintf(map + n, sizeof(map) - n, "%08x%s",
				      cpus - word * 32 >= 32 ? ~0u : (1u << (cpus - word * 32)) - 1, word ? "," : "");
	file(t, "cpumap", "%s\n", map);
}

/* Every node has all CPUs, so that poll threads of any node have CPUs to run on. */
static void node(struct tree *t, int id, int nodes)
{
	char distance[16 * 4] = "";
	int i;

	folder(t, "sys/devices/system/node/node%d", id);
	file(t, "cpulist", "0-%ld\n", sysconf(_SC_NPROCESSORS_CONF) - 1);
	cpu_map(t, sysconf(_SC_NPROCESSORS_CONF));
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

static uid_t to_user;
static gid_t to_group;

static int give_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	return lchown(path, to_user, to_group);
}

int tree_give(const char *root, unsigned int user, unsigned int group)
{
	int err;

	to_user = user;
	to_group = group;
	err = nftw(root, give_one, 16, FTW_PHYS) ? -errno : 0;
	if (err)
		fprintf(stderr, "wd-emulate: can't give %s to user %u: %s\n", root, user, strerror(-err));
	return err;
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
