// SPDX-License-Identifier: Apache-2.0
/* The job of the environment, and what scontrol says about it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/command.h"
#include "lib/escape.h"
#include "lib/export.h"
#include "provision.h"
#include "slurm_job.h"
#include "slurm_node.h"

#define COMMAND "slurm"
/* It waits 18 s for a controller that doesn't answer. */
#define SCONTROL_SECONDS 60

void job_why(struct job_why *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
}

/* ------ names ------ */

static const char *prefix(const struct wdctl_run *r)
{
	return r->opt[SLURM_PREFIX] ? r->opt[SLURM_PREFIX] : SLURM_PREFIX_DEFAULT;
}

bool job_section_name(const struct wdctl_run *r, unsigned long id, char name[SECTION_NAME_MAX + 1])
{
	int len = snprintf(name, SECTION_NAME_MAX + 1, "%s%lu", prefix(r), id);

	return section_name_valid(name, strlen(name)) && len <= SECTION_NAME_MAX;
}

/* Decimal digits and nothing else: strtoul() takes signs and blanks, too. */
static bool digits_read(const char *text, unsigned long *n)
{
	if (!*text || text[strspn(text, "0123456789")] || strlen(text) > 10)
		return false;
	*n = strtoul(text, NULL, 10);
	return true;
}

bool job_of_section(const struct wdctl_run *r, const char *section, unsigned long *id)
{
	size_t len = strlen(prefix(r));

	return !strncmp(section, prefix(r), len) && section[len] != '0' && digits_read(section + len, id);
}

static bool env_number(const char *name, const char **text, unsigned long *n)
{
	char shown[ESCAPE_SIZE];

	*text = getenv(name);
	if (*text && digits_read(*text, n))
		return true;
	wdctl_error(COMMAND, "%s: expected a number, not '%s'; Slurm starts this from its scripts", name,
		    *text ? escape(shown, sizeof(shown), *text, strlen(*text)) : "");
	return false;
}

enum wdctl_exit job_here_read(const struct wdctl_run *r, bool whole, struct job_here *h)
{
	unsigned long uid;
	const char *text;

	*h = (struct job_here){ .run = r };
	if (!env_number("SLURM_JOB_ID", &text, &h->id) || (whole && !env_number("SLURM_JOB_UID", &h->uid, &uid)))
		return EXIT_USAGE;
	h->node = getenv("SLURMD_NODENAME");
	if (whole && (!h->node || !*h->node)) {
		wdctl_error(COMMAND, "SLURMD_NODENAME: expected a name; Slurm starts this from its scripts");
		return EXIT_USAGE;
	}
	if (job_section_name(r, h->id, h->section))
		return EXIT_DONE;
	wdctl_error(COMMAND, "--prefix %s: expected letters, digits, '_' and '-', with job %lu at most %d", prefix(r),
		    h->id, SECTION_NAME_MAX);
	return EXIT_USAGE;
}

/* ------ templates ------ */

void job_templates(const struct wdctl_run *r, struct config *c)
{
	const char *file = r->opt[SLURM_FILE] ? r->opt[SLURM_FILE] : EXPORT_SECTIONS_FILE;

	memset(c, 0, sizeof(*c));
	/* Errors elsewhere in the file are not this job's: a template with errors is marked as one. */
	if (r->opt[SLURM_FILE] || !access(file, F_OK))
		provision_parse_file(r, COMMAND, file, c);
}

/* ------ scontrol ------ */

static int scontrol(const struct wdctl_run *r, const char *a, const char *b, const char *c, const char *d,
		    struct command_output *o)
{
	const char *program = r->opt[SLURM_SCONTROL] ? r->opt[SLURM_SCONTROL] : SLURM_SCONTROL_DEFAULT;
	const char *argv[] = { program, a, b, c, d, NULL };
	int ret = command_run(argv, SCONTROL_SECONDS, o);

	if (ret)
		wdctl_error(COMMAND, "%s: %s", program, strerror(-ret));
	else if (o->status)
		wdctl_error(COMMAND, "%s %s: status %d: %s", program, a, o->status, o->err);
	if (ret || !o->status)
		return ret;
	command_free(o);
	return -EIO;
}

int job_ask(const struct job_here *h, struct slurm_job *job, struct job_why *why)
{
	struct command_output o;
	char id[24];
	int ret;

	snprintf(id, sizeof(id), "%lu", h->id);
	ret = scontrol(h->run, "show", "job", "-d", id, &o);
	if (ret) {
		job_why(why, "Slurm's controller could not be asked");
		return ret;
	}
	ret = slurm_job_parse(o.out, h->id, job);
	if (ret)
		job_why(why, "what scontrol says about job %lu is not understood%s", h->id,
			ret == -EPROTO ? ": a name or comment in it looks like a field" : "");
	command_free(&o);
	return ret;
}

char *job_ask_all(const struct wdctl_run *r)
{
	struct command_output o;

	return scontrol(r, "show", "job", "-d", NULL, &o) ? NULL : o.out;
}

int job_on_node(const struct job_here *h, const char *nodes, size_t *count)
{
	struct command_output o;
	int ret;

	*count = 1;
	if (!strcmp(nodes, h->node))
		return 1;
	/* A single name needs no expansion. */
	if (!strpbrk(nodes, "[,"))
		return 0;
	ret = scontrol(h->run, "show", "hostnames", nodes, NULL, &o);
	if (ret)
		return ret;
	ret = slurm_list_has(o.out, h->node, count);
	command_free(&o);
	return ret;
}

/* The units of all nodes have to be those of the whole job: a line more would be somebody else's. */
long job_units(const struct job_here *h, const struct slurm_job *job, const char *gres, struct job_why *why)
{
	long total = slurm_gres_count(job->gres, gres), units, here = 0, sum = 0;
	unsigned int found = 0;
	size_t i, count;
	int on;

	if (!total)
		return 0;
	for (i = 0; i < job->shares && total > 0; i++) {
		units = slurm_gres_count(job->share[i].gres, gres);
		on = units < 0 ? (int)units : job_on_node(h, job->share[i].nodes, &count);
		if (on < 0) {
			job_why(why, "the units of job %lu on node %s are not known", h->id, h->node);
			return on;
		}
		sum += units * (long)count;
		here = on ? units : here;
		found += on;
	}
	if (total > 0 && sum == total && found == 1)
		return here;
	job_why(why, "scontrol gives job %lu '%s', and node %s no part of it that fits", h->id, job->gres, h->node);
	return -EPROTO;
}

/*
 * Slurm would also requeue a job that is ending: one that its user has cancelled meanwhile would run again. With this
 * option it leaves that job alone, and doesn't say so.
 */
int job_requeue(const struct job_here *h)
{
	struct command_output o;
	char id[24];
	int ret;

	snprintf(id, sizeof(id), "%lu", h->id);
	ret = scontrol(h->run, "requeue", "Incomplete", id, NULL, &o);
	if (!ret)
		command_free(&o);
	return ret;
}
