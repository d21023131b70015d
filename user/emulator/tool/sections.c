// SPDX-License-Identifier: Apache-2.0
/* Slots, attachments and charges by the kernel's rules (docs/provisioning.md), in one thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sections.h"

static struct sections_devices devs;
static unsigned int reserved[DEVICES_MAX], used_pool[DEVICES_MAX];
static struct charge charges[CHARGES_MAX];	/* entry 0 stands for no charge */
static const char *tree;	/* NULL: the counts aren't shown in files */

struct section *section_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_sections; i++)
		if (!strcmp(sections[i].name, name))
			return &sections[i];
	return NULL;
}

/* Free contexts of the pool. Reserved contexts don't count, whether they are used or not. */
static unsigned int pool_free(unsigned int device)
{
	return devs.queues - reserved[device] - used_pool[device];
}

static void available_write(unsigned int device)
{
	char path[512], name[DEVICE_NAME], text[16];
	int fd, n = snprintf(text, sizeof(text), "%u\n", pool_free(device));

	if (!tree)
		return;
	device_name(device, name);
	snprintf(path, sizeof(path), "%s/sys/class/uacce/%s/available_instances", tree, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Without O_TRUNC: a program may be reading the file. */
	if (write(fd, text, (size_t)n) != n || ftruncate(fd, n))
		fprintf(stderr, "wd-emulate: %s: %s\n", path, strerror(errno));
	close(fd);
}

void sections_show(const char *root)
{
	unsigned int i;

	tree = root;
	for (i = 0; i < devs.nr; i++)
		available_write(i);
}

int device_node(unsigned int device)
{
	return devs.node[device];
}

void section_share(const struct section *s, unsigned int position, unsigned int *sync, unsigned int *async)
{
	int node = devs.node[s->device[position]];
	unsigned int i;

	*sync = s->nr_nodes ? 0 : s->sync;
	*async = s->nr_nodes ? 0 : s->async;
	for (i = 0; i < s->nr_nodes; i++)
		if (s->nodes[i].node == node && node >= 0) {
			*sync = s->nodes[i].sync;
			*async = s->nodes[i].async;
		}
}

static unsigned int share_sum(const struct section *s, unsigned int position)
{
	unsigned int sync, async;

	section_share(s, position, &sync, &async);
	return sync + async;
}

static void endpoints_begin(struct section *s)
{
	char name[DEVICE_NAME];
	unsigned int k;

	for (k = 0; k < s->nr_devices; k++) {
		device_name(s->device[k], name);
		s->place[k].endpoint = s->limit ? ENDPOINT_NONE : 0;
		s->place[k].node = devs.node[s->device[k]];
		if (share_sum(s, k))
			endpoint_set_engine(&s->place[k], name);
	}
	if (s->limit)
		endpoints_form(s->place, s->nr_devices);
}

static int section_begin(struct section *s)
{
	unsigned int i, k, all = 0;
	char name[DEVICE_NAME];

	for (i = 0; !s->nr_devices && i < devs.nr; i++)
		s->device[i] = i;
	s->nr_devices = s->nr_devices ? s->nr_devices : devs.nr;
	for (k = 0; k < s->nr_devices; k++) {
		all += share_sum(s, k);
		reserved[s->device[k]] += s->num_processes * share_sum(s, k);
		if (reserved[s->device[k]] <= devs.queues)
			continue;
		device_name(s->device[k], name);
		fprintf(stderr, "wd-emulate: section %s: %s has %u queues, but the sections need %u\n", s->name,
			name, devs.queues, reserved[s->device[k]]);
		return -1;
	}
	if (!all) {
		fprintf(stderr, "wd-emulate: section %s: expected at least one context\n", s->name);
		return -1;
	}
	endpoints_begin(s);
	for (i = 0; i < s->num_processes; i++)
		for (k = 0; k < (unsigned int)endpoints_count(s->place, s->nr_devices); k++) {
			struct slot *slot = &s->slot[s->nr_slots];

			if (s->nr_slots++ == SLOTS_MAX) {
				fprintf(stderr, "wd-emulate: section %s: expected at most %d slots\n", s->name,
					SLOTS_MAX);
				return -1;
			}
			slot->endpoint = (int)k;
			slot->index = (int)i;
			slot->pidfd = -1;
		}
	return 0;
}

int sections_begin(const struct sections_devices *devices)
{
	unsigned int i;

	devs = *devices;
	for (i = 0; i < nr_sections; i++)
		if (section_begin(&sections[i]))
			return -1;
	return 0;
}

/* --- slots --- */

void slot_name(const struct section *s, const struct slot *slot, char name[64])
{
	if (s->limit)
		snprintf(name, 64, "%s_DEV%d_INT_%d", s->name, slot->endpoint, slot->index);
	else
		snprintf(name, 64, "%s_INT_%d", s->name, slot->index);
}

bool slot_has(const struct section *s, const struct slot *slot, unsigned int position)
{
	return slot->endpoint == s->place[position].endpoint;
}

static bool slot_is(const struct section *s, const struct slot *slot, const char *want)
{
	char name[64];

	slot_name(s, slot, name);
	return !want || !strcmp(name, want);
}

struct slot *attachment_of(pid_t pid, struct section **s)
{
	unsigned int i, j;

	for (i = 0; i < nr_sections; i++)
		for (j = 0; j < sections[i].nr_slots; j++)
			if (sections[i].slot[j].owner == pid) {
				*s = &sections[i];
				return &sections[i].slot[j];
			}
	return NULL;
}

/* The slot to which contexts of the process are charged: they bind the process to it. */
static struct slot *charged_to(pid_t pid, struct section **s)
{
	unsigned int i, j;

	for (i = 0; i < nr_sections; i++)
		for (j = 0; j < sections[i].nr_slots; j++)
			if (sections[i].slot[j].charged == pid) {
				*s = &sections[i];
				return &sections[i].slot[j];
			}
	return NULL;
}

static bool ids_have(const struct section_ids *ids, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++)
		if (id >= ids->range[i].first && id <= ids->range[i].last)
			return true;
	return ids->all;
}

/* A process' effective and supplementary groups. */
static bool groups_have(const struct section_ids *gids, pid_t pid)
{
	char path[64], line[4096], *at;
	unsigned int gid, egid;
	bool has = false;
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && !has && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Gid: %*u %u", &egid) == 1)
			has = ids_have(gids, egid);
		if (strncmp(line, "Groups:", 7))
			continue;
		for (at = line + 7; !has && sscanf(at, "%u%n", &gid, &n) == 1; at += n)
			has = ids_have(gids, gid);
	}
	if (f)
		fclose(f);
	return has;
}

/* As in the kernel, except that root has no privilege, and a section without any key allows all users. */
static bool section_allows(const struct section *s, pid_t pid, uid_t uid)
{
	bool nothing_said = !s->uids.all && !s->uids.nr && !s->gids.all && !s->gids.nr;

	return nothing_said || ids_have(&s->uids, uid) || groups_have(&s->gids, pid);
}

struct slot *slot_take(struct section *s, const char *want, pid_t pid, int conn)
{
	unsigned int i;

	for (i = 0; i < s->nr_slots; i++) {
		struct slot *slot = &s->slot[i];

		if (slot->owner || (slot->charged && slot->charged != pid) || !slot_is(s, slot, want))
			continue;
		slot->owner = pid;
		slot->conn = conn;
		slot->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		return slot;
	}
	return NULL;
}

static void section_settle(struct section *s)
{
	if (s->state == SECTION_DRAINING && !slots_attached(s) && !slots_lingering(s))
		s->state = SECTION_CONFIGURED;
}

void slot_leave(struct section *s, struct slot *slot)
{
	slot->owner = 0;
	if (slot->pidfd >= 0)
		close(slot->pidfd);
	slot->pidfd = -1;
	section_settle(s);
}

unsigned int slots_attached(const struct section *s)
{
	unsigned int n = 0, i;

	for (i = 0; i < s->nr_slots; i++)
		n += s->slot[i].owner != 0;
	return n;
}

unsigned int slots_lingering(const struct section *s)
{
	unsigned int n = 0, i;

	for (i = 0; i < s->nr_slots; i++)
		n += !s->slot[i].owner && s->slot[i].charged;
	return n;
}

int attach(const char *name, const char *want, pid_t pid, uid_t uid, int conn, struct section **s, struct slot **slot,
	   const char **why)
{
	struct section *other = NULL;
	struct slot *own;
	unsigned int i;

	*s = section_find(name);
	*slot = NULL;
	*why = "there is no section of this name";
	if (!*s)
		return -ENOENT;
	*why = (*s)->state == SECTION_DRAINING ? "the section is draining" : "the section is not live";
	if ((*s)->state != SECTION_IS_LIVE)
		return -ESHUTDOWN;
	*why = "neither this user nor its groups are allowed in the section";
	if (!section_allows(*s, pid, uid))
		return -EACCES;
	*why = "this process is attached already";
	if (attachment_of(pid, &other))
		return -EALREADY;
	for (i = 0; want && i < (*s)->nr_slots && !slot_is(*s, &(*s)->slot[i], want); i++)
		;
	*why = "the section has no slot of this name";
	if (want && i == (*s)->nr_slots)
		return -ENOENT;
	own = charged_to(pid, &other);
	*why = "this process has contexts that are charged to another slot";
	if (own && (other != *s || !slot_is(other, own, want)))
		return -EBUSY;
	if (own) {
		char bound[64];

		slot_name(*s, own, bound);
		*slot = slot_take(*s, bound, pid, conn);
	} else {
		*slot = slot_take(*s, want, pid, conn);
	}
	return 0;
}

/* --- charges --- */

static int position_of(const struct section *s, unsigned int device)
{
	unsigned int k;

	for (k = 0; k < s->nr_devices; k++)
		if (s->device[k] == device)
			return (int)k;
	return -1;
}

static unsigned int extras_of(pid_t pid)
{
	unsigned int n = 0, i;

	for (i = 1; i < CHARGES_MAX; i++)
		n += charges[i].pid == pid && charges[i].extra;
	return n;
}

/* As in the table of docs/provisioning.md. */
static int charge_choose(struct charge *c)
{
	struct section *s = NULL;
	struct slot *slot = attachment_of(c->pid, &s);
	int k = slot ? position_of(s, c->device) : 0;

	if (slot && (k < 0 || !slot_has(s, slot, (unsigned int)k)))
		return -EACCES;
	if (slot && s->state != SECTION_IS_LIVE)
		return -ESHUTDOWN;
	if (slot && slot->used[k] < share_sum(s, (unsigned int)k)) {
		c->slot = slot;
		c->section = s;
		slot->used[k]++;
		slot->charged = c->pid;
		return 0;
	}
	if (slot && extras_of(c->pid) >= s->max_extra)
		return -EDQUOT;
	if (!pool_free(c->device))
		return -EBUSY;
	c->extra = slot != NULL;
	used_pool[c->device]++;
	available_write(c->device);
	return 0;
}

int charge_open(unsigned int device, pid_t pid, int conn)
{
	struct charge c = { .pid = pid, .conn = conn, .device = device };
	int i, ret;

	for (i = 1; i < CHARGES_MAX && charges[i].pid; i++)
		;
	if (i == CHARGES_MAX || device >= devs.nr)
		return -ENOMEM;
	ret = charge_choose(&c);
	if (ret)
		return ret;
	charges[i] = c;
	return i;
}

void charge_close(int id)
{
	struct charge *c = id > 0 && id < CHARGES_MAX ? &charges[id] : NULL;
	unsigned int sum = 0, k;

	if (!c || !c->pid)
		return;
	if (c->slot) {
		c->slot->used[position_of(c->section, c->device)]--;
		for (k = 0; k < c->section->nr_devices; k++)
			sum += c->slot->used[k];
		if (!sum)
			c->slot->charged = 0;
		section_settle(c->section);
	} else {
		used_pool[c->device]--;
		available_write(c->device);
	}
	memset(c, 0, sizeof(*c));
}

int charges_left(unsigned int device, pid_t pid)
{
	unsigned int free, extras = extras_of(pid), extra;
	struct section *s = NULL;
	struct slot *slot = attachment_of(pid, &s);
	int k;

	if (device >= devs.nr)
		return -ENODEV;
	free = pool_free(device);
	if (!slot)
		return (int)free;
	k = position_of(s, device);
	if (k < 0 || !slot_has(s, slot, (unsigned int)k) || s->state != SECTION_IS_LIVE)
		return 0;
	extra = s->max_extra > extras ? s->max_extra - extras : 0;
	return (int)(share_sum(s, (unsigned int)k) - slot->used[k] + (extra < free ? extra : free));
}

void conn_gone(int conn)
{
	unsigned int i, j;
	int id;

	for (id = 1; id < CHARGES_MAX; id++)
		if (charges[id].pid && charges[id].conn == conn)
			charge_close(id);
	for (i = 0; i < nr_sections; i++)
		for (j = 0; j < sections[i].nr_slots; j++)
			if (sections[i].slot[j].owner && sections[i].slot[j].conn == conn)
				slot_leave(&sections[i], &sections[i].slot[j]);
}

/* --- requests of tests --- */

static void section_revoke(struct section *s)
{
	unsigned int i;
	int id;

	for (id = 1; id < CHARGES_MAX; id++)
		if (charges[id].pid && charges[id].section == s)
			charge_close(id);
	for (i = 0; i < s->nr_slots; i++)
		if (s->slot[i].owner)
			slot_leave(s, &s->slot[i]);
	s->state = SECTION_CONFIGURED;
}

int section_control(const char *name, const char *command)
{
	struct section *s = section_find(name);

	if (!s)
		return -ENOENT;
	if (!strcmp(command, "revoke")) {
		section_revoke(s);
	} else if (!strcmp(command, "drain")) {
		s->state = s->state == SECTION_IS_LIVE ? SECTION_DRAINING : s->state;
		section_settle(s);
	} else if (!strcmp(command, "live")) {
		if (s->state == SECTION_DRAINING)
			return -EBUSY;
		s->state = SECTION_IS_LIVE;
	} else {
		return -EINVAL;
	}
	return 0;
}
