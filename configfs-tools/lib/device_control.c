// SPDX-License-Identifier: Apache-2.0
/* An administrator's control of a device beside its settings in configfs: virtual functions, isolation, reset. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "device_control.h"

#define CLASS WD_SYSFS_CLASS

static const struct {
	const char *key;
	long min, max;
} keys[] = {
	[CONTROL_FUNCTIONS] = { "Functions", 0, 65535 },
	[CONTROL_ISOLATE] = { "IsolateStrategy", 0, 65535 },
	[CONTROL_BANDWIDTH] = { "Bandwidth", 1, 1000 },
};

const char *control_key(enum control i)
{
	return keys[i].key;
}

enum control control_find(const char *key, size_t len)
{
	int i;

	for (i = 0; i < CONTROLS; i++)
		if (strlen(keys[i].key) == len && !strncasecmp(key, keys[i].key, len))
			break;
	return (enum control)i;
}

/* ------ reading ------ */

static void number_read(const struct root *r, struct device_number *n, const struct device *d, const char *file)
{
	n->known = !root_read_long(r, &n->value, CLASS "/%s/%s", d->name, file);
}

void controls_read(const struct root *r, const struct device *d, struct controls *c)
{
	struct device_number *bandwidth = &c->value[CONTROL_BANDWIDTH];

	memset(c, 0, sizeof(*c));
	if (root_link_name(r, c->driver, sizeof(c->driver), CLASS "/%s/device/driver", d->name))
		c->driver[0] = '\0';
	c->resets = root_exists(r, CLASS "/%s/device/reset", d->name);
	if (root_read(r, c->reset_methods, sizeof(c->reset_methods), CLASS "/%s/device/reset_method", d->name))
		c->reset_methods[0] = '\0';
	number_read(r, &c->functions_max, d, "device/sriov_totalvfs");
	if (c->functions_max.known && c->functions_max.value)
		c->value[CONTROL_FUNCTIONS] = d->vfs;
	number_read(r, &c->value[CONTROL_ISOLATE], d, "isolate_strategy");
	bandwidth->known = !root_read_long(r, &bandwidth->value, "/sys/kernel/debug/%s/%s/alg_qos", c->driver,
					   d->parent);
}

int control_function(const struct root *r, const struct device *d, unsigned int i, char *buf, size_t len)
{
	return root_link_name(r, buf, len, CLASS "/%s/device/virtfn%u", d->name, i);
}

/* ------ checking ------ */

/* Why the device doesn't have this at all. */
static const char *lacks(const struct device *d, enum control i)
{
	switch (i) {
	case CONTROL_FUNCTIONS:
		return d->physical[0] ? "it is a virtual function itself" : "it can't have virtual functions";
	case CONTROL_ISOLATE:
		return "its driver doesn't isolate devices";
	default:
		if (geteuid())
			return "only root can read and set it";
		return "it has no limits of bandwidth, or debugfs isn't mounted (mount -t debugfs none "
		       "/sys/kernel/debug)";
	}
}

int control_check(const struct device *d, const struct controls *c, enum control i, const char *text, long *value,
		  char why[CONTROL_WHY_SIZE])
{
	long max = i == CONTROL_FUNCTIONS && c->functions_max.known ? c->functions_max.value : keys[i].max;
	char *end;

	if (!c->value[i].known) {
		snprintf(why, CONTROL_WHY_SIZE, "%s", lacks(d, i));
		return -EINVAL;
	}
	errno = 0;
	*value = strtol(text, &end, 10);
	if (*text && strspn(text, "0123456789") == strlen(text) && !errno && *value >= keys[i].min && *value <= max)
		return 0;
	snprintf(why, CONTROL_WHY_SIZE, "expected a number from %ld to %ld", keys[i].min, max);
	return -EINVAL;
}

/* ------ writing ------ */

static int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != len)
		ret = -EIO;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int number_write(const struct root *r, const struct device *d, const char *file, long value)
{
	char path[ROOT_PATH_MAX], text[32];
	int ret = root_path(r, path, sizeof(path), CLASS "/%s/%s", d->name, file);

	snprintf(text, sizeof(text), "%ld\n", value);
	return ret ? ret : file_write(path, text);
}

/* The number of virtual functions changes only from or to 0. */
static int functions_write(const struct root *r, const struct device *d, long was, long value)
{
	int ret = 0;

	if (was && value && was != value)
		ret = number_write(r, d, "device/sriov_numvfs", 0);
	return ret ? ret : number_write(r, d, "device/sriov_numvfs", value);
}

/* The physical function's file sets the limits of all functions. */
static int bandwidth_write(const struct root *r, const struct device *d, const struct controls *c, long value)
{
	char path[ROOT_PATH_MAX], text[DEVICE_NAME_MAX + 32];
	int ret = root_path(r, path, sizeof(path), "/sys/kernel/debug/%s/%s/alg_qos", c->driver,
			    d->physical[0] ? d->physical : d->parent);

	snprintf(text, sizeof(text), "%s %ld", d->parent, value);
	return ret ? ret : file_write(path, text);
}

int control_set(const struct root *r, const struct device *d, const struct controls *c, enum control i, long value)
{
	switch (i) {
	case CONTROL_FUNCTIONS:
		return functions_write(r, d, c->value[i].value, value);
	case CONTROL_ISOLATE:
		return number_write(r, d, "isolate_strategy", value);
	default:
		return bandwidth_write(r, d, c, value);
	}
}

int control_reset(const struct root *r, const struct device *d)
{
	return number_write(r, d, "device/reset", 1);
}
