/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of the facts that the kernel reports by netlink (json-c). */
#ifndef WDCTL_JSON_FACTS_H
#define WDCTL_JSON_FACTS_H

#include <json-c/json.h>

#include "event.h"
#include "facts.h"

/* Each gives a new object, NULL without memory. */
struct json_object *json_from_fact_device(const struct fact_device *d);
struct json_object *json_from_fact_section(const struct fact_section *s);
struct json_object *json_from_fact_ctx(const struct fact_ctx *c);
struct json_object *json_from_event(const struct event *e);

#endif
