// SPDX-License-Identifier: Apache-2.0
/*
 * What all classes share: sessions, requests that don't take the fast path, refusals of setups and requests, and words
 * for failures that a class has no own words for.
 */
#include <errno.h>

#include "base/env.h"
#include "base/likely.h"
#include "base/probes.h"
#include "device/table.h"
#include "request/frame.h"

/* --- sessions --- */

void wd_frame_ready(struct wd_session *s, bool plain, __u8 sync_call)
{
	/* The deadline of an asynchronous request must be noted with a lock held, and the fast path doesn't do that. */
	s->fast = plain && !(s->attr.async && s->attr.timeout_ms);
	/* It has no probe either: the session of a process that is traced from its start sends messages. */
	if (WD_LISTENS(libwd, request_done))
		s->fast = false;
	s->no_cb = s->cq;
	/* A request takes a credit of its completion queue first. */
	if (s->fast && s->hw_ok && !s->cq)
		s->fast_call = s->attr.async ? WD_CALL_ASYNC : sync_call;
}

int wd_frame_free_sess(handle_t h, const struct wd_class *cls, int (*end)(struct wd_session *s))
{
	struct wd_session *s = wd_session_find(h, cls);
	int ret;

	if (!s)
		return -EINVAL;
	ret = wd_session_busy(s);
	if (!ret && end)
		ret = end(s);
	return ret ? ret : wd_session_free(s);
}

struct wd_session *wd_frame_key_begin(handle_t h, const struct wd_class *cls, const void *key, int *ret)
{
	struct wd_session *s = wd_session_get(h, cls);
	__u32 in_flight = s ? atomic_load(&s->in_flight) : 0;

	*ret = s ? 0 : -EINVAL;
	if (s && !key)
		*ret = wd_fail(&s->obj, EINVAL, "key is NULL");
	else if (in_flight)
		*ret = wd_fail_num(&s->obj, EBUSY, "%u requests that use the key are in flight", in_flight, 0);
	return *ret ? NULL : s;
}

int wd_frame_do_soft(struct wd_session *s, struct wd_msg *msg, __u16 reason)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;
	int ret;

	WD_PROBE(libwd, fallback, wd_probe_text(s->cls->name), reason);
	ret = s->cls->soft->exec(msg);
	wd_session_count_soft(s, ret, ends->consumed, ends->produced);
	msg->reason = reason;
	return ret;
}

/* --- requests that don't take the fast path --- */

static int check_async(struct wd_session *s, const struct wd_arg *arg)
{
	const struct wd_class *cls = s->cls;
	int ret = wd_frame_check_mode(s, true);

	if (ret)
		return ret;
	if (!arg)
		return wd_fail(&s->obj, EINVAL, "arg is NULL");
	if (cls->async_most && arg->src_len > cls->async_most)
		return wd_fail_num(&s->obj, EFBIG, "src_len %u is above %u, an asynchronous request's limit",
				   arg->src_len, cls->async_most);
	return cls->check(s, arg, WD_CALL_ASYNC);
}

int wd_frame_burst(struct wd_session *s, void *const args[], int n, const wd_ctx_set_t *set)
{
	int good, ret = 0;

	for (good = 0; good < n; good++) {
		ret = check_async(s, args[good]);
		if (ret)
			break;
	}
	return good ? wd_request_async(s, args, (unsigned int)good, set) : ret;
}

int wd_frame_async(handle_t sess, void *arg, const wd_ctx_set_t *set, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_get(sess, cls);
	int ret = s ? wd_frame_burst(s, &arg, 1, set) : -EINVAL;

	return ret > 0 ? 0 : ret;
}

int wd_frame_async_other(struct wd_session *s, void *arg)
{
	int ret = wd_frame_burst(s, &arg, 1, NULL);

	return ret > 0 ? 0 : ret;
}

/* Nothing was done. */
static int refused(const struct wd_class *cls, struct wd_arg *arg, int ret)
{
	struct wd_arg_end *end = wd_arg_end(arg, cls->arg_bytes);

	if (arg->dst_len)
		*arg->dst_len = 0;
	end->consumed = 0;
	end->status = cls->status ? cls->status(ret) : ret;
	end->path = WD_PATH_NONE;
	end->path_reason = 0;
	return ret;
}

static __u64 deadline_of(const struct wd_session *s, const void *arg)
{
	__u32 own = wd_arg_end(arg, s->cls->arg_bytes)->timeout_ms, timeout = own ? own : s->attr.timeout_ms;

	return timeout ? wd_deadline(timeout) : 0;
}

static int sync_slow(struct wd_session *s, void *arg, int call, struct wd_msg *msg)
{
	const struct wd_class *cls = s->cls;
	__u64 begin;
	int ret;

	if (!arg)
		return wd_fail(&s->obj, EINVAL, "arg is NULL");
	ret = wd_frame_check_mode(s, false);
	if (!ret)
		ret = cls->check(s, arg, call);
	if (ret)
		return refused(cls, arg, ret);
	msg->deadline = deadline_of(s, arg);
	cls->refill(s, arg, 0, msg);
	msg->path = WD_PATH_NONE;
	msg->reason = 0;
	begin = WD_PROBE_BEGIN(request_done);
	ret = cls->run(s, msg);
	WD_PROBE(libwd, request_done, wd_probe_text(cls->name), msg->path, msg->reason, ret,
		 ((struct wd_arg *)arg)->src_len, wd_probe_ns(begin));
	return cls->result(s, arg, msg, ret);
}

int wd_frame_sync_other(struct wd_session *s, struct wd_msg *msg, bool begun)
{
	const struct wd_class *cls = s->cls;

	return begun ? cls->result(s, msg->req, msg, cls->run_over(s, msg)) :
	       sync_slow(s, msg->req, s->fast_call, msg);
}

int wd_frame_sync(handle_t sess, void *arg, int call, const struct wd_class *cls)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_session *s = wd_session_get(sess, cls);
	struct wd_queue *q;

	if (!s)
		return -EINVAL;
	q = s->fast_call == call && arg ? wd_first_queue(s, wd_arg_bytes(arg)) : NULL;
	return q ? wd_queue_pub(q)->ops->sync(s, arg, deadline_of(s, arg), q) :
	       sync_slow(s, arg, call, (struct wd_msg *)buf);
}

/* --- results that are verified --- */

int wd_frame_verify(__u32 flags, bool *verify)
{
	static const char *const names[] = { "0", "1", NULL };
	int ret = wd_env_choice("WD_VERIFY", names, !!(flags & WD_SESS_VERIFY));

	*verify = ret > 0;
	return ret < 0 ? ret : 0;
}

void wd_frame_wrong(struct wd_session *s, const struct wd_msg *msg)
{
	wd_result_wrong(s, wd_engine.queue[msg->ctx]);
}

int wd_frame_again(struct wd_session *s, struct wd_msg *msg)
{
	wd_frame_wrong(s, msg);
	if (!s->soft_ok) {
		msg->reason = WD_REASON_WRONG;
		return -EIO;
	}
	msg->vendor = 0;
	return wd_frame_do_soft(s, msg, WD_REASON_WRONG);
}

/* --- refusals and failures --- */

int wd_frame_refuse_mode(struct wd_session *s, bool async)
{
	return wd_fail(&s->obj, EINVAL, async ? "a synchronous session was given to an asynchronous call" :
		       "an asynchronous session was given to a synchronous call");
}

int wd_frame_refuse_end(struct wd_session *s, bool has_cb, __u32 flags, const __u64 reserved[4])
{
	int i;

	if (s->attr.async && !has_cb && !s->cq)
		return wd_fail(&s->obj, EINVAL, "arg->cb is NULL");
	if (s->cq && has_cb)
		return wd_fail(&s->obj, EINVAL, "arg->cb is set, but the session delivers to a completion queue");
	if (flags)
		return wd_fail_num(&s->obj, EINVAL, "arg->flags %x are unknown", flags, 0);
	for (i = 0; i < 4; i++)
		if (reserved[i])
			return wd_fail_num(&s->obj, EINVAL, "arg->reserved[%u] is not 0", i, 0);
	return 0;
}

int wd_frame_attr(struct wd_session_attr *attr, __u8 op_type, __u16 data_fmt, __u32 flags, __u32 timeout_ms,
		  handle_t cq, const __u64 reserved[4])
{
	int i;

	if (op_type > WD_ASYNC)
		return wd_fail_num(NULL, EINVAL, "setup->op_type %u is unknown", op_type, 0);
	if (data_fmt > WD_SGL_BUF)
		return wd_fail_num(NULL, EINVAL, "setup->data_fmt %u is unknown", data_fmt, 0);
	if (cq && !(flags & WD_SESS_CQ))
		return wd_fail(NULL, EINVAL, "setup->cq is set, but setup->flags lacks WD_SESS_CQ");
	for (i = 0; i < 4; i++)
		if (reserved[i])
			return wd_fail_num(NULL, EINVAL, "setup->reserved[%u] is not 0", i, 0);
	attr->async = op_type == WD_ASYNC;
	attr->flags = flags;
	attr->timeout_ms = timeout_ms;
	attr->features = WD_CAPA_SHARE_ALL | (data_fmt == WD_SGL_BUF ? WD_CAPA_SGL_MEM : 0);
	attr->cq = cq;
	return 0;
}

int wd_frame_fail(struct wd_session *s, int ret, const char *why, __u32 vendor)
{
	struct wd_object *obj = &s->obj;

	if (why && vendor)
		return wd_fail_all(obj, -ret, "%s (device status %x)", why, vendor, 0);
	if (why)
		return wd_fail_str(obj, -ret, "%s", why);
	switch (ret) {
	case -ENOSPC:
		return wd_fail(obj, ENOSPC, "dst is too small for the result");
	case -EFAULT:
		return wd_fail(obj, EFAULT, "a buffer is not mapped, or dst is read-only");
	case -ETIMEDOUT:
		return wd_fail(obj, ETIMEDOUT, "the deadline passed");
	case -ECANCELED:
		return wd_fail(obj, ECANCELED, "the request was cancelled");
	case -EDQUOT:
		return wd_fail(obj, EDQUOT,
			       "the context was closed for another kind of session, and the section grants no other");
	case -ENOMEM:
		return wd_fail(obj, ENOMEM, "out of memory");
	case -ENODEV:
		return wd_section_no_device(obj);
	case -EIO:
		return wd_fail_num(obj, EIO, "the device failed or was stopped (device status %x)", vendor, 0);
	}
	return wd_fail_num(obj, -ret, "the request failed (device status %x)", vendor, 0);
}
