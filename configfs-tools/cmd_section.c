// SPDX-License-Identifier: Apache-2.0
/* wdctl section: changes and shows single sections; plans and undoes as 'apply' does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lib/escape.h"
#include "lib/facts_config.h"
#include "lib/idname.h"
#include "provision.h"
#include "section_show.h"

#define COMMAND "section"

struct verb {
	const char *name;
	bool change;
	int names_min, names_max;	/* how many sections may be named */
	bool pairs;			/* KEY=VALUE may follow */
	enum wdctl_exit (*run)(struct provision *p, const struct verb *v, char **arg, int count);
};

static const struct object *find_existing(const struct provision *p, const char *name)
{
	const struct object *o = config_find(&p->kernel, OBJECT_SECTION, name);
	char shown[ESCAPE_SIZE];

	if (!o)
		wdctl_error(COMMAND, "%s: no such section", escape(shown, sizeof(shown), name, strlen(name)));
	return o;
}

static bool all_exist(const struct provision *p, char **name, int count)
{
	bool all = true;
	int i;

	for (i = 0; i < count; i++)
		all &= find_existing(p, name[i]) != NULL;
	return all;
}

static enum wdctl_exit no_memory(struct config *c)
{
	config_free(c);
	wdctl_error(COMMAND, "out of memory");
	return EXIT_FAILED;
}

/* The same keys as in a file, with the same messages. */
static enum wdctl_exit set_pairs(struct provision *p, struct config *c, struct object *o, char **pair,
				 int count)
{
	struct id_names names = idname_source(&p->run->root);
	struct ini_word key, value;
	char shown[ESCAPE_SIZE];
	size_t i;
	int n;

	for (n = 0; n < count; n++) {
		key = (struct ini_word){ pair[n], strcspn(pair[n], "=") };
		if (!pair[n][key.len]) {
			wdctl_error(COMMAND, "expected KEY=VALUE, not '%s'",
				    escape(shown, sizeof(shown), pair[n], strlen(pair[n])));
			return EXIT_USAGE;
		}
		value.text = pair[n] + key.len + 1;
		value.len = strlen(value.text);
		if (config_set(c, OBJECT_SECTION, o, 0, key, value, &names))
			return no_memory(c);
	}
	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++)
		wdctl_error(COMMAND, "%s", c->error[i].text ? c->error[i].text : "out of memory");
	return c->errors ? EXIT_USAGE : EXIT_DONE;
}

static enum wdctl_exit finish(struct provision *p, struct config *wanted)
{
	enum wdctl_exit result = provision_change(p, wanted, false);

	config_free(wanted);
	return result;
}

/* Checks that need all values of the section, including defaults. */
static bool whole_is_good(struct config *c, struct object *o)
{
	config_check_section(c, o);
	if (c->errors)
		wdctl_error(COMMAND, "%s", c->error[0].text ? c->error[0].text : "out of memory");
	return !c->errors;
}

static enum wdctl_exit set_run(struct provision *p, const struct verb *v, char **arg, int count)
{
	bool add = !strcmp(v->name, "add");
	struct config wanted = { 0 }, given = { 0 };
	enum wdctl_exit result = EXIT_DONE;
	const struct object *old;
	struct object *o, *values;

	old = add ? config_find(&p->kernel, OBJECT_SECTION, arg[0]) : find_existing(p, arg[0]);
	if (add && old)
		wdctl_error(COMMAND, "%s: exists already; use 'wdctl section set' to change it", arg[0]);
	if (add ? !!old : !old)
		return EXIT_FAILED;
	o = config_add(&wanted, OBJECT_SECTION, arg[0], strlen(arg[0]));
	values = config_add(&given, OBJECT_SECTION, arg[0], strlen(arg[0]));
	if (!o || !values || (old && config_copy(o, old)))
		result = no_memory(&wanted);
	else
		result = set_pairs(p, &given, values, arg + 1, count - 1);
	if (result == EXIT_DONE && (config_copy(o, values) || config_fill(o)))
		result = no_memory(&wanted);
	else if (result == EXIT_DONE && !whole_is_good(&wanted, o))
		result = EXIT_USAGE;
	config_free(&given);
	if (result == EXIT_DONE)
		return finish(p, &wanted);
	config_free(&wanted);
	return result;
}

static bool want(struct config *wanted, const struct object *old, const char *live)
{
	const struct object live_only = { .value = { [SECTION_LIVE] = (char *)live } };
	struct object *o = config_add(wanted, OBJECT_SECTION, old->name, strlen(old->name));

	if (!o || config_copy(o, old) || config_fill(o) || (live && config_copy(o, &live_only)))
		return false;
	o->remove = !live;
	return true;
}

static enum wdctl_exit want_all(struct provision *p, struct config *wanted, char **name, int count,
				const char *live)
{
	int i;

	memset(wanted, 0, sizeof(*wanted));
	if (!all_exist(p, name, count))
		return EXIT_FAILED;
	for (i = 0; i < count; i++)
		if (!config_find(wanted, OBJECT_SECTION, name[i]) &&
		    !want(wanted, config_find(&p->kernel, OBJECT_SECTION, name[i]), live))
			return no_memory(wanted);
	return EXIT_DONE;
}

static enum wdctl_exit del_run(struct provision *p, const struct verb *v, char **arg, int count)
{
	struct config wanted;
	enum wdctl_exit result = want_all(p, &wanted, arg, count, NULL);

	(void)v;
	return result == EXIT_DONE ? finish(p, &wanted) : result;
}

/* A drain continues after the command, so a note says so. */
static void tell_draining(struct provision *p, char **name, int count)
{
	enum section_state state;
	int i;

	for (i = 0; i < count; i++)
		if (!tree_state(&p->tree, name[i], &state, NULL) && state == SECTION_DRAINING)
			wdctl_error(COMMAND, "note: section %s: draining, processes hold its slots", name[i]);
}

static enum wdctl_exit live_run(struct provision *p, const struct verb *v, char **arg, int count)
{
	bool live = !strcmp(v->name, "live");
	enum wdctl_exit result;
	struct config wanted;

	if (!strcmp(v->name, "revoke"))
		p->options.revoke = true;
	result = want_all(p, &wanted, arg, count, live ? "1" : "0");
	if (result != EXIT_DONE)
		return result;
	result = finish(p, &wanted);
	if (result == EXIT_DONE && !live && !p->run->dry_run)
		tell_draining(p, arg, count);
	return result;
}

static enum wdctl_exit list_run(struct provision *p, const struct verb *v, char **arg, int count)
{
	(void)v;
	(void)arg;
	(void)count;
	return section_list(p);
}

static enum wdctl_exit show_run(struct provision *p, const struct verb *v, char **arg, int count)
{
	enum wdctl_exit result;

	(void)v;
	result = section_show(p, arg, count);
	return all_exist(p, arg, count) ? result : EXIT_FAILED;
}

#define ANY 65536

static const struct verb verbs[] = {
	{ "add", true, 1, 1, true, set_run },
	{ "set", true, 1, 1, true, set_run },
	{ "del", true, 1, ANY, false, del_run },
	{ "show", false, 1, ANY, false, show_run },
	{ "list", false, 0, 0, false, list_run },
	{ "live", true, 1, ANY, false, live_run },
	{ "drain", true, 1, ANY, false, live_run },
	{ "revoke", true, 1, ANY, false, live_run },
	{ 0 },
};

static const char verb_list[] = "add, set, del, show, list, live, drain or revoke";

static const struct verb *verb_find(const char *name)
{
	const struct verb *v;

	for (v = verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

static bool names_good(const struct verb *v, char **arg, int count)
{
	int names = v->pairs && count ? 1 : count, i;
	char shown[ESCAPE_SIZE];

	if (names < v->names_min || names > v->names_max) {
		wdctl_error(COMMAND, "%s: expected %s", v->name,
			    !v->names_max ? "no argument" : v->pairs ? "NAME [KEY=VALUE...]" : "NAME...");
		return false;
	}
	for (i = 0; i < names; i++) {
		if (section_name_valid(arg[i], strlen(arg[i])))
			continue;
		wdctl_error(COMMAND, "expected a name of 1 to %d letters, digits, '_' and '-', not '%s'",
			    SECTION_NAME_MAX, escape(shown, sizeof(shown), arg[i], strlen(arg[i])));
		return false;
	}
	return true;
}

/* Sections that can't be changed here, without configfs, can still be read: in a container, or before it is mounted. */
static bool read_by_netlink(struct provision *p, const struct wdctl_run *r)
{
	struct fact_sections facts;
	struct wd_nl family;
	int ret;

	if (root_is_fake(&r->root) || root_exists(&r->root, TREE_PATH) || wd_nl_open(&family, UACCE_GENL_NAME))
		return false;
	*p = (struct provision){ .run = r, .command = COMMAND };
	ret = facts_sections(&family, &facts);
	wd_nl_close(&family);
	if (ret && ret != -EINTR)
		return false;
	ret = facts_config(&facts, &p->kernel);
	fact_sections_free(&facts);
	return !ret;
}

static enum wdctl_exit section_run(const struct wdctl_run *r)
{
	const struct verb *v = r->args_nr ? verb_find(r->args[0]) : NULL;
	enum wdctl_exit result;
	struct provision p;

	if (!v) {
		wdctl_error(COMMAND, "expected %s", verb_list);
		return EXIT_USAGE;
	}
	if (v->change ? r->json && !r->dry_run : r->dry_run) {
		wdctl_error(COMMAND, v->change ? "%s: --json prints a plan: add --dry-run" :
			    "%s: --dry-run is for verbs that change sections", v->name);
		return EXIT_USAGE;
	}
	if (!names_good(v, r->args + 1, r->args_nr - 1))
		return EXIT_USAGE;
	if (!v->change && read_by_netlink(&p, r)) {
		result = v->run(&p, v, r->args + 1, r->args_nr - 1);
		config_free(&p.kernel);
		return result;
	}
	result = provision_open(&p, r, COMMAND, v->change);
	if (result != EXIT_DONE)
		return result;
	p.options.partial = true;
	result = v->run(&p, v, r->args + 1, r->args_nr - 1);
	provision_close(&p);
	return result;
}

static const struct wdctl_option section_options[] = {
	PROVISION_OPTION_REVOKE,
	PROVISION_OPTION_WAIT,
	PROVISION_OPTION_VERBOSE,
	{ 0 },
};

const struct wdctl_cmd cmd_section = {
	.name = COMMAND,
	.help = "add, set, del, show, list, live, drain or revoke sections",
	.args = "VERB [NAME...] [KEY=VALUE...]",
	.kind = WDCTL_CHANGE | WDCTL_CHANGES_ROOT | WDCTL_HAS_JSON,
	.options = section_options,
	.run = section_run,
};
