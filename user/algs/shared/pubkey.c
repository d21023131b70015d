// SPDX-License-Identifier: Apache-2.0
/* Shared parts of RSA's, DH's and ECC's sessions, and the execution of their requests. */
#include <errno.h>

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

int pubkey_do_sync(struct wd_session *s, struct pubkey_msg *c)
{
	int ret;

	if (!s->hw_ok)
		return wd_frame_do_soft(s, &c->m, atomic_load_explicit(&s->reason, memory_order_relaxed));
	ret = wd_request_sync(s, &c->m, c->src_len);
	/* -E2BIG: no device takes the request, so a retry is useless. */
	return ret == -E2BIG && s->soft_ok ? wd_frame_do_soft(s, &c->m, WD_REASON_UNSUPPORTED) : ret;
}

int pubkey_do_over(struct wd_session *s, struct pubkey_msg *c)
{
	int ret = c->m.status;

	if (ret == WD_STOPPED)
		ret = wd_request_resume(s, &c->m, c->src_len);
	return ret == -E2BIG && s->soft_ok ? wd_frame_do_soft(s, &c->m, WD_REASON_UNSUPPORTED) : ret;
}
