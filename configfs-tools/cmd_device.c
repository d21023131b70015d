// SPDX-License-Identifier: Apache-2.0
/* wdctl device: shows what devices can do, sets virtual functions, isolation, bandwidth and more, resets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "cmd.h"
#include "device_show.h"
#include "lib/device_control.h"
#include "lib/escape.h"
#include "lib/holder.h"
#include "provision.h"

#define COMMAND "device"
#define PAIRS_MAX 16

/* A value that is to be set, in the order of the command line. */
struct order {
	enum control control;
	long value;
};

struct change {
	const struct wdctl_run *run;
	const struct device_list *list;
	const struct device *device;
	struct controls controls;
	struct order order[PAIRS_MAX];
	size_t orders;
	struct config wanted;		/* settings in configfs */
	bool settings;
};

static const struct device *find(const struct device_list *list, const char *name)
{
	const struct device *d = device_find(list, name);
	char shown[ESCAPE_SIZE];

	if (!d)
		wdctl_error(COMMAND, "%s: no such device", escape(shown, sizeof(shown), name, strlen(name)));
	return d;
}

/* ------ show ------ */

static bool is_wanted(const struct device *d, char **name, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(name[i], d->name) || !strcmp(name[i], d->parent))
			return true;
	return !count;
}

static enum wdctl_exit show_json(const struct wdctl_run *r, const struct device_list *list, char **name, int count)
{
	struct json_object *top = json_object_new_object(), *all = json_object_new_array();
	size_t i;

	if (!top || !all)
		return provision_print_json(COMMAND, NULL);
	for (i = 0; i < list->count; i++)
		if (is_wanted(&list->dev[i], name, count))
			json_object_array_add(all, device_show_json(&r->root, &list->dev[i]));
	json_object_object_add(top, "devices", all);
	return provision_print_json(COMMAND, top);
}

static enum wdctl_exit show_run(const struct wdctl_run *r, const struct device_list *list, char **name, int count)
{
	enum wdctl_exit result = EXIT_DONE;
	const char *gap = "";
	size_t i;
	int n;

	for (n = 0; n < count; n++)
		if (!find(list, name[n]))
			result = EXIT_FAILED;
	if (r->json)
		return show_json(r, list, name, count) == EXIT_DONE ? result : EXIT_FAILED;
	for (i = 0; i < list->count; i++) {
		if (!is_wanted(&list->dev[i], name, count))
			continue;
		fputs(gap, stdout);
		device_show(&r->root, list, &list->dev[i]);
		gap = "\n";
	}
	return result;
}

/* ------ set: reading the pairs ------ */

static enum wdctl_exit bad_pair(const struct change *c, const char *pair, const char *why)
{
	char shown[ESCAPE_SIZE];

	wdctl_error(COMMAND, "%s: %s: %s", c->device->name, escape(shown, sizeof(shown), pair, strlen(pair)), why);
	return EXIT_USAGE;
}

static enum wdctl_exit take_control(struct change *c, enum control control, const char *pair, const char *value)
{
	struct order *o = &c->order[c->orders];
	char why[CONTROL_WHY_SIZE];

	if (control_check(c->device, &c->controls, control, value, &o->value, why))
		return bad_pair(c, pair, why);
	o->control = control;
	c->orders++;
	return EXIT_DONE;
}

/* A setting of configfs, with the file's messages. */
static enum wdctl_exit take_setting(struct change *c, const char *pair, size_t key_len)
{
	struct object *o = &c->wanted.objects[OBJECT_DEVICE].item[0];
	struct ini_word key = { pair, key_len }, value = { pair + key_len + 1, strlen(pair + key_len + 1) };
	size_t i;

	if (attr_find(OBJECT_DEVICE, pair, key_len) < 0)
		return bad_pair(c, pair, "expected one of the keys Functions, IsolateStrategy, Bandwidth, Priority, "
				"Zone, MaxCtxsPerProcess, Latency, Throughput, Doorbells, Memory");
	c->settings = true;
	if (config_set(&c->wanted, OBJECT_DEVICE, o, 0, key, value, NULL)) {
		wdctl_error(COMMAND, "out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < c->wanted.errors && i < CONFIG_ERRORS_SHOWN; i++)
		wdctl_error(COMMAND, "%s", c->wanted.error[i].text ? c->wanted.error[i].text : "out of memory");
	return c->wanted.errors ? EXIT_USAGE : EXIT_DONE;
}

static enum wdctl_exit take_pair(struct change *c, const char *pair)
{
	size_t len = strcspn(pair, "=");
	enum control control = control_find(pair, len);

	if (!pair[len])
		return bad_pair(c, pair, "expected KEY=VALUE");
	return control < CONTROLS ? take_control(c, control, pair, pair + len + 1) : take_setting(c, pair, len);
}

/* ------ set: writing ------ */

static enum wdctl_exit write_settings(struct change *c)
{
	enum wdctl_exit result;
	struct provision p;

	result = provision_open(&p, c->run, COMMAND, true);
	if (result != EXIT_DONE)
		return result;
	p.options.partial = true;
	result = provision_change(&p, &c->wanted, false);
	provision_close(&p);
	return result;
}

/* The processes that keep virtual functions from being removed. */
static void tell_holders(const struct change *c)
{
	const struct device *d;
	struct holder_list l;
	size_t i;

	if (holder_list_read(&c->run->root, c->list, &l))
		return;
	for (i = 0; i < l.count; i++) {
		d = device_find(c->list, l.holder[i].device);
		if (d && !strcmp(d->physical, c->device->parent))
			wdctl_error(COMMAND, "%s is open in %s (%ld)", d->name, l.holder[i].comm, l.holder[i].pid);
	}
	holder_list_free(&l);
}

static enum wdctl_exit set_failed(const struct change *c, const struct order *o, int error)
{
	const char *key = control_key(o->control), *name = c->device->name;

	if (error == -EACCES || error == -EPERM) {
		wdctl_error(COMMAND, "%s: %s: only root can set it", name, key);
		return EXIT_FAILED;
	}
	if (o->control == CONTROL_FUNCTIONS && error == -EBUSY) {
		wdctl_error(COMMAND, "%s: %s stays %ld: programs have queues of its virtual functions", name, key,
			    c->controls.value[o->control].value);
		tell_holders(c);
		return EXIT_BUSY;
	}
	wdctl_error(COMMAND, "%s: %s = %ld: %s; 'dmesg' may have the reason", name, key, o->value, strerror(-error));
	return EXIT_FAILED;
}

static enum wdctl_exit write_control(struct change *c, const struct order *o)
{
	struct device_number *was = &c->controls.value[o->control];
	int ret;

	if (was->value == o->value)
		return EXIT_DONE;
	if (c->run->dry_run) {
		printf("device %s: %s = %ld (was %ld)\n", c->device->name, control_key(o->control), o->value,
		       was->value);
		return EXIT_DONE;
	}
	ret = control_set(&c->run->root, c->device, &c->controls, o->control, o->value);
	if (ret)
		return set_failed(c, o, ret);
	was->value = o->value;
	return EXIT_DONE;
}

static enum wdctl_exit set_pairs(struct change *c, char **pair, int count)
{
	enum wdctl_exit result = EXIT_DONE;
	size_t i;
	int n;

	for (n = 0; n < count && result == EXIT_DONE; n++)
		result = take_pair(c, pair[n]);
	if (result == EXIT_DONE && c->settings)
		result = write_settings(c);
	for (i = 0; i < c->orders && result == EXIT_DONE; i++)
		result = write_control(c, &c->order[i]);
	return result;
}

static enum wdctl_exit set_run(const struct wdctl_run *r, const struct device_list *list, char **arg, int count)
{
	struct change c = { .run = r, .list = list };
	enum wdctl_exit result;

	if (count < 2 || count > PAIRS_MAX) {
		wdctl_error(COMMAND, "set: expected DEVICE KEY=VALUE...");
		return EXIT_USAGE;
	}
	c.device = find(list, arg[0]);
	if (!c.device)
		return EXIT_FAILED;
	controls_read(&r->root, c.device, &c.controls);
	if (!config_add(&c.wanted, OBJECT_DEVICE, c.device->name, strlen(c.device->name))) {
		wdctl_error(COMMAND, "out of memory");
		return EXIT_FAILED;
	}
	result = set_pairs(&c, arg + 1, count - 1);
	config_free(&c.wanted);
	return result;
}

/* ------ reset ------ */

static bool is_isolated(const struct root *r, const struct device *d)
{
	struct device_list list;
	const struct device *now;
	bool isolated;

	if (device_list_read(r, &list))
		return false;
	now = device_find(&list, d->name);
	isolated = now && now->state == DEVICE_ISOLATED;
	device_list_free(&list);
	return isolated;
}

static enum wdctl_exit reset_one(const struct wdctl_run *r, const struct device *d)
{
	struct controls c;
	int ret;

	controls_read(&r->root, d, &c);
	if (!c.resets) {
		wdctl_error(COMMAND, "%s: it can't be reset: PCI knows no way", d->name);
		return EXIT_FAILED;
	}
	if (r->dry_run) {
		printf("device %s: reset\n", d->name);
		return EXIT_DONE;
	}
	ret = control_reset(&r->root, d);
	if (ret == -EACCES || ret == -EPERM)
		wdctl_error(COMMAND, "%s: only root can reset it", d->name);
	else if (ret)
		wdctl_error(COMMAND, "%s: the reset failed: %s; 'dmesg' may have the reason", d->name, strerror(-ret));
	if (!ret && is_isolated(&r->root, d)) {
		wdctl_error(COMMAND, "%s: it is isolated still: unbind and bind its driver: D=/sys/bus/pci/drivers/%s; "
			    "echo %s >$D/unbind; echo %s >$D/bind",
			    d->name, c.driver, d->parent, d->parent);
		ret = -EIO;
	}
	return ret ? EXIT_FAILED : EXIT_DONE;
}

static enum wdctl_exit reset_run(const struct wdctl_run *r, const struct device_list *list, char **name, int count)
{
	enum wdctl_exit result = EXIT_DONE;
	int i;

	if (!count) {
		wdctl_error(COMMAND, "reset: expected DEVICE...");
		return EXIT_USAGE;
	}
	for (i = 0; i < count; i++)
		if (!find(list, name[i]))
			return EXIT_FAILED;
	for (i = 0; i < count; i++)
		if (reset_one(r, find(list, name[i])) != EXIT_DONE)
			result = EXIT_FAILED;
	return result;
}

/* ------ the command ------ */

static const struct verb {
	const char *name;
	bool change;
	enum wdctl_exit (*run)(const struct wdctl_run *r, const struct device_list *list, char **arg, int count);
} verbs[] = {
	{ "show", false, show_run },
	{ "set", true, set_run },
	{ "reset", true, reset_run },
};

static const struct verb *verb_find(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static enum wdctl_exit device_run(const struct wdctl_run *r)
{
	const struct verb *v = verb_find(r->args_nr ? r->args[0] : NULL);
	struct device_list list;
	enum wdctl_exit result;
	int ret;

	if (!v) {
		wdctl_error(COMMAND, "expected show, set or reset");
		return EXIT_USAGE;
	}
	if (v->change ? r->json : r->dry_run) {
		wdctl_error(COMMAND, v->change ? "%s: --json is for 'show'" : "%s: --dry-run is for 'set' and 'reset'",
			    v->name);
		return EXIT_USAGE;
	}
	ret = device_list_read(&r->root, &list);
	if (ret) {
		wdctl_error(COMMAND, "%s/sys/class/uacce: %s", r->root.dir, strerror(-ret));
		return EXIT_FAILED;
	}
	if (!v->change)
		ask_counts(&r->root, &list, r->json);
	result = v->run(r, &list, r->args + 1, r->args_nr - 1);
	device_list_free(&list);
	return result;
}

const struct wdctl_cmd cmd_device = {
	.name = COMMAND,
	.help = "show what devices can do, set virtual functions, isolation and bandwidth, reset",
	.args = "VERB [DEVICE...] [KEY=VALUE...]",
	.kind = WDCTL_CHANGE | WDCTL_CHANGES_ROOT | WDCTL_HAS_JSON,
	.run = device_run,
};
