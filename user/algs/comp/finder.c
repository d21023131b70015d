// SPDX-License-Identifier: Apache-2.0
/* Asks the session of WD_LZ77, or of blocks of LZ4, behind a session of frames. */
#include <errno.h>
#include <stdlib.h>

#include "finder.h"

#define LEVEL_MOST	9	/* of zstd: above it, frames are to be small, and libzstd finds more than a device */
#define LOG_LEAST	12	/* a device's smallest window */
#define LOG_MOST	15

static bool finder_ready(const struct comp_finder *f, size_t n, __u16 *path, __u16 *reason)
{
	struct wd_session *s = wd_session_get(f->sess, &comp_class);

	return s && !wd_session_soft(s, n, path, reason);
}

static int finder_find(const struct comp_finder *f, const void *src, size_t n, void *dst, size_t *len, __u16 *path,
		       __u16 *reason)
{
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = dst, .dst_len = len };
	int ret;

	if (!finder_ready(f, n, path, reason) && !f->hw_only)
		return -EAGAIN;
	ret = wd_compress(f->sess, &arg);
	*path = arg.path;
	*reason = arg.path_reason;
	return ret;
}

/* A device's window that isn't larger than the frame's may be; of LZ4 the size is that of blocks. */
static __u16 window_of(const struct wd_comp_sess_setup *setup)
{
	static const __u8 of_log[] = { WD_COMP_WS_4K, WD_COMP_WS_8K, WD_COMP_WS_16K, WD_COMP_WS_32K };
	int log = comp_win_log((__u8)setup->win_size);

	if (!log)
		return setup->win_size;
	return setup->alg_type == WD_LZ4 ? WD_COMP_WS_32K : of_log[log - LOG_LEAST];
}

static bool zstd_is_served(const struct wd_comp_sess_setup *setup)
{
	int log = comp_win_log((__u8)setup->win_size);

	if (!soft_zstd_takes_sequences() || (log && (log < LOG_LEAST || log > LOG_MOST)))
		return false;
	return setup->comp_lv <= LEVEL_MOST || (setup->flags & WD_SESS_PATH_HW);
}

static bool is_served(const struct wd_comp_sess_setup *setup)
{
	if (setup->dir_type != WD_DIR_COMPRESS || (setup->flags & (WD_SESS_PATH_SOFT | WD_COMP_SESS_BLOCK)))
		return false;
	if (setup->alg_type == WD_LZ4)
		return setup->comp_lv <= COMP_LZ4_LEVEL_MAX || (setup->flags & WD_SESS_PATH_HW);
	return setup->alg_type == WD_ZSTD && zstd_is_served(setup);
}

bool finder_setup(const struct wd_comp_sess_setup *setup, struct wd_comp_sess_setup *inner)
{
	bool lz4 = setup->alg_type == WD_LZ4;

	if (!is_served(setup))
		return false;
	*inner = (struct wd_comp_sess_setup){
		.alg_type = lz4 ? WD_LZ4 : WD_LZ77, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS,
		.comp_lv = lz4 && setup->comp_lv > COMP_LZ4_LEVEL_MAX ? COMP_LZ4_LEVEL_MAX : setup->comp_lv,
		.win_size = window_of(setup),
		.flags = (setup->flags & WD_SESS_PATH_HW) | (lz4 ? WD_COMP_SESS_BLOCK : 0),
		.timeout_ms = setup->timeout_ms,
	};
	return true;
}

struct comp_finder *finder_new(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &comp_class);
	struct comp_finder *f = s ? calloc(1, sizeof(*f)) : NULL;

	if (!f)
		return NULL;
	f->sess = sess;
	f->hw_only = !s->soft_ok;
	f->win = to_comp_sess(s)->win;
	f->ready = finder_ready;
	f->find = finder_find;
	return f;
}

int finder_caps(const struct comp_finder *f)
{
	__u16 path, reason;

	if (!f || !f->ready(f, WD_LZ77_MAX, &path, &reason))
		return 0;
	return path == WD_PATH_HW ? WD_CAP_HW : WD_CAP_SIM;
}
