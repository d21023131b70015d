// SPDX-License-Identifier: Apache-2.0
/* wd-zstd: runs a program whose libzstd has its matches found by devices. */
#include "launch.h"
#include "wd_zstd.h"

static const struct launch_row rows[] = {
	{ 's', "section", "NAME", "attach to this section (WD_SECTION)", "WD_SECTION" },
	{ 'l', "levels", "LOW-HIGH", "the levels of compression that devices are given (1-6)", "WD_ZSTD_LEVELS" },
	{ 'm', "min", "SIZE", "whole buffers of less are none of the devices', 1 to 1m (64k)", "WD_ZSTD_MIN" },
	{ 'S', "stats", "FILE", "each process appends a line of counts to FILE when it exits", "WD_ZSTD_STATS" },
	LAUNCH_ROWS,
};

static const struct launch wd_zstd = {
	.name = "wd-zstd",
	.usage =
		"usage: wd-zstd [--section NAME] [--levels LOW-HIGH] [--min SIZE] [--stats FILE] --\n"
		"               COMMAND [ARGUMENT]...\n"
		"       wd-zstd [OPTION]... --check [--json]\n",
	.what = "Run COMMAND with devices that find matches for libzstd; wd-zstd(1) describes it.",
	.stats = "WD_ZSTD_STATS",
	.rows = rows, .nr = sizeof(rows) / sizeof(rows[0]),
	.settings = wds_settings, .nr_settings = WDS_SETTINGS,
	.find = library_find,
	.check = check,
};

int main(int argc, char **argv)
{
	return launch(&wd_zstd, argc, argv);
}
