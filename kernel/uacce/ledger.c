// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger of provisioning: devices, sections, slots and owners, lookup by name
 * or pid, and free contexts. It calls no other file of provisioning; all others call it.
 *
 * lock        protects                                   taken with
 * ----------  -----------------------------------------  -----------------------------
 * uacce_prov  everything declared in provision.h         uacce_ctx.mutex; a leaf but for
 *                                                        sockets', pids' and allocators'
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include "provision.h"

DEFINE_MUTEX(uacce_prov);
LIST_HEAD(uacce_accounts);
LIST_HEAD(uacce_sections);
LIST_HEAD(uacce_claims);
u32 uacce_prov_generation;
u32 uacce_ctx_generation;
u64 uacce_config_seq;
u64 uacce_event_seq;
u64 uacce_events_lost;
struct workqueue_struct *uacce_wq;

static LIST_HEAD(settings);
static DEFINE_HASHTABLE(owners, 8);

/* ------ devices ------ */

static struct uacce_settings *settings_find(const char *parent)
{
	struct uacce_settings *s;

	list_for_each_entry(s, &settings, all)
		if (!strcmp(s->parent, parent))
			return s;
	return NULL;
}

struct uacce_settings *uacce_settings_get(const char *parent)
{
	struct uacce_settings *s = settings_find(parent);

	if (s)
		return s;
	s = kzalloc(struct_size(s, parent, strlen(parent) + 1), GFP_KERNEL);
	if (!s)
		return NULL;
	strcpy(s->parent, parent);
	s->latency = UACCE_LEVEL_AVERAGE;
	s->throughput = UACCE_LEVEL_AVERAGE;
	s->doorbells = UACCE_NL_DOORBELLS_KERNEL;
	list_add_tail(&s->all, &settings);
	return s;
}

enum uacce_memory uacce_memory_wanted(const char *parent)
{
	enum uacce_memory memory = UACCE_MEMORY_AUTO;
	const struct uacce_settings *s;

	mutex_lock(&uacce_prov);
	s = settings_find(parent);
	if (s)
		memory = s->memory;
	mutex_unlock(&uacce_prov);
	return memory;
}

bool uacce_memory_forbidden(const struct uacce_device *uacce)
{
	return uacce_mediated(uacce) && uacce->acct.settings->memory == UACCE_MEMORY_SVA;
}

int uacce_account_zone(const struct uacce_device *uacce)
{
	const struct uacce_settings *s = uacce->acct.settings;

	return s && s->zone_set ? s->zone : dev_to_node(uacce->parent);
}

/* Negative when a queue is lost that a section has reserved. */
s64 uacce_account_free(const struct uacce_device *uacce)
{
	const struct uacce_account *acct = &uacce->acct;

	return (s64)acct->total - acct->reserved - acct->used_pool - acct->quarantined;
}

/* How many contexts can still be given out: never negative. */
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
	if (owner->attachment || owner->ends || !list_empty(&owner->charges))
		return;
	hash_del(&owner->hash);
	put_pid(owner->pid);
	kfree(owner);
}

/* ------ sections ------ */

struct uacce_section *uacce_section_find(const char *name)
{
	struct uacce_section *section;

	list_for_each_entry(section, &uacce_sections, all)
		if (!strcmp(uacce_section_name(section), name))
			return section;
	return NULL;
}

int uacce_section_position(const struct uacce_section *section, const struct uacce_device *uacce)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++)
		if (section->members[k].uacce == uacce)
			return k;
	return -1;
}

u64 uacce_section_slots(const struct uacce_section *section)
{
	if (section->state == UACCE_NL_SECTION_CONFIGURED)
		return 0;
	return (u64)endpoints_count(section->places, section->nr_members) * section->num_processes;
}

bool uacce_section_uses_nodes_of(const struct uacce_device *uacce)
{
	struct uacce_section *section;

	list_for_each_entry(section, &uacce_claims, claims)
		if (section->nodes && uacce_section_position(section, uacce) >= 0)
			return true;
	return false;
}

/* ------ slots ------ */

u32 uacce_slots_taken(const struct uacce_section *section, int endpoint)
{
	return endpoint < 0 ? 0 : bitmap_weight(section->taken[endpoint], section->taken_bits);
}

bool uacce_slot_has(const struct uacce_slot *slot, int position)
{
	return slot->section->places[position].endpoint == slot->endpoint;
}

void uacce_slot_name(const struct uacce_slot *slot, char *name)
{
	const char *section = uacce_section_name(slot->section);

	if (slot->section->limit_dev_access)
		snprintf(name, UACCE_SLOT_NAME_SIZE, "%s_DEV%d_INT_%u", section, slot->endpoint, slot->index);
	else
		snprintf(name, UACCE_SLOT_NAME_SIZE, "%s_INT_%u", section, slot->index);
}

/* ------ init and exit ------ */

int uacce_ledger_init(void)
{
	uacce_wq = alloc_workqueue("uacce", WQ_PERCPU, 0);
	return uacce_wq ? 0 : -ENOMEM;
}

/* No open() runs any more and no process is attached. Work items that these queued may still run. */
void uacce_ledger_exit(void)
{
	struct uacce_settings *s, *next;

	destroy_workqueue(uacce_wq);
	list_for_each_entry_safe(s, next, &settings, all)
		kfree(s);
}
