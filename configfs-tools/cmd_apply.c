// SPDX-License-Identifier: Apache-2.0
/* wdctl apply: makes the kernel's sections those of a file, or changes nothing. */
#include "cmd.h"
#include "provision.h"

static enum wdctl_exit apply_run(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct provision p;
	struct config c;

	if (r->args_nr != 1) {
		wdctl_error("apply", "expected one FILE, or - for standard input");
		return EXIT_USAGE;
	}
	result = provision_parse_file(r, "apply", r->args[0], &c);
	if (result == EXIT_DONE)
		result = provision_open(&p, r, "apply", true);
	if (result == EXIT_DONE) {
		result = provision_change(&p, &c, false);
		provision_close(&p);
	}
	config_free(&c);
	return result;
}

static const struct wdctl_option apply_options[] = {
	PROVISION_OPTIONS_FILE,
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
