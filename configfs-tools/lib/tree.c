// SPDX-License-Identifier: Apache-2.0
/* The kernel's sections and devices in configfs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

#define LOCK_LOOK_MS 20
/* A value has at most 4,000 bytes, a status some lines. */
#define TEXT_MAX 8192

static const char *const folder[] = {
	[OBJECT_SECTION] = "sections",
	[OBJECT_DEVICE] = "devices",
};

int tree_open(struct tree *t, const struct root *r)
{
	char path[ROOT_PATH_MAX];
	int kind, ret;

	*t = (struct tree){ .root = r, .dir = { -1, -1 }, .lock = -1 };
	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++) {
		ret = root_path(r, path, sizeof(path), TREE_PATH "/%s", folder[kind]);
		if (!ret) {
			t->dir[kind] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			ret = t->dir[kind] < 0 ? -errno : 0;
		}
		if (ret) {
			tree_close(t);
			return ret;
		}
	}
	return 0;
}

void tree_close(struct tree *t)
{
	int kind;

	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++)
		if (t->dir[kind] >= 0)
			close(t->dir[kind]);
	if (t->lock >= 0)
		close(t->lock);
	*t = (struct tree){ .dir = { -1, -1 }, .lock = -1 };
}

/*
 * A file that only root can open, unlike the folder of sections, which any user could lock. It is never removed:
 * otherwise two processes could hold locks on two files of this name.
 */
static int lock_open(const struct root *r)
{
	char path[ROOT_PATH_MAX], *slash;
	int fd, ret;

	ret = root_path(r, path, sizeof(path), TREE_LOCK);
	if (ret)
		return ret;
	if (root_is_fake(r)) {
		slash = strrchr(path, '/');
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int tree_lock(struct tree *t, int wait_ms)
{
	t->lock = lock_open(t->root);
	if (t->lock < 0)
		return t->lock;
	while (flock(t->lock, LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK || wait_ms <= 0)
			return -errno;
		poll(NULL, 0, LOCK_LOOK_MS);
		wait_ms -= LOCK_LOOK_MS;
	}
	return 0;
}

int tree_tell_change(const struct tree *t)
{
	char path[ROOT_PATH_MAX];
	int fd, ret;

	ret = root_path(t->root, path, sizeof(path), TREE_CHANGED);
	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int attribute_open(const struct tree *t, enum object_kind kind, const char *name,
			  const char *file, int flags)
{
	char path[2 * OBJECT_NAME_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", name, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(t->dir[kind], path, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads the whole text in one call, as configfs provides it; the last newline is cut off. */
static int attribute_read(const struct tree *t, enum object_kind kind, const char *name,
			  const char *file, char *buf, size_t size)
{
	int fd = attribute_open(t, kind, name, file, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, buf, size - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	if (got && buf[got - 1] == '\n')
		got--;
	buf[got] = '\0';
	return 0;
}

int tree_write(struct tree *t, enum object_kind kind, const char *name, const char *file,
	       const char *value)
{
	int fd = attribute_open(t, kind, name, file, O_WRONLY);
	char text[VALUE_BYTES_MAX + 2];
	int len, ret = 0;

	if (fd < 0)
		return fd;
	len = snprintf(text, sizeof(text), "%s\n", value);
	if (len >= (int)sizeof(text))
		ret = -E2BIG;
	/* In one call: the kernel takes each write as a whole value. */
	else if (write(fd, text, len) < 0)
		ret = -errno;
	/* Some file systems report errors only at close. */
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int tree_make(struct tree *t, const char *section)
{
	return mkdirat(t->dir[OBJECT_SECTION], section, 0755) ? -errno : 0;
}

int tree_remove(struct tree *t, const char *section)
{
	return unlinkat(t->dir[OBJECT_SECTION], section, AT_REMOVEDIR) ? -errno : 0;
}

static bool state_parse(const char *word, enum section_state *state)
{
	enum section_state s;

	for (s = SECTION_CONFIGURED; s <= SECTION_DRAINING; s++) {
		if (strcmp(word, section_state_name(s)))
			continue;
		*state = s;
		return true;
	}
	return false;
}

int tree_state(struct tree *t, const char *section, enum section_state *state, char **reason)
{
	char text[TEXT_MAX], *rest;
	int ret;

	if (reason)
		*reason = NULL;
	ret = attribute_read(t, OBJECT_SECTION, section, "status", text, sizeof(text));
	if (ret)
		return ret;
	rest = strpbrk(text, "\n :");
	if (rest) {
		*rest++ = '\0';
		rest += strspn(rest, "\n :");
	}
	if (!state_parse(text, state))
		return -EPROTO;
	if (rest && *rest && reason) {
		*reason = strdup(rest);
		if (!*reason)
			return -ENOMEM;
	}
	return 0;
}

/* The kernel's values are converted to the canonical form of a file's values, so that the two can be compared. */
static int value_read(struct tree *t, enum object_kind kind, struct object *o, size_t i)
{
	const struct attr *a = attr_get(kind, i);
	char text[TEXT_MAX], why[VALUE_WHY_SIZE];
	int ret;

	ret = attribute_read(t, kind, o->name, a->file, text, sizeof(text));
	/* A kernel of another version may lack the attribute. */
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	/* Nothing that could be set, on this device or on another. */
	if (a->type == VALUE_DOORBELLS && !strcmp(text, "isolated"))
		return 0;
	ret = value_parse(a, text, strlen(text), NULL, &o->value[i], why);
	if (ret == -EINVAL) {
		o->value[i] = strdup(text);
		ret = o->value[i] ? 0 : -ENOMEM;
	}
	return ret;
}

static int section_read(struct tree *t, struct object *o)
{
	size_t i;
	int ret;

	ret = tree_state(t, o->name, &o->state, &o->reason);
	for (i = 0; i < SECTION_LIVE && !ret; i++)
		ret = value_read(t, OBJECT_SECTION, o, i);
	if (ret)
		return ret;
	/* A draining section counts as not live, since it will be configured. */
	o->value[SECTION_LIVE] = strdup(o->state == SECTION_IS_LIVE ? "1" : "0");
	return o->value[SECTION_LIVE] ? 0 : -ENOMEM;
}

static long count_read(struct tree *t, const char *device, const char *file)
{
	char text[TEXT_MAX], *end;
	long n;

	if (attribute_read(t, OBJECT_DEVICE, device, file, text, sizeof(text)))
		return -1;
	n = strtol(text, &end, 10);
	return end == text || *end ? -1 : n;
}

static int device_read(struct tree *t, struct object *o)
{
	size_t i;
	int ret = 0;

	if (root_link_name(t->root, o->parent, sizeof(o->parent), "/sys/class/uacce/%s/device", o->name))
		o->parent[0] = '\0';
	for (i = 0; i < DEVICE_ATTRS && !ret; i++)
		ret = value_read(t, OBJECT_DEVICE, o, i);
	if (root_read_long(t->root, &o->node, "/sys/class/uacce/%s/device/numa_node", o->name))
		o->node = -1;
	o->total = count_read(t, o->name, "total_ctxs");
	o->free = count_read(t, o->name, "free_ctxs");
	return ret;
}

/* No section or device can have any other name: entries with one are ignored. */
static bool name_valid(enum object_kind kind, const char *name)
{
	return kind == OBJECT_SECTION ? section_name_valid(name, strlen(name)) :
					device_name_valid(name, strlen(name));
}

static int names_read(struct tree *t, struct config *c, enum object_kind kind)
{
	int fd = openat(t->dir[kind], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int ret = 0;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (e = readdir(dir))) {
		if (!name_valid(kind, e->d_name))
			continue;
		if (!config_add(c, kind, e->d_name, strlen(e->d_name)))
			ret = -ENOMEM;
	}
	closedir(dir);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

int tree_read(struct tree *t, struct config *c)
{
	struct object_list *l;
	size_t i;
	int kind, ret;

	memset(c, 0, sizeof(*c));
	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++) {
		l = &c->objects[kind];
		ret = names_read(t, c, kind);
		if (ret)
			goto err_free_config;
		for (i = 0; i < l->count; i++) {
			ret = kind == OBJECT_SECTION ? section_read(t, &l->item[i]) :
						       device_read(t, &l->item[i]);
			/* The object may have disappeared since the folder was read. */
			if (ret && ret != -ENOENT && ret != -ENODEV)
				goto err_free_config;
			if (ret)
				config_drop(c, kind, i--);
		}
		if (l->count)
			qsort(l->item, l->count, sizeof(*l->item), by_name);
	}
	return 0;

err_free_config:
	config_free(c);
	return ret;
}
