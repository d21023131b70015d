// SPDX-License-Identifier: GPL-2.0-or-later
/* Absent payload pages: faulted in within a bounded time, whatever user space backs them with. */
/*
 * The job's own thread faults in anonymous, tmpfs and hugetlbfs memory, where it can request a
 * fault that doesn't wait (RETRY_NOWAIT). Other file systems don't respect that flag
 * everywhere, and some run in user space: their pages are left to a pager, a thread that may be
 * abandoned.
 *
 * A pager's state goes IDLE -> ASKED -> DONE -> IDLE, or ASKED -> LEFT. The atomic exchange
 * that leaves ASKED tells one of the two sides that the pager now belongs to the other. A pager
 * in state LEFT has been killed, frees itself when its fault returns, and pins the module until
 * then.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "internal.h"

#define PAGE_WAIT_US	(2000 * USEC_PER_MSEC * SIM_SLOWNESS)
#define JOB_WAIT_US	(5000 * USEC_PER_MSEC * SIM_SLOWNESS)
#define CROWD_PAGE_US	(250 * USEC_PER_MSEC * SIM_SLOWNESS)
#define CROWD_JOB_US	(500 * USEC_PER_MSEC * SIM_SLOWNESS)
#define RETRY_US	100
#define SLICE_MS	10
/*
 * The time between two looks counts up to this: who holds the lock or brings the page lacks a CPU as this thread does.
 */
#define LOOK_MAX_US	(2 * SLICE_MS * USEC_PER_MSEC)

enum pager_state {
	PAGER_IDLE,
	PAGER_ASKED,
	PAGER_DONE,
	PAGER_LEFT,
};

struct sim_pager {
	struct task_struct *task;
	wait_queue_head_t wait;
	atomic_t state;
	struct sim_left left;
	struct sim_space *space;
	unsigned long addr;
	bool write;
	int result;
};

/*
 * How long one page takes.
 * @begun: when the page's fault began
 * @looked: when the thread last looked, if @waiting
 * @waited_us: how long it has waited so far
 */
struct patience {
	struct sim_access *how;
	unsigned long begun;
	ktime_t looked;
	u64 waited_us;
	bool waiting;
};

static void patience_begin(struct patience *p)
{
	if (p->waiting)
		return;
	p->waiting = true;
	p->looked = ktime_get();
	atomic_inc(&p->how->crowd->waiters);
}

/* All of the device's threads wait, or all that jobs of slow users may use. */
static bool is_in_the_way(const struct sim_access *how)
{
	return atomic_read(&how->crowd->waiters) >= how->crowd->threads ||
	       (how->slow && READ_ONCE(how->crowd->held));
}

static bool patience_over(struct patience *p)
{
	bool hurry = is_in_the_way(p->how);
	u64 page = hurry ? CROWD_PAGE_US : PAGE_WAIT_US, job = hurry ? CROWD_JOB_US : JOB_WAIT_US;
	ktime_t now = ktime_get();

	p->waited_us += min_t(u64, ktime_us_delta(now, p->looked), LOOK_MAX_US);
	p->looked = now;
	return READ_ONCE(*p->how->abort) || p->waited_us > page || p->how->waited_us + p->waited_us > job;
}

/* Time within a fault is charged to the user too, but doesn't count towards the job's limit. */
static void patience_end(struct patience *p, struct sim_space *space)
{
	sim_waits_charge(space->uid, jiffies - p->begun);
	if (!p->waiting)
		return;
	atomic_dec(&p->how->crowd->waiters);
	p->how->waited_us += p->waited_us;
}

/* ------ pager ------ */

static int pager_fault(struct sim_pager *pager)
{
	struct mm_struct *mm = pager->space->mm;
	bool unlocked = false;
	int ret;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = fixup_user_fault(mm, pager->addr,
			       FAULT_FLAG_REMOTE | (pager->write ? FAULT_FLAG_WRITE : 0), &unlocked);
	mmap_read_unlock(mm);
	return ret;
}

static int pager_main(void *data)
{
	struct sim_pager *pager = data;

	allow_signal(SIGKILL);
	for (;;) {
		wait_event_idle(pager->wait, atomic_read(&pager->state) == PAGER_ASKED ||
					     kthread_should_stop());
		if (atomic_read(&pager->state) != PAGER_ASKED)
			return 0;
		pager->result = pager_fault(pager);
		mmput_async(pager->space->mm);
		if (atomic_cmpxchg(&pager->state, PAGER_ASKED, PAGER_DONE) != PAGER_ASKED)
			break;
		/*
		 * Not the last reference to the module: the job thread stops this thread before the
		 * module is unloaded.
		 */
		module_put(THIS_MODULE);
		wake_up(&pager->wait);
	}
	sim_waits_returned(&pager->left);
	sim_space_put(pager->space);
	kfree(pager);
	module_put_and_kthread_exit(0);
}

static struct sim_pager *pager_get(struct sim_access *how)
{
	struct sim_pager *pager = how->pager;

	if (pager)
		return pager;
	pager = kzalloc(sizeof(*pager), GFP_KERNEL);
	if (!pager)
		return NULL;
	init_waitqueue_head(&pager->wait);
	atomic_set(&pager->state, PAGER_IDLE);
	pager->task = kthread_create(pager_main, pager, "hisi_sim/page");
	if (IS_ERR(pager->task)) {
		kfree(pager);
		return NULL;
	}
	get_task_struct(pager->task);
	wake_up_process(pager->task);
	how->pager = pager;
	return pager;
}

/* Called when no job uses @how any more. */
void sim_access_end(struct sim_access *how)
{
	struct sim_pager *pager = how->pager;

	if (!pager)
		return;
	kthread_stop(pager->task);
	put_task_struct(pager->task);
	kfree(pager);
	how->pager = NULL;
}

/* Returns false when the pager has answered meanwhile. */
static bool pager_leave(struct sim_access *how, struct sim_pager *pager)
{
	struct task_struct *task = pager->task;

	/* Before the exchange, since the pager may then see LEFT and drop them. */
	kref_get(&pager->space->ref);
	sim_waits_left(&pager->left, pager->space->uid, pager->space->mm);
	if (atomic_cmpxchg(&pager->state, PAGER_ASKED, PAGER_LEFT) != PAGER_ASKED) {
		sim_waits_returned(&pager->left);
		sim_space_put(pager->space);
		return false;
	}
	how->pager = NULL;
	send_sig(SIGKILL, task, 1);
	put_task_struct(task);
	return true;
}

static int ask_pager(struct patience *p, struct sim_space *space, unsigned long addr, bool write)
{
	struct sim_pager *pager;

	if (!sim_waits_may_leave(space->uid, space->mm))
		return -EFAULT;
	pager = pager_get(p->how);
	if (!pager || !try_module_get(THIS_MODULE))
		return -EFAULT;
	mmget(space->mm);
	pager->space = space;
	pager->addr = addr;
	pager->write = write;
	/* The exchange orders the request before the state. */
	atomic_xchg(&pager->state, PAGER_ASKED);
	wake_up(&pager->wait);
	patience_begin(p);
	while (!wait_event_idle_timeout(pager->wait, atomic_read_acquire(&pager->state) == PAGER_DONE,
					msecs_to_jiffies(SLICE_MS)))
		if (patience_over(p) && pager_leave(p->how, pager))
			return -EFAULT;
	atomic_set(&pager->state, PAGER_IDLE);
	return pager->result;
}

/* ------ job thread ------ */

/* Only regular files: a device node is in a tmpfs too, but its faults may wait for anything. */
static bool waits_for_nobody(struct vm_area_struct *vma)
{
	unsigned long magic;

	if (vma_is_anonymous(vma))
		return true;
	if (!vma->vm_file || !S_ISREG(file_inode(vma->vm_file)->i_mode))
		return false;
	magic = file_inode(vma->vm_file)->i_sb->s_magic;
	return magic == TMPFS_MAGIC || magic == HUGETLBFS_MAGIC;
}

/* -EAGAIN: not yet; -EREMOTE: needs a pager. */
static int fault_now(struct mm_struct *mm, unsigned long addr, bool write)
{
	unsigned int flags = FAULT_FLAG_REMOTE | FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_RETRY_NOWAIT |
			     (write ? FAULT_FLAG_WRITE : 0);
	struct vm_area_struct *vma;
	vm_fault_t fault;
	int ret = -EFAULT;

	/* The lock's holder may be waiting for user space, too. */
	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = find_vma(mm, addr);
	if (!vma || vma->vm_start > addr || !(vma->vm_flags & (write ? VM_WRITE : VM_READ)) ||
	    (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		goto unlock;
	ret = -EREMOTE;
	if (!waits_for_nobody(vma))
		goto unlock;
	fault = handle_mm_fault(vma, addr, flags, NULL);
	if (fault & VM_FAULT_COMPLETED)
		return 0;
	ret = fault & VM_FAULT_ERROR ? -EFAULT : fault & VM_FAULT_RETRY ? -EAGAIN : 0;
unlock:
	mmap_read_unlock(mm);
	return ret;
}

/**
 * sim_page_in - make one page of the job's address space present, at least for a moment
 * @how: the job's access state
 * @space: address space that this thread uses
 * @addr: address in the page
 * @write: make the page writable
 *
 * -EFAULT when that is impossible or takes too long.
 */
int sim_page_in(struct sim_access *how, struct sim_space *space, unsigned long addr, bool write)
{
	struct patience p = { .how = how, .begun = jiffies };
	int ret;

	for (;;) {
		ret = fault_now(space->mm, addr, write);
		if (ret == -EREMOTE)
			ret = ask_pager(&p, space, addr, write);
		if (ret != -EAGAIN)
			break;
		patience_begin(&p);
		if (patience_over(&p))
			break;
		usleep_range(RETRY_US, 2 * RETRY_US);
	}
	patience_end(&p, space);
	return ret ? -EFAULT : 0;
}
