// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sections: configured, live, draining; their reservations on devices.
 *
 * Everything here is called with uacce_prov held, except uacce_section_live() and
 * uacce_section_resize(), which allocate memory. A section pins its directory unless it is
 * configured.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/slab.h>
#include "trace.h"

static unsigned int short_members;	/* of all sections */

struct uacce_section *uacce_section_new(void)
{
	struct uacce_section *section = kzalloc(sizeof(*section), GFP_KERNEL);

	if (!section)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&section->claims);
	INIT_LIST_HEAD(&section->slots);
	INIT_LIST_HEAD(&section->waiters);
	section->num_processes = 1;
	section->sync = 1;
	section->async = 1;
	return section;
}

void uacce_section_free(struct uacce_section *section)
{
	kfree(section->nodes);
	uacce_names_free(section->devices);
	kfree(section->uids);
	kfree(section->gids);
	kfree(section);
}

/* ------ members ------ */

/* A slot's contexts on a device of node @zone. */
static void section_share(const struct uacce_section *section, int zone, u32 *sync, u32 *async)
{
	unsigned int i;

	*sync = section->nodes ? 0 : section->sync;
	*async = section->nodes ? 0 : section->async;
	for (i = 0; section->nodes && i < section->nodes->nr; i++)
		if (section->nodes->at[i].node == zone) {
			*sync = section->nodes->at[i].sync;
			*async = section->nodes->at[i].async;
		}
}

static u64 member_need(const struct uacce_member *m, u32 slots)
{
	return (u64)slots * (m->sync + m->async);
}

/* Number of slots that a member reserves for: all, or those taken if the section is draining. */
static u32 member_slots(const struct uacce_section *section, unsigned int k)
{
	if (section->state == UACCE_NL_SECTION_DRAINING)
		return uacce_slots_taken(section, section->places[k].endpoint);
	return section->num_processes;
}

static void member_reserve(const struct uacce_section *section, struct uacce_member *m, u32 ctxs)
{
	if (!m->uacce)
		return;
	if (section->bandwidth && ctxs != m->reserved)
		uacce_bandwidth_set(m->uacce, ctxs ? section->bandwidth : 0);
	m->uacce->acct.reserved += ctxs - m->reserved;
	m->reserved = ctxs;
	uacce_pool_set(m->uacce, m->uacce->acct.reserved);
}

static void member_set_short(struct uacce_member *m, bool is_short)
{
	short_members += is_short - m->is_short;
	m->is_short = is_short;
}

static void members_free(struct uacce_section *section)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++)
		member_set_short(&section->members[k], false);
	uacce_members_free(section);
}

/* Number of bitmaps of taken slots: one for the section, or one for each endpoint that there may be. */
static unsigned int members_maps(const struct uacce_section *section)
{
	return section->limit_dev_access ? section->nr_members : 1;
}

static unsigned long *map_grown(const unsigned long *old, unsigned int old_bits, unsigned int bits)
{
	unsigned long *map = kvcalloc(BITS_TO_LONGS(bits), sizeof(*map), GFP_KERNEL);

	if (map && old)
		bitmap_copy(map, old, old_bits);
	return map;
}

static int members_grow_maps(struct uacce_section *section, unsigned int bits)
{
	unsigned int k, nr = members_maps(section);

	if (bits <= section->taken_bits)
		return 0;
	for (k = 0; k < nr; k++) {
		unsigned long *map = map_grown(section->taken[k], section->taken_bits, bits);

		/* Bitmaps that have grown already do no harm. */
		if (!map)
			return -ENOMEM;
		kvfree(section->taken[k]);
		section->taken[k] = map;
	}
	section->taken_bits = bits;
	return 0;
}

/* A need of 0 always fits, even where lost queues have made the free count negative. */
static bool member_fits(const struct uacce_device *uacce, u64 need)
{
	return !need || (s64)need <= uacce_account_free(uacce);
}

/* Has every present device enough free contexts for that many more slots? */
static int members_check_room(struct uacce_section *section, u32 slots)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];
		u64 need;

		if (!m->uacce)
			continue;
		need = member_need(m, slots);
		if (!member_fits(m->uacce, need)) {
			uacce_section_refused(section, "%s: %llu contexts are needed, %u are free",
					      uacce_member_name(m), need, uacce_account_room(m->uacce));
			return -ENOSPC;
		}
	}
	return 0;
}

/*
 * Devices limit the bandwidth of a whole function, so a section with a limit has all contexts of each of its devices.
 * Otherwise processes of others would be limited, too.
 */
static bool member_can_limit(const struct uacce_device *uacce, u64 need)
{
	return !need || ((uacce->flags & UACCE_DEV_BANDWIDTH) && need == uacce->acct.total);
}

static int members_check_bandwidth(struct uacce_section *section, u32 slots)
{
	unsigned int k;

	for (k = 0; k < section->nr_members && section->bandwidth; k++) {
		struct uacce_member *m = &section->members[k];
		u64 need = member_need(m, slots);

		if (!m->uacce || member_can_limit(m->uacce, need))
			continue;
		if (!(m->uacce->flags & UACCE_DEV_BANDWIDTH)) {
			uacce_section_refused(section, "%s: its bandwidth can't be limited", uacce_member_name(m));
			return -EOPNOTSUPP;
		}
		uacce_section_refused(section, "%s: with bandwidth, a section has all of its %u contexts, not %llu",
				      uacce_member_name(m), m->uacce->acct.total, need);
		return -EINVAL;
	}
	return 0;
}

static int members_check_exclusive(struct uacce_section *section, u32 slots)
{
	const struct uacce_section *other;
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];

		if (!m->uacce || !member_need(m, slots) || uacce_doorbells_allow(m->uacce, section))
			continue;
		other = uacce_doorbells_other(m->uacce, section);
		if (other)
			uacce_section_refused(section, "%s: its doorbells are exclusive, and section %s has it",
					      uacce_member_name(m), uacce_section_name(other));
		else
			uacce_section_refused(section, "%s: its doorbells are exclusive, "
					      "and %u contexts outside of the section are open",
					      uacce_member_name(m), m->uacce->acct.used_pool);
		return -EBUSY;
	}
	return 0;
}

/* Memory that a step needs. It is allocated without uacce_prov. */
struct section_lack {
	struct uacce_device *uacce;	/* with a reference */
	u32 want;
};

/* Has every present device memory for the contexts of that many more slots? On -EAGAIN, @lack is what to allocate. */
static int members_check_memory(struct uacce_section *section, u32 slots, struct section_lack *lack)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];
		u32 want;

		if (!m->uacce)
			continue;
		want = m->uacce->acct.reserved + member_need(m, slots);
		if (!uacce_pool_lacks(m->uacce, want))
			continue;
		get_device(&m->uacce->dev);
		*lack = (struct section_lack){ .uacce = m->uacce, .want = want };
		return -EAGAIN;
	}
	return 0;
}

/* Does the shape give a slot at least one context, on a device that is present or may appear? */
static int members_check_shares(struct uacce_section *section)
{
	bool some = false;
	unsigned int k, i;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];

		/* Without "nodes", the node of an absent device doesn't matter. */
		if (m->uacce || !section->nodes) {
			section_share(section, m->uacce ? uacce_account_zone(m->uacce) : NUMA_NO_NODE,
				      &m->sync, &m->async);
			some |= m->sync + m->async;
			continue;
		}
		for (i = 0; i < section->nodes->nr; i++)
			some |= section->nodes->at[i].sync + section->nodes->at[i].async;
	}
	if (some)
		return 0;
	uacce_section_refused(section, "a slot would have no context on any device (sync_ctxs, async_ctxs, nodes)");
	return -EINVAL;
}

/* ------ live ------ */

static void section_set_state(struct uacce_section *section, enum uacce_nl_section_state state)
{
	section->state = state;
	trace_section_state(section);
	uacce_event_section(UACCE_NL_SECTION_CHANGE, section);
}

static int section_go_live(struct uacce_section *section, struct section_lack *lack)
{
	unsigned int k;
	int ret = uacce_members_make(section);

	if (!ret)
		ret = members_check_shares(section);
	if (!ret)
		ret = members_check_bandwidth(section, section->num_processes);
	if (!ret)
		ret = members_check_exclusive(section, section->num_processes);
	if (!ret)
		ret = members_check_room(section, section->num_processes);
	if (!ret)
		ret = members_check_memory(section, section->num_processes, lack);
	if (!ret)
		ret = members_grow_maps(section, section->num_processes);
	if (ret == -ENOMEM)
		uacce_section_refused(section, "out of memory");
	if (ret) {
		members_free(section);
		return ret;
	}
	uacce_endpoints_make(section);
	for (k = 0; k < section->nr_members; k++)
		member_reserve(section, &section->members[k],
			       member_need(&section->members[k], section->num_processes));
	list_add_tail(&section->claims, &uacce_claims);
	section_set_state(section, UACCE_NL_SECTION_LIVE);
	return 1;
}

static int section_live(struct uacce_section *section, u32 num, struct section_lack *lack)
{
	if (section->state == UACCE_NL_SECTION_LIVE)
		return 0;
	if (section->state == UACCE_NL_SECTION_DRAINING) {
		uacce_section_refused(section,
				      "the section is draining: %u slots are attached, %u have open contexts only",
				      section->attached, section->lingering);
		return -EBUSY;
	}
	return section_go_live(section, lack);
}

/* Frees memory that was allocated for a failed step. */
static void section_trim_memory(void)
{
	struct uacce_account *acct;

	list_for_each_entry(acct, &uacce_accounts, all)
		uacce_pool_set(uacce_of_account(acct), acct->reserved);
}

/* All or nothing: after the missing memory is allocated, the whole step runs again. */
static int section_try(struct uacce_section *section, u32 num,
		       int (*step)(struct uacce_section *section, u32 num, struct section_lack *lack))
{
	struct section_lack lack;
	int ret;

	mutex_lock(&uacce_prov);
	while ((ret = step(section, num, &lack)) == -EAGAIN) {
		mutex_unlock(&uacce_prov);
		ret = uacce_pool_fill(lack.uacce, lack.want);
		mutex_lock(&uacce_prov);
		if (ret == -ENOMEM)
			uacce_section_refused(section, "%s: no memory for the queues of %u contexts",
					      dev_name(&lack.uacce->dev), lack.want);
		put_device(&lack.uacce->dev);
		if (ret)
			break;
	}
	if (ret < 0)
		section_trim_memory();
	mutex_unlock(&uacce_prov);
	return ret;
}

/* The caller has pinned the directory, and unpins it unless this returns 1 (the state changed). */
int uacce_section_live(struct uacce_section *section)
{
	return section_try(section, 0, section_live);
}

/* ------ draining ------ */

static void section_configured(struct uacce_section *section)
{
	members_free(section);
	list_del_init(&section->claims);
	section_set_state(section, UACCE_NL_SECTION_CONFIGURED);
	/* From here on, rmdir can remove the section. */
	configfs_undepend_item(&section->group.cg_item);
}

static void section_give_back(struct uacce_section *section)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];
		u32 had = m->reserved;

		if (!m->uacce)
			continue;
		member_reserve(section, m, member_need(m, member_slots(section, k)));
		if (m->reserved < had)
			uacce_claims_retry(m->uacce);
	}
}

void uacce_section_settle(struct uacce_section *section)
{
	if (section->state == UACCE_NL_SECTION_LIVE) {
		uacce_waiters_serve(section);
		return;
	}
	if (section->state != UACCE_NL_SECTION_DRAINING)
		return;
	section_give_back(section);
	if (list_empty(&section->slots) && !section->revoking)
		section_configured(section);
}

void uacce_section_begin_drain(struct uacce_section *section)
{
	section_set_state(section, UACCE_NL_SECTION_DRAINING);
	uacce_waiters_end(section, ESHUTDOWN);
}

int uacce_section_drain(struct uacce_section *section)
{
	if (section->state != UACCE_NL_SECTION_LIVE)
		return 0;
	uacce_section_begin_drain(section);
	uacce_section_settle(section);
	return 0;
}

/* ------ resizing ------ */

static bool slots_taken_from(const struct uacce_section *section, u32 first)
{
	struct uacce_slot *slot;

	list_for_each_entry(slot, &section->slots, node)
		if (slot->index >= first)
			return true;
	return false;
}

/* Retries all claims on that device: this section's own claim may fit now. */
static void claims_retry_by_name(const char *name)
{
	struct uacce_device *uacce = uacce_member_present(name);

	if (uacce)
		uacce_claims_retry(uacce);
}

static int section_resize_live(struct uacce_section *section, u32 num, struct section_lack *lack)
{
	u32 old = section->num_processes;
	unsigned int k;
	int ret;

	section->reason[0] = 0;
	if (num < old && slots_taken_from(section, num)) {
		uacce_section_refused(section, "num_processes %u: a slot beyond it is in use", num);
		return -EBUSY;
	}
	ret = members_check_bandwidth(section, num);
	if (ret)
		return ret;
	if (num > old) {
		ret = members_check_room(section, num - old);
		if (!ret)
			ret = members_check_memory(section, num - old, lack);
		if (!ret)
			ret = members_grow_maps(section, num);
		if (ret == -ENOMEM)
			uacce_section_refused(section, "out of memory");
		if (ret)
			return ret;
	}
	section->num_processes = num;
	uacce_waiters_cut(section);
	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];

		member_reserve(section, m, member_need(m, num));
		if (num < old && m->uacce)
			uacce_claims_retry(m->uacce);
		else if (num < old && m->is_short)
			claims_retry_by_name(m->name);
	}
	return 0;
}

static int section_resize(struct uacce_section *section, u32 num, struct section_lack *lack)
{
	int ret;

	if (section->state == UACCE_NL_SECTION_DRAINING)
		return -EBUSY;
	if (num == section->num_processes)
		return 0;
	if (section->state == UACCE_NL_SECTION_LIVE) {
		ret = section_resize_live(section, num, lack);
		if (ret)
			return ret;
	} else {
		section->num_processes = num;
	}
	uacce_event_section(UACCE_NL_SECTION_CHANGE, section);
	uacce_section_settle(section);
	return 0;
}

int uacce_section_resize(struct uacce_section *section, u32 num)
{
	return section_try(section, num, section_resize);
}

/* ------ devices that appear and disappear ------ */

static bool member_is(const struct uacce_member *m, const struct uacce_device *uacce)
{
	return !strcmp(m->name, dev_name(&uacce->dev)) || !strcmp(m->name, dev_name(uacce->parent));
}

/* Serves the whole claim or nothing. */
static void claim_serve(struct uacce_section *section, unsigned int k, struct uacce_device *uacce)
{
	struct uacce_member *m = &section->members[k];
	bool was_short = m->is_short;
	u32 sync, async, need;

	section_share(section, uacce_account_zone(uacce), &sync, &async);
	m->sync = sync;
	m->async = async;
	uacce_endpoints_join(section, k, uacce);
	need = member_need(m, section->num_processes);
	member_set_short(m, (need && !uacce_doorbells_allow(uacce, section)) || !member_fits(uacce, need) ||
			 (section->bandwidth && !member_can_limit(uacce, need)));
	if (!m->is_short) {
		m->uacce = uacce;
		member_reserve(section, m, need);
	}
	if (!m->is_short || !was_short)
		uacce_event_section(UACCE_NL_SECTION_CHANGE, section);
}

/* Serves the claims on this device, in the order of going live. */
void uacce_claims_serve(struct uacce_device *uacce)
{
	struct uacce_section *section;
	unsigned int k;

	if (!uacce->acct.on)
		return;
	list_for_each_entry(section, &uacce_claims, claims) {
		if (section->state != UACCE_NL_SECTION_LIVE || uacce_section_position(section, uacce) >= 0)
			continue;
		for (k = 0; k < section->nr_members; k++)
			if (!section->members[k].uacce && member_is(&section->members[k], uacce)) {
				claim_serve(section, k, uacce);
				break;
			}
		if (uacce->announced)
			uacce_waiters_serve(section);
	}
}

void uacce_claims_retry(struct uacce_device *uacce)
{
	if (short_members)
		uacce_claims_serve(uacce);
}

void uacce_section_device_opens(struct uacce_device *uacce)
{
	struct uacce_section *section;

	list_for_each_entry(section, &uacce_claims, claims)
		if (section->state == UACCE_NL_SECTION_LIVE && uacce_section_position(section, uacce) >= 0)
			uacce_waiters_serve(section);
}

/* The section's claim on this device, served or found short. */
static struct uacce_member *member_of(struct uacce_section *section, const struct uacce_device *uacce)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		struct uacce_member *m = &section->members[k];

		if (m->uacce == uacce || (m->is_short && member_is(m, uacce)))
			return m;
	}
	return NULL;
}

/*
 * Called when the device's charges have ended. A reservation becomes a claim again; a claim
 * that was short is merely absent.
 */
void uacce_claims_drop(struct uacce_device *uacce)
{
	struct uacce_section *section;

	list_for_each_entry(section, &uacce_claims, claims) {
		struct uacce_member *m = member_of(section, uacce);

		if (!m)
			continue;
		member_reserve(section, m, 0);
		m->uacce = NULL;
		member_set_short(m, false);
		uacce_event_section(UACCE_NL_SECTION_CHANGE, section);
	}
}
