// SPDX-License-Identifier: Apache-2.0
/* The compression session of a run, and its errors in words. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include <wd_user.h>

#include "wdzip.h"

/*
 * For one piece of a file, also on a simulated device of a busy machine: only a device that lost a request takes
 * longer.
 */
#define DEADLINE_MS	30000
#define THREADS_LEAST	4	/* where there is a device */
#define TURN		8	/* parts that one device compresses within that time, however slow it is */

/* By format, of inputs that have another one than the run's session; on first use. */
static handle_t read_sess[WD_LZ4 + 1];

static int section_enter(const struct settings *set)
{
	char detail[256] = "";
	struct wd_user_info info;
	int ret;

	if (!set->section)
		return 0;
	ret = wd_user_start(set->section);
	if (ret) {
		complain(NULL, "--section %s: %s", set->section,
			 wd_error_detail(0, detail, sizeof(detail)) > 0 ? detail : wd_status_str(ret));
		return ret;
	}
	if (!set->quiet && !wd_user_info(&info) && info.state == WD_USER_UNPROVISIONED)
		complain(NULL, "--section %s: this kernel has no sections; continuing without a section", set->section);
	return 0;
}

/* turns: requests that may wait for each other on one device. */
static handle_t session_new(const struct settings *set, int alg, __u32 path_flags, unsigned int turns)
{
	bool compress = set->mode == MODE_COMPRESS;
	__u32 sum = formats[alg].framed ? WD_COMP_SESS_CHECKSUM : 0;
	struct wd_comp_sess_setup setup = {
		.alg_type = (__u8)alg,
		.op_type = WD_SYNC,
		.dir_type = compress ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS,
		.comp_lv = compress ? set->level : 0,
		.win_size = alg == WD_ZSTD && set->window_log ? WD_COMP_WS_LOG(set->window_log) : WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
		.flags = path_flags | sum | (set->verify ? WD_SESS_VERIFY : 0),
		.timeout_ms = DEADLINE_MS * turns,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

/* A device works while its thread sleeps, so a few threads are of use on one CPU, too. */
static unsigned int threads_default(const struct settings *set)
{
	cpu_set_t cpus;
	/* The kernel refuses the set where it has more CPUs. */
	int nr = sched_getaffinity(0, sizeof(cpus), &cpus) ? get_nprocs() : CPU_COUNT(&cpus);
	int least = set->software ? 1 : THREADS_LEAST;

	return nr < least ? (unsigned int)least : nr > THREADS_MAX ? THREADS_MAX : (unsigned int)nr;
}

static int session_missing(const struct settings *set, const char *name, int err)
{
	char detail[256] = "";

	complain(name, "no %s session: %s", set->mode == MODE_COMPRESS ? "compression" : "decompression",
		 wd_error_detail(0, detail, sizeof(detail)) > 0 ? detail : wd_status_str(-err));
	return -err;
}

int session_open(struct settings *set)
{
	int err = section_enter(set);

	if (err)
		return err;
	set->sess = session_new(set, set->format, set->path_flags, 1);
	if (!set->sess)
		return session_missing(set, NULL, errno);
	set->software = !(wd_comp_sess_caps(set->sess) & (WD_CAP_HW | WD_CAP_SIM));
	if (!set->threads)
		set->threads = threads_default(set);
	set->part_sess = calloc(set->threads + 1, sizeof(*set->part_sess));
	if (set->part_sess)
		return 0;
	complain(NULL, "%s", strerror(ENOMEM));
	return -ENOMEM;
}

void session_close(struct settings *set)
{
	unsigned int i;

	if (set->sess)
		wd_comp_free_sess(set->sess);
	set->sess = 0;
	for (i = 0; i <= WD_LZ4; i++)
		if (read_sess[i])
			wd_comp_free_sess(read_sess[i]);
	for (i = 0; set->part_sess && i <= set->threads; i++)
		if (set->part_sess[i])
			wd_comp_free_sess(set->part_sess[i]);
	free(set->part_sess);
	set->part_sess = NULL;
}

/* A session each, because sessions are spread over the devices; parts of deflate are the same in each format. */
handle_t session_of_thread(const struct settings *set, unsigned int thread)
{
	int alg = formats[set->format].framed ? set->format : WD_ZLIB;

	if (!thread && !session_late(set) && !set->path_flags)
		set->part_sess[set->threads] = session_new(set, alg, WD_SESS_PATH_SOFT, 1);
	if (!set->part_sess[thread])
		set->part_sess[thread] = session_new(set, alg, set->path_flags, 1 + set->threads / TURN);
	return set->part_sess[thread];
}

/* The session's detail describes corrupt data; strerror(EBADMSG) adds nothing. */
static void cut_error_name(char *detail, int err)
{
	const char *name = strerror(-err);
	size_t len = strlen(detail), tail = strlen(name) + 2;

	if (err == -EBADMSG && len > tail && !strcmp(detail + len - tail + 2, name))
		detail[len - tail] = '\0';
}

void session_complain(const struct job *job, int err, const char *doing)
{
	char detail[256] = "";

	/* The first two are wdzip's own errors, for which the session has no detail. */
	if (err == -EPROTO)
		strcpy(detail, "the session makes no progress");
	else if (err == -ENOMEM || wd_error_detail(job->sess, detail, sizeof(detail)) <= 0)
		strcpy(detail, err == -EBADMSG ? "corrupt data" : wd_status_str(err));
	else
		cut_error_name(detail, err);
	complain(job->name, "%s: %s", doing, detail);
}

bool session_is_doubtful(const struct job *job, int err)
{
	return err == -EBADMSG && job->set->verify && !job->set->path_flags && job->path != WD_PATH_SOFT;
}

handle_t session_of_software(const struct settings *set, int format)
{
	return set->path_flags ? 0 : session_new(set, format, WD_SESS_PATH_SOFT, 1);
}

int session_read(struct job *job, int format)
{
	const struct settings *set = job->set;

	if (job->soft && job->format == format)
		return 0;
	job->format = format;
	job->stream = set->sess;
	if (format != set->format) {
		if (!read_sess[format])
			read_sess[format] = session_new(set, format, set->path_flags, 1);
		if (!read_sess[format]) {
			session_missing(set, job->name, errno);
			return -1;
		}
		job->stream = read_sess[format];
	}
	job->sess = job->stream;
	return 0;
}

static bool session_is_device_error(int err)
{
	return err == -ENODEV || err == -EIO || err == -ETIMEDOUT;
}

int session_end(const struct job *job, int ret, const char *failed)
{
	if (!ret)
		return 0;
	wd_comp_reset_sess(job->stream);
	if (session_is_device_error(ret) || session_is_doubtful(job, ret))
		return ret;
	if (ret < 0)
		session_complain(job, ret, failed);
	return -1;
}
