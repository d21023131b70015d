// SPDX-License-Identifier: Apache-2.0
/* The processes that hold accelerator queues open. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "holder.h"

static bool is_node_of(const struct root *r, const struct device *d, const char *pid,
		       const char *fd)
{
	char path[ROOT_PATH_MAX], dev[32], name[DEVICE_NAME_MAX];
	struct stat st;

	if (root_path(r, path, sizeof(path), "/proc/%s/fd/%s", pid, fd))
		return false;
	/* A link of a recorded tree has no target: compare names. On a running machine a node may have any name. */
	if (root_is_fake(r))
		return !root_link_name(r, name, sizeof(name), "/proc/%s/fd/%s", pid, fd) &&
		       !strcmp(name, d->name);
	if (stat(path, &st) || !S_ISCHR(st.st_mode))
		return false;
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return !strcmp(dev, d->dev);
}

static void comm_read(const struct root *r, struct holder *h, const char *pid)
{
	char *c;

	if (root_read(r, h->comm, sizeof(h->comm), "/proc/%s/comm", pid))
		strcpy(h->comm, "?");
	for (c = h->comm; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
}

static int holder_count(struct holder_list *list, const struct root *r, const struct device *d,
			const char *pid)
{
	struct holder *h;
	size_t i;

	for (i = 0; i < list->count; i++) {
		h = &list->holder[i];
		if (h->pid == atol(pid) && !strcmp(h->device, d->name)) {
			h->queues++;
			return 0;
		}
	}
	h = realloc(list->holder, (list->count + 1) * sizeof(*h));
	if (!h)
		return -ENOMEM;
	list->holder = h;
	h += list->count++;
	memset(h, 0, sizeof(*h));
	h->pid = atol(pid);
	h->queues = 1;
	strcpy(h->device, d->name);
	comm_read(r, h, pid);
	return 0;
}

static int process_scan(const struct root *r, const struct device_list *devices, const char *pid,
			struct holder_list *list)
{
	struct root_names fds;
	size_t i, k;
	int ret = 0;

	if (root_list(r, &fds, "/proc/%s/fd", pid))
		return 0;
	for (i = 0; !ret && i < fds.count; i++)
		for (k = 0; !ret && k < devices->count; k++)
			if (is_node_of(r, &devices->dev[k], pid, fds.name[i]))
				ret = holder_count(list, r, &devices->dev[k], pid);
	root_names_free(&fds);
	return ret;
}

int holder_list_read(const struct root *r, const struct device_list *devices,
		     struct holder_list *list)
{
	struct root_names pids;
	size_t i;
	int ret;

	list->holder = NULL;
	list->count = 0;
	if (!devices->count)
		return 0;
	ret = root_list(r, &pids, "/proc");
	if (ret)
		return ret;
	for (i = 0; !ret && i < pids.count; i++)
		if (isdigit((unsigned char)pids.name[i][0]))
			ret = process_scan(r, devices, pids.name[i], list);
	root_names_free(&pids);
	if (ret)
		holder_list_free(list);
	return ret;
}

void holder_list_free(struct holder_list *list)
{
	free(list->holder);
	list->holder = NULL;
	list->count = 0;
}
