// SPDX-License-Identifier: Apache-2.0
/* What Slurm's scripts do on a node: the section of a job, from its prolog to its epilog. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/members.h"
#include "lib/text_file.h"
#include "provision.h"
#include "slurm_job.h"
#include "slurm_node.h"

#define COMMAND "slurm"
/* An 'apply' that drains sections may have the lock for some seconds, and prologs run at the same time. */
#define LOCK_MS 60000
/* A batch job that finds no slots so often has an administrator's problem, and ends with its reason. */
#define REQUEUES_MAX 10

/*
 * A file for each job that has asked for units and has no section: a word and the reason. The task prolog runs as the
 * job's user, once for each task, so it doesn't ask the controller unless the prolog couldn't.
 */
#define NOTES_FOLDER "/run/wdctl-slurm"
#define NOTE_REFUSE "refuse"	/* it has asked for units */
#define NOTE_ASK "ask"		/* it may have asked for units */

/* ------ notes for the task prolog ------ */

static int note_path(const struct job_here *h, char path[ROOT_PATH_MAX])
{
	return root_path(&h->run->root, path, ROOT_PATH_MAX, NOTES_FOLDER "/%s", h->section);
}

static int note_write(const struct job_here *h, const char *word, const char *why)
{
	char path[ROOT_PATH_MAX], text[600];
	int ret;

	ret = root_path(&h->run->root, path, sizeof(path), NOTES_FOLDER);
	if (!ret && mkdir(path, 0755) && errno != EEXIST)
		ret = -errno;
	if (!ret)
		ret = note_path(h, path);
	if (!ret) {
		snprintf(text, sizeof(text), "%s %s\n", word, why);
		ret = text_file_replace(path, text, strlen(text));
	}
	if (ret)
		wdctl_error(COMMAND, "%s: %s", path, strerror(-ret));
	return ret;
}

static void note_remove(const struct job_here *h)
{
	char path[ROOT_PATH_MAX];

	if (!note_path(h, path))
		unlink(path);
}

/* ------ the section's steps ------ */

/* The reason of a failure is printed by the common code: it goes on to the log, and its first line to the user. */
struct stderr_copy {
	int saved, copy;
};

static void stderr_take(struct stderr_copy *s)
{
	fflush(stderr);
	s->copy = memfd_create("stderr", MFD_CLOEXEC);
	s->saved = s->copy < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (s->saved >= 0)
		dup2(s->copy, STDERR_FILENO);
}

static void stderr_give_back(struct stderr_copy *s, struct job_why *why)
{
	char text[4096];
	ssize_t got = -1;

	fflush(stderr);
	if (s->saved >= 0) {
		dup2(s->saved, STDERR_FILENO);
		close(s->saved);
		got = pread(s->copy, text, sizeof(text) - 1, 0);
	}
	if (s->copy >= 0)
		close(s->copy);
	if (got <= 0)
		return;
	text[got] = '\0';
	fputs(text, stderr);
	text[strcspn(text, "\n")] = '\0';
	job_why(why, "%s", text);
}

static enum wdctl_exit section_remove(struct provision *p, const char *name)
{
	const struct object *old = config_find(&p->kernel, OBJECT_SECTION, name);
	enum wdctl_exit result = EXIT_FAILED;
	struct config wanted = { 0 };
	struct object *o;

	if (!old)
		return EXIT_DONE;
	p->options.partial = p->options.revoke = true;
	o = config_add(&wanted, OBJECT_SECTION, name, strlen(name));
	if (o && !config_copy(o, old)) {
		o->remove = true;
		result = provision_change(p, &wanted, false);
	}
	config_free(&wanted);
	return result;
}

static bool some_device_is_present(const struct config *kernel, const char *devices)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!*devices || members_have(devices, &l->item[i]))
			return true;
	return false;
}

static enum wdctl_exit section_make(struct provision *p, const struct job_here *h, const struct object *template,
				    long units)
{
	char slots[24], uids[24], live[] = "1";
	const struct object job = { .value = { [SECTION_NUM_PROCESSES] = slots, [SECTION_ALLOWED_UIDS] = uids,
					       [SECTION_LIVE] = live } };
	enum wdctl_exit result = EXIT_FAILED;
	struct config wanted = { 0 };
	struct object *o;

	if (!some_device_is_present(&p->kernel, template->value[SECTION_DEVICES])) {
		wdctl_error(COMMAND, "node %s has no device of [slurm %s]", h->node, template->name);
		return EXIT_FAILED;
	}
	snprintf(slots, sizeof(slots), "%ld", units);
	snprintf(uids, sizeof(uids), "%s", h->uid);
	p->options.partial = p->options.revoke = true;
	o = config_add(&wanted, OBJECT_SECTION, h->section, strlen(h->section));
	if (o && !config_copy(o, template) && !config_copy(o, &job) && !config_fill(o))
		result = provision_change(p, &wanted, false);
	else
		wdctl_error(COMMAND, "out of memory");
	config_free(&wanted);
	return result;
}

/* ------ sections of jobs that are gone ------ */

struct leftover {
	char name[SECTION_NAME_MAX + 1];
	unsigned long id;
	ino_t ino;		/* tells it from one of the same name that is made meanwhile */
};

static ino_t section_ino(const struct job_here *h, const char *name)
{
	char path[ROOT_PATH_MAX];
	struct stat st;

	if (root_path(&h->run->root, path, sizeof(path), TREE_PATH "/sections/%s", name) || stat(path, &st))
		return 0;
	return st.st_ino;
}

/* Before scontrol is asked, so that the jobs of these sections were known when it answered. */
static size_t leftovers_find(const struct job_here *h, struct leftover **list)
{
	const struct object_list *l;
	struct provision p;
	size_t i, n = 0;

	*list = NULL;
	if (provision_open_wait(&p, h->run, COMMAND, -1) != EXIT_DONE)
		return 0;
	l = &p.kernel.objects[OBJECT_SECTION];
	*list = calloc(l->count + 1, sizeof(**list));
	for (i = 0; *list && i < l->count; i++) {
		if (!job_of_section(h->run, l->item[i].name, &(*list)[n].id) || (*list)[n].id == h->id)
			continue;
		snprintf((*list)[n].name, sizeof((*list)[n].name), "%.*s", SECTION_NAME_MAX, l->item[i].name);
		(*list)[n].ino = section_ino(h, (*list)[n].name);
		n++;
	}
	provision_close(&p);
	return n;
}

/* Unless the answer says that the job isn't here, it may be. */
static bool job_is_gone(const struct job_here *h, const char *jobs, unsigned long id)
{
	struct slurm_job job;
	size_t count;
	bool gone;
	int ret;

	ret = slurm_job_parse(jobs, id, &job);
	if (ret)
		return ret == -ENOENT;
	gone = !slurm_job_has_nodes(&job) || (*job.nodes && !job_on_node(h, job.nodes, &count));
	slurm_job_free(&job);
	return gone;
}

static void leftovers_remove(const struct job_here *h)
{
	struct leftover *list, *l;
	char *jobs = NULL;
	struct provision p;
	size_t n;

	n = leftovers_find(h, &list);
	if (n)
		jobs = job_ask_all(h->run);
	for (l = list; jobs && l < list + n; l++) {
		if (!job_is_gone(h, jobs, l->id) ||
		    provision_open_wait(&p, h->run, COMMAND, LOCK_MS) != EXIT_DONE)
			continue;
		if (section_ino(h, l->name) == l->ino) {
			wdctl_error(COMMAND, "removing section %s: its job is not on node %s", l->name, h->node);
			section_remove(&p, l->name);
		}
		provision_close(&p);
	}
	free(jobs);
	free(list);
}

/* ------ what a job has asked for ------ */

static bool same_slots(const struct object *a, const struct object *b)
{
	size_t i;

	for (i = 0; i < SECTION_ATTRS; i++)
		if (i != SECTION_DEVICES && i != SECTION_NUM_PROCESSES && strcmp(a->value[i], b->value[i]))
			return false;
	return true;
}

/* A section's slots are all alike, so units of two resources have to be pairs: then a slot has the devices of both. */
static int join(struct object *all, const struct object *template, struct job_why *why)
{
	char *both;

	if (!same_slots(all, template)) {
		job_why(why, "[slurm %s] and [slurm %s] differ in more than Devices and NumProcesses, "
			"so a job can't have both", all->name, template->name);
		return -EINVAL;
	}
	if (!*all->value[SECTION_DEVICES])
		return 0;
	if (!*template->value[SECTION_DEVICES])
		both = strdup("");
	else if (asprintf(&both, "%s %s", all->value[SECTION_DEVICES], template->value[SECTION_DEVICES]) < 0)
		both = NULL;
	if (!both)
		return -ENOMEM;
	free(all->value[SECTION_DEVICES]);
	all->value[SECTION_DEVICES] = both;
	return 0;
}

/*
 * Sets the template of the job's section, an object of @c. Return: the units, 0 for a job without any of ours, or
 * -errno with the reason; *@asked: it has asked for units.
 */
static long wanted_units(const struct job_here *h, const struct slurm_job *job, struct config *c,
			 struct object **all, bool *asked, struct job_why *why)
{
	struct object_list *l = &c->objects[OBJECT_TEMPLATE];
	long units = 0, more;
	struct object *o;

	*all = NULL;
	for (o = l->item; o < l->item + l->count; o++) {
		more = job_units(h, job, o->name, why);
		*asked |= more != 0;
		if (more < 0)
			return more;
		if (!more)
			continue;
		if (o->leave) {
			job_why(why, "[slurm %s] has errors on node %s", o->name, h->node);
			return -EINVAL;
		}
		if (units && more != units) {
			job_why(why, "%ld units of %s and %ld of %s on a node: expected as many of each", units,
				(*all)->name, more, o->name);
			return -EINVAL;
		}
		if (units && join(*all, o, why))
			return -EINVAL;
		*all = units ? *all : o;
		units = more;
	}
	return units;
}

/* ------ the scripts ------ */

static enum wdctl_exit make(const struct job_here *h, const struct object *template, long units, struct job_why *why)
{
	struct stderr_copy copy;
	enum wdctl_exit result;
	struct provision p;

	job_why(why, "section %s could not be made on node %s", h->section, h->node);
	stderr_take(&copy);
	result = provision_open_wait(&p, h->run, COMMAND, LOCK_MS);
	if (result == EXIT_DONE) {
		result = section_make(&p, h, template, units);
		provision_close(&p);
	}
	stderr_give_back(&copy, why);
	return result;
}

/* A job of before, or of another node, may have left a section of this name. */
static void remove_own(const struct job_here *h)
{
	struct provision p;

	if (!root_exists(&h->run->root, TREE_PATH "/sections/%s", h->section) ||
	    provision_open_wait(&p, h->run, COMMAND, LOCK_MS) != EXIT_DONE)
		return;
	section_remove(&p, h->section);
	provision_close(&p);
}

static bool may_requeue(const struct slurm_job *job)
{
	const char *restarts = getenv("SLURM_JOB_RESTART_COUNT");

	return job->batch && (!restarts || atoi(restarts) < REQUEUES_MAX);
}

/* The job has asked for units and can't have them. Never a failure of the prolog: Slurm would drain the node. */
static enum wdctl_exit refuse(const struct job_here *h, const struct slurm_job *job, const struct job_why *why)
{
	int ret;

	wdctl_error(COMMAND, "job %lu on node %s: %s", h->id, h->node, why->text);
	remove_own(h);
	ret = note_write(h, NOTE_REFUSE, why->text);
	if (may_requeue(job) && !job_requeue(h)) {
		wdctl_error(COMMAND, "job %lu: requeued, if it still runs", h->id);
		return EXIT_DONE;
	}
	/* Without a note, the job would run as if it hadn't asked. */
	return ret ? EXIT_FAILED : EXIT_DONE;
}

static enum wdctl_exit serve(const struct job_here *h, const struct slurm_job *job, struct config *templates)
{
	struct object *template;
	struct job_why why;
	bool asked = false;
	long units;

	units = wanted_units(h, job, templates, &template, &asked, &why);
	if (!asked)
		return EXIT_DONE;
	if (units <= 0)
		return refuse(h, job, &why);
	/* Until there is a section: this process may be killed. */
	job_why(&why, "the prolog of node %s was interrupted", h->node);
	if (note_write(h, NOTE_REFUSE, why.text)) {
		job_why(&why, "node %s can't write below " NOTES_FOLDER, h->node);
		return refuse(h, job, &why);
	}
	leftovers_remove(h);
	if (make(h, template, units, &why) != EXIT_DONE)
		return refuse(h, job, &why);
	note_remove(h);
	return EXIT_DONE;
}

enum wdctl_exit slurm_prolog(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct config templates;
	struct slurm_job job;
	struct job_here h;
	struct job_why why;

	result = job_here_read(r, true, &h);
	if (result != EXIT_DONE)
		return result;
	job_templates(r, &templates);
	note_remove(&h);
	if (!templates.objects[OBJECT_TEMPLATE].count) {
		config_free(&templates);
		return EXIT_DONE;
	}
	if (job_ask(&h, &job, &why)) {
		/* Most jobs ask for no units, so this one may run; the task prolog asks once more. */
		wdctl_error(COMMAND, "job %lu on node %s: %s", h.id, h.node, why.text);
		note_write(&h, NOTE_ASK, why.text);
	} else {
		result = serve(&h, &job, &templates);
		slurm_job_free(&job);
	}
	config_free(&templates);
	return result;
}

/* Slurm shows the user what is printed behind "print". */
static enum wdctl_exit say_why(const struct job_here *h, const char *why)
{
	printf("print wdctl: job %lu has no accelerator units: %s\n", h->id, why);
	wdctl_error(COMMAND, "job %lu: %s", h->id, why);
	return EXIT_FAILED;
}

static bool asks_for_units(const struct job_here *h, struct job_why *why)
{
	struct config templates;
	struct slurm_job job;
	bool asks = false;
	size_t i;

	job_templates(h->run, &templates);
	if (!job_ask(h, &job, why)) {
		for (i = 0; i < templates.objects[OBJECT_TEMPLATE].count; i++)
			asks |= slurm_gres_count(job.gres, templates.objects[OBJECT_TEMPLATE].item[i].name) != 0;
		slurm_job_free(&job);
	}
	config_free(&templates);
	return asks;
}

enum wdctl_exit slurm_task_prolog(const struct wdctl_run *r)
{
	char path[ROOT_PATH_MAX], *note = NULL, *why;
	enum wdctl_exit result;
	struct job_why unused;
	struct job_here h;
	size_t len;

	result = job_here_read(r, false, &h);
	if (result != EXIT_DONE)
		return result;
	if (note_path(&h, path) || text_file_read(path, &note, &len)) {
		if (root_exists(&r->root, TREE_PATH "/sections/%s", h.section))
			printf("export WD_SECTION=%s\n", h.section);
		return EXIT_DONE;
	}
	note = realloc(note, len + 1);
	if (!note)
		return EXIT_FAILED;
	note[len] = '\0';
	note[strcspn(note, "\n")] = '\0';
	why = note + strcspn(note, " ");
	why += *why == ' ';
	if (strncmp(note, NOTE_ASK, strlen(NOTE_ASK)) || asks_for_units(&h, &unused))
		result = say_why(&h, why);
	free(note);
	return result;
}

enum wdctl_exit slurm_epilog(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct job_here h;

	result = job_here_read(r, false, &h);
	if (result != EXIT_DONE)
		return result;
	note_remove(&h);
	remove_own(&h);
	return EXIT_DONE;
}
