// SPDX-License-Identifier: Apache-2.0
/*
 * Queue pairs: the rings behind two locks.
 *
 * Locks: send_lock for the producing side, recv_lock for the draining side;
 * neither is taken inside the other, and none is held in a callback.
 */
#include <hisi_qm.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/handle.h"
#include "qp_ring.h"
#include "section/ctx.h"

#define SQE_MAX	128

/* The callback per submission slot: written before the doorbell, read after the completion. */
struct call {
	void (*callback)(void *para, void *rsp);
	void *para;
	__u16 len;
	alignas(max_align_t) unsigned char copy[HISI_QM_PARA_MAX];
};

struct qp {
	struct wd_object obj;
	struct qp_ring ring;
	handle_t h_ctx;
	enum hisi_qm_mode mode;
	pthread_mutex_t send_lock;
	pthread_mutex_t recv_lock;
	struct call *calls;
};

/* The callbacks that this thread is running, innermost first. */
struct frame {
	const struct qp *qp;
	struct frame *outer;
};

static _Thread_local struct frame *frames;

static bool in_callback_of(const struct qp *qp)
{
	const struct frame *frame;

	for (frame = frames; frame; frame = frame->outer)
		if (frame->qp == qp)
			return true;
	return false;
}

static struct qp *qp_lookup(handle_t h, enum hisi_qm_mode mode, int *ret)
{
	struct qp *qp = wd_handle_get(h, WD_KIND_QP);

	if (!qp)
		*ret = wd_handle_bad(h, "a queue pair");
	else if (wd_stale(&qp->obj))
		*ret = wd_fail(&qp->obj, ESTALE, "the queue pair belongs to the parent process");
	else if (qp->mode != mode)
		*ret = wd_fail(&qp->obj, EINVAL, mode == QP_SYNC ?
			       "the queue pair is asynchronous: use hisi_qm_send_async()" :
			       "the queue pair is synchronous: use hisi_qm_send()");
	else
		return qp;
	return NULL;
}

static int cfg_check(const char *node_path, const struct hisi_qp_cfg *cfg)
{
	if (!node_path || !cfg)
		return wd_fail_str(NULL, EINVAL, "hisi_qm_alloc_qp: %s is NULL", node_path ? "cfg" : "node_path");
	if (!cfg->sqe_size || cfg->sqe_size > SQE_MAX)
		return wd_fail_num(NULL, EINVAL, "hisi_qm_alloc_qp: no device has a sqe_size of %u", cfg->sqe_size, 0);
	if (cfg->op_type > 1)
		return wd_fail_num(NULL, EINVAL, "hisi_qm_alloc_qp: op_type %u is neither 0 nor 1", cfg->op_type, 0);
	if (cfg->mode != QP_SYNC && cfg->mode != QP_ASYN)
		return wd_fail_num(NULL, EINVAL, "hisi_qm_alloc_qp: mode %d is unknown", cfg->mode, 0);
	return 0;
}

handle_t hisi_qm_alloc_qp(const char *node_path, const struct hisi_qp_cfg *cfg)
{
	struct wd_ring_cfg ring_cfg;
	struct qp *qp;
	int ret;

	ret = cfg_check(node_path, cfg);
	if (ret)
		return wd_no_handle(ret);
	qp = aligned_alloc(_Alignof(struct qp), sizeof(*qp));
	if (!qp)
		return wd_no_handle(wd_fail(NULL, ENOMEM, "no memory for the queue pair"));
	memset(qp, 0, sizeof(*qp));
	ring_cfg = (struct wd_ring_cfg){
		.sqe_size = cfg->sqe_size, .qc_type = cfg->op_type, .filling = &qp->ring.filling
	};
	qp->mode = cfg->mode;
	qp->h_ctx = wd_request_ctx(node_path);
	if (!qp->h_ctx) {
		ret = -errno;
		goto free_qp;
	}
	ret = wd_ring_open(&qp->ring.ring, qp->h_ctx, &ring_cfg);
	if (ret)
		goto release_ctx;
	qp->ring.busy = calloc(qp->ring.ring.sq_depth, sizeof(*qp->ring.busy));
	qp->calls = cfg->mode == QP_ASYN ? calloc(qp->ring.ring.sq_depth, sizeof(*qp->calls)) : NULL;
	if (!qp->ring.busy || (cfg->mode == QP_ASYN && !qp->calls)) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the slots of the queue pair");
		goto free_slots;
	}
	pthread_mutex_init(&qp->send_lock, NULL);
	pthread_mutex_init(&qp->recv_lock, NULL);
	if (!wd_handle_new(WD_KIND_QP, &qp->obj)) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the queue pair's handle");
		goto destroy_locks;
	}
	return qp->obj.handle;

destroy_locks:
	pthread_mutex_destroy(&qp->recv_lock);
	pthread_mutex_destroy(&qp->send_lock);
free_slots:
	free(qp->calls);
	free((void *)qp->ring.busy);
release_ctx:
	wd_release_ctx(qp->h_ctx);
free_qp:
	free(qp);
	return wd_no_handle(ret);
}

void hisi_qm_free_qp(handle_t h_qp)
{
	struct qp *qp = wd_handle_get(h_qp, WD_KIND_QP);

	if (!qp) {
		wd_handle_bad(h_qp, "a queue pair");
		return;
	}
	if (in_callback_of(qp)) {
		wd_fail(&qp->obj, EDEADLK, "a queue pair can't be freed in its own callback");
		return;
	}
	wd_handle_free(h_qp);
	wd_release_ctx(qp->h_ctx);
	pthread_mutex_destroy(&qp->recv_lock);
	pthread_mutex_destroy(&qp->send_lock);
	free(qp->calls);
	free((void *)qp->ring.busy);
	free(qp);
}

static int stopped_fail(struct qp *qp)
{
	if (qp->ring.ring.broken)
		return wd_fail(&qp->obj, EIO, "the completion ring is corrupt");
	if (wd_ring_why(&qp->ring.ring) == -ENODEV)
		return wd_fail(&qp->obj, ENODEV, "the device is gone");
	return wd_fail(&qp->obj, EIO, "the queue was stopped or reset");
}

static void call_set(struct call *call, const struct hisi_qm_async_data *data)
{
	call->callback = data->callback;
	call->para = data->para;
	call->len = data->len;
	if (data->len)
		memcpy(call->copy, data->para, data->len);
}

/*
 * Under send_lock. data: for an asynchronous qp, whose num is 1. Returns how many descriptors the device got, -EBUSY,
 * or -EPIPE for a stopped queue: not recorded.
 */
static int give(struct qp *qp, const unsigned char *req, int num, const struct hisi_qm_async_data *data)
{
	struct qp_ring *ring = &qp->ring;
	/* Read once: room may grow at any moment, and would include a slot whose call isn't set. */
	uint32_t n = qp_ring_room(ring, (uint32_t)num);
	uint32_t i;
	bool given;

	if (wd_ring_tx_stopped(&ring->ring))
		return -EPIPE;
	if (!n)
		return -EBUSY;
	if (data)
		call_set(&qp->calls[qp_ring_index(ring, 0)], data);
	qp_ring_fill_begin(ring);
	for (i = 0; i < n; i++)
		memcpy(qp_ring_sqe(ring, i), req + (size_t)i * ring->ring.sqe_size, ring->ring.sqe_size);
	given = qp_ring_submit(ring, n);
	qp_ring_fill_end(ring);
	return given ? (int)n : -EPIPE;
}

static int give_result(struct qp *qp, int ret)
{
	if (ret == -EPIPE)
		return stopped_fail(qp);
	if (ret == -EBUSY)
		return wd_fail_num(&qp->obj, EBUSY, "%u descriptors are in flight", wd_ring_in_flight(&qp->ring.ring),
				   0);
	return ret;
}

int hisi_qm_send(handle_t h_qp, const void *req, int num)
{
	struct qp *qp;
	int ret;

	qp = qp_lookup(h_qp, QP_SYNC, &ret);
	if (!qp)
		return ret;
	if (!req || num < 1)
		return wd_fail_num(&qp->obj, EINVAL, "hisi_qm_send: %d descriptors at %x", num, (uintptr_t)req);
	pthread_mutex_lock(&qp->send_lock);
	ret = give(qp, req, num, NULL);
	pthread_mutex_unlock(&qp->send_lock);
	return give_result(qp, ret);
}

int hisi_qm_recv(handle_t h_qp, void *rsp, int num)
{
	unsigned char *to = rsp;
	struct qp *qp;
	int n = 0;
	int ret;

	qp = qp_lookup(h_qp, QP_SYNC, &ret);
	if (!qp)
		return ret;
	if (!rsp || num < 1)
		return wd_fail_num(&qp->obj, EINVAL, "hisi_qm_recv: %d descriptors at %x", num, (uintptr_t)rsp);
	ret = 1;
	pthread_mutex_lock(&qp->recv_lock);
	while (n < num && (ret = qp_ring_take(&qp->ring, to + (size_t)n * qp->ring.ring.sqe_size)) > 0)
		n++;
	wd_ring_end(&qp->ring.ring);
	pthread_mutex_unlock(&qp->recv_lock);
	return !n && ret < 0 ? stopped_fail(qp) : n;
}

static int data_check(struct qp *qp, const void *req, const struct hisi_qm_async_data *data)
{
	if (!req || !data || !data->callback)
		return wd_fail_str(&qp->obj, EINVAL, "hisi_qm_send_async: %s is NULL",
				   !req ? "req" : !data ? "data" : "callback");
	if (data->len > HISI_QM_PARA_MAX || (data->len && !data->para))
		return wd_fail_num(&qp->obj, EINVAL, "hisi_qm_send_async: para is %u bytes at %x: too long, or NULL",
				   data->len, (uintptr_t)data->para);
	return 0;
}

int hisi_qm_send_async(handle_t h_qp, const void *req, const struct hisi_qm_async_data *data)
{
	struct qp *qp;
	int ret;

	qp = qp_lookup(h_qp, QP_ASYN, &ret);
	if (!qp)
		return ret;
	ret = data_check(qp, req, data);
	if (ret)
		return ret;
	pthread_mutex_lock(&qp->send_lock);
	ret = give(qp, req, 1, data);
	pthread_mutex_unlock(&qp->send_lock);
	ret = give_result(qp, ret);
	return ret > 0 ? 0 : ret;
}

/* Takes one finished request and its call out of the ring. 1, 0, -EIO. */
static int take_call(struct qp *qp, void *sqe, struct call *call)
{
	uint16_t index;
	int ret;

	pthread_mutex_lock(&qp->recv_lock);
	ret = qp_ring_take_held(&qp->ring, &index);
	if (ret > 0) {
		memcpy(sqe, wd_ring_slot(&qp->ring.ring, index), qp->ring.ring.sqe_size);
		*call = qp->calls[index];
		qp_ring_release(&qp->ring, index);
	}
	wd_ring_end(&qp->ring.ring);
	pthread_mutex_unlock(&qp->recv_lock);
	return ret;
}

int hisi_qm_poll_async_qp(handle_t h_qp, __u32 num)
{
	alignas(8) unsigned char sqe[SQE_MAX];
	struct frame frame = { .outer = frames };
	struct call call;
	struct qp *qp;
	int ret = 0;
	int n = 0;

	qp = qp_lookup(h_qp, QP_ASYN, &ret);
	if (!qp)
		return ret;
	while ((__u32)n < num && (ret = take_call(qp, sqe, &call)) > 0) {
		frame.qp = qp;
		frames = &frame;
		call.callback(call.len ? call.copy : call.para, sqe);
		frames = frame.outer;
		n++;
	}
	return !n && ret < 0 ? stopped_fail(qp) : n;
}
