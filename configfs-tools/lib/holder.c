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

/* One look for files of devices; each that is found is given to take(). */
struct search {
	const struct root *r;
	const struct device_list *devices;
	int (*take)(const struct search *s, const struct device *d, const char *pid, const char *fd);
	void *result;
};

static int count_file(const struct search *s, const struct device *d, const char *pid, const char *fd)
{
	(void)fd;
	return holder_count(s->result, s->r, d, pid);
}

/* Return: 0, an error of take(), or -EACCES: the process' files can't be seen. */
static int process_search(const struct search *s, const char *pid)
{
	struct root_names fds;
	size_t i, k;
	int ret = 0;

	if (root_list(s->r, &fds, "/proc/%s/fd", pid))
		return -EACCES;
	for (i = 0; !ret && i < fds.count; i++)
		for (k = 0; !ret && k < s->devices->count; k++)
			if (is_node_of(s->r, &s->devices->dev[k], pid, fds.name[i]))
				ret = s->take(s, &s->devices->dev[k], pid, fds.name[i]);
	root_names_free(&fds);
	return ret;
}

static int processes_search(const struct search *s)
{
	struct root_names pids;
	size_t i;
	int ret = root_list(s->r, &pids, "/proc");

	if (ret)
		return ret;
	for (i = 0; i < pids.count && (!ret || ret == -EACCES); i++)
		if (isdigit((unsigned char)pids.name[i][0]))
			ret = process_search(s, pids.name[i]);
	root_names_free(&pids);
	return ret == -EACCES ? 0 : ret;
}

int holder_list_read(const struct root *r, const struct device_list *devices,
		     struct holder_list *list)
{
	const struct search s = { .r = r, .devices = devices, .take = count_file, .result = list };
	int ret;

	list->holder = NULL;
	list->count = 0;
	if (!devices->count)
		return 0;
	ret = processes_search(&s);
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

/* ------ contexts ------ */

/* Facts about the holders of a list's contexts. */
struct ctx_holders {
	struct fact_ctxs *ctxs;
	long *pid;			/* of each: a process that has it open, 0: none has been found yet */
};

/* The context's number in what the kernel tells about a file; -1: an older kernel, or the context is dead. */
static long ctx_of_file(const struct root *r, const char *pid, const char *fd)
{
	char text[1024], *at;

	if (root_read(r, text, sizeof(text), "/proc/%s/fdinfo/%s", pid, fd))
		return -1;
	at = strstr(text, "uacce-ctx:");
	return at ? strtol(at + strlen("uacce-ctx:"), NULL, 10) : -1;
}

static int note_file(const struct search *s, const struct device *d, const char *pid, const char *fd)
{
	struct ctx_holders *h = s->result;
	long ctx = ctx_of_file(s->r, pid, fd);
	const struct fact_ctx *c;
	size_t i;

	for (i = 0; i < h->ctxs->count && ctx >= 0; i++) {
		c = &h->ctxs->item[i];
		if (!c->has_id || c->id != ctx || strcmp(c->dev, d->name))
			continue;
		/* Of several processes that have the file, the one that opened it counts. */
		if (!h->pid[i] || c->pid == atol(pid))
			h->pid[i] = atol(pid);
	}
	return 0;
}

/* First the processes that opened the contexts: most still have them. */
static void search_openers(const struct search *s, const struct ctx_holders *h)
{
	char pid[16];
	size_t i, k;

	for (i = 0; i < h->ctxs->count; i++) {
		for (k = 0; k < i && h->ctxs->item[k].pid != h->ctxs->item[i].pid; k++)
			;
		if (!h->ctxs->item[i].pid || k < i)
			continue;
		snprintf(pid, sizeof(pid), "%u", h->ctxs->item[i].pid);
		/* Of a process whose files can't be seen, the kernel's word is all there is. */
		if (process_search(s, pid) != -EACCES)
			continue;
		for (k = i; k < h->ctxs->count; k++)
			if (h->ctxs->item[k].pid == h->ctxs->item[i].pid)
				h->pid[k] = h->ctxs->item[k].pid;
	}
}

static bool all_found(const struct ctx_holders *h)
{
	size_t i;

	for (i = 0; i < h->ctxs->count; i++)
		if (!h->pid[i] && h->ctxs->item[i].has_id)
			return false;
	return true;
}

static void take_holder(const struct root *r, struct fact_ctx *c, long pid)
{
	struct holder h;
	char number[16];

	if (!pid || c->pid == pid)
		return;
	snprintf(number, sizeof(number), "%ld", pid);
	comm_read(r, &h, number);
	snprintf(c->comm, sizeof(c->comm), "%s", h.comm);
	c->pid = (uint32_t)pid;
	c->passed = true;
}

static void ctxs_search(const struct root *r, const struct device_list *devices, struct fact_ctxs *l)
{
	struct ctx_holders h = { .ctxs = l, .pid = calloc(l->count + 1, sizeof(*h.pid)) };
	const struct search s = { .r = r, .devices = devices, .take = note_file, .result = &h };
	size_t i;

	if (!h.pid)
		return;
	search_openers(&s, &h);
	if (!all_found(&h))
		processes_search(&s);
	for (i = 0; i < l->count; i++)
		take_holder(r, &l->item[i], h.pid[i]);
	free(h.pid);
}

int holder_ctxs(struct wd_nl *f, struct fact_ctxs *l)
{
	struct device_list devices;
	struct root r;
	int ret = facts_ctxs(f, l);

	/* Without the files, the list has what the kernel says. */
	if (!l->count || root_open(&r, NULL))
		return ret;
	if (!device_list_read(&r, &devices)) {
		ctxs_search(&r, &devices, l);
		device_list_free(&devices);
	}
	root_close(&r);
	return ret;
}

const char *holder_name(char buf[HOLDER_NAME_SIZE], const struct fact_ctx *c)
{
	if (c->pid)
		snprintf(buf, HOLDER_NAME_SIZE, "%s (%u)", c->comm, c->pid);
	else
		snprintf(buf, HOLDER_NAME_SIZE, "%s (which has ended)", c->comm);
	return buf;
}
