// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attachments of a section: granting slots, waiting, and the end of both. Called under
 * uacce_prov. None of these functions settles the section; the caller does.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "provision.h"

LIST_HEAD(uacce_attachments);

static void attachment_release(struct kref *ref)
{
	struct uacce_attachment *a = container_of(ref, struct uacce_attachment, ref);

	sock_put(a->sk);
	put_cred(a->cred);
	kfree(a);
}

void uacce_attachment_put(struct uacce_attachment *a)
{
	kref_put(&a->ref, attachment_release);
}

/* ------ end of an attachment ------ */

static void attachment_leave_slot(struct uacce_attachment *a)
{
	struct uacce_slot *slot = a->slot;
	struct uacce_section *section = a->section;

	uacce_event_slot(UACCE_NL_SLOT_DETACH, a);
	a->slot = NULL;
	slot->attachment = NULL;
	section->attached--;
	if (!slot->charges)
		a->owner->slot = NULL;
	else
		section->lingering++;
	uacce_slot_free(slot);
}

static void attachment_leave_queue(struct uacce_attachment *a, int error)
{
	list_del_init(&a->waiting);
	a->section->waiting--;
	if (error)
		uacce_tell_granted(a, error);
}

/* @error: sent to a waiter, 0 = nothing. Doesn't pass the slot on. */
void uacce_attachment_finish(struct uacce_attachment *a, int error)
{
	struct uacce_owner *owner = a->owner;

	a->over = true;
	if (a->slot)
		attachment_leave_slot(a);
	else
		attachment_leave_queue(a, error);
	list_del(&a->all);
	owner->attachment = NULL;
	remove_wait_queue(&owner->pid->wait_pidfd, &a->death);
	uacce_owner_put(owner);
	/* An expiry that runs already finds the attachment over. */
	if (cancel_delayed_work(&a->expiry))
		uacce_attachment_put(a);
	uacce_attachment_put(a);
	module_put(THIS_MODULE);
}

void uacce_attachments_end(struct uacce_section *section)
{
	struct uacce_attachment *a, *next;

	list_for_each_entry_safe(a, next, &uacce_attachments, all)
		if (a->section == section && a->slot)
			uacce_attachment_finish(a, 0);
}

void uacce_waiters_end(struct uacce_section *section, int error)
{
	struct uacce_attachment *a, *next;

	list_for_each_entry_safe(a, next, &section->waiters, waiting)
		uacce_attachment_finish(a, error);
}

void uacce_waiters_cut(struct uacce_section *section)
{
	struct uacce_attachment *a, *next;

	list_for_each_entry_safe(a, next, &section->waiters, waiting)
		if (a->want_index >= 0 && a->want_index >= section->num_processes)
			uacce_attachment_finish(a, ENOENT);
}

/* ------ permission ------ */

static bool groups_have(const struct uacce_ranges *gids, const struct cred *cred)
{
	int i;

	if (uacce_ranges_have(gids, from_kgid(&init_user_ns, cred->egid)))
		return true;
	for (i = 0; i < cred->group_info->ngroups; i++)
		if (uacce_ranges_have(gids, from_kgid(&init_user_ns, cred->group_info->gid[i])))
			return true;
	return false;
}

bool uacce_section_allows(const struct uacce_section *section, const struct uacce_attachment *a)
{
	return a->admin || uacce_ranges_have(section->uids, from_kuid(&init_user_ns, a->cred->euid)) ||
	       groups_have(section->gids, a->cred);
}

/* ------ granting slots ------ */

void uacce_attachment_has(struct uacce_attachment *a, struct uacce_slot *slot)
{
	a->slot = slot;
	slot->attachment = a;
	a->owner->slot = slot;
	a->section->attached++;
	uacce_event_slot(UACCE_NL_SLOT_ATTACH, a);
}

/*
 * Serves waiters in order of arrival; a waiter whose slot is taken is skipped. A waiter that
 * can't be notified is ended, and its slot goes to the next.
 */
static bool waiter_serve(struct uacce_attachment *a)
{
	struct uacce_slot *slot;

	if (!uacce_section_allows(a->section, a)) {
		uacce_attachment_finish(a, EACCES);
		return true;
	}
	slot = uacce_slot_take(a);
	if (IS_ERR_OR_NULL(slot))
		return false;
	list_del_init(&a->waiting);
	a->section->waiting--;
	uacce_attachment_has(a, slot);
	if (uacce_tell_granted(a, 0))
		uacce_attachment_finish(a, 0);
	else if (cancel_delayed_work(&a->expiry))
		uacce_attachment_put(a);
	return true;
}

void uacce_waiters_serve(struct uacce_section *section)
{
	struct uacce_attachment *a;
	bool again;

	do {
		again = false;
		list_for_each_entry(a, &section->waiters, waiting) {
			again = waiter_serve(a);
			if (again)
				break;
		}
	} while (again);
}
