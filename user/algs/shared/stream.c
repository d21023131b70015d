// SPDX-License-Identifier: Apache-2.0
/* A session's stream: which thread may use it, what it runs on, and how it ends. */
#include <stdlib.h>

#include "evp.h"
#include "stream.h"

/*
 * Replaces a stream that a thread was using when its process forked, and whose state is therefore unknown. Has not
 * begun in any process.
 */
static struct crypto_strm lost_strm = { .size = sizeof(lost_strm), .gen = UINT32_MAX };

struct crypto_strm *crypto_strm_alloc(size_t size)
{
	struct crypto_strm *st = calloc(1, size);

	if (st)
		st->size = size;
	return st;
}

void crypto_strm_drop(struct crypto_strm *st)
{
	size_t size = st->size;

	if (st->soft)
		soft_ctx_put(st->soft);
	free(st->own);
	/* The memory may hold secrets. */
	explicit_bzero(st, size);
	st->size = size;
}

void crypto_strm_free(struct crypto_strm *st)
{
	void *own;
	bool keep;

	if (!st || st == &lost_strm)
		return;
	/* A device that hasn't stopped may still write to own. */
	keep = st->q && st->stuck != atomic_load(&wd_queue_pub(st->q)->stuck);
	own = st->own;
	if (keep)
		st->own = NULL;
	crypto_strm_drop(st);
	if (!keep) {
		free(st);
		return;
	}
	st->own = own;
	wd_keep(&st->kept);
}

int crypto_strm_pick(struct crypto_sess *s, struct crypto_strm *st)
{
	int ret = wd_session_pick(&s->s, &st->q, &st->reason);

	if (ret)
		return ret;
	st->path = st->q ? wd_queue_pub(st->q)->path : WD_PATH_SOFT;
	if (st->q)
		st->stuck = atomic_load(&wd_queue_pub(st->q)->stuck);
	return 0;
}

void crypto_strm_to_soft(struct crypto_strm *st, __u16 reason)
{
	st->q = NULL;
	st->vendor = 0;
	st->why = NULL;
	st->path = WD_PATH_SOFT;
	st->reason = reason;
}

bool crypto_strm_instead(struct crypto_sess *s, struct crypto_strm *st, int ret)
{
	__u16 reason;

	if (crypto_lacks(ret, st->vendor) || ret == -E2BIG)
		reason = WD_REASON_UNSUPPORTED;
	else if (ret == -EDQUOT)
		reason = WD_REASON_NO_QUEUE;
	else if (ret == -EIO || ret == -ENODEV)
		reason = WD_REASON_GONE;
	else
		return false;
	/* A device that hasn't stopped may still write to memory that the software path would free. */
	if (!s->s.soft_ok || st->stuck != atomic_load(&wd_queue_pub(st->q)->stuck))
		return false;
	crypto_strm_to_soft(st, reason);
	return true;
}

/* --- the session's --- */

int crypto_strm_enter(struct crypto_sess *s)
{
	__u32 lost;

	if (wd_fork_trylock_lost(&s->strm_busy, &lost))
		return wd_fail(&s->s.obj, EBUSY, "another thread is inside the session's stream");
	if (lost)
		s->strm = &lost_strm;
	return 0;
}

void crypto_strm_leave(struct crypto_sess *s)
{
	wd_fork_unlock(&s->strm_busy);
}

int crypto_strm_ready(struct crypto_sess *s, size_t size, const char *reset)
{
	if (!s->strm)
		s->strm = crypto_strm_alloc(size);
	if (!s->strm)
		return wd_fail(&s->s.obj, ENOMEM, "no memory for the stream");
	if (s->strm->gen && s->strm->gen != wd_fork_now())
		return wd_fail(&s->s.obj, ESTALE, "the stream was begun by the parent process");
	if (s->strm->dead)
		return wd_fail_str(&s->s.obj, EINVAL, "the stream has ended with an error: %s() starts a new one",
				   reset);
	return 0;
}

int crypto_strm_check(struct crypto_sess *s)
{
	int ret = crypto_strm_enter(s);

	if (ret)
		return ret;
	if (s->strm && s->strm->gen)
		ret = wd_fail(&s->s.obj, EBUSY, "an unfinished stream uses the key");
	crypto_strm_leave(s);
	return ret;
}

void crypto_strm_forget(struct crypto_sess *s)
{
	crypto_strm_free(s->strm);
	s->strm = NULL;
}

int crypto_strm_reset(handle_t sess, const struct wd_class *cls)
{
	struct crypto_sess *s = to_crypto_sess(wd_session_get(sess, cls));
	int ret = s ? crypto_strm_enter(s) : -EINVAL;

	if (ret)
		return ret;
	crypto_strm_forget(s);
	crypto_strm_leave(s);
	return 0;
}

int crypto_strm_sess_free(handle_t sess, const struct wd_class *cls)
{
	struct wd_session *base = wd_session_find(sess, cls);
	int ret = base ? wd_session_busy(base) : -EINVAL;

	if (!ret)
		ret = crypto_strm_enter(to_crypto_sess(base));
	if (ret)
		return ret;
	crypto_strm_forget(to_crypto_sess(base));
	return crypto_sess_free(sess, cls);
}
