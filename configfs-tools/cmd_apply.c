// SPDX-License-Identifier: Apache-2.0
/* wdctl apply: makes the kernel's sections those of a file, or changes nothing; with --keep-going, what is possible. */
#include <string.h>

#include "cmd.h"
#include "lib/members.h"
#include "provision.h"

#define DEVICE 'd'

/* Has the device to join the section? A section that has it stays as it is, also if it was changed by hand. */
static bool waits_for(const struct provision *p, const struct object *section, const struct object *device)
{
	const struct object *old = config_find(&p->kernel, OBJECT_SECTION, section->name);
	const char *devices = section->value[SECTION_DEVICES];

	if (strcmp(section->value[SECTION_LIVE], "1") || (*devices && !members_have(devices, device)))
		return false;
	if (!old || old->state != SECTION_IS_LIVE)
		return true;
	return old->members && !members_have(old->members, device);
}

/* Leaves of the file only what one device needs, given by its own name or that of its parent. */
static enum wdctl_exit keep_device(struct provision *p, struct config *c, const char *name)
{
	const struct object *device = config_find(&p->kernel, OBJECT_DEVICE, name);
	struct object *o;
	size_t i;

	p->options.partial = true;
	if (!device)
		wdctl_error("apply", "%s--device %s: not present; 'wdctl list' names the devices",
			    p->options.missing_ok ? "note: " : "", name);
	if (!device && !p->options.missing_ok)
		return EXIT_FAILED;
	for (i = 0; i < c->objects[OBJECT_DEVICE].count; i++) {
		o = &c->objects[OBJECT_DEVICE].item[i];
		o->leave |= !device || config_find(&p->kernel, OBJECT_DEVICE, o->name) != device;
	}
	for (i = 0; i < c->objects[OBJECT_SECTION].count; i++) {
		o = &c->objects[OBJECT_SECTION].item[i];
		o->leave = o->leave || !device || !waits_for(p, o, device);
	}
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
		p.options.whole = true;
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
	{ DEVICE, "device", "NAME", "apply only what this device needs: settings, and sections that lack it" },
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
