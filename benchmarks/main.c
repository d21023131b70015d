// SPDX-License-Identifier: Apache-2.0
/* wd-bench GROUP: measures one group of rows; benchmarks/run knows which devices each group needs. */
#include <stdio.h>
#include <string.h>
#include "bench.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} groups[] = {
	{ "null", null_rows },
	{ "loop", loop },
	{ "zlib-loop", zlib_loop },
	{ "poll", poll_rows },
	{ "two", two_rows },
	{ "throughput", throughput },
	{ "waiting", waiting },
	{ "heap", heap_rows },
	{ "init", init_rows },
	{ "session", session_rows },
	{ "soft", soft_rows },
	{ "verify", verify_rows },
	{ "attach", attach_rows },
	{ "doorbell", doorbell_rows },
	{ "mediated", mediated_rows },
	{ "crypto", crypto_rows },
	{ "crypto-heap", crypto_heap },
	{ "crypto-null", crypto_null_rows },
	{ "crypto-loop", crypto_loop },
	{ "pubkey", pubkey_rows },
	{ "pubkey-null", pubkey_null_rows },
	{ "pubkey-loop", pubkey_loop },
	{ "jobs", jobs_rows },
	{ "jobs-caller", jobs_caller_rows },
	{ "zlib", zlib_rows },
	{ "zlib-wall", zlib_wall },
	{ "zlib-path", zlib_path },
	{ "zlib-small", zlib_small },
	{ "zstd", zstd_rows },
	{ "text", text_print },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc > 1 && i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(argv[1], groups[i].name))
			return groups[i].run(argc - 2, argv + 2);
	fprintf(stderr, "usage: wd-bench GROUP [ARGUMENT]...; groups:");
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		fprintf(stderr, " %s", groups[i].name);
	fputc('\n', stderr);
	return 2;
}
