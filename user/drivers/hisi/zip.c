// SPDX-License-Identifier: Apache-2.0
/*
 * Driver of the ZIP engine: one descriptor per request, and its result. Two callers
 * fill in and read descriptors. The fast path serves a whole flat buffer with enough
 * room and no header to parse, from and to the caller's struct; every line of it counts.
 * The core serves all other requests, by messages.
 */
#include <errno.h>
#include <string.h>

#include "comp.h"
#include "fast.inc.h"
#include "hw/zip_hw.h"

#define PAGE_MIN	4096u
#define NOT_WORTH_IT	1024	/* bytes: below this, a real device is slower than the software path */

/* Whether a header of that size may lie on another page than the device's output behind it. */
static inline bool head_apart(const void *dst, size_t head)
{
	return ((uintptr_t)dst + head) % PAGE_MIN < head;
}

static inline __u32 req_type(__u8 alg)
{
	return alg == WD_ZLIB ? ZIP_REQ_ZLIB : alg == WD_GZIP ? ZIP_REQ_GZIP : ZIP_REQ_DEFLATE;
}

static int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hisi_queue_open(q, dev, ZIP_SQE_SIZE, COMP_BOUNCE_BYTES);
}

/* --- descriptors --- */

/**
 * struct zip_job - the part of a descriptor that differs between requests
 * @dw7:	the operation on the stream
 * @dw8_9:	two words that most requests of a session share
 * @state:	state of the request's stream, or NULL
 */
struct zip_job {
	__u64 src;
	__u64 dst;
	__u64 src_len;
	__u64 room;
	__u64 dw7;
	__u64 dw8_9;
	__u32 tag;
	const struct comp_hw_state *state;
};

static inline __u64 pair_of(__u32 low, __u32 high)
{
	return (__u64)high << 32 | low;
}

static inline void zero_pair(__le64 *to)
{
	memset(to, 0, 2 * sizeof(*to));
}

/*
 * A software device may read the descriptor before the doorbell, and must find the old one or the new one: the stores
 * stand together, and the last one goes to the word in which the model last marks a descriptor as taken.
 */
WD_INLINE void sqe_write(__le64 *sqe, const struct zip_job *j)
{
	const struct comp_hw_state *st = j->state;

	zero_pair(sqe);
	sqe[2] = htole64(j->src_len);
	sqe[3] = htole64(j->dw7 << 32);
	sqe[4] = htole64(j->dw8_9);
	zero_pair(sqe + 5);
	sqe[7] = htole64(st ? pair_of((__u32)j->room, st->ctx_dw[0]) : j->room);
	sqe[8] = 0;
	sqe[9] = htole64(j->src);
	sqe[10] = htole64(j->dst);
	sqe[13] = htole64(j->tag);
	if (!st) {
		zero_pair(sqe + 14);
		hisi_sqe_order((void *)sqe);
		zero_pair(sqe + 11);
		return;
	}
	sqe[12] = 0;
	sqe[14] = htole64(pair_of(st->ctx_dw[1], st->ctx_dw[2]));
	sqe[15] = htole64(pair_of(st->isize, st->checksum));
	hisi_sqe_order((void *)sqe);
	sqe[11] = htole64((uintptr_t)st->ctx + ZIP_CTX_HW_OFFSET);
}

/* The device's answer, read once: the device shares the memory. */
struct zip_answer {
	__u32 consumed;
	__u32 produced;
	__u32 dw3;
	__u32 tag;
};

WD_INLINE void sqe_read(const volatile struct zip_sqe *sqe, struct zip_answer *a)
{
	a->consumed = le32toh(sqe->consumed);
	a->produced = le32toh(sqe->produced);
	a->dw3 = le32toh(sqe->dw3);
	a->tag = le32toh(sqe->tag_l);
}

/* --- the fast path --- */

void hisi_zip_session(struct comp_sess *s)
{
	__u32 dw9 = req_type(s->alg) | ZIP_BUF_FLAT << ZIP_DW9_BUF_SHIFT |
		    (s->dir == WD_DIR_COMPRESS ? (__u32)s->win << ZIP_DW9_WIN_SHIFT : 0);

	struct wd_queue *q = atomic_load_explicit(&s->s.first, memory_order_acquire);

	s->sqe_word = (__u64)dw9 << 32;
	/*
	 * A decompression must have seen the end of the stream, for which simulated devices have no status of their
	 * own. Any other answer goes to the slow path, with the same result.
	 */
	s->sqe_good_mask = ZIP_DW3_STATUS_MASK | (s->dir == WD_DIR_COMPRESS ? 0 : ZIP_DW3_LAST_BLOCK);
	s->sqe_good = ZIP_ST_OK;
	if (s->dir == WD_DIR_DECOMPRESS)
		s->sqe_good = ZIP_DW3_LAST_BLOCK | (q && wd_queue_pub(q)->path == WD_PATH_SIM ? ZIP_ST_OK : ZIP_ST_END);
}

/* A whole flat buffer: every request of the fast path, and by far most of the others. All but the tag. */
WD_INLINE void job_flat(const struct comp_sess *s, __u64 src, __u64 src_len, __u64 dst, __u64 room, struct zip_job *j)
{
	j->src = src;
	j->dst = dst;
	j->src_len = src_len;
	j->room = room;
	j->dw7 = ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH;
	j->dw8_9 = s->sqe_word;
	j->state = NULL;
}

/*
 * Whether a request of a plain session can take the fast path: the argument is right, as arg_refuse() checks, and the
 * size fits. A request that needs more than a short check is refused as well. Each member is read once.
 */
WD_INLINE bool job_of_arg(const struct comp_sess *s, const struct wd_comp_arg *arg, __u32 head, enum hisi_kind kind, struct zip_job *j)
{
	const __u64 *r = arg->reserved;
	const size_t *dst_len = arg->dst_len;

	j->src = (uintptr_t)arg->src;
	j->dst = (uintptr_t)arg->dst;
	if (__builtin_expect(arg->flags | (kind == ONE_OF_MANY ? arg->timeout_ms : 0) | r[0] | r[1] | r[2] | r[3], 0))
		return false;
	j->src_len = arg->src_len;
	if (__builtin_expect(!j->src || j->src_len - 1 >= ZIP_MAX_INPUT, 0))
		return false;
	if (__builtin_expect(!j->dst || (kind != OWN && !arg->cb != s->s.no_cb) || !dst_len, 0))
		return false;
	job_flat(s, j->src, j->src_len, j->dst + head, *dst_len - head, j);
	return j->room - COMP_MIN_OUT <= ZIP_MAX_OUTPUT - COMP_MIN_OUT;
}

WD_INLINE bool fast_fill(struct wd_queue *q, struct hisi_queue *h, struct wd_session *base, void *req, struct wd_msg *own,
			 unsigned int index, enum hisi_kind kind)
{
	const struct comp_sess *s = to_comp_sess(base);
	struct wd_slot *slot = &q->pub.slots[index];
	struct zip_job j;

	if (__builtin_expect(!job_of_arg(s, req, s->head, kind, &j) || !wd_slot_is_free(slot), 0))
		return false;
	j.tag = WD_TAG(wd_slot_begin(slot, base, req, own), index);
	sqe_write((__le64 *)(void *)(h->ring.sq + (size_t)index * ZIP_SQE_SIZE), &j);
	wd_slot_filled(slot, !own);
	return true;
}

/*
 * A header of zlib or gzip, by copies of constant length, without a loop. False: the header's page may not be writable.
 */
static inline bool header_copy(__u8 *to, const struct comp_sess *s)
{
	if (__builtin_expect(head_apart(to, s->head), 0))
		return false;
	memcpy(to, s->header, 2);
	if (s->head > 2)
		memcpy(to + 2, s->header + 2, 8);
	return true;
}

WD_INLINE bool fast_result(const struct wd_queue *q, const struct hisi_queue *h, const struct wd_slot *slot, void *req,
			   unsigned int index, __u64 *in, __u64 *out)
{
	const struct comp_sess *s = to_comp_sess(slot->sess);
	struct wd_comp_arg *arg = req;
	size_t *dst_len = arg->dst_len, head = s->head;
	struct zip_answer a;

	sqe_read((const volatile void *)(h->ring.sq + (size_t)index * ZIP_SQE_SIZE), &a);
	if (__builtin_expect((a.dw3 & s->sqe_good_mask) != s->sqe_good || a.tag != WD_TAG(slot->gen, index) ||
			     a.consumed > arg->src_len || a.produced > *dst_len - head, 0))
		return false;
	*in = a.consumed;
	*out = a.produced + head;
	*dst_len = *out;
	arg->consumed = a.consumed;
	arg->status = WD_COMP_OK;
	arg->path = q->pub.path;
	arg->path_reason = atomic_load_explicit(&s->s.reason, memory_order_relaxed);
	/* The device wrote behind the header, so the header's page is normally writable, too. */
	if (head && !header_copy(arg->dst, s)) {
		/* The slow path's check expects dst_len with the reserve. */
		*dst_len += COMP_MIN_OUT;
		return false;
	}
	return true;
}

/* --- by messages --- */

static int msg_lists(struct hisi_queue *z, struct comp_msg *c)
{
	struct wd_datalist bounce = { .data = c->bounce, .len = COMP_BOUNCE_BYTES };

	/* The device reads nothing from an empty source, but needs a list. */
	return hisi_queue_get_lists(z, HISI_INDEX(&c->m), c->src_len ? c->src : &bounce, c->bounce ? &bounce : c->dst);
}

/* Whether the device has written to the header's page. */
static bool header_near(const struct comp_msg *c)
{
	const struct wd_datalist *first = c->dst;

	if (c->sgl)
		return first->len > c->head && !head_apart(first->data, c->head);
	return !head_apart(c->dst, c->head);
}

static int header_put(struct comp_msg *c)
{
	__u8 head[16];

	if (!header_near(c) && !probe_head(c))
		return -EFAULT;
	format_write_header(c->alg, c->win, c->level, head);
	if (c->sgl)
		wd_list_copy_in(c->dst, 0, head, c->head);
	else
		memcpy(c->dst, head, c->head);
	return 0;
}

/* How the output room is used; true: through a bounce buffer. Gives the same result each time. */
static inline bool msg_plan(struct comp_msg *c)
{
	c->room = c->dst_len - (c->dir == WD_DIR_COMPRESS ? c->head : 0);
	c->more_room = c->room > ZIP_MAX_OUTPUT;
	if (c->more_room)
		c->room = ZIP_MAX_OUTPUT;
	if (c->hw || (c->room >= COMP_MIN_OUT && !(c->sgl && !c->src_len)))
		return false;
	c->room = COMP_BOUNCE_BYTES;
	return true;
}

/* Provides what the request needs beside its descriptor. */
static int msg_prepare(struct hisi_queue *z, struct comp_msg *c)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	int ret = 0;

	c->bounce = NULL;
	/* The limit also holds for a header: a descriptor has few bits for the length to skip in a list. */
	if (c->src_len - (comp ? 0 : c->head) > ZIP_MAX_INPUT || c->head > ZIP_MAX_INPUT)
		return -EFBIG;
	/* A device needs some minimum of room, maybe more than it uses. */
	if (msg_plan(c)) {
		c->bounce = hisi_queue_scratch(z, HISI_INDEX(&c->m));
		ret = c->bounce ? 0 : -ENOMEM;
	}
	if (!ret && c->sgl)
		ret = msg_lists(z, c);
	return ret;
}

/* A step of a stream, with the device's state. */
static void job_step(const struct comp_msg *c, struct zip_job *j)
{
	j->dw7 = ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_STREAM | (c->fresh ? ZIP_DW7_NEW_STREAM : 0) |
		 (c->finish ? ZIP_DW7_FINISH : 0);
	j->state = c->hw;
}

static void job_of_msg(const struct hisi_queue *z, const struct comp_msg *c, struct zip_job *j)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	__u32 head = (__u32)c->head, src_head = comp ? 0 : head, dst_head = comp && !c->bounce ? head : 0;
	uintptr_t dst = c->bounce ? (uintptr_t)c->bounce : (uintptr_t)c->dst + dst_head;
	const struct hisi_lists *lists = c->sgl ? &z->lists[HISI_INDEX(&c->m)] : NULL;

	job_flat(to_comp_sess(c->m.sess), (uintptr_t)c->src + src_head, c->src_len - src_head, dst, c->room, j);
	j->tag = c->m.tag;
	if (c->hw)
		job_step(c, j);
	if (lists) {
		j->dw7 |= src_head;
		j->dw8_9 |= pair_of(dst_head, ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
		j->src = (uintptr_t)lists->src;
		j->dst = (uintptr_t)lists->dst;
	} else if (!j->src_len) {
		/* The device reads nothing, but the address must be valid. */
		j->src = j->dst;
	}
}

static int msg_send(struct hisi_queue *z, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	struct zip_job j;
	int ret = msg_prepare(z, c);

	if (ret)
		return ret;
	job_of_msg(z, c, &j);
	sqe_write(wd_ring_slot(&z->ring, HISI_INDEX(m)), &j);
	return 0;
}

static int zip_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hisi_queue_push(q, msgs, n, msg_send, hisi_queue_abort);
}

/* The engine's status, as an errno and a text. */
static int msg_status(struct comp_msg *c, __u32 status)
{
	switch (status) {
	case ZIP_ST_OK:
	case ZIP_ST_NEGATIVE_COMP:
	case ZIP_ST_END:
		if (c->hw || c->last_block || c->dir == WD_DIR_COMPRESS)
			return 0;
		c->why = "the stream ends early";
		return -EBADMSG;
	case ZIP_ST_NOSPACE:
		return -ENOSPC;
	case ZIP_ST_CHECKSUM:
		c->why = "the checksum of the data is wrong";
		return -EBADMSG;
	case ZIP_ST_ABORTED:
		return WD_STOPPED;
	}
	if (status == ZIP_ST_ADDRESS || !probe_msg(c))
		return -EFAULT;
	if (c->dir == WD_DIR_COMPRESS)
		return -EIO;
	c->why = status == ZIP_ST_TRUNCATED ? "the stream ends early" : "the data is corrupt or cut off";
	return -EBADMSG;
}

static int bounce_out(struct comp_msg *c)
{
	size_t head = c->dir == WD_DIR_COMPRESS ? c->head : 0;

	if (c->produced + head > c->dst_len)
		return -ENOSPC;
	if (!probe_mapped(c))
		return -EFAULT;
	if (c->sgl)
		wd_list_copy_in(c->dst, head, c->bounce, c->produced);
	else
		memcpy((__u8 *)c->dst + head, c->bounce, c->produced);
	return 0;
}

static void stream_keep(struct comp_msg *c, const volatile struct zip_sqe *sqe)
{
	c->hw->ctx_dw[0] = le32toh(sqe->ctx_dw0);
	c->hw->ctx_dw[1] = le32toh(sqe->ctx_dw1);
	c->hw->ctx_dw[2] = le32toh(sqe->ctx_dw2);
	c->hw->isize = le32toh(sqe->isize);
	c->hw->checksum = le32toh(sqe->checksum);
}

static int msg_result(struct comp_msg *c, const volatile struct zip_sqe *sqe)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	struct zip_answer a;
	__u32 status;
	int ret = 0;

	sqe_read(sqe, &a);
	status = a.dw3 & ZIP_DW3_STATUS_MASK;
	c->m.vendor = status;
	c->consumed = a.consumed;
	c->produced = a.produced;
	c->last_block = a.dw3 & ZIP_DW3_LAST_BLOCK;
	c->ended = c->last_block && status == ZIP_ST_END;
	if (a.tag != c->m.tag || c->consumed > c->src_len - (comp ? 0 : c->head) || c->produced > c->room) {
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (c->hw)
		stream_keep(c, sqe);
	/* A decompression also has to reach the end of the stream. */
	if (status != ZIP_ST_OK || !comp)
		ret = msg_status(c, status);
	if (!ret && c->bounce)
		ret = bounce_out(c);
	if (!ret && comp && c->head && !c->hw)
		ret = header_put(c);
	if (comp)
		c->produced += c->hw ? 0 : c->head;
	else
		c->consumed += c->hw ? 0 : c->head;
	return ret;
}

static void zip_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	struct hisi_queue *z = hisi_queue_of(q);
	struct comp_msg *c = to_comp_msg(m);

	c->bounce = msg_plan(c) ? hisi_queue_scratch_at(z, index) : NULL;
	m->status = msg_result(c, wd_ring_slot(&z->ring, index));
	hisi_queue_put_lists(z, index);
}

/* --- the table --- */

static const char *const zip_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

const struct wd_driver hisi_zip_driver = {
	.name = "hisi_zip",
	.apis = zip_apis,
	.min_bytes = NOT_WORTH_IT,
	.open = zip_open,
	.close = hisi_queue_close,
	.stop = hisi_queue_stop,
	.push = zip_push,
	.result = zip_result,
	.abort = hisi_queue_abort,
	.ready = hisi_queue_ready,
	.arm = hisi_queue_arm,
	.disarm = hisi_queue_disarm,
	HISI_FAST,
};
