/* SPDX-License-Identifier: Apache-2.0 */
/* libwd_comp and libwd, opened when a stream first needs them: a program without such streams loads neither. */
#ifndef WDZ_LIBRARY_H
#define WDZ_LIBRARY_H

#include <wd_comp.h>
#include <wd_cq.h>

struct wdz_library {
	__typeof__(wd_comp_alloc_sess) *alloc_sess;
	__typeof__(wd_comp_free_sess) *free_sess;
	__typeof__(wd_comp_async) *async;
	__typeof__(wd_cq_create) *cq_create;
	__typeof__(wd_cq_destroy) *cq_destroy;
	__typeof__(wd_cq_fd) *cq_fd;
	__typeof__(wd_cq_arm) *cq_arm;
	__typeof__(wd_poll_cq) *poll_cq;
	__typeof__(wd_comp_bound) *bound;
	__typeof__(wd_decompress) *decompress;
	__typeof__(wd_strm_decompress) *strm_decompress;
	__u32 (*adler32)(__u32 adler, const void *at, size_t len);
	__u32 (*crc32)(__u32 crc, const void *at, size_t len);
};

/* NULL if they can't be opened. Any thread. */
const struct wdz_library *wdz_library(void);

#endif
