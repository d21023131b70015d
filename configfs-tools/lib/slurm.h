/* SPDX-License-Identifier: Apache-2.0 */
/* What scontrol prints about jobs. */
#ifndef WDCTL_SLURM_H
#define WDCTL_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#define SLURM_TEXT_MAX 4096

/* A range of nodes on which a job has the same resources. */
struct slurm_share {
	char nodes[SLURM_TEXT_MAX];	/* "n[1-2]" */
	char gres[SLURM_TEXT_MAX];	/* "wd_zip(CNT:3),wd_sec(CNT:1)", "": none */
};

struct slurm_job {
	char state[32];			/* RUNNING */
	bool batch;
	char nodes[SLURM_TEXT_MAX];	/* "": none yet */
	char gres[SLURM_TEXT_MAX];	/* of all nodes: "wd_zip:6", "": none */
	struct slurm_share *share;
	size_t shares;
};

/**
 * slurm_job_parse() - find a job in the output of 'scontrol show job -d', with or without the number of a job.
 *
 * A job's user chooses its name, comment and command: a line that could be a copy of another makes the output useless.
 * Return: 0, -ENOENT if there is no such job, -EPROTO for what scontrol doesn't print, -ENOMEM.
 */
int slurm_job_parse(const char *text, unsigned long id, struct slurm_job *job);
void slurm_job_free(struct slurm_job *job);

/** slurm_job_has_nodes() - are its processes on its nodes, or will they be, or may they be yet? */
bool slurm_job_has_nodes(const struct slurm_job *job);

/** slurm_gres_count() - units of a resource in a list of them. Return: the number, 0 if it isn't there; -EPROTO. */
long slurm_gres_count(const char *gres, const char *name);

/** slurm_list_has() - is a host among lines of names, as 'scontrol show hostnames' prints them? *@count: of lines. */
bool slurm_list_has(const char *lines, const char *host, size_t *count);

#endif
