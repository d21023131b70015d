/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a machine: whether it can use accelerators, and how to remedy problems. */
#ifndef WDCTL_HEALTH_H
#define WDCTL_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "device.h"
#include "kconfig.h"
#include "module.h"
#include "root.h"

enum health_state {
	HEALTH_OK,
	HEALTH_NOTE,		/* missing or unusual, but not needed here */
	HEALTH_PROBLEM,
};

struct health_item {
	enum health_state state;
	const char *area;
	char text[512];
	char remedy[512];	/* "" if there is nothing to do */
	bool command;		/* the remedy is a command for root's shell; else a sentence */
};

struct health {
	struct health_item *item;
	size_t count;
	int error;		/* -ENOMEM once an item was lost */
};

/* Facts that the checks share, read once. */
struct health_input {
	const struct root *root;
	const struct device_list *devices;
	struct module_db *modules;
	const struct kconfig *config;	/* NULL: the machine has none */
	const char *version;		/* of this build */
	bool container;			/* the kernel, its modules and its devices are the host's */
};

void health_add(struct health *h, enum health_state state, const char *area, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* For the item added last: a sentence that says what to do if no command does it. */
void health_remedy(struct health *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For the item added last: a command that can be pasted into a shell as it is. */
void health_command(struct health *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
size_t health_problems(const struct health *h);
const char *health_state_name(enum health_state state);
/* Is configfs where wdctl expects it? */
bool health_configfs_mounted(const struct root *r);
/** health_print() - print a line for each finding, one for its remedy, and the number of problems. */
void health_print(const struct health *h);
void health_free(struct health *h);

void health_check_container(struct health *h, const struct health_input *in);
void health_check_kernel(struct health *h, const struct health_input *in);
void health_check_modules(struct health *h, const struct health_input *in);
void health_check_foreign(struct health *h, const struct health_input *in);
void health_check_devices(struct health *h, const struct health_input *in);
void health_check_simulator(struct health *h, const struct health_input *in);
void health_check_sections(struct health *h, const struct health_input *in);
void health_check_declared(struct health *h, const struct health_input *in);
void health_check_algorithms(struct health *h, const struct health_input *in);
void health_check_openssl(struct health *h, const struct health_input *in);
void health_check_zlib(struct health *h, const struct health_input *in);
void health_check_zstd(struct health *h, const struct health_input *in);
void health_check_metrics(struct health *h, const struct health_input *in);
void health_check_host(struct health *h, const struct health_input *in);

#endif
