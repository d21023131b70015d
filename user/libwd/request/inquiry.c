// SPDX-License-Identifier: Apache-2.0
/* Public functions that report on contexts and paths. */
#include <string.h>

#include "request/core.h"

#define TRIES	16

/*
 * A count that was true at one moment. The produce lock, without which any number of requests may come and go between
 * the two reads, is a last resort: a thread that opens a stopped queue holds it while the device finishes.
 */
static __u32 in_flight(struct wd_queue *q)
{
	__u32 freed, nr;
	int i;

	for (i = 0; i < TRIES; i++) {
		freed = atomic_load(&q->freed);
		nr = wd_queue_in_flight(q);
		if (atomic_load(&q->freed) == freed)
			return nr + atomic_load(&q->aside_nr);
	}
	wd_lock(&q->produce);
	nr = wd_queue_in_flight(q);
	wd_unlock(&q->produce);
	return nr + atomic_load(&q->aside_nr);
}

int wd_ctx_info(unsigned int i, struct wd_ctx_info *info)
{
	struct wd_queue *q;

	wd_fork_now();
	if (!info)
		return wd_fail(NULL, EINVAL, "info is NULL");
	if (i >= atomic_load_explicit(&wd_engine.nr, memory_order_acquire))
		return wd_fail_num(NULL, ENOENT, "there is no context %u", i, 0);
	q = wd_engine.queue[i];
	memset(info, 0, sizeof(*info));
	memcpy(info->dev_name, q->dev_name, sizeof(info->dev_name));
	info->numa_node = q->numa_node;
	info->path = q->pub.path;
	info->qc_type = q->pub.qc_type;
	info->async = q->async;
	info->depth = q->limit;
	info->in_flight = in_flight(q);
	info->state = atomic_load(&q->state);
	return 0;
}

/* The session of a handle, of any class, bound to contexts of this process; NULL, recorded. */
static struct wd_session *session_of(handle_t h)
{
	struct wd_object *obj = wd_handle_any(h);
	struct wd_session *s = (struct wd_session *)obj;

	if (!obj || h >> WD_HANDLE_KIND_SHIFT < WD_KIND_COMP) {
		wd_handle_bad(h, "a session");
		return NULL;
	}
	if (atomic_load_explicit(&s->bound_gen, memory_order_acquire) != wd_fork_now())
		wd_session_rebind(s);
	return s;
}

static int set_add(wd_ctx_set_t *set, struct wd_session *s)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;
	struct wd_queue *soft = atomic_load(&s->soft);
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = wd_ctx_set_set(set, atomic_load(&s->queue[i])->index);
	/* Without devices all requests go to the software context. */
	return !nr && soft ? wd_ctx_set_set(set, soft->index) : ret;
}

int wd_ctx_set_from_sess(handle_t sess, wd_ctx_set_t *set)
{
	struct wd_session *s = session_of(sess);
	int ret = s ? wd_ctx_set_check(set) : -EINVAL;

	return ret ? ret : set_add(set, s);
}

int wd_ctx_set_add_soft(handle_t sess, wd_ctx_set_t *set)
{
	struct wd_session *s = session_of(sess);
	int ret = s ? wd_ctx_set_check(set) : -EINVAL;
	struct wd_queue *soft;

	if (ret)
		return ret;
	soft = atomic_load(&s->soft);
	if (soft)
		return wd_ctx_set_set(set, soft->index);
	return wd_fail(&s->obj, EOPNOTSUPP, s->attr.async ? "the session is for devices only" :
		       "a synchronous session has no software context");
}

int wd_sess_own_ctxs(handle_t sess, unsigned int n, wd_ctx_set_t *set)
{
	struct wd_session *s = session_of(sess);
	int ret = s ? 0 : -EINVAL, cancel;

	if (!ret && set)
		ret = wd_ctx_set_check(set);
	if (ret)
		return ret;
	if (n > WD_SESS_QUEUES)
		return wd_fail_num(&s->obj, EINVAL, "a session has %u contexts of its own at most", WD_SESS_QUEUES, 0);
	if (s->cq)
		return wd_fail(&s->obj, EOPNOTSUPP, "contexts of a completion queue are its own already");
	if (!s->hw_ok)
		return wd_fail(&s->obj, EOPNOTSUPP, "the session is for software only");
	wd_bind_begin(s, &cancel);
	ret = wd_engine_own(s, n);
	wd_bind_end(s, cancel);
	wd_idle_close();
	return ret || !set ? ret : set_add(set, s);
}

int wd_in_flight(const wd_ctx_set_t *set)
{
	unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), i;
	int sum = 0, ret;

	wd_fork_now();
	if (set) {
		ret = wd_ctx_set_check(set);
		if (ret)
			return ret;
	}
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (atomic_load(&q->state) != -ESTALE && (!set || wd_bits_test(set->set, set->len, i)))
			sum += in_flight(q);
	}
	return sum;
}

const char *wd_path_str(unsigned int path)
{
	static const char *const names[] = {
		[WD_PATH_NONE] = "none",
		[WD_PATH_HW] = "hw",
		[WD_PATH_SIM] = "sim",
		[WD_PATH_SOFT] = "soft",
	};

	return path < sizeof(names) / sizeof(names[0]) ? names[path] : "unknown";
}

const char *wd_path_reason_str(unsigned int reason)
{
	static const char *const names[] = {
		[WD_REASON_BEST] = "best device present",
		[WD_REASON_POLICY] = "asked for",
		[WD_REASON_NO_DEVICE] = "no device offers it",
		[WD_REASON_NO_QUEUE] = "devices are out of queues",
		[WD_REASON_NO_ACCESS] = "devices may not be opened",
		[WD_REASON_NO_DRIVER] = "devices speak an unknown API",
		[WD_REASON_UNSUPPORTED] = "devices can't do it",
		[WD_REASON_SIZE] = "too small for a device",
		[WD_REASON_GONE] = "devices are gone",
		[WD_REASON_MASKED] = "devices are masked",
		[WD_REASON_WRONG] = "a device's result was wrong",
		[WD_REASON_RESTS] = "devices rest after wrong results",
		[WD_REASON_NOT_IN_SLOT] = "the slot has no device for it",
	};

	return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "unknown";
}
