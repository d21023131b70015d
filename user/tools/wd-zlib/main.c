// SPDX-License-Identifier: Apache-2.0
/* wd-zlib: runs a program with the replacement of zlib. */
#include "launch.h"
#include "wd_zlib.h"
#include "zlib_shim.h"

static const struct launch_row rows[] = {
	{ 's', "section", "NAME", "attach to this section (WD_SECTION)", "WD_SECTION" },
	{ 'l', "levels", "LOW-HIGH", "the levels of compression that devices are given (1-6)", "WD_ZLIB_LEVELS" },
	{ 'm', "min", "SIZE", "streams of less are none of the devices', 1 to 1m (64k)", "WD_ZLIB_MIN" },
	{ 'c', "chunk", "SIZE", "the parts that devices compress, 64k to 1m (256k)", "WD_ZLIB_CHUNK" },
	{ 'i', "inflate", "WHAT", "what devices decompress: whole, stream or off (whole)", "WD_ZLIB_INFLATE" },
	{ 'S', "stats", "FILE", "each process appends a line of counts to FILE when it exits", "WD_ZLIB_STATS" },
	LAUNCH_ROWS,
};

static const struct launch wd_zlib = {
	.name = "wd-zlib",
	.usage =
		"usage: wd-zlib [--section NAME] [--levels LOW-HIGH] [--min SIZE] [--chunk SIZE]\n"
		"               [--inflate whole|stream|off] [--stats FILE] -- COMMAND [ARGUMENT]...\n"
		"       wd-zlib [OPTION]... --check [--json]\n",
	.what = "Run COMMAND with a zlib that gives large data to devices; wd-zlib(1) describes it.",
	.stats = "WD_ZLIB_STATS",
	.rows = rows, .nr = sizeof(rows) / sizeof(rows[0]),
	.settings = wdz_settings, .nr_settings = WDZ_SETTINGS,
	.find = zlib_shim_find,
	.check = check,
};

int main(int argc, char **argv)
{
	return launch(&wd_zlib, argc, argv);
}
