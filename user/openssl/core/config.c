// SPDX-License-Identifier: Apache-2.0
/* Reads each key of the configuration section, and its variable of the environment, which comes first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/params.h>
#include <wd_user.h>

#include "config.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* A value, as a part of it or the whole. */
struct word {
	const char *name;
	unsigned int value;
};

static const struct word devices[] = {
	{ "auto", WDP_DEVICES_AUTO }, { "require", WDP_DEVICES_REQUIRE }, { "later", WDP_DEVICES_LATER }, { NULL, 0 },
};
static const struct word yes_no[] = { { "yes", 1 }, { "no", 0 }, { NULL, 0 } };
static const struct word checks[] = { { "yes", WDP_CHECK_YES }, { "all", WDP_CHECK_ALL }, { NULL, 0 } };
static const struct word logs[] = {
	{ "off", WDP_LOG_OFF }, { "errors", WDP_LOG_ERRORS }, { "all", WDP_LOG_ALL }, { NULL, 0 }
};

struct row {
	const char *key, *variable;
	bool (*set)(const struct row *row, void *member, const char *value);
	size_t member;			/* offset in struct wdp_config */
	const struct word *words;	/* for set_word() */
	unsigned long max;		/* for set_number() */
	const char *expected;
};

static bool set_word(const struct row *row, void *member, const char *value)
{
	const struct word *w;

	for (w = row->words; w->name && strcmp(w->name, value); w++)
		;
	if (w->name)
		*(unsigned int *)member = w->value;
	return w->name;
}

/* number_read() - digits without a sign or zeroes in front, 1 .. max; the text behind them in *end. */
static bool number_read(const char *text, char **end, unsigned long max, unsigned long *value)
{
	if (*text < '1' || *text > '9')
		return false;
	*value = strtoul(text, end, 10);
	return *value <= max;
}

static bool set_number(const struct row *row, void *member, const char *value)
{
	unsigned long n;
	char *end;

	if (!number_read(value, &end, row->max, &n) || *end)
		return false;
	*(unsigned int *)member = (unsigned int)n;
	return true;
}

/* A section's name has up to 31 of [A-Za-z0-9_-]. */
static bool set_section(const struct row *row, void *member, const char *value)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t len = strlen(value);

	(void)row;
	if (!len || len > WD_SECTION_NAME_MAX || strspn(value, letters) != len)
		return false;
	memcpy(member, value, len + 1);
	return true;
}

/* Counts with or without a node: "2", "2@0,2@1". Whether such nodes exist is known when the threads start. */
static bool set_pollers(const struct row *row, void *member, const char *value)
{
	const char *at = value;
	unsigned long n;
	char *end;

	(void)row;
	for (;; at = end + 1) {
		if (!number_read(at, &end, 64, &n))
			return false;
		if (*end == '@') {
			at = end + 1;
			n = strtoul(at, &end, 10);
			if (*at < '0' || *at > '9' || n > 1023)
				return false;
		}
		if (*end != ',')
			break;
	}
	if (*end || strlen(value) >= sizeof(((struct wdp_config *)0)->pollers))
		return false;
	memcpy(member, value, strlen(value) + 1);
	return true;
}

/* A list that chooses nothing can't be meant. */
static bool set_algorithms(const struct row *row, void *member, const char *value)
{
	struct wdp_choice chosen;
	const char *wrong;
	size_t len;

	(void)row;
	chosen = wdp_algs_chosen(value, &wrong, &len);
	if (!chosen.algs || wrong)
		return false;
	*(struct wdp_choice *)member = chosen;
	return true;
}

#define AT(member)	offsetof(struct wdp_config, member)

/* log comes first, because mistakes in the others are logged. */
static const struct row rows[] = {
	{ "log", "WD_OPENSSL_LOG", set_word, AT(log), logs, 0, "off, errors or all" },
	{ "algorithms", "WD_OPENSSL_ALGORITHMS", set_algorithms, AT(algorithms), NULL, 0, WDP_ALGS_EXPECTED },
	{ "devices", "WD_OPENSSL_DEVICES", set_word, AT(devices), devices, 0, "auto, require or later" },
	{ "section", "WD_OPENSSL_SECTION", set_section, AT(section), NULL, 0, "1 to 31 of A-Z a-z 0-9 _ -" },
	{ "pollers", "WD_OPENSSL_POLLERS", set_pollers, AT(pollers), NULL, 0,
	  "counts of 1 to 64 threads, COUNT[@NODE],..." },
	{ "timeout_ms", "WD_OPENSSL_TIMEOUT_MS", set_number, AT(timeout_ms), NULL, 3600000, "1 to 3600000" },
	{ "min_bytes", "WD_OPENSSL_MIN_BYTES", set_number, AT(min_bytes), NULL, 1u << 30, "1 to 1073741824" },
	{ "fallback", "WD_OPENSSL_FALLBACK", set_word, AT(fallback), yes_no, 0, "yes or no" },
	{ "check_results", "WD_OPENSSL_CHECK_RESULTS", set_word, AT(check), checks, 0,
	  "yes or all, since private results of RSA are always checked" },
};

static bool apply(struct wdp_config *config, const struct row *row, const char *key, const char *value,
		  char why[WDP_WHY_MAX])
{
	if (row->set(row, (char *)config + row->member, value))
		return true;
	snprintf(why, WDP_WHY_MAX, "%s = %s: expected %s", key, value, row->expected);
	return false;
}

bool wdp_config_read(struct wdp_config *config, const struct wdp_core *core, char why[WDP_WHY_MAX])
{
	char *values[COUNT(rows)] = { NULL };
	OSSL_PARAM params[COUNT(rows) + 1];
	const char *variable, *wrong;
	unsigned int i;
	size_t len;

	*config = (struct wdp_config){
		.algorithms = wdp_algs_chosen(NULL, &wrong, &len), .timeout_ms = 1000, .min_bytes = 8192, .fallback = 1,
		.log = WDP_LOG_ERRORS, .pollers = "1",
	};
	for (i = 0; i < COUNT(rows); i++)
		params[i] = OSSL_PARAM_construct_utf8_ptr(rows[i].key, &values[i], 0);
	params[i] = OSSL_PARAM_construct_end();
	snprintf(why, WDP_WHY_MAX, "the configuration can't be read");
	if (!core->get_params(core->handle, params))
		return false;
	for (i = 0; i < COUNT(rows); i++) {
		variable = secure_getenv(rows[i].variable);
		if (variable && *variable) {
			if (!apply(config, &rows[i], rows[i].variable, variable, why))
				return false;
		} else if (values[i] && !apply(config, &rows[i], rows[i].key, values[i], why)) {
			return false;
		}
	}
	return true;
}
