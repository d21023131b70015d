/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of 'wdctl export' that describe sections, for container runtimes, systemd and Kubernetes. */
#ifndef WDCTL_SECTION_EXPORT_H
#define WDCTL_SECTION_EXPORT_H

#include "cmd.h"
#include "lib/cdi.h"

/* Keys of the options: their letters. */
#define EXPORT_SECTIONS 's'
#define EXPORT_OUTPUT 'o'
#define EXPORT_SECTION 'S'
#define EXPORT_USER 'u'

/** section_export_cdi() - a specification of all live sections, which a file has when no change is missing from it. */
enum wdctl_exit section_export_cdi(const struct wdctl_run *r, const struct cdi_group *group);

/** section_export_dropin() - a drop-in for a unit, or with --user a rule for udev. Arguments: SECTION UNIT. */
enum wdctl_exit section_export_dropin(const struct wdctl_run *r);
/** section_export_k8s() - fragments for Kubernetes of the section of --section. */
enum wdctl_exit section_export_k8s(const struct wdctl_run *r);

/** section_export_put() - print a specification, or replace the file of --output; frees @top. */
enum wdctl_exit section_export_put(const struct wdctl_run *r, struct json_object *top);

#endif
