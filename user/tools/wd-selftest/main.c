// SPDX-License-Identifier: Apache-2.0
/* wd-selftest: known answers and speed of each algorithm on each device. 'wdctl selftest' executes it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "selftest.h"

#define DEVICES_MAX	64
#define TIMEOUT_MS	30000
#define MEASURE_MS	100
#define NUMBER_MAX	600000
#define NS_PER_S	1e9

enum {
	EXIT_PASSED = 0,
	EXIT_WRONG = 1,		/* a device failed, or nothing was tested */
	EXIT_USAGE = 2,
	EXIT_SIGNAL = 128,	/* plus the signal's number */
};

struct options {
	const char *device[DEVICES_MAX];
	int devices;
	bool json;
	uint32_t timeout_ms, measure_ms;
};

struct count {
	unsigned int passed, failed, skipped;
	bool begun;		/* a line was printed */
};

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / NS_PER_S;
}

/* The bytes of a hexadecimal number; the table is our own, so it is well-formed. */
static size_t unhex(const char *hex, uint8_t *bytes)
{
	unsigned int byte;
	size_t n;

	for (n = 0; hex && n < ANSWER_MAX && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
		bytes[n] = (uint8_t)byte;
	return n;
}

struct result {
	const char *state;	/* "ok", "FAIL", "skip" */
	char text[160];		/* why it isn't ok */
	const char *path;
	double speed;		/* bytes or operations per second; 0: not measured */
};

static void fail(struct result *res, const char *format, const char *text)
{
	res->state = "FAIL";
	snprintf(res->text, sizeof(res->text), format, text);
}

/* A device that does without an algorithm isn't broken. */
static void not_opened(struct result *res, int error)
{
	if (error == -EOPNOTSUPP) {
		res->state = "skip";
		snprintf(res->text, sizeof(res->text), "the device or its driver does not offer it");
	} else {
		fail(res, "no session: %s", wd_status_str(error));
	}
}

/* Was the last request this device's, correctly? */
static bool judge(struct kat_run *r, const struct uacce_dev_info *dev, int ret, bool answer, struct result *res)
{
	res->path = wd_path_str(r->path);
	if (ret == -ETIMEDOUT)
		fail(res, "the device did not answer in time (%s)", wd_status_str(ret));
	else if (ret)
		fail(res, "the request failed: %s", wd_status_str(ret));
	else if (r->path != (dev->simulated ? WD_PATH_SIM : WD_PATH_HW))
		fail(res, "the answer came from another path: %s", wd_path_reason_str(r->reason));
	else if (answer && (r->out_len != r->answer_len || memcmp(r->out, r->answer, r->answer_len)))
		fail(res, "wrong answer%s", "");
	else
		return true;
	return false;
}

static void measure(struct kat_run *r, const struct uacce_dev_info *dev, uint32_t ms, struct result *res)
{
	bool bulk = r->kat->class->bytes;
	double began = now_s(), took;
	unsigned int n = 0;

	/* Decompression reads a stream: the time of a short one says nothing. */
	if (!ms || (r->kat->class == &class_comp && r->in_len != r->answer_len))
		return;
	do {
		if (!judge(r, dev, r->kat->class->once(r, bulk), false, res))
			return;
		n++;
		took = now_s() - began;
	} while (took * 1000 < ms && !stop_signal);
	res->speed = n * (bulk ? (double)BULK_BYTES : 1) / took;
}

static void run_kat(struct kat_run *r, const struct kat *kat, const struct uacce_dev_info *dev,
		    const wd_dev_mask_t *mask, const struct options *o, struct result *res)
{
	int ret;

	r->kat = kat;
	r->sess = 0;
	r->timeout_ms = o->timeout_ms;
	r->key_len = unhex(kat->key, r->key);
	r->extra_len = unhex(kat->extra, r->extra);
	r->in_len = unhex(kat->in, r->in);
	r->answer_len = unhex(kat->answer, r->answer);
	r->path = WD_PATH_NONE;
	memset(r->out, 0, sizeof(r->out));
	res->state = "ok";
	ret = kat->class->open(r, mask);
	if (ret)
		not_opened(res, ret);
	else if (judge(r, dev, kat->class->once(r, false), true, res))
		measure(r, dev, o->measure_ms, res);
	if (r->sess)
		kat->class->close(r->sess);
}

static void print_speed(const struct kat *kat, const struct result *res)
{
	if (!res->speed)
		printf("%14s", "-");
	else if (kat->class->bytes)
		printf("%9.1f MB/s", res->speed / 1e6);
	else
		printf("%8.0f ops/s", res->speed);
}

/* Texts are ours or the kernel's names, without quotation marks. */
static void print_result(const struct options *o, const struct uacce_dev_info *dev, const struct kat *kat,
			 const struct result *res, struct count *count)
{
	if (o->json) {
		printf("%s\n    { \"device\": \"%s\", \"algorithm\": \"%s\", \"test\": \"%s\", \"result\": \"%s\", "
		       "\"path\": \"%s\", ",
		       count->begun ? "," : "", dev->name, kat->alg, kat->name, res->state, res->path);
		printf("\"speed\": %.0f, \"unit\": \"%s\", \"source\": \"%s\", \"reason\": \"%s\" }", res->speed,
		       kat->class->bytes ? "bytes/s" : "ops/s", kat->source, res->text);
	} else {
		if (!count->begun)
			printf("%-14s %-22s %-6s %-5s %14s  %s\n", "DEVICE", "TEST", "RESULT", "PATH", "SPEED",
			       "SOURCE, OR REASON");
		printf("%-14s %-22s %-6s %-5s ", dev->name, kat->name, res->state, res->path);
		print_speed(kat, res);
		printf("  %s\n", res->text[0] ? res->text : kat->source);
	}
	fflush(stdout);
	count->begun = true;
}

static void tally(struct count *count, const struct result *res)
{
	if (!strcmp(res->state, "ok"))
		count->passed++;
	else if (!strcmp(res->state, "skip"))
		count->skipped++;
	else
		count->failed++;
}

/* Is the name one of the lines? */
static bool offers(const char *lines, const char *alg)
{
	size_t len = strlen(alg);

	for (; lines && *lines; lines = strchr(lines, '\n') ? strchr(lines, '\n') + 1 : NULL)
		if (!strncmp(lines, alg, len) && (lines[len] == '\n' || !lines[len]))
			return true;
	return false;
}

static int run_device(struct kat_run *r, const struct uacce_dev_info *dev, const struct options *o, struct count *total)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	struct count count = { .begun = total->begun };
	const struct kat *kat;

	if (!mask || wd_dev_mask_set(mask, dev->node_id)) {
		wd_dev_mask_free(mask);
		return -ENOMEM;
	}
	for (kat = kats; kat->alg && !stop_signal; kat++) {
		struct result res = { .path = "-" };

		if (!offers(dev->algs, kat->alg))
			continue;
		run_kat(r, kat, dev, mask, o, &res);
		if (stop_signal)
			break;
		print_result(o, dev, kat, &res, &count);
		tally(&count, &res);
	}
	wd_dev_mask_free(mask);
	if (count.failed)
		fprintf(stderr, "wd-selftest: device %s: %u of %u tests failed\n", dev->name, count.failed,
			count.passed + count.failed + count.skipped);
	else if (!count.passed && !stop_signal)
		fprintf(stderr, "wd-selftest: device %s: no test passed\n", dev->name);
	total->passed += count.passed;
	/* A device on which nothing passed is not known to work. */
	total->failed += count.failed + (!count.failed && !count.passed);
	total->skipped += count.skipped;
	total->begun = count.begun;
	return 0;
}

static bool is_wanted(const struct options *o, const char *name)
{
	int i;

	for (i = 0; i < o->devices; i++)
		if (!strcmp(o->device[i], name))
			return true;
	return !o->devices;
}

/* Names the first wanted device that isn't there. */
static const char *missing(const struct options *o, const struct uacce_dev_list *list)
{
	const struct uacce_dev_list *l;
	int i;

	for (i = 0; i < o->devices; i++) {
		for (l = list; l && strcmp(l->info->name, o->device[i]); l = l->next)
			;
		if (!l)
			return o->device[i];
	}
	return NULL;
}

static int run_all(const struct options *o, const struct uacce_dev_list *list, struct count *count)
{
	struct kat_run *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM, i;

	if (!r)
		return ret;
	r->bulk_in = malloc(BULK_BYTES);
	r->bulk_out = malloc(BULK_ROOM);
	if (!r->bulk_in || !r->bulk_out)
		goto free;
	for (i = 0; i < BULK_BYTES; i++)
		r->bulk_in[i] = (uint8_t)(i / 7 ^ i % 13);
	for (ret = 0; list && !ret && !stop_signal; list = list->next)
		if (is_wanted(o, list->info->name))
			ret = run_device(r, list->info, o, count);
free:
	free(r->bulk_in);
	free(r->bulk_out);
	free(r);
	return ret;
}

static int selftest(const struct options *o)
{
	struct uacce_dev_list *list = wd_list_accels(NULL);
	const char *absent = missing(o, list);
	struct count count = { 0 };
	int ret;

	if (!list || absent) {
		if (absent)
			fprintf(stderr,
				"wd-selftest: device %s: not there, disabled or isolated; 'wdctl list' has all\n",
				absent);
		else
			fprintf(stderr, "wd-selftest: no device to test; 'wdctl doctor' says why\n");
		wd_free_list_accels(list);
		return EXIT_WRONG;
	}
	if (o->json)
		printf("{\n  \"tests\": [");
	ret = run_all(o, list, &count);
	wd_free_list_accels(list);
	if (o->json)
		printf("\n  ],\n  \"passed\": %u,\n  \"failed\": %u,\n  \"skipped\": %u\n}\n", count.passed,
		       count.failed, count.skipped);
	else
		printf("%u passed, %u failed, %u skipped\n", count.passed, count.failed, count.skipped);
	if (ret)
		fprintf(stderr, "wd-selftest: %s\n", strerror(-ret));
	if (stop_signal) {
		fprintf(stderr, "wd-selftest: interrupted\n");
		return EXIT_SIGNAL + stop_signal;
	}
	return ret || count.failed ? EXIT_WRONG : EXIT_PASSED;
}

static bool parse_ms(const char *option, const char *text, uint32_t min, uint32_t *ms)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || n < min || n > NUMBER_MAX) {
		fprintf(stderr, "wd-selftest: --%s %s: expected milliseconds, %u .. %u\n", option, text, min,
			NUMBER_MAX);
		return false;
	}
	*ms = (uint32_t)n;
	return true;
}

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option table[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "timeout", required_argument, NULL, 't' },
		{ "measure", required_argument, NULL, 'm' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "d:t:m:", table, NULL)) != -1) {
		if (c == 'd' && o->devices < DEVICES_MAX)
			o->device[o->devices++] = optarg;
		else if (c == 'j')
			o->json = true;
		else if (c == 't' ? !parse_ms("timeout", optarg, 1, &o->timeout_ms) :
			 c != 'm' || !parse_ms("measure", optarg, 0, &o->measure_ms))
			return false;
	}
	if (optind < argc) {
		fprintf(stderr, "wd-selftest: unexpected argument '%s'\n", argv[optind]);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = { .timeout_ms = TIMEOUT_MS, .measure_ms = MEASURE_MS };
	/* A second signal ends the program at once; the kernel takes its queues back. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	if (!parse(argc, argv, &o))
		return EXIT_USAGE;
	/* The user's preference for programs; "soft" would look like a device that offers nothing. */
	unsetenv("WD_PATH");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	return selftest(&o);
}
