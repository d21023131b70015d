// SPDX-License-Identifier: Apache-2.0
/*
 * Acts as the kernel's configfs for a program started with LD_PRELOAD: below FAKE_UACCE, the folder
 * .../sys/kernel/config/uacce of a tree of plain files, mkdir creates the attributes, and writes are checked as the
 * kernel checks them. All state is in the files, so any number of programs may run one after the other.
 * A section's file .held has the number of its slots that processes hold; a device's .parent names its parent.
 * FAKE_ATTACHES names a section whose first slot gets a holder as soon as the section is live.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS 256
#define DEVICES 16

static char *written[FDS];	/* path below FAKE_UACCE of a descriptor that is open for writing */

/* Writes with system calls, bypassing this file's wrappers. */
static void put(const char *path, const char *text)
{
	int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || syscall(SYS_write, fd, text, strlen(text)) < 0)
		fprintf(stderr, "fake_uacce: %s: %s\n", path, strerror(errno));
	syscall(SYS_close, fd);
}

static void get(const char *path, char *text, size_t size)
{
	int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	long got = fd < 0 ? 0 : syscall(SYS_read, fd, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static const char *top(void)
{
	return getenv("FAKE_UACCE");
}

static void __attribute__((format(printf, 2, 3))) put_at(const char *value, const char *fmt, ...)
{
	char rel[PATH_MAX], path[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rel, sizeof(rel), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", top(), rel);
	put(path, value);
}

static void __attribute__((format(printf, 3, 4))) get_at(char *text, size_t size, const char *fmt, ...)
{
	char rel[PATH_MAX], path[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rel, sizeof(rel), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", top(), rel);
	get(path, text, size);
}

static long number_at(const char *folder, const char *name, const char *file)
{
	char text[64];

	get_at(text, sizeof(text), "%s/%s/%s", folder, name, file);
	return strtol(text, NULL, 10);
}

/* The path below FAKE_UACCE, or NULL for a path elsewhere. */
static const char *below(int dir, const char *path, char *buf, size_t size)
{
	char link[64], base[PATH_MAX];
	ssize_t len;

	if (!top())
		return NULL;
	if (path[0] == '/' || dir == AT_FDCWD)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, base, sizeof(base) - 1);
	if (len < 0)
		return NULL;
	base[len] = '\0';
	if (snprintf(buf, size, "%s/%s", base, path) >= (int)size)
		return NULL;
	len = strlen(top());
	return !strncmp(buf, top(), len) && buf[len] == '/' ? buf + len + 1 : NULL;
}

static const struct {
	const char *file, *value;
	bool shape;
} attributes[] = {
	{ "num_processes", "1\n", false },
	{ "limit_dev_access", "0\n", true },
	{ "sync_ctxs", "1\n", true },
	{ "async_ctxs", "1\n", true },
	{ "nodes", "\n", true },
	{ "devices", "\n", true },
	{ "queue_priority", "0\n", false },
	{ "max_extra_ctxs", "0\n", false },
	{ "bandwidth", "0\n", true },
	{ "max_pinned", "0\n", false },
	{ "allowed_uids", "\n", false },
	{ "allowed_gids", "\n", false },
	{ "live", "0\n", false },
	{ "status", "configured\n", true },
};
#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

int mkdirat(int dir, const char *path, mode_t mode)
{
	char buf[PATH_MAX];
	const char *rel = below(dir, path, buf, sizeof(buf));
	size_t i;

	if (!rel)
		return syscall(SYS_mkdirat, dir, path, mode);
	if (strlen(path) > 31) {
		errno = EINVAL;
		return -1;
	}
	if (syscall(SYS_mkdirat, dir, path, mode))
		return -1;
	for (i = 0; i < ATTRIBUTES; i++)
		put_at(attributes[i].value, "%s/%s", rel, attributes[i].file);
	return 0;
}

static void remove_files(int dir, const char *path)
{
	int fd = syscall(SYS_openat, dir, path, O_RDONLY | O_DIRECTORY);
	DIR *d = fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			syscall(SYS_unlinkat, fd, e->d_name, 0);
	closedir(d);
}

int unlinkat(int dir, const char *path, int flags)
{
	char buf[PATH_MAX], state[64];
	const char *rel = below(dir, path, buf, sizeof(buf));

	if (!rel || !(flags & AT_REMOVEDIR))
		return syscall(SYS_unlinkat, dir, path, flags);
	get_at(state, sizeof(state), "%s/status", rel);
	if (strcmp(state, "configured")) {
		errno = EBUSY;
		return -1;
	}
	remove_files(dir, path);
	if (syscall(SYS_unlinkat, dir, path, AT_REMOVEDIR))
		return -1;
	return 0;
}

static int open_below(int dir, const char *path, int flags, mode_t mode)
{
	char buf[PATH_MAX];
	const char *rel;
	int fd = syscall(SYS_openat, dir, path, flags, mode);

	if (fd < 0 || fd >= FDS || (flags & O_ACCMODE) == O_RDONLY)
		return fd;
	rel = below(dir, path, buf, sizeof(buf));
	if (rel)
		written[fd] = strdup(rel);
	return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return open_below(dir, path, flags, mode);
}

/* The functions that a fortifying compiler calls instead. */
int __openat_2(int dir, const char *path, int flags);
int __openat_2(int dir, const char *path, int flags)
{
	return open_below(dir, path, flags, 0);
}

/* One device of a section, and the number of contexts that the section needs on it. */
struct need {
	char device[256];
	long ctxs;
};

static bool lists(const char *list, const char *device)
{
	char parent[80], word[80];
	int used;

	get_at(parent, sizeof(parent), "devices/%s/.parent", device);
	while (sscanf(list, "%79s%n", word, &used) == 1) {
		if (!strcmp(word, device) || !strcmp(word, parent))
			return true;
		list += used;
	}
	return false;
}

static long per_slot(const char *section, const char *nodes, const char *device)
{
	long zone = number_at("devices", device, "zone_id"), node, sync, async;
	int used;

	if (!*nodes)
		return number_at("sections", section, "sync_ctxs") + number_at("sections", section, "async_ctxs");
	for (; sscanf(nodes, " %ld=%ld+%ld%n", &node, &sync, &async, &used) == 3; nodes += used)
		if (node == zone)
			return sync + async;
	return 0;
}

static int needs(const char *section, long processes, struct need *need)
{
	char path[PATH_MAX], devices[4096], nodes[4096];
	struct dirent *e;
	int count = 0;
	DIR *d;

	get_at(devices, sizeof(devices), "sections/%s/devices", section);
	get_at(nodes, sizeof(nodes), "sections/%s/nodes", section);
	snprintf(path, sizeof(path), "%s/devices", top());
	d = opendir(path);
	while (d && count < DEVICES && (e = readdir(d))) {
		if (e->d_name[0] == '.' || (*devices && !lists(devices, e->d_name)))
			continue;
		snprintf(need[count].device, sizeof(need[count].device), "%s", e->d_name);
		need[count].ctxs = processes * per_slot(section, nodes, e->d_name);
		count++;
	}
	closedir(d);
	return count;
}

static void reserve(const struct need *need, int count, long sign)
{
	char text[64];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%ld\n",
			 number_at("devices", need[i].device, "reserved_ctxs") + sign * need[i].ctxs);
		put_at(text, "devices/%s/reserved_ctxs", need[i].device);
	}
}

static int take(const char *section, long processes)
{
	struct need need[DEVICES];
	int i, count = needs(section, processes, need);
	long room;
	char text[512], state[64];

	get_at(state, sizeof(state), "sections/%s/status", section);
	for (i = 0; i < count; i++) {
		room = number_at("devices", need[i].device, "total_ctxs") -
		       number_at("devices", need[i].device, "reserved_ctxs");
		if (need[i].ctxs <= room)
			continue;
		snprintf(text, sizeof(text), "%.16s\n%.200s: %ld contexts are needed, %ld are free\n", state,
			 need[i].device, need[i].ctxs, room);
		put_at(text, "sections/%s/status", section);
		return ENOSPC;
	}
	reserve(need, count, 1);
	return 0;
}

static void release(const char *section, long processes)
{
	struct need need[DEVICES];

	reserve(need, needs(section, processes, need), -1);
}

static void state_set(const char *section, const char *state)
{
	char text[64];

	snprintf(text, sizeof(text), "%s\n", state);
	put_at(text, "sections/%s/status", section);
	put_at(strcmp(state, "live") ? "0\n" : "1\n", "sections/%s/live", section);
}

static int store_live(const char *section, const char *state, const char *value)
{
	long processes = number_at("sections", section, "num_processes");
	char text[256];
	int ret;

	if (!strcmp(value, "1")) {
		if (!strcmp(state, "draining")) {
			snprintf(text, sizeof(text), "draining\n"
				 "the section is draining: %ld slots are attached, 0 have open contexts only\n",
				 number_at("sections", section, ".held"));
			put_at(text, "sections/%s/status", section);
			return EBUSY;
		}
		ret = strcmp(state, "live") ? take(section, processes) : 0;
		if (!ret)
			state_set(section, "live");
		if (!ret && getenv("FAKE_ATTACHES") && !strcmp(getenv("FAKE_ATTACHES"), section))
			put_at("1\n", "sections/%s/.held", section);
		return ret;
	}
	if (strcmp(value, "0") && strcmp(value, "revoke"))
		return EINVAL;
	if (!strcmp(state, "configured"))
		return 0;
	if (!strcmp(value, "revoke"))
		put_at("0\n", "sections/%s/.held", section);
	if (number_at("sections", section, ".held")) {
		state_set(section, "draining");
		return 0;
	}
	release(section, processes);
	state_set(section, "configured");
	return 0;
}

static int store_processes(const char *section, const char *state, const char *value)
{
	long now = number_at("sections", section, "num_processes"), wanted = strtol(value, NULL, 10);

	if (wanted < 1 || wanted > 65535)
		return EINVAL;
	if (!strcmp(state, "draining"))
		return EBUSY;
	if (strcmp(state, "live"))
		return 0;
	if (wanted < number_at("sections", section, ".held"))
		return EBUSY;
	if (wanted > now)
		return take(section, wanted - now);
	release(section, now - wanted);
	return 0;
}

static int store_section(const char *section, const char *file, const char *value)
{
	char state[64];
	size_t i;

	get_at(state, sizeof(state), "sections/%s/status", section);
	if (!strcmp(file, "live"))
		return store_live(section, state, value);
	if (!strcmp(file, "num_processes"))
		return store_processes(section, state, value);
	if (!strcmp(file, "queue_priority") && strtol(value, NULL, 10) > 7)
		return EINVAL;
	for (i = 0; i < ATTRIBUTES; i++)
		if (!strcmp(file, attributes[i].file) && attributes[i].shape && strcmp(state, "configured"))
			return EBUSY;
	return 0;
}

/* For a device, only values that depend on sections are refused. */
static int store_device(const char *file)
{
	char path[PATH_MAX], state[64], nodes[4096];
	struct dirent *e;
	int ret = 0;
	DIR *d;

	if (strcmp(file, "zone_id"))
		return 0;
	snprintf(path, sizeof(path), "%s/sections", top());
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		get_at(state, sizeof(state), "sections/%s/status", e->d_name);
		get_at(nodes, sizeof(nodes), "sections/%s/nodes", e->d_name);
		if (strcmp(state, "configured") && *nodes)
			ret = EBUSY;
	}
	closedir(d);
	return ret;
}

static ssize_t store(const char *rel, const char *text, size_t len)
{
	char folder[16], name[80], file[80], value[4100];
	int ret;

	if (len > 4000)
		ret = E2BIG;
	else if (sscanf(rel, "%15[^/]/%79[^/]/%79s", folder, name, file) != 3)
		ret = ENOENT;
	else {
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(text, "\n"), text);
		ret = strcmp(folder, "sections") ? store_device(file) : store_section(name, file, value);
	}
	if (ret) {
		errno = ret;
		return -1;
	}
	if (strcmp(file, "live"))
		put_at(text, "%s", rel);
	return len;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	char text[8192];

	if (fd < 0 || fd >= FDS || !written[fd])
		return syscall(SYS_write, fd, buf, len);
	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text) - 1), (const char *)buf);
	return store(written[fd], text, len);
}

int close(int fd)
{
	if (fd >= 0 && fd < FDS && written[fd]) {
		free(written[fd]);
		written[fd] = NULL;
	}
	return syscall(SYS_close, fd);
}
