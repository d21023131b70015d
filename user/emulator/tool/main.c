// SPDX-License-Identifier: Apache-2.0
/* wd-emulate: runs a program with emulated accelerators. */
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "messages.h"
#include "beside.h"
#include "devices.h"
#include "env_prepend.h"
#include "faults.h"
#include "generation.h"
#include "hw/qm_hw.h"
#include "report.h"
#include "sections.h"
#include "serve.h"
#include "sysfs_tree.h"

#define LIBRARY	"libuacce-emu.so.0"
#define FAULT_MAX	600

enum {
	EXIT_USAGE = 2,
	EXIT_SETUP = 125,
	EXIT_NOT_FOUND = 127,
};

struct options {
	struct tree_shape shape;
	int devices;		/* an option gave a number of devices */
	const char *mediated;	/* an option gave devices without SVA: its value */
	unsigned long workers;
	const char *engine;
	int null;
	const char *not_null;	/* an option that makes no sense with --null */
	unsigned long mbps;
	unsigned long long latency_ns;
	int mainline_poll;
	int trap;
	const char *fault;
	unsigned long long seed;
	const char *sections;
	const char *stats;
	const struct passwd *user;
};

static pid_t child;

static void usage(FILE *to)
{
	fputs("usage: wd-emulate [--zip DEVICES] [--sec DEVICES] [--hpre DEVICES]\n"
	      "                  [--queues N] [--depth N] [--latency NS] [--bandwidth MBPS] [--workers N]\n"
	      "                  [--engine all|none] [--mainline-poll] [--trap-doorbells] [--null]\n"
	      "                  [--fault KIND=WHEN[:VALUE][@QUEUE],...] [--seed N]\n"
	      "                  [--node N,...] [--sections FILE] [--stats FILE] [--user USER]\n"
	      "                  -- COMMAND [ARGUMENT]...\n\n"
	      "Run COMMAND with emulated accelerators; wd-emulate(1) describes the options.\n"
	      "With --null or --engine none, devices compute nothing: the output of requests is garbage.\n", to);
}

static void help(void)
{
	usage(stdout);
	fputs("\n"
	      "  --zip N, --sec N, --hpre N   devices of each kind, 0 to 16 (one of ZIP if none is given)\n"
	      "                               N@v2: of hardware generation 2, N@v3: of generation 3 (v3);\n"
	      "                               N,sva=0: without shared virtual addressing, as the kernel mediates it;\n"
	      "                               N,sva=0,iommu=0: no IOMMU either; 1@v2,1@v3: one of each\n"
	      "  --queues N                   queues of each device, 2 to 1024 (64)\n"
	      "  --depth N                    entries of a queue's rings, 4 to 1024 (1024)\n"
	      "  --latency NS                 shortest time of a request, in nanoseconds (0)\n"
	      "  --bandwidth MBPS             most megabits of input per second for each device (0: no limit)\n"
	      "  --workers N                  threads that compute, for each device and process, 0 to 8 (2)\n"
	      "  --engine all|none            whether devices compute (all)\n"
	      "  --null                       null devices, which measure everything except the device\n"
	      "  --mainline-poll              poll(2) as in mainline's drivers\n"
	      "  --trap-doorbells             the device sees every doorbell, as hardware does (slow; x86-64)\n"
	      "  --fault KIND=WHEN...         requests, queues or devices fail, the next N times (N), "
	      "once in N (1/N),\n"
	      "                               each TIME (1/TIME), or B times in a row (B/N, B/TIME); wd-emulate(1)\n"
	      "                               has the kinds\n"
	      "  --seed N                     repeats the random faults of an earlier run\n"
	      "  --node N,...                 NUMA nodes of the devices, in their order\n"
	      "  --sections FILE              sections, in the format of warpdrive.conf(5)\n"
	      "  --stats FILE                 at the end, write what each device has done; - is standard error\n"
	      "  --user USER                  the devices are this user's, to whom the command may change\n"
	      "  --help                       print this help\n", stdout);
}

static unsigned long long option_number(const char *option, const char *text, unsigned long long least,
				 unsigned long long most)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || v < least || v > most) {
		fprintf(stderr, "wd-emulate: --%s %s: expected a number from %llu to %llu\n", option, text, least,
			most);
		exit(EXIT_USAGE);
	}
	return v;
}

/* Devices of one shape. */
struct group {
	unsigned int nr;
	unsigned int generation;
	bool sva;
	bool iommu;
	bool iommu_said;
};

/* N, N@GENERATION: a further group; false: it is none. */
static bool group_parse(const char *p, struct group *g)
{
	size_t n = strcspn(p, "@,");
	char *end, name[4] = "";
	unsigned long nr = strtoul(p, &end, 10);
	unsigned int generation = WDM_GENERATION_LAST;

	if (p[n] == '@') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p + n + 1, ","), p + n + 1);
		generation = wdm_generation_find(name);
	}
	if (*p < '0' || *p > '9' || end != p + n || nr > DEVICES_MAX || !generation)
		return false;
	*g = (struct group){ .nr = (unsigned int)nr, .generation = generation, .sva = true, .iommu = true };
	return true;
}

/* NAME=0, NAME=1 of the group before it */
static bool flag_parse(const char *p, const char *name, bool *value)
{
	size_t n = strlen(name);

	if (strncmp(p, name, n) || p[n] != '=' || (p[n + 1] != '0' && p[n + 1] != '1') || (p[n + 2] && p[n + 2] != ','))
		return false;
	*value = p[n + 1] == '1';
	return true;
}

static bool word_parse(const char *p, struct group *g)
{
	if (flag_parse(p, "sva", &g->sva))
		return true;
	g->iommu_said = flag_parse(p, "iommu", &g->iommu);
	return g->iommu_said;
}

/* The group that begins at *p, which moves behind it. NULL, or what was expected. */
static const char *group_read(const char **p, struct group *g)
{
	if (!group_parse(*p, g))
		return "a number from 0 to 16, which @v2 or @v3 may follow";
	for (*p += strcspn(*p, ","); **p && ((*p)[1] < '0' || (*p)[1] > '9'); *p += 1 + strcspn(*p + 1, ","))
		if (!word_parse(*p + 1, g))
			return "sva=0 or sva=1 behind a number, iommu=0 or iommu=1, or a further number";
	return g->sva && g->iommu_said ? "iommu with sva=0 only" : NULL;
}

static void devices(const char *option, enum device_kind kind, const char *text, struct options *o)
{
	const char *p = text, *expected;
	struct group g;

	static_assert(DEVICES_MAX == 16, "a message says so");
	devices_none(kind);
	do {
		expected = group_read(&p, &g);
		if (expected) {
			fprintf(stderr, "wd-emulate: --%s %s: expected %s\n", option, text, expected);
			exit(EXIT_USAGE);
		}
		devices_add(kind, g.nr, g.generation, g.sva ? DEVICE_SVA : g.iommu ? DEVICE_IOMMU : DEVICE_DIRECT);
		if (!g.sva)
			o->mediated = text;
	} while (*p++);
	o->devices = 1;
}

static void options_agree(const struct options *o)
{
	if (devices_nr() > DEVICES_MAX) {
		fprintf(stderr, "wd-emulate: %u devices: expected at most %d of all kinds together\n", devices_nr(),
			DEVICES_MAX);
		exit(EXIT_USAGE);
	}
	if (o->null && o->not_null) {
		fprintf(stderr, "wd-emulate: --%s has no effect with --null: expected one of them\n", o->not_null);
		exit(EXIT_USAGE);
	}
	if (o->null && o->mediated) {
		fprintf(stderr, "wd-emulate: %s: with --null the kernel executes nothing: expected devices with "
			"sva=1\n", o->mediated);
		exit(EXIT_USAGE);
	}
	if (strcmp(o->engine, "all") && strcmp(o->engine, "none")) {
		fprintf(stderr, "wd-emulate: --engine %s: expected all or none\n", o->engine);
		exit(EXIT_USAGE);
	}
}

static const char *faults(const char *text)
{
	struct emu_faults f = { 0 };
	char why[128];

	if (emu_faults_parse(&f, text, why, sizeof(why))) {
		fprintf(stderr, "wd-emulate: --fault %s\n", why);
		exit(EXIT_USAGE);
	}
	if (strlen(text) > FAULT_MAX) {
		fprintf(stderr, "wd-emulate: --fault: expected at most %d characters\n", FAULT_MAX);
		exit(EXIT_USAGE);
	}
	return text;
}

/* One number for each device; the last number is also that of all further devices. */
static void nodes(const char *text, struct tree_shape *shape)
{
	const char *p = text;
	unsigned int i;
	long v = -1;
	char *end;

	for (i = 0; i < DEVICES_MAX; i++) {
		if (*p) {
			v = strtol(p, &end, 10);
			if (end == p || (*end && (*end != ',' || !end[1])) || v < -1 || v > 15) {
				fprintf(stderr, "wd-emulate: --node %s: expected numbers from -1 to 15, separated by "
					"commas\n", text);
				exit(EXIT_USAGE);
			}
			p = *end ? end + 1 : end;
		}
		shape->node[i] = (int)v;
		if (v >= shape->nodes)
			shape->nodes = (int)v + 1;
	}
}

/* By name or by number */
static const struct passwd *user(const char *text)
{
	const struct passwd *p = getpwnam(text);
	char *end;

	if (!p && *text >= '0' && *text <= '9') {
		unsigned long id = strtoul(text, &end, 10);

		p = *end || id > 0xfffffffeul ? NULL : getpwuid((uid_t)id);
	}
	if (!p) {
		fprintf(stderr, "wd-emulate: --user %s: expected the name or the number of a user\n", text);
		exit(EXIT_USAGE);
	}
	if (geteuid() && p->pw_uid != geteuid()) {
		fprintf(stderr, "wd-emulate: --user %s: expected to be run by root, or as that user\n", text);
		exit(EXIT_USAGE);
	}
	return p;
}

static int trap(void)
{
#ifndef __x86_64__
	fputs("wd-emulate: --trap-doorbells: expected a machine of x86-64\n", stderr);
	exit(EXIT_USAGE);
#endif
	return 1;
}

static int options_parse(int argc, char **argv, struct options *o)
{
	static const struct option table[] = {
		{ "zip", required_argument, NULL, 'z' },
		{ "sec", required_argument, NULL, 'c' },
		{ "hpre", required_argument, NULL, 'p' },
		{ "queues", required_argument, NULL, 'q' },
		{ "depth", required_argument, NULL, 'd' },
		{ "engine", required_argument, NULL, 'e' },
		{ "null", no_argument, NULL, 'n' },
		{ "latency", required_argument, NULL, 'l' },
		{ "bandwidth", required_argument, NULL, 'b' },
		{ "workers", required_argument, NULL, 'w' },
		{ "fault", required_argument, NULL, 'f' },
		{ "seed", required_argument, NULL, 's' },
		{ "mainline-poll", no_argument, NULL, 'm' },
		{ "trap-doorbells", no_argument, NULL, 'T' },
		{ "node", required_argument, NULL, 'N' },
		{ "sections", required_argument, NULL, 'S' },
		{ "stats", required_argument, NULL, 't' },
		{ "user", required_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, i;

	while ((c = getopt_long(argc, argv, "+h", table, &i)) != -1) {
		if (strchr("lbwemTfst", c))
			o->not_null = table[i].name;
		switch (c) {
		case 'z':
			devices("zip", DEVICE_ZIP, optarg, o);
			break;
		case 'c':
			devices("sec", DEVICE_SEC, optarg, o);
			break;
		case 'p':
			devices("hpre", DEVICE_HPRE, optarg, o);
			break;
		case 'q':
			o->shape.queues = (unsigned int)option_number("queues", optarg, 2, 1024);
			break;
		case 'l':
			o->latency_ns = option_number("latency", optarg, 0, 10000000000ull);
			break;
		case 'b':
			o->mbps = option_number("bandwidth", optarg, 0, 1000000);
			break;
		case 'd':
			o->shape.depth = (unsigned int)option_number("depth", optarg, 4, QM_SQ_DEPTH_V2);
			break;
		case 'e':
			o->engine = optarg;
			break;
		case 'n':
			o->null = 1;
			break;
		case 'w':
			o->workers = option_number("workers", optarg, 0, 8);
			break;
		case 'f':
			o->fault = faults(optarg);
			break;
		case 's':
			o->seed = option_number("seed", optarg, 0, ~0ull);
			break;
		case 'm':
			o->mainline_poll = 1;
			break;
		case 'T':
			o->trap = trap();
			break;
		case 'N':
			nodes(optarg, &o->shape);
			break;
		case 'S':
			o->sections = optarg;
			break;
		case 't':
			o->stats = optarg;
			break;
		case 'u':
			o->user = user(optarg);
			break;
		case 'h':
			help();
			exit(0);
		default:
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (!o->devices)
		devices_add(DEVICE_ZIP, 1, WDM_GENERATION_LAST, DEVICE_SVA);
	options_agree(o);
	if (optind == argc) {
		fprintf(stderr, "wd-emulate: expected a COMMAND; run 'wd-emulate --help' for the options\n");
		exit(EXIT_USAGE);
	}
	return optind;
}

/* In the build folder it is among the other libraries. */
static int library_path(char *path, size_t len)
{
	return beside_find(path, len, LIBRARY) ? beside_find(path, len, "warpdrive/" LIBRARY) : 0;
}

static void env_set(const struct options *o, const char *root, const char *library, const char *address)
{
	char spec[640 + FAULT_MAX], zip[DEVICES_TEXT], sec[DEVICES_TEXT], hpre[DEVICES_TEXT];
	size_t n;

	devices_text(DEVICE_ZIP, zip);
	devices_text(DEVICE_SEC, sec);
	devices_text(DEVICE_HPRE, hpre);
	snprintf(spec, sizeof(spec),
		 "zip=%s sec=%s hpre=%s queues=%u depth=%u workers=%lu mbps=%lu "
		 "latency=%llu engine=%s mainline-poll=%d trap=%d%s",
		 zip, sec, hpre, o->shape.queues, o->shape.depth, o->workers, o->mbps, o->latency_ns, o->engine,
		 o->mainline_poll, o->trap, o->null ? " null" : "");
	n = strlen(spec);
	snprintf(spec + n, sizeof(spec) - n, " seed=%llu%s%s", o->seed, o->fault ? " fault=" : "",
		 o->fault ? o->fault : "");
	n += strlen(spec + n);
	snprintf(spec + n, sizeof(spec) - n, " nodes=%d%s%s%s", o->shape.nodes != 0,
		 o->stats || o->mediated ? " counts" : "", *address ? " sections=" : "", address);
	/* A preloaded library always comes before a sanitizer's, and a fork's child has device threads of its own. */
	if (setenv("WD_EMULATE", spec, 1) || setenv("WD_EMULATE_ROOT", root, 1) ||
	    env_prepend("LD_PRELOAD", library, ':') || env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0", ':') ||
	    env_prepend("TSAN_OPTIONS", "die_after_fork=0", ':'))
		abort();
}

static void pass_on(int sig)
{
	kill(child, sig);
}

/*
 * Blocks the signals that would end this program before it has cleaned up, until they can be passed on to the command.
 */
static void signals_hold(sigset_t *before)
{
	sigset_t hold;

	sigemptyset(&hold);
	sigaddset(&hold, SIGINT);
	sigaddset(&hold, SIGQUIT);
	sigaddset(&hold, SIGTERM);
	sigaddset(&hold, SIGHUP);
	sigprocmask(SIG_BLOCK, &hold, before);
}

/* The terminal sends the first two signals to the command, too, except those that came before it existed: @early. */
static void signals_pass_on(const sigset_t *before, const sigset_t *early)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, forward = { .sa_handler = pass_on };

	if (sigismember(early, SIGINT))
		kill(child, SIGINT);
	if (sigismember(early, SIGQUIT))
		kill(child, SIGQUIT);
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	sigaction(SIGTERM, &forward, NULL);
	sigaction(SIGHUP, &forward, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Called with signals held; they are held again when the command has ended. */
static int run(char **argv, const sigset_t *before)
{
	sigset_t unused, early;
	siginfo_t info;
	int status;

	sigpending(&early);
	child = fork();
	if (child < 0) {
		perror("wd-emulate: fork");
		return EXIT_SETUP;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, before, NULL);
		execvp(argv[0], argv);
		fprintf(stderr, "wd-emulate: %s: %s\n", argv[0], strerror(errno));
		_exit(EXIT_NOT_FOUND);
	}
	signals_pass_on(before, &early);
	/* The pid isn't reused until it is waited for without WNOWAIT. */
	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
	signals_hold(&unused);
	if (waitpid(child, &status, 0) < 0)
		return EXIT_SETUP;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Starts the service for sections, if there are any, at @address; otherwise @address is "". */
static void sections_start(const struct options *o, const char *root, char address[EMU_SECTIONS_ADDRESS])
{
	struct sections_devices devices = { .nr = devices_nr(), .queues = o->shape.queues };
	int err;

	address[0] = '\0';
	if (!o->sections)
		return;
	memcpy(devices.node, o->shape.node, sizeof(devices.node));
	/* mkdtemp()'s name is unique. */
	snprintf(address, EMU_SECTIONS_ADDRESS, "wd-emulate-%d%s", (int)getpid(), strrchr(root, '.'));
	if (sections_read(o->sections) || sections_begin(&devices)) {
		tree_remove(root);
		exit(EXIT_USAGE);
	}
	err = serve_start(address);
	if (!err)
		return;
	fprintf(stderr, "wd-emulate: %s: %s\n", address, strerror(-err));
	tree_remove(root);
	exit(EXIT_SETUP);
}

int main(int argc, char **argv)
{
	struct options o = { .shape = { .queues = 64, .depth = QM_SQ_DEPTH_V2 }, .workers = 2, .engine = "all" };
	char library[4096], root[256], address[EMU_SECTIONS_ADDRESS];
	int first, err, status = EXIT_SETUP;
	const char *tmp = getenv("TMPDIR");
	sigset_t signals;

	memset(o.shape.node, -1, sizeof(o.shape.node));
	first = options_parse(argc, argv, &o);
	err = library_path(library, sizeof(library));
	if (err) {
		fprintf(stderr, "wd-emulate: %s: %s\n", library, strerror(-err));
		return EXIT_SETUP;
	}
	snprintf(root, sizeof(root), "%.200s/wd-emulate.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	signals_hold(&signals);
	if (!mkdtemp(root)) {
		fprintf(stderr, "wd-emulate: %s: %s\n", root, strerror(errno));
		return EXIT_SETUP;
	}
	sections_start(&o, root, address);
	if (!tree_make(root, &o.shape) && (!(o.stats || o.mediated) || !report_begin(root, o.stats)) &&
	    (!o.user || !tree_give(root, o.user->pw_uid, o.user->pw_gid))) {
		if (*address)
			sections_show(root);
		env_set(&o, root, library, address);
		status = run(argv + first, &signals);
		if (report_end() && !status)
			status = EXIT_SETUP;
	}
	tree_remove(root);
	return status;
}
