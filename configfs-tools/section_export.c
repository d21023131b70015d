// SPDX-License-Identifier: Apache-2.0
/* The formats of 'wdctl export' that describe sections, for container runtimes, systemd and Kubernetes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text_file.h"
#include "provision.h"
#include "section_export.h"

#define COMMAND "export"
/* A file that sections outrun that often is rewritten by the change that comes next. */
#define WRITES_MAX 10

/* Without the module there are no sections, and a file must not go on naming those there were. */
static enum wdctl_exit sections_read(const struct wdctl_run *r, struct provision *p)
{
	if (root_exists(&r->root, TREE_PATH) || root_exists(&r->root, "/sys/module/uacce"))
		return provision_open(p, r, COMMAND, false);
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
			fprintf(stderr, "section %s is left out: a name in CDI begins and ends with a letter or digit\n",
				l->item[i].name);
}

static enum wdctl_exit cdi_make(const struct wdctl_run *r, const struct cdi_group *group, bool notes,
				struct json_object **top)
{
	enum wdctl_exit result;
	struct provision p;

	result = sections_read(r, &p);
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
