// SPDX-License-Identifier: Apache-2.0
/* Files for other programs of the system: systemd, udev. */
#include "cdi.h"
#include "export.h"
#include "tree.h"

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

/*
 * Not a watch on the file of the lock, say: what happens while the service runs must not be lost. A file that is there
 * starts the service again when it ends, and the service removes the file before it reads.
 */
void export_systemd_cdi(FILE *f, const char *program)
{
	fprintf(f,
		"# Written by 'wdctl export systemd-cdi'.\n"
		"[Unit]\n"
		"Description=Describe accelerators' sections to container runtimes\n"
		"Documentation=man:wdctl-export(8)\n"
		"StartLimitIntervalSec=0\n"
		"\n"
		"[Service]\n"
		"Type=oneshot\n"
		"Restart=on-failure\n"
		"RestartSec=10\n"
		"ExecStartPre=/bin/rm -f " TREE_CHANGED "\n"
		"ExecStartPre=/bin/mkdir -p -m 755 /run/cdi\n"
		"ExecStart=%s export cdi --sections --output " CDI_SECTIONS_FILE "\n",
		program);
	unit_sandbox(f);
}

void export_systemd_cdi_path(FILE *f)
{
	fprintf(f,
		"# Written by 'wdctl export systemd-cdi-path'.\n"
		"[Unit]\n"
		"Description=Notice changes of accelerators' sections\n"
		"Documentation=man:wdctl-export(8)\n"
		"\n"
		"[Path]\n"
		"PathExists=" TREE_CHANGED "\n"
		"Unit=warpdrive-cdi.service\n"
		"\n"
		"[Install]\n"
		"WantedBy=multi-user.target\n");
}

static void slurm_script(FILE *f, const char *program, const char *verb)
{
	fprintf(f,
		"#!/bin/sh\n"
		"# Written by 'wdctl export slurm-%s'.\n"
		"exec %s slurm %s\n",
		verb, program, verb);
}

void export_slurm_prolog(FILE *f, const char *program)
{
	slurm_script(f, program, "prolog");
}

void export_slurm_task_prolog(FILE *f, const char *program)
{
	slurm_script(f, program, "task-prolog");
}

void export_slurm_epilog(FILE *f, const char *program)
{
	slurm_script(f, program, "epilog");
}

void export_udev(FILE *f, const char *group)
{
	fprintf(f,
		"# Written by 'wdctl export udev'.\n"
		"# Members of the group may open queues; sections limit how many.\n"
		"SUBSYSTEM==\"uacce\", GROUP=\"%s\", MODE=\"0660\"\n"
		"# The device's settings in " EXPORT_SECTIONS_FILE ".\n"
		"ACTION==\"add\", SUBSYSTEM==\"uacce\", TAG+=\"systemd\", "
		"ENV{SYSTEMD_WANTS}+=\"" EXPORT_DEVICE_UNIT "@%%k.service\"\n"
		"# For warpdrive-cdi.path.\n"
		"ACTION==\"add|remove\", SUBSYSTEM==\"uacce\", RUN+=\"/bin/touch " TREE_CHANGED "\"\n",
		group);
}

void export_sysusers(FILE *f, const char *group)
{
	fprintf(f,
		"# Written by 'wdctl export sysusers'.\n"
		"g %s - -\n",
		group);
}
