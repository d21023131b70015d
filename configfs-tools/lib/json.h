/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of devices and findings (json-c); the commands print it. */
#ifndef WDCTL_JSON_H
#define WDCTL_JSON_H

#include <json-c/json.h>

#include "device.h"
#include "health.h"

/* Each gives a new object, NULL without memory; json_object_put() frees it. */
struct json_object *json_from_device(const struct device *d);
struct json_object *json_from_health(const struct health *h);

#endif
