// SPDX-License-Identifier: Apache-2.0
/* One input from its name to its result. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wdzip.h"

#define TRIES	5	/* at one file, when devices go away under it */

static bool is_stdin(const char *name)
{
	return !strcmp(name, "-");
}

static bool makes_file(const struct settings *set, const char *name)
{
	if (set->mode == MODE_TEST || set->mode == MODE_LIST || set->to_stdout)
		return false;
	return set->output || !is_stdin(name);
}

/* gzip's rules: only a file that may safely be replaced by another is taken. */
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
	if (job->set->force || job->set->keep)
		return WDZIP_DONE;
	if (job->stat.st_nlink > 1) {
		warn(job, "has %lu other link%s, unchanged", (unsigned long)job->stat.st_nlink - 1,
		     job->stat.st_nlink > 2 ? "s" : "");
		return WDZIP_WARNING;
	}
	return WDZIP_DONE;
}

static enum wdzip_exit input_open(struct job *job, const char *name)
{
	bool replaces = makes_file(job->set, name) && !job->set->output;
	enum wdzip_exit result;

	if (is_stdin(name)) {
		job->name = "stdin";
		job->in = STDIN_FILENO;
	} else {
		/* Non-blocking, or a pipe without a writer would hang; it has no effect on files. */
		job->in = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | (replaces ? O_NONBLOCK : 0) |
			       (replaces && !job->set->force && !job->set->keep ? O_NOFOLLOW : 0));
		if (job->in < 0 && errno == ELOOP && replaces) {
			complain(name, "is a symbolic link; -f, -k and -c follow it");
			return WDZIP_ERROR;
		}
	}
	if (job->in < 0 || fstat(job->in, &job->stat)) {
		complain(name, "%s", strerror(errno));
		return WDZIP_ERROR;
	}
	if (is_stdin(name) && job->set->mode != MODE_COMPRESS && isatty(job->in)) {
		complain(NULL, "compressed data not read from a terminal; -h for help");
		return WDZIP_ERROR;
	}
	result = input_check(job, replaces);
	if (result != WDZIP_DONE && job->in != STDIN_FILENO)
		close(job->in);
	return result;
}

/* Gives the name of the file to write, malloc'ed, or NULL and the result. */
static char *output_name(struct job *job, const char *name, enum wdzip_exit *result)
{
	char *path;

	if (job->set->output) {
		path = strdup(job->set->output);
	} else if (job->set->mode == MODE_COMPRESS) {
		if (name_has_suffix(name) && !job->set->force) {
			warn(job, "already has a suffix of compressed files, unchanged");
			*result = WDZIP_WARNING;
			return NULL;
		}
		path = name_compressed(name);
	} else if (!name_has_suffix(name)) {
		warn(job, "unknown suffix, ignored; -c or -o say where to write");
		*result = WDZIP_WARNING;
		return NULL;
	} else {
		path = name_decompressed(name);
	}
	if (!path) {
		complain(job->name, "%s", strerror(ENOMEM));
		*result = WDZIP_ERROR;
	}
	return path;
}

/* out is rewound only when it is a file of our own, so to its very beginning. */
static int job_rewind(struct job *job, off_t in_start)
{
	if (in_start < 0 || lseek(job->in, in_start, SEEK_SET) != in_start)
		return -ESPIPE;
	if (job->out >= 0 && (ftruncate(job->out, 0) || lseek(job->out, 0, SEEK_SET)))
		return -ESPIPE;
	job->in_bytes = 0;
	job->out_bytes = 0;
	return 0;
}

/* Where input and output allow it, the loss of a device costs only time. */
static int job_run(struct job *job, bool may_rewind)
{
	bool compress = job->set->mode == MODE_COMPRESS;
	off_t in_start = may_rewind ? lseek(job->in, 0, SEEK_CUR) : -1;
	int tries, ret;

	progress_start(job);
	ret = compress ? compress_stream(job) : decompress_stream(job);
	/* A removal may be seen twice: the queue goes first, and a new stream may meet the device before it goes, too. */
	for (tries = 1; ret < -1 && tries < TRIES && !job_rewind(job, in_start); tries++) {
		if (!job->set->quiet)
			session_complain(job, ret, "device lost, beginning anew");
		ret = compress ? compress_stream(job) : decompress_stream(job);
	}
	progress_clear();
	if (ret < -1)
		session_complain(job, ret, compress ? "compression failed" :
				 "decompression failed");
	return ret;
}

static double ratio_percent(const struct job *job)
{
	bool compress = job->set->mode == MODE_COMPRESS;
	__u64 plain = compress ? job->in_bytes : job->out_bytes;
	__u64 packed = compress ? job->out_bytes : job->in_bytes;

	return plain ? 100.0 * ((double)plain - (double)packed) / plain : 0.0;
}

static void job_report(const struct job *job, const char *action, const char *file)
{
	fprintf(stderr, "%s:\t%5.1f%%%s%s%s -- path %s (%s)\n", job->name, ratio_percent(job),
		action[0] ? " -- " : "", action, file ? file : "", wd_path_str(job->path),
		wd_path_reason_str(job->path_reason));
}

static void job_list(const struct job *job)
{
	printf("%19llu %19llu %5.1f%% %s\n", job->in_bytes, job->out_bytes, ratio_percent(job),
	       job->name);
}

static enum wdzip_exit to_file(struct job *job, const char *name)
{
	bool removes = !job->set->keep && !job->set->output && job->in != STDIN_FILENO;
	enum wdzip_exit result = WDZIP_ERROR;
	struct output out;
	char *path;
	int ret;

	path = output_name(job, name, &result);
	if (!path)
		return result;
	ret = output_open(&out, path, job->set->force);
	if (ret == -EEXIST)
		complain(path, "already exists; -f overwrites it");
	else if (ret)
		complain(path, "%s", strerror(-ret));
	if (ret)
		goto out_free;
	job->out = out.fd;
	if (job_run(job, out.ours)) {
		output_abort(&out);
		goto out_free;
	}
	ret = output_attributes(&out, job->in == STDIN_FILENO ? NULL : &job->stat);
	if (ret)
		warn(job, "%s: owner, mode or times can't be kept: %s", path, strerror(-ret));
	ret = output_commit(&out);
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
		complain(NULL, "compressed data not written to a terminal; -f does it, -h for help");
		return WDZIP_ERROR;
	}
	/* A standard output that is a file may hold what others wrote: never rewound. */
	if (job_run(job, !writes && job->in != STDIN_FILENO))
		return WDZIP_ERROR;
	if (job->set->mode == MODE_LIST)
		job_list(job);
	if (job->set->verbose)
		job_report(job, job->set->mode == MODE_TEST ? "OK" : "", NULL);
	return WDZIP_DONE;
}

enum wdzip_exit file_process(struct settings *set, const char *name)
{
	char *path = name_resolve(set, name);
	struct job job = { .set = set, .name = path, .in = -1, .out = -1 };
	enum wdzip_exit result;

	if (!path) {
		complain(name, "%s", strerror(ENOMEM));
		return WDZIP_ERROR;
	}
	result = input_open(&job, path);
	if (result != WDZIP_DONE)
		goto out_free;
	if (makes_file(set, path))
		result = to_file(&job, path);
	else
		result = to_nowhere_or_stdout(&job);
	if (job.in != STDIN_FILENO)
		close(job.in);
out_free:
	free(path);
	return result == WDZIP_DONE && job.warned ? WDZIP_WARNING : result;
}
