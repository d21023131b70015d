// SPDX-License-Identifier: Apache-2.0
/* Devices: sysfs attributes into structs, and which of them is best. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "device.h"
#include "error.h"
#include "facts.h"

#define CLASS		"/sys/class/uacce"
#define LOCAL_DISTANCE	10	/* ACPI's number for the same node */
#define ATTR_MAX	4096	/* sysfs gives a page at most */
#define PATH_MAX_HERE	1024
#define GROWTH		16	/* a list of devices at a time */

static char root[128];	/* tests put a tree of their own here */

int wd_device_set_root(const char *path)
{
	if (strlen(path) >= sizeof(root))
		return -ENAMETOOLONG;
	strcpy(root, path);
	return 0;
}

/* The file's text without its last line break. 0 or -errno. */
static int read_text(const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return 0;
}

static int read_attr(const char *name, const char *attr, char *buf, size_t size)
{
	char path[PATH_MAX_HERE];

	snprintf(path, sizeof(path), "%s" CLASS "/%s/%s", root, name, attr);
	return read_text(path, buf, size);
}

/* A decimal number, or none when the attribute is absent or isn't one. */
static long read_number(const char *name, const char *attr, long none)
{
	char text[32];
	char *end;
	long value;

	if (read_attr(name, attr, text, sizeof(text)))
		return none;
	value = strtol(text, &end, 10);
	return end == text || *end ? none : value;
}

/* Where the number begins in <driver>-<number>, NULL for any other name. */
static const char *number_of(const char *name)
{
	const char *dash = strrchr(name, '-');
	const char *p;

	if (!dash || dash == name || !dash[1] || strlen(name) >= WD_NAME_SIZE)
		return NULL;
	for (p = dash + 1; *p; p++)
		if (!isdigit((unsigned char)*p))
			return NULL;
	/* A minor number: 20 bits. */
	return p - dash > 8 ? NULL : dash + 1;
}

/* Only whole lines, so that no name is cut into another one. */
static void read_algs(const char *name, char algs[MAX_ATTR_STR_SIZE])
{
	char text[ATTR_MAX];
	char *end;

	algs[0] = '\0';
	if (read_attr(name, "algorithms", text, sizeof(text)))
		return;
	if (strlen(text) >= MAX_ATTR_STR_SIZE) {
		text[MAX_ATTR_STR_SIZE - 1] = '\0';
		end = strrchr(text, '\n');
		if (end)
			*end = '\0';
	}
	strcpy(algs, text);
}

static int read_numa_node(const char *name)
{
	long node = read_number(name, "zone_id", -1);

	return (int)(node >= 0 ? node : read_number(name, "device/numa_node", -1));
}

/* What stays as long as the device lives. */
static int read_facts(const char *name, struct uacce_dev_info *info)
{
	if (read_attr(name, "api", info->api, sizeof(info->api)))
		return -ENODEV;
	read_algs(name, info->algs);
	info->flags = (int)read_number(name, "flags", 0);
	info->qfrs_offs[UACCE_QFRT_MMIO] = (unsigned long)read_number(name, "region_mmio_size", 0);
	info->qfrs_offs[UACCE_QFRT_DUS] = (unsigned long)read_number(name, "region_dus_size", 0);
	info->simulated = read_number(name, "simulated", 0) == 1;
	return 0;
}

/* The kernel makes this attribute when it has made all others. */
static bool is_complete(const char *name)
{
	char text[32];

	return !read_attr(name, "dev", text, sizeof(text));
}

/* A name is only a name: what was kept is its device's if that is still the same one. */
static int find_facts(const char *name, int number, struct uacce_dev_info *info)
{
	struct wd_life life;
	bool complete;
	int ret;

	memset(info, 0, sizeof(*info));
	strcpy(info->name, name);
	info->node_id = number;
	snprintf(info->alg_path, sizeof(info->alg_path), "%s" CLASS "/%.63s", root, name);
	snprintf(info->dev_root, sizeof(info->dev_root), "%s/dev/%.63s", root, name);
	if (wd_life_of(info->alg_path, &life))
		return -ENODEV;
	if (wd_facts_recall(&life, info))
		return 0;
	complete = is_complete(name);
	ret = read_facts(name, info);
	if (!ret && complete)
		wd_facts_keep(&life, info);
	return ret;
}

int wd_device_read(const char *name, struct uacce_dev_info *info)
{
	const char *number = strchr(name, '/') ? NULL : number_of(name);
	int ret;

	if (!number)
		return -EINVAL;
	ret = find_facts(name, atoi(number), info);
	if (ret)
		return ret;
	info->numa_node = read_numa_node(name);
	info->priority = (int)read_number(name, "priority", 0);
	info->isolated = read_number(name, "isolate", 0) == 1;
	info->avail = (int)read_number(name, "available_instances", 0);
	return 0;
}

struct alg_attr {
	char path[2 * WD_NAME_SIZE + 32];
};

static const char *alg_attr(struct alg_attr *a, const struct uacce_dev_info *info, const char *alg_name, const char *attr)
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

void wd_device_alg_api(const struct uacce_dev_info *info, const char *alg_name, char api[WD_NAME_SIZE])
{
	struct alg_attr a;

	if (read_attr(info->name, alg_attr(&a, info, alg_name, "device_api"), api, WD_NAME_SIZE))
		strcpy(api, info->api);
}

/* What the device's flags don't say (mainline has none) isn't held against it. */
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

int wd_device_cpu_node(void)
{
	unsigned int cpu, node;
	int saved = errno;
	long ret = syscall(SYS_getcpu, &cpu, &node, NULL);

	errno = saved;
	return ret ? -1 : (int)node;
}

/* Unknown nodes count as near: better a device than none. */
int wd_device_distance(int from, int to)
{
	char path[PATH_MAX_HERE];
	char text[ATTR_MAX];
	char *p = text, *end;
	long d = LOCAL_DISTANCE;
	int i;

	if (from < 0 || to < 0 || from == to)
		return LOCAL_DISTANCE;
	snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/distance", root, from);
	if (read_text(path, text, sizeof(text)))
		return LOCAL_DISTANCE;
	for (i = 0; i <= to; i++, p = end) {
		d = strtol(p, &end, 10);
		if (end == p)
			return LOCAL_DISTANCE;
	}
	return (int)d;
}

int wd_device_node_cpus(int node, cpu_set_t *cpus)
{
	char path[PATH_MAX_HERE];
	char text[ATTR_MAX];
	char *p, *end;
	int ret;

	snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/cpulist", root, node);
	ret = read_text(path, text, sizeof(text));
	if (ret)
		return ret;
	CPU_ZERO(cpus);
	/* "0-3,8-11" */
	for (p = text; *p; p = *end ? end + 1 : end) {
		long first = strtol(p, &end, 10), last = first;

		if (end == p)
			return -EINVAL;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET((int)first, cpus);
	}
	return 0;
}

/* A device and its place in a list are one piece of memory. */
struct listed {
	struct uacce_dev_list node;
	struct uacce_dev_info info;
};

struct candidate {
	struct listed *dev;
	const struct uacce_dev_info *info;
	bool unusable;
	bool lacks;	/* a feature that is needed */
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

static void candidate_rate(struct candidate *c, const char *alg_name, enum wd_rank rank, unsigned int features, int node)
{
	int level = alg_name ? wd_device_level(c->info, alg_name, rank) : 0;

	c->unusable = !wd_device_usable(c->info);
	c->distance = wd_device_distance(node, c->info->numa_node);
	c->lacks = alg_name && !has_features(c->info, alg_name, features);
	c->level = rank == WD_RANK_LATENCY ? level : -level;
}

static void candidates_free(struct candidate *all, size_t n)
{
	while (n--)
		free(all[n].dev);
	free(all);
}

/* Appends the device if it fits. 0 or -ENOMEM. */
static int candidate_add(struct candidate **all, size_t *n, const char *name, const char *alg_name)
{
	struct uacce_dev_info info;
	struct candidate *more;
	struct listed *dev;

	if (wd_device_read(name, &info) ||
	    (alg_name && (!wd_device_has_alg(&info, alg_name) || !wd_device_usable(&info))))
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
	dev->node = (struct uacce_dev_list){ .info = &dev->info };
	(*all)[(*n)++] = (struct candidate){ .dev = dev, .info = &dev->info };
	return 0;
}

static int candidates_find(struct candidate **all, size_t *n, const char *alg_name)
{
	char path[PATH_MAX_HERE];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	*all = NULL;
	*n = 0;
	snprintf(path, sizeof(path), "%s" CLASS, root);
	dir = opendir(path);
	if (!dir)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!ret && (entry = readdir(dir)))
		ret = candidate_add(all, n, entry->d_name, alg_name);
	closedir(dir);
	if (ret)
		candidates_free(*all, *n);
	return ret;
}

/* How many are left. */
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
		return wd_null(wd_fail(NULL, EINVAL, "algorithm name is empty or has a line break"));
	ret = candidates_find(&all, &n, alg_name);
	if (ret)
		return wd_null(wd_fail(NULL, -ret, "device list"));
	if (!n)
		return wd_null(wd_fail_str(NULL, ENODEV, alg_name ? "no usable device offers %s" : "no uacce device",
					   alg_name));
	node = wd_device_cpu_node();
	for (i = 0; i < n; i++)
		candidate_rate(&all[i], alg_name, rank, features, node);
	n = candidates_drop_lacking(all, n);
	if (!n) {
		free(all);
		return wd_null(wd_fail_str(NULL, EOPNOTSUPP, "no device has the features of %s that are needed", alg_name));
	}
	qsort(all, n, sizeof(*all), compare);
	return list_from(all, n);
}

struct uacce_dev_list *wd_list_accels(const char *alg_name)
{
	return wd_device_list(alg_name, WD_RANK_THROUGHPUT, 0);
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
		return wd_null(wd_fail_str(NULL, ENAMETOOLONG, "%s...: device name", name));
	number = number_of(name);
	if (!number)
		return wd_null(wd_fail_str(NULL, EINVAL, "%s: not a path to <driver>-<number>", node_path));
	result = strndup(name, no_apdx ? (size_t)(number - 1 - name) : strlen(name));
	if (!result)
		return wd_null(wd_fail(NULL, ENOMEM, "device name"));
	return result;
}

/* The device with this device number, for nodes under other names. */
static int find_by_number(dev_t rdev, struct uacce_dev_info *info)
{
	struct candidate *all;
	unsigned int maj, min;
	char text[32];
	size_t n, i;
	int ret;

	ret = candidates_find(&all, &n, NULL);
	if (ret)
		return ret;
	ret = -ENODEV;
	for (i = 0; i < n && ret; i++) {
		if (read_attr(all[i].info->name, "dev", text, sizeof(text)) ||
		    sscanf(text, "%u:%u", &maj, &min) != 2 || makedev(maj, min) != rdev)
			continue;
		*info = *all[i].info;
		ret = 0;
	}
	candidates_free(all, n);
	return ret;
}

int wd_device_of_node(const char *node_path, struct uacce_dev_info *info)
{
	struct stat st;

	if (strlen(node_path) >= PATH_STR_SIZE)
		return -ENAMETOOLONG;
	if (!wd_device_read(last_part(node_path), info) && !strcmp(info->dev_root, node_path))
		return 0;
	/* Not opened to find out: opening may do things to other kinds of devices. */
	if (stat(node_path, &st))
		return errno == EACCES || errno == ENOENT ? -errno : -ENODEV;
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
		return wd_fail_str(NULL, -ret, "%s: can't be used", node_path);
	}
}

int wd_ctx_get_avail_ctx(const char *node_path)
{
	struct uacce_dev_info info;
	int saved = errno;
	int ret;

	if (!node_path)
		return wd_fail(NULL, EINVAL, "wd_ctx_get_avail_ctx: path is NULL");
	ret = wd_device_of_node(node_path, &info);
	if (!ret && access(node_path, R_OK | W_OK) && errno == EACCES)
		ret = -EACCES;
	if (!ret) {
		ret = (int)read_number(info.name, "available_instances", -1);
		if (ret < 0)
			ret = -ENODEV;
	}
	errno = saved;
	return ret < 0 ? node_fail(ret, node_path) : ret;
}
