// SPDX-License-Identifier: Apache-2.0
/* Sessions are opened without a lock, which a fork might leave locked: of two that are opened at once, one is closed. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "device.h"
#include "generation.h"

#define CLASS		"/sys/class/uacce"
#define DEADLINE_MS	5000	/* of a part: only a device that lost it takes longer */
#define SLICE_MS	20	/* of a sleep: a request that another thread takes wakes this one, with rare exceptions */
#define RETRY_SECONDS	10	/* after a refusal */
#define BUSY_TRIES	50
#define WINDOW_LOW	12
#define WINDOWS		4

/* A child goes on with its parent's session: libwd opens contexts of its own for it. */
struct slot {
	_Atomic handle_t h;
	_Atomic time_t retry;
};

static struct slot parts[WINDOWS][WDZ_SESSIONS], whole[WD_DEFLATE_RAW + 1];
static _Atomic unsigned int devices;

static bool attr_names_zlib(int folder, const char *device)
{
	char path[PATH_MAX], text[512];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/algorithms", device) >= (int)sizeof(path))
		return false;
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return strstr(text, "zlib");
}

static unsigned int class_devices(void)
{
	DIR *class = opendir(CLASS);
	struct dirent *entry;
	unsigned int n = 0;

	if (!class)
		return 0;
	while (n < WDZ_SESSIONS && (entry = readdir(class)))
		if (entry->d_name[0] != '.' && attr_names_zlib(dirfd(class), entry->d_name))
			n++;
	closedir(class);
	return n;
}

/* Keeps errno, which zlib's functions don't change. */
static unsigned int devices_look(void)
{
	int saved = errno;
	unsigned int n = wdz_config()->off ? 0 : class_devices();

	errno = saved;
	return n;
}

bool wdz_device_here(void)
{
	static _Atomic unsigned int looked;
	unsigned int now = process_generation();

	if (atomic_load(&looked) != now) {
		atomic_store(&devices, devices_look());
		atomic_store(&looked, now);
	}
	return atomic_load(&devices);
}

unsigned int wdz_devices(void)
{
	unsigned int n = atomic_load(&devices);

	return n ? n : 1;
}

bool wdz_is_warpdrive(const void *caller)
{
	static const char *const names[] = { "libwd", "libuacce-emu" };
	const char *name;
	Dl_info info;
	size_t i;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

bool wdz_device_may(const void *caller)
{
	return wdz_device_here() && !wdz_is_warpdrive(caller);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static handle_t session_make(enum wd_comp_op_type op, enum wd_comp_dir_type dir, enum wd_comp_alg_type alg,
			     enum wd_comp_win_type win)
{
	const struct wdz_library *lib = wdz_library();
	struct wd_comp_sess_setup setup = {
		.alg_type = alg,
		.op_type = op,
		.dir_type = dir,
		.comp_lv = dir == WD_DIR_COMPRESS,
		.win_size = win,
		.data_fmt = WD_FLAT_BUF,
		.flags = WD_SESS_PATH_HW,
		.timeout_ms = DEADLINE_MS,
	};
	int saved = errno;
	handle_t h = 0;

	if (lib)
		h = lib->alloc_sess(&setup, NULL);
	errno = saved;
	return h;
}

static handle_t session_get(struct slot *at, enum wd_comp_op_type op, enum wd_comp_dir_type dir, enum wd_comp_alg_type alg,
			    enum wd_comp_win_type win)
{
	handle_t h = atomic_load(&at->h), mine;
	time_t retry = atomic_load(&at->retry);

	if (h || (retry && seconds() < retry))
		return h;
	mine = session_make(op, dir, alg, win);
	if (!mine) {
		atomic_store(&at->retry, seconds() + RETRY_SECONDS);
		return 0;
	}
	if (atomic_compare_exchange_strong(&at->h, &h, mine))
		return mine;
	wdz_session_close(mine);
	return h;
}

handle_t wdz_session_parts(int window_bits, unsigned long turn)
{
	static const enum wd_comp_win_type windows[WINDOWS] = {
		WD_COMP_WS_4K, WD_COMP_WS_8K, WD_COMP_WS_16K, WD_COMP_WS_32K,
	};
	int i = window_bits - WINDOW_LOW;

	return session_get(&parts[i][turn % wdz_devices()], WD_ASYNC, WD_DIR_COMPRESS, WD_ZLIB, windows[i]);
}

size_t wdz_session_bound(handle_t sess, size_t len)
{
	return wdz_library()->bound(sess, len);
}

handle_t wdz_session_whole(enum wd_comp_alg_type alg)
{
	return session_get(&whole[alg], WD_SYNC, WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K);
}

handle_t wdz_session_stream(enum wd_comp_alg_type alg)
{
	return session_make(WD_SYNC, WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K);
}

void wdz_session_close(handle_t sess)
{
	const struct wdz_library *lib = wdz_library();

	lib->free_sess(sess);
}

/* On any thread that polls. The request's memory may be gone once it is done. */
static void request_done(struct wd_comp_arg *arg, void *param)
{
	struct wdz_request *r = param;
	bool mine = pthread_equal(atomic_load(&r->owner), pthread_self());
	handle_t sess = r->sess;

	(void)arg;
	atomic_store(&r->done, true);
	if (!mine)
		wdz_library()->wakeup(sess);
}

static void poll_slice(const struct wdz_library *lib)
{
	/* Without a context left, another thread is about to end the requests. */
	if (lib->poll_wait(1, SLICE_MS, NULL) == -ENODEV)
		sched_yield();
}

bool wdz_submit(struct wdz_request *r, handle_t sess)
{
	const struct wdz_library *lib = wdz_library();
	unsigned int tries;
	int saved = errno, ret = -EBUSY;

	r->sess = sess;
	r->generation = process_generation();
	atomic_store(&r->done, false);
	atomic_store(&r->owner, pthread_self());
	r->arg.cb = request_done;
	r->arg.cb_param = r;
	for (tries = 0; ret == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			poll_slice(lib);
		ret = lib->async(sess, &r->arg, NULL);
	}
	errno = saved;
	return !ret;
}

bool wdz_request_lost(const struct wdz_request *r)
{
	return r->generation != process_generation();
}

bool wdz_wait(struct wdz_request *r)
{
	const struct wdz_library *lib = wdz_library();
	int saved = errno;

	if (wdz_request_lost(r))
		return false;
	atomic_store(&r->owner, pthread_self());
	while (!atomic_load(&r->done))
		poll_slice(lib);
	errno = saved;
	return true;
}

int wdz_decompress(handle_t sess, struct wd_comp_arg *arg)
{
	int saved = errno, ret;

	ret = wdz_library()->decompress(sess, arg);
	errno = saved;
	return ret;
}

int wdz_strm_decompress(handle_t sess, struct wd_comp_strm *strm)
{
	int saved = errno, ret;

	ret = wdz_library()->strm_decompress(sess, strm);
	errno = saved;
	return ret;
}
