// SPDX-License-Identifier: Apache-2.0
/* wdctl slurm: slots of sections as generic resources of Slurm; its scripts make and remove the sections of jobs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/export.h"
#include "provision.h"
#include "slurm_node.h"

#define COMMAND "slurm"

/* ------ Slurm's configuration ------ */

/* More units than fit would be given to jobs that then find no slots. */
static void note_room(const struct config *kernel, const struct object *template)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	const struct object *d;
	uint64_t contexts;

	for (d = l->item; d < l->item + l->count; d++) {
		contexts = config_contexts(template, d);
		if (d->total >= 0 && contexts > (uint64_t)d->total)
			fprintf(stderr, "note: [slurm %s] NumProcesses: %s has %ld contexts, and so many units need "
				"%" PRIu64 "\n", template->name, d->name, d->total, contexts);
	}
}

static void names_print(const struct object_list *l, bool units)
{
	const struct object *o;

	for (o = l->item; o < l->item + l->count; o++) {
		printf("%s%s", o == l->item ? "" : ",", o->name);
		if (units)
			printf(":%s", o->value[SECTION_NUM_PROCESSES]);
	}
	putchar('\n');
}

static void config_of_slurm(const struct object_list *l)
{
	printf("# Written by 'wdctl slurm config', for slurm.conf on all machines.\nGresTypes=");
	names_print(l, false);
	printf("PrologFlags=Alloc\n# To the line NodeName= of this machine:\n# Gres=");
	names_print(l, true);
}

static void config_of_gres(const struct object_list *l)
{
	const struct object *o;

	printf("# Written by 'wdctl slurm config', for gres.conf of this machine.\n");
	for (o = l->item; o < l->item + l->count; o++)
		printf("Name=%s Count=%s Flags=CountOnly\n", o->name, o->value[SECTION_NUM_PROCESSES]);
}

static enum wdctl_exit config_run(const struct wdctl_run *r)
{
	const char *file = r->opt[SLURM_FILE] ? r->opt[SLURM_FILE] : EXPORT_SECTIONS_FILE;
	const char *part = r->args_nr == 2 ? r->args[1] : NULL;
	struct object_list *l;
	enum wdctl_exit result;
	struct provision p;
	struct config c;
	size_t i;

	if (part && strcmp(part, "slurm.conf") && strcmp(part, "gres.conf")) {
		wdctl_error(COMMAND, "config: expected slurm.conf, gres.conf or nothing");
		return EXIT_USAGE;
	}
	result = provision_parse_file(r, COMMAND, file, &c);
	l = &c.objects[OBJECT_TEMPLATE];
	if (result == EXIT_DONE && !l->count) {
		wdctl_error(COMMAND, "%s: expected a template, [slurm NAME]", file);
		result = EXIT_FAILED;
	}
	if (result == EXIT_DONE && root_exists(&r->root, TREE_PATH) &&
	    provision_open(&p, r, COMMAND, false) == EXIT_DONE) {
		for (i = 0; i < l->count; i++)
			note_room(&p.kernel, &l->item[i]);
		provision_close(&p);
	}
	if (result == EXIT_DONE && (!part || !strcmp(part, "slurm.conf")))
		config_of_slurm(l);
	if (result == EXIT_DONE && (!part || !strcmp(part, "gres.conf")))
		config_of_gres(l);
	config_free(&c);
	return result;
}

/* ------ the command ------ */

static const struct verb {
	const char *name;
	int args_max;
	enum wdctl_exit (*run)(const struct wdctl_run *r);
} verbs[] = {
	{ "config", 1, config_run },
	{ "prolog", 0, slurm_prolog },
	{ "task-prolog", 0, slurm_task_prolog },
	{ "epilog", 0, slurm_epilog },
};

static enum wdctl_exit slurm_run(const struct wdctl_run *r)
{
	const char *name = r->args_nr ? r->args[0] : "";
	char shown[ESCAPE_SIZE];
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, name))
			continue;
		if (r->args_nr - 1 <= verbs[i].args_max)
			return verbs[i].run(r);
		wdctl_error(COMMAND, "%s: unexpected argument '%s'", name, r->args[r->args_nr - 1]);
		return EXIT_USAGE;
	}
	wdctl_error(COMMAND, "expected config, prolog, task-prolog or epilog, not '%s'",
		    escape(shown, sizeof(shown), name, strlen(name)));
	return EXIT_USAGE;
}

static const struct wdctl_option slurm_options[] = {
	{ SLURM_FILE, "file", "FILE", "the file with templates (" EXPORT_SECTIONS_FILE ")" },
	{ SLURM_SCONTROL, "scontrol", "PATH", "the program (" SLURM_SCONTROL_DEFAULT ")" },
	{ SLURM_PREFIX, "prefix", "TEXT", "before the job's number in its section's name (" SLURM_PREFIX_DEFAULT ")" },
	{ 0 },
};

const struct wdctl_cmd cmd_slurm = {
	.name = COMMAND,
	.help = "slots of sections as resources of Slurm: its configuration and its scripts",
	.args = "config [slurm.conf|gres.conf]|prolog|task-prolog|epilog",
	.kind = WDCTL_HAS_ROOT,
	.options = slurm_options,
	.run = slurm_run,
};
