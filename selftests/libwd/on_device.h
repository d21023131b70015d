/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions on the one device that a test holds, resets or removes. */
#ifndef ON_DEVICE_H
#define ON_DEVICE_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <wd.h>
#include <wd_comp.h>
#include "emulated.h"

/* Raw deflate, which ZIP of generation 2 lacks, else zlib. */
static inline __u8 alg_of_devices(void)
{
	struct uacce_dev_list *list = wd_list_accels("deflate");
	__u8 alg = list ? WD_DEFLATE_RAW : WD_ZLIB;

	wd_free_list_accels(list);
	return alg;
}

/* A session on that device only; 0 and errno on failure. */
static inline handle_t alloc_on_device(struct wd_comp_sess_setup *setup)
{
	struct uacce_dev_list *list = wd_list_accels("zlib"), *l;
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	handle_t h = 0;

	for (l = list; mask && l; l = l->next)
		if (!strcmp(l->info->name, EMULATED_DEVICE) && !wd_dev_mask_set(mask, l->info->node_id))
			h = wd_comp_alloc_sess(setup, mask);
	wd_free_list_accels(list);
	wd_dev_mask_free(mask);
	return h;
}

/* A session on that device, without the software path. */
static inline handle_t session_on_device(bool async, bool compress)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg_of_devices(), .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .dir_type = compress ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS,
		.flags = WD_SESS_PATH_HW,
	};

	return alloc_on_device(&setup);
}

/* Makes a request in that session, unless it is 0, and frees it. Returns the request's path, or -errno. */
static inline int used_path(handle_t sess)
{
	static _Thread_local unsigned char src[1000], dst[2000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };
	int ret = sess ? wd_compress(sess, &arg) : -errno;

	if (sess)
		wd_comp_free_sess(sess);
	return ret ? ret : arg.path;
}

/* The error that a call returns for this status of the callback or the struct. */
static inline int status_errno(int status)
{
	return status == WD_DATA_ERR ? -EBADMSG : status == WD_COMP_OUT_NOSPACE ? -ENOSPC :
	       status == WD_COMP_PARMS ? -EINVAL : status;
}

#endif
