// SPDX-License-Identifier: Apache-2.0
/* Files for other programs of the system: systemd, udev, container runtimes. */
#include "export.h"

/* The oldest version that has everything used here. */
#define CDI_VERSION "0.5.0"
#define CDI_KIND "warpdrive/uacce"

/* Users and groups of the file may come from a directory service. */
static void unit_head(FILE *f, const char *format, const char *description, const char *after)
{
	fprintf(f,
		"# Written by 'wdctl export %s'.\n"
		"[Unit]\n"
		"Description=%s\n"
		"Documentation=man:wdctl-apply(8) man:warpdrive.conf(5)\n"
		"ConditionPathExists=" EXPORT_SECTIONS_FILE "\n"
		"Requires=sys-kernel-config.mount\n"
		"After=sys-kernel-config.mount %s\n"
		"After=nss-user-lookup.target\n"
		/* A step that fails now may work later: with a late driver, a directory service, a free slot. */
		"StartLimitIntervalSec=0\n"
		"\n"
		"[Service]\n"
		"Type=oneshot\n"
		"RemainAfterExit=yes\n"
		"Restart=on-failure\n"
		"RestartSec=10\n",
		format, description, after);
}

static void unit_sandbox(FILE *f)
{
	fprintf(f,
		"NoNewPrivileges=yes\n"
		"PrivateTmp=yes\n"
		"ProtectHome=yes\n"
		"ProtectSystem=full\n"
		"RestrictSUIDSGID=yes\n");
}

/* Devices may come later: a section waits for those that it names, and each device has a unit of its own. */
void export_systemd(FILE *f, const char *program)
{
	unit_head(f, "systemd", "Reserve accelerators' queues for services", "systemd-modules-load.service");
	fprintf(f,
		"ExecStart=%s apply --keep-going --missing-ok --wait 0 " EXPORT_SECTIONS_FILE "\n"
		"ExecReload=%s apply --missing-ok " EXPORT_SECTIONS_FILE "\n",
		program, program);
	unit_sandbox(f);
	fprintf(f,
		"\n"
		"[Install]\n"
		"WantedBy=multi-user.target\n");
}

/* The unit stays active when its device goes, so a device that returns doesn't lose what was changed by hand. */
void export_systemd_device(FILE *f, const char *program)
{
	unit_head(f, "systemd-device", "Restore accelerator %i, and the sections that lack it", EXPORT_UNIT);
	fprintf(f,
		"ExecStart=%s apply --keep-going --missing-ok --wait 0 --device %%i " EXPORT_SECTIONS_FILE "\n",
		program);
	unit_sandbox(f);
}

void export_udev(FILE *f, const char *group)
{
	fprintf(f,
		"# Written by 'wdctl export udev'.\n"
		"# Members of the group may open queues; sections limit how many.\n"
		"SUBSYSTEM==\"uacce\", GROUP=\"%s\", MODE=\"0660\"\n"
		"# The device's settings in " EXPORT_SECTIONS_FILE ".\n"
		"ACTION==\"add\", SUBSYSTEM==\"uacce\", TAG+=\"systemd\", "
		"ENV{SYSTEMD_WANTS}+=\"" EXPORT_DEVICE_UNIT "@%%k.service\"\n",
		group);
}

void export_sysusers(FILE *f, const char *group)
{
	fprintf(f,
		"# Written by 'wdctl export sysusers'.\n"
		"g %s - -\n",
		group);
}

/* Without device numbers, which change from boot to boot: the runtime reads them from the host's node. */
static struct json_object *cdi_node(const struct device *d, const uint32_t *gid)
{
	struct json_object *node = json_object_new_object();
	char path[sizeof("/dev/") + DEVICE_NAME_MAX];

	if (!node)
		return NULL;
	snprintf(path, sizeof(path), "/dev/%s", d->name);
	json_object_object_add(node, "path", json_object_new_string(path));
	json_object_object_add(node, "type", json_object_new_string("c"));
	json_object_object_add(node, "permissions", json_object_new_string("rw"));
	/* As the rule for udev has it; otherwise every user of the container could open the node. */
	json_object_object_add(node, "fileMode", json_object_new_int(0660));
	if (gid)
		json_object_object_add(node, "gid", json_object_new_int64(*gid));
	return node;
}

/* One device with the nodes from first to last. */
static struct json_object *cdi_device(const char *name, const struct device_list *devices, size_t first,
				      size_t count, const uint32_t *gid)
{
	struct json_object *device = json_object_new_object(), *edits = json_object_new_object();
	struct json_object *nodes = json_object_new_array();
	size_t i;

	if (!device || !edits || !nodes)
		return NULL;
	for (i = first; i < first + count; i++)
		json_object_array_add(nodes, cdi_node(&devices->dev[i], gid));
	json_object_object_add(edits, "deviceNodes", nodes);
	json_object_object_add(device, "name", json_object_new_string(name));
	json_object_object_add(device, "containerEdits", edits);
	return device;
}

struct json_object *export_cdi(const struct device_list *devices, const uint32_t *gid)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	if (!top || !list)
		return NULL;
	json_object_object_add(top, "cdiVersion", json_object_new_string(CDI_VERSION));
	json_object_object_add(top, "kind", json_object_new_string(CDI_KIND));
	for (i = 0; i < devices->count; i++)
		json_object_array_add(list, cdi_device(devices->dev[i].name, devices, i, 1, gid));
	if (devices->count)
		json_object_array_add(list, cdi_device("all", devices, 0, devices->count, gid));
	json_object_object_add(top, "devices", list);
	return top;
}
