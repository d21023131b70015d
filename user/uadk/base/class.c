// SPDX-License-Identifier: Apache-2.0
/* Whether a class is prepared, and its sessions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "class.h"
#include "own_user.h"
#include "scheduler.h"

enum { CLASS_NONE, CLASS_BUSY, CLASS_READY };

/* Seconds that a call waits for another thread's. */
#define INIT_WAIT	3
/* Contexts on each device that programs can ask for; ours serve any number of sessions. */
#define CTXS_MOST	16u

static struct uadk_class *classes;
static pthread_mutex_t classes_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;	/* the state of a class */
static unsigned int sync_most = 1, async_most = 1;

static void before_fork(void)
{
	pthread_mutex_lock(&classes_lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&classes_lock);
}

/* A child prepares its classes itself; its sessions, which ours have as well, go on working. */
static void in_child(void)
{
	pthread_mutex_init(&classes_lock, NULL);
	pthread_cond_init(&changed, NULL);
	for (struct uadk_class *c = classes; c; c = c->next) {
		atomic_store(&c->state, CLASS_NONE);
		uadk_slots_forget(c);
	}
}

/*
 * The first class of a process comes with the handlers of fork(). Our libraries' are there before, so that a fork takes
 * this lock before theirs, as calls do that hold it.
 */
static void class_register(struct uadk_class *c)
{
	struct own_user_info info;

	if (c->registered)
		return;
	if (!classes) {
		own_user_info(&info);
		pthread_atfork(before_fork, in_parent, in_child);
	}
	c->registered = true;
	c->next = classes;
	classes = c;
	uadk_slots_begin(c);
}

static int class_begin(struct uadk_class *c)
{
	struct timespec end;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += INIT_WAIT;
	pthread_mutex_lock(&classes_lock);
	class_register(c);
	while (atomic_load(&c->state) == CLASS_BUSY && !ret)
		ret = pthread_cond_clockwait(&changed, &classes_lock, CLOCK_MONOTONIC, &end);
	if (atomic_load(&c->state) == CLASS_BUSY)
		ret = -WD_ETIMEDOUT;
	else if (atomic_load(&c->state) == CLASS_READY)
		ret = -WD_EEXIST;
	else
		ret = 0;
	if (!ret)
		atomic_store(&c->state, CLASS_BUSY);
	pthread_mutex_unlock(&classes_lock);
	return ret;
}

static int class_end(struct uadk_class *c, int ret)
{
	pthread_mutex_lock(&classes_lock);
	atomic_store(&c->state, ret ? CLASS_NONE : CLASS_READY);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&classes_lock);
	return ret;
}

/* A hint to the library. What the environment says counts more, and in a section its grants do. */
static void class_hint(struct uadk_class *c, __u64 sync, __u64 async)
{
	char text[32];

	c->async = async && !sync;
	if (secure_getenv("WD_CTXS"))
		return;
	pthread_mutex_lock(&classes_lock);
	if (sync > sync_most)
		sync_most = sync < CTXS_MOST ? (unsigned int)sync : CTXS_MOST;
	if (async > async_most)
		async_most = async < CTXS_MOST ? (unsigned int)async : CTXS_MOST;
	snprintf(text, sizeof(text), "%u+%u", sync_most, async_most);
	own_user_ctxs(text);
	pthread_mutex_unlock(&classes_lock);
}

int uadk_class_init(struct uadk_class *c, const struct wd_ctx_config *config, const struct wd_sched *sched)
{
	__u32 async = 0;
	int ret;

	if (!config || !sched || !config->ctx_num || !config->ctxs)
		return -WD_EINVAL;
	for (__u32 i = 0; i < config->ctx_num; i++) {
		if (!config->ctxs[i].ctx)
			return -WD_EINVAL;
		async += config->ctxs[i].ctx_mode == CTX_MODE_ASYNC;
	}
	ret = class_begin(c);
	if (ret)
		return ret;
	c->hw = false;
	c->params = uadk_sched_is_own(sched);
	c->ctxs = config->ctx_num;
	class_hint(c, config->ctx_num - async, async);
	return class_end(c, 0);
}

static bool class_has(const struct uadk_class *c, const char *alg)
{
	for (const char *const *a = c->algs; alg && *a; a++)
		if (!strcmp(*a, alg))
			return true;
	return false;
}

static bool device_has(const char *alg)
{
	struct own_uacce_dev_list *list = own_list_accels(alg);

	own_free_list_accels(list);
	return list;
}

int uadk_class_init2(struct uadk_class *c, const char *alg, __u32 sched_type, int task_type,
		     const struct wd_ctx_params *params)
{
	const char *name = uadk_alg_of_devices(alg);
	__u64 sync = 0, async = 0;
	int ret;

	if (!class_has(c, name)) {
		uadk_log("wd_%s_init2_(): unknown algorithm \"%.64s\"", c->name, alg ? alg : "");
		return -WD_EINVAL;
	}
	if (sched_type >= SCHED_POLICY_BUTT || task_type < TASK_MIX || task_type >= TASK_MAX_TYPE)
		return -WD_EINVAL;
	if (params && params->op_type_num && !params->ctx_set_num)
		return -WD_EINVAL;
	for (__u32 i = 0; params && i < params->op_type_num; i++) {
		sync += params->ctx_set_num[i].sync_ctx_num;
		async += params->ctx_set_num[i].async_ctx_num;
	}
	ret = class_begin(c);
	if (ret)
		return ret;
	if (task_type == TASK_HW && !device_has(name))
		return class_end(c, -WD_ENODEV);
	c->hw = task_type == TASK_HW;
	c->params = true;
	c->ctxs = UINT32_MAX;
	class_hint(c, sync, async);
	return class_end(c, 0);
}

/* Adds up "sync:4@0,async:2@1"; a direction may stand before a number: "sync-comp:4@0". Return: false if wrong. */
static bool env_parse(const char *text, __u64 *sync, __u64 *async)
{
	while (*text) {
		__u64 *to = !strncmp(text, "sync", 4) ? sync : !strncmp(text, "async", 5) ? async : NULL;
		unsigned int nr, node;
		int used = 0;

		text += strcspn(text, ":");
		if (!to || sscanf(text, ":%9u@%9u%n", &nr, &node, &used) != 2)
			return false;
		*to += nr;
		text += used;
		if (*text && *text++ != ',')
			return false;
	}
	return true;
}

int uadk_class_env_init(struct uadk_class *c, const struct wd_sched *sched)
{
	const char *text = secure_getenv(c->env);
	__u64 sync = 0, async = 0;
	int ret = class_begin(c);

	if (ret)
		return ret;
	if (text && !env_parse(text, &sync, &async)) {
		uadk_log("%s=%.64s is ignored: expected sync:COUNT@NODE,async:COUNT@NODE", c->env, text);
		sync = async = 0;
	}
	c->hw = false;
	c->params = !sched || uadk_sched_is_own(sched);
	c->ctxs = UINT32_MAX;
	class_hint(c, sync, async);
	return class_end(c, 0);
}

void uadk_class_uninit(struct uadk_class *c)
{
	int state = CLASS_READY;

	atomic_compare_exchange_strong(&c->state, &state, CLASS_NONE);
}

/* The devices of a node, if there are some, and others as well. */
static own_dev_mask_t *mask_of_node(const char *alg, int node)
{
	struct own_uacce_dev_list *list = own_list_accels(alg);
	own_dev_mask_t *mask = NULL;
	bool others = false, some = false;

	for (const struct own_uacce_dev_list *l = list; l; l = l->next) {
		if (l->info->numa_node == node)
			some = true;
		else
			others = true;
	}
	if (some && others)
		mask = own_dev_mask_alloc();
	for (const struct own_uacce_dev_list *l = list; l && mask; l = l->next)
		if (l->info->numa_node == node)
			own_dev_mask_set(mask, l->info->node_id);
	own_free_list_accels(list);
	return mask;
}

void *uadk_sess_new(struct uadk_class *c, const char *alg, const void *sched_param)
{
	const struct sched_params *params = sched_param;
	struct uadk_sess *sess;

	if (atomic_load(&c->state) != CLASS_READY) {
		uadk_log("wd_%s_alloc_sess(): wd_%s_init() comes first", c->name, c->name);
		errno = WD_EINVAL;
		return NULL;
	}
	sess = uadk_sess_alloc(c);
	if (!sess)
		return NULL;
	sess->flags = c->hw ? OWN_SESS_PATH_HW : 0;
	pthread_mutex_init(&sess->lock, NULL);
	if (c->params && params && params->numa_id >= 0)
		sess->mask = mask_of_node(alg, params->numa_id);
	return sess;
}

own_handle_t uadk_sess_make(struct uadk_sess *sess, unsigned int kind)
{
	own_handle_t own;

	pthread_mutex_lock(&sess->lock);
	own = atomic_load(&sess->own[kind]);
	if (!own) {
		own = sess->class->make(sess, kind);
		atomic_store_explicit(&sess->own[kind], own, memory_order_release);
	}
	pthread_mutex_unlock(&sess->lock);
	return own;
}

int uadk_sess_begin(struct uadk_sess *sess, unsigned int kind)
{
	if (sess->class->async)
		kind |= UADK_ASYNC;
	return uadk_sess_make(sess, kind) ? 0 : -errno;
}

own_handle_t uadk_sess_made(const struct uadk_sess *sess, own_handle_t own, int ret)
{
	if (!ret)
		return own;
	sess->class->free_sess(own);
	errno = -ret;
	return 0;
}

handle_t uadk_sess_ready(struct uadk_sess *sess, int ret)
{
	if (!ret)
		return (handle_t)sess;
	uadk_sess_free(sess);
	errno = uadk_status(ret, WD_EINVAL);
	return 0;
}

handle_t uadk_sess_refused(struct uadk_class *c, unsigned int alg, unsigned int mode)
{
	unsigned long long bit = 1ULL << (16 * alg + mode) % 64;

	if (!(atomic_fetch_or_explicit(&c->refused, bit, memory_order_relaxed) & bit))
		uadk_log("wd_%s_alloc_sess(): algorithm %u, mode %u: not supported", c->name, alg, mode);
	errno = WD_EINVAL;
	return 0;
}

handle_t uadk_sess_ready_alg(struct uadk_sess *sess, int ret, unsigned int alg, unsigned int mode)
{
	struct uadk_class *c = sess->class;

	if (ret != -EOPNOTSUPP)
		return uadk_sess_ready(sess, ret);
	uadk_sess_free(sess);
	return uadk_sess_refused(c, alg, mode);
}
