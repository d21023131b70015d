/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the kernel's sections, as text and as JSON. */
#ifndef WDCTL_SECTION_SHOW_H
#define WDCTL_SECTION_SHOW_H

#include "provision.h"

enum wdctl_exit section_list(struct provision *p);
/** section_show() - those named, in the syntax of the file, with their state. */
enum wdctl_exit section_show(struct provision *p, char **name, int count);

#endif
