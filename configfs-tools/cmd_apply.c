// SPDX-License-Identifier: Apache-2.0
/* wdctl apply: makes the kernel's sections those of a file, or changes nothing. */
#include "cmd.h"
#include "provision.h"

#define DEVICE 'd'

/* Leaves of the file only the settings of one device, by its own name or that of its parent. */
static enum wdctl_exit keep_device(struct provision *p, struct config *c, const char *name)
{
	const struct object *device = config_find(&p->kernel, OBJECT_DEVICE, name);
	struct object_list *wanted = &c->objects[OBJECT_DEVICE];
	size_t i;

	if (!device) {
		wdctl_error("apply", "--device %s: not present; 'wdctl list' names the devices", name);
		return EXIT_FAILED;
	}
	for (i = wanted->count; i-- > 0;)
		if (config_find(&p->kernel, OBJECT_DEVICE, wanted->item[i].name) != device)
			config_drop(c, OBJECT_DEVICE, i);
	while (c->objects[OBJECT_SECTION].count)
		config_drop(c, OBJECT_SECTION, 0);
	p->options.partial = true;
	return EXIT_DONE;
}

static enum wdctl_exit apply_run(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct provision p;
	struct config c;

	if (r->args_nr != 1) {
		wdctl_error("apply", "expected one FILE, or - for standard input");
		return EXIT_USAGE;
	}
	if (r->opt[DEVICE] && r->opt[PROVISION_PRUNE]) {
		wdctl_error("apply", "--device: expected without --prune, which is about sections");
		return EXIT_USAGE;
	}
	result = provision_parse_file(r, "apply", r->args[0], &c);
	if (result == EXIT_DONE)
		result = provision_open(&p, r, "apply", true);
	if (result == EXIT_DONE) {
		if (r->opt[DEVICE])
			result = keep_device(&p, &c, r->opt[DEVICE]);
		if (result == EXIT_DONE)
			result = provision_change(&p, &c, false);
		provision_close(&p);
	}
	config_free(&c);
	return result;
}

static const struct wdctl_option apply_options[] = {
	PROVISION_OPTIONS_FILE,
	{ DEVICE, "device", "NAME", "apply only the settings of this device" },
	PROVISION_OPTION_WAIT,
	PROVISION_OPTION_VERBOSE,
	{ 0 },
};

const struct wdctl_cmd cmd_apply = {
	.name = "apply",
	.help = "make the kernel's sections those of FILE; undo everything if a step fails",
	.args = "FILE",
	.kind = WDCTL_CHANGE | WDCTL_CHANGES_ROOT,
	.options = apply_options,
	.run = apply_run,
};
