// SPDX-License-Identifier: Apache-2.0
/* Whether a device would find matches for a program that is started here with these variables. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <wd_comp.h>

#include "beside.h"
#include "launch.h"
#include "wd_zstd.h"

#define ZSTD_NAME "libzstd.so.1"
#define TAKES_SINCE 10504	/* as in user/zstd/real.c */
#define FINDINGS_MOST 16

enum state {
	STATE_OK,
	STATE_NOTE,
	STATE_PROBLEM,
};

static const char *const names[] = { [STATE_OK] = "ok", [STATE_NOTE] = "note", [STATE_PROBLEM] = "problem" };

static struct finding {
	enum state state;
	char text[512];
} findings[FINDINGS_MOST];
static unsigned int nr;

static __attribute__((format(printf, 2, 3))) void add(enum state state, const char *fmt, ...)
{
	struct finding *f = &findings[nr < FINDINGS_MOST ? nr++ : FINDINGS_MOST - 1];
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

int library_find(char *path, size_t len)
{
	/* Where it is installed, and where it is built. */
	if (!beside_find(path, len, "libwd-zstd.so.0") || !beside_find(path, len, "warpdrive/libwd-zstd.so.0"))
		return 0;
	return -ENOENT;
}

static void check_settings(void)
{
	struct wdz_config c;
	const char *value;
	size_t i;

	wds_config_default(&c);
	for (i = 0; i < WDS_SETTINGS; i++) {
		value = getenv(wds_settings[i].variable);
		if (value && *value && !wds_settings[i].take(&c, value))
			add(STATE_NOTE, "%s=%.100s: expected %s; the default is used", wds_settings[i].variable, value,
			    wds_settings[i].expected);
	}
	if (c.off)
		add(STATE_PROBLEM, "WD_ZSTD=off, so devices do nothing: unset it");
	if (getenv("SOURCE_DATE_EPOCH"))
		add(STATE_PROBLEM, "SOURCE_DATE_EPOCH is set, so devices do nothing: what a reproducible build writes "
		    "must not depend on the machine");
	add(STATE_OK, "levels %d-%d, whole buffers from %zu bytes on", c.level_low, c.level_high, c.min);
}

static void check_library(void)
{
	char path[PATH_MAX];

	if (library_find(path, sizeof(path)) || access(path, R_OK))
		add(STATE_PROBLEM, "%s can't be read: install the package warpdrive-zstd", path);
	else
		add(STATE_OK, "%s", path);
}

static void check_zstd(void)
{
	void *lib = dlopen(ZSTD_NAME, RTLD_NOW | RTLD_LOCAL);
	unsigned int (*number)(void) = NULL;
	void *function = lib ? dlsym(lib, "ZSTD_versionNumber") : NULL;

	if (function)
		memcpy(&number, &function, sizeof(number));
	if (!number)
		add(STATE_PROBLEM, ZSTD_NAME " can't be loaded");
	else if (number() < TAKES_SINCE || !dlsym(lib, "ZSTD_registerSequenceProducer"))
		add(STATE_PROBLEM, ZSTD_NAME " is %u.%u.%u: devices need 1.5.4 or later", number() / 10000,
		    number() / 100 % 100, number() % 100);
	else
		add(STATE_OK, ZSTD_NAME " %u.%u.%u", number() / 10000, number() / 100 % 100, number() % 100);
	add(STATE_NOTE, "only programs that use " ZSTD_NAME " are reached: the commands zstd and tar --zstd, and "
	    "programs in Go, Rust and Java, have a libzstd of their own");
}

static void check_device(void)
{
	const struct wd_comp_sess_setup setup = {
		.alg_type = WD_LZ77, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	handle_t sess = wd_comp_alloc_sess(&setup, NULL);
	char why[256] = "";

	if (sess) {
		add(STATE_OK, "a device finds matches (%s)", wd_comp_sess_caps(sess) & WD_CAP_HW ? "hw" : "sim");
		wd_comp_free_sess(sess);
		return;
	}
	wd_error_detail(0, why, sizeof(why));
	add(STATE_PROBLEM, "no device finds matches, so libzstd does it: %s; run 'wdctl doctor' for the cause", why);
}

static int print_json(unsigned int problems)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array(), *one;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		one = json_object_new_object();
		json_object_object_add(one, "state", json_object_new_string(names[findings[i].state]));
		json_object_object_add(one, "text", json_object_new_string(findings[i].text));
		json_object_array_add(list, one);
	}
	json_object_object_add(top, "findings", list);
	json_object_object_add(top, "problems", json_object_new_int64(problems));
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return problems != 0;
}

int check(bool json)
{
	unsigned int i, problems = 0;

	check_settings();
	check_library();
	check_zstd();
	check_device();
	for (i = 0; i < nr; i++)
		problems += findings[i].state == STATE_PROBLEM;
	if (json)
		return print_json(problems);
	for (i = 0; i < nr; i++)
		printf("%-8s %s\n", names[findings[i].state], findings[i].text);
	return problems != 0;
}
