// SPDX-License-Identifier: Apache-2.0
/* Checks of what sections need: the kernel's side, the nodes' group, the service that restores them. */
#include <errno.h>
#include <string.h>

#include "export.h"
#include "base/netlink.h"
#include "health.h"

#define AREA "sections"
#define ENABLED "/etc/systemd/system/multi-user.target.wants/" EXPORT_UNIT

/* A recorded machine doesn't answer. */
static void check_family(struct health *h, const struct root *r)
{
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
	health_add(h, HEALTH_PROBLEM, AREA, "netlink family %s: %s", UACCE_GENL_NAME, strerror(-ret));
	health_remedy(h, "no process can attach: allow this one AF_NETLINK sockets, or load the modules again");
}

/* That nothing is loaded is said elsewhere. */
static void check_kernel_side(struct health *h, const struct root *r)
{
	if (!root_exists(r, "/sys/module/uacce"))
		return;
	if (root_exists(r, "/sys/kernel/config/uacce/sections")) {
		health_add(h, HEALTH_OK, AREA, "this kernel has them");
		check_family(h, r);
		return;
	}
	health_add(h, HEALTH_NOTE, AREA, "the loaded uacce has none, or configfs is not mounted");
	health_remedy(h, "for sections load this project's: wdctl unload, make install, wdctl load");
}

static bool group_exists(const struct root *r, const char *name)
{
	char text[65536];
	size_t len = strlen(name);
	const char *line;
	int ret = root_read(r, text, sizeof(text), "/etc/group");

	/* Of a file that doesn't fit nothing is known: say nothing wrong of it. */
	if (ret)
		return ret == -EFBIG;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ':')
			return true;
	}
	return false;
}

static void check_group(struct health *h, const struct root *r)
{
	if (group_exists(r, EXPORT_GROUP)) {
		health_add(h, HEALTH_OK, AREA, "group " EXPORT_GROUP " for the devices' nodes");
		return;
	}
	health_add(h, HEALTH_NOTE, AREA, "there is no group " EXPORT_GROUP ", so only root opens the devices' nodes");
	health_remedy(h, "groupadd --system " EXPORT_GROUP "; udevadm trigger --subsystem-match=uacce");
}

static void check_service(struct health *h, const struct root *r)
{
	if (!root_exists(r, EXPORT_SECTIONS_FILE)) {
		health_add(h, HEALTH_NOTE, AREA, "none are restored at boot: " EXPORT_SECTIONS_FILE " does not exist");
		health_remedy(h, "wdctl save >" EXPORT_SECTIONS_FILE "; systemctl enable " EXPORT_UNIT);
	} else if (!root_exists(r, ENABLED)) {
		health_add(h, HEALTH_NOTE, AREA, EXPORT_UNIT " is not enabled: " EXPORT_SECTIONS_FILE
			   " is not applied at boot");
		health_remedy(h, "systemctl enable " EXPORT_UNIT);
	} else {
		health_add(h, HEALTH_OK, AREA, "restored at boot from " EXPORT_SECTIONS_FILE);
	}
}

void health_check_sections(struct health *h, const struct health_input *in)
{
	check_kernel_side(h, in->root);
	check_group(h, in->root);
	check_service(h, in->root);
}
