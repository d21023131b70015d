/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in parts, shared by the classes: which thread may use a stream, and what it runs on; private. */
#ifndef WD_CRYPTO_STREAM_H
#define WD_CRYPTO_STREAM_H

#include "crypto.h"

struct soft_ctx;

/**
 * struct crypto_strm - first member of a class's stream
 * @size:	size of the class's stream
 * @gen:	wd_fork_now() when the stream began; 0: not begun, no data of its message was processed
 * @q:		the device's context; NULL: the software path
 * @stuck:	the context's counter, when the stream began
 * @soft:	software path: its context
 * @own:	allocated memory that a device reads
 * @dead:	an error has ended the stream
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

/* A new stream of that size, not begun; NULL: no memory. */
struct crypto_strm *crypto_strm_alloc(size_t size);
/* Wipes the stream and makes it one that hasn't begun. */
void crypto_strm_drop(struct crypto_strm *st);
/* st may be NULL. */
void crypto_strm_free(struct crypto_strm *st);

/* Chooses what the stream runs on. 0, or -errno if neither a device nor software may serve it. */
int crypto_strm_pick(struct crypto_sess *s, struct crypto_strm *st);
/* Moves the stream to the software path. */
void crypto_strm_to_soft(struct crypto_strm *st, __u16 reason);
/*
 * The same, if allowed, after ret ended the first step on its device: the device can't compute it, or doesn't take it,
 * is gone, or has no context.
 */
bool crypto_strm_instead(struct crypto_sess *s, struct crypto_strm *st, int ret);

/* --- the session's stream --- */

/* Only one call at a time may use the stream. -EBUSY, recorded. */
int crypto_strm_enter(struct crypto_sess *s);
void crypto_strm_leave(struct crypto_sess *s);
/*
 * Makes s->strm and checks that it may begin or continue: 0; -ENOMEM, -ESTALE, -EINVAL, recorded. reset: name of the
 * call that resets it.
 */
int crypto_strm_ready(struct crypto_sess *s, size_t size, const char *reset);
/* Drops the stream, if there is one. */
void crypto_strm_forget(struct crypto_sess *s);
/* -EBUSY, recorded, while an unfinished stream uses what is about to change. */
int crypto_strm_check(struct crypto_sess *s);
/* Implements wd_<class>_reset_sess(). */
int crypto_strm_reset(handle_t sess, const struct wd_class *cls);
/* To be called before crypto_sess_free(): checks whether the session may be freed. */
int crypto_strm_sess_free(handle_t sess, const struct wd_class *cls);

#endif
