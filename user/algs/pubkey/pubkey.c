// SPDX-License-Identifier: Apache-2.0
/* Sessions of RSA, DH and ECC as far as they are alike, and where their requests are done. */
#include <errno.h>

#include "pubkey.h"

/* --- sessions --- */

int pubkey_setup_attr(struct wd_session_attr *attr, __u8 op_type, __u32 must_be_zero, __u32 flags, __u32 timeout_ms,
		      const __u64 reserved[4])
{
	if (must_be_zero)
		return wd_fail(NULL, EINVAL, "setup->reserved8 or reserved16 is not 0");
	return wd_frame_attr(attr, op_type, 0, flags, timeout_ms, reserved);
}

handle_t pubkey_sess_made(struct wd_session *s, int ret, void (*wipe)(struct wd_session *s))
{
	pubkey_sess_ready(s);
	if (!ret)
		return s->obj.handle;
	wipe(s);
	wd_session_free(s);
	return wd_no_handle(ret);
}

int pubkey_sess_free(handle_t sess, const struct wd_class *cls, void (*wipe)(struct wd_session *s))
{
	struct wd_session *s = wd_session_find(sess, cls);
	int ret;

	if (!s)
		return -EINVAL;
	ret = wd_session_busy(s);
	if (ret)
		return ret;
	wipe(s);
	return wd_session_free(s);
}

int pubkey_sess_caps(handle_t sess, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_get(sess, cls);

	return s ? wd_session_caps(s) : -EINVAL;
}

struct wd_session *pubkey_key_begin(handle_t sess, const struct wd_class *cls, const void *key, int *ret)
{
	struct wd_session *s = wd_session_get(sess, cls);
	__u32 in_flight = s ? atomic_load(&s->in_flight) : 0;

	*ret = s ? 0 : -EINVAL;
	if (s && !key)
		*ret = wd_fail(&s->obj, EINVAL, "key is NULL");
	else if (in_flight)
		*ret = wd_fail_num(&s->obj, EBUSY, "%u requests that use the key are in flight", in_flight, 0);
	return *ret ? NULL : s;
}

/* --- requests --- */

int pubkey_check_ends(struct wd_session *s, const void *src, size_t src_len, const void *dst, const size_t *dst_len, size_t room)
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

static int do_here(struct wd_session *s, struct pubkey_msg *c, __u16 reason)
{
	int ret = s->cls->soft->exec(&c->m);

	wd_session_count_soft(s, ret, c->consumed, c->produced);
	c->m.reason = reason;
	return ret;
}

int pubkey_do_sync(struct wd_session *s, struct pubkey_msg *c)
{
	int ret;

	if (!s->hw_ok)
		return do_here(s, c, atomic_load_explicit(&s->reason, memory_order_relaxed));
	ret = wd_request_sync(s, &c->m, c->src_len);
	/* What no device takes, however often it is asked. */
	return ret == -E2BIG && s->soft_ok ? do_here(s, c, WD_REASON_UNSUPPORTED) : ret;
}

int pubkey_do_over(struct wd_session *s, struct pubkey_msg *c)
{
	int ret = c->m.status;

	if (ret == WD_STOPPED)
		ret = wd_request_resume(s, &c->m, c->src_len);
	return ret == -E2BIG && s->soft_ok ? do_here(s, c, WD_REASON_UNSUPPORTED) : ret;
}
