/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the classes share: whether they are prepared, sessions, and the results of asynchronous requests. A session of a
 * program stands for several of ours: synchronous and asynchronous, flat and of lists, in both directions.
 */
#ifndef UADK_CLASS_H
#define UADK_CLASS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "alg.h"
#include "log.h"
#include "own.h"
#include "own_request.h"
#include "uadk/wd_sched.h"

/* Bits of the index of a session of ours. */
#define UADK_ASYNC		1u
#define UADK_LISTS		2u
#define UADK_DECOMPRESS		4u
#define UADK_KINDS		8u

struct uadk_sess {
	/* These two outlive it, as its memory does: who ends its last request may read them after it is freed. */
	atomic_uint life;		/* how often it was freed, which ends requests unheard */
	struct uadk_class *class;	/* constant */
	_Atomic own_handle_t own[UADK_KINDS];
	struct uadk_sess *next;		/* in a list of freed ones */
	pthread_mutex_t lock;		/* while one of them is made, or gets a key */
	own_dev_mask_t *mask;		/* of the node that the program asked for; NULL: any */
	unsigned int flags;		/* OWN_SESS_* */
};

/* An asynchronous request, followed by what its class keeps of it. */
struct uadk_slot {
	struct uadk_slot *next;		/* in the ring of a thread */
	_Atomic(struct uadk_sess *) sess;	/* NULL: free */
	unsigned int life;		/* of the session */
	void *extra;			/* memory that lasts until the result comes */
	struct uadk_slot *follower;	/* in a list of finished ones */
	struct uadk_slot *ring;		/* the next one of rings without a thread */
};

/* The classes' numbers. */
enum {
	UADK_NR_comp, UADK_NR_cipher, UADK_NR_digest, UADK_NR_aead, UADK_NR_rsa, UADK_NR_dh, UADK_NR_ecc,
	UADK_CLASSES
};

/* What a thread has for itself. */
struct uadk_thread {
	bool at_once;			/* in a poll of the program's: it hears of results when they come */
	bool later;			/* in such a poll: a callback has freed its session, and the rest waits */
	unsigned int unheard;		/* results that came in such a poll, and the program did not hear of */
	struct uadk_batch *collecting;	/* takes results instead; without any of these they are kept for a later poll */
	struct uadk_sess *freed;	/* by their own callbacks: they go when the poll ends */
	struct uadk_slot *at[UADK_CLASSES];	/* the slot for the next request, which may be in use */
};

/* In the memory that every thread has from its start, also when the library is opened later. */
#define UADK_THREAD_LOCAL	_Thread_local __attribute__((tls_model("initial-exec")))
extern UADK_THREAD_LOCAL struct uadk_thread uadk_thread;

struct uadk_class {
	const char *name;		/* "comp" */
	const char *env;		/* "WD_COMP_CTX_NUM" */
	const char *const *algs;	/* its names on devices, then NULL */
	unsigned int nr;		/* UADK_NR_* */
	size_t sess_size;
	size_t slot_size;
	/* Makes the session of ours with these bits: a handle, or 0 and errno. */
	own_handle_t (*make)(struct uadk_sess *sess, unsigned int kind);
	void (*wipe)(struct uadk_sess *sess);	/* frees its keys, when no request needs them; may be NULL */
	void (*slot_init)(struct uadk_slot *slot);	/* what all requests in it have, besides zeroes; may be NULL */
	int (*send)(struct uadk_slot *slot, own_handle_t own);	/* submits the request to a session of ours */
	void (*deliver)(struct uadk_slot *slot);	/* calls the program's callback */
	int (*free_sess)(own_handle_t own);
	int (*poll)(__u32 count, unsigned int timeout_ms, const own_ctx_set_t *set);

	atomic_int state;
	bool registered;
	bool hw;			/* TASK_HW */
	bool params;			/* a session's sched_param is a struct sched_params */
	bool async;			/* the program asked for no synchronous contexts */
	__u32 ctxs;
	atomic_ullong refused;		/* algorithms and modes that the log names, by their bits of 64 */
	struct uadk_class *next;
};

int uadk_class_init(struct uadk_class *c, const struct wd_ctx_config *config, const struct wd_sched *sched);
int uadk_class_init2(struct uadk_class *c, const char *alg, __u32 sched_type, int task_type,
		     const struct wd_ctx_params *params);
int uadk_class_env_init(struct uadk_class *c, const struct wd_sched *sched);
void uadk_class_uninit(struct uadk_class *c);

/* A session with no session of ours. Return: NULL and errno; EINVAL if the class isn't prepared. */
void *uadk_sess_new(struct uadk_class *c, const char *alg, const void *sched_param);
/* Makes the first session of ours, so that a program learns now what can't be. Return: 0, or -errno. */
int uadk_sess_begin(struct uadk_sess *sess, unsigned int kind);
/* What the allocation returns: the session, or 0 and errno if @ret is an error; then the session is freed. */
handle_t uadk_sess_ready(struct uadk_sess *sess, int ret);
/* The same, where -EOPNOTSUPP means that ours have no such algorithm: a line in the log says so. */
handle_t uadk_sess_ready_alg(struct uadk_sess *sess, int ret, unsigned int alg, unsigned int mode);
/* That line, once for each. Return: 0, and EINVAL in errno. */
handle_t uadk_sess_refused(struct uadk_class *c, unsigned int alg, unsigned int mode);
/* The same of a session of ours that has just been made, without a translation of the error. */
own_handle_t uadk_sess_made(const struct uadk_sess *sess, own_handle_t own, int ret);
/* Memory, zeroed but for what outlives a session. */
struct uadk_sess *uadk_sess_alloc(struct uadk_class *c);
/* Its requests end unheard, and its keys are wiped. */
void uadk_sess_free(struct uadk_sess *sess);
own_handle_t uadk_sess_make(struct uadk_sess *sess, unsigned int kind);

/* The session of ours with these bits, or 0 and errno. */
static inline own_handle_t uadk_sess_own(struct uadk_sess *sess, unsigned int kind)
{
	own_handle_t own = atomic_load_explicit(&sess->own[kind], memory_order_acquire);

	return __builtin_expect(own != 0, 1) ? own : uadk_sess_make(sess, kind);
}

/* The slot for the next request is in use. Return: a free one, or NULL: there are too many, or no memory. */
struct uadk_slot *uadk_slot_search(const struct uadk_class *c);

static inline bool uadk_slot_is_free(struct uadk_slot *slot)
{
	return !atomic_load_explicit(&slot->sess, memory_order_acquire);
}

/* Fills in a slot that is free. */
static inline void uadk_slot_set(struct uadk_slot *slot, struct uadk_sess *sess)
{
	slot->life = atomic_load_explicit(&sess->life, memory_order_relaxed);
	atomic_store_explicit(&slot->sess, sess, memory_order_relaxed);
}

/* Return: NULL if there are too many, or no memory. */
static inline void *uadk_slot_take(struct uadk_sess *sess)
{
	struct uadk_slot *slot = uadk_slot_search(sess->class);

	if (slot)
		uadk_slot_set(slot, sess);
	return slot;
}

/* Any thread may do that. */
static inline void uadk_slot_give(struct uadk_slot *slot)
{
	atomic_store_explicit(&slot->sess, NULL, memory_order_release);
}

static inline struct uadk_sess *uadk_slot_sess(struct uadk_slot *slot)
{
	return atomic_load_explicit(&slot->sess, memory_order_relaxed);
}

static inline void uadk_delivered(struct uadk_slot **slot)
{
	uadk_slot_give(*slot);
}

/* Results that aren't delivered at once, and errors, which sessions that are being freed have. */
void uadk_slot_over(struct uadk_slot *slot);

/*
 * Called by our callbacks. @good: the request succeeded. Then its session is there, because freeing it ends what is in
 * flight by errors, and has this thread keep other results. The program's callback may leave by an exception.
 */
static inline void uadk_slot_done(struct uadk_slot *slot, bool good, void (*deliver)(struct uadk_slot *slot))
{
	if (__builtin_expect(good && uadk_thread.at_once, 1)) {
		__attribute__((cleanup(uadk_delivered))) struct uadk_slot *delivered = slot;

		(void)delivered;
		deliver(slot);
	} else {
		uadk_slot_over(slot);
	}
}

static inline void uadk_extra_free(struct uadk_slot *slot)
{
	if (__builtin_expect(slot->extra != NULL, 0))
		free(slot->extra);
	slot->extra = NULL;
}

/* The end of a request that could not be made. Return: -WD_E*; @bad stands for -EBADMSG. */
int uadk_submit_not(struct uadk_slot *slot, int ret, int bad) __attribute__((cold));
/* Submits a request again that @ret refused. A full context is emptied for later polls. Return: 0, or as above. */
int uadk_submit_again(struct uadk_slot *slot, own_handle_t own, int ret, int bad) __attribute__((cold));
/* Takes results from full contexts, for a later poll. Return: how many of the class. */
unsigned int uadk_drain(struct uadk_class *c);

int uadk_poll(struct uadk_class *c, __u32 expt, __u32 *count);
int uadk_poll_ctx(struct uadk_class *c, __u32 idx, __u32 expt, __u32 *count);

void uadk_slots_begin(const struct uadk_class *c);
/* The same in a fork's child. */
void uadk_slots_forget(const struct uadk_class *c);

/* What differs in names only: submission of a slot, and our callback. @member has the request's result. */
#define UADK_REQUESTS(x, member, bad) \
static void x##_deliver(struct uadk_slot *slot); \
static int x##_send(struct uadk_slot *slot, own_handle_t own) \
{ \
	return own_##x##_async(own, &((struct x##_slot *)slot)->arg, NULL); \
} \
static void x##_done(struct own_##x##_arg *arg, void *param) \
{ \
	struct x##_slot *s = param; \
	s->req.member = (__typeof__(s->req.member))uadk_status(arg->status, bad); \
	uadk_extra_free(&s->slot); \
	uadk_slot_done(&s->slot, !arg->status, x##_deliver); \
}

/* @x_begin_async(sess, slot, own) finds a session of ours and fills in slot->arg. Return: 0, or -errno. */
#define UADK_ASYNC_CALL(x, refused, bad) \
int wd_do_##x##_async(handle_t sess, struct wd_##x##_req *req) \
{ \
	struct x##_slot *slot; \
	own_handle_t own = 0; \
	int ret; \
	if (x##_refuse(sess, req) || !req->cb || (refused)) \
		return -WD_EINVAL; \
	slot = uadk_slot_take((struct uadk_sess *)sess); \
	if (!slot) \
		return -WD_EBUSY; \
	slot->req = *req; \
	slot->arg = (struct own_##x##_arg){ .cb = x##_done, .cb_param = slot }; \
	ret = x##_begin_async((struct x##_sess *)sess, slot, &own); \
	if (ret) \
		return uadk_submit_not(&slot->slot, ret, bad); \
	ret = x##_send(&slot->slot, own); \
	return __builtin_expect(!ret, 1) ? 0 : uadk_submit_again(&slot->slot, own, ret, bad); \
}

/* The calls that differ in their names only. */
#define UADK_CLASS_CALLS(x, class) \
int wd_##x##_init(struct wd_ctx_config *config, struct wd_sched *sched) \
{ \
	return uadk_class_init(class, config, sched); \
} \
int wd_##x##_init2_(char *alg, __u32 sched_type, int task_type, struct wd_ctx_params *ctx_params) \
{ \
	return uadk_class_init2(class, alg, sched_type, task_type, ctx_params); \
} \
int wd_##x##_env_init(struct wd_sched *sched) \
{ \
	return uadk_class_env_init(class, sched); \
} \
void wd_##x##_uninit(void) \
{ \
	uadk_class_uninit(class); \
} \
void wd_##x##_uninit2(void) \
{ \
	uadk_class_uninit(class); \
} \
void wd_##x##_env_uninit(void) \
{ \
	uadk_class_uninit(class); \
} \
void wd_##x##_free_sess(handle_t sess) \
{ \
	if (sess) \
		uadk_sess_free((struct uadk_sess *)sess); \
} \
int wd_##x##_poll_ctx(__u32 idx, __u32 expt, __u32 *count) \
{ \
	return uadk_poll_ctx(class, idx, expt, count); \
} \
int wd_##x##_poll(__u32 expt, __u32 *count) \
{ \
	return uadk_poll(class, expt, count); \
} \
int wd_##x##_ctx_num_init(__u32 node, __u32 type, __u32 num, __u8 mode) \
{ \
	(void)node, (void)type, (void)num, (void)mode; \
	UADK_REFUSE(); \
	return -WD_EINVAL; \
} \
void wd_##x##_ctx_num_uninit(void) \
{ \
	UADK_REFUSE(); \
} \
int wd_##x##_get_env_param(__u32 node, __u32 type, __u32 mode, __u32 *num, __u8 *is_enable) \
{ \
	(void)node, (void)type, (void)mode, (void)num, (void)is_enable; \
	UADK_REFUSE(); \
	return -WD_EINVAL; \
} \
void wd_##x##_set_driver(void *drv); \
void wd_##x##_set_driver(void *drv) \
{ \
	(void)drv; \
	UADK_REFUSE(); \
} \
void *wd_##x##_get_driver(void); \
void *wd_##x##_get_driver(void) \
{ \
	UADK_REFUSE(); \
	return NULL; \
} \
void *wd_##x##_get_msg(__u32 idx, __u32 tag); \
void *wd_##x##_get_msg(__u32 idx, __u32 tag) \
{ \
	(void)idx, (void)tag; \
	UADK_REFUSE(); \
	return NULL; \
}

#endif
