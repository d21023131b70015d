// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attachments: a process' claim to a slot, granted or waiting. An attachment ends with DETACH,
 * with its socket, or with the process, whichever comes first; the slot then goes to the next
 * waiter (uacce_section_settle()).
 *
 * uacce_prov protects everything here. A socket is identified by its held sock, a process by
 * its pinned struct pid, because port and process numbers are reused. The pid's wait queue,
 * which pidfds poll, reports the death of the process; that callback runs in the dying task
 * with locks held, so a work item does the rest.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <net/sock.h>
#include "provision.h"

static u32 next_ticket = 1;

/* ------ end of an attachment ------ */

void uacce_attachment_end(struct uacce_attachment *a, int error)
{
	struct uacce_section *section = a->section;

	uacce_attachment_finish(a, error);
	uacce_section_settle(section);
}

/* ------ exiting processes and closed sockets ------ */

static bool group_is_dead(struct pid *pid)
{
	struct task_struct *leader;
	bool dead;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	dead = !leader || (READ_ONCE(leader->exit_state) && thread_group_empty(leader));
	rcu_read_unlock();
	return dead;
}

static void attachment_died(struct work_struct *work)
{
	struct uacce_attachment *a = container_of(work, struct uacce_attachment, died);

	mutex_lock(&uacce_prov);
	if (!a->over && group_is_dead(a->owner->pid))
		uacce_attachment_end(a, 0);
	mutex_unlock(&uacce_prov);
	uacce_attachment_put(a);
}

static int attachment_on_death(wait_queue_entry_t *wait, unsigned int mode, int flags, void *key)
{
	struct uacce_attachment *a = container_of(wait, struct uacce_attachment, death);

	/* The entry stays on this wait queue while the attachment has its first reference. */
	kref_get(&a->ref);
	if (!queue_work(uacce_wq, &a->died))
		uacce_attachment_put(a);
	return 0;
}

static void attachment_expired(struct work_struct *work)
{
	struct uacce_attachment *a = container_of(to_delayed_work(work), struct uacce_attachment, expiry);

	mutex_lock(&uacce_prov);
	if (!a->over && !a->slot)
		uacce_attachment_end(a, ETIMEDOUT);
	mutex_unlock(&uacce_prov);
	uacce_attachment_put(a);
}

static struct uacce_attachment *attachment_of_dead_socket(u32 portid)
{
	struct uacce_attachment *a;

	list_for_each_entry(a, &uacce_attachments, all)
		if (a->portid == portid && sock_flag(a->sk, SOCK_DEAD))
			return a;
	return NULL;
}

static int attach_on_netlink(struct notifier_block *nb, unsigned long event, void *data)
{
	struct netlink_notify *n = data;
	struct uacce_attachment *a;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	/* Attachments of this socket were listed before its release, so they keep the list from being empty. */
	if (list_empty_careful(&uacce_attachments))
		return NOTIFY_DONE;
	mutex_lock(&uacce_prov);
	while ((a = attachment_of_dead_socket(n->portid)))
		uacce_attachment_end(a, 0);
	mutex_unlock(&uacce_prov);
	return NOTIFY_DONE;
}

static struct notifier_block attach_netlink_nb = {
	.notifier_call = attach_on_netlink,
};

/* ------ start of an attachment ------ */

static int attach_refuse(struct uacce_refusal *no, int error, u16 attr, const char *why)
{
	no->why = why;
	no->attr = attr;
	return error;
}

/* The device is present, but gives the slots of the live section no contexts. */
static bool member_is_empty(const struct uacce_member *m)
{
	return m->uacce && !(m->sync + m->async);
}

static int attachment_wants(struct uacce_attachment *a, const struct uacce_attach_request *req,
			    struct uacce_refusal *no)
{
	struct uacce_device *uacce;
	int k;

	a->want_endpoint = -1;
	a->want_index = -1;
	if (req->slot) {
		if (uacce_slot_parse(a->section, req->slot, &a->want_endpoint, &a->want_index))
			return attach_refuse(no, -ENOENT, UACCE_A_SLOT, "the section has no slot of this name");
		return 0;
	}
	if (!req->dev)
		return 0;
	uacce = uacce_account_find(req->dev);
	k = uacce ? uacce_section_position(a->section, uacce) : -1;
	if (k < 0 || member_is_empty(&a->section->members[k]))
		return attach_refuse(no, -ENOENT, UACCE_A_DEV, "the section has no such device now");
	if (a->section->limit_dev_access)
		a->want_endpoint = a->section->places[k].endpoint;
	return 0;
}

/* The attribute to blame when no slot is free: the requested slot, the requested device, or the section. */
static u16 wanted_attr(const struct uacce_attachment *a)
{
	if (a->want_index >= 0)
		return UACCE_A_SLOT;
	return a->want_endpoint >= 0 ? UACCE_A_DEV : UACCE_A_SECTION;
}

static struct uacce_attachment *attachment_new(const struct uacce_attach_request *req, struct uacce_section *section)
{
	struct uacce_attachment *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NULL;
	kref_init(&a->ref);
	INIT_LIST_HEAD(&a->waiting);
	a->section = section;
	sock_hold(req->sk);
	a->sk = req->sk;
	a->net = req->net;
	a->portid = req->portid;
	a->seq = req->seq;
	a->admin = req->admin;
	a->cred = get_current_cred();
	get_task_comm(a->comm, current);
	a->node = numa_node_id();
	init_waitqueue_func_entry(&a->death, attachment_on_death);
	INIT_WORK(&a->died, attachment_died);
	INIT_DELAYED_WORK(&a->expiry, attachment_expired);
	return a;
}

/* A process with contexts charged to a slot can only attach to that slot. */
static int attachment_own_slot(struct uacce_attachment *a, struct uacce_slot **slot, struct uacce_refusal *no)
{
	struct uacce_slot *own = a->owner->slot;

	*slot = NULL;
	if (!own)
		return 0;
	if (own->section != a->section || (a->want_index >= 0 && a->want_index != own->index) ||
	    (a->want_endpoint >= 0 && a->want_endpoint != own->endpoint))
		return attach_refuse(no, -EBUSY, own->section != a->section ? UACCE_A_SECTION : wanted_attr(a),
				     "this process has contexts that are charged to another slot");
	*slot = own;
	a->section->lingering--;
	return 0;
}

static int attachment_wait(struct uacce_attachment *a, u32 wait_ms, struct uacce_refusal *no)
{
	struct uacce_section *section = a->section;

	if (!wait_ms)
		return attach_refuse(no, -EUSERS, wanted_attr(a), a->want_index >= 0 ? "the slot is taken" :
				     a->want_endpoint >= 0 ? "all slots of the device are taken" :
				     "all slots of the section are taken");
	if (section->waiting >= UACCE_WAITERS_MAX)
		return attach_refuse(no, -ENOBUFS, UACCE_A_SECTION, "too many processes wait for this section");
	a->ticket = next_ticket++;
	if (!a->ticket)
		a->ticket = next_ticket++;
	list_add_tail(&a->waiting, &section->waiters);
	section->waiting++;
	kref_get(&a->ref);
	/* The current jiffy has partly elapsed and doesn't count. */
	queue_delayed_work(uacce_wq, &a->expiry, min(msecs_to_jiffies(wait_ms) + 1, (unsigned long)MAX_JIFFY_OFFSET));
	return 0;
}

static int attachment_begin(struct uacce_attachment *a, const struct uacce_attach_request *req,
			    struct uacce_refusal *no)
{
	struct uacce_slot *slot;
	int ret = attachment_wants(a, req, no);

	if (!ret)
		ret = attachment_own_slot(a, &slot, no);
	if (ret)
		return ret;
	if (!slot) {
		/* Earlier waiters get free slots first. */
		uacce_waiters_serve(a->section);
		slot = uacce_slot_take(a);
	}
	if (IS_ERR(slot))
		return attach_refuse(no, PTR_ERR(slot), 0, "out of memory");
	if (!slot)
		return attachment_wait(a, req->wait_ms, no);
	uacce_attachment_has(a, slot);
	return 0;
}

static int attach_check(const struct uacce_attach_request *req, struct uacce_section **section,
			struct uacce_refusal *no)
{
	*section = uacce_section_find(req->section);
	if (!*section)
		return attach_refuse(no, -ENOENT, UACCE_A_SECTION, "there is no section of this name");
	if ((*section)->state != UACCE_NL_SECTION_LIVE)
		return attach_refuse(no, -ESHUTDOWN, UACCE_A_SECTION, (*section)->state == UACCE_NL_SECTION_DRAINING ?
				     "the section is draining" : "the section is not live");
	return 0;
}

int uacce_attach(const struct uacce_attach_request *req, struct uacce_attachment **res, struct uacce_refusal *no)
{
	struct uacce_section *section;
	struct uacce_attachment *a;
	struct uacce_owner *owner;
	int ret;

	/*
	 * First, so that a process that kept its attachment over exec gets this error, whatever its
	 * permissions are now.
	 */
	owner = uacce_owner_find(task_tgid(current));
	if (owner && owner->attachment)
		return attach_refuse(no, -EALREADY, 0, owner->attachment->slot ? "this process is attached already" :
				     "this process waits for a slot already");
	ret = attach_check(req, &section, no);
	if (ret)
		return ret;
	a = attachment_new(req, section);
	if (!a)
		return attach_refuse(no, -ENOMEM, 0, "out of memory");
	if (!uacce_section_allows(section, a)) {
		ret = attach_refuse(no, -EACCES, UACCE_A_SECTION,
				    "neither this user nor its groups are allowed in the section");
		goto err_put;
	}
	owner = uacce_owner_get(task_tgid(current));
	if (!owner) {
		ret = attach_refuse(no, -ENOMEM, 0, "out of memory");
		goto err_put;
	}
	a->owner = owner;
	ret = attachment_begin(a, req, no);
	if (ret)
		goto err_put_owner;
	owner->attachment = a;
	list_add_tail(&a->all, &uacce_attachments);
	add_wait_queue(&owner->pid->wait_pidfd, &a->death);
	__module_get(THIS_MODULE);
	*res = a;
	return 0;

err_put_owner:
	uacce_owner_put(owner);
err_put:
	uacce_attachment_put(a);
	return ret;
}

int uacce_attach_join(const char *section, struct uacce_attachment **res, struct uacce_refusal *no)
{
	struct uacce_owner *owner = uacce_owner_find(task_tgid(current));
	struct uacce_attachment *a = owner ? owner->attachment : NULL;

	if (!a)
		return attach_refuse(no, -ENOENT, 0, "this process has no slot");
	if (strcmp(uacce_section_name(a->section), section))
		return attach_refuse(no, -EBUSY, UACCE_A_SECTION, "this process has a slot of another section");
	if (!a->slot)
		return attach_refuse(no, -EALREADY, 0, "this process waits for a slot already");
	*res = a;
	return 0;
}

int uacce_detach(struct uacce_refusal *no)
{
	struct uacce_owner *owner;
	int ret = 0;

	mutex_lock(&uacce_prov);
	owner = uacce_owner_find(task_tgid(current));
	if (owner && owner->attachment)
		uacce_attachment_end(owner->attachment, 0);
	else
		ret = attach_refuse(no, -ENOENT, 0, "this process is neither attached nor waiting");
	mutex_unlock(&uacce_prov);
	return ret;
}

int uacce_attach_init(void)
{
	return netlink_register_notifier(&attach_netlink_nb);
}

void uacce_attach_exit(void)
{
	netlink_unregister_notifier(&attach_netlink_nb);
}
