// SPDX-License-Identifier: Apache-2.0
/*
 * Random programs of calls, against the distribution's zlib: without a device both libraries do the same in every byte,
 * with devices the shim's output means the same.
 *
 * test_random SEED, or WD_TEST_SEED=N: one seed; WD_TEST_LONG=1: other seeds each time, for an hour; WD_TEST_TRACE=1:
 * print each call; WD_TEST_SHIM=FILE: another library than the one that was built, "stock" for zlib itself;
 * WD_TEST_MEANING=1: as if there were devices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulated.h"
#include "program.h"
#include "wait_ms.h"

#define LONG_SECONDS	3600

/* How often a seed runs each kind of program, and how many seeds there are. */
static const struct kind {
	const char *name;
	void (*program)(struct run *r);
	unsigned int programs, seeds;
	const char *shim;
} kinds[] = {
	{ "deflate streams", program_deflate, 8, 100, NULL },
	{ "inflate streams", program_inflate, 10, 80, NULL },
	{ "inflateBack", program_back, 6, 8, NULL },
	{ "buffers at once and checksums", program_simple, 12, 40, NULL },
	{ "gzip files", program_gz, 6, 40, NULL },
	{ "stock zlib itself keeps the rules of deflate streams with devices", program_deflate, 8, 30, "stock" },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static struct place *place;

static bool devices(void)
{
	return emulated() || getenv("WD_TEST_MEANING");
}

/* What the shim reads from its environment. */
static void set_environment(struct config *c, struct rng *rng)
{
	static const struct { const char *text; size_t bytes; } min[] = {
		{ NULL, 65536 }, { "1", 1 }, { "4k", 4096 }, { "60k", 61440 }
	};
	static const char *const chunks[] = { NULL, "64k", "128k", "1m" };
	static const char *const inflates[] = { NULL, "whole", "off", "stream" };
	static const struct { const char *text; int lo, hi; } levels[] = {
		{ NULL, 1, 6 }, { "1-9", 1, 9 }, { "2-4", 2, 4 }
	};
	size_t m = rng_below(rng, 4), c4 = rng_below(rng, 4), i4 = rng_below(rng, 4), l3 = rng_below(rng, 3);
	const struct { const char *name, *value; } set[] = {
		{ "WD_ZLIB_MIN", min[m].text }, { "WD_ZLIB_CHUNK", chunks[c4] }, { "WD_ZLIB_INFLATE", inflates[i4] },
		{ "WD_ZLIB_LEVELS", levels[l3].text }, { "WD_ZLIB", rng_once_in(rng, 12) ? "off" : NULL },
		{ "SOURCE_DATE_EPOCH", rng_once_in(rng, 12) ? "1" : NULL },
	};
	size_t i;

	*c = (struct config){ .devices = devices() && !set[4].value && !set[5].value, .lo = levels[l3].lo,
			      .hi = levels[l3].hi, .min = min[m].bytes, .inflate_streams = i4 == 3 };
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
		if (set[i].value && getenv("WD_TEST_TRACE"))
			printf("# %s=%s\n", set[i].name, set[i].value);
		if (set[i].value)
			setenv(set[i].name, set[i].value, 1);
		else
			unsetenv(set[i].name);
	}
}

/* One seed's programs, in a process of their own. */
static void run_seed(const struct kind *k, const char *folder)
{
	void (*program)(struct run *) = k->program;
	struct run r;
	unsigned int i;

	alarm(WAIT_MS / 1000);
	run_open(&r, place);
	set_environment(&r.config, &r.rng);
	if (k->shim) {
		setenv("WD_TEST_SHIM", k->shim, 1);
		r.config.devices = true;
	}
	r.folder = folder;
	/* Such a stream has other numbers on its way. */
	if (program == program_inflate && r.config.devices && r.config.inflate_streams)
		program = program_restore;
	run_call(&r, "loading the libraries");
	zlibs_open(r.z);
	for (i = 0; i < k->programs; i++) {
		run_program(&r, i);
		program(&r);
		run_ended(&r);
	}
	run_close(&r);
}

/* Returns whether all went well; otherwise it is printed already. */
static bool seed_passes(const struct kind *k, unsigned long long seed, const char *folder)
{
	int status = 0;
	pid_t pid;

	*place = (struct place){ .seed = seed };
	fflush(stdout);
	pid = fork();
	if (!pid) {
		run_seed(k, folder);
		fflush(stdout);
		exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)) {
		if (WEXITSTATUS(status))
			printf("# WD_TEST_SEED=%llu failed\n", seed);
		return !WEXITSTATUS(status);
	}
	printf("# WD_TEST_SEED=%llu: program %u, call %u: %s: %s\n", seed, place->program, place->call, place->what,
	       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no process");
	return false;
}

static bool kind_passes(const struct kind *k, const char *one, const char *folder)
{
	bool more = getenv("WD_TEST_LONG"), ok = true;
	time_t end = time(NULL) + LONG_SECONDS / (time_t)KINDS;
	unsigned int i, n = getenv("WD_TEST_BRIEF") ? (k->seeds + 2) / 3 : k->seeds;
	unsigned long long seed;

	if (one)
		return seed_passes(k, strtoull(one, NULL, 0), folder);
	seed = more ? (unsigned long long)time(NULL) << 20 : 1;
	for (i = 0; more ? time(NULL) < end : i < n; i++)
		ok &= seed_passes(k, seed + i, folder);
	return ok;
}

int main(int argc, char **argv)
{
	const char *one = argc > 1 ? argv[1] : getenv("WD_TEST_SEED");
	char folder[] = "/tmp/wd-zlib.XXXXXX";
	bool all = true, ok;
	unsigned int i;

	zlibs_start(argv);
	if (!zlib_shim_built() && !getenv("WD_TEST_SHIM"))
		return 4;
	place = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED || !mkdtemp(folder))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", (unsigned int)KINDS);
	for (i = 0; i < KINDS; i++) {
		ok = kind_passes(&kinds[i], one, folder);
		printf("%s %u - %s\n", ok ? "ok" : "not ok", i + 1, kinds[i].name);
		all &= ok;
	}
	rmdir(folder);
	return !all;
}
