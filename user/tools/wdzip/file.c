// SPDX-License-Identifier: Apache-2.0
/* One input from its name to its result. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

#define TRIES	5	/* for one file, if devices are lost */

static bool is_stdin(const char *name)
{
	return !strcmp(name, "-");
}

/* gzip's rules: only a file that can safely be replaced is processed. */
static enum wdzip_exit input_check(struct job *job, bool replaces)
{
	if (S_ISDIR(job->stat.st_mode)) {
		warn(job, "is a directory, ignored");
		return WDZIP_WARNING;
	}
	if (!replaces)
		return WDZIP_DONE;
	if (!S_ISREG(job->stat.st_mode)) {
		warn(job, "is not a regular file, ignored");
		return WDZIP_WARNING;
	}
	/* Not even with -f: a copy without these bits is another file, and a copy with them may have another owner. */
	if (job->stat.st_mode & (S_ISUID | S_ISGID)) {
		warn(job, "is set-%s-ID on execution, ignored", job->stat.st_mode & S_ISUID ? "user" : "group");
		return WDZIP_WARNING;
	}
	if (job->set->force)
		return WDZIP_DONE;
	if (job->stat.st_mode & S_ISVTX) {
		warn(job, "has the sticky bit set, ignored");
		return WDZIP_WARNING;
	}
	if (!job->set->keep && job->stat.st_nlink > 1) {
		warn(job, "has %lu other link%s, unchanged", (unsigned long)job->stat.st_nlink - 1,
		     job->stat.st_nlink > 2 ? "s" : "");
		return WDZIP_WARNING;
	}
	return WDZIP_DONE;
}

static void input_close(struct job *job)
{
	if (!job->from_stdin)
		close(job->in);
}

static enum wdzip_exit input_open(struct job *job, const char *name)
{
	bool replaces = job_makes_file(job) && !job->set->output;
	enum wdzip_exit result;

	if (job->from_stdin) {
		job->name = "stdin";
		job->in = STDIN_FILENO;
	} else {
		/* Non-blocking, or a pipe without a writer would hang; it has no effect on files. */
		job->in = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | (replaces ? O_NONBLOCK : 0) |
			       (replaces && !job->set->force && !job->set->keep ? O_NOFOLLOW : 0));
		if (job->in < 0 && errno == ELOOP && replaces) {
			complain(name, "is a symbolic link; use -f, -k or -c to follow it");
			return WDZIP_ERROR;
		}
	}
	if (job->in < 0 || fstat(job->in, &job->stat)) {
		complain(name, "%s", strerror(errno));
		return WDZIP_ERROR;
	}
	if (job->from_stdin && job->set->mode != MODE_COMPRESS && !job->set->force && isatty(job->in)) {
		complain(NULL, "compressed data not read from a terminal; use -f to read it, or -h for help");
		return WDZIP_ERROR;
	}
	result = input_check(job, replaces);
	if (result != WDZIP_DONE)
		input_close(job);
	return result;
}

/* Files in a folder that need no work get no warning. */
static enum wdzip_exit left_alone(struct job *job, const char *why)
{
	if (job->set->recursive && !job->set->verbose)
		return WDZIP_DONE;
	warn(job, "%s", why);
	return WDZIP_WARNING;
}

/* With -N, the name and the time of the header, if it has them; otherwise the file's own. */
static char *restored_name(struct job *job, const char *name)
{
	time_t when = 0;
	char *stored = job->set->names ? header_read(job->in, &when) : NULL;
	char *path = stored ? name_beside(name, stored) : NULL;

	if (when)
		job->stat.st_mtim = (struct timespec){ .tv_sec = when };
	/* The output would overwrite the compressed file, which would then be removed. */
	if (!stored || (path && !strcmp(path, name))) {
		free(path);
		path = name_decompressed(job->set, name);
	}
	free(stored);
	return path;
}

/* Returns the name of the output file, malloc'ed, or NULL and the result. */
static char *output_name(struct job *job, const char *name, enum wdzip_exit *result)
{
	char *path;

	if (job->set->output) {
		path = strdup(job->set->output);
	} else if (job->set->mode == MODE_COMPRESS) {
		if (name_has_suffix(job->set, name) && !job->set->force) {
			*result = left_alone(job, "already has a suffix of compressed files, unchanged");
			return NULL;
		}
		path = name_compressed(job->set, name);
	} else if (!name_has_suffix(job->set, name)) {
		*result = left_alone(job, "unknown suffix, ignored; use -c or -o to choose the output");
		return NULL;
	} else {
		path = restored_name(job, name);
	}
	if (!path) {
		complain(job->name, "%s", strerror(ENOMEM));
		*result = WDZIP_ERROR;
	}
	return path;
}

/* out is rewound to its beginning, and only if it is a file that this process made. */
static int job_rewind(struct job *job, off_t in_start)
{
	if (in_start < 0 || lseek(job->in, in_start, SEEK_SET) != in_start)
		return -ESPIPE;
	if (job->out >= 0 && (ftruncate(job->out, 0) || lseek(job->out, 0, SEEK_SET)))
		return -ESPIPE;
	job->in_bytes = 0;
	job->out_bytes = 0;
	job->head_len = 0;
	job->paths = 0;
	free(job->stored_name);
	job->stored_name = NULL;
	return 0;
}

/*
 * Says why the job begins again. A device that computed wrongly isn't asked once more, and on the last try none is: one
 * that stops may be found for longer than all tries take.
 */
static void job_again(struct job *job, int err, bool last)
{
	bool doubtful = session_is_doubtful(job, err), wrong = doubtful || job->path_reason == WD_REASON_WRONG;
	handle_t soft;

	if (!job->set->quiet && !doubtful)
		session_complain(job, err, wrong ? "starting again" : "device lost, starting again");
	soft = (wrong || last) && !job->soft ? session_of_software(job->set, job->format) : 0;
	if (soft)
		job->stream = job->sess = job->soft = soft;
}

/* If input and output can be rewound, the loss of a device costs only time. */
static int job_run(struct job *job, bool may_rewind)
{
	bool compress = job->set->mode == MODE_COMPRESS;
	off_t in_start = may_rewind ? lseek(job->in, 0, SEEK_CUR) : -1;
	int tries, ret;

	progress_start(job);
	ret = compress ? compress_stream(job) : decompress_stream(job);
	/* One removal may fail two streams: the queue goes first, and a new stream may still find the device. */
	for (tries = 1; ret < -1 && tries < TRIES && !job_rewind(job, in_start); tries++) {
		job_again(job, ret, tries + 1 == TRIES);
		ret = compress ? compress_stream(job) : decompress_stream(job);
	}
	progress_clear();
	if (ret < -1)
		session_complain(job, ret, compress ? "compression failed" :
				 "decompression failed");
	if (job->soft)
		wd_comp_free_sess(job->soft);
	return ret;
}

/* Parts may have taken several paths; the reason is that of the last. */
static void job_report(const struct job *job, const char *action, const char *file)
{
	__u16 path;

	fprintf(stderr, "%s:\t%5.1f%%%s%s%s -- path %s", job->name, ratio_percent(job),
		action[0] ? " -- " : "", action, file ? file : "", wd_path_str(job->path));
	for (path = WD_PATH_HW; path <= WD_PATH_SOFT; path++)
		if (job->paths & 1u << path && path != job->path)
			fprintf(stderr, " and %s", wd_path_str(path));
	fprintf(stderr, " (%s)\n", wd_path_reason_str(job->path_reason));
}

/* Of the file that -d would make. */
static enum wdzip_exit job_list(struct job *job)
{
	char *name = job->stored_name && job->set->names ? name_beside(job->name, job->stored_name) :
		     job->from_stdin ? strdup("stdout") :
		     name_has_suffix(job->set, job->name) ? name_decompressed(job->set, job->name) : strdup(job->name);

	if (!name) {
		complain(job->name, "%s", strerror(ENOMEM));
		return WDZIP_ERROR;
	}
	list_add(job, name);
	free(name);
	return WDZIP_DONE;
}

static enum wdzip_exit to_file(struct job *job, const char *name)
{
	bool removes = !job->set->keep && !job->set->output && !job->from_stdin;
	enum wdzip_exit result = WDZIP_ERROR;
	struct output out;
	char *path;
	int ret;

	path = output_name(job, name, &result);
	if (!path)
		return result;
	ret = output_open(&out, path, job->set->force);
	if (ret == -EEXIST)
		complain(path, "already exists; use -f to overwrite it");
	else if (ret)
		complain(path, "%s", strerror(-ret));
	if (ret)
		goto out_free;
	job->out = out.fd;
	if (job_run(job, out.ours)) {
		output_abort(&out);
		goto out_free;
	}
	ret = output_attributes(&out, job->from_stdin ? NULL : &job->stat);
	if (ret)
		warn(job, "%s: owner, mode or times can't be kept: %s", path, strerror(-ret));
	ret = output_commit(&out, job->set->synchronous);
	if (ret) {
		complain(path, "%s", strerror(-ret));
		goto out_free;
	}
	result = WDZIP_DONE;
	if (removes && unlink(name)) {
		complain(name, "can't be removed: %s", strerror(errno));
		result = WDZIP_ERROR;
	}
	if (job->set->verbose)
		job_report(job, removes ? "replaced with " : "created ", path);
out_free:
	free(path);
	return result;
}

static enum wdzip_exit to_nowhere_or_stdout(struct job *job)
{
	bool writes = job->set->mode == MODE_COMPRESS || job->set->mode == MODE_DECOMPRESS;

	job->out = writes ? STDOUT_FILENO : -1;
	if (job->set->mode == MODE_COMPRESS && !job->set->force && isatty(STDOUT_FILENO)) {
		complain(NULL, "compressed data not written to a terminal; use -f to write it, or -h for help");
		return WDZIP_ERROR;
	}
	/* A standard output that is a file may contain other programs' output: it is never rewound. */
	if (job_run(job, !writes && !job->from_stdin))
		return WDZIP_ERROR;
	if (job->set->mode == MODE_LIST)
		return job_list(job);
	if (job->set->verbose)
		job_report(job, job->set->mode == MODE_TEST ? "OK" : "", NULL);
	return WDZIP_DONE;
}

enum wdzip_exit file_process(struct settings *set, const char *name)
{
	char *path = is_stdin(name) ? strdup(name) : name_resolve(set, name);
	struct job job = {
		.set = set, .name = path, .in = -1, .out = -1, .from_stdin = is_stdin(name), .stream = set->sess,
		.sess = set->sess, .format = set->format,
	};
	enum wdzip_exit result;

	if (!path) {
		complain(name, "%s", strerror(ENOMEM));
		return WDZIP_ERROR;
	}
	result = input_open(&job, path);
	if (result != WDZIP_DONE)
		goto out_free;
	if (job_makes_file(&job))
		result = to_file(&job, path);
	else
		result = to_nowhere_or_stdout(&job);
	input_close(&job);
out_free:
	free(job.stored_name);
	free(path);
	return result == WDZIP_DONE && job.warned ? WDZIP_WARNING : result;
}
