// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accounting: what each device has, who holds it, and what open() says.
 *
 * lock        protects                                   taken with
 * ----------  -----------------------------------------  -----------------------------
 * uacce_prov  all that provision.h declares              uacce_ctx.mutex; a leaf but for
 *                                                        sockets', pids' and allocation's
 *
 * A charge is made before the driver is asked for a queue, and ends once: with
 * the last close, with the device, or when its section is revoked.
 */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "provision.h"

DEFINE_MUTEX(uacce_prov);
LIST_HEAD(uacce_accounts);
u32 uacce_prov_generation;
u32 uacce_ctx_generation;

static LIST_HEAD(settings);
static DEFINE_HASHTABLE(owners, 8);
static struct dentry *debug_dir;
static u64 last_serial;

/* ------ devices ------ */

static struct uacce_settings *settings_get(const char *parent)
{
	struct uacce_settings *s;

	list_for_each_entry(s, &settings, all)
		if (!strcmp(s->parent, parent))
			return s;
	s = kzalloc(struct_size(s, parent, strlen(parent) + 1), GFP_KERNEL);
	if (!s)
		return NULL;
	strcpy(s->parent, parent);
	s->latency = UACCE_LEVEL_AVERAGE;
	s->throughput = UACCE_LEVEL_AVERAGE;
	list_add_tail(&s->all, &settings);
	return s;
}

int uacce_account_zone(const struct uacce_device *uacce)
{
	const struct uacce_settings *s = uacce->acct.settings;

	return s && s->zone_set ? s->zone : dev_to_node(uacce->parent);
}

/* Less than nothing when a queue that was promised to somebody is lost. */
s64 uacce_account_free(const struct uacce_device *uacce)
{
	const struct uacce_account *acct = &uacce->acct;

	return (s64)acct->total - acct->reserved - acct->used_pool - acct->quarantined;
}

/* What can be given out of that. */
u32 uacce_account_room(const struct uacce_device *uacce)
{
	return max_t(s64, uacce_account_free(uacce), 0);
}

struct uacce_device *uacce_account_find(const char *name)
{
	struct uacce_account *acct;

	list_for_each_entry(acct, &uacce_accounts, all) {
		struct uacce_device *uacce = uacce_of_account(acct);

		if (!strcmp(dev_name(&uacce->dev), name) || !strcmp(dev_name(uacce->parent), name))
			return uacce;
	}
	return NULL;
}

static void account_insert(struct uacce_device *uacce)
{
	struct uacce_account *acct;

	list_for_each_entry(acct, &uacce_accounts, all)
		if (uacce_of_account(acct)->id > uacce->id)
			break;
	list_add_tail(&uacce->acct.all, &acct->all);
	uacce_prov_generation++;
}

int uacce_account_add(struct uacce_device *uacce)
{
	struct uacce_account *acct = &uacce->acct;
	int total = uacce->ops->get_available_instances(uacce), ret = 0;

	INIT_LIST_HEAD(&acct->charges);
	mutex_lock(&uacce_prov);
	acct->settings = settings_get(dev_name(uacce->parent));
	if (acct->settings) {
		acct->total = max(total, 0);
		account_insert(uacce);
		acct->on = true;
		uacce_claims_serve(uacce);
	} else {
		ret = -ENOMEM;
	}
	mutex_unlock(&uacce_prov);
	if (ret)
		return ret;
	ret = uacce_configfs_add_device(uacce);
	if (ret) {
		uacce_account_stop(uacce);
		uacce_account_del(uacce);
	}
	return ret;
}

void uacce_account_announce(struct uacce_device *uacce)
{
	mutex_lock(&uacce_prov);
	uacce->announced = true;
	uacce_event_dev(UACCE_NL_DEV_ADD, uacce);
	uacce_section_device_opens(uacce);
	mutex_unlock(&uacce_prov);
}

void uacce_account_stop(struct uacce_device *uacce)
{
	struct uacce_account *acct = &uacce->acct;
	struct uacce_charge *charge;

	mutex_lock(&uacce_prov);
	if (acct->on) {
		acct->on = false;
		while ((charge = list_first_entry_or_null(&acct->charges, struct uacce_charge, node)))
			uacce_uncharge_locked(uacce_of_charge(charge));
		uacce_claims_drop(uacce);
	}
	mutex_unlock(&uacce_prov);
}

void uacce_account_del(struct uacce_device *uacce)
{
	uacce_configfs_del_device(uacce);
	mutex_lock(&uacce_prov);
	/* Whoever reserves on a device that is off would keep a pointer to what is freed soon. */
	WARN_ON(uacce->acct.reserved);
	list_del(&uacce->acct.all);
	uacce_prov_generation++;
	if (uacce->announced)
		uacce_event_dev(UACCE_NL_DEV_DEL, uacce);
	mutex_unlock(&uacce_prov);
}

/* ------ owners ------ */

struct uacce_owner *uacce_owner_find(struct pid *pid)
{
	struct uacce_owner *owner;

	hash_for_each_possible(owners, owner, hash, (unsigned long)pid)
		if (owner->pid == pid)
			return owner;
	return NULL;
}

struct uacce_owner *uacce_owner_get(struct pid *pid)
{
	struct uacce_owner *owner = uacce_owner_find(pid);

	if (owner)
		return owner;
	owner = kzalloc(sizeof(*owner), GFP_KERNEL);
	if (!owner)
		return NULL;
	owner->pid = get_pid(pid);
	INIT_LIST_HEAD(&owner->charges);
	hash_add(owners, &owner->hash, (unsigned long)pid);
	return owner;
}

void uacce_owner_put(struct uacce_owner *owner)
{
	if (owner->attachment || !list_empty(&owner->charges))
		return;
	hash_del(&owner->hash);
	put_pid(owner->pid);
	kfree(owner);
}

/* ------ charges ------ */

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
	return uacce_account_room(uacce) ? 0 : -EBUSY;
}

/* What an attached process' next context of this device is charged to. */
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
	if (*uacce_slot_used(slot, k) < section->members[k].sync + section->members[k].async) {
		*class = UACCE_NL_CTX_SLOT;
		return 0;
	}
	if (owner->extras >= section->max_extra)
		return -EDQUOT;
	*class = UACCE_NL_CTX_EXTRA;
	return uacce_account_room(uacce) ? 0 : -EBUSY;
}

static bool is_attached(const struct uacce_owner *owner)
{
	return owner && owner->attachment && owner->attachment->slot;
}

static int charge_choose(const struct uacce_owner *owner, struct uacce_device *uacce,
			 enum uacce_nl_ctx_class *class)
{
	if (!uacce->acct.on)
		return -ENODEV;
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
		(*uacce_slot_used(charge->slot, uacce_section_position(charge->slot->section, uacce)))++;
		return;
	}
	uacce->acct.used_pool++;
	if (charge->class == UACCE_NL_CTX_EXTRA)
		owner->extras++;
}

/*
 * The opener pays, whoever uses the file later. -EACCES, -ESHUTDOWN, -EDQUOT,
 * -EBUSY: docs/provisioning.md has the table.
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

/* Nothing if it was done before. */
void uacce_uncharge_locked(struct uacce_ctx *ctx)
{
	struct uacce_charge *charge = &ctx->charge;
	struct uacce_account *acct = &ctx->q.uacce->acct;
	struct uacce_slot *slot = charge->slot;
	struct uacce_owner *owner = charge->owner;

	if (!owner)
		return;
	uacce_event_ctx_error(ctx);
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
		(*uacce_slot_used(slot, uacce_section_position(slot->section, ctx->q.uacce)))--;
		slot->charges--;
		if (!slot->charges && !slot->attachment)
			owner->slot = NULL;
		uacce_slot_put(slot);
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

/* The device didn't let go of its queue: nobody can have that one. */
void uacce_quarantine(struct uacce_ctx *ctx)
{
	mutex_lock(&uacce_prov);
	/* First, since what comes free is given out at once. */
	ctx->q.uacce->acct.quarantined++;
	uacce_uncharge_locked(ctx);
	mutex_unlock(&uacce_prov);
}

/* Of its next start in the hardware. */
u8 uacce_charge_priority(struct uacce_ctx *ctx)
{
	u8 priority = 0;

	mutex_lock(&uacce_prov);
	if (ctx->charge.slot)
		priority = ctx->charge.slot->section->queue_priority;
	mutex_unlock(&uacce_prov);
	return priority;
}

static u32 left_attached(const struct uacce_owner *owner, struct uacce_device *uacce, u32 free)
{
	struct uacce_slot *slot = owner->attachment->slot;
	struct uacce_section *section = slot->section;
	int k = uacce_section_position(section, uacce);
	u32 share, extra;

	if (k < 0 || !uacce_slot_has(slot, k) || section->state != UACCE_NL_SECTION_LIVE)
		return 0;
	share = section->members[k].sync + section->members[k].async - *uacce_slot_used(slot, k);
	extra = section->max_extra > owner->extras ? section->max_extra - owner->extras : 0;
	return share + min(extra, free);
}

u32 uacce_account_left(struct uacce_device *uacce)
{
	struct uacce_owner *owner;
	u32 free, left;

	mutex_lock(&uacce_prov);
	owner = uacce_owner_find(task_tgid(current));
	free = uacce_account_room(uacce);
	left = is_attached(owner) ? left_attached(owner, uacce, free) : free;
	mutex_unlock(&uacce_prov);
	return left;
}

/* ------ debugfs: the sums, made anew from what they are the sums of ------ */

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

int uacce_account_init(void)
{
	debug_dir = debugfs_create_dir("uacce", NULL);
	debugfs_create_file("accounting", 0400, debug_dir, NULL, &accounting_fops);
	return 0;
}

void uacce_account_exit(void)
{
	struct uacce_settings *s, *next;

	debugfs_remove(debug_dir);
	list_for_each_entry_safe(s, next, &settings, all)
		kfree(s);
}
