/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices the slots of a section with LimitDevAccess will have. */
#ifndef WDCTL_ENDPOINT_NOTES_H
#define WDCTL_ENDPOINT_NOTES_H

#include "config.h"
#include "plan.h"

/**
 * endpoints_note() - add a line for each endpoint of a section that goes live, by the kernel's rule.
 *
 * @wanted: its settings of devices count, if it has any. Return: 0 or -ENOMEM.
 */
int endpoints_note(struct text_list *notes, const struct object *section, const struct config *wanted,
		   const struct config *kernel);

#endif
