/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/* User ABI of HiSilicon queue manager queues: the ioctls in addition to uacce's own. */
#ifndef _UAPI_MISC_UACCE_HISI_QM_H
#define _UAPI_MISC_UACCE_HISI_QM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct hisi_qp_ctx - argument of UACCE_CMD_QM_SET_QP_CTX
 * @id:		out: number of the queue within its function
 * @qc_type:	in: engine class (ZIP: 0 compress, 1 decompress; HPRE: 0 RSA/DH,
 *		1 ECC; SEC: 0). Takes effect at START_Q.
 */
struct hisi_qp_ctx {
	__u16 id;
	__u16 qc_type;
};

/**
 * struct hisi_qp_info - result of UACCE_CMD_QM_SET_QP_INFO
 * @sqe_size:	size of a submission descriptor in bytes
 * @sq_depth:	number of descriptors in the submission ring
 * @cq_depth:	number of entries in the completion ring
 * @reserved:	zero
 */
struct hisi_qp_info {
	__u32 sqe_size;
	__u16 sq_depth;
	__u16 cq_depth;
	__u64 reserved;
};

/* Flags of struct hisi_qp_doorbell. */
#define HISI_QP_DB_SQ		(1 << 0)	/* @sq_tail is valid */
#define HISI_QP_DB_CQ		(1 << 1)	/* @cq_head is valid */
#define HISI_QP_DB_EVENT	(1 << 2)	/* with HISI_QP_DB_CQ: the next completion raises an event */
#define HISI_QP_DB_REAP		(1 << 3)	/* valid alone; mediated queues only, where every call does it */

/**
 * struct hisi_qp_doorbell - argument of UACCE_CMD_QM_DOORBELL
 * @sq_tail:	in: index of the submission ring's first slot that the device doesn't own yet
 * @cq_head:	in: index of the next completion to be read
 * @flags:	in: HISI_QP_DB_*
 * @reserved:	in: zero
 */
struct hisi_qp_doorbell {
	__u16 sq_tail;
	__u16 cq_head;
	__u32 flags;
	__u64 reserved;
};

/**
 * struct hisi_qp_memory - result of UACCE_CMD_QM_GET_MEMORY
 * @flat_bytes:	most bytes of data that must be contiguous for the device: each side of a stream's request of ZIP,
 *		parts of hashes, data of GCM streams. Longer data is a bad address, unless it is contiguous by chance
 * @request_pages: pages of 4 KiB that one request may name
 * @pinned_bytes: most bytes that requests in flight pin; further ones wait until there is room
 * @reserved:	zero
 */
struct hisi_qp_memory {
	__u32 flat_bytes;
	__u32 request_pages;
	__u64 pinned_bytes;
	__u64 reserved;
};

#define HISI_QM_API_VER_BASE	"hisi_qm_v1"
#define HISI_QM_API_VER2_BASE	"hisi_qm_v2"
#define HISI_QM_API_VER3_BASE	"hisi_qm_v3"
#define HISI_QM_API_VER5_BASE	"hisi_qm_v5"

#define UACCE_CMD_QM_SET_QP_CTX		_IOWR('H', 10, struct hisi_qp_ctx)
#define UACCE_CMD_QM_SET_QP_INFO	_IOWR('H', 11, struct hisi_qp_info)

/*
 * Rings the started queue's doorbells, where the queues of a device share one register. Never waits there.
 *
 * On mediated queues (bit 0 of "flags" is clear) it submits up to @sq_tail, and completes what the device has finished.
 * It waits for memory of its own process only. Requests for which there is no room yet are submitted by later calls,
 * whatever their flags. EINVAL, too: @sq_tail would overwrite a slot that isn't completed.
 *
 * EINVAL: the queue isn't started, an index isn't below its ring's depth, a flag is unknown or has no
 * effect alone, or @reserved isn't 0. ESHUTDOWN: the queue is being stopped. ENXIO: the queue was taken
 * away. EOPNOTSUPP: the queue has a doorbell window of its own, which its owner maps.
 */
#define UACCE_CMD_QM_DOORBELL		_IOW('H', 12, struct hisi_qp_doorbell)

/* The limits of a mediated queue, at any time. EOPNOTSUPP: the queue isn't mediated. */
#define UACCE_CMD_QM_GET_MEMORY		_IOR('H', 13, struct hisi_qp_memory)

#endif
