// SPDX-License-Identifier: Apache-2.0
/* What scontrol prints about jobs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm.h"

/* More units than a section has slots. */
#define UNITS_MAX 1000000
#define DIGITS_MAX 7

struct line {
	const char *text;
	size_t len;
};

static bool line_next(const char **text, struct line *l)
{
	if (!**text)
		return false;
	l->text = *text;
	l->len = strcspn(*text, "\n");
	*text += l->len + ((*text)[l->len] == '\n');
	return true;
}

/* A field is the first of its line, behind blanks: what users choose never begins a line. */
static const char *field_first(const struct line *l, const char *key)
{
	size_t blanks = strspn(l->text, " "), len = strlen(key);

	if (blanks + len > l->len || memcmp(l->text + blanks, key, len))
		return NULL;
	return l->text + blanks + len;
}

/* A field of a line that users have no part in. */
static const char *field_in(const struct line *l, const char *key)
{
	size_t len = strlen(key), at;

	for (at = 0; at + len <= l->len; at++)
		if (!memcmp(l->text + at, key, len) && (!at || l->text[at - 1] == ' '))
			return l->text + at + len;
	return NULL;
}

static int field_copy(char *to, size_t size, const char *from)
{
	size_t len = strcspn(from, " \n");

	if (len >= size)
		return -EPROTO;
	memcpy(to, from, len);
	to[len] = '\0';
	if (!strcmp(to, "(null)") || !strcmp(to, "N/A"))
		to[0] = '\0';
	return 0;
}

/* A field that a job has once. */
static int field_once(unsigned int *seen, unsigned int bit, char *to, size_t size, const char *from)
{
	if (*seen & bit)
		return -EPROTO;
	*seen |= bit;
	return field_copy(to, size, from);
}

static int share_add(struct slurm_job *job, const struct line *l, const char *nodes)
{
	struct slurm_share *grown = realloc(job->share, (job->shares + 1) * sizeof(*grown));
	const char *gres = field_in(l, "GRES=");
	int ret;

	if (!grown)
		return -ENOMEM;
	job->share = grown;
	grown += job->shares++;
	grown->gres[0] = '\0';
	ret = field_copy(grown->nodes, sizeof(grown->nodes), nodes);
	return ret || !gres ? ret : field_copy(grown->gres, sizeof(grown->gres), gres);
}

#define SEEN_STATE 1
#define SEEN_BATCH 2
#define SEEN_NODES 4
#define SEEN_GRES 8

static int take_line(struct slurm_job *job, const struct line *l, unsigned int *seen)
{
	const char *value;
	char flag[8];
	int ret;

	if ((value = field_first(l, "JobState=")))
		return field_once(seen, SEEN_STATE, job->state, sizeof(job->state), value);
	if ((value = field_first(l, "NodeList=")))
		return field_once(seen, SEEN_NODES, job->nodes, sizeof(job->nodes), value);
	if ((value = field_first(l, "JOB_GRES=")))
		return field_once(seen, SEEN_GRES, job->gres, sizeof(job->gres), value);
	if ((value = field_first(l, "Nodes=")))
		return share_add(job, l, value);
	if (field_first(l, "Requeue=") && (value = field_in(l, "BatchFlag="))) {
		ret = field_once(seen, SEEN_BATCH, flag, sizeof(flag), value);
		job->batch = !strcmp(flag, "1");
		return ret;
	}
	return 0;
}

/* Does a record of this job begin here? */
static bool begins(const struct line *l, unsigned long id, bool *ours)
{
	const char *value = "JobId=";
	char *end;

	if (l->len < strlen(value) || memcmp(l->text, value, strlen(value)))
		return false;
	*ours = strtoul(l->text + strlen(value), &end, 10) == id && (*end == ' ' || *end == '\n' || !*end);
	return true;
}

int slurm_job_parse(const char *text, unsigned long id, struct slurm_job *job)
{
	bool ours = false, found = false;
	unsigned int seen = 0;
	struct line l;
	int ret = 0;

	memset(job, 0, sizeof(*job));
	while (!ret && line_next(&text, &l)) {
		if (begins(&l, id, &ours)) {
			if (ours && found)
				ret = -EPROTO;
			found |= ours;
		} else if (ours) {
			ret = take_line(job, &l, &seen);
		}
	}
	if (!ret && found && !(seen & SEEN_STATE))
		ret = -EPROTO;
	if (!ret && !found)
		ret = -ENOENT;
	if (ret)
		slurm_job_free(job);
	return ret;
}

void slurm_job_free(struct slurm_job *job)
{
	free(job->share);
	memset(job, 0, sizeof(*job));
}

bool slurm_job_has_nodes(const struct slurm_job *job)
{
	static const char *const states[] = { "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED",
					      "SIGNALING", "STAGE_OUT", "RESIZING" };
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(job->state, states[i]))
			return true;
	return false;
}

/* The number behind a colon, at the end of the item or before a bracket. */
static long item_units(const char *item, size_t len)
{
	const char *colon = item + len;
	long units = 0;
	size_t digits = 0;

	if (len && item[len - 1] == ')') {
		colon = memchr(item, '(', len);
		if (!colon || strncmp(colon, "(CNT:", 5))
			return -EPROTO;
		colon += 4;
	} else {
		while (colon > item && *colon != ':')
			colon--;
	}
	if (*colon != ':')
		return -EPROTO;
	while (isdigit((unsigned char)colon[1 + digits]) && digits < DIGITS_MAX)
		units = 10 * units + (colon[1 + digits++] - '0');
	return digits && units <= UNITS_MAX ? units : -EPROTO;
}

long slurm_gres_count(const char *gres, const char *name)
{
	size_t len, wanted = strlen(name), named;
	long units = 0, more;

	for (; *gres; gres += len + (gres[len] == ',')) {
		len = strcspn(gres, ",");
		named = strncmp(gres, "gres:", 5) ? 0 : 5;
		if (len <= named + wanted || memcmp(gres + named, name, wanted) ||
		    (gres[named + wanted] != ':' && gres[named + wanted] != '('))
			continue;
		more = item_units(gres, len);
		if (more < 0)
			return more;
		units += more;
	}
	return units;
}

bool slurm_list_has(const char *lines, const char *host, size_t *count)
{
	bool has = false;
	struct line l;

	*count = 0;
	while (line_next(&lines, &l)) {
		if (!l.len)
			continue;
		++*count;
		has |= l.len == strlen(host) && !memcmp(l.text, host, l.len);
	}
	return has;
}
