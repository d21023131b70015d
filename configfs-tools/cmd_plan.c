// SPDX-License-Identifier: Apache-2.0
/* wdctl plan: prints the steps that apply would take. */
#include "cmd.h"
#include "provision.h"

static enum wdctl_exit plan_run(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct provision p;
	struct config c;

	if (r->args_nr != 1) {
		wdctl_error("plan", "expected one FILE, or - for standard input");
		return EXIT_USAGE;
	}
	result = provision_parse_file(r, "plan", r->args[0], &c);
	if (result == EXIT_DONE)
		result = provision_open(&p, r, "plan", false);
	if (result == EXIT_DONE) {
		p.options.whole = true;
		result = provision_change(&p, &c, true);
		provision_close(&p);
	}
	config_free(&c);
	return result;
}

static const struct wdctl_option plan_options[] = {
	PROVISION_OPTIONS_FILE,
	{ 0 },
};

const struct wdctl_cmd cmd_plan = {
	.name = "plan",
	.help = "print the steps that 'apply' would take",
	.args = "FILE",
	.kind = WDCTL_QUERY,
	.options = plan_options,
	.run = plan_run,
};
