/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs and scatter/gather lists of HiSilicon accelerators: submit and receive descriptors. */
#ifndef HISI_QM_H
#define HISI_QM_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The rules of <wd.h> on errors, handles, threads and fork hold here. A queue
 * pair (qp) or pool of a fork's parent returns ESTALE in the child, where
 * freeing it only frees memory.
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

/* The most bytes of para that can be copied. */
#define HISI_QM_PARA_MAX	64

struct hisi_qm_async_data {
	void (*callback)(void *para, void *rsp);
	void *para;		/* argument of callback: a copy if len > 0, the pointer itself if len is 0 */
	__u16 len;		/* bytes of para, at most HISI_QM_PARA_MAX */
	void *rsp;		/* not read; callback's rsp points to the finished descriptor */
};

typedef struct hisi_qm_async_data hisi_qm_async_data;

/*
 * hisi_qm_alloc_qp() - open and start a queue pair of a device.
 *
 * Returns a handle, or 0 and errno: EINVAL (NULL, sqe_size that isn't the
 * device's, op_type above 1, unknown mode), ENODEV (not a HiSilicon uacce
 * device, or gone), EOPNOTSUPP (the device's API is unknown) and the errors of
 * wd_request_ctx() and wd_ctx_start().
 */
handle_t hisi_qm_alloc_qp(const char *node_path, const struct hisi_qp_cfg *cfg);

/*
 * hisi_qm_free_qp() - stop and close a queue pair.
 *
 * When this returns, the device no longer works on the qp. Requests in flight
 * are abandoned, and their callbacks don't run. A bad handle is ignored, as is a call from
 * the qp's own callback; wd_error_detail(0, ...) then says so.
 */
void hisi_qm_free_qp(handle_t h_qp);

/*
 * hisi_qm_send() - submit num descriptors, which lie one after another at req, with one doorbell.
 *
 * Returns how many were submitted, 1 .. num; -EBUSY if there is no room,
 * -EINVAL (bad handle, NULL, num < 1, an asynchronous qp), -EIO (the queue was
 * stopped or reset: free it and open a new one), -ENODEV (device gone),
 * -ESTALE.
 */
int hisi_qm_send(handle_t h_qp, const void *req, int num);

/*
 * hisi_qm_recv() - take up to num finished descriptors, never waiting.
 *
 * They are copied to rsp, one after another. Returns how many, 0 if none has
 * finished; -EINVAL, -EIO, -ENODEV, -ESTALE as hisi_qm_send(). Descriptors
 * that finished before a stop are still delivered.
 */
int hisi_qm_recv(handle_t h_qp, void *rsp, int num);

/*
 * hisi_qm_send_async() - submit one descriptor with a callback for its completion.
 *
 * req and data are only read during the call. Returns 0, or -EBUSY (no room),
 * -EINVAL (bad handle, NULL, no callback, len too large, NULL para with a len,
 * a synchronous qp), -EIO, -ENODEV, -ESTALE.
 */
int hisi_qm_send_async(handle_t h_qp, const void *req, const struct hisi_qm_async_data *data);

/*
 * hisi_qm_poll_async_qp() - run the callbacks of up to num finished descriptors, never waiting.
 *
 * Callbacks run in this thread. The library then holds no lock, and the
 * descriptor's room is free: a callback may send and poll, but not free the qp.
 * rsp points to a copy of the descriptor, para (len > 0) to the copied bytes;
 * both are valid until the callback returns. Returns how many ran, 0 if no
 * descriptor has finished; -EINVAL, -EIO, -ENODEV, -ESTALE as hisi_qm_recv().
 */
int hisi_qm_poll_async_qp(handle_t h_qp, __u32 num);

/*
 * hisi_qm_create_sglpool() - create a pool of sgl_num hardware lists of sge_num entries.
 *
 * sgl_num 1 .. 65535, sge_num 1 .. 255. Returns a handle, or 0 and errno:
 * EINVAL, ENOMEM.
 */
handle_t hisi_qm_create_sglpool(__u32 sgl_num, __u32 sge_num);

/* hisi_qm_destroy_sglpool() - free a pool. Returns 0, -EINVAL, -EBUSY (lists are in use, nothing freed). */
int hisi_qm_destroy_sglpool(handle_t h_pool);

/*
 * hisi_qm_get_hw_sgl() - describe a list of buffers to the device.
 *
 * The list's nodes are copied: only the buffers must stay valid. A piece above
 * 8 MiB takes several entries; lists are chained as needed, up to 256. Returns
 * the address to put into a descriptor, or NULL and errno: EINVAL (bad handle,
 * NULL list, NULL data with a len), E2BIG (can never fit), EBUSY (not enough
 * lists are free), ESTALE.
 */
void *hisi_qm_get_hw_sgl(handle_t h_pool, const struct wd_datalist *list);

/*
 * hisi_qm_put_hw_sgl() - return a list, with all that are chained to it, to the pool. Returns 0, -EINVAL (not in use),
 * -ESTALE.
 */
int hisi_qm_put_hw_sgl(handle_t h_pool, void *sgl);

#ifdef __cplusplus
}
#endif
#endif
