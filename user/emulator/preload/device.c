// SPDX-License-Identifier: Apache-2.0
/* A model device in this process: its memory, its control thread and its workers. */
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <stdint.h>
#include "emu.h"

#define SPIN_NS		30000ull
#define YIELDS		100	/* how often the control thread yields to callers before it sleeps */
#define REST_MIN_NS	20000ull
#define REST_MAX_NS	1000000ull
#define RINGS_BYTES	65536
#define LATENT_JOBS	16384
/*
 * The control thread may share a CPU with the client, and then sees the last of several doorbells: of a client that
 * submits at once after its CQ doorbell it may never see one.
 */
#define HIDDEN_PASSES	UINT32_MAX

unsigned long long emu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

static u64 env_now(void *host)
{
	(void)host;
	return emu_now();
}

/* Rings and contexts are at addresses of this process, but only at those that the driver gave out. */
static unsigned char *bus_memory(struct emu_device *dev, u64 addr, u32 len)
{
	unsigned char *p = (unsigned char *)(uintptr_t)addr;
	size_t dus = emu_dus_size(dev);
	unsigned int i;

	if (addr + len < addr)
		return NULL;
	if (p >= dev->rings && p + len <= dev->rings + RINGS_BYTES)
		return p;
	for (i = 0; i < dev->nr_queues; i++)
		if (dev->queues[i] && p >= dev->queues[i]->dus && p + len <= dev->queues[i]->dus + dus)
			return p;
	return NULL;
}

/* Reads into @in, or writes from @out. Mappings beside each other are one range. */
static int mapped_access(struct emu_device *dev, u64 addr, unsigned char *in, const unsigned char *out, u32 len)
{
	unsigned char *mem;
	u64 done, n;
	bool user;
	int err = 0;

	for (done = 0; done < len && !err; done += n) {
		n = len - done;
		mem = emu_mapped_reach(dev, addr + done, in ? WDM_MAY_READ : WDM_MAY_WRITE, &n, &user);
		if (!mem)
			return -EFAULT;
		if (user && in)
			err = emu_payload_read((uintptr_t)mem, in + done, (unsigned int)n);
		else if (user)
			err = emu_payload_write((uintptr_t)mem, out + done, (unsigned int)n);
		else if (in)
			emu_bus_read(mem, in + done, (u32)n);
		else
			emu_bus_write(mem, out + done, (u32)n);
	}
	return err;
}

static int bus_access(struct emu_device *dev, u64 addr, void *in, const void *out, u32 len)
{
	unsigned char *p;

	if (dev->mediated)
		return mapped_access(dev, addr, in, out, len);
	p = bus_memory(dev, addr, len);
	if (!p)
		return -EFAULT;
	if (in)
		emu_bus_read(p, in, len);
	else
		emu_bus_write(p, out, len);
	return 0;
}

static int env_dma_read(void *host, u32 fn, u64 addr, void *buf, u32 len)
{
	(void)fn;
	return bus_access(host, addr, buf, NULL, len);
}

static int env_dma_write(void *host, u32 fn, u64 addr, const void *buf, u32 len)
{
	(void)fn;
	return bus_access(host, addr, NULL, buf, len);
}

static void *mapped_word(struct emu_device *dev, u64 addr)
{
	u64 n = sizeof(u32);
	bool user;
	void *mem = emu_mapped_reach(dev, addr, WDM_MAY_READ | WDM_MAY_WRITE, &n, &user);

	return mem && !user && n == sizeof(u32) ? mem : NULL;
}

static int env_dma_swap(void *host, u32 fn, u64 addr, u32 old, u32 new)
{
	struct emu_device *dev = host;
	unsigned char *p = dev->mediated ? mapped_word(dev, addr) : bus_memory(dev, addr, sizeof(u32));

	(void)fn;
	if (!p || addr % sizeof(u32))
		return -EFAULT;
	return __atomic_compare_exchange_n((u32 *)(void *)p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ?
		0 : -EAGAIN;
}

static int env_sva_read(void *host, u32 fn, u32 pasid, u64 addr, void *buf, u32 len)
{
	struct emu_device *dev = host;

	(void)fn, (void)pasid;
	return dev->mediated ? mapped_access(dev, addr, buf, NULL, len) : emu_payload_read(addr, buf, len);
}

static int env_sva_write(void *host, u32 fn, u32 pasid, u64 addr, const void *buf, u32 len)
{
	struct emu_device *dev = host;

	(void)fn, (void)pasid;
	return dev->mediated ? mapped_access(dev, addr, NULL, buf, len) : emu_payload_write(addr, buf, len);
}

static void env_irq(void *host, u32 fn, u32 vector)
{
	(void)fn;
	emu_driver_irq(host, vector);
}

static void env_fault(void *host, u32 kind)
{
	struct emu_device *dev = host;

	dev->faulted |= 1u << kind;
}

void emu_device_enter(struct emu_device *dev)
{
	atomic_fetch_add(&dev->callers, 1);
	pthread_mutex_lock(&dev->lock);
	atomic_fetch_sub(&dev->callers, 1);
}

void emu_device_leave(struct emu_device *dev)
{
	pthread_mutex_unlock(&dev->lock);
}

void emu_wait_until(struct emu_device *dev, unsigned long long ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000ull), .tv_nsec = (long)(ns % 1000000000ull) };

	pthread_cond_timedwait(&dev->kick, &dev->lock, &t);
}

void emu_device_turn(struct emu_device *dev, struct wdm_look *look)
{
	struct wdm_job *job;

	while ((job = dev->done)) {
		dev->done = job->host[0];
		wdm_job_done(dev->model, job);
	}
	wdm_poll(dev->model, look);
	/* With nothing to compute, no worker has to wake. */
	while (emu_config()->no_engine && (job = wdm_job_next(dev->model))) {
		wdm_job_run(job, dev->runners[0].scratch);
		wdm_job_done(dev->model, job);
	}
	while (dev->running < 2 * emu_config()->workers && (job = wdm_job_next(dev->model))) {
		job->host[0] = NULL;
		*dev->todo_last = job;
		dev->todo_last = (struct wdm_job **)(void *)&job->host[0];
		dev->running++;
		pthread_cond_signal(&dev->work);
	}
	emu_counts_add(dev);
}

static void *worker(void *arg)
{
	struct emu_runner *r = arg;
	struct emu_device *dev = r->dev;
	struct wdm_job *job;

	atomic_fetch_add(&dev->started, 1);
	pthread_mutex_lock(&dev->lock);
	for (;;) {
		while (!(job = dev->todo))
			pthread_cond_wait(&dev->work, &dev->lock);
		dev->todo = job->host[0];
		if (!dev->todo)
			dev->todo_last = &dev->todo;
		pthread_mutex_unlock(&dev->lock);
		wdm_job_run(job, r->scratch);
		emu_device_enter(dev);
		job->host[0] = dev->done;
		dev->done = job;
		dev->running--;
		pthread_cond_broadcast(&dev->kick);
	}
	return NULL;
}

/* Threads that wait for the lock go first: on busy CPUs they may otherwise not get it for a long time. */
static void let_callers_in(struct emu_device *dev)
{
	unsigned int i = 0;

	pthread_mutex_unlock(&dev->lock);
	do
		sched_yield();
	while (atomic_load(&dev->callers) && ++i < YIELDS);
	pthread_mutex_lock(&dev->lock);
	if (atomic_load(&dev->callers))
		emu_wait_until(dev, emu_now() + REST_MIN_NS);
}

/* Polls, then sleeps for times that grow with the idle time; doesn't poll while no queue is open. */
static void *control(void *arg)
{
	struct emu_device *dev = arg;
	unsigned long long now, worked = emu_now(), nap;
	struct wdm_look look;

	atomic_fetch_add(&dev->started, 1);
	/* A request's latency must be the configured one, and not depend on when the kernel wakes this thread. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	pthread_mutex_lock(&dev->lock);
	for (;;) {
		emu_control_wait(dev);
		emu_device_turn(dev, &look);
		if (dev->faulted)
			emu_control_fault(dev);
		now = emu_now();
		if (look.worked)
			worked = now;
		if (!dev->nr_open && !look.busy) {
			pthread_cond_wait(&dev->kick, &dev->lock);
			worked = emu_now();
		} else if (now - worked < SPIN_NS) {
			let_callers_in(dev);
		} else {
			nap = (now - worked) / 8;
			nap = nap < REST_MIN_NS ? REST_MIN_NS : nap > REST_MAX_NS ? REST_MAX_NS : nap;
			if (!dev->done)
				emu_wait_until(dev, look.next_ns < now + nap ? look.next_ns : now + nap);
		}
	}
	return NULL;
}

static void *memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void bars_up(struct emu_device *dev)
{
	size_t regs = wdm_bar_size(dev->model, WDM_PF, QM_BAR_REGS),
	       doorbells = wdm_bar_size(dev->model, WDM_PF, QM_BAR_DB);

	if (doorbells) {
		dev->bar2 = memory(regs);
		dev->bar4 = memory(doorbells);
		return;
	}
	dev->bar2_fd = emu_shared_memory(regs);
	dev->bar2 = dev->bar2_fd < 0 ? NULL : emu_shared_map(NULL, regs, dev->bar2_fd, 0);
}

/* The driver's own memory, for a device that reaches nothing else */
static int rings_open(struct emu_device *dev)
{
	struct emu_mapping *w = emu_mapping_on(dev, dev->rings, RINGS_BYTES, WDM_MAY_READ | WDM_MAY_WRITE);

	if (!w)
		return -ENOMEM;
	dev->rings_at = w->piece.start;
	return 0;
}

static int model_up(struct emu_device *dev)
{
	const struct emu_config *c = emu_config();
	struct wdm_attr attr = {
		.type = dev->kind->type, .generation = dev->generation, .queues = c->queues,
		.latency_ns = c->latency_ns, .bandwidth_mbps = c->mbps, .hidden_passes = c->trap ? 0 : HIDDEN_PASSES,
		/* Requests wait in the model, not in a worker, until their latency has passed. */
		.jobs = c->latency_ns ? LATENT_JOBS : 0,
	};
	void *mem = memory(wdm_device_size(&attr));

	dev->env = (struct wdm_env){
		.dma_read = env_dma_read, .dma_write = env_dma_write, .dma_swap = env_dma_swap,
		.sva_read = env_sva_read,
		.sva_write = env_sva_write, .irq = env_irq, .now_ns = env_now, .fault = env_fault,
		.engine = emu_config()->no_engine ? dev->kind->no_engine : dev->kind->engine,
	};
	dev->model = mem ? wdm_device_init(mem, &attr, &dev->env, dev) : NULL;
	if (!dev->model)
		return -ENOMEM;
	bars_up(dev);
	dev->rings = memory(RINGS_BYTES);
	dev->queues = calloc(dev->nr_queues, sizeof(*dev->queues));
	if (!dev->bar2 || (!dev->bar4 && wdm_bar_size(dev->model, WDM_PF, QM_BAR_DB)) || !dev->rings || !dev->queues)
		return -ENOMEM;
	if (dev->mediated && rings_open(dev))
		return -ENOMEM;
	return wdm_function_attach(dev->model, WDM_PF, dev->bar2, dev->bar4);
}

/* There is no model, only the doorbell pages of the queues. */
static int null_up(struct emu_device *dev)
{
	dev->bar4 = memory((size_t)dev->nr_queues * QM_DB_WINDOW);
	dev->queues = calloc(dev->nr_queues, sizeof(*dev->queues));
	dev->up = dev->bar4 && dev->queues;
	return dev->up ? 0 : -ENOMEM;
}

static int runner_start(struct emu_runner *r, struct emu_device *dev)
{
	void *mem = malloc(wdm_scratch_size());

	r->dev = dev;
	r->engine_ws = dev->kind->ws_alloc();
	if (!mem || !r->engine_ws)
		return -ENOMEM;
	r->scratch = wdm_scratch_init(mem, r->engine_ws);
	return emu_thread_start(worker, r);
}

/*
 * Returns when all threads run. AddressSanitizer allocates memory when a thread starts, and the child of a fork() at
 * that moment would find the allocator's lock held.
 */
static int threads_start(struct emu_device *dev)
{
	unsigned int workers = emu_config()->workers, n = 0;
	int err;

	do
		err = n < workers ? runner_start(&dev->runners[n], dev) : emu_thread_start(control, dev);
	while (!err && ++n <= workers);
	while (atomic_load(&dev->started) < n)
		sched_yield();
	return err;
}

/* Starts at the first open, so that a program without devices has no thread, and runs until exit. */
int emu_device_up(struct emu_device *dev)
{
	int err;

	if (dev->up)
		return 0;
	if (emu_config()->null)
		return null_up(dev);
	err = model_up(dev);
	if (!err)
		err = emu_driver_init(dev);
	if (!err)
		err = emu_faults_up(dev);
	if (!err)
		err = threads_start(dev);
	dev->up = !err;
	return err;
}
