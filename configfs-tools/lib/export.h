/* SPDX-License-Identifier: Apache-2.0 */
/* Files for other programs of the system: systemd, udev. */
#ifndef WDCTL_EXPORT_H
#define WDCTL_EXPORT_H

#include <stdio.h>

#define EXPORT_SECTIONS_FILE "/etc/warpdrive/sections.conf"
#define EXPORT_RULES_FILE "/etc/udev/rules.d/60-warpdrive.rules"
#define EXPORT_UNIT "warpdrive-sections.service"
#define EXPORT_DEVICE_UNIT "warpdrive-device"
#define EXPORT_GROUP "accel"

/** export_systemd() - print a unit that restores the sections at boot. */
void export_systemd(FILE *f, const char *program);
/** export_systemd_device() - print a template of units for a device: its settings, and the sections that lack it. */
void export_systemd_device(FILE *f, const char *program);
/** export_systemd_cdi() - print a unit that writes the sections' specification for container runtimes. */
void export_systemd_cdi(FILE *f, const char *program);
/** export_systemd_cdi_path() - print a unit that starts that one after each change. */
void export_systemd_cdi_path(FILE *f);
/** export_slurm_*() - print a script that Slurm starts; a site that has scripts adds its line to them. */
void export_slurm_prolog(FILE *f, const char *program);
void export_slurm_task_prolog(FILE *f, const char *program);
void export_slurm_epilog(FILE *f, const char *program);
/** export_udev() - print rules that give the device nodes to a group, start the device's unit, and tell of changes. */
void export_udev(FILE *f, const char *group);
/** export_sysusers() - print a line for sysusers.d that creates the group. */
void export_sysusers(FILE *f, const char *group);

#endif
