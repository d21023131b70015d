/* SPDX-License-Identifier: Apache-2.0 */
/* Shows single devices with all that can be done with them, as text and as JSON. */
#ifndef WDCTL_DEVICE_SHOW_H
#define WDCTL_DEVICE_SHOW_H

#include <json-c/json.h>

#include "lib/device_control.h"

void device_show(const struct root *r, const struct device_list *list, const struct device *d);
/* NULL without memory. */
struct json_object *device_show_json(const struct root *r, const struct device *d);

#endif
