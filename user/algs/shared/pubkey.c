// SPDX-License-Identifier: Apache-2.0
/* Shared parts of RSA's, DH's and ECC's sessions, the execution of their requests, and results. */
#include <errno.h>
#include <stdlib.h>

#include "pubkey.h"

/* --- sessions --- */

int pubkey_setup_attr(struct wd_session_attr *attr, __u8 op_type, __u32 must_be_zero, __u32 flags, __u32 timeout_ms,
		      handle_t cq, const __u64 reserved[4])
{
	if (must_be_zero)
		return wd_fail(NULL, EINVAL, "setup->reserved8 or reserved16 is not 0");
	return wd_frame_attr(attr, op_type, 0, flags, timeout_ms, cq, reserved);
}

handle_t pubkey_sess_made(struct wd_session *s, int ret, int (*wipe)(struct wd_session *s))
{
	wd_frame_ready(s, true, WD_CALL_SYNC);
	if (!ret)
		return s->obj.handle;
	wipe(s);
	wd_session_free(s);
	return wd_no_handle(ret);
}

int pubkey_sess_caps(handle_t sess, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_get(sess, cls);

	return s ? wd_session_caps(s) : -EINVAL;
}

/* --- requests --- */

int pubkey_check_ends(struct wd_session *s, const void *src, size_t src_len, const void *dst, const size_t *dst_len,
		      size_t room)
{
	struct wd_object *obj = &s->obj;

	if (!src && src_len)
		return wd_fail(obj, EINVAL, "arg->src is NULL");
	if (!room)
		return 0;
	if (!dst || !dst_len)
		return wd_fail(obj, EINVAL, dst ? "arg->dst_len is NULL" : "arg->dst is NULL");
	if (*dst_len < room)
		return wd_fail_num(obj, ENOSPC, "dst has room for %u bytes, the result has %u", *dst_len, room);
	return 0;
}

bool pubkey_mapped(const struct pubkey_msg *c)
{
	const struct wd_span all[] = { { c->src, c->src_len }, { c->dst, c->dst_len }, { c->extra, c->extra_len } };
	struct wd_span spans[3];
	unsigned int n = 0, i;

	for (i = 0; i < 3; i++)
		if (all[i].len)
			spans[n++] = all[i];
	return wd_probe_recent(spans, n);
}

struct pubkey_msg *pubkey_msg_begin(struct wd_session *s, void *req, struct wd_msg *m, __u32 op, size_t dst_len)
{
	struct pubkey_msg *c = to_pubkey_msg(m);
	const struct wd_arg *arg = req;

	/* Operands that a result may overwrite are copied before the device begins: a retry still finds them. */
	wd_msg_begin(m, s, req);
	c->src = arg->src;
	c->src_len = arg->src_len;
	c->dst = arg->dst;
	c->dst_len = dst_len;
	c->room = arg->dst_len ? *arg->dst_len : 0;
	c->extra = NULL;
	c->extra_len = 0;
	c->ahead = NULL;
	c->kept = NULL;
	c->unproved = false;
	c->op = op;
	c->why = NULL;
	c->consumed = c->src_len;
	c->produced = dst_len;
	return c;
}

int pubkey_fill(struct wd_session *s, void *req, struct wd_msg *m)
{
	s->cls->refill(s, req, 0, m);
	return 0;
}

int pubkey_run(struct wd_session *s, struct wd_msg *m)
{
	int ret;

	if (!s->hw_ok)
		return wd_frame_do_soft(s, m, atomic_load_explicit(&s->reason, memory_order_relaxed));
	ret = wd_request_sync(s, m, to_pubkey_msg(m)->src_len);
	/* -E2BIG: no device takes the request, so a retry is useless. */
	return ret == -E2BIG && s->soft_ok ? wd_frame_do_soft(s, m, WD_REASON_UNSUPPORTED) : ret;
}

int pubkey_run_over(struct wd_session *s, struct wd_msg *m)
{
	int ret = m->status;

	if (ret == WD_STOPPED)
		ret = wd_request_resume(s, m, to_pubkey_msg(m)->src_len);
	return ret == -E2BIG && s->soft_ok ? wd_frame_do_soft(s, m, WD_REASON_UNSUPPORTED) : ret;
}

/* --- results --- */

static int result_check(struct pubkey_msg *c, int ret, int (*check)(struct pubkey_msg *c))
{
	int wrong = ret ? 0 : check(c);

	/* A result that came too late to be verified is wiped like a wrong one. */
	if (wrong || (ret && c->unproved))
		explicit_bzero(c->dst, c->dst_len);
	free(c->kept);
	return ret ? ret : wrong;
}

int pubkey_result(struct wd_session *s, void *req, struct wd_msg *m, int ret, int (*check)(struct pubkey_msg *c))
{
	struct wd_arg_end *end = wd_arg_end(req, s->cls->arg_bytes);
	struct pubkey_msg *c = to_pubkey_msg(m);
	const struct wd_arg *arg = req;

	ret = result_check(c, ret, check);
	/* A late or cancelled request's text, if any, describes its result, not the end. */
	if (ret == -ETIMEDOUT || ret == -ECANCELED)
		c->why = NULL;
	if (ret == -E2BIG) {
		ret = -EOPNOTSUPP;
		c->why = "a device doesn't take such a request";
	}
	if (arg->dst_len)
		*arg->dst_len = ret ? 0 : c->produced;
	end->consumed = ret ? 0 : c->consumed;
	end->status = ret;
	end->path = m->path;
	end->path_reason = m->reason;
	return ret ? wd_frame_fail(s, ret, c->why, m->vendor) : 0;
}

int pubkey_ended(struct wd_msg *m)
{
	return m->sess->cls->result(m->sess, m->req, m, m->status);
}
