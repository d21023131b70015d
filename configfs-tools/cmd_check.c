// SPDX-License-Identifier: Apache-2.0
/* wdctl check: checks a file of sections without asking the kernel. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lib/json_config.h"
#include "provision.h"

static enum wdctl_exit check_run(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct config c;

	if (r->args_nr != 1) {
		wdctl_error("check", "expected one FILE, or - for standard input");
		return EXIT_USAGE;
	}
	result = provision_parse_file(r, "check", r->args[0], &c);
	if (result == EXIT_DONE && r->json)
		result = provision_print_json("check", json_from_errors(&c));
	else if (result == EXIT_DONE)
		printf("%zu section%s, %zu device%s: no errors\n", c.objects[OBJECT_SECTION].count,
		       c.objects[OBJECT_SECTION].count == 1 ? "" : "s", c.objects[OBJECT_DEVICE].count,
		       c.objects[OBJECT_DEVICE].count == 1 ? "" : "s");
	config_free(&c);
	return result;
}

const struct wdctl_cmd cmd_check = {
	.name = "check",
	.help = "check FILE for errors, without asking the kernel",
	.args = "FILE",
	.kind = WDCTL_QUERY,
	.run = check_run,
};
