// SPDX-License-Identifier: Apache-2.0
/* Findings about a unit of systemd: what keeps accelerators from it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "escape.h"
#include "health_unit.h"

#define AREA "unit"
#define WORD_MAX 128

struct check {
	struct health *h;
	const char *name;
	const struct unit *u;
	const struct device_list *devices;
	const struct config *kernel;
	char user[WORD_MAX];
};

static void ok(struct check *c, const char *text)
{
	health_add(c->h, HEALTH_OK, AREA, "%s: %s", c->name, text);
}

static void problem(struct check *c, const char *text, const char *remedy)
{
	health_add(c->h, HEALTH_PROBLEM, AREA, "%s: %s", c->name, text);
	health_remedy(c->h, "in a drop-in, as 'wdctl export systemd-dropin' prints it: %s", remedy);
}

/* ------ what its settings keep away ------ */

static void check_devices(struct check *c)
{
	if (unit_is(c->u, "PrivateDevices", "yes"))
		problem(c, "PrivateDevices=yes: its /dev has no accelerators",
			"PrivateDevices=no, DevicePolicy=closed and DeviceAllow=" UNIT_DEVICES " rw");
	else if (!unit_allows_devices(c->u))
		problem(c, "DevicePolicy= or DeviceAllow= doesn't let it open accelerators",
			"DeviceAllow=" UNIT_DEVICES " rw");
	else
		ok(c, "it may open accelerators");
}

static void check_calls(struct check *c)
{
	char calls[256], remedy[300];

	if (unit_filters(c->u, "RestrictAddressFamilies", UNIT_FAMILY))
		problem(c, "RestrictAddressFamilies= keeps netlink away: it can't attach to a section",
			"RestrictAddressFamilies=" UNIT_FAMILY);
	if (!*unit_filtered_calls(c->u, calls, sizeof(calls)))
		return;
	snprintf(remedy, sizeof(remedy), "SystemCallFilter=%s", calls);
	problem(c, "SystemCallFilter= keeps away system calls that the libraries need", remedy);
}

static void check_root(struct check *c)
{
	size_t dir, image;

	unit_get(c->u, "RootDirectory", &dir);
	unit_get(c->u, "RootImage", &image);
	if ((dir || image) && !unit_is(c->u, "MountAPIVFS", "yes"))
		problem(c, "RootDirectory= or RootImage=: /dev and /sys are those of that folder", "MountAPIVFS=yes");
	if (unit_is(c->u, "PrivateUsers", "yes"))
		problem(c, "PrivateUsers=yes: the group of the nodes, and the users that sections allow, aren't there",
			"PrivateUsers=no");
	if (unit_is(c->u, "ProtectKernelTunables", "yes"))
		ok(c, "ProtectKernelTunables=yes makes /sys read-only, which is enough");
}

/* ------ its section ------ */

static bool ids_have(const char *list, unsigned long id)
{
	unsigned long first, last;
	char *end;

	if (!strcmp(list, "*"))
		return true;
	while (*list) {
		first = last = strtoul(list, &end, 10);
		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first <= id && id <= last)
			return true;
		list = end + strspn(end, ", ");
	}
	return false;
}

static bool section_allows(const struct object *section, const struct who *w)
{
	const char *uids = section->value[SECTION_ALLOWED_UIDS], *gids = section->value[SECTION_ALLOWED_GIDS];
	size_t i;

	if (!w->uid || ids_have(uids ? uids : "", w->uid))
		return true;
	for (i = 0; i < w->count; i++)
		if (ids_have(gids ? gids : "", w->gids[i]))
			return true;
	return false;
}

static void check_section(struct check *c, const struct who *w)
{
	char name[WORD_MAX], shown[ESCAPE_SIZE];
	const struct object *section;

	if (!unit_environment(c->u, "WD_SECTION", name, sizeof(name))) {
		health_add(c->h, HEALTH_NOTE, AREA, "%s: no WD_SECTION in Environment=, so it uses the free pool",
			   c->name);
		return;
	}
	escape(shown, sizeof(shown), name, strlen(name));
	section = c->kernel ? config_find(c->kernel, OBJECT_SECTION, name) : NULL;
	if (!section || section->state != SECTION_IS_LIVE) {
		health_add(c->h, HEALTH_PROBLEM, AREA, "%s: its section %s %s", c->name, shown,
			   section ? "isn't live" : "doesn't exist");
		health_remedy(c->h, "apply a file that has it: wdctl-apply(8)");
	} else if (w && !section_allows(section, w)) {
		health_add(c->h, HEALTH_PROBLEM, AREA, "%s: section %s doesn't allow its user %s", c->name, shown,
			   *c->user ? c->user : "root");
		health_remedy(c->h, "name the user in AllowedUsers or one of its groups in AllowedGroups: "
			      "warpdrive.conf(5)");
	} else {
		health_add(c->h, HEALTH_OK, AREA, "%s: its section %s is live", c->name, shown);
	}
}

/* ------ its users ------ */

/* The first node that somebody can't open; NULL: all can be opened. */
static const char *closed_node(const struct device_list *l, const struct who *w, char path[DEVICE_NAME_MAX + 8])
{
	size_t i;

	for (i = 0; i < l->count; i++) {
		snprintf(path, DEVICE_NAME_MAX + 8, "/dev/%s", l->dev[i].name);
		if (!access_may_open(path, w))
			return path;
	}
	return NULL;
}

static void check_user(struct check *c, struct who *w)
{
	char groups[1024], path[DEVICE_NAME_MAX + 8], *word, *rest = NULL;

	unit_copy(c->u, "SupplementaryGroups", groups, sizeof(groups));
	for (word = strtok_r(groups, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		access_add_group(w, word);
	if (!closed_node(c->devices, w, path))
		return;
	health_add(c->h, HEALTH_PROBLEM, AREA, "%s: its user %s can't open %s", c->name, c->user, path);
	health_remedy(c->h, "in a drop-in, as 'wdctl export systemd-dropin' prints it: SupplementaryGroups= with the "
		      "group of the node");
}

static void check_process(struct check *c, pid_t pid)
{
	char path[DEVICE_NAME_MAX + 8], link[64], root[WORD_MAX], shown[ESCAPE_SIZE];
	struct who w;
	ssize_t len;

	if (access_of_process(pid, &w))
		return;
	snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
	len = readlink(link, root, sizeof(root));
	if (len > 0 && !(len == 1 && root[0] == '/'))
		health_add(c->h, HEALTH_NOTE, AREA, "%s: process %d has the root folder %s: it finds devices if the "
			   "class uacce existed when the library was loaded", c->name, (int)pid,
			   escape(shown, sizeof(shown), root, len));
	if (!closed_node(c->devices, &w, path))
		return;
	health_add(c->h, HEALTH_PROBLEM, AREA, "%s: process %d of user %u can't open %s: it has left the groups that "
		   "it was started with, or never had that of the node", c->name, (int)pid, (unsigned int)w.uid, path);
	health_remedy(c->h, "let its user open the nodes, by a rule for udev: 'wdctl export systemd-dropin SECTION %s "
		      "--user USER'", c->name);
}

static void check_processes(struct check *c)
{
	char group[512], path[600];
	int pid, count = 0;
	FILE *f;

	if (!*unit_copy(c->u, "ControlGroup", group, sizeof(group)))
		return;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", group);
	f = fopen(path, "re");
	if (!f) {
		/* The hierarchy of systemd where each controller has its own. */
		snprintf(path, sizeof(path), "/sys/fs/cgroup/systemd%s/cgroup.procs", group);
		f = fopen(path, "re");
	}
	while (f && fscanf(f, "%d", &pid) == 1 && count++ < 1000)
		check_process(c, pid);
	if (f)
		fclose(f);
}

void health_check_unit(struct health *h, const char *name, const struct unit *u, const struct device_list *devices,
		       const struct config *kernel)
{
	struct check c = { .h = h, .name = name, .u = u, .devices = devices, .kernel = kernel };
	struct who w = { 0 };
	bool known = true;

	unit_copy(u, "User", c.user, sizeof(c.user));
	check_devices(&c);
	check_calls(&c);
	check_root(&c);
	if (unit_is(u, "DynamicUser", "yes")) {
		health_add(h, HEALTH_NOTE, AREA, "%s: DynamicUser=yes: its number changes, so let the section allow a "
			   "group of SupplementaryGroups=", name);
		known = false;
	} else if (*c.user && access_of_user(c.user, &w)) {
		health_add(h, HEALTH_PROBLEM, AREA, "%s: its user %s doesn't exist", name, c.user);
		health_remedy(h, "make the user, or correct User=");
		known = false;
	}
	if (known)
		check_user(&c, &w);
	check_section(&c, known ? &w : NULL);
	check_processes(&c);
}
