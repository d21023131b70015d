// SPDX-License-Identifier: Apache-2.0
/* Setting up a ring: regions, queue type, sizes, doorbell. */
#include <errno.h>
#include <fcntl.h>
#include <misc/uacce/hisi_qm.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include "base/error.h"
#include "ring.h"
#include "section/ctx.h"

#define API_PREFIX	"hisi_qm_v"
#define OLD_DEPTH	1024	/* on kernels that don't report it */

/* All versions after the first have the doorbells at the same place; the first is not supported. */
static bool api_known(const char *api)
{
	const char *number = api + sizeof(API_PREFIX) - 1;

	return !strncmp(api, API_PREFIX, sizeof(API_PREFIX) - 1) && *number >= '0' && *number <= '9' &&
	       strcmp(number, "1");
}

static int ring_configure(struct wd_ring *ring, const struct wd_ring_cfg *cfg)
{
	struct hisi_qp_info info = { .sqe_size = cfg->sqe_size, .sq_depth = OLD_DEPTH, .cq_depth = OLD_DEPTH };
	struct hisi_qp_ctx qc = { .qc_type = cfg->qc_type };
	struct wd_object *obj = &ring->ctx->obj;
	int ret;

	ret = wd_ctx_ioctl(ring->ctx, UACCE_CMD_QM_SET_QP_CTX, &qc);
	if (ret < 0)
		return wd_fail_all(obj, -ret, "%s: the device refused queue type %u", ring->ctx->name, cfg->qc_type, 0);
	ret = wd_ctx_ioctl(ring->ctx, UACCE_CMD_QM_SET_QP_INFO, &info);
	if (ret == -ENODEV)
		return wd_fail_str(obj, ENODEV, "%s: the device is gone", ring->ctx->name);
	if (info.sqe_size != cfg->sqe_size)
		return wd_fail_all(obj, EINVAL, "%s: the device's descriptors have %u bytes, not %u", ring->ctx->name,
				   info.sqe_size, cfg->sqe_size);
	ring->qn = qc.id;
	ring->sq_db = qm_db_value(ring->qn, QM_DB_CMD_SQ, 0, 0);
	ring->sqe_size = info.sqe_size;
	ring->sq_depth = info.sq_depth;
	ring->cq_depth = info.cq_depth;
	return 0;
}

/* Checks the kernel's numbers against each other before they are used for writing. */
static int ring_layout(struct wd_ring *ring)
{
	size_t sq_bytes = (size_t)ring->sqe_size * ring->sq_depth;
	size_t bytes = sq_bytes + sizeof(struct qm_cqe) * ring->cq_depth;
	size_t dus = ring->ctx->size[UACCE_QFRT_DUS];
	struct wd_object *obj = &ring->ctx->obj;
	unsigned char *base;

	if (ring->sq_depth < 4 || ring->cq_depth < ring->sq_depth || bytes + 8 > dus)
		return wd_fail_all(obj, ENODEV, "%s: rings of %u bytes exceed the region of %u", ring->ctx->name, bytes,
				   dus);
	base = wd_drv_mmap_qfr(obj->handle, UACCE_QFRT_DUS);
	if (!base)
		return -errno;
	ring->sq = base;
	ring->cq = (struct qm_cqe *)(base + sq_bytes);
	ring->tx_stop = (const _Atomic uint32_t *)(base + QM_DUS_TX_STOP(dus));
	ring->rx_stop = (const _Atomic uint32_t *)(base + QM_DUS_RX_STOP(dus));
	ring->flat = UINT32_MAX;
	return 0;
}

/*
 * A queue of a device that doesn't share the process' addresses: the kernel rings, and completes requests when it is
 * called. The device's ring, where it can be mapped, says when that is worth a call.
 */
static void ring_mediate(struct wd_ring *ring)
{
	static const _Atomic uint32_t always = 1;
	struct wd_ctx *ctx = ring->ctx;
	struct hisi_qp_memory memory;

	if (ctx->sva || wd_ctx_ioctl(ctx, UACCE_CMD_QM_GET_MEMORY, &memory) < 0)
		return;
	ring->mediated = true;
	ring->stop = ring->rx_stop;
	ring->rx_stop = &always;
	ring->flat = memory.flat_bytes;
	ring->device_cq = wd_ctx_map_device_cq(ctx, sizeof(struct qm_cqe) * ring->cq_depth);
}

/* Without permission for the region, which has the doorbells of all queues, the kernel has to ring. */
static int ring_map_doorbell(struct wd_ring *ring)
{
	struct wd_object *obj = &ring->ctx->obj;
	unsigned char *base;

	if (ring->ctx->size[UACCE_QFRT_MMIO] < QM_DB_SQ_CQ + sizeof(uint64_t))
		return wd_fail_all(obj, ENODEV, "%s: the region of %u bytes has no doorbell", ring->ctx->name,
				   ring->ctx->size[UACCE_QFRT_MMIO], 0);
	base = wd_drv_mmap_qfr(obj->handle, UACCE_QFRT_MMIO);
	if (!base)
		return errno == EPERM ? 0 : -errno;
	ring->doorbell = (_Atomic uint64_t *)(base + QM_DB_SQ_CQ);
	return 0;
}

/*
 * Where the kernel rings, this is the price of each request. So the file isn't compared with the one that was opened:
 * all that a program gets with its number, but a device's queue that it has started itself, refuses the command.
 */
static int ring_ioctl(const struct wd_ring *ring, uint32_t flags, uint16_t sq_tail, uint16_t cq_head)
{
	struct hisi_qp_doorbell db = { .sq_tail = sq_tail, .cq_head = cq_head, .flags = flags };

	/* The kernel's side of a release: the descriptors are in memory before the call. */
	atomic_thread_fence(memory_order_release);
	return wd_fd_ioctl(wd_ctx_fd(ring->ctx), UACCE_CMD_QM_DOORBELL, &db);
}

void wd_ring_call(const struct wd_ring *ring, uint32_t flags, uint16_t sq_tail, uint16_t cq_head)
{
	ring_ioctl(ring, flags, sq_tail, cq_head);
}

bool wd_ring_ended(const struct wd_ring *ring)
{
	return !ring->mediated || atomic_load_explicit(ring->stop, memory_order_acquire);
}

static unsigned int device_phase(const struct wd_ring *ring, uint32_t index)
{
	return wd_ring_consume((const _Atomic uint16_t *)&ring->device_cq[index].w7) & QM_CQE_PHASE;
}

/* The end of the device's entries in this pass of its ring: those behind it have the other phase. */
static uint32_t device_end(const struct wd_ring *ring)
{
	uint32_t last = 0, end = ring->cq_depth, middle;
	unsigned int phase = device_phase(ring, 0);

	while (end - last > 1) {
		middle = (last + end) / 2;
		if (device_phase(ring, middle) == phase)
			last = middle;
		else
			end = middle;
	}
	return end | (uint32_t)phase << 16;
}

/*
 * Requests that the kernel refuses have no entry of the device. They are completed together with those before them, or
 * when they are submitted.
 */
bool wd_ring_look_closer(struct wd_ring *ring)
{
	uint32_t end;

	if (ring->mediated && ring->device_cq) {
		end = device_end(ring);
		if (end == ring->device_seen)
			return wd_ring_ended(ring);
		ring->device_seen = end;
	}
	if (ring->mediated)
		wd_ring_call(ring, HISI_QP_DB_REAP, 0, 0);
	return true;
}

/*
 * Whether the last entry that was taken has the phase of the next pass. A device whose entries are valid in advance
 * gives it that during poll(), unless a submission has overwritten the doorbell that tells it how far they were read.
 */
static bool ring_renewed(const struct wd_ring *ring)
{
	uint32_t pos = wd_ring_pos(ring);

	pos = (uint16_t)pos ? pos - 1 : (~pos & WD_RING_PHASE) + ring->cq_depth - 1;
	return !wd_ring_valid_at(ring, pos);
}

/*
 * Makes the kernel poll, which moves its head over all completions. A sleeper whose event this consumes has woken up in
 * the kernel, finds nothing there, and sleeps on: the device isn't armed any more.
 */
static void ring_nudge(const struct wd_ring *ring)
{
	struct pollfd pfd = { .fd = wd_fork_file_fd(&ring->ctx->file), .events = POLLIN };
	int saved = errno, cancel;

	/* The caller holds a lock: the thread must not be cancelled here. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (poll(&pfd, 1, 0) > 0 && ring->stole && atomic_load(&ring->armed))
		ring->stole(ring->stole_arg);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
}

/* Does the kernel ring? Tells the device what it knows already: that nothing has been read. */
static int ring_check_call(struct wd_ring *ring)
{
	int ret = ring_ioctl(ring, HISI_QP_DB_CQ, 0, 0);

	/* The device may just have been reset or removed. */
	if (!ret || ret == -ESHUTDOWN || ret == -ENODEV)
		return 0;
	if (ret == -EINVAL || ret == -ENOTTY || ret == -EOPNOTSUPP)
		ret = -EACCES;
	return wd_fail_all(&ring->ctx->obj, -ret,
			   "%s: the doorbell's region can't be mapped, and the kernel doesn't ring", ring->ctx->name, 0,
			   0);
}

/*
 * Without O_NONBLOCK a start or a stop may wait for minutes while the device finishes another process' queue, and the
 * caller holds locks that other requests need.
 */
static void dont_wait(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static int ring_set_up(struct wd_ring *ring, handle_t h_ctx, const struct wd_ring_cfg *cfg)
{
	int saved = errno;
	int ret;

	ret = ring_configure(ring, cfg);
	if (!ret)
		ret = ring_layout(ring);
	if (!ret)
		ring_mediate(ring);
	if (!ret && !ring->mediated)
		ret = ring_map_doorbell(ring);
	errno = saved;
	if (ret)
		return ret;
	wd_ring_limits(ring, cfg->sleeps);
	atomic_init(&ring->cq_pos, WD_RING_PHASE);
	ring->filling = cfg->filling;
	ring->filler = cfg->filler;
	ring->stole = cfg->stole;
	ring->stole_arg = cfg->stole_arg;
	ring->fd = wd_ctx_fd(ring->ctx);
	if (cfg->impatient)
		dont_wait(ring->fd);
	ret = wd_ctx_start(h_ctx);
	if (!ret && !ring->doorbell)
		ret = ring_check_call(ring);
	if (!ret)
		ring->filled = wd_ring_cqe_valid(ring);
	return ret;
}

int wd_ring_open(struct wd_ring *ring, handle_t h_ctx, const struct wd_ring_cfg *cfg)
{
	int ret = 0;

	memset(ring, 0, sizeof(*ring));
	ring->ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ring->ctx)
		return ret;
	if (strncmp(ring->ctx->api, API_PREFIX, sizeof(API_PREFIX) - 1))
		return wd_fail_str(&ring->ctx->obj, ENODEV, "%s: not a hisi device", ring->ctx->name);
	if (!api_known(ring->ctx->api))
		return wd_fail_str(&ring->ctx->obj, EOPNOTSUPP, "api %s is not supported", ring->ctx->api);
	return ring_set_up(ring, h_ctx, cfg);
}

/*
 * Completions between two polls, at least. The kernel's head matters for sleepers. But a device may work only during
 * poll() (wd-emulate --null), so rings without any are polled as well.
 */
static uint32_t ring_every(const struct wd_ring *ring)
{
	return ring->sleeps ? ring->batch : 2u * ring->batch;
}

static bool ring_has_many(const struct wd_ring *ring)
{
	return ring->taken - atomic_load_explicit(&ring->polled, memory_order_relaxed) >= ring_every(ring);
}

/*
 * A poll is due when so many requests were submitted since the last one. Before the next wd_ring_end() another row may
 * be taken; together they are less than a ring, or a device that works only then could not tell it from none.
 */
static uint32_t ring_poll_after(const struct wd_ring *ring)
{
	uint32_t row = ring->limit < WD_RING_ROW ? ring->limit : WD_RING_ROW;

	return ring->cq_depth - (row > ring->batch ? row : ring->batch);
}

/* Producers may be blocked when so many requests were submitted since the last acknowledgement. */
static uint32_t ring_ack_after(const struct wd_ring *ring)
{
	return ring->cq_depth - ring->batch;
}

/* Notes when to look again. polled and acked only grow, also when a thread arms: that never comes too late. */
static void ring_note(struct wd_ring *ring)
{
	uint32_t polled = atomic_load_explicit(&ring->polled, memory_order_relaxed);
	uint32_t acked = atomic_load_explicit(&ring->acked, memory_order_relaxed);
	bool many = ring_has_many(ring);
	uint32_t heed_at = many ? polled + ring_poll_after(ring) : acked + ring_ack_after(ring);
	uint32_t until = acked + ring->batch;

	atomic_store_explicit(&ring->heed_at, heed_at, memory_order_relaxed);
	if ((int32_t)(atomic_load_explicit(&ring->produced, memory_order_relaxed) - heed_at) >= 0)
		until = ring->taken;
	else if (!many && polled + ring_every(ring) - acked < ring->batch)
		until = polled + ring_every(ring);
	atomic_store_explicit(&ring->quiet_until, until, memory_order_relaxed);
}

/*
 * A poll costs a system call, and consumes the event that a sleeper waits for, whose completion may be among those
 * taken here. So it is due only when the outstanding completions may soon lap the kernel's head, which sleepers' own
 * polls move unnoticed.
 */
void wd_ring_due(struct wd_ring *ring)
{
	uint32_t produced = atomic_load_explicit(&ring->produced, memory_order_relaxed);
	uint32_t polled = atomic_load_explicit(&ring->polled, memory_order_relaxed);
	uint32_t acked = atomic_load_explicit(&ring->acked, memory_order_relaxed);
	bool poll_due = ring_has_many(ring) && produced - polled >= ring_poll_after(ring);

	/* The last condition: producers are blocked by completions that weren't acknowledged. */
	if (poll_due || ring->taken - acked >= ring->batch ||
	    (ring->taken != acked && produced - acked >= ring_ack_after(ring)))
		wd_ring_ack(ring);
	if (poll_due) {
		ring_nudge(ring);
		if (!ring->filled || ring_renewed(ring))
			atomic_store_explicit(&ring->polled, ring->taken, memory_order_relaxed);
	}
	ring_note(ring);
}

void wd_ring_heed(struct wd_ring *ring, uint32_t produced)
{
	uint32_t consumed = atomic_load_explicit(&ring->consumed, memory_order_acquire);

	/* A poll that finds less than another thread's may lower polled, which only makes the next one come sooner. */
	if (produced - atomic_load_explicit(&ring->polled, memory_order_relaxed) > ring->cq_depth && !ring->filled) {
		ring_nudge(ring);
		atomic_store_explicit(&ring->polled, consumed, memory_order_relaxed);
	}
	atomic_store_explicit(&ring->quiet_until, consumed, memory_order_relaxed);
}

int wd_ring_why(struct wd_ring *ring)
{
	int ret, cancel;

	/* The caller holds locks: the thread must not be cancelled here. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = wd_ctx_why_stopped(ring->ctx);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}
