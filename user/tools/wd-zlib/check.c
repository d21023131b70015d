// SPDX-License-Identifier: Apache-2.0
/* Whether a device would compress for a program that is started here with these variables. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/netlink.h"
#include "facts.h"
#include "json.h"
#include "launch.h"
#include "wd_zlib.h"
#include "zlib_settings.h"
#include "zlib_shim.h"

#define LIBRARY "libwd_comp.so.0"

struct section {
	const char *name;		/* NULL: none was named */
	const char *state;		/* NULL: unknown */
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* --- settings --- */

static void check_off(struct health *h, const struct wdz_config *config)
{
	const char *paths = variable("WD_PATH");

	if (getenv("SOURCE_DATE_EPOCH")) {
		health_add(h, HEALTH_PROBLEM, "settings",
			   "SOURCE_DATE_EPOCH is set, so devices do nothing: what a reproducible build writes "
			   "must not depend on the machine");
		health_remedy(h, "Unset it, if the output need not be reproducible.");
	}
	if (config->off) {
		health_add(h, HEALTH_PROBLEM, "settings", "WD_ZLIB=off, so devices do nothing");
		health_remedy(h, "Unset it.");
	}
	if (paths && !strcmp(paths, "soft")) {
		health_add(h, HEALTH_PROBLEM, "settings", "WD_PATH=soft, so devices do nothing");
		health_remedy(h, "Unset it.");
	}
}

static void check_settings(struct health *h)
{
	struct wdz_config c;
	const char *value;
	size_t i;

	wdz_config_default(&c);
	for (i = 0; i < WDZ_SETTINGS; i++) {
		value = variable(wdz_settings[i].variable);
		if (!value || wdz_settings[i].take(&c, value))
			continue;
		health_add(h, HEALTH_NOTE, "settings", "%s=%.100s: expected %s; the default is used",
			   wdz_settings[i].variable, value, wdz_settings[i].expected);
		health_remedy(h, "Correct it.");
	}
	wdz_config_settle(&c);
	check_off(h, &c);
	health_add(h, HEALTH_OK, "settings",
		   "levels %d-%d, streams from %zu bytes on, in parts of %zu bytes, inflate %s", c.level_low,
		   c.level_high, c.min, c.chunk, wdz_inflate_names[c.inflate]);
}

/* --- the library --- */

static void check_library(struct health *h)
{
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!lib) {
		health_add(h, HEALTH_PROBLEM, "library", LIBRARY " can't be loaded: %s", dlerror());
		health_remedy(h, "Install the package libwarpdrive0, or run 'make install-user && ldconfig'.");
		return;
	}
	health_add(h, HEALTH_OK, "library", LIBRARY);
	dlclose(lib);
}

/* --- the section --- */

static void section_facts(struct health *h, struct section *s, const struct fact_section *f)
{
	s->state = fact_section_state_name(f->state);
	if (f->state != UACCE_NL_SECTION_LIVE) {
		health_add(h, HEALTH_PROBLEM, "section", "section %s is %s: it takes no process", s->name, s->state);
		health_command(h, "wdctl section live %s", s->name);
	} else if (f->attached + f->lingering >= f->slots) {
		health_add(h, HEALTH_PROBLEM, "section", "section %s: all %u slots are taken", s->name, f->slots);
		health_remedy(h, "Wait for the end of a process, set WD_ATTACH_TIMEOUT, "
			      "or give the section more slots (NumProcesses).");
	} else {
		health_add(h, HEALTH_OK, "section", "section %s is live, with %u of %u slots free", s->name,
			   f->slots - f->attached - f->lingering, f->slots);
	}
}

static void section_failed(struct health *h, const char *name, const struct wd_nl *nl, int error)
{
	health_add(h, HEALTH_PROBLEM, "section", "section %s: %s", name, nl->why[0] ? nl->why : strerror(-error));
	if (error == -ENOENT)
		health_remedy(h, "Name one of the sections that 'wdctl section list' prints.");
	else
		health_remedy(h, "Run 'wdctl doctor' for the cause.");
}

/* On a kernel without sections, libwd goes on without one. */
static void check_section(struct health *h, struct section *s)
{
	struct fact_section facts;
	struct wd_nl nl;
	int ret;

	s->name = variable("WD_SECTION");
	if (!s->name)
		return;
	ret = wd_nl_open(&nl, UACCE_GENL_NAME);
	if (ret) {
		health_add(h, HEALTH_NOTE, "section", "section %s has no effect: this kernel has no sections", s->name);
		health_remedy(h, "Run 'wdctl doctor' for the cause.");
		return;
	}
	ret = facts_section(&nl, s->name, &facts);
	if (ret) {
		section_failed(h, s->name, &nl, ret);
	} else {
		section_facts(h, s, &facts);
		fact_section_fini(&facts);
	}
	wd_nl_close(&nl);
}

/* --- the report --- */

static struct json_object *json_devices(const struct health_input *in)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; list && i < in->devices->count; i++)
		if (zlib_shim_device(in->root, &in->devices->dev[i]))
			json_object_array_add(list, json_from_device(&in->devices->dev[i]));
	return list;
}

static struct json_object *json_section(const struct section *s)
{
	struct json_object *o = s->name ? json_object_new_object() : NULL;

	if (!o)
		return NULL;
	json_object_object_add(o, "name", json_object_new_string(s->name));
	json_object_object_add(o, "state", s->state ? json_object_new_string(s->state) : NULL);
	return o;
}

static bool print_json(const struct health *h, const struct health_input *in, const struct section *s)
{
	struct json_object *top = json_object_new_object();

	if (!top)
		return false;
	json_object_object_add(top, "devices", json_devices(in));
	json_object_object_add(top, "section", json_section(s));
	json_object_object_add(top, "findings", json_from_health(h));
	json_object_object_add(top, "problems", json_object_new_int64((int64_t)health_problems(h)));
	printf("%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return true;
}

static bool report(struct health *h, const struct health_input *in, bool json)
{
	struct section section = { NULL };

	check_settings(h);
	zlib_shim_check(h, in, HEALTH_PROBLEM);
	check_library(h);
	check_section(h, &section);
	if (h->error)
		return false;
	if (json)
		return print_json(h, in, &section);
	health_print(h);
	return true;
}

int check(bool json)
{
	struct health h = { 0 };
	struct device_list devices;
	struct root root;
	struct health_input in = { .root = &root, .devices = &devices, .version = WD_VERSION };
	int ret = root_open(&root, NULL);
	bool good;

	if (!ret) {
		ret = device_list_read(&root, &devices);
		if (ret)
			root_close(&root);
	}
	if (ret) {
		fprintf(stderr, "wd-zlib: devices: %s\n", strerror(-ret));
		return EXIT_OWN_FAILURE;
	}
	good = report(&h, &in, json);
	if (!good)
		fprintf(stderr, "wd-zlib: out of memory\n");
	ret = good ? health_problems(&h) != 0 : EXIT_OWN_FAILURE;
	health_free(&h);
	device_list_free(&devices);
	root_close(&root);
	return ret;
}
