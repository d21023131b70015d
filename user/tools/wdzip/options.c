// SPDX-License-Identifier: Apache-2.0
/* The options of a run: those of the variable GZIP, which may have few, then those of the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wdzip.h"

#define WINDOW_LOG_LONG 27	/* zstd's for --long */

enum {
	OPT_PATH = 256,
	OPT_SECTION,
	OPT_NO_VERIFY,
	OPT_SYNCHRONOUS,
	OPT_RSYNCABLE,
	OPT_LIST_OPTS,
	OPT_LEVEL,
	OPT_LONG,
	OPT_DIGITS,
};

static const struct {
	int key;
	const char *name, *arg, *help;
} rows[] = {
	{ 'a', "ascii", NULL, "ignored, for compatibility with gzip" },
	{ 'b', "bits", "N", "ignored, for compatibility with gzip" },
	{ 'c', "stdout", NULL, "write to standard output, and keep the input" },
	{ 'd', "decompress", NULL, "decompress" },
	{ 'F', "format", "FMT", "gzip (default), zlib, zstd or lz4; -d recognises all but zlib" },
	{ 'f', "force", NULL, "overwrite files, follow links, write to a terminal" },
	{ 'h', "help", NULL, "print this help" },
	{ 'k', "keep", NULL, "keep the input" },
	{ 'l', "list", NULL, "print sizes and ratio of compressed files" },
	{ 'L', "license", NULL, "print the license" },
	{ 'n', "no-name", NULL, "neither store nor restore name and time (default)" },
	{ 'N', "name", NULL, "store or restore name and time" },
	{ 'o', "output", "FILE", "write to FILE, and keep the input; one input only" },
	{ 'p', "processes", "N", "the same as -T, for compatibility with pigz" },
	{ 'q', "quiet", NULL, "print no warnings and no progress" },
	{ 'r', "recursive", NULL, "process all files in folders, at any depth" },
	{ 'S', "suffix", "SUF", "use suffix .SUF on compressed files, not the format's" },
	{ 't', "test", NULL, "check compressed files" },
	{ 'T', "threads", "N", "compress with N threads, 0: one for each CPU (default)" },
	{ 'v', "verbose", NULL, "print ratio and the path taken: hw, sim or soft, and why" },
	{ 'V', "version", NULL, "print the version" },
	{ '1', "fast", NULL, "compress fastest; -2 .. -8 are between" },
	{ '9', "best", NULL, "compress best (default -6; a device has one level)" },
	{ OPT_LEVEL, "level", "N", "1 .. 9; zstd 1 .. 19 (default 3), lz4 1 .. 12 (1); also -N" },
	{ OPT_LONG, "long", "[=N]", "zstd: a window of 2^N bytes, 10 .. 31 (27); with -d: at most" },
	{ OPT_PATH, "path", "PATH", "auto (default), hw (devices only), soft (software only)" },
	{ OPT_NO_VERIFY, "no-verify", NULL, "believe devices; otherwise their results are verified" },
	{ OPT_RSYNCABLE, "rsyncable", NULL, "let the result of unchanged data be the same, for rsync" },
	{ OPT_SYNCHRONOUS, "synchronous", NULL, "write the output to the disk before removing the input" },
	{ OPT_SECTION, "section", "NAME", "use the queues reserved for this section" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* gzip's further names of options. */
static const struct {
	const char *name;
	int key;
} aliases[] = {
	{ "to-stdout", 'c' },
	{ "uncompress", 'd' },
	{ "list-opts", OPT_LIST_OPTS },
	{ "digits", OPT_DIGITS },	/* levels_join()'s */
};

#define ALIASES (sizeof(aliases) / sizeof(aliases[0]))

/* Options that the variable GZIP may have, as in gzip: none of them changes what is done with files. */
static const char in_variable[] = "nNqv123456789";

static void print_help(void)
{
	char left[48];
	size_t i;

	printf("usage: wdzip [options] [FILE...]\n\n"
	       "Compress or decompress each FILE, in gzip's format if no other is given, on an accelerator\n"
	       "if there is one.\n"
	       "Without FILE, or if FILE is -, read standard input and write standard output.\n\n");
	for (i = 0; i < ROWS; i++) {
		if (rows[i].key < 256)
			snprintf(left, sizeof(left), "-%c, --%s %s", rows[i].key, rows[i].name,
				 rows[i].arg ? rows[i].arg : "");
		else
			snprintf(left, sizeof(left), "    --%s %s", rows[i].name,
				 rows[i].arg ? rows[i].arg : "");
		printf("  %-22s %s\n", left, rows[i].help);
	}
}

static void print_opts(void)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		printf("--%s%s\n", rows[i].name, rows[i].arg ? "=" : "");
}

static int path_parse(struct settings *set, const char *name)
{
	if (!strcmp(name, "auto"))
		set->path_flags = 0;
	else if (!strcmp(name, "hw"))
		set->path_flags = WD_SESS_PATH_HW;
	else if (!strcmp(name, "soft"))
		set->path_flags = WD_SESS_PATH_SOFT;
	else {
		complain(NULL, "--path %s: expected auto, hw or soft", name);
		return -EINVAL;
	}
	return 0;
}

/* gzip accepts this option, which has a meaning for compress's format only. */
static int bits_check(const char *arg)
{
	if (*arg && strspn(arg, "0123456789") == strlen(arg))
		return 0;
	complain(NULL, "-b %s: expected a number", arg);
	return -EINVAL;
}

static int suffix_set(struct settings *set, const char *arg)
{
	if (!*arg || strlen(arg) > SUFFIX_MAX || strchr(arg, '/')) {
		complain(NULL, "-S %s: expected a suffix of 1 to %d characters, without /", arg, SUFFIX_MAX);
		return -EINVAL;
	}
	set->suffix = arg;
	set->own_suffix = true;
	return 0;
}

static int format_set(struct settings *set, const char *arg)
{
	set->format = format_find(arg);
	if (set->format >= 0)
		return 0;
	complain(NULL, "-F %s: expected gzip, zlib, zstd or lz4", arg);
	return -EINVAL;
}

/* A number from least to most, or -EINVAL after complaining. */
static int number_take(const char *option, const char *arg, int least, int most)
{
	char *end;
	long nr = strtol(arg, &end, 10);

	if (*arg >= '0' && *arg <= '9' && !*end && nr >= least && nr <= most)
		return (int)nr;
	complain(NULL, "%s %s: expected a number, %d to %d", option, arg, least, most);
	return -EINVAL;
}

static int window_set(struct settings *set, const char *arg)
{
	set->window_log = arg ? number_take("--long", arg, 10, 31) : WINDOW_LOG_LONG;
	return set->window_log < 0 ? -EINVAL : 0;
}

static int level_set(struct settings *set, const char *arg)
{
	set->level = number_take("--level", arg, 1, 19);
	return set->level < 0 ? -EINVAL : 0;
}

static int threads_set(struct settings *set, const char *option, const char *arg)
{
	char *end;
	unsigned long nr = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || nr > THREADS_MAX) {
		complain(NULL, "%s %s: expected a number of threads, 0 to %d", option, arg, THREADS_MAX);
		return -EINVAL;
	}
	set->threads = (unsigned int)nr;
	return 0;
}

/* The one that does least with files counts, in any order. */
static void mode_set(struct settings *set, enum wdzip_mode mode)
{
	if (set->mode < mode)
		set->mode = mode;
}

/* Return: 0 to continue, 1 if nothing is left to do, -EINVAL after complaining. */
static int option_apply(struct settings *set, int key, const char *arg)
{
	switch (key) {
	case 'a': return 0;
	case 'b': return bits_check(arg);
	case 'c': set->to_stdout = true; return 0;
	case 'd': mode_set(set, MODE_DECOMPRESS); return 0;
	case 'f': set->force = true; return 0;
	case 'k': set->keep = true; return 0;
	case 'l': mode_set(set, MODE_LIST); return 0;
	case 'L': puts("wdzip is licensed under the Apache License, version 2.0.\n"
		       "https://www.apache.org/licenses/LICENSE-2.0"); return 1;
	case 'n': set->names = false; return 0;
	case 'N': set->names = true; return 0;
	case 'o': set->output = arg; return 0;
	case 'q': set->quiet = true; set->verbose = false; return 0;
	case 'r': set->recursive = true; return 0;
	case 'S': return suffix_set(set, arg);
	case 't': mode_set(set, MODE_TEST); return 0;
	case 'p': return threads_set(set, "-p", arg);
	case 'T': return threads_set(set, "-T", arg);
	case 'v': set->verbose = true; set->quiet = false; return 0;
	case 'h': print_help(); return 1;
	case 'V': printf("wdzip %s\n", WD_VERSION); return 1;
	case OPT_LIST_OPTS: print_opts(); return 1;
	case OPT_PATH: return path_parse(set, arg);
	case OPT_NO_VERIFY: set->verify = false; return 0;
	case OPT_RSYNCABLE: set->rsyncable = true; return 0;
	case OPT_SYNCHRONOUS: set->synchronous = true; return 0;
	case OPT_SECTION: set->section = arg; return 0;
	case OPT_LEVEL: return level_set(set, arg);
	case OPT_DIGITS: set->digits = true; return level_set(set, arg);
	case OPT_LONG: return window_set(set, arg);
	case 'F': return format_set(set, arg);
	default:
		if (key < '1' || key > '9')
			return -EINVAL;
		set->level = key - '0';
		set->digits = false;
		return 0;
	}
}

static void longs_fill(struct option *longs)
{
	size_t i;

	memset(longs, 0, (ROWS + ALIASES + 1) * sizeof(*longs));
	for (i = 0; i < ROWS; i++) {
		longs[i].name = rows[i].name;
		longs[i].has_arg = !rows[i].arg ? no_argument :
				   rows[i].arg[0] == '[' ? optional_argument : required_argument;
		longs[i].val = rows[i].key;
	}
	for (i = 0; i < ALIASES; i++) {
		longs[ROWS + i].name = aliases[i].name;
		longs[ROWS + i].val = aliases[i].key;
		longs[ROWS + i].has_arg = aliases[i].key == OPT_DIGITS ? required_argument : no_argument;
	}
}

/* zstd's levels have two digits; gzip takes each for a level, and the last counts. */
static void levels_join(int argc, char **argv)
{
	static const char *const joined[] = {
		"--digits=10", "--digits=11", "--digits=12", "--digits=13", "--digits=14", "--digits=15", "--digits=16",
		"--digits=17", "--digits=18", "--digits=19",
	};
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (argv[i][0] == '-' && argv[i][1] == '1' && argv[i][2] >= '0' && argv[i][2] <= '9' && !argv[i][3])
			argv[i] = (char *)joined[argv[i][2] - '0'];
}

static int words_parse(struct settings *set, int argc, char **argv, bool variable)
{
	struct option longs[ROWS + ALIASES + 1];
	int key, ret;

	longs_fill(longs);
	optind = 0;
	/* A plus: the variable's first word that is no option ends it. */
	while ((key = getopt_long(argc, argv, variable ? "+123456789ab:cdF:fhklLnNo:p:qrS:tT:vV" :
				  "123456789ab:cdF:fhklLnNo:p:qrS:tT:vV", longs, NULL)) != -1) {
		if (variable && key != OPT_RSYNCABLE && (key > 255 || !strchr(in_variable, key))) {
			if (key != '?')
				complain(NULL, "GZIP=%s: expected -n, -N, -q, -v, --rsyncable or a level only",
					 getenv("GZIP"));
			return -EINVAL;
		}
		ret = option_apply(set, key, optarg);
		if (ret)
			return ret;
	}
	return 0;
}

/* argv has room for it. */
static int variable_parse(struct settings *set, char *text, char **argv)
{
	int argc = 1, ret;
	char *word, *rest;

	argv[0] = "wdzip";
	for (word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (*word != '-' || !strcmp(word, "-") || !strcmp(word, "--")) {
			complain(NULL, "GZIP: %s: expected options only", word);
			return -EINVAL;
		}
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	ret = words_parse(set, argc, argv, true);
	if (!ret && argc > 1 && !set->quiet)
		fprintf(stderr, "wdzip: warning: the variable GZIP is obsolete; use an alias or a script\n");
	return ret;
}

static int variable_read(struct settings *set)
{
	const char *value = getenv("GZIP");
	char *text, **argv;
	int ret = -ENOMEM;

	if (!value || !*value)
		return 0;
	text = strdup(value);
	argv = calloc(strlen(value) / 2 + 3, sizeof(*argv));
	if (text && argv)
		ret = variable_parse(set, text, argv);
	free(argv);
	free(text);
	return ret;
}

/* A format, and what goes with it. */
static int format_settle(struct settings *set)
{
	const struct format *f = &formats[set->format];

	if (!set->own_suffix)
		set->suffix = f->suffix;
	/* Two options, for a format with levels of one digit. */
	if (set->digits && f->level_most < 10)
		set->level %= 10;
	if (!set->level && !set->digits)
		set->level = f->level;
	if (set->mode != MODE_COMPRESS)
		return 0;
	if (!set->level || set->level > f->level_most) {
		complain(NULL, "level %d: expected 1 to %d for %s", set->level, f->level_most, f->name);
		return -EINVAL;
	}
	if (set->names && set->format != WD_GZIP) {
		complain(NULL, "-N: %s has no names; expected -F gzip", f->name);
		return -EINVAL;
	}
	if (set->window_log && set->format != WD_ZSTD) {
		complain(NULL, "--long: %s has no long windows; expected -F zstd", f->name);
		return -EINVAL;
	}
	return 0;
}

int options_read(struct settings *set, int argc, char **argv)
{
	int ret;

	*set = (struct settings){ .mode = MODE_COMPRESS, .format = WD_GZIP, .verify = true };
	ret = variable_read(set);
	levels_join(argc, argv);
	if (!ret)
		ret = words_parse(set, argc, argv, false);
	if (!ret)
		ret = format_settle(set);
	if (ret)
		return ret;
	if (set->output && !strcmp(set->output, "-")) {
		set->output = NULL;
		set->to_stdout = true;
	}
	if (set->output && (set->to_stdout || set->recursive || argc - optind > 1)) {
		complain(NULL, "-o %s: expected exactly one input, and neither -c nor -r", set->output);
		return -EINVAL;
	}
	return 0;
}
