/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of wdzip share: the settings of a run, and the job that one input is. */
#ifndef WDZIP_H
#define WDZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

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

/* What every member begins with (RFC 1952). */
#define HEADER_BYTES 10

/* Characters of a suffix, as gzip has it. */
#define SUFFIX_MAX 30

struct settings {
	enum wdzip_mode mode;
	int level;
	__u32 path_flags;	/* WD_SESS_PATH_* */
	const char *output;	/* -o, NULL when not given */
	const char *section;	/* --section, NULL when not given */
	const char *suffix;	/* of compressed files */
	bool names;		/* in headers, stored or restored; times too */
	bool recursive;
	bool synchronous;	/* on the disk before the input is removed */
	bool to_stdout, keep, force, quiet, verbose;
	bool progress;		/* stderr is a terminal */
	handle_t sess;
};

struct job {
	const struct settings *set;
	const char *name;	/* for messages */
	int in;
	bool from_stdin;	/* asked for as "-"; a file may have that number as well */
	int out;		/* -1: the result is only checked and counted */
	struct stat stat;	/* of the input */
	__u64 in_bytes, out_bytes;
	__u16 path, path_reason;
	bool warned;
	unsigned char head[HEADER_BYTES];	/* of the member that is written, until it is whole */
	size_t head_len;
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

/* io.c: 0, 1 and 2 are taken from here on, so no file gets one of them: 0 or -errno. */
int io_reserve_std(void);
/* Whole reads (a count or -errno) and writes (0, or -1 after complaining). */
ssize_t io_read(int fd, void *buf, size_t len);
int io_write(struct job *job, const void *buf, size_t len);

/* header.c: as io_write(), with name and time in the header if they are to be stored. */
int header_write(struct job *job, const void *buf, size_t len);
/* What the first member's header has: a name, malloc'ed, or NULL, and a time, 0 without. */
char *header_read(int fd, time_t *when);

/* name.c: malloc'ed, NULL when there is no such name. */
char *name_compressed(const struct settings *set, const char *name);
char *name_decompressed(const struct settings *set, const char *name);
/* In the same folder as the file of that name. */
char *name_beside(const char *name, const char *base);
/* The name itself, or with the suffix left out on the command line added when only that exists. */
char *name_resolve(const struct settings *set, const char *name);
bool name_has_suffix(const struct settings *set, const char *name);

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
/* synchronous: file and folder are on the disk then. */
int output_commit(struct output *o, bool synchronous);
void output_abort(struct output *o);
void output_catch_signals(void);

/* progress.c */
void progress_start(struct job *job);
void progress_update(struct job *job);
void progress_clear(void);

/* file.c */
enum wdzip_exit file_process(struct settings *set, const char *name);

/* walk.c: every file below it, at any depth. */
enum wdzip_exit walk_process(struct settings *set, const char *folder);

static inline enum wdzip_exit exit_worse(enum wdzip_exit a, enum wdzip_exit b)
{
	if (a == WDZIP_ERROR || b == WDZIP_ERROR)
		return WDZIP_ERROR;
	return a > b ? a : b;
}

#endif
