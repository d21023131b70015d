// SPDX-License-Identifier: Apache-2.0
/* Compares the kernel's sections and devices with the file that is restored at boot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export.h"
#include "health.h"
#include "idname.h"
#include "members.h"
#include "text_file.h"
#include "tree.h"

#define AREA "sections"
#define FILE_ EXPORT_SECTIONS_FILE
#define OBJECTS_NAMED 8

static int read_file(const struct root *r, struct config *c)
{
	struct id_names names = idname_source(r);
	char path[ROOT_PATH_MAX], *text;
	size_t len;
	int ret;

	ret = root_path(r, path, sizeof(path), FILE_);
	if (!ret)
		ret = text_file_read(path, &text, &len);
	if (ret)
		return ret;
	ret = config_parse(c, text, len, &names);
	free(text);
	if (ret)
		config_free(c);
	return ret;
}

static int read_kernel(const struct root *r, struct config *kernel)
{
	struct tree t;
	int ret = tree_open(&t, r);

	if (ret)
		return ret;
	ret = tree_read(&t, kernel);
	tree_close(&t);
	if (!ret && members_read(kernel, r)) {
		config_free(kernel);
		ret = -ENOMEM;
	}
	return ret;
}

static void tell_errors(struct health *h, const struct config *c)
{
	char shown[ESCAPE_SIZE];

	if (!c->errors)
		return;
	health_add(h, HEALTH_PROBLEM, AREA, FILE_ " has %zu error%s, in line %zu: %s", c->errors,
		   c->errors == 1 ? "" : "s", c->error[0].line,
		   c->error[0].text ? escape(shown, sizeof(shown), c->error[0].text, strlen(c->error[0].text)) : "");
	health_command(h, "wdctl check " FILE_);
}

static void tell_lines(struct health *h, enum health_state state, const struct text_list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		health_add(h, state, AREA, "%s", l->line[i]);
}

/* One finding for each object, with the first step that it needs. */
static void tell_steps(struct health *h, const struct plan *p)
{
	size_t i, k, more, named = 0;
	char *text;

	for (i = 0; i < p->steps && named < OBJECTS_NAMED; i++) {
		for (k = 0; k < i && !step_same_object(&p->step[k], &p->step[i]); k++)
			;
		if (k < i)
			continue;
		for (more = 0, k++; k < p->steps; k++)
			more += step_same_object(&p->step[k], &p->step[i]);
		text = plan_describe(&p->step[i]);
		health_add(h, HEALTH_PROBLEM, AREA, "not as " FILE_ " declares it: %s%s",
			   text ? text : p->step[i].name, more ? ", ..." : "");
		health_command(h, named + 1 < OBJECTS_NAMED ? "wdctl apply --missing-ok " FILE_ :
			       "wdctl plan --missing-ok " FILE_ " && wdctl apply --missing-ok " FILE_);
		free(text);
		named++;
	}
}

static void compare(struct health *h, const struct config *wanted, const struct config *kernel)
{
	const struct plan_options options = { .missing_ok = true, .whole = true, .keep_going = true };
	size_t before = health_problems(h);
	struct plan p;

	if (plan_make(&p, wanted, kernel, &options)) {
		h->error = -ENOMEM;
		return;
	}
	tell_errors(h, wanted);
	tell_lines(h, HEALTH_PROBLEM, &p.errors);
	tell_steps(h, &p);
	tell_lines(h, HEALTH_PROBLEM, &p.lacks);
	tell_lines(h, HEALTH_NOTE, &p.notes);
	if (health_problems(h) == before)
		health_add(h, HEALTH_OK, AREA, "the kernel has what " FILE_ " declares");
	plan_free(&p);
}

/* Other checks report if there is no file, or no kernel with sections. */
void health_check_declared(struct health *h, const struct health_input *in)
{
	struct config wanted, kernel;

	if (!root_exists(in->root, FILE_) || read_kernel(in->root, &kernel))
		return;
	if (!read_file(in->root, &wanted)) {
		compare(h, &wanted, &kernel);
		config_free(&wanted);
	}
	config_free(&kernel);
}
