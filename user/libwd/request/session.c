// SPDX-License-Identifier: Apache-2.0
/* The part of a session that is common to all classes, and the paths that it may take. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "request/pollers.h"
#include "section/ctxs.h"
#include "section/section.h"

#define WD_SESS_KNOWN	(WD_SESS_PATH_HW | WD_SESS_PATH_SOFT | WD_SESS_CQ | WD_SESS_VERIFY)

enum path_policy {
	POLICY_AUTO,
	POLICY_HW,
	POLICY_SOFT,
};

static int session_set_policy(struct wd_session *s)
{
	static const char *const names[] = { "auto", "hw", "soft", NULL };
	int policy = wd_env_choice("WD_PATH", names, POLICY_AUTO);
	__u32 flags = s->attr.flags;

	if (policy >= 0 && wd_rest_check())
		policy = -EINVAL;
	if (policy < 0)
		return policy;
	if (flags & ~WD_SESS_KNOWN)
		return wd_fail_num(NULL, EINVAL, "setup flags %x are unknown", flags & ~WD_SESS_KNOWN, 0);
	if ((flags & WD_SESS_VERIFY) && !s->cls->verifies)
		return wd_fail_str(NULL, EOPNOTSUPP, "setup flags ask for verified results, which %s doesn't have",
				   s->cls->name);
	if (s->attr.behind) {
		s->soft_ok = true;
		return 0;
	}
	if ((flags & WD_SESS_PATH_HW) && (flags & WD_SESS_PATH_SOFT))
		return wd_fail(NULL, EINVAL, "setup flags ask for devices only and for software only");
	if ((flags & WD_SESS_PATH_HW) && policy == POLICY_SOFT)
		return wd_fail(NULL, EOPNOTSUPP, "the session asks for devices only, WD_PATH for software only");
	if ((flags & WD_SESS_PATH_SOFT) && policy == POLICY_HW)
		return wd_fail(NULL, EOPNOTSUPP, "the session asks for software only, WD_PATH for devices only");
	s->hw_ok = policy != POLICY_SOFT && !(flags & WD_SESS_PATH_SOFT);
	s->soft_ok = policy != POLICY_HW && !(flags & WD_SESS_PATH_HW);
	return 0;
}

static int session_copy_mask(struct wd_session *s)
{
	const wd_dev_mask_t *mask = s->attr.mask;
	int ret;

	s->attr.mask = NULL;
	if (!mask)
		return 0;
	ret = wd_dev_mask_check(mask);
	if (ret)
		return ret;
	s->mask = malloc(mask->len ? mask->len : 1);
	if (!s->mask)
		return wd_fail(NULL, ENOMEM, "no memory for the device mask");
	if (mask->len)
		memcpy(s->mask, mask->mask, mask->len);
	s->mask_len = mask->len;
	return 0;
}

static int session_join_cq(struct wd_session *s)
{
	int ret = 0;

	if (!(s->attr.flags & WD_SESS_CQ))
		return 0;
	if (!s->attr.async)
		return wd_fail(NULL, EINVAL, "setup flags name a completion queue for a synchronous session");
	s->cq = wd_cq_join(s->attr.cq, &ret);
	return ret;
}

/* An explicit device mask is binding: the software path doesn't replace it if it leaves no device. */
static int session_require_masked(struct wd_session *s)
{
	__u16 reason = atomic_load(&s->reason);

	if (!s->mask || !s->hw_ok || (reason != WD_REASON_MASKED && reason != WD_REASON_NO_DEVICE))
		return 0;
	return wd_fail_str(NULL, ENODEV, "the device mask leaves no device for %s", s->cls->algs[s->attr.alg]);
}

/* Once the process has stopped using devices, a session that may use the software path uses only that. */
static int session_begin(struct wd_session *s)
{
	if (!s->hw_ok)
		return 0;
	if (wd_section_state() != WD_USER_STOPPED || !s->soft_ok || s->mask)
		return wd_section_begin();
	s->hw_ok = false;
	return 0;
}

/* The session counts as bound from then on: the process can't leave its section before the session is freed. */
static int session_bind(struct wd_session *s)
{
	int ret = session_begin(s), cancel;
	bool bound;

	if (!ret && s->hw_ok)
		ret = wd_ctxs_begin();
	if (ret)
		return ret;
	wd_bind_begin(s, &cancel);
	/* Before contexts are opened for the session. */
	s->era = wd_engine.era;
	wd_engine.sessions += s->hw_ok;
	ret = wd_engine_bind(s);
	bound = !ret && s->hw_ok;
	if (ret && s->hw_ok && s->era == wd_engine.era)
		wd_engine.sessions--;
	if (bound && !atomic_load(&s->nr))
		atomic_store(&s->again_at, wd_now_ns() + WD_LOOK_AGAIN_NS);
	/* If the section was lost, or left meanwhile, the session fails even if it may use the software path. */
	if (bound)
		ret = wd_section_usable();
	wd_bind_end(s, cancel);
	if (ret && bound)
		wd_engine_release(s);
	return ret;
}

static void session_unbind(struct wd_session *s)
{
	if (s->hw_ok)
		wd_engine_release(s);
}

struct wd_session *wd_session_alloc(const struct wd_class *cls, size_t size, const struct wd_session_attr *attr)
{
	struct wd_session *s = calloc(1, size);
	int ret;

	wd_section_init();
	if (!s) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the session");
		goto err_errno;
	}
	s->cls = cls;
	s->attr = *attr;
	ret = cls->soft->begin ? cls->soft->begin() : 0;
	if (!ret)
		ret = session_set_policy(s);
	if (ret)
		goto err_free;
	ret = session_copy_mask(s);
	if (ret)
		goto err_free;
	ret = session_join_cq(s);
	if (ret)
		goto err_free_mask;
	ret = session_bind(s);
	if (ret)
		goto err_quit_cq;
	ret = session_require_masked(s);
	if (!ret && s->attr.async)
		ret = wd_pollers_begin();
	if (ret)
		goto err_unbind;
	if (!wd_handle_new(cls->kind, &s->obj)) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the session's handle");
		goto err_unbind;
	}
	return s;

err_unbind:
	session_unbind(s);
err_quit_cq:
	if (s->cq)
		wd_cq_quit(s->cq);
err_free_mask:
	free(s->mask);
err_free:
	free(s);
err_errno:
	errno = -ret;
	return NULL;
}

int wd_session_busy(struct wd_session *s)
{
	if (wd_in_callback_of == s)
		return wd_fail(&s->obj, EDEADLK, "a session can't be freed in its own callback");
	/* Requests of a fork's parent are in flight only in the parent. */
	if (wd_session_inherited(s))
		return 0;
	if (atomic_load(&s->in_flight))
		return wd_fail_num(&s->obj, EBUSY, "requests of the session in flight: %u", atomic_load(&s->in_flight),
				   0);
	return 0;
}

int wd_session_free(struct wd_session *s)
{
	int ret = wd_session_busy(s);

	if (ret)
		return ret;
	wd_handle_free(s->obj.handle);
	session_unbind(s);
	/* In a fork's child the queue may be gone before its sessions. */
	if (s->cq && !wd_stale(&s->obj))
		wd_cq_quit(s->cq);
	free(atomic_load(&s->more));
	free(s->mask);
	free(s);
	return 0;
}

struct wd_session *wd_session_find(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_handle_get(h, cls->kind);

	if (!s)
		wd_handle_bad(h, cls->what);
	return s;
}

struct wd_session *wd_session_get_slow(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_find(h, cls);

	if (s && atomic_load_explicit(&s->bound_gen, memory_order_acquire) != wd_fork_now())
		wd_session_rebind(s);
	return s;
}

void wd_session_rebind(struct wd_session *s)
{
	__u32 now = wd_fork_now();
	int cancel;

	/* If this child can't get a slot, the binding reports it. */
	if (s->hw_ok)
		wd_section_begin();
	wd_bind_begin(s, &cancel);
	if (wd_session_inherited(s)) {
		atomic_store(&s->in_flight, 0);
		atomic_store(&s->soft, NULL);
		s->computing = 0;
		wd_tally_forget(s);
	}
	if (atomic_load(&s->bound_gen) != now)
		wd_engine_bind(s);
	wd_bind_end(s, cancel);
	if (s->attr.async)
		wd_pollers_begin();
}
