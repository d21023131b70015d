// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Charges: who pays for a context, and the errors of open().
 *
 * A charge is made before the driver is asked for a queue, and ends once: at the last close, at
 * the removal of the device, or at the revocation of its section.
 */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include "trace.h"

static struct dentry *debug_dir;
static u64 last_serial;

static u32 owner_pool_ctxs(const struct uacce_owner *owner, const struct uacce_device *uacce)
{
	struct uacce_charge *charge;
	u32 nr = 0;

	list_for_each_entry(charge, &owner->charges, of_owner)
		if (charge->class == UACCE_NL_CTX_POOL && uacce_of_charge(charge)->q.uacce == uacce)
			nr++;
	return nr;
}

static int charge_pool(const struct uacce_owner *owner, const struct uacce_device *uacce)
{
	u32 max = uacce->acct.settings->max_ctxs;

	if (max && owner_pool_ctxs(owner, uacce) >= max)
		return -EDQUOT;
	return uacce_account_room(uacce) && !uacce_doorbells_other(uacce, NULL) ? 0 : -EBUSY;
}

/* The class that the next context of an attached process on this device is charged to. */
static int charge_attached(const struct uacce_owner *owner, struct uacce_device *uacce,
			   enum uacce_nl_ctx_class *class)
{
	struct uacce_slot *slot = owner->attachment->slot;
	struct uacce_section *section = slot->section;
	int k = uacce_section_position(section, uacce);

	if (k < 0 || !uacce_slot_has(slot, k))
		return -EACCES;
	if (section->state != UACCE_NL_SECTION_LIVE)
		return -ESHUTDOWN;
	if (slot->used[k] < section->members[k].sync + section->members[k].async) {
		*class = UACCE_NL_CTX_SLOT;
		return 0;
	}
	if (owner->extras >= section->max_extra)
		return -EDQUOT;
	*class = UACCE_NL_CTX_EXTRA;
	return uacce_account_room(uacce) && !uacce_doorbells_other(uacce, section) ? 0 : -EBUSY;
}

static bool is_attached(const struct uacce_owner *owner)
{
	return owner && owner->attachment && owner->attachment->slot;
}

static int charge_choose(const struct uacce_owner *owner, struct uacce_device *uacce,
			 enum uacce_nl_ctx_class *class)
{
	/* The device is being removed. */
	if (!uacce->acct.on)
		return -EINVAL;
	if (uacce_memory_forbidden(uacce))
		return -EOPNOTSUPP;
	if (is_attached(owner))
		return charge_attached(owner, uacce, class);
	*class = UACCE_NL_CTX_POOL;
	return charge_pool(owner, uacce);
}

static void charge_count(struct uacce_ctx *ctx, struct uacce_owner *owner)
{
	struct uacce_charge *charge = &ctx->charge;
	struct uacce_device *uacce = ctx->q.uacce;

	charge->owner = owner;
	charge->euid = current_euid();
	charge->since = ktime_get();
	charge->id = UACCE_CTX_NO_ID;
	charge->serial = ++last_serial;
	get_task_comm(charge->comm, current);
	list_add_tail(&charge->node, &uacce->acct.charges);
	list_add_tail(&charge->of_owner, &owner->charges);
	uacce_ctx_generation++;
	uacce->acct.used++;
	if (charge->class == UACCE_NL_CTX_SLOT) {
		charge->slot = owner->attachment->slot;
		charge->slot->charges++;
		charge->slot->used[uacce_section_position(charge->slot->section, uacce)]++;
		return;
	}
	uacce->acct.used_pool++;
	if (charge->class == UACCE_NL_CTX_EXTRA)
		owner->extras++;
}

/*
 * The opener pays, whichever process uses the file later. Returns -EOPNOTSUPP, -EACCES, -ESHUTDOWN,
 * -EDQUOT or -EBUSY; docs/provisioning.md has the table.
 */
int uacce_charge(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	struct uacce_owner *owner;
	int ret;

	mutex_lock(&uacce_prov);
	owner = uacce_owner_get(task_tgid(current));
	if (!owner) {
		mutex_unlock(&uacce_prov);
		return -ENOMEM;
	}
	ret = charge_choose(owner, uacce, &ctx->charge.class);
	if (!ret) {
		charge_count(ctx, owner);
	} else {
		if (uacce->acct.on)
			uacce_event_quota(uacce, is_attached(owner) ? owner->attachment->section : NULL, ret);
		uacce_owner_put(owner);
	}
	mutex_unlock(&uacce_prov);
	return ret;
}

static void opens_count(struct uacce_opens *opens, int error)
{
	if (!error) {
		opens->done++;
		return;
	}
	opens->refused++;
	opens->full += error == -EBUSY || error == -EDQUOT;
}

/* Counts a call of open() for the device and for the section of its caller. */
void uacce_account_open(struct uacce_device *uacce, int error)
{
	struct uacce_section *section = NULL;
	struct uacce_owner *owner;

	mutex_lock(&uacce_prov);
	opens_count(&uacce->acct.opens, error);
	owner = uacce_owner_find(task_tgid(current));
	if (is_attached(owner))
		section = owner->attachment->section;
	if (section)
		opens_count(&section->opens, error);
	if (error)
		trace_queue_refused(uacce, section, error);
	mutex_unlock(&uacce_prov);
}

/* Drops one charge from the slot. */
static void slot_put(struct uacce_slot *slot)
{
	struct uacce_section *section = slot->section;
	bool lingered = !slot->attachment;

	if (!uacce_slot_free(slot))
		return;
	if (lingered)
		section->lingering--;
	uacce_section_settle(section);
}

/* Adds what was counted since the last time to the sums of the device and of the section. */
void uacce_charge_settle(struct uacce_charge *charge)
{
	struct uacce_ctx *ctx = uacce_of_charge(charge);
	u64 now = READ_ONCE(ctx->q.requests), more = now - charge->settled;
	u64 wrong = atomic64_read(&ctx->wrong_results), more_wrong = wrong - charge->settled_wrong;

	if (!charge->owner)
		return;
	charge->settled = now;
	charge->settled_wrong = wrong;
	ctx->q.uacce->acct.requests += more;
	if (charge->slot) {
		charge->slot->section->requests += more;
		charge->slot->section->wrong_results += more_wrong;
	}
}

/* Does nothing if the charge has ended already. */
void uacce_uncharge_locked(struct uacce_ctx *ctx)
{
	struct uacce_charge *charge = &ctx->charge;
	struct uacce_account *acct = &ctx->q.uacce->acct;
	struct uacce_slot *slot = charge->slot;
	struct uacce_owner *owner = charge->owner;

	if (!owner)
		return;
	uacce_event_ctx_error(ctx);
	uacce_charge_settle(charge);
	charge->owner = NULL;
	charge->slot = NULL;
	list_del(&charge->node);
	list_del(&charge->of_owner);
	uacce_ctx_generation++;
	acct->used--;
	if (!slot)
		acct->used_pool--;
	if (charge->class == UACCE_NL_CTX_EXTRA)
		owner->extras--;
	if (slot) {
		slot->used[uacce_section_position(slot->section, ctx->q.uacce)]--;
		slot->charges--;
		if (!slot->charges && !slot->attachment)
			owner->slot = NULL;
		slot_put(slot);
	}
	uacce_owner_put(owner);
	if (!slot)
		uacce_claims_retry(ctx->q.uacce);
}

void uacce_uncharge(struct uacce_ctx *ctx)
{
	mutex_lock(&uacce_prov);
	uacce_uncharge_locked(ctx);
	mutex_unlock(&uacce_prov);
}

/*
 * A process that ends or is killed closes its contexts one after the other, as a kernel thread does for processes that
 * passed theirs on. No signal ends that, so the contexts of one opener have one limit. Returns the opener, until
 * uacce_end_over(); NULL: the closer can be killed.
 */
struct uacce_owner *uacce_end_begin(struct uacce_ctx *ctx)
{
	struct uacce_owner *owner;

	if (!(current->flags & (PF_EXITING | PF_KTHREAD)) && !fatal_signal_pending(current))
		return NULL;
	mutex_lock(&uacce_prov);
	owner = ctx->charge.owner;
	if (owner) {
		owner->ends++;
		ctx->q.waited_us = &owner->waited_us;
	}
	mutex_unlock(&uacce_prov);
	return owner;
}

void uacce_end_over(struct uacce_ctx *ctx, struct uacce_owner *owner)
{
	if (!owner)
		return;
	ctx->q.waited_us = NULL;
	mutex_lock(&uacce_prov);
	owner->ends--;
	uacce_owner_put(owner);
	mutex_unlock(&uacce_prov);
}

/* The device failed to stop the queue, so no other context can have it. */
void uacce_quarantine(struct uacce_ctx *ctx)
{
	mutex_lock(&uacce_prov);
	/* First, since uncharging gives freed contexts out at once. */
	ctx->q.uacce->acct.quarantined++;
	trace_queue_quarantined(ctx, ctx->q.uacce->acct.quarantined);
	uacce_uncharge_locked(ctx);
	mutex_unlock(&uacce_prov);
}

/* The device stopped the queue after all. */
void uacce_unquarantine(struct uacce_device *uacce)
{
	mutex_lock(&uacce_prov);
	uacce->acct.quarantined--;
	uacce_claims_retry(uacce);
	mutex_unlock(&uacce_prov);
}

/* What the queue's next start has of its section. */
void uacce_charge_shape(struct uacce_ctx *ctx)
{
	const struct uacce_section *section;

	mutex_lock(&uacce_prov);
	section = ctx->charge.slot ? ctx->charge.slot->section : NULL;
	ctx->q.priority = section ? section->queue_priority : 0;
	ctx->q.max_pinned = section ? (u64)section->max_pinned << 20 : 0;
	mutex_unlock(&uacce_prov);
}

static u32 left_attached(const struct uacce_owner *owner, struct uacce_device *uacce, u32 free)
{
	struct uacce_slot *slot = owner->attachment->slot;
	struct uacce_section *section = slot->section;
	int k = uacce_section_position(section, uacce);
	u32 share, extra;

	if (k < 0 || !uacce_slot_has(slot, k) || section->state != UACCE_NL_SECTION_LIVE)
		return 0;
	share = section->members[k].sync + section->members[k].async - slot->used[k];
	extra = section->max_extra > owner->extras ? section->max_extra - owner->extras : 0;
	return share + min(extra, free);
}

u32 uacce_account_left(struct uacce_device *uacce)
{
	struct uacce_owner *owner;
	u32 free, left;

	mutex_lock(&uacce_prov);
	owner = uacce_owner_find(task_tgid(current));
	free = uacce_doorbells_other(uacce, is_attached(owner) ? owner->attachment->section : NULL) ? 0 :
	       uacce_account_room(uacce);
	left = is_attached(owner) ? left_attached(owner, uacce, free) : free;
	if (uacce_memory_forbidden(uacce))
		left = 0;
	mutex_unlock(&uacce_prov);
	return left;
}

/* ------ debugfs: the sums, recomputed from what they count ------ */

static void account_recount(const struct uacce_device *uacce, struct uacce_account *sum)
{
	struct uacce_section *section;
	struct uacce_charge *charge;
	unsigned int k;

	*sum = (struct uacce_account){ .total = uacce->acct.total, .quarantined = uacce->acct.quarantined };
	list_for_each_entry(charge, &uacce->acct.charges, node) {
		sum->used++;
		sum->used_pool += !charge->slot;
	}
	list_for_each_entry(section, &uacce_sections, all)
		for (k = 0; k < section->nr_members; k++)
			if (section->members[k].uacce == uacce)
				sum->reserved += section->members[k].reserved;
}

static int accounting_show(struct seq_file *m, void *v)
{
	struct uacce_account *acct, sum;
	bool same;

	mutex_lock(&uacce_prov);
	list_for_each_entry(acct, &uacce_accounts, all) {
		struct uacce_device *uacce = uacce_of_account(acct);

		account_recount(uacce, &sum);
		same = sum.used == acct->used && sum.used_pool == acct->used_pool &&
		       sum.reserved == acct->reserved && sum.used - sum.used_pool <= sum.reserved;
		seq_printf(m, "%s total %u reserved %u used %u pool %u quarantined %u free %lld %s\n",
			   dev_name(&uacce->dev), acct->total, acct->reserved, acct->used, acct->used_pool,
			   acct->quarantined, uacce_account_free(uacce), same ? "ok" : "WRONG");
	}
	mutex_unlock(&uacce_prov);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(accounting);

void uacce_account_init(void)
{
	debug_dir = debugfs_create_dir("uacce", NULL);
	debugfs_create_file("accounting", 0400, debug_dir, NULL, &accounting_fops);
}

void uacce_account_exit(void)
{
	debugfs_remove(debug_dir);
}
