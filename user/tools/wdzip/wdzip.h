/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of wdzip: the settings of a run, and the job of one input. */
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

/* Every member begins and ends with these bytes (RFC 1952). */
#define HEADER_BYTES 10
#define TRAILER_BYTES 8

/* An input is read in pieces of this size. One that has several is compressed in as many parts by several threads. */
#define PIECE_BYTES (512U << 10)

#define THREADS_MAX 64

/* Most characters of a suffix, as in gzip. */
#define SUFFIX_MAX 30

struct settings {
	enum wdzip_mode mode;
	int format;		/* enum wd_comp_alg_type: that is written, or read if it is zlib's */
	int level;		/* 0: the format's */
	int window_log;		/* --long, 0: not given */
	unsigned int threads;	/* 0: the default, until the session is open */
	__u32 path_flags;	/* WD_SESS_PATH_* */
	const char *output;	/* -o, NULL if not given */
	const char *section;	/* --section, NULL if not given */
	const char *suffix;	/* of compressed files */
	bool own_suffix;	/* -S */
	bool digits;		/* the level was given as an option of two digits */
	bool names;		/* in headers, stored or restored; times too */
	bool recursive;
	bool rsyncable;
	bool verify;		/* what devices make */
	bool synchronous;	/* on the disk before the input is removed */
	bool software;		/* no device is used; once the session is open */
	bool to_stdout, keep, force, quiet, verbose;
	bool progress;		/* stderr is a terminal */
	handle_t sess;
	handle_t *part_sess;	/* for each thread, and session_late(); from the first large input on */
};

struct job {
	const struct settings *set;
	const char *name;	/* for messages */
	int in;
	bool from_stdin;	/* given as "-"; a file may have descriptor 0 too */
	int out;		/* -1: the result is only checked and counted */
	struct stat stat;	/* of the input */
	__u64 in_bytes, out_bytes;
	int format;		/* of the data that is read, or written */
	handle_t stream;	/* the session of its stream */
	handle_t soft;		/* of software, for this job only, or 0 */
	handle_t sess;		/* that was used last, for its errors */
	__u16 path, path_reason;
	unsigned int paths;	/* of all parts: bit numbers */
	bool warned;
	size_t frame_bytes;	/* header and trailer of the first member, which don't count in the ratio */
	char *stored_name;	/* -l: of the first member's header, malloc'ed, or NULL */
	time_t stored_time;	/* or 0 */
	__u32 sum;		/* -l: of the last member's data */
	unsigned char head[HEADER_BYTES];	/* of the member being written, until it is complete */
	size_t head_len;
	long started_ms, shown_ms;	/* progress */
};

/* Whether the output is a file that is made for it. */
static inline bool job_makes_file(const struct job *job)
{
	const struct settings *set = job->set;

	if (set->mode == MODE_TEST || set->mode == MODE_LIST || set->to_stdout)
		return false;
	return set->output || !job->from_stdin;
}

/*
 * options.c: 0, 1 if nothing is left to do, or -errno after complaining; optind is the first input's. The variable GZIP
 * is read first.
 */
int options_read(struct settings *set, int argc, char **argv);

/**
 * struct format - a format of compressed files, by its number in libwd_comp
 * @method:	its name in the table of -l
 * @ends:	bytes of header and trailer, which don't count in the ratio
 * @framed:	a file is frames that follow each other, with neither header nor trailer around them
 */
struct format {
	const char *name, *suffix, *method;
	int level, level_most;
	size_t ends;
	bool framed;
};

extern const struct format formats[];

/* format.c: the format of that name, or -1. */
int format_find(const char *name);
/* Of which a file begins with these bytes, or -1; wanted: the only one to be recognised if it is zlib's. */
int format_recognize(int wanted, const unsigned char *at, size_t len);
/* Whether these bytes begin a member, or frame, of that format, and how many bytes tell. */
bool format_begins(int format, const unsigned char *at, size_t len);
size_t format_magic_bytes(int format);
/* The name of a format that wdzip recognises and doesn't read, or NULL. */
const char *format_unread(const unsigned char *at, size_t len);

/* Messages: complain() for failures, warn() for anything else (silent with -q). */
void complain(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void warn(struct job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * still.c: the content of a file of that size, which nobody changes until still_end(), or NULL: it has to be read.
 * still_end() is false if somebody wants to, whose wait may have been too long: then it has to be read, too.
 */
const void *still_begin(const struct job *job, size_t len);
bool still_end(const struct job *job, const void *at, size_t len);

/* session.c: one session serves all inputs. */
int session_open(struct settings *set);
void session_close(struct settings *set);
/* For parts, one for each thread, 0 being the first; 0 and errno. */
handle_t session_of_thread(const struct settings *set, unsigned int thread);
/* For parts that a device is late with, once the first thread has a session; 0 if the software path isn't allowed. */
static inline handle_t session_late(const struct settings *set)
{
	return set->part_sess[set->threads];
}
void session_complain(const struct job *job, int err, const char *doing);
/*
 * After an input: 0, a device's -errno, whose loss doesn't damage the input, so that the same work can start again, or
 * -1 after complaining. ret is 0, -errno, or 1 after complaining.
 */
int session_end(const struct job *job, int ret, const char *failed);
/* A device calls the data corrupt, and software has the last word. */
bool session_is_doubtful(const struct job *job, int err);
/* A session of software, for a job whose device computed wrongly; 0 if that path isn't allowed. */
handle_t session_of_software(const struct settings *set, int format);
/* For a job that reads that format, which is its stream's from then on. 0, or -1 after complaining. */
int session_read(struct job *job, int format);

/* compress.c, decompress.c: 0, or -1 after complaining, or a device's -errno not yet reported. */
int compress_stream(struct job *job);
int decompress_stream(struct job *job);
/* parts.c: a large input, of which the first piece is read already. 0, -errno, or 1 after complaining. */
int parts_compress(struct job *job, const void *first, size_t len);

/* io.c: 0, 1 and 2 are taken from here on, so no file gets one of them: 0 or -errno. */
int io_reserve_std(void);
/* Complete reads (a count or -errno) and writes (0, or -1 after complaining). */
ssize_t io_read(int fd, void *buf, size_t len);
int io_write(struct job *job, const void *buf, size_t len);

/* header.c: as io_write(), with name and time in the header if they are to be stored. */
int header_write(struct job *job, const void *buf, size_t len);
/* Of the header that is written. */
size_t header_bytes(const struct job *job);

/**
 * struct header - the header of a member
 * @len: its bytes
 * @name: in the parsed bytes, with a zero behind it; NULL if there is none
 * @when: 0 if there is none
 */
struct header {
	size_t len;
	const char *name;
	time_t when;
};

/* False: it isn't one, or not complete; name and time are those that are there. */
bool header_parse(const unsigned char *at, size_t len, struct header *h);
/* Without folders, malloc'ed; NULL if there is no such name. */
char *header_name(const struct header *h);
/* Both of a file's first member, with NULL for no name and 0 for no time. */
char *header_read(int fd, time_t *when);

/* name.c: malloc'ed, NULL if there is no such name. */
char *name_compressed(const struct settings *set, const char *name);
char *name_decompressed(const struct settings *set, const char *name);
/* In the same folder as the file of that name. */
char *name_beside(const char *name, const char *base);
/* The name itself, or the name with a suffix if only that file exists. */
char *name_resolve(const struct settings *set, const char *name);
bool name_has_suffix(const struct settings *set, const char *name);

/* output.c: a file that exists only when it is complete. */
struct output {
	int fd;
	char *path;		/* final name */
	char *temp;		/* the name that is written to; the same string if nothing is replaced */
	bool ours;		/* to be removed on failure */
};

/* -EEXIST if the file exists and replace is false. */
int output_open(struct output *o, const char *path, bool replace);
/* Owner, mode and times of like, or those of a new file if like is NULL. */
int output_attributes(struct output *o, const struct stat *like);
/* synchronous: file and folder are on the disk when this returns. */
int output_commit(struct output *o, bool synchronous);
void output_abort(struct output *o);
void output_catch_signals(void);

/* progress.c */
void progress_start(struct job *job);
void progress_update(struct job *job);
void progress_clear(void);

/* file.c */
enum wdzip_exit file_process(struct settings *set, const char *name);

/* list.c: the table of -l, and the saved percentage of one job. */
double ratio_percent(const struct job *job);
void list_add(const struct job *job, const char *name);
void list_totals(const struct settings *set);

/* walk.c: every file below a folder, at any depth. */
enum wdzip_exit walk_process(struct settings *set, const char *folder);

static inline enum wdzip_exit exit_worse(enum wdzip_exit a, enum wdzip_exit b)
{
	if (a == WDZIP_ERROR || b == WDZIP_ERROR)
		return WDZIP_ERROR;
	return a > b ? a : b;
}

#endif
