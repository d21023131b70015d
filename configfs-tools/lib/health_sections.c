// SPDX-License-Identifier: Apache-2.0
/* Checks what sections need: the kernel's support, the device nodes' group, the service that restores them at boot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "export.h"
#include "base/netlink.h"
#include "health.h"

#define AREA "sections"
#define ENABLED "/etc/systemd/system/multi-user.target.wants/" EXPORT_UNIT

/* A recorded machine has no running kernel to ask. */
static void check_family(struct health *h, const struct health_input *in)
{
	const struct root *r = in->root;
	struct wd_nl f;
	int ret;

	if (root_is_fake(r))
		return;
	ret = wd_nl_open(&f, UACCE_GENL_NAME);
	if (!ret) {
		wd_nl_close(&f);
		health_add(h, HEALTH_OK, AREA, "netlink family %s answers", UACCE_GENL_NAME);
		return;
	}
	health_add(h, HEALTH_PROBLEM, AREA, "netlink family %s: %s, so this process can't attach to sections",
		   UACCE_GENL_NAME, strerror(-ret));
	if (ret == -ENOENT && in->container)
		health_remedy(h, "Run 'wdctl doctor' on the host.");
	else if (ret == -ENOENT)
		health_command(h, "wdctl unload && wdctl load");
	else
		health_remedy(h,
			      "Allow this process AF_NETLINK sockets, in a systemd unit by RestrictAddressFamilies=.");
}

/* Other checks report if the uacce module isn't loaded, or configfs isn't mounted. */
static void check_kernel_side(struct health *h, const struct health_input *in)
{
	const struct root *r = in->root;

	if (in->container) {
		check_family(h, in);
		return;
	}
	if (!root_exists(r, "/sys/module/uacce"))
		return;
	if (root_exists(r, "/sys/kernel/config/uacce/sections")) {
		health_add(h, HEALTH_OK, AREA, "the loaded uacce has sections");
		check_family(h, in);
		return;
	}
	if (!health_configfs_mounted(r))
		return;
	health_add(h, HEALTH_NOTE, AREA, "the loaded uacce has no sections");
	health_command(h, "wdctl unload && make install-modules && wdctl load");
}

static bool group_exists(const struct root *r, const char *name)
{
	char text[65536];
	size_t len = strlen(name);
	const char *line;
	int ret = root_read(r, text, sizeof(text), "/etc/group");

	/* A file that doesn't fit may name the group: report nothing. */
	if (ret)
		return ret == -EFBIG;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ':')
			return true;
	}
	return false;
}

/* Another rule of the machine may let users open the nodes. */
static bool only_root_opens(const struct health_input *in)
{
	char path[ROOT_PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < in->devices->count; i++)
		if (!root_path(in->root, path, sizeof(path), "/dev/%s", in->devices->dev[i].name) && !stat(path, &st) &&
		    ((st.st_mode & 0006) == 0006 || (st.st_gid && (st.st_mode & 0060) == 0060)))
			return false;
	return true;
}

static void check_group(struct health *h, const struct health_input *in)
{
	const struct root *r = in->root;

	if (group_exists(r, EXPORT_GROUP)) {
		health_add(h, HEALTH_OK, AREA, "group " EXPORT_GROUP " exists");
		return;
	}
	if (!only_root_opens(in)) {
		health_add(h, HEALTH_OK, AREA, "group " EXPORT_GROUP " doesn't exist, but users can open device nodes "
			   "without it");
		return;
	}
	health_add(h, HEALTH_NOTE, AREA, "group " EXPORT_GROUP " doesn't exist, so only root can open the device "
		   "nodes");
	health_command(h, "groupadd --system " EXPORT_GROUP " && udevadm trigger --subsystem-match=uacce");
}

static void check_service(struct health *h, const struct root *r)
{
	if (!root_exists(r, EXPORT_SECTIONS_FILE)) {
		health_add(h, HEALTH_NOTE, AREA,
			   "no sections are restored at boot: " EXPORT_SECTIONS_FILE " doesn't exist");
		health_command(h, "mkdir -p /etc/warpdrive && wdctl save " EXPORT_SECTIONS_FILE " && systemctl enable "
			       EXPORT_UNIT);
	} else if (!root_exists(r, ENABLED)) {
		health_add(h, HEALTH_NOTE, AREA, "no sections are restored at boot: " EXPORT_UNIT " is not enabled");
		health_command(h, "systemctl enable " EXPORT_UNIT);
	} else {
		health_add(h, HEALTH_OK, AREA, EXPORT_SECTIONS_FILE " is restored at boot");
	}
}

void health_check_sections(struct health *h, const struct health_input *in)
{
	bool foreign = device_list_foreign(in->devices);

	if (!foreign)
		check_kernel_side(h, in);
	if (in->container)
		return;
	check_group(h, in);
	if (!foreign)
		check_service(h, in->root);
}
