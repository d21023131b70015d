/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs and scatter/gather lists of HiSilicon accelerators: descriptors in, descriptors out. */
#ifndef HISI_QM_H
#define HISI_QM_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The rules of <wd.h> hold here: errors, handles, threads, fork. A qp or a
 * pool inherited over fork() answers ESTALE; freeing it frees memory only.
 *
 * Buffers that descriptors point to belong to the device until the completion
 * has been received, or the qp has been freed.
 */

enum hisi_qm_mode {
	QP_SYNC,		/* hisi_qm_send(), hisi_qm_recv() */
	QP_ASYN,		/* hisi_qm_send_async(), hisi_qm_poll_async_qp() */
};

struct hisi_qp_cfg {
	__u16 sqe_size;		/* bytes of one descriptor; must be the device's: ZIP, SEC 128, HPRE 64 */
	__u16 op_type;		/* queue type: ZIP 0 compress, 1 decompress; HPRE 0 RSA/DH, 1 ECC; SEC 0 */
	enum hisi_qm_mode mode;
};

/* Bytes of para that are copied. */
#define HISI_QM_PARA_MAX	64

struct hisi_qm_async_data {
	void (*callback)(void *para, void *rsp);
	void *para;		/* given to callback: a copy if len > 0, the pointer itself if len is 0 */
	__u16 len;		/* bytes of para, at most HISI_QM_PARA_MAX */
	void *rsp;		/* not read; callback's rsp points to the finished descriptor */
};

typedef struct hisi_qm_async_data hisi_qm_async_data;

/*
 * hisi_qm_alloc_qp() - open and start a queue pair of a device.
 *
 * Returns a handle, or 0 and errno: EINVAL (NULL, sqe_size that isn't the
 * device's, op_type above 1, unknown mode), ENODEV (not a HiSilicon uacce
 * device, or gone), EOPNOTSUPP (a device API not known here) and the errors of
 * wd_request_ctx() and wd_ctx_start().
 */
handle_t hisi_qm_alloc_qp(const char *node_path, const struct hisi_qp_cfg *cfg);

/*
 * hisi_qm_free_qp() - stop and close a queue pair.
 *
 * The device has stopped working on it when this returns. What was in flight
 * is abandoned: no callback runs. A bad handle is ignored, as is a call from
 * the qp's own callback; wd_error_detail(0, ...) then says so.
 */
void hisi_qm_free_qp(handle_t h_qp);

/*
 * hisi_qm_send() - give num descriptors, one after the other at req, to the device.
 *
 * Returns how many were taken, 1 .. num; -EBUSY when there is no room,
 * -EINVAL (bad handle, NULL, num < 1, an asynchronous qp), -EIO (the queue was
 * stopped or reset: free it and open a new one), -ENODEV (device gone),
 * -ESTALE. They are rung in with one doorbell.
 */
int hisi_qm_send(handle_t h_qp, const void *req, int num);

/*
 * hisi_qm_recv() - take up to num finished descriptors, never waiting.
 *
 * They are copied one after the other to rsp. Returns how many, 0 for none
 * yet; -EINVAL, -EIO, -ENODEV, -ESTALE as hisi_qm_send(). What had finished
 * before a stop is still delivered.
 */
int hisi_qm_recv(handle_t h_qp, void *rsp, int num);

/*
 * hisi_qm_send_async() - give one descriptor and say whom to call when it is done.
 *
 * req and data are only read during the call. Returns 0, or -EBUSY (no room),
 * -EINVAL (bad handle, NULL, no callback, len too large, NULL para with a len,
 * a synchronous qp), -EIO, -ENODEV, -ESTALE.
 */
int hisi_qm_send_async(handle_t h_qp, const void *req, const struct hisi_qm_async_data *data);

/*
 * hisi_qm_poll_async_qp() - call back for up to num finished descriptors, never waiting.
 *
 * Callbacks run in this thread with no lock held, the room already free; they
 * may send and poll, not free the qp. rsp points to a copy of the descriptor,
 * para (len > 0) to the copied bytes; both are valid until the callback
 * returns. Returns how many ran, 0 for none yet; -EINVAL, -EIO, -ENODEV,
 * -ESTALE as hisi_qm_recv().
 */
int hisi_qm_poll_async_qp(handle_t h_qp, __u32 num);

/*
 * hisi_qm_create_sglpool() - room for sgl_num hardware lists of sge_num entries.
 *
 * sgl_num 1 .. 65535, sge_num 1 .. 255. Returns a handle, or 0 and errno:
 * EINVAL, ENOMEM.
 */
handle_t hisi_qm_create_sglpool(__u32 sgl_num, __u32 sge_num);

/* hisi_qm_destroy_sglpool() - free a pool. Returns 0, -EINVAL, -EBUSY (lists are still out, nothing freed). */
int hisi_qm_destroy_sglpool(handle_t h_pool);

/*
 * hisi_qm_get_hw_sgl() - describe a list of buffers to the device.
 *
 * The list's nodes are copied: only the buffers must live on. A piece above
 * 8 MiB takes several entries; lists are chained as needed, up to 256. Returns
 * the address to put into a descriptor, or NULL and errno: EINVAL (bad handle,
 * NULL list, NULL data with a len), E2BIG (would never fit), EBUSY (not enough
 * free now), ESTALE.
 */
void *hisi_qm_get_hw_sgl(handle_t h_pool, const struct wd_datalist *list);

/* hisi_qm_put_hw_sgl() - give it back, with all that is chained to it. Returns 0, -EINVAL (not one that is out), -ESTALE. */
int hisi_qm_put_hw_sgl(handle_t h_pool, void *sgl);

#ifdef __cplusplus
}
#endif
#endif
