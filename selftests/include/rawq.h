/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hisi queue used by hand, without the libraries: open, map, descriptors,
 * doorbells, completions. For tests of the layers below the libraries; one thread
 * per queue.
 */
#ifndef WD_TEST_RAWQ_H
#define WD_TEST_RAWQ_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include "hw/qm_hw.h"
#include "turn.h"
#include "uacce_sys.h"
#include "hw/zip_hw.h"

struct rawq {
	int fd;
	char name[UACCE_NAME_MAX];
	uint8_t *mmio;
	uint8_t *dus;
	size_t mmio_size;
	size_t dus_size;
	struct hisi_qp_info info;
	uint16_t id;
	uint16_t sq_tail;
	uint16_t cq_head;
	uint16_t phase;
	uint64_t staged[ZIP_SQE_SIZE / 8];
	bool mediated;	/* the kernel executes submissions: no window, and completions are reaped by calls */
};

/* A completion as read from the ring. */
struct rawq_done {
	uint16_t sq_head;
	uint16_t sq_num;
};

static inline uint32_t rawq_tx_stop(const struct rawq *q)
{
	return *(volatile uint32_t *)(q->dus + QM_DUS_TX_STOP(q->dus_size));
}

static inline uint32_t rawq_rx_stop(const struct rawq *q)
{
	return *(volatile uint32_t *)(q->dus + QM_DUS_RX_STOP(q->dus_size));
}

/*
 * Waits for the second stop word of a queue that was taken away: true when it is set. A device that was late to stop
 * the queue, as on a busy machine, gets it only when it can't access the queue's memory any more.
 */
static inline bool rawq_let_go(const struct rawq *q, int ms)
{
	long long deadline = now_ms() + ms;

	while (!rawq_rx_stop(q) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return rawq_rx_stop(q);
}

/* Index 0, phase 1: the state after START_Q. */
static inline void rawq_rewind(struct rawq *q)
{
	q->sq_tail = 0;
	q->cq_head = 0;
	q->phase = 1;
}

static inline void rawq_unmap(struct rawq *q)
{
	if (q->mmio)
		munmap(q->mmio, q->mmio_size);
	if (q->dus)
		munmap(q->dus, q->dus_size);
	q->mmio = NULL;
	q->dus = NULL;
}

static inline void rawq_close(struct rawq *q)
{
	rawq_unmap(q);
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
}

/* Open only: state INIT, nothing mapped. */
static inline int rawq_open(struct rawq *q, const char *name)
{
	int ret;

	memset(q, 0, sizeof(*q));
	snprintf(q->name, sizeof(q->name), "%s", name);
	rawq_rewind(q);
	q->mmio_size = uacce_attr_num(name, "region_mmio_size");
	q->dus_size = uacce_attr_num(name, "region_dus_size");
	q->fd = uacce_open(name);
	if (q->fd < 0)
		return q->fd;
	ret = uacce_set_qp_info(q->fd, &q->info);
	if (ret)
		rawq_close(q);
	return ret;
}

static inline int rawq_map(struct rawq *q)
{
	void *map;
	int ret;

	ret = uacce_mmap(q->fd, UACCE_QFRT_MMIO, q->mmio_size, &map);
	q->mediated = ret == -EPERM && !(uacce_attr_num(q->name, "flags") & UACCE_DEV_SVA);
	if (ret && !q->mediated)
		return ret;
	if (!ret)
		q->mmio = map;
	ret = uacce_mmap(q->fd, UACCE_QFRT_DUS, q->dus_size, &map);
	if (ret)
		return ret;
	q->dus = map;
	return 0;
}

/* Choose the direction, start. */
static inline int rawq_start(struct rawq *q, unsigned int qc_type)
{
	int ret = uacce_set_qp_ctx(q->fd, qc_type);

	if (ret < 0)
		return ret;
	q->id = ret;
	return uacce_start_q(q->fd);
}

/* Open, map, choose the direction, start. */
static inline int rawq_begin(struct rawq *q, const char *name, unsigned int qc_type)
{
	int ret = rawq_open(q, name);

	if (ret)
		return ret;
	ret = rawq_map(q);
	if (!ret)
		ret = rawq_start(q, qc_type);
	if (ret)
		rawq_close(q);
	return ret;
}

/*
 * The next descriptor, zeroed. It is built outside the ring and copied in one
 * step: if a doorbell could have been lost, a device that polls memory may take
 * a descriptor as submitted once it has changed and then stays the same for a while.
 */
static inline void *rawq_slot(struct rawq *q)
{
	return memset(q->staged, 0, sizeof(q->staged));
}

static inline int rawq_call(const struct rawq *q, uint32_t flags, uint16_t sq_tail, uint16_t cq_head)
{
	struct hisi_qp_doorbell db = { .sq_tail = sq_tail, .cq_head = cq_head, .flags = flags };

	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

/* The call for what would be written to a window. */
static inline int rawq_doorbell_call(const struct rawq *q, uint64_t value)
{
	uint16_t index = value >> QM_DB_INDEX_SHIFT;
	uint32_t event = value >> QM_DB_PRIO_SHIFT & QM_DB_C_FLAG ? HISI_QP_DB_EVENT : 0;

	if ((value >> QM_DB_CMD_SHIFT & 0xf) == QM_DB_CMD_SQ)
		return rawq_call(q, HISI_QP_DB_SQ, index, 0);
	return rawq_call(q, HISI_QP_DB_CQ | event, 0, index);
}

static inline void rawq_doorbell(struct rawq *q, uint64_t value)
{
	if (q->mediated) {
		rawq_doorbell_call(q, value);
		return;
	}
	/* The device may be a thread: earlier stores must be visible before the bell. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)(q->mmio + QM_DB_SQ_CQ) = htole64(value);
}

/* Puts the descriptor into the ring; rings unless more follow. */
static inline void rawq_push(struct rawq *q, int ring)
{
	memcpy(q->dus + (size_t)q->sq_tail * q->info.sqe_size, q->staged, q->info.sqe_size);
	if (++q->sq_tail == q->info.sq_depth)
		q->sq_tail = 0;
	if (ring)
		rawq_doorbell(q, qm_db_value(q->id, QM_DB_CMD_SQ, q->sq_tail, 0));
}

static inline void rawq_ack(struct rawq *q, int arm)
{
	rawq_doorbell(q, qm_db_value(q->id, QM_DB_CMD_CQ, q->cq_head, arm ? QM_DB_C_FLAG : 0));
}

static inline volatile struct qm_cqe *rawq_cqe(struct rawq *q)
{
	size_t sq_bytes = (size_t)q->info.sqe_size * q->info.sq_depth;

	return (volatile struct qm_cqe *)(q->dus + sq_bytes) + q->cq_head;
}

static inline int rawq_ready(struct rawq *q)
{
	return (le16toh(rawq_cqe(q)->w7) & QM_CQE_PHASE) == q->phase;
}

/* A queue that is being stopped is completed by the stop. */
static inline void rawq_reap(struct rawq *q)
{
	if (q->mediated && !rawq_ready(q))
		rawq_call(q, HISI_QP_DB_REAP, 0, 0);
}

/* Takes one completion: 0, -EAGAIN, or -EIO once the queue was taken away. */
static inline int rawq_pull(struct rawq *q, struct rawq_done *done)
{
	volatile struct qm_cqe *cqe = rawq_cqe(q);

	rawq_reap(q);
	if (!rawq_ready(q))
		return rawq_rx_stop(q) ? -EIO : -EAGAIN;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	done->sq_head = le16toh(cqe->sq_head);
	done->sq_num = le16toh(cqe->sq_num);
	if (++q->cq_head == q->info.cq_depth) {
		q->cq_head = 0;
		q->phase = !q->phase;
	}
	return 0;
}

static inline int rawq_wait(struct rawq *q, struct rawq_done *done, int ms)
{
	long long deadline = now_ms() + ms;
	int ret;

	while ((ret = rawq_pull(q, done)) == -EAGAIN) {
		if (now_ms() > deadline)
			return -ETIMEDOUT;
		turn_over();
	}
	return ret;
}

static inline struct zip_sqe *rawq_zip_done(struct rawq *q, const struct rawq_done *done)
{
	return (struct zip_sqe *)(q->dus + (size_t)done->sq_head * q->info.sqe_size);
}

static inline unsigned int rawq_zip_status(const struct zip_sqe *sqe)
{
	return le32toh(sqe->dw3) & ZIP_DW3_STATUS_MASK;
}

/* A stateless request on flat buffers; the direction is the queue's. */
static inline void rawq_zip_fill(struct zip_sqe *sqe, enum zip_req_type type, const void *src,
				 uint32_t src_len, void *dst, uint32_t dst_len, uint32_t tag)
{
	uint64_t s = (uintptr_t)src, d = (uintptr_t)dst;

	sqe->input_data_length = htole32(src_len);
	sqe->dw7 = htole32(ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM |
			   ZIP_DW7_FINISH);
	sqe->dw9 = htole32(type | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT);
	sqe->dest_avail_out = htole32(dst_len);
	sqe->source_addr_l = htole32((uint32_t)s);
	sqe->source_addr_h = htole32(s >> 32);
	sqe->dest_addr_l = htole32((uint32_t)d);
	sqe->dest_addr_h = htole32(d >> 32);
	sqe->tag_l = htole32(tag);
}

/* The same for generation 2, whose descriptors have the tag elsewhere. */
static inline void rawq_zip_fill2(struct zip_sqe *sqe, enum zip_req_type type, const void *src,
				  uint32_t src_len, void *dst, uint32_t dst_len, uint32_t tag)
{
	rawq_zip_fill(sqe, type, src, src_len, dst, dst_len, 0);
	sqe->dw7 &= htole32(~(0xfu << ZIP_DW7_SQE_TYPE_SHIFT));
	sqe->dw13 = htole32(tag);
}

/* The same for a device of that generation: "2" or "3". */
static inline void rawq_zip_fill_of(const char *generation, struct zip_sqe *sqe, enum zip_req_type type,
				    const void *src, uint32_t src_len, void *dst, uint32_t dst_len, uint32_t tag)
{
	(generation[0] == '2' ? rawq_zip_fill2 : rawq_zip_fill)(sqe, type, src, src_len, dst, dst_len, tag);
}

/* One request from end to end: the device's status (0..255) and *produced, or -errno. */
static inline int rawq_zip(struct rawq *q, enum zip_req_type type, const void *src, uint32_t src_len,
			   void *dst, uint32_t dst_len, uint32_t *produced, int ms)
{
	struct rawq_done done;
	struct zip_sqe *sqe;
	int ret;

	rawq_zip_fill(rawq_slot(q), type, src, src_len, dst, dst_len, 0);
	rawq_push(q, 1);
	ret = rawq_wait(q, &done, ms);
	if (ret)
		return ret;
	sqe = rawq_zip_done(q, &done);
	*produced = le32toh(sqe->produced);
	return rawq_zip_status(sqe);
}

#endif
