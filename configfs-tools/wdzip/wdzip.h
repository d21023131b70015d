/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of wdzip share: the settings of a run, and the job that one input is. */
#ifndef WDZIP_H
#define WDZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <wd_comp.h>

/* Exit codes, gzip's. */
enum wdzip_exit {
	WDZIP_DONE = 0,
	WDZIP_ERROR = 1,
	WDZIP_WARNING = 2,
};

enum wdzip_mode {
	MODE_COMPRESS,
	MODE_DECOMPRESS,
	MODE_TEST,
	MODE_LIST,
};

struct settings {
	enum wdzip_mode mode;
	int level;
	__u32 path_flags;	/* WD_SESS_PATH_* */
	const char *output;	/* -o, NULL when not given */
	const char *section;	/* --section, NULL when not given */
	bool to_stdout, keep, force, quiet, verbose;
	bool progress;		/* stderr is a terminal */
	handle_t sess;
};

struct job {
	const struct settings *set;
	const char *name;	/* for messages */
	int in;
	int out;		/* -1: the result is only checked and counted */
	struct stat stat;	/* of the input */
	__u64 in_bytes, out_bytes;
	__u16 path, path_reason;
	bool warned;
	long started_ms, shown_ms;	/* progress */
};

/* Messages. complain() is for what fails, warn() for what doesn't (silenced by -q). */
void complain(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void warn(struct job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* session.c: one session serves all inputs. */
int session_open(struct settings *set);
void session_close(struct settings *set);
void session_complain(const struct job *job, int err, const char *doing);
/* A device that stops answering leaves the data whole: the same work may begin anew. */
bool session_is_device_error(int err);

/* compress.c, decompress.c: 0, or -1 after complaining, or a device's -errno not yet reported. */
int compress_stream(struct job *job);
int decompress_stream(struct job *job);

/* io.c: whole reads (a count or -errno) and writes (0, or -1 after complaining). */
ssize_t io_read(int fd, void *buf, size_t len);
int io_write(struct job *job, const void *buf, size_t len);

/* name.c: malloc'ed, NULL when there is no such name. */
char *name_compressed(const char *name);
char *name_decompressed(const char *name);
/* The name itself, or with the suffix left out on the command line added when only that exists. */
char *name_resolve(const struct settings *set, const char *name);
bool name_has_suffix(const char *name);

/* output.c: a file that is there only when it is whole. */
struct output {
	int fd;
	char *path;		/* final name */
	char *temp;		/* what is written; the same string when nothing is replaced */
	bool ours;		/* to be removed on failure */
};

/* -EEXIST when there is one and replace is false. */
int output_open(struct output *o, const char *path, bool replace);
/* Owner, mode and times of another file, or what a new one gets when like is NULL. */
int output_attributes(struct output *o, const struct stat *like);
int output_commit(struct output *o);
void output_abort(struct output *o);
void output_catch_signals(void);

/* progress.c */
void progress_start(struct job *job);
void progress_update(struct job *job);
void progress_clear(void);

/* file.c */
enum wdzip_exit file_process(struct settings *set, const char *name);

#endif
