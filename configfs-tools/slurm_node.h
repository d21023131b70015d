/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm's scripts do on a node: the section of a job, from its prolog to its epilog. */
#ifndef WDCTL_SLURM_NODE_H
#define WDCTL_SLURM_NODE_H

#include "cmd.h"

/* Keys of the options: their letters. */
#define SLURM_FILE 'f'
#define SLURM_SCONTROL 's'
#define SLURM_PREFIX 'x'

#define SLURM_PREFIX_DEFAULT "slurm_"
#define SLURM_SCONTROL_DEFAULT "/usr/bin/scontrol"

/**
 * slurm_prolog() - make the section of a job that has asked for a template's units, and remove those of jobs that are
 * gone. It fails only if it can't even leave a reason for the task prolog: any other failure is the job's.
 */
enum wdctl_exit slurm_prolog(const struct wdctl_run *r);
/** slurm_task_prolog() - print the job's section as Slurm reads it, or why there is none; nothing for other jobs. */
enum wdctl_exit slurm_task_prolog(const struct wdctl_run *r);
/** slurm_epilog() - remove the job's section, with what its processes have open. */
enum wdctl_exit slurm_epilog(const struct wdctl_run *r);

#endif
