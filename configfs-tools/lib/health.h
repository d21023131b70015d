/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a machine: whether accelerators can be used on it, and what to do when not. */
#ifndef WDCTL_HEALTH_H
#define WDCTL_HEALTH_H

#include <stddef.h>

#include "device.h"
#include "kconfig.h"
#include "module.h"
#include "root.h"

enum health_state {
	HEALTH_OK,
	HEALTH_NOTE,		/* missing or unusual, but nothing that is needed here */
	HEALTH_PROBLEM,
};

struct health_item {
	enum health_state state;
	const char *area;
	char text[512];
	char remedy[512];	/* "" when there is nothing to do */
};

struct health {
	struct health_item *item;
	size_t count;
	int error;		/* -ENOMEM once an item was lost */
};

/* What the checks look at, read once. */
struct health_input {
	const struct root *root;
	const struct device_list *devices;
	struct module_db *modules;
	const struct kconfig *config;	/* NULL when the machine keeps none */
	const char *version;		/* of this build */
};

void health_add(struct health *h, enum health_state state, const char *area, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Says what to do about the item added last. */
void health_remedy(struct health *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
size_t health_problems(const struct health *h);
const char *health_state_name(enum health_state state);
void health_free(struct health *h);

void health_check_kernel(struct health *h, const struct health_input *in);
void health_check_modules(struct health *h, const struct health_input *in);
void health_check_devices(struct health *h, const struct health_input *in);
void health_check_simulator(struct health *h, const struct health_input *in);
void health_check_sections(struct health *h, const struct health_input *in);
void health_check_algorithms(struct health *h, const struct health_input *in);
void health_check_host(struct health *h, const struct health_input *in);

#endif
