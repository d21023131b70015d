// SPDX-License-Identifier: Apache-2.0
/* wdctl help: the commands, or the options of one. */
#include <stdio.h>

#include "cmd.h"

static enum wdctl_exit help_run(const struct wdctl_run *r)
{
	const struct wdctl_cmd *const *cmd;
	const struct wdctl_cmd *one;

	if (r->args_nr > 1) {
		wdctl_error("help", "expected at most one command");
		return EXIT_USAGE;
	}
	if (r->args_nr) {
		one = wdctl_cmd_find(r->cmds, r->args[0]);
		if (!one) {
			wdctl_error("help", "unknown command '%s'", r->args[0]);
			return EXIT_USAGE;
		}
		wdctl_cmd_usage(one);
		return EXIT_DONE;
	}
	printf("usage: wdctl COMMAND [options]\n\nAdminister accelerators.\n\n");
	for (cmd = r->cmds; *cmd; cmd++)
		printf("  %-10s %s\n", (*cmd)->name, (*cmd)->help);
	printf("\nRun 'wdctl COMMAND --help' for a command's options; wdctl-COMMAND(8) describes the command.\n");
	return EXIT_DONE;
}

const struct wdctl_cmd cmd_help = {
	.name = "help",
	.help = "list the commands, or the options of one",
	.args = "[COMMAND]",
	.kind = WDCTL_PLAIN,
	.run = help_run,
};
