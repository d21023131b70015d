/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A request's source or destination: flat memory or a hardware scatter-gather list, read or written once, in order. */
#ifndef WDM_PAYLOAD_H
#define WDM_PAYLOAD_H

#include "model.h"

#define WDM_SGE_BATCH	8

struct wdm_cursor {
	const struct wdm_job *job;
	bool sgl;
	u64 addr;		/* current position in the current piece */
	u32 piece;		/* bytes left in the current piece */
	u32 left;		/* bytes left in the request */
	u64 next_sgl;
	u64 entry_addr;		/* address of the next entry to fetch */
	u32 entries;		/* entries left in this SGL, except those fetched */
	u32 lists;		/* SGLs followed so far */
	u32 batch, batch_pos;
	u8 sge[WDM_SGE_BATCH][32];
};

/* All return 0 or -errno: -EFAULT not mapped, -EINVAL malformed list, -ENODATA list too short. */
int wdm_cursor_init(struct wdm_cursor *c, const struct wdm_job *job, bool sgl, u64 addr, u32 skip, u32 len);
int wdm_cursor_read(struct wdm_cursor *c, u8 *buf, u32 len);
int wdm_cursor_write(struct wdm_cursor *c, const u8 *buf, u32 len);

int wdm_payload_read(const struct wdm_job *job, u64 addr, void *buf, u32 len);
int wdm_payload_write(const struct wdm_job *job, u64 addr, const void *buf, u32 len);

#endif
