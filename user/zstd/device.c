// SPDX-License-Identifier: Apache-2.0
/*
 * Two sessions of WD_LZ77 for the process, one for devices only and one for software: any thread may use them, and the
 * first is spread over no devices by itself.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <wd_comp.h>

#include "device.h"
#include "stats.h"

#define NAME	"libwd_comp.so.0"
#define AGAIN_SECONDS	5	/* until a device is looked for again, or one that failed is asked again */
#define BLOCK_LEAST	4096u	/* bytes: smaller blocks aren't worth a device */
#define LEVEL	1

static __typeof__(wd_comp_alloc_sess) *alloc_sess;
static __typeof__(wd_compress) *compress;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic handle_t session, software;
static _Atomic long again_at;
static bool there;

static bool function_find(void *handle, const char *name, void *to)
{
	void *function = dlsym(handle, name);

	if (function)
		memcpy(to, &function, sizeof(function));
	return function;
}

static void library_open(void)
{
	void *handle = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);

	there = handle && function_find(handle, "wd_comp_alloc_sess", &alloc_sess) &&
		function_find(handle, "wd_compress", &compress);
}

static long seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1;
}

/* Another thread that is about to do the same needn't be waited for. The second session is there before the first. */
static void session_make(void)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_LZ77, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = LEVEL,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	handle_t made;

	if (pthread_mutex_trylock(&lock))
		return;
	if (!atomic_load(&session) && seconds() >= atomic_load(&again_at)) {
		made = alloc_sess(&setup, NULL);
		setup.flags = WD_SESS_PATH_SOFT;
		if (made)
			atomic_store(&software, alloc_sess(&setup, NULL));
		atomic_store(&again_at, made ? 0 : seconds() + AGAIN_SECONDS);
		atomic_store(&session, made);
	}
	pthread_mutex_unlock(&lock);
}

bool wds_device_ready(void)
{
	if (seconds() < atomic_load(&again_at))
		return false;
	pthread_once(&once, library_open);
	if (there && !atomic_load(&session))
		session_make();
	return atomic_load(&session);
}

/* The number of sequences; 0: there are none, and a device's may be wrong. */
static size_t find(handle_t sess, ZSTD_Sequence *out, size_t room, const void *src, size_t n)
{
	size_t len = room * sizeof(*out);
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = out, .dst_len = &len };
	int ret = sess && n <= WD_LZ77_MAX ? compress(sess, &arg) : -1;

	wds_count(WDS_WRONG, ret && arg.path_reason == WD_REASON_WRONG);
	return ret ? 0 : len / sizeof(*out);
}

/*
 * An error would leave the block to libzstd's search. That doesn't keep the third of the last offsets, so after it
 * libzstd codes a repeated offset in the next block's sequences as one that the decoder doesn't have.
 */
size_t wds_device_find(void *state, ZSTD_Sequence *out, size_t room, const void *src, size_t n, const void *dict,
		       size_t dict_n, int level, size_t window)
{
	size_t nr = n < BLOCK_LEAST ? 0 : find(atomic_load(&session), out, room, src, n);

	(void)state, (void)dict, (void)dict_n, (void)level, (void)window;
	/* The next frames are libzstd's, whose search is better than the one below. */
	if (!nr && n >= BLOCK_LEAST)
		atomic_store(&again_at, seconds() + AGAIN_SECONDS);
	wds_count(nr ? WDS_DEVICE_BYTES : WDS_ZSTD_BYTES, n);
	wds_count(WDS_BLOCKS, nr > 0);
	if (!nr)
		nr = find(atomic_load(&software), out, room, src, n);
	if (nr)
		return nr;
	out[0] = (ZSTD_Sequence){ .litLength = (unsigned int)n };
	return 1;
}
