// SPDX-License-Identifier: Apache-2.0
/* Streams: one per session, bound when it starts, used by one call at a time. */
#include <errno.h>
#include <stdlib.h>

#include "comp.h"

/**
 * struct comp_stream - the session's stream
 * @active:	begun and not ended
 * @dead:	0, or the error that ended it
 * @fork_gen:	generation of the process that it belongs to
 */
struct comp_stream {
	struct hw_stream *hw;
	struct soft_stream *soft;
	struct wd_queue *q;
	__u16 path;
	__u16 reason;
	bool active;
	int dead;
	__u32 fork_gen;
};

/*
 * Replaces a stream that a thread was using when its process forked, and whose state is therefore unknown. Has not
 * begun in any process.
 */
static struct comp_stream lost_stream = { .active = true, .fork_gen = UINT32_MAX };

static void stream_unbind(struct comp_stream *st)
{
	hw_stream_free(st->hw);
	soft_stream_free(st->soft);
	st->hw = NULL;
	st->soft = NULL;
	st->active = false;
	st->dead = 0;
}

/* Only one call at a time may use the stream. */
static int stream_enter(struct comp_sess *s)
{
	__u32 lost;

	if (wd_fork_trylock_lost(&s->strm_busy, &lost))
		return wd_fail(&s->s.obj, EBUSY, "another thread is inside the stream");
	if (lost)
		s->strm = &lost_stream;
	return 0;
}

static void stream_leave(struct comp_sess *s)
{
	wd_fork_unlock(&s->strm_busy);
}

static void stream_free(struct comp_sess *s)
{
	if (s->strm && s->strm != &lost_stream) {
		stream_unbind(s->strm);
		free(s->strm);
	}
	s->strm = NULL;
}

int stream_end(struct comp_sess *s)
{
	int ret = stream_enter(s);

	if (!ret)
		stream_free(s);
	return ret;
}

static int stream_bind(struct comp_sess *s, struct comp_stream *st)
{
	int ret;

	st->fork_gen = wd_fork_now();
	ret = wd_session_pick(&s->s, &st->q, &st->reason);
	if (ret)
		return wd_fail(&s->s.obj, ENODEV, "no device is left for the stream");
	if (st->q) {
		st->path = wd_queue_pub(st->q)->path;
		st->hw = hw_stream_alloc(s, st->q, s->verify);
		ret = st->hw ? 0 : -ENOMEM;
	} else {
		st->path = WD_PATH_SOFT;
		st->soft = soft_stream_alloc(s);
		ret = st->soft ? 0 : -ENOMEM;
	}
	return ret ? wd_fail(&s->s.obj, ENOMEM, "no memory for the stream") : 0;
}

/* Makes the stream ready for a step: starts a new one if there is none. */
static int stream_ready(struct comp_sess *s)
{
	struct comp_stream *st = s->strm;
	bool bound;

	if (!st) {
		st = calloc(1, sizeof(*st));
		if (!st)
			return wd_fail(&s->s.obj, ENOMEM, "no memory for the stream");
		s->strm = st;
	}
	if (st->fork_gen != wd_fork_now()) {
		if (st->active || st->dead)
			return wd_fail(&s->s.obj, ESTALE, "the stream was begun before fork()");
		stream_unbind(st);
	}
	bound = st->hw || st->soft;
	if (st->dead)
		return wd_fail(&s->s.obj, -st->dead,
			       "the stream has failed before; wd_comp_reset_sess() starts a new one");
	if (st->active)
		return 0;
	if (bound && st->soft) {
		soft_stream_reset(st->soft);
		return 0;
	}
	stream_unbind(st);
	return stream_bind(s, st);
}

static int strm_check(struct comp_sess *s, const struct wd_comp_strm *strm)
{
	struct wd_object *obj = &s->s.obj;
	unsigned int i;

	if (!strm->src_len)
		return wd_fail(obj, EINVAL, "strm->src_len is NULL");
	if (!strm->dst_len)
		return wd_fail(obj, EINVAL, "strm->dst_len is NULL");
	if (!strm->src && *strm->src_len)
		return wd_fail(obj, EINVAL, "strm->src is NULL");
	if (!strm->dst && *strm->dst_len)
		return wd_fail(obj, EINVAL, "strm->dst is NULL");
	if (strm->last > 1)
		return wd_fail_num(obj, EINVAL, "strm->last is %u, not 0 or 1", strm->last, 0);
	if (strm->flags & ~(WD_COMP_FLUSH_SYNC | WD_COMP_FLUSH_FINISH))
		return wd_fail_num(obj, EINVAL, "strm->flags %x are unknown", strm->flags, 0);
	for (i = 0; i < 4; i++)
		if (strm->reserved[i])
			return wd_fail_num(obj, EINVAL, "strm->reserved[%u] is not 0", i, 0);
	if (s->sgl && wd_list_check(strm->src, *strm->src_len))
		return wd_fail(obj, EINVAL,
			       "the list at strm->src is shorter than *src_len, or has a piece without data");
	if (s->sgl && wd_list_check(strm->dst, *strm->dst_len))
		return wd_fail(obj, EINVAL,
			       "the list at strm->dst is shorter than *dst_len, or has a piece without data");
	return 0;
}

/* Steps copy small pieces in software, so the memory must be mapped. */
static bool strm_mapped(const struct comp_sess *s, const struct wd_comp_strm *strm)
{
	struct comp_msg c = {
		.src = strm->src, .src_len = *strm->src_len,
		.dst = strm->dst, .dst_len = *strm->dst_len, .sgl = s->sgl,
	};

	return probe_recent(&c);
}

static int strm_inside(struct comp_sess *s, struct wd_comp_strm *strm)
{
	struct comp_step t = {
		.last = strm->last || (strm->flags & WD_COMP_FLUSH_FINISH),
		.sync = strm->flags & WD_COMP_FLUSH_SYNC,
	};
	struct comp_ends e = { .consumed = 0 };
	struct comp_stream *st;
	int ret;

	ret = stream_ready(s);
	st = s->strm;
	if (ret)
		return ret;
	strm->path = st->path;
	strm->path_reason = st->reason;
	if (!strm_mapped(s, strm))
		return wd_fail(&s->s.obj, EFAULT, "a buffer of the stream is not mapped");
	if (t.last && !st->active)
		t.total = *strm->src_len + 1;
	t.deadline = wd_deadline(strm->timeout_ms ? strm->timeout_ms : s->s.attr.timeout_ms);
	wd_list_walk_init(&e.in, s->sgl, strm->src, *strm->src_len);
	wd_list_walk_init(&e.out, s->sgl, strm->dst, *strm->dst_len);
	st->active = true;
	ret = st->hw ? hw_stream_run(st->hw, &e, &t) : soft_stream_run(st->soft, &e, &t);
	if (st->soft) {
		wd_session_count_soft(&s->s, ret, e.consumed, e.produced);
		soft_stream_by(st->soft, &strm->path, &strm->path_reason);
	}
	if (ret == -ENOSPC)
		return wd_fail_num(&s->s.obj, ENOSPC, "the stream needs more output room than %u bytes", *strm->dst_len,
				   0);
	if (ret < 0) {
		st->dead = ret;
		if (t.wrong) {
			wd_result_wrong(&s->s, st->q);
			strm->path_reason = WD_REASON_WRONG;
		}
		return comp_fail(s, ret, t.why, t.vendor);
	}
	*strm->src_len = e.consumed;
	*strm->dst_len = e.produced;
	strm->consumed = e.consumed;
	if (ret)
		st->active = false;
	return ret;
}

static int strm_call(handle_t h, struct wd_comp_strm *strm, __u8 dir)
{
	struct comp_sess *s = to_comp_sess(wd_session_get(h, &comp_class));
	int ret;

	if (!s)
		return -EINVAL;
	if (!strm)
		return wd_fail(&s->s.obj, EINVAL, "strm is NULL");
	if (s->block || s->alg == WD_LZ77)
		return wd_fail(&s->s.obj, EINVAL, "a session of blocks has no streams");
	ret = comp_check_call(s, WD_SYNC, dir);
	if (!ret)
		ret = strm_check(s, strm);
	strm->consumed = 0;
	strm->path = WD_PATH_NONE;
	strm->path_reason = 0;
	if (!ret)
		ret = stream_enter(s);
	if (!ret) {
		ret = strm_inside(s, strm);
		stream_leave(s);
	}
	if (ret < 0) {
		if (strm->src_len)
			*strm->src_len = 0;
		if (strm->dst_len)
			*strm->dst_len = 0;
	}
	strm->status = comp_status(ret < 0 ? ret : 0);
	return ret;
}

int wd_strm_compress(handle_t sess, struct wd_comp_strm *strm)
{
	return strm_call(sess, strm, WD_DIR_COMPRESS);
}

int wd_strm_decompress(handle_t sess, struct wd_comp_strm *strm)
{
	return strm_call(sess, strm, WD_DIR_DECOMPRESS);
}

int wd_comp_reset_sess(handle_t sess)
{
	struct comp_sess *s = to_comp_sess(wd_session_get(sess, &comp_class));
	int ret = s ? stream_enter(s) : -EINVAL;

	if (ret)
		return ret;
	/* A software stream's memory serves the next stream. */
	if (s->strm && s->strm->soft && s->strm->fork_gen == wd_fork_now()) {
		s->strm->active = false;
		s->strm->dead = 0;
	} else {
		stream_free(s);
	}
	stream_leave(s);
	return 0;
}
