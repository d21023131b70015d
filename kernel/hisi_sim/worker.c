// SPDX-License-Identifier: GPL-2.0-or-later
/* The threads of a device: the control thread polls registers and doorbells, the runners execute descriptors. */
/*
 * Lock		protects		taken under
 * w->lock	todo, done, calls	nothing
 *
 * running, running_slow and pending belong to the control thread. The model needs no lock: only the control
 * thread calls it, except for wdm_job_run().
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "model/model.h"
#include "hw/qm_hw.h"

#define RUNNERS_MAX	5
#define CONTROL_NICE	-10
#define JOBS		1024
/*
 * The control thread looks from time to time, and then sees the last of several doorbells: of a client that submits at
 * once after its CQ doorbell it may never see one.
 */
#define HIDDEN_PASSES	U32_MAX

/*
 * How long to rest between polls, by the time since the last event. The last row bounds the
 * first answer of an idle device. From WATCH_NS on, a timer polls while the thread sleeps,
 * since two context switches per poll would be most of an idle device's cost.
 */
static const struct pace {
	u64 idle_ns;
	u64 rest_ns;
	u64 slack_ns;
} paces[] = {
	{ 50 * NSEC_PER_USEC, 0, 0 },
	{ 2 * NSEC_PER_MSEC, 20 * NSEC_PER_USEC, 10 * NSEC_PER_USEC },
	{ 20 * NSEC_PER_MSEC, 100 * NSEC_PER_USEC, 50 * NSEC_PER_USEC },
	{ 200 * NSEC_PER_MSEC, NSEC_PER_MSEC, 200 * NSEC_PER_USEC },
	{ NSEC_PER_SEC, 4 * NSEC_PER_MSEC, NSEC_PER_MSEC },
	{ U64_MAX, 7 * NSEC_PER_MSEC, NSEC_PER_MSEC },
};

#define WATCH_NS	NSEC_PER_MSEC

/* A call that only the control thread may make, for a thread that waits for it. */
struct call {
	struct list_head node;
	void (*call)(struct wdm_device *model, void *arg);
	void *arg;
	struct completion made;
};

struct runner {
	struct sim_worker *worker;
	struct task_struct *task;
	struct wdm_scratch *scratch;
	void *scratch_mem;
	void *engine_ws;
	bool engine_up;
	struct sim_access access;
};

struct sim_worker {
	struct sim_dev *sdev;
	struct task_struct *control;
	bool kicked;
	bool new_pace;
	bool pending;		/* the model hasn't followed all resets and enable bits */
	wait_queue_head_t followed;
	u64 worked_ns;		/* time of the last event */
	struct hrtimer watch;
	struct wdm_device *model;
	void *model_mem;
	struct wdm_env env;
	spinlock_t lock;
	struct list_head todo;
	struct list_head done;
	struct list_head calls;
	unsigned int running;
	unsigned int running_slow;
	wait_queue_head_t work;
	struct sim_crowd crowd;
	unsigned int nr_runners;
	struct runner runners[RUNNERS_MAX];
};

/* The host's data in a job of the model. */
struct mark {
	struct list_head link;
	bool slow;		/* threads have waited long for pages of its user */
};

static struct mark *job_mark(struct wdm_job *job)
{
	BUILD_BUG_ON(sizeof(job->host) < sizeof(struct mark));
	return (struct mark *)job->host;
}

static struct list_head *job_link(struct wdm_job *job)
{
	return &job_mark(job)->link;
}

static struct wdm_job *link_job(struct list_head *link)
{
	return container_of((void *)link, struct wdm_job, host);
}

/* ------ services for the model ------ */

static struct sim_fn *env_fn(void *host, u32 fn)
{
	return &((struct sim_worker *)host)->sdev->fns[fn];
}

static int env_dma_read(void *host, u32 fn, u64 addr, void *buf, u32 len)
{
	return sim_dma_read(env_fn(host, fn), addr, buf, len);
}

static int env_dma_write(void *host, u32 fn, u64 addr, const void *buf, u32 len)
{
	return sim_dma_write(env_fn(host, fn), addr, buf, len);
}

static int env_dma_swap(void *host, u32 fn, u64 addr, u32 old, u32 new)
{
	return sim_dma_swap(env_fn(host, fn), addr, old, new);
}

/*
 * The runner uses the address space of its job's PASID already. A job may have megabytes, so it
 * may reschedule at each piece.
 */
static int env_sva_read(void *host, u32 fn, u32 pasid, u64 addr, void *buf, u32 len)
{
	struct runner *r = kthread_data(current);

	cond_resched();
	sim_late(&r->worker->sdev->late, r->access.abort);
	return r->access.space ? sim_space_read(&r->access, addr, buf, len) :
				 sim_dma_lost(r->access.fn, addr, len, false);
}

static int env_sva_write(void *host, u32 fn, u32 pasid, u64 addr, const void *buf, u32 len)
{
	struct runner *r = kthread_data(current);

	cond_resched();
	sim_late(&r->worker->sdev->late, r->access.abort);
	return r->access.space ? sim_space_write(&r->access, addr, buf, len) :
				 sim_dma_lost(r->access.fn, addr, len, true);
}

static void env_irq(void *host, u32 fn, u32 vector)
{
	sim_msi_raise(env_fn(host, fn), vector);
}

static u64 env_now_ns(void *host)
{
	return ktime_get_ns();
}

/* An error reaches the driver by an interrupt. */
static void env_fault(void *host, u32 kind)
{
	struct sim_worker *w = host;

	if (kind != WDM_FAULT_REMOVE)
		return;
	WRITE_ONCE(w->sdev->pulled_out, true);
	queue_work(system_long_wq, w->sdev->shape.pull_out);
}

/* Jobs of slow users never occupy the last thread. */
static bool env_hold(void *host, u32 fn, u32 pasid)
{
	struct sim_worker *w = host;

	if (w->running_slow < w->nr_runners - 1 || !sim_space_slow(env_fn(host, fn), pasid))
		return false;
	WRITE_ONCE(w->crowd.held, true);
	return true;
}

/* Wakes the control thread for an event. Any context. */
static void worker_kick(struct sim_worker *w)
{
	WRITE_ONCE(w->kicked, true);
	/* Pairs with set_current_state() in worker_rest(). */
	smp_mb();
	wake_up_process(w->control);
}

void sim_worker_kick(struct sim_dev *sdev)
{
	worker_kick(sdev->worker);
}

void sim_worker_set_pace(struct sim_dev *sdev, u64 latency_ns, u32 bandwidth_mbps)
{
	WRITE_ONCE(sdev->shape.latency_ns, latency_ns);
	WRITE_ONCE(sdev->shape.bandwidth_mbps, bandwidth_mbps);
	/* Pairs with xchg() in worker_serve(): a reader that sees the flag sees the values. */
	smp_store_release(&sdev->worker->new_pace, true);
	worker_kick(sdev->worker);
}

/*
 * Makes @call on the thread that runs the model, and waits for it. Must not run while the
 * device is added or removed.
 */
void sim_worker_call(struct sim_dev *sdev, void (*call)(struct wdm_device *model, void *arg), void *arg)
{
	struct sim_worker *w = sdev->worker;
	struct call c = { .call = call, .arg = arg, .made = COMPLETION_INITIALIZER_ONSTACK(c.made) };

	spin_lock(&w->lock);
	list_add_tail(&c.node, &w->calls);
	spin_unlock(&w->lock);
	worker_kick(w);
	wait_for_completion(&c.made);
}

/* ------ runners ------ */

static struct wdm_job *take_job(struct sim_worker *w)
{
	struct wdm_job *job = NULL;

	spin_lock(&w->lock);
	if (!list_empty(&w->todo)) {
		job = link_job(w->todo.next);
		list_del(job_link(job));
	}
	spin_unlock(&w->lock);
	return job;
}

static void give_back(struct sim_worker *w, struct wdm_job *job)
{
	spin_lock(&w->lock);
	list_add_tail(job_link(job), &w->done);
	/* Under the lock: a control thread that stops may exit, and free @w, once it has collected the last job. */
	worker_kick(w);
	spin_unlock(&w->lock);
}

static void run_job(struct runner *r, struct wdm_job *job)
{
	r->access.fn = env_fn(r->worker, job->fn);
	r->access.abort = &job->abort;
	r->access.waited_us = 0;
	r->access.slow = job_mark(job)->slow;
	r->access.space = job->pasid_valid ? sim_space_use(r->access.fn, job->pasid) : NULL;
	wdm_job_run(job, r->scratch);
	if (r->access.space)
		sim_space_unuse(r->access.space);
	r->access.space = NULL;
}

static int runner_main(void *data)
{
	struct runner *r = data;
	struct sim_worker *w = r->worker;
	struct wdm_job *job;

	for (;;) {
		wait_event_idle_exclusive(w->work, (job = take_job(w)) || kthread_should_stop());
		if (!job)
			return 0;
		run_job(r, job);
		give_back(w, job);
	}
}

/* ------ control thread ------ */

static bool worker_collect(struct sim_worker *w)
{
	struct list_head *link, *next;
	unsigned int nr = 0;
	LIST_HEAD(done);

	spin_lock(&w->lock);
	list_splice_init(&w->done, &done);
	spin_unlock(&w->lock);
	list_for_each_safe(link, next, &done) {
		w->running_slow -= job_mark(link_job(link))->slow;
		wdm_job_done(w->model, link_job(link));
		nr++;
	}
	w->running -= nr;
	return nr;
}

static void make_calls(struct sim_worker *w)
{
	struct call *c, *next;
	LIST_HEAD(calls);

	spin_lock(&w->lock);
	list_splice_init(&w->calls, &calls);
	spin_unlock(&w->lock);
	list_for_each_entry_safe(c, next, &calls, node) {
		c->call(w->model, c->arg);
		complete(&c->made);
	}
}

/* Twice as many jobs as runners, so that no runner waits for this thread. */
static void worker_dispatch(struct sim_worker *w)
{
	struct wdm_job *job;

	if (w->running < 2 * w->nr_runners)
		WRITE_ONCE(w->crowd.held, false);
	while (w->running < 2 * w->nr_runners && (job = wdm_job_next(w->model))) {
		job_mark(job)->slow = job->pasid_valid && sim_space_slow(env_fn(w, job->fn), job->pasid);
		w->running_slow += job_mark(job)->slow;
		w->running++;
		spin_lock(&w->lock);
		list_add_tail(job_link(job), &w->todo);
		spin_unlock(&w->lock);
		wake_up(&w->work);
	}
}

/*
 * Makes the model follow a virtual function's enable bits. A function that was disabled and is
 * enabled again begins anew, when the last job from before has ended. Returns true until then.
 */
static bool follow_enable(struct sim_worker *w, struct sim_fn *fn)
{
	bool mapped;
	u32 changes = sim_config_changes(fn, &mapped);

	if (changes == fn->followed)
		return false;
	fn->resetting = false;
	wdm_function_detach(w->model, fn->index);
	if (wdm_function_busy(w->model, fn->index))
		return true;
	/* The BARs are large enough for the model: it can't fail. */
	if (mapped)
		wdm_function_attach(w->model, fn->index, fn->regs.io, fn->db.io);
	/* Pairs with the read in has_followed(). */
	smp_store_release(&fn->followed, changes);
	wake_up_all(&w->followed);
	return false;
}

/* Config space reads as ones until the last job from before the reset has ended. */
static bool follow_reset(struct sim_worker *w, struct sim_fn *fn, bool vfs_pending)
{
	if (!sim_config_flr_wanted(fn))
		return false;
	if (!fn->resetting)
		wdm_function_reset(w->model, fn->index);
	fn->resetting = wdm_function_busy(w->model, fn->index) || (fn->index == SIM_PF && vfs_pending);
	if (!fn->resetting)
		sim_config_flr_done(fn);
	return fn->resetting;
}

/*
 * Returns true until the last job from before has ended. Only then config space of the virtual functions is lost, since
 * it says what they may access.
 */
static bool follow_device_reset(struct sim_worker *w)
{
	struct sim_dev *sdev = w->sdev;
	unsigned int i;

	/* A reset of the physical function ends this one. */
	if (!sim_reset_wanted(sdev)) {
		sdev->resetting = false;
		return false;
	}
	if (!sdev->resetting && READ_ONCE(sdev->reset_fails)) {
		sim_reset_end(sdev, true);
		return false;
	}
	if (!sdev->resetting)
		wdm_device_reset(w->model);
	sdev->resetting = wdm_function_busy(w->model, SIM_PF);
	if (sdev->resetting)
		return true;
	for (i = SIM_PF + 1; i < sdev->nr_fns; i++)
		sim_config_reset_vf(&sdev->fns[i]);
	sim_reset_end(sdev, false);
	return false;
}

/* The physical function last: its reset ends after it has disabled the others. */
static bool follow_config(struct sim_worker *w)
{
	unsigned int i = w->sdev->nr_fns;
	bool pending = false;

	while (i-- > 0) {
		struct sim_fn *fn = &w->sdev->fns[i];

		pending |= follow_enable(w, fn);
		pending |= follow_reset(w, fn, pending);
	}
	pending |= follow_device_reset(w);
	return pending;
}

static bool has_followed(struct sim_fn *fn)
{
	return smp_load_acquire(&fn->followed) == READ_ONCE(fn->changes);
}

/* Waits until the model has followed the function's enable bits. */
void sim_worker_wait(struct sim_fn *fn)
{
	wait_event(fn->sdev->worker->followed, has_followed(fn));
}

static bool worker_serve(struct sim_worker *w, struct wdm_look *look)
{
	bool worked = xchg(&w->kicked, false);

	w->pending |= worked;
	if (worked) {
		make_calls(w);
		sim_mapped_report(w->sdev, w->model);
	}
	if (xchg(&w->new_pace, false)) {
		wdm_device_set_latency(w->model, READ_ONCE(w->sdev->shape.latency_ns));
		wdm_device_set_bandwidth(w->model, READ_ONCE(w->sdev->shape.bandwidth_mbps));
	}
	worked |= worker_collect(w);
	if (w->pending)
		w->pending = follow_config(w);
	if (sim_config_flr_wanted(sim_pf(w->sdev)) || w->sdev->resetting)
		return true;
	if (!sim_config_any_memory(w->sdev) && !w->running) {
		look->next_ns = WDM_NEVER;
		return worked;
	}
	wdm_poll(w->model, look);
	worker_dispatch(w);
	return worked || w->pending || look->worked;
}

static const struct pace *pace_at(struct sim_worker *w, u64 now)
{
	const struct pace *pace = paces;

	while (now - w->worked_ns >= pace->idle_ns)
		pace++;
	return pace;
}

/* Runs in place of the control thread, which sleeps and cancels this timer before it continues. */
static enum hrtimer_restart worker_watch(struct hrtimer *timer)
{
	struct sim_worker *w = container_of(timer, struct sim_worker, watch);
	struct wdm_look look = {};
	u64 now;

	wdm_poll(w->model, &look);
	now = ktime_get_ns();
	/* Held jobs wait for running jobs, whose ends kick the thread. */
	if (look.worked || (look.jobs && !READ_ONCE(w->crowd.held)) || look.next_ns != WDM_NEVER) {
		worker_kick(w);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(pace_at(w, now)->rest_ns));
	return HRTIMER_RESTART;
}

/* Sleeps until a kick, or for @ns (U64_MAX: no limit). */
static void sleep_ns(struct sim_worker *w, u64 ns, u64 slack_ns)
{
	ktime_t time = ns_to_ktime(ns);

	set_current_state(TASK_IDLE);
	if (!READ_ONCE(w->kicked) && !kthread_should_stop())
		schedule_hrtimeout_range(ns == U64_MAX ? NULL : &time, slack_ns, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
}

static void sleep_watched(struct sim_worker *w, u64 ns, u64 slack_ns)
{
	hrtimer_start_range_ns(&w->watch, ns_to_ktime(ns), slack_ns, HRTIMER_MODE_REL_SOFT);
	sleep_ns(w, U64_MAX, 0);
	hrtimer_cancel(&w->watch);
}

/* Spins at first, then sleeps longer the longer nothing has happened. */
static void worker_rest(struct sim_worker *w, u64 now, const struct wdm_look *look)
{
	const struct pace *pace = pace_at(w, now);
	u64 ns = pace->rest_ns;

	/* With memory decoding off no register can change before a config write, which kicks. */
	if (!sim_config_any_memory(w->sdev) && !w->running && !look->busy) {
		sleep_ns(w, U64_MAX, 0);
		return;
	}
	if (look->next_ns == WDM_NEVER && ns >= WATCH_NS) {
		sleep_watched(w, ns, pace->slack_ns);
		return;
	}
	if (look->next_ns != WDM_NEVER)
		ns = min(ns, look->next_ns > now ? look->next_ns - now : 0);
	if (ns) {
		sleep_ns(w, ns, min(pace->slack_ns, ns));
		return;
	}
	cpu_relax();
	cond_resched();
}

static int control_main(void *data)
{
	struct sim_worker *w = data;
	unsigned int i;
	u64 now;

	set_user_nice(current, CONTROL_NICE);
	while (!kthread_should_stop()) {
		struct wdm_look look = {};
		bool worked = worker_serve(w, &look);

		now = ktime_get_ns();
		if (worked)
			w->worked_ns = now;
		worker_rest(w, now, &look);
	}
	for (i = 0; i < w->sdev->nr_fns; i++)
		wdm_function_detach(w->model, i);
	while (worker_collect(w) || w->running)
		usleep_range(50, 100);
	return 0;
}

/* ------ start and stop ------ */

static void runner_exit(struct runner *r)
{
	const struct sim_engine *engine = r->worker->sdev->shape.type->engine;

	if (r->task)
		kthread_stop(r->task);
	sim_access_end(&r->access);
	if (r->engine_up && engine->workspace_exit)
		engine->workspace_exit(r->engine_ws);
	kvfree(r->engine_ws);
	kvfree(r->scratch_mem);
}

static int runner_init(struct sim_worker *w, struct runner *r)
{
	const struct sim_engine *engine = w->sdev->shape.type->engine;
	int node = w->sdev->shape.node, err;

	r->access.crowd = &w->crowd;
	r->scratch_mem = kvzalloc_node(wdm_scratch_size(), GFP_KERNEL, node);
	r->engine_ws = kvzalloc_node(engine->workspace_size(), GFP_KERNEL, node);
	if (!r->scratch_mem || !r->engine_ws)
		return -ENOMEM;
	err = engine->workspace_init ? engine->workspace_init(r->engine_ws) : 0;
	if (err)
		return err;
	r->engine_up = true;
	r->scratch = wdm_scratch_init(r->scratch_mem, r->engine_ws);
	r->task = kthread_create_on_node(runner_main, r, node, "hisi_sim%u/job", w->sdev->id);
	if (IS_ERR(r->task)) {
		err = PTR_ERR(r->task);
		r->task = NULL;
		return err;
	}
	return 0;
}

static void stay_on_node(struct task_struct *task, int node)
{
	if (node != NUMA_NO_NODE && cpumask_intersects(cpumask_of_node(node), cpu_online_mask))
		set_cpus_allowed_ptr(task, cpumask_of_node(node));
}

static bool old_drivers;
module_param(old_drivers, bool, 0644);
MODULE_PARM_DESC(old_drivers,
		 "New devices accept drivers that don't set the time-out of doorbells: mainline's before Linux 6.6, "
		 "and later ones after a reset of the device");

static int model_init(struct sim_worker *w)
{
	const struct sim_shape *shape = &w->sdev->shape;
	struct sim_fn *pf = sim_pf(w->sdev);
	struct wdm_attr attr = {
		.type = shape->type->model,
		.generation = shape->generation,
		.queues = sim_queues(shape),
		.functions = w->sdev->nr_fns,
		.per_fn_max = sim_function_queues(shape),
		.jobs = JOBS,
		.hidden_passes = HIDDEN_PASSES,
		.half_vf_regs = !shape->vf_migration,
		.sub_version = shape->sub_version,
		.message_vector = shape->message_vector,
		.any_db_timeout = READ_ONCE(old_drivers),
		.latency_ns = shape->latency_ns,
		.bandwidth_mbps = shape->bandwidth_mbps,
	};
	size_t size = wdm_device_size(&attr);
	unsigned int kind;

	if (!size)
		return -EINVAL;
	w->model_mem = kvzalloc_node(size, GFP_KERNEL, shape->node);
	if (!w->model_mem)
		return -ENOMEM;
	w->env = (struct wdm_env) {
		.dma_read = env_dma_read,
		.dma_write = env_dma_write,
		.dma_swap = env_dma_swap,
		.sva_read = env_sva_read,
		.sva_write = env_sva_write,
		.irq = env_irq,
		.now_ns = env_now_ns,
		.hold = env_hold,
		.fault = env_fault,
		.engine = shape->type->engine->ops,
	};
	w->model = wdm_device_init(w->model_mem, &attr, &w->env, w);
	if (!w->model || wdm_bar_size(w->model, WDM_PF, QM_BAR_REGS) > pf->regs.size ||
	    wdm_bar_size(w->model, WDM_PF, QM_BAR_DB) > pf->db.size)
		goto err_free_model;
	wdm_fault_seed(w->model, shape->fault_seed);
	for (kind = 0; kind < WDM_FAULT_NR; kind++)
		if (wdm_fault_set(w->model, kind, &shape->faults[kind]))
			goto err_free_model;
	sim_late_init(&w->sdev->late);
	sim_late_set(&w->sdev->late, &shape->faults[WDM_FAULT_PAGE]);
	if (wdm_function_attach(w->model, WDM_PF, pf->regs.io, pf->db.io))
		goto err_free_model;
	return 0;

err_free_model:
	kvfree(w->model_mem);
	return -EINVAL;
}

static void stop_runners(struct sim_worker *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_runners; i++)
		runner_exit(&w->runners[i]);
}

int sim_worker_start(struct sim_dev *sdev)
{
	struct sim_worker *w;
	unsigned int i;
	int err;

	w = kvzalloc_node(sizeof(*w), GFP_KERNEL, sdev->shape.node);
	if (!w)
		return -ENOMEM;
	w->sdev = sdev;
	spin_lock_init(&w->lock);
	INIT_LIST_HEAD(&w->todo);
	INIT_LIST_HEAD(&w->done);
	INIT_LIST_HEAD(&w->calls);
	init_waitqueue_head(&w->work);
	init_waitqueue_head(&w->followed);
	hrtimer_setup(&w->watch, worker_watch, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	w->nr_runners = min_t(unsigned int, num_online_cpus() + 1, RUNNERS_MAX);
	w->crowd.threads = w->nr_runners;
	err = model_init(w);
	if (err)
		goto err_free_worker;
	for (i = 0; i < w->nr_runners; i++)
		w->runners[i].worker = w;
	for (i = 0; i < w->nr_runners; i++) {
		err = runner_init(w, &w->runners[i]);
		if (err)
			goto err_stop_runners;
	}
	w->control = kthread_create_on_node(control_main, w, sdev->shape.node, "hisi_sim%u",
					    sdev->id);
	if (IS_ERR(w->control)) {
		err = PTR_ERR(w->control);
		goto err_stop_runners;
	}
	for (i = 0; i < w->nr_runners; i++) {
		stay_on_node(w->runners[i].task, sdev->shape.node);
		wake_up_process(w->runners[i].task);
	}
	stay_on_node(w->control, sdev->shape.node);
	sdev->worker = w;
	wake_up_process(w->control);
	return 0;

err_stop_runners:
	stop_runners(w);
	kvfree(w->model_mem);
err_free_worker:
	kvfree(w);
	return err;
}

/* The control thread first: it waits until the runners have returned every job. */
void sim_worker_stop(struct sim_dev *sdev)
{
	struct sim_worker *w = sdev->worker;

	kthread_stop(w->control);
	stop_runners(w);
	sdev->worker = NULL;
	kvfree(w->model_mem);
	kvfree(w);
}
