// SPDX-License-Identifier: Apache-2.0
/* Sessions: what every class's sessions have in common, and which path their requests take. */
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "pollers.h"
#include "section.h"

#define WD_SESS_KNOWN	(WD_SESS_PATH_HW | WD_SESS_PATH_SOFT | WD_SESS_CQ)

enum path_policy {
	POLICY_AUTO,
	POLICY_HW,
	POLICY_SOFT,
};

WD_THREAD_LOCAL struct wd_session *wd_in_callback_of;

static int session_set_policy(struct wd_session *s)
{
	static const char *const names[] = { "auto", "hw", "soft", NULL };
	int policy = wd_env_choice("WD_PATH", names, POLICY_AUTO);
	__u32 flags = s->attr.flags;

	if (policy < 0)
		return policy;
	if (flags & ~WD_SESS_KNOWN)
		return wd_fail_num(NULL, EINVAL, "setup flags %x are unknown", flags & ~WD_SESS_KNOWN, 0);
	if ((flags & WD_SESS_PATH_HW) && (flags & WD_SESS_PATH_SOFT))
		return wd_fail(NULL, EINVAL, "setup flags ask for devices only and for this CPU only");
	if ((flags & WD_SESS_PATH_HW) && policy == POLICY_SOFT)
		return wd_fail(NULL, EOPNOTSUPP, "the session asks for devices only, WD_PATH for this CPU only");
	if ((flags & WD_SESS_PATH_SOFT) && policy == POLICY_HW)
		return wd_fail(NULL, EOPNOTSUPP, "the session asks for this CPU only, WD_PATH for devices only");
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

/* Who names devices wants one of them: this CPU doesn't stand in for a mask that leaves none. */
static int session_require_masked(struct wd_session *s)
{
	__u16 reason = atomic_load(&s->reason);

	if (!s->mask || !s->hw_ok || (reason != WD_REASON_MASKED && reason != WD_REASON_NO_DEVICE))
		return 0;
	return wd_fail_str(NULL, ENODEV, "the device mask leaves no device for %s", s->cls->algs[s->attr.alg]);
}

/* Which it counts as from then on: the process' section can't be left before it is freed. */
static int session_bind(struct wd_session *s)
{
	int ret = s->hw_ok ? wd_section_begin() : 0;

	if (ret)
		return ret;
	pthread_mutex_lock(&wd_engine.lock);
	ret = wd_engine_bind(s);
	/* Whoever may use this CPU is told, too, that the section was lost, or left meanwhile. */
	if (!ret && s->hw_ok)
		ret = wd_section_usable();
	if (!ret && s->hw_ok)
		wd_engine.sessions++;
	pthread_mutex_unlock(&wd_engine.lock);
	return ret;
}

static void session_unbind(struct wd_session *s)
{
	if (s->hw_ok)
		atomic_fetch_sub(&wd_engine.sessions, 1);
}

struct wd_session *wd_session_alloc(const struct wd_class *cls, size_t size, const struct wd_session_attr *attr)
{
	struct wd_session *s = calloc(1, size);
	int ret;

	wd_engine_init();
	if (!s) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the session");
		goto err_errno;
	}
	s->cls = cls;
	s->attr = *attr;
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

int wd_session_busy(const struct wd_session *s)
{
	if (wd_in_callback_of == s)
		return wd_fail(NULL, EDEADLK, "a session can't be freed in its own callback");
	/* Those of a fork's parent are the parent's. */
	if (atomic_load(&s->bound_gen) != wd_fork_now())
		return 0;
	if (atomic_load(&s->in_flight))
		return wd_fail_num(NULL, EBUSY, "%u requests of the session are in flight", atomic_load(&s->in_flight), 0);
	return 0;
}

int wd_session_free(struct wd_session *s)
{
	int ret = wd_session_busy(s);

	if (ret)
		return ret;
	wd_handle_free(s->obj.handle);
	/* In a child the queue may be gone before its sessions. */
	if (s->cq && !wd_stale(&s->obj))
		wd_cq_quit(s->cq);
	session_unbind(s);
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

	/* When this child can't have a slot, the binding says so. */
	if (s->hw_ok)
		wd_section_begin();
	pthread_mutex_lock(&wd_engine.lock);
	if (atomic_load(&s->bound_gen) != now) {
		atomic_store(&s->in_flight, 0);
		atomic_store(&s->soft, NULL);
		wd_tally_forget(s);
		wd_engine_bind(s);
	}
	pthread_mutex_unlock(&wd_engine.lock);
	if (s->attr.async)
		wd_pollers_begin();
}

int wd_session_caps(struct wd_session *s)
{
	__u16 path, reason;
	int caps = 0;

	wd_session_soft(s, SIZE_MAX, &path, &reason);
	if (path == WD_PATH_HW)
		caps |= WD_CAP_HW;
	else if (path == WD_PATH_SIM)
		caps |= WD_CAP_SIM;
	if (s->soft_ok)
		caps |= WD_CAP_SOFT;
	if (s->attr.async)
		caps |= WD_CAP_ASYNC;
	return caps;
}

bool wd_session_soft(struct wd_session *s, size_t bytes, __u16 *path, __u16 *reason)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;

	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load_explicit(&s->queue[i], memory_order_relaxed);

		if (atomic_load_explicit(&q->state, memory_order_relaxed) == -ENODEV)
			continue;
		if (s->soft_ok && bytes < q->worth) {
			*path = WD_PATH_SOFT;
			*reason = WD_REASON_SIZE;
			return true;
		}
		*path = q->pub.path;
		*reason = atomic_load_explicit(&s->reason, memory_order_relaxed);
		return false;
	}
	*path = s->soft_ok ? WD_PATH_SOFT : WD_PATH_NONE;
	*reason = nr ? WD_REASON_GONE : atomic_load_explicit(&s->reason, memory_order_relaxed);
	return s->soft_ok;
}

int wd_session_pick(struct wd_session *s, struct wd_queue **q, __u16 *reason)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;
	struct wd_queue *spare = NULL;

	*q = NULL;
	*reason = nr ? WD_REASON_GONE : atomic_load(&s->reason);
	for (i = 0; i < nr; i++) {
		struct wd_queue *one = atomic_load(&s->queue[i]);
		int state = atomic_load(&one->state);

		if ((state == -EIO || state == -EDQUOT) && !spare)
			spare = one;
		if (!state && !*q)
			*q = one;
	}
	if (!*q)
		*q = spare;
	if (*q)
		*reason = atomic_load(&s->reason);
	return *q || s->soft_ok ? 0 : -ENODEV;
}
