/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of sections, devices' settings, errors and plans (json-c). */
#ifndef WDCTL_JSON_CONFIG_H
#define WDCTL_JSON_CONFIG_H

#include <json-c/json.h>

#include "config.h"
#include "plan.h"

/* Each gives a new object, NULL without memory. */
struct json_object *json_from_object(enum object_kind kind, const struct object *o, bool of_kernel);
struct json_object *json_from_config(const struct config *c, bool of_kernel);
/* "errors": a list of lines and texts; "error_count": the number of all errors, which may be greater. */
struct json_object *json_from_errors(const struct config *c);
struct json_object *json_from_plan(const struct plan *p);
struct json_object *json_from_lines(const struct text_list *l);

#endif
