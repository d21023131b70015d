// SPDX-License-Identifier: Apache-2.0
/* The formats of 'wdctl export' that describe sections, for container runtimes, systemd and Kubernetes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/export.h"
#include "lib/idname.h"
#include "lib/k8s.h"
#include "lib/text_file.h"
#include "lib/unit.h"
#include "provision.h"
#include "section_export.h"

#define COMMAND "export"
/* A file that sections outrun that often is rewritten by the change that comes next. */
#define WRITES_MAX 10

/* Without the module there are no sections, and a file must not go on naming those there were. @note: say so. */
static enum wdctl_exit sections_read(const struct wdctl_run *r, bool note, struct provision *p)
{
	if (root_exists(&r->root, TREE_PATH) || root_exists(&r->root, "/sys/module/uacce"))
		return provision_open(p, r, COMMAND, false);
	if (note)
		fprintf(stderr, "this kernel has no sections; run 'wdctl doctor' for the cause\n");
	*p = (struct provision){ .run = r, .command = COMMAND, .tree = { .dir = { -1, -1 }, .lock = -1 } };
	return EXIT_DONE;
}

/* ------ files ------ */

static char *text_of(struct json_object *top)
{
	char *text;

	if (asprintf(&text, "%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_NOSLASHESCAPE)) < 0)
		return NULL;
	return text;
}

static enum wdctl_exit file_put(const char *path, const char *text)
{
	int ret = text_file_replace(path, text, strlen(text));

	if (!ret)
		return EXIT_DONE;
	wdctl_error(COMMAND, "--output %s: %s", path, strerror(-ret));
	return EXIT_FAILED;
}

static enum wdctl_exit no_memory(void)
{
	wdctl_error(COMMAND, "out of memory");
	return EXIT_FAILED;
}

enum wdctl_exit section_export_put(const struct wdctl_run *r, struct json_object *top)
{
	const char *path = r->opt[EXPORT_OUTPUT];
	enum wdctl_exit result;
	char *text;

	if (!path)
		return provision_print_json(COMMAND, top);
	text = top ? text_of(top) : NULL;
	json_object_put(top);
	result = text ? file_put(path, text) : no_memory();
	free(text);
	return result;
}

/* ------ CDI ------ */

static void note_names(const struct config *kernel)
{
	const struct object_list *l = &kernel->objects[OBJECT_SECTION];
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->item[i].state == SECTION_IS_LIVE && !cdi_name_valid(l->item[i].name))
			fprintf(stderr, "section %s is left out: a name in CDI begins and ends with a letter or "
				"digit\n", l->item[i].name);
}

static enum wdctl_exit cdi_make(const struct wdctl_run *r, const struct cdi_group *group, bool notes,
				struct json_object **top)
{
	enum wdctl_exit result;
	struct provision p;

	result = sections_read(r, notes, &p);
	if (result != EXIT_DONE)
		return result;
	*top = cdi_sections(&p.kernel, group);
	if (notes)
		note_names(&p.kernel);
	provision_close(&p);
	return *top ? EXIT_DONE : no_memory();
}

static enum wdctl_exit cdi_text(const struct wdctl_run *r, const struct cdi_group *group, bool notes, char **text)
{
	struct json_object *top;
	enum wdctl_exit result = cdi_make(r, group, notes, &top);

	if (result != EXIT_DONE)
		return result;
	*text = text_of(top);
	json_object_put(top);
	return *text ? EXIT_DONE : no_memory();
}

/*
 * Another instance may have read later and written earlier, or sections may have changed since they were read: the file
 * is written until it has what is read after it. A lock would do for root alone, and would make changes wait.
 */
static enum wdctl_exit cdi_write(const struct wdctl_run *r, const struct cdi_group *group)
{
	char *text = NULL, *after = NULL;
	enum wdctl_exit result;
	int i;

	result = cdi_text(r, group, true, &text);
	for (i = 0; i < WRITES_MAX && result == EXIT_DONE; i++) {
		result = file_put(r->opt[EXPORT_OUTPUT], text);
		if (result == EXIT_DONE)
			result = cdi_text(r, group, false, &after);
		if (result != EXIT_DONE || !strcmp(text, after))
			break;
		free(text);
		text = after;
		after = NULL;
	}
	free(text);
	free(after);
	return result;
}

enum wdctl_exit section_export_cdi(const struct wdctl_run *r, const struct cdi_group *group)
{
	struct json_object *top;
	enum wdctl_exit result;

	if (r->opt[EXPORT_OUTPUT])
		return cdi_write(r, group);
	result = cdi_make(r, group, true, &top);
	return result == EXIT_DONE ? provision_print_json(COMMAND, top) : result;
}

/* ------ one section ------ */

static bool name_good(const char *name)
{
	char shown[ESCAPE_SIZE];

	if (section_name_valid(name, strlen(name)))
		return true;
	wdctl_error(COMMAND, "expected the name of a section, 1 to %d letters, digits, '_' and '-', not '%s'",
		    SECTION_NAME_MAX, escape(shown, sizeof(shown), name, strlen(name)));
	return false;
}

/* A file may be made before its section goes live, but not for a section that nobody has asked for. */
static bool is_declared(const struct wdctl_run *r, const char *name)
{
	struct id_names names = idname_source(&r->root);
	char path[ROOT_PATH_MAX], *text;
	bool declared = false;
	struct config c;
	size_t len;

	if (root_path(&r->root, path, sizeof(path), EXPORT_SECTIONS_FILE) || text_file_read(path, &text, &len))
		return false;
	if (!config_parse(&c, text, len, &names))
		declared = config_find(&c, OBJECT_SECTION, name);
	config_free(&c);
	free(text);
	return declared;
}

static enum wdctl_exit not_found(const char *name)
{
	wdctl_error(COMMAND, "%s: no such section, neither in the kernel nor in " EXPORT_SECTIONS_FILE, name);
	return EXIT_FAILED;
}

/* ------ units ------ */

static bool unit_name_good(const char *name)
{
	const char *chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.@\\";
	char shown[ESCAPE_SIZE];

	if (*name && *name != '-' && !name[strspn(name, chars)])
		return true;
	wdctl_error(COMMAND, "expected the name of a unit, not '%s'", escape(shown, sizeof(shown), name, strlen(name)));
	return false;
}

/* A program that gives its groups away opens nodes by a rule for its user. */
static enum wdctl_exit rule_put(const struct wdctl_run *r, const char *section, const char *unit)
{
	const char *user = r->opt[EXPORT_USER];
	struct id_names names = idname_source(&r->root);
	char shown[ESCAPE_SIZE];
	uint32_t uid;

	if (!*user || user[strspn(user, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] ||
	    names.find(names.arg, false, user, &uid)) {
		wdctl_error(COMMAND, "--user %s: no such user", escape(shown, sizeof(shown), user, strlen(user)));
		return EXIT_FAILED;
	}
	printf("# Written by 'wdctl export systemd-dropin %s %s --user %s', for /etc/udev/rules.d.\n"
	       "ACTION!=\"remove\", SUBSYSTEM==\"uacce\", RUN+=\"/bin/setfacl -m u:%s:rw /dev/%%k\"\n",
	       section, unit, user, user);
	return EXIT_DONE;
}

static void devices_put(const struct unit *u)
{
	printf("PrivateDevices=no\n");
	if (unit_is(u, "PrivateDevices", "yes"))
		printf("DevicePolicy=closed\n");
	if (unit_is(u, "PrivateDevices", "yes") || unit_limits_devices(u))
		printf("DeviceAllow=" UNIT_DEVICES " rw\n");
	else
		printf("# No DeviceAllow=: the unit may open all devices, and the first one would end that.\n");
}

static void dropin_put(const char *section, const char *name, const struct unit *u)
{
	char calls[256];

	printf("# Written by 'wdctl export systemd-dropin %s %s'.\n"
	       "[Unit]\n"
	       "Wants=" EXPORT_UNIT "\n"
	       "After=" EXPORT_UNIT "\n"
	       "\n"
	       "[Service]\n"
	       "Environment=WD_SECTION=%s\n"
	       "SupplementaryGroups=" EXPORT_GROUP "\n",
	       section, name, section);
	devices_put(u);
	if (unit_filters(u, "RestrictAddressFamilies", UNIT_FAMILY))
		printf("RestrictAddressFamilies=" UNIT_FAMILY "\n");
	if (*unit_filtered_calls(u, calls, sizeof(calls)))
		printf("SystemCallFilter=%s\n", calls);
}

enum wdctl_exit section_export_dropin(const struct wdctl_run *r)
{
	const char *section = r->args[1], *name = r->args[2];
	enum wdctl_exit result;
	struct provision p;
	struct unit u;
	char why[600];
	bool known;

	if (!name_good(section) || !unit_name_good(name))
		return EXIT_USAGE;
	result = sections_read(r, true, &p);
	if (result != EXIT_DONE)
		return result;
	known = config_find(&p.kernel, OBJECT_SECTION, section);
	provision_close(&p);
	if (!known && !is_declared(r, section))
		return not_found(section);
	if (r->opt[EXPORT_USER])
		return rule_put(r, section, name);
	if (unit_read(&u, name, why, sizeof(why))) {
		wdctl_error(COMMAND, "%s", why);
		return EXIT_FAILED;
	}
	dropin_put(section, name, &u);
	unit_free(&u);
	return EXIT_DONE;
}

/* ------ Kubernetes ------ */

static enum wdctl_exit k8s_put(const struct wdctl_run *r, const struct config *kernel, const char *name)
{
	const struct object *section = config_find(kernel, OBJECT_SECTION, name);
	struct id_names names = idname_source(&r->root);
	uint32_t gid;
	bool has_group;

	if (!section)
		return not_found(name);
	if (!k8s_name_valid(name)) {
		wdctl_error(COMMAND, "%s: a name in Kubernetes ends with a letter or digit", name);
		return EXIT_FAILED;
	}
	if (section->state != SECTION_IS_LIVE) {
		wdctl_error(COMMAND, "%s: expected a live section, since only that has devices", name);
		return EXIT_FAILED;
	}
	has_group = !names.find(names.arg, true, r->opt['g'] ? r->opt['g'] : EXPORT_GROUP, &gid);
	if (!has_group) {
		wdctl_error(COMMAND, "group %s doesn't exist", r->opt['g'] ? r->opt['g'] : EXPORT_GROUP);
		return EXIT_FAILED;
	}
	if (!k8s_print(stdout, kernel, section, gid)) {
		wdctl_error(COMMAND, "%s: none of its devices is present", name);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

enum wdctl_exit section_export_k8s(const struct wdctl_run *r)
{
	const char *name = r->opt[EXPORT_SECTION];
	enum wdctl_exit result;
	struct provision p;

	if (!name) {
		wdctl_error(COMMAND, "k8s: expected --section NAME");
		return EXIT_USAGE;
	}
	if (!name_good(name))
		return EXIT_USAGE;
	result = sections_read(r, true, &p);
	if (result != EXIT_DONE)
		return result;
	result = k8s_put(r, &p.kernel, name);
	provision_close(&p);
	return result;
}
