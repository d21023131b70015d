/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that do blocks of a session of frames: a session of WD_LZ77, or of LZ4's blocks, behind it; private. */
#ifndef COMP_FINDER_H
#define COMP_FINDER_H

#include "comp.h"

/**
 * struct comp_finder - finds the matches of one block of zstd after the other, or makes one of LZ4
 * @ready:	whether a block of that size goes to a device now; the path, and the reason for it
 * @find:	sequences of a block of at most WD_LZ77_MAX bytes, or a block of LZ4, into so many bytes, to their
 *		number. 0, or -errno, -EAGAIN where no device is asked. The path and the reason in each case
 * @hw_only:	a block that no device does is an error, and isn't left to software
 * @win:	a device's, of the matches
 *
 * The software driver, which makes frames of what was found, calls nothing of the class but these two.
 */
struct comp_finder {
	handle_t sess;
	bool hw_only;
	__u8 win;
	bool (*ready)(const struct comp_finder *f, size_t n, __u16 *path, __u16 *reason);
	int (*find)(const struct comp_finder *f, const void *src, size_t n, void *dst, size_t *len, __u16 *path,
		    __u16 *reason);
};

/* Whether a session with that setup has one, and the setup of the session behind it. */
bool finder_setup(const struct wd_comp_sess_setup *setup, struct wd_comp_sess_setup *inner);
/* Over that session; the caller frees both. NULL: no memory. */
struct comp_finder *finder_new(handle_t sess);
/* WD_CAP_HW, WD_CAP_SIM or 0. */
int finder_caps(const struct comp_finder *f);

#endif
