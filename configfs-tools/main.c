// SPDX-License-Identifier: Apache-2.0
/* wdctl: the table of commands, and main(). */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const struct wdctl_cmd *const cmds[] = {
	&cmd_load,
	&cmd_unload,
	&cmd_list,
	&cmd_device,
	&cmd_section,
	&cmd_check,
	&cmd_plan,
	&cmd_apply,
	&cmd_save,
	&cmd_export,
	&cmd_ctx,
	&cmd_top,
	&cmd_monitor,
	&cmd_metrics,
	&cmd_run,
	&cmd_slurm,
	&cmd_doctor,
	&cmd_selftest,
	&cmd_help,
	&cmd_version,
	NULL,
};

/* Options for completion scripts, which the help doesn't list. */
static enum wdctl_exit list_for_scripts(int argc, char **argv)
{
	const struct wdctl_cmd *const *cmd;

	if (!strcmp(argv[1], "--list-cmds")) {
		for (cmd = cmds; *cmd; cmd++)
			printf("%s\n", (*cmd)->name);
		return EXIT_DONE;
	}
	if (argc != 3 || !wdctl_cmd_find(cmds, argv[2])) {
		wdctl_error(NULL, "--list-opts: expected the name of a command");
		return EXIT_USAGE;
	}
	wdctl_cmd_list_opts(wdctl_cmd_find(cmds, argv[2]));
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	const struct wdctl_cmd *cmd;
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		wdctl_error(NULL, "no command given; run 'wdctl help' for the list");
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--list-cmds") || !strcmp(name, "--list-opts"))
		return list_for_scripts(argc, argv);
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	cmd = wdctl_cmd_find(cmds, name);
	if (!cmd) {
		wdctl_error(NULL, "unknown command '%s'; run 'wdctl help' for the list", name);
		return EXIT_USAGE;
	}
	return wdctl_cmd_main(cmds, cmd, argc - 1, argv + 1);
}
