// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses the contexts of a session: a new context for each session, on the
 * device that the process uses least, up to the number that the section grants,
 * or WD_CTXS outside of sections; then the open contexts in turn. A session
 * with contexts of its own uses no others.
 */
#include <string.h>

#include "device/recent.h"
#include "request/pollers.h"
#include "section/section.h"

#define BIND_TRIES	100

static bool session_may_use(const struct wd_session *s, int node_id)
{
	return !s->mask || wd_bits_test(s->mask, s->mask_len, node_id);
}

static bool is_kind(const struct wd_queue *q, const struct wd_session *s)
{
	return q->cls == s->cls && q->for_cq == !!s->cq && q->pub.path != WD_PATH_SOFT &&
	       q->pub.qc_type == s->attr.qc_type && session_may_use(s, q->node_id) && q->drv.serves(&s->attr);
}

static bool queue_suits(const struct wd_queue *q, const struct wd_session *s)
{
	int state = atomic_load(&q->state);

	/* An owner uses its own contexts only as long as it is to have some. */
	if (q->owner && (q->owner != s || !s->own_nr))
		return false;
	if (!s->takes_resting && wd_device_rests(q->node_id))
		return false;
	return is_kind(q, s) && (!state || state == -EIO);
}

/* Finds the context's device in a list of devices that offer the algorithm and are neither isolated nor disabled. */
static const struct uacce_dev_info *listed(const struct uacce_dev_list *list, const struct wd_queue *q)
{
	for (; list; list = list->next)
		if (wd_is_on(q, list->info))
			return list->info;
	return NULL;
}

/*
 * Finds an open context for the session: of the device itself if by_name, else
 * on the device's node and of its priority. Among several, those with the
 * fewest sessions take turns.
 */
static struct wd_queue *table_find(const struct wd_session *s, bool async, const struct uacce_dev_list *list,
				   const struct uacce_dev_info *info, bool by_name)
{
	/* Numbers and not pointers: a program's thread may have little stack. */
	__u16 fits[WD_ENGINE_QUEUES];
	unsigned int nr = 0, firsts = 0, i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];
		const struct uacce_dev_info *other;

		if (!queue_suits(q, s) || q->async != async || (s->cq && !wd_cq_may_add(s->cq, q)))
			continue;
		if (by_name ? !wd_is_on(q, info) : q->numa_node != info->numa_node)
			continue;
		other = listed(list, q);
		if (!other || other->priority != info->priority || (nr && q->firsts > firsts))
			continue;
		if (nr && q->firsts < firsts)
			nr = 0;
		firsts = q->firsts;
		fits[nr++] = (__u16)i;
	}
	return nr ? wd_engine.queue[fits[wd_engine.turn++ % nr]] : NULL;
}

/* Why devices weren't used. bind_refused() reports the first reason that applies. */
struct refusals {
	unsigned int masked;
	unsigned int resting;
	unsigned int not_granted;
	unsigned int no_driver;
	unsigned int unserved;
	unsigned int no_sva;
	bool no_feature;
	unsigned int busy;
	unsigned int finishing;
	unsigned int quota;
	unsigned int access;
	unsigned int numbers;
	int err;
	int blind;	/* why devices can't be listed now; 0: they can */
	bool patient;	/* wait for a context that another thread opens or closes where it may be better than the next
			 * way */
	bool coming;	/* there is such a context */
};

static void refusals_begin(struct refusals *no, bool patient)
{
	*no = (struct refusals){ .patient = patient };
}

static void refusal_note(struct refusals *no, int ret)
{
	no->err = ret;
	if (ret == -EBUSY)
		no->busy++;
	else if (ret == -EINPROGRESS)
		no->finishing++;
	else if (ret == -EDQUOT)
		no->quota++;
	else if (ret == -EUSERS)
		no->numbers++;
	else if (ret == -EACCES || ret == -EPERM)
		no->access++;
}

/* The driver with which the device may serve the session, or NULL with the reason noted. */
static const struct wd_driver *device_driver(const struct wd_session *s, const struct uacce_dev_info *info,
					     struct refusals *no)
{
	const struct wd_driver *drv = NULL;

	if (!session_may_use(s, info->node_id)) {
		no->masked++;
	} else if (!wd_grant_has(info->name)) {
		no->not_granted++;
	} else if (!s->takes_resting && wd_device_rests(info->node_id)) {
		no->resting++;
	} else if (!(info->flags & UACCE_DEV_SVA) && !info->mediated) {
		no->no_sva++;
	} else {
		drv = wd_driver_find(s->cls, wd_device_listed_api(info));
		no->no_driver += !drv;
	}
	if (drv && drv->serves && !drv->serves(&s->attr)) {
		no->unserved++;
		drv = NULL;
	}
	return drv;
}

static struct wd_queue *bind_open(struct wd_session *s, const struct wd_driver *drv, const struct uacce_dev_info *info,
				  enum wd_place how, struct refusals *no)
{
	struct wd_queue *q = NULL;
	int ret = wd_queue_open(s, drv, info, how, &q);

	if (!ret)
		return q;
	/* A lack of spare contexts is no refusal. */
	if (how != WD_PLACE_SPARE)
		refusal_note(no, ret);
	return NULL;
}

/* Ways to a context, best first. */
enum bind_way {
	BIND_SPARE,	/* one more, of a device as good as the best */
	BIND_ALONE,	/* one more for this session alone */
	BIND_OWN,	/* one that is open on that device's node, else one more */
	BIND_EXTRA,	/* one out of the pool, which the section lets its processes have */
	BIND_SHARE,	/* one of the other mode: it serves both then */
	BIND_EXCHANGE,	/* the place of an idle one */
	BIND_WAYS
};

static bool moves_for(const struct wd_queue *q, const struct wd_session *s)
{
	return is_kind(q, s) && q->async == s->attr.async && !q->owner &&
	       (atomic_load(&q->held) || (q->binder && atomic_load(&q->state)));
}

static bool opens_for(const struct wd_queue *q, const struct wd_session *s)
{
	return moves_for(q, s) && !atomic_load(&q->wanted);
}

/*
 * Whether another thread is opening a context that suits the session, on that device's node; or, outside of sections,
 * closing one: no other context takes its place there, and it can be opened again.
 */
static bool is_coming(const struct wd_session *s, const struct uacce_dev_info *info)
{
	const struct wd_queue *q = NULL;

	wd_grant_lock();
	while ((q = wd_table_next(q)))
		if (q->numa_node == info->numa_node &&
		    (wd_section_state() == WD_USER_SECTION ? opens_for(q, s) : moves_for(q, s)))
			break;
	wd_grant_unlock();
	return q;
}

static struct wd_queue *bind_device(struct wd_session *s, const struct uacce_dev_list *list,
				    const struct uacce_dev_info *info, enum bind_way way, struct refusals *no)
{
	const struct wd_driver *drv = device_driver(s, info, no);
	struct wd_queue *q;

	if (!drv)
		return NULL;
	switch (way) {
	case BIND_SPARE:
		return bind_open(s, drv, info, WD_PLACE_SPARE, no);
	case BIND_ALONE:
		return bind_open(s, drv, info, WD_PLACE_OWN, no);
	case BIND_OWN:
		q = table_find(s, s->attr.async, list, info, false);
		no->coming |= !q && no->patient && is_coming(s, info);
		return q || no->coming ? q : bind_open(s, drv, info, WD_PLACE_FREE, no);
	case BIND_EXTRA:
		return bind_open(s, drv, info, WD_PLACE_EXTRA, no);
	case BIND_SHARE:
		return table_find(s, !s->attr.async, list, info, true);
	default:
		return bind_open(s, drv, info, WD_PLACE_EXCHANGE, no);
	}
}

/* How many contexts that suit the session are open on that device, or being opened. */
static unsigned int open_on(const struct wd_session *s, const struct uacce_dev_info *info)
{
	const struct wd_queue *q = NULL;
	unsigned int nr = 0;

	wd_grant_lock();
	while ((q = wd_table_next(q)))
		nr += ((queue_suits(q, s) && q->async == s->attr.async) || opens_for(q, s)) && wd_is_on(q, info);
	wd_grant_unlock();
	return nr;
}

/* Whether one more context may be opened, as far as is known without trying. */
static bool may_open(const struct wd_session *s, const struct uacce_dev_info *info, enum bind_way way)
{
	const struct wd_place_kind kind = {
		.dev = info->name, .node = info->numa_node, .cls = s->cls, .qc_type = s->attr.qc_type,
		.async = s->attr.async, .for_cq = s->cq,
	};

	return way != BIND_SPARE || wd_grant_may_spare(&kind);
}

static bool as_good(const struct uacce_dev_info *a, const struct uacce_dev_info *b)
{
	return a->priority == b->priority && a->numa_node == b->numa_node;
}

/*
 * Opens one more context on the device where the process has the fewest, among
 * those as good as the best: an idle device is used before a busy one is shared.
 */
static struct wd_queue *bind_spread(struct wd_session *s, const struct uacce_dev_list *list, enum bind_way way,
				    struct refusals *no)
{
	const struct uacce_dev_list *best, *l;
	unsigned int nr, has, most = 0;
	struct wd_queue *q = NULL;

	for (best = list; best && !device_driver(s, best->info, no); best = best->next)
		;
	for (nr = 0; nr <= most && !q; nr++)
		for (l = best; l && !q; l = l->next) {
			if (!as_good(l->info, best->info))
				continue;
			has = open_on(s, l->info);
			most = has > most ? has : most;
			if (has == nr && may_open(s, l->info, way))
				q = bind_device(s, list, l->info, way, no);
		}
	return q;
}

/* Whether another thread is opening or closing a context of those devices. */
static bool list_moves(const struct wd_session *s, const struct uacce_dev_list *list)
{
	bool moves = false;

	wd_grant_lock();
	for (; list && !moves; list = list->next)
		moves = session_may_use(s, list->info->node_id) && wd_grant_moving(list->info->name);
	wd_grant_unlock();
	return moves;
}

/* Tries each way on all devices before the next way. */
static struct wd_queue *bind_in_section(struct wd_session *s, const struct uacce_dev_list *list, struct refusals *no)
{
	const struct uacce_dev_list *l;
	struct wd_queue *q;
	enum bind_way way;

	wd_grant_look(list);
	q = bind_spread(s, list, BIND_SPARE, no);
	for (way = BIND_OWN; way < BIND_WAYS && !q && !no->coming; way++) {
		refusals_begin(no, no->patient);
		for (l = list; l && !q && !no->coming; l = l->next)
			q = bind_device(s, list, l->info, way, no);
		no->coming |= !q && no->patient && no->quota && list_moves(s, list);
	}
	return q;
}

/* A spare context; else, device by device: an open one on its node, else a new one, else one of the other mode. */
static struct wd_queue *bind_in_pool(struct wd_session *s, const struct uacce_dev_list *list, struct refusals *no)
{
	struct wd_queue *q = bind_spread(s, list, BIND_SPARE, no);
	const struct uacce_dev_list *l;

	refusals_begin(no, no->patient);
	for (l = list; l && !q && !no->coming; l = l->next) {
		q = bind_device(s, list, l->info, BIND_OWN, no);
		no->coming |= !q && no->patient && no->quota && list_moves(s, list);
		if (!q && !no->coming && device_driver(s, l->info, no))
			q = table_find(s, !s->attr.async, list, l->info, true);
	}
	return q;
}

static int refuse(struct wd_session *s, enum wd_path_reason reason, int err, const char *fmt)
{
	atomic_store(&s->reason, reason);
	return wd_fail_str(NULL, err, fmt, s->cls->algs[s->attr.alg]);
}

static int bind_refused(struct wd_session *s, const struct refusals *no)
{
	if (s->attr.refuse)
		return refuse(s, s->attr.refuse, EOPNOTSUPP, "no device can do what this session asks of %s");
	if (no->blind)
		return refuse(s, WD_REASON_NO_ACCESS, no->blind, "devices for %s can't be looked for now");
	if (no->no_feature)
		return refuse(s, WD_REASON_UNSUPPORTED, EOPNOTSUPP,
			      "no device has the features of %s that this session needs");
	if (no->quota)
		return refuse(s, WD_REASON_NO_QUEUE, EDQUOT, wd_section_state() == WD_USER_SECTION ?
			      "every context that is granted is in use, and none is left for %s" :
			      "the numbers of contexts that the process asked for leave none for %s");
	if (no->finishing)
		return refuse(s, WD_REASON_NO_QUEUE, EBUSY, "the device for %s is finishing another process' queue");
	if (no->busy)
		return refuse(s, WD_REASON_NO_QUEUE, EBUSY, "every device for %s is out of queues");
	if (no->numbers)
		return refuse(s, WD_REASON_NO_QUEUE, EUSERS,
			      "all numbers for contexts are in use, and none is left for %s");
	if (no->access)
		return refuse(s, WD_REASON_NO_ACCESS, EACCES, "the devices for %s may not be opened");
	if (no->resting)
		return refuse(s, WD_REASON_RESTS, ENODEV,
			      "the devices for %s rest, because results of theirs were wrong");
	if (no->unserved)
		return refuse(s, WD_REASON_UNSUPPORTED, EOPNOTSUPP,
			      "the devices for %s can't do what this session asks of it");
	if (no->no_driver)
		return refuse(s, WD_REASON_NO_DRIVER, ENODEV, "the devices for %s speak an API that is not known here");
	if (no->no_sva)
		return refuse(s, WD_REASON_UNSUPPORTED, ENODEV,
			      "the devices for %s can't work on this process' addresses");
	if (no->err)
		return refuse(s, WD_REASON_GONE, -no->err, "no device for %s could be opened");
	if (no->not_granted)
		return refuse(s, WD_REASON_NOT_IN_SLOT, EACCES, "the slot of this process has no device for %s");
	if (no->masked)
		return refuse(s, WD_REASON_MASKED, ENODEV, "the device mask leaves no device for %s");
	return refuse(s, WD_REASON_NO_DEVICE, ENODEV, "no device offers %s");
}

/* Adds open contexts for requests that the first one has no room for; with a completion queue, only the queue's. */
static unsigned int bind_overflow(struct wd_session *s, const struct uacce_dev_list *list, unsigned int nr)
{
	unsigned int all = atomic_load(&wd_engine.nr), i;

	for (i = 0; i < all && nr < WD_SESS_QUEUES; i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (queue_suits(q, s) && listed(list, q) && q->async == s->attr.async &&
		    q != atomic_load(&s->queue[0]) && (!s->cq || wd_cq_has(s->cq, q)))
			atomic_store(&s->queue[nr++], q);
	}
	return nr;
}

/* A process that is meant for a section uses no contexts outside of it. */
static int section_refused(struct wd_session *s)
{
	int ret = wd_section_usable();

	if (!ret && s->era != wd_engine.era)
		ret = wd_fail(NULL, ESHUTDOWN, "devices were taken away from the session (icp_sal_userStop)");
	if (!ret && wd_section_state() == WD_USER_NONE)
		ret = wd_fail(NULL, EACCES, "the process isn't in the section that it is meant for");
	if (ret)
		atomic_store(&s->reason, WD_REASON_NO_ACCESS);
	return ret;
}

static struct wd_queue *open_alone(struct wd_session *s, const struct uacce_dev_list *list, struct refusals *no)
{
	struct wd_queue *q = bind_spread(s, list, BIND_ALONE, no);

	/* Also on devices that are farther away, or worse. */
	for (; list && !q; list = list->next)
		q = bind_device(s, NULL, list->info, BIND_ALONE, no);
	return q;
}

/*
 * Fills the session's table with its own contexts: those that it has, and new
 * ones as far as available. nr: how many. Returns the first, or NULL.
 */
static struct wd_queue *bind_own(struct wd_session *s, const struct uacce_dev_list *list, unsigned int *nr,
				 struct refusals *no)
{
	struct wd_queue *q;
	unsigned int i;

	*nr = 0;
	for (i = 0; i < atomic_load(&wd_engine.nr) && *nr < s->own_nr; i++) {
		q = wd_engine.queue[i];
		if (q->owner == s && queue_suits(q, s))
			atomic_store(&s->queue[(*nr)++], q);
	}
	while (*nr < s->own_nr && (q = open_alone(s, list, no)))
		atomic_store(&s->queue[(*nr)++], q);
	return *nr ? atomic_load(&s->queue[0]) : NULL;
}

/* Whether another thread has opened or closed a context since moves was read. Releases the engine lock to wait. */
static bool wait_for_moves(const struct wd_session *s, const struct uacce_dev_list *list, __u32 moves)
{
	const struct wd_queue *q = NULL;
	bool any;

	if (list_moves(s, list)) {
		pthread_mutex_unlock(&wd_engine.lock);
		wd_grant_lock();
		if (wd_grant_moves() == moves && wd_grant_moving(NULL))
			wd_grant_wait();
		wd_grant_unlock();
		pthread_mutex_lock(&wd_engine.lock);
		return true;
	}
	wd_grant_lock();
	any = wd_grant_moves() != moves;
	while (!any && (q = wd_table_next(q)) && !moves_for(q, s))
		;
	wd_grant_unlock();
	/* Another binding moves the context, and holds no place yet. */
	if (q)
		pthread_cond_wait(&wd_engine.bound, &wd_engine.lock);
	return any || q;
}

static struct wd_queue *bind_once(struct wd_session *s, const struct uacce_dev_list *list, unsigned int *nr,
				  struct refusals *no)
{
	if (s->own_nr)
		return bind_own(s, list, nr, no);
	return wd_section_state() == WD_USER_SECTION ? bind_in_section(s, list, no) : bind_in_pool(s, list, no);
}

/* Waits for contexts that other threads open or close, a limited number of times, as that may go on for ever. */
static struct wd_queue *bind_patiently(struct wd_session *s, const struct uacce_dev_list *list, unsigned int *nr,
				       struct refusals *no)
{
	struct wd_queue *q;
	int tries = 0;
	__u32 moves;

	do {
		wd_grant_lock();
		moves = wd_grant_moves();
		wd_grant_unlock();
		refusals_begin(no, tries < BIND_TRIES);
		q = bind_once(s, list, nr, no);
	} while ((!q || (s->own_nr && *nr < s->own_nr)) && (no->coming || no->quota || no->busy) &&
		 tries++ < BIND_TRIES && wait_for_moves(s, list, moves));
	return q;
}

/* Returns the session's first context on these devices, or NULL. nr: how many contexts of its own it has. */
static struct wd_queue *bind_listed(struct wd_session *s, const struct uacce_dev_list *list, unsigned int *nr,
				    struct refusals *no)
{
	struct wd_queue *q = bind_patiently(s, list, nr, no);

	if (q && s->cq && wd_cq_add(s->cq, q)) {
		refusal_note(no, -EUSERS);
		q = NULL;
	}
	return q;
}

/* bind_listed() on all present devices. *recent: their list, if a context was found. */
static struct wd_queue *bind_any(struct wd_session *s, struct wd_recent **recent, unsigned int *nr, struct refusals *no)
{
	enum wd_rank rank = s->attr.async ? WD_RANK_THROUGHPUT : WD_RANK_LATENCY;
	struct wd_queue *q;
	int why = ENODEV;
	bool old;

	do {
		*recent = wd_recent_get(s->cls->algs[s->attr.alg], rank, s->attr.features, &old);
		if (!*recent)
			why = errno;
		/* Also without a list: contexts of its own may be open. */
		q = bind_listed(s, *recent ? (*recent)->list : NULL, nr, no);
		if (q || !*recent)
			break;
		wd_recent_put(*recent);
		*recent = NULL;
		/* A kept list may be out of date: don't refuse because of it. */
		wd_recent_forget();
	} while (old);
	no->no_feature = why == EOPNOTSUPP;
	no->blind = why != ENODEV && why != EOPNOTSUPP ? why : 0;
	return q;
}

static int bind_devices(struct wd_session *s)
{
	struct wd_recent *recent = NULL;
	struct refusals no = { 0 };
	struct wd_queue *q = NULL;
	int ret = section_refused(s);
	unsigned int nr = 1;

	if (ret)
		return ret;
	s->takes_resting = false;
	if (!s->attr.refuse)
		q = bind_any(s, &recent, &nr, &no);
	if (!q && no.resting && !s->soft_ok) {
		s->takes_resting = true;
		q = bind_any(s, &recent, &nr, &no);
	}
	if (!q)
		return bind_refused(s, &no);
	if (s->attr.async && !s->cq)
		wd_pollers_adopt(q);
	atomic_store(&s->queue[0], q);
	atomic_store(&s->reason, s->soft_ok ? WD_REASON_BEST : WD_REASON_POLICY);
	atomic_store_explicit(&s->nr, s->own_nr ? nr : bind_overflow(s, recent ? recent->list : NULL, 1),
			      memory_order_release);
	atomic_store_explicit(&s->first, q, memory_order_release);
	if (recent)
		wd_recent_put(recent);
	return 0;
}

void wd_bind_begin(struct wd_session *s, int *cancel)
{
	/* Before the lock, which the child initialises again. */
	wd_fork_now();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&wd_engine.lock);
	while (s->binding == wd_fork_now())
		pthread_cond_wait(&wd_engine.bound, &wd_engine.lock);
	s->binding = wd_fork_now();
}

void wd_bind_end(struct wd_session *s, int cancel)
{
	s->binding = 0;
	pthread_cond_broadcast(&wd_engine.bound);
	pthread_mutex_unlock(&wd_engine.lock);
	pthread_setcancelstate(cancel, NULL);
}

/* The contexts that the session uses are held for it by now. */
static void binder_leave(const struct wd_session *s)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++)
		if (wd_engine.queue[i]->binder == s)
			wd_engine.queue[i]->binder = NULL;
}

/* 0, or why it has no context of a device, although it may have one; or -ENOMEM. */
static int bind_anew(struct wd_session *s)
{
	int ret = 0, saved = errno;

	/* A context that it counts of may take its time to stop. */
	pthread_mutex_unlock(&wd_engine.lock);
	wd_tally_fold(s);
	pthread_mutex_lock(&wd_engine.lock);
	atomic_store(&s->nr, 0);
	atomic_store(&s->first, NULL);
	atomic_store(&s->reason, WD_REASON_POLICY);
	/* Of no use to a child. */
	if (s->cq && s->obj.fork_gen && wd_stale(&s->obj))
		goto out;
	if (s->attr.async && s->soft_ok) {
		atomic_store(&s->soft, wd_queue_soft(s));
		if (!atomic_load(&s->soft))
			ret = wd_fail(NULL, ENOMEM, "no memory for the software context");
	}
	if (!ret && s->hw_ok)
		ret = bind_devices(s);
out:
	wd_idle_hold(s);
	binder_leave(s);
	errno = saved;
	atomic_store_explicit(&s->bound_gen, wd_fork_now(), memory_order_release);
	return ret;
}

int wd_engine_bind(struct wd_session *s)
{
	int ret = bind_anew(s);

	return ret == -ENOMEM || !s->soft_ok ? ret : 0;
}

static void own_leave(struct wd_queue *q)
{
	atomic_store(&q->owner, NULL);
	/* Beyond what the process may have otherwise. */
	q->idle_at = 0;
}

/* Those beyond the first keep ones are nobody's, and closed unless another session takes them. */
static void own_drop(struct wd_session *s, unsigned int keep)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->owner == s && !(queue_suits(q, s) && keep && keep--))
			own_leave(q);
	}
}

/* Beyond the first keep ones. */
static bool own_busy(const struct wd_session *s, unsigned int keep)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&wd_engine.nr); i++) {
		struct wd_queue *q = wd_engine.queue[i];

		if (q->owner != s || !queue_suits(q, s) || (keep && keep--))
			continue;
		if (wd_queue_in_flight(q) || wd_queue_async_nr(q))
			return true;
	}
	return false;
}

int wd_engine_own(struct wd_session *s, unsigned int nr)
{
	unsigned int before = s->own_nr;
	int ret;

	if (nr < before && own_busy(s, nr))
		return wd_fail(&s->obj, EBUSY, "requests are in flight on contexts that the session would give back");
	s->own_nr = nr;
	ret = bind_anew(s);
	if (!nr && ret != -ENOMEM)
		ret = 0;
	if (!ret && nr && atomic_load(&s->nr) < nr)
		ret = wd_fail_num(&s->obj, EBUSY, "of %u contexts for the session alone there are %u", nr,
				  atomic_load(&s->nr));
	if (ret)
		s->own_nr = before;
	own_drop(s, s->own_nr);
	if (ret)
		wd_engine_bind(s);
	return ret;
}

void wd_engine_release(struct wd_session *s)
{
	pthread_mutex_lock(&wd_engine.lock);
	if (s->era == wd_engine.era)
		wd_engine.sessions--;
	wd_idle_drop(s, true);
	own_drop(s, 0);
	pthread_mutex_unlock(&wd_engine.lock);
	wd_idle_close();
}
