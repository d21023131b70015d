// SPDX-License-Identifier: Apache-2.0
/* wdzip: gzip, zlib, zstd and LZ4 on accelerators. One input after the other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

static enum wdzip_exit input_process(struct settings *set, const char *name)
{
	struct stat st;

	if (set->recursive && strcmp(name, "-") && !stat(name, &st) && S_ISDIR(st.st_mode))
		return walk_process(set, name);
	return file_process(set, name);
}

int main(int argc, char **argv)
{
	struct settings set;
	enum wdzip_exit result = WDZIP_DONE;
	int ret, i;

	ret = io_reserve_std();
	if (ret) {
		complain("/dev/null", "%s", strerror(-ret));
		return WDZIP_ERROR;
	}
	ret = options_read(&set, argc, argv);
	if (ret < 0) {
		fprintf(stderr, "wdzip: run 'wdzip -h' for the options\n");
		return WDZIP_ERROR;
	}
	if (ret > 0)
		return fflush(stdout) ? WDZIP_ERROR : WDZIP_DONE;
	set.progress = !set.quiet && isatty(STDERR_FILENO) &&
		       !(set.to_stdout && isatty(STDOUT_FILENO));
	if (session_open(&set))
		return WDZIP_ERROR;
	output_catch_signals();
	if (optind == argc)
		result = file_process(&set, "-");
	for (i = optind; i < argc; i++)
		result = exit_worse(result, input_process(&set, argv[i]));
	session_close(&set);
	if (set.mode == MODE_LIST && argc - optind > 1)
		list_totals(&set);
	if (fflush(stdout)) {
		complain(NULL, "standard output: %s", strerror(errno));
		result = WDZIP_ERROR;
	}
	return result;
}
