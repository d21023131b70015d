/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in parts, as far as classes have it alike: whose the stream is, and what it is bound to; private. */
#ifndef WD_CRYPTO_STREAM_H
#define WD_CRYPTO_STREAM_H

#include "crypto.h"

struct soft_ctx;

/**
 * struct crypto_strm - what a class's stream begins with
 * @size:	bytes of all of it
 * @gen:	wd_fork_now() of when it began; 0: it hasn't, and no data of its message has been worked on
 * @q:		its device's context; NULL: this CPU
 * @stuck:	the context's, when the stream began
 * @soft:	on this CPU: its context
 * @own:	memory of its own that a device reads
 * @dead:	an error has ended it
 */
struct crypto_strm {
	size_t size;
	struct wd_queue *q;
	struct wd_kept kept;
	struct soft_ctx *soft;
	void *own;
	const char *why;
	__u32 gen;
	__u32 stuck;
	__u32 vendor;
	__u16 path;
	__u16 reason;
	bool dead;
};

/* One that hasn't begun, of that many bytes; NULL: no memory. */
struct crypto_strm *crypto_strm_alloc(size_t size);
/* It hasn't begun any more, and nothing of it is left. */
void crypto_strm_drop(struct crypto_strm *st);
/* NULL is none. */
void crypto_strm_free(struct crypto_strm *st);

/* What it runs on from now on. 0, or the -errno of who may not serve it. */
int crypto_strm_pick(struct crypto_sess *s, struct crypto_strm *st);
/* This CPU instead. */
void crypto_strm_to_soft(struct crypto_strm *st, __u16 reason);
/* The same, if it may, of one whose first step its device has failed with ret: can't compute it, is gone, or has no context. */
bool crypto_strm_instead(struct crypto_sess *s, struct crypto_strm *st, int ret);

/* --- the session's --- */

/* One call at a time is inside. -EBUSY, recorded. */
int crypto_strm_enter(struct crypto_sess *s);
void crypto_strm_leave(struct crypto_sess *s);
/* s->strm is there, and may go on or begin: 0; -ENOMEM, -ESTALE, -EINVAL, recorded. reset: who ends a dead one. */
int crypto_strm_ready(struct crypto_sess *s, size_t size, const char *reset);
/* It has none any more. */
void crypto_strm_forget(struct crypto_sess *s);
/* -EBUSY, recorded, while one that uses what is to be changed has begun. */
int crypto_strm_check(struct crypto_sess *s);
/* wd_<class>_reset_sess(). */
int crypto_strm_reset(handle_t sess, const struct wd_class *cls);
/* Before crypto_sess_free(), that the session may be freed. */
int crypto_strm_sess_free(handle_t sess, const struct wd_class *cls);

#endif
