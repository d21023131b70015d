// SPDX-License-Identifier: Apache-2.0
/* Devices: reads sysfs attributes into structs, and ranks devices. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/error.h"
#include "base/folders.h"
#include "base/node.h"
#include "base/sandbox.h"
#include "base/sysfs.h"
#include "device/device.h"
#include "device/facts.h"

#define PATH_MAX_HERE	1024
#define GROWTH		16	/* a list of devices grows by this many entries */

static char root[128];	/* prefix of all paths; tests set it to a tree of their own */

int wd_device_set_root(const char *path)
{
	if (strlen(path) >= sizeof(root))
		return -ENAMETOOLONG;
	strcpy(root, path);
	return 0;
}

static int read_attr(const char *name, const char *attr, char *buf, size_t size)
{
	char path[PATH_MAX_HERE];
	const char *rest;
	int dir;

	snprintf(path, sizeof(path), "%s" WD_SYSFS_CLASS "/%s/%s", root, name, attr);
	dir = wd_folder_of(path, &rest);
	return wd_sysfs_text_at(dir, rest, buf, size);
}

/* These errors say nothing about the device, only about this process now. */
static bool is_trouble(int ret)
{
	return ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM || ret == -EACCES;
}

/*
 * A decimal number; none when the attribute is absent or isn't a number. *err is set when the attribute couldn't be
 * read.
 */
static long read_number_err(const char *name, const char *attr, long none, int *err)
{
	char path[PATH_MAX_HERE];
	const char *rest;
	int dir, ret;
	long value;

	snprintf(path, sizeof(path), "%s" WD_SYSFS_CLASS "/%s/%s", root, name, attr);
	dir = wd_folder_of(path, &rest);
	ret = wd_sysfs_number_at(dir, rest, &value);
	if (is_trouble(ret))
		*err = ret;
	return ret ? none : value;
}

static long read_number(const char *name, const char *attr, long none)
{
	int err;

	return read_number_err(name, attr, none, &err);
}

/* The start of the number in <driver>-<number>, NULL for any other name. */
static const char *number_of(const char *name)
{
	const char *dash = strrchr(name, '-');
	const char *p;

	if (!dash || dash == name || !dash[1] || strlen(name) >= WD_NAME_SIZE)
		return NULL;
	for (p = dash + 1; *p; p++)
		if (!isdigit((unsigned char)*p))
			return NULL;
	/* A minor number has 20 bits. */
	return p - dash > 8 ? NULL : dash + 1;
}

/* Only whole lines: a name cut short could be another valid name. */
static void cut_algs(char *text)
{
	char *end;

	if (strlen(text) < MAX_ATTR_STR_SIZE)
		return;
	text[MAX_ATTR_STR_SIZE - 1] = '\0';
	end = strrchr(text, '\n');
	if (end)
		*end = '\0';
}

/* The text isn't on the stack, of which a program's thread may have little. */
static void read_algs(const char *name, char algs[MAX_ATTR_STR_SIZE], int *err)
{
	char *text = malloc(WD_SYSFS_ATTR + 1);
	int ret = text ? read_attr(name, "algorithms", text, WD_SYSFS_ATTR + 1) : -ENOMEM;

	algs[0] = '\0';
	if (is_trouble(ret))
		*err = ret;
	if (!ret || ret == -EFBIG) {
		cut_algs(text);
		strcpy(algs, text);
	}
	free(text);
}

static int read_node(const char *name, int *err)
{
	char folder[PATH_MAX_HERE];
	const char *rest;
	int dir, ret;
	long node;

	snprintf(folder, sizeof(folder), "%s" WD_SYSFS_CLASS "/%s", root, name);
	dir = wd_folder_of(folder, &rest);
	ret = wd_sysfs_node_at(dir, rest, &node);
	if (is_trouble(ret))
		*err = ret;
	return ret ? -1 : (int)node;
}

int wd_device_node(const char *name)
{
	int err;

	return read_node(name, &err);
}

/* A device whose requests the kernel translates works on the process' addresses, too. */
static bool read_mediated(const char *name, int *err)
{
	char text[32];
	int ret = read_attr(name, "iommu", text, sizeof(text));

	if (is_trouble(ret))
		*err = ret;
	return !ret && !strcmp(text, "mediated");
}

/* Attributes that don't change during the device's life. */
static int read_facts(const char *name, struct uacce_dev_info *info)
{
	int ret = read_attr(name, "api", info->api, sizeof(info->api)), err = 0;

	if (ret && ret != -EFBIG)
		return is_trouble(ret) ? ret : -ENODEV;
	read_algs(name, info->algs, &err);
	info->flags = (int)read_number_err(name, "flags", 0, &err);
	info->qfrs_offs[UACCE_QFRT_MMIO] = (unsigned long)read_number_err(name, "region_mmio_size", 0, &err);
	info->qfrs_offs[UACCE_QFRT_DUS] = (unsigned long)read_number_err(name, "region_dus_size", 0, &err);
	info->simulated = read_number_err(name, "simulated", 0, &err) == 1;
	info->mediated = !(info->flags & UACCE_DEV_SVA) && read_mediated(name, &err);
	return err;
}

/* The device number, 0 while there is none: the kernel creates this attribute after all others. */
static dev_t read_rdev(const char *name)
{
	unsigned int maj, min;
	char text[32];

	if (read_attr(name, "dev", text, sizeof(text)) || sscanf(text, "%u:%u", &maj, &min) != 2)
		return 0;
	return makedev(maj, min);
}

/* A device may reuse a name: kept facts count only if the folder still belongs to the same life of the device. */
static int find_facts(const char *name, struct uacce_dev_info *info, dev_t *rdev)
{
	const char *number = strchr(name, '/') ? NULL : number_of(name);
	struct wd_life life;
	int ret;

	if (!number)
		return -EINVAL;

	memset(info, 0, sizeof(*info));
	strcpy(info->name, name);
	info->node_id = atoi(number);
	snprintf(info->alg_path, sizeof(info->alg_path), "%s" WD_SYSFS_CLASS "/%.63s", root, name);
	snprintf(info->dev_root, sizeof(info->dev_root), "%s/dev/%.63s", root, name);
	if (wd_life_of(info->alg_path, &life))
		return -ENODEV;
	if (wd_facts_recall(&life, info, rdev))
		return 0;
	*rdev = read_rdev(name);
	ret = read_facts(name, info);
	if (!ret && *rdev)
		wd_facts_keep(&life, info, *rdev);
	return ret;
}

int wd_device_read(const char *name, struct uacce_dev_info *info)
{
	int ret, err = 0;
	dev_t rdev;

	ret = find_facts(name, info, &rdev);
	if (ret)
		return ret;
	info->numa_node = read_node(name, &err);
	info->priority = (int)read_number_err(name, "priority", 0, &err);
	info->isolated = read_number_err(name, "isolate", 0, &err) == 1;
	info->avail = (int)read_number_err(name, "available_instances", 0, &err);
	return err;
}

struct alg_attr {
	char path[2 * WD_NAME_SIZE + 32];
};

static const char *alg_attr(struct alg_attr *a, const struct uacce_dev_info *info, const char *alg_name,
			    const char *attr)
{
	snprintf(a->path, sizeof(a->path), "%.*s-%.63s/%s", (int)(number_of(info->name) - 1 - info->name), info->name,
		 alg_name, attr);
	return a->path;
}

int wd_device_level(const struct uacce_dev_info *info, const char *alg_name, enum wd_rank rank)
{
	const char *attr = rank == WD_RANK_LATENCY ? "latency" : "throughput";
	struct alg_attr a;

	return (int)read_number(info->name, alg_attr(&a, info, alg_name, attr), WD_LEVEL_AVERAGE);
}

static void read_alg_api(const struct uacce_dev_info *info, const char *alg_name, char api[WD_NAME_SIZE])
{
	struct alg_attr a;
	int ret = read_attr(info->name, alg_attr(&a, info, alg_name, "device_api"), api, WD_NAME_SIZE);

	if (ret && ret != -EFBIG)
		strcpy(api, info->api);
}

/* A device without the flags attribute (as on mainline kernels) isn't excluded. */
static bool has_features(const struct uacce_dev_info *info, const char *alg_name, unsigned int features)
{
	struct alg_attr a;
	char text[32];

	return !features || read_attr(info->name, alg_attr(&a, info, alg_name, "flags"), text, sizeof(text)) ||
	       !(features & ~(unsigned int)strtoul(text, NULL, 16));
}

bool wd_device_has_alg(const struct uacce_dev_info *info, const char *alg_name)
{
	size_t len = strlen(alg_name);
	const char *line, *end;

	for (line = info->algs; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if ((size_t)(end - line) == len && !memcmp(line, alg_name, len))
			return true;
	}
	return false;
}

bool wd_device_usable(const struct uacce_dev_info *info)
{
	return !info->isolated && info->priority >= WD_PRIORITY_MIN && info->priority <= WD_PRIORITY_MAX;
}

/* A device and its list node in one allocation. */
struct listed {
	struct uacce_dev_list node;
	struct uacce_dev_info info;
	char api[WD_NAME_SIZE];		/* for the list's algorithm */
};

const char *wd_device_listed_api(const struct uacce_dev_info *info)
{
	return ((const struct listed *)((const char *)info - offsetof(struct listed, info)))->api;
}

struct candidate {
	struct listed *dev;
	const struct uacce_dev_info *info;
	bool unusable;
	bool lacks;	/* a required feature */
	int distance;
	int level;	/* smaller is better */
};

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->unusable != y->unusable)
		return x->unusable - y->unusable;
	if (x->info->priority != y->info->priority)
		return x->info->priority < y->info->priority ? -1 : 1;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->info->avail != y->info->avail)
		return x->info->avail > y->info->avail ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->info->node_id - y->info->node_id;
}

static void candidate_rate(struct candidate *c, const char *alg_name, enum wd_rank rank, unsigned int features,
			   int node)
{
	int level = alg_name ? wd_device_level(c->info, alg_name, rank) : 0;

	c->unusable = !wd_device_usable(c->info);
	c->distance = wd_node_distance(node, c->info->numa_node);
	c->lacks = alg_name && !has_features(c->info, alg_name, features);
	c->level = rank == WD_RANK_LATENCY ? level : -level;
	if (alg_name)
		read_alg_api(c->info, alg_name, c->dev->api);
}

static void candidates_free(struct candidate *all, size_t n)
{
	while (n--)
		free(all[n].dev);
	free(all);
}

/* Appends the device if it fits. 0, or the error that prevented it. */
static int candidate_add(struct candidate **all, size_t *n, const char *name, const char *alg_name)
{
	struct uacce_dev_info info;
	struct candidate *more;
	struct listed *dev;
	int ret = wd_device_read(name, &info);

	if (is_trouble(ret))
		return ret;
	if (ret || (alg_name && (!wd_device_has_alg(&info, alg_name) || !wd_device_usable(&info))))
		return 0;
	if (!(*n % GROWTH)) {
		more = realloc(*all, (*n + GROWTH) * sizeof(**all));
		if (!more)
			return -ENOMEM;
		*all = more;
	}
	dev = malloc(sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	dev->info = info;
	dev->api[0] = '\0';
	dev->node = (struct uacce_dev_list){ .info = &dev->info };
	(*all)[(*n)++] = (struct candidate){ .dev = dev, .info = &dev->info };
	return 0;
}

static DIR *class_open(void)
{
	char path[PATH_MAX_HERE];
	const char *rest;
	int dir, fd;
	DIR *class;

	snprintf(path, sizeof(path), "%s" WD_SYSFS_CLASS, root);
	dir = wd_folder_of(path, &rest);
	fd = openat(dir, rest, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	class = fd < 0 ? NULL : fdopendir(fd);
	if (!class && fd >= 0)
		close(fd);
	/* Devices may come after the library. */
	if (class && dir == AT_FDCWD && !*root)
		wd_folders_keep();
	return class;
}

static int candidates_find(struct candidate **all, size_t *n, const char *alg_name)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	*all = NULL;
	*n = 0;
	if (wd_sandbox())
		return -EACCES;
	dir = class_open();
	if (!dir)
		return is_trouble(-errno) ? -errno : 0;
	while (!ret && (entry = readdir(dir)))
		ret = candidate_add(all, n, entry->d_name, alg_name);
	closedir(dir);
	if (ret)
		candidates_free(*all, *n);
	return ret;
}

/* Returns how many are left. */
static size_t candidates_drop_lacking(struct candidate *all, size_t n)
{
	size_t kept = 0, i;

	for (i = 0; i < n; i++)
		if (all[i].lacks)
			free(all[i].dev);
		else
			all[kept++] = all[i];
	return kept;
}

static struct uacce_dev_list *list_from(struct candidate *all, size_t n)
{
	struct uacce_dev_list *first = NULL;

	while (n--) {
		all[n].dev->node.next = first;
		first = &all[n].dev->node;
	}
	free(all);
	return first;
}

struct uacce_dev_list *wd_device_list(const char *alg_name, enum wd_rank rank, unsigned int features)
{
	struct candidate *all;
	size_t n, i;
	int node;
	int ret;

	if (alg_name && (!*alg_name || strchr(alg_name, '\n')))
		return wd_null(wd_fail(NULL, EINVAL, "the algorithm name is empty or contains a line break"));
	ret = candidates_find(&all, &n, alg_name);
	if (ret)
		return wd_null(wd_fail(NULL, -ret, "can't list the devices"));
	if (!n)
		return wd_null(wd_fail_str(NULL, ENODEV, alg_name ? "no usable device offers %s" : "no uacce device",
					   alg_name));
	node = wd_node_of_caller();
	for (i = 0; i < n; i++)
		candidate_rate(&all[i], alg_name, rank, features, node);
	n = candidates_drop_lacking(all, n);
	if (!n) {
		free(all);
		return wd_null(wd_fail_str(NULL, EOPNOTSUPP, "no device has the requested features of %s", alg_name));
	}
	qsort(all, n, sizeof(*all), compare);
	return list_from(all, n);
}

struct uacce_dev_list *wd_list_accels(const char *alg_name)
{
	return wd_device_list(alg_name, WD_RANK_THROUGHPUT, 0);
}

struct uacce_dev_list *wd_list_accels_with(const char *alg_name, unsigned int features)
{
	if (!alg_name && features)
		return wd_null(wd_fail(NULL, EINVAL, "features need an algorithm name, and alg_name is NULL"));
	return wd_device_list(alg_name, WD_RANK_THROUGHPUT, features);
}

void wd_free_list_accels(struct uacce_dev_list *list)
{
	struct uacce_dev_list *next;

	for (; list; list = next) {
		next = list->next;
		free(list);
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *wd_get_accel_name(const char *node_path, int no_apdx)
{
	const char *name, *number;
	char *result;

	if (!node_path)
		return wd_null(wd_fail(NULL, EINVAL, "wd_get_accel_name: path is NULL"));
	name = last_part(node_path);
	if (strlen(name) >= WD_NAME_SIZE)
		return wd_null(wd_fail_str(NULL, ENAMETOOLONG, "%s...: the device name is too long", name));
	number = number_of(name);
	if (!number)
		return wd_null(wd_fail_str(NULL, EINVAL, "%s: not the path of a <driver>-<number> node", node_path));
	result = strndup(name, no_apdx ? (size_t)(number - 1 - name) : strlen(name));
	if (!result)
		return wd_null(wd_fail(NULL, ENOMEM, "no memory for the device name"));
	return result;
}

/* The device with this device number, for nodes with other names. */
static int find_by_number(dev_t rdev, struct uacce_dev_info *info)
{
	struct candidate *all;
	size_t n, i;
	int ret;

	ret = candidates_find(&all, &n, NULL);
	if (ret)
		return ret;
	ret = -ENODEV;
	for (i = 0; i < n && ret; i++) {
		if (read_rdev(all[i].info->name) != rdev)
			continue;
		*info = *all[i].info;
		ret = 0;
	}
	candidates_free(all, n);
	return ret;
}

int wd_device_of_node(const char *node_path, struct uacce_dev_info *info, dev_t *rdev)
{
	const char *rest;
	struct stat st;
	int dir;

	if (strlen(node_path) >= PATH_STR_SIZE)
		return -ENAMETOOLONG;
	if (wd_sandbox())
		return -EACCES;
	if (!find_facts(last_part(node_path), info, rdev) && !strcmp(info->dev_root, node_path))
		return 0;
	/* Does not open it: open() may have side effects on other kinds of devices. */
	dir = wd_folder_of(node_path, &rest);
	if (fstatat(dir, rest, &st, 0))
		return errno == EACCES || errno == ENOENT ? -errno : -ENODEV;
	*rdev = st.st_rdev;
	return S_ISCHR(st.st_mode) ? find_by_number(st.st_rdev, info) : -ENODEV;
}

static int node_fail(int ret, const char *node_path)
{
	switch (ret) {
	case -ENODEV:
		return wd_fail_str(NULL, ENODEV, "%s: not a node of a uacce device", node_path);
	case -ENOENT:
		return wd_fail_str(NULL, ENOENT, "%s", node_path);
	default:
		return wd_fail_str(NULL, -ret, "%s: can't identify the device", node_path);
	}
}

static int node_access(const char *node_path)
{
	const char *rest;
	int dir = wd_folder_of(node_path, &rest);

	return faccessat(dir, rest, R_OK | W_OK, 0) && errno == EACCES ? -EACCES : 0;
}

int wd_ctx_get_avail_ctx(const char *node_path)
{
	struct uacce_dev_info info;
	int saved = errno;
	dev_t rdev;
	int ret;

	if (!node_path)
		return wd_fail(NULL, EINVAL, "wd_ctx_get_avail_ctx: path is NULL");
	ret = wd_device_of_node(node_path, &info, &rdev);
	if (!ret)
		ret = node_access(node_path);
	if (!ret) {
		ret = (int)read_number(info.name, "available_instances", -1);
		if (ret < 0)
			ret = -ENODEV;
	}
	errno = saved;
	return ret < 0 ? node_fail(ret, node_path) : ret;
}
