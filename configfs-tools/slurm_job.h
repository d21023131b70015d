/* SPDX-License-Identifier: Apache-2.0 */
/* The job of the environment, and what scontrol says about it. */
#ifndef WDCTL_SLURM_JOB_H
#define WDCTL_SLURM_JOB_H

#include "lib/config.h"
#include "lib/slurm.h"
#include "cmd.h"

struct job_here {
	const struct wdctl_run *run;
	unsigned long id;
	const char *uid;		/* digits */
	const char *node;
	char section[SECTION_NAME_MAX + 1];
};

/* Why a job has no section. */
struct job_why {
	char text[512];
};

void job_why(struct job_why *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** job_here_read() - of the environment that Slurm gives its scripts; @whole: with user and node. */
enum wdctl_exit job_here_read(const struct wdctl_run *r, bool whole, struct job_here *h);

/** job_section_name() - the name of a job's section. Return: false if it would be too long. */
bool job_section_name(const struct wdctl_run *r, unsigned long id, char name[SECTION_NAME_MAX + 1]);
/** job_of_section() - the job whose section has this name. Return: false if it is none's. */
bool job_of_section(const struct wdctl_run *r, const char *section, unsigned long *id);

/** job_templates() - read the file with templates, and print its errors; an absent one has none. */
void job_templates(const struct wdctl_run *r, struct config *c);

/** job_ask() - what scontrol says about this job. Return: 0, or -errno with the reason. */
int job_ask(const struct job_here *h, struct slurm_job *job, struct job_why *why);
/** job_ask_all() - its text about all jobs, to be freed; NULL if it can't be asked. */
char *job_ask_all(const struct wdctl_run *r);
/** job_on_node() - is this node in a list of nodes? *@count: how many there are. Return: 1, 0, or -errno. */
int job_on_node(const struct job_here *h, const char *nodes, size_t *count);

/**
 * job_units() - this node's units of a template's resource. Return: the number, 0 for a job without it, or -errno with
 * the reason.
 */
long job_units(const struct job_here *h, const struct slurm_job *job, const char *gres, struct job_why *why);

/** job_requeue() - let a batch job wait and try again. Return: 0 or -errno. */
int job_requeue(const struct job_here *h);

#endif
