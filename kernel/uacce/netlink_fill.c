// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills devices, sections, grants and contexts into messages, and computes how many bytes they take at most. */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <net/genetlink.h>
#include "provision.h"

/* Bytes for the numbers of any message and its headers, without strings and nests. */
#define NUMBERS_BYTES	512
#define MEMBER_BYTES	(NLA_HDRLEN + 5 * 8)
#define GRANT_BYTES	(NLA_HDRLEN + 3 * 8)
#define PRINTED_BYTES	24	/* of one "node=sync+async" or "first-last" and its separator */

static size_t string_bytes(const char *s)
{
	return nla_total_size(strlen(s) + 1);
}

/* ------ devices ------ */

size_t uacce_dev_bytes(const struct uacce_device *uacce)
{
	return NUMBERS_BYTES + string_bytes(dev_name(&uacce->dev)) + string_bytes(dev_name(uacce->parent)) +
	       string_bytes(uacce->api) + string_bytes(uacce->algorithms);
}

static u32 dev_flags(const struct uacce_device *uacce)
{
	u32 flags = 0;

	if (uacce_sva_simulated(uacce))
		flags |= UACCE_NL_DEV_SIMULATED;
	if (uacce_doorbells(uacce) == UACCE_NL_DOORBELLS_ISOLATED)
		flags |= UACCE_NL_DEV_ISOLATED_DOORBELLS;
	if (uacce->flags & UACCE_DEV_SVA)
		flags |= UACCE_NL_DEV_SVA;
	if (uacce_mediated(uacce))
		flags |= UACCE_NL_DEV_MEDIATED;
	return flags;
}

static u32 dev_state(const struct uacce_device *uacce)
{
	const struct uacce_ops *ops = uacce->ops;

	if (uacce->acct.on && ops->get_isolate_state && ops->get_isolate_state(uacce) == UACCE_DEV_ISOLATE)
		return UACCE_NL_DEV_ISOLATED;
	return READ_ONCE(uacce->resetting) ? UACCE_NL_DEV_RESETTING : UACCE_NL_DEV_NORMAL;
}

int uacce_fill_dev_names(struct sk_buff *skb, const struct uacce_device *uacce)
{
	if (nla_put_string(skb, UACCE_A_DEV, dev_name(&uacce->dev)) ||
	    nla_put_string(skb, UACCE_A_DEV_PARENT, dev_name(uacce->parent)))
		return -EMSGSIZE;
	return 0;
}

int uacce_fill_dev_resets(struct sk_buff *skb, const struct uacce_device *uacce)
{
	return nla_put_u32(skb, UACCE_A_DEV_RESETS, READ_ONCE(uacce->resets));
}

static int fill_opens(struct sk_buff *skb, const struct uacce_opens *opens)
{
	if (nla_put_u64_64bit(skb, UACCE_A_OPENS, opens->done, UACCE_A_PAD) ||
	    nla_put_u64_64bit(skb, UACCE_A_OPENS_REFUSED, opens->refused, UACCE_A_PAD) ||
	    nla_put_u64_64bit(skb, UACCE_A_OPENS_FULL, opens->full, UACCE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int fill_settings(struct sk_buff *skb, const struct uacce_device *uacce)
{
	const struct uacce_settings *s = uacce->acct.settings;

	if (nla_put_s32(skb, UACCE_A_NODE, uacce_account_zone(uacce)) ||
	    nla_put_s32(skb, UACCE_A_DEV_PRIORITY, s->priority) ||
	    nla_put_u32(skb, UACCE_A_DEV_LATENCY, s->latency) ||
	    nla_put_u32(skb, UACCE_A_DEV_THROUGHPUT, s->throughput) ||
	    nla_put_u32(skb, UACCE_A_DEV_MAX_CTXS, s->max_ctxs) ||
	    nla_put_u32(skb, UACCE_A_DEV_DOORBELLS, uacce_doorbells(uacce)))
		return -EMSGSIZE;
	return 0;
}

static int fill_counts(struct sk_buff *skb, const struct uacce_device *uacce)
{
	const struct uacce_account *acct = &uacce->acct;

	if (nla_put_u32(skb, UACCE_A_CTXS_TOTAL, acct->total) ||
	    nla_put_u32(skb, UACCE_A_CTXS_RESERVED, acct->reserved) ||
	    nla_put_u32(skb, UACCE_A_CTXS_USED, acct->used) ||
	    nla_put_u32(skb, UACCE_A_CTXS_USED_POOL, acct->used_pool) ||
	    nla_put_u32(skb, UACCE_A_CTXS_FREE, uacce_account_room(uacce)) ||
	    nla_put_u32(skb, UACCE_A_CTXS_QUARANTINED, acct->quarantined))
		return -EMSGSIZE;
	return 0;
}

int uacce_fill_wrong(struct sk_buff *skb, u64 results)
{
	return nla_put_u64_64bit(skb, UACCE_A_WRONG_RESULTS, results, UACCE_A_PAD);
}

int uacce_fill_dev(struct sk_buff *skb, const struct uacce_device *uacce)
{
	if (uacce_fill_dev_names(skb, uacce) ||
	    nla_put_string(skb, UACCE_A_DEV_API, uacce->api) ||
	    nla_put_string(skb, UACCE_A_DEV_ALGORITHMS, uacce->algorithms) ||
	    nla_put_u32(skb, UACCE_A_DEV_FLAGS, dev_flags(uacce)) ||
	    nla_put_u32(skb, UACCE_A_DEV_STATE, dev_state(uacce)) ||
	    fill_settings(skb, uacce) || fill_counts(skb, uacce) || uacce_fill_dev_resets(skb, uacce) ||
	    fill_opens(skb, &uacce->acct.opens) ||
	    nla_put_u32(skb, UACCE_A_CTX_ERRORS, atomic_read(&uacce->ctx_errors)) ||
	    uacce_fill_wrong(skb, atomic64_read(&uacce->wrong_results)) ||
	    nla_put_u64_64bit(skb, UACCE_A_CONFIG_SEQ, uacce_config_seq, UACCE_A_PAD) ||
	    nla_put_u64_64bit(skb, UACCE_A_EVENT_SEQ, uacce_event_seq, UACCE_A_PAD) ||
	    nla_put_u64_64bit(skb, UACCE_A_EVENTS_LOST, uacce_events_lost, UACCE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

int uacce_fill_requests(struct sk_buff *skb, u64 requests)
{
	return nla_put_u64_64bit(skb, UACCE_A_REQUESTS, requests, UACCE_A_PAD);
}

/*
 * Counters that the driver doesn't have are left out. Only for an administrator: sizes tell about the data of others.
 */
int uacce_fill_dev_work(struct sk_buff *skb, const struct uacce_device *uacce)
{
	static const int attrs[UACCE_WORK_NR] = {
		[UACCE_WORK_REQUESTS] = UACCE_A_DEV_REQUESTS,
		[UACCE_WORK_ERRORS] = UACCE_A_DEV_REQUEST_ERRORS,
		[UACCE_WORK_BYTES_IN] = UACCE_A_DEV_BYTES_IN,
		[UACCE_WORK_BYTES_OUT] = UACCE_A_DEV_BYTES_OUT,
		[UACCE_WORK_BUSY_CYCLES] = UACCE_A_DEV_BUSY_CYCLES,
	};
	struct uacce_counts counts = {};
	unsigned int i;

	if (uacce->acct.on && uacce->ops->get_counts)
		uacce->ops->get_counts(uacce, &counts);
	for (i = 0; i < UACCE_WORK_NR; i++)
		if ((counts.known & BIT(i)) && nla_put_u32(skb, attrs[i], counts.count[i]))
			return -EMSGSIZE;
	return uacce->flags & UACCE_DEV_REQUESTS ? uacce_fill_requests(skb, uacce->acct.requests) : 0;
}

/* ------ sections ------ */

static size_t nodes_bytes(const struct uacce_nodes *nodes)
{
	return 2 + (nodes ? nodes->nr * PRINTED_BYTES : 0);
}

static size_t ranges_bytes(const struct uacce_ranges *ranges)
{
	return 4 + (ranges ? ranges->nr * PRINTED_BYTES : 0);
}

/* Bytes of a member: its numbers, @name, and the longest name that a device can have. */
static size_t name_bytes(const char *name)
{
	return MEMBER_BYTES + string_bytes(name) + nla_total_size(UACCE_NAME_SIZE + 16);
}

size_t uacce_section_bytes(const struct uacce_section *section)
{
	size_t bytes = NUMBERS_BYTES + string_bytes(uacce_section_name(section)) + string_bytes(section->reason) +
		       nla_total_size(nodes_bytes(section->nodes)) +
		       nla_total_size(ranges_bytes(section->uids)) +
		       nla_total_size(ranges_bytes(section->gids));
	unsigned int i;

	for (i = 0; i < section->nr_members; i++)
		bytes += name_bytes(section->members[i].name);
	for (i = 0; section->devices && i < section->devices->nr; i++)
		bytes += name_bytes(section->devices->name[i]);
	return bytes;
}

/* Trims an attribute to the text printed into it; the trailing newline becomes the terminator. */
static void end_printed(struct sk_buff *skb, struct nlattr *nla, ssize_t n)
{
	char *s = nla_data(nla);

	s[n - 1] = 0;
	nla->nla_len = nla_attr_size(n);
	memset(s + n, 0, nla_padlen(n));
	skb_trim(skb, (unsigned char *)s + n + nla_padlen(n) - skb->data);
}

static int fill_nodes(struct sk_buff *skb, const struct uacce_nodes *nodes)
{
	struct nlattr *nla = nla_reserve(skb, UACCE_A_NODES, nodes_bytes(nodes));

	if (!nla)
		return -EMSGSIZE;
	end_printed(skb, nla, uacce_print_nodes(nodes, nla_data(nla), nla_len(nla)));
	return 0;
}

static int fill_ranges(struct sk_buff *skb, int type, const struct uacce_ranges *ranges)
{
	struct nlattr *nla = nla_reserve(skb, type, ranges_bytes(ranges));

	if (!nla)
		return -EMSGSIZE;
	end_printed(skb, nla, uacce_print_ranges(ranges, nla_data(nla), nla_len(nla)));
	return 0;
}

static int fill_shape(struct sk_buff *skb, const struct uacce_section *section)
{
	if (nla_put_u32(skb, UACCE_A_SECTION_STATE, section->state) ||
	    nla_put_u32(skb, UACCE_A_NUM_PROCESSES, section->num_processes) ||
	    nla_put_u32(skb, UACCE_A_LIMIT_DEV_ACCESS, section->limit_dev_access) ||
	    nla_put_u32(skb, UACCE_A_SYNC_CTXS, section->sync) ||
	    nla_put_u32(skb, UACCE_A_ASYNC_CTXS, section->async) ||
	    fill_nodes(skb, section->nodes) ||
	    nla_put_u32(skb, UACCE_A_QUEUE_PRIORITY, section->queue_priority) ||
	    nla_put_u32(skb, UACCE_A_MAX_EXTRA, section->max_extra) ||
	    nla_put_u32(skb, UACCE_A_BANDWIDTH, section->bandwidth) ||
	    nla_put_u32(skb, UACCE_A_MAX_PINNED, section->max_pinned) ||
	    fill_ranges(skb, UACCE_A_ALLOWED_UIDS, section->uids) ||
	    fill_ranges(skb, UACCE_A_ALLOWED_GIDS, section->gids))
		return -EMSGSIZE;
	return 0;
}

/* The open contexts of its slots, and of the processes attached to these. */
static int fill_open_ctxs(struct sk_buff *skb, const struct uacce_section *section)
{
	struct uacce_slot *slot;
	u32 used = 0, extra = 0;

	list_for_each_entry(slot, &section->slots, node) {
		used += slot->charges;
		extra += slot->attachment ? slot->attachment->owner->extras : 0;
	}
	if (nla_put_u32(skb, UACCE_A_CTXS_USED, used) || nla_put_u32(skb, UACCE_A_CTXS_EXTRA, extra))
		return -EMSGSIZE;
	return 0;
}

static int fill_slots(struct sk_buff *skb, const struct uacce_section *section)
{
	if (nla_put_u32(skb, UACCE_A_SLOTS_TOTAL, min_t(u64, uacce_section_slots(section), U32_MAX)) ||
	    nla_put_u32(skb, UACCE_A_SLOTS_ATTACHED, section->attached) ||
	    nla_put_u32(skb, UACCE_A_SLOTS_LINGERING, section->lingering) ||
	    nla_put_u32(skb, UACCE_A_WAITING, section->waiting))
		return -EMSGSIZE;
	return 0;
}

static int fill_member_names(struct sk_buff *skb, const char *name, const struct uacce_device *uacce)
{
	if (nla_put_string(skb, UACCE_A_MEMBER_NAME, name))
		return -EMSGSIZE;
	return uacce ? nla_put_string(skb, UACCE_A_MEMBER_DEV, dev_name(&uacce->dev)) : 0;
}

static int fill_endpoint(struct sk_buff *skb, const struct uacce_section *section, unsigned int k)
{
	if (!section->limit_dev_access || section->places[k].endpoint < 0)
		return 0;
	return nla_put_u32(skb, UACCE_A_MEMBER_ENDPOINT, section->places[k].endpoint);
}

static int fill_member(struct sk_buff *skb, const struct uacce_section *section, unsigned int k)
{
	const struct uacce_member *m = &section->members[k];
	const struct uacce_device *uacce = m->uacce;
	struct nlattr *nest = nla_nest_start(skb, UACCE_A_MEMBER);

	/* A pending member with a device is present but short. */
	if (!uacce && m->is_short)
		uacce = uacce_account_find(m->name);
	if (!nest || fill_member_names(skb, m->name, uacce) ||
	    nla_put_u32(skb, UACCE_A_MEMBER_SYNC, m->sync) ||
	    nla_put_u32(skb, UACCE_A_MEMBER_ASYNC, m->async) ||
	    nla_put_u32(skb, UACCE_A_MEMBER_RESERVED, m->uacce ? m->reserved : 0) ||
	    fill_endpoint(skb, section, k) ||
	    (!m->uacce && nla_put_flag(skb, UACCE_A_MEMBER_PENDING)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A section that isn't live has no members yet, only their names. */
static int fill_configured(struct sk_buff *skb, const struct uacce_names *names)
{
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; names && i < names->nr; i++) {
		nest = nla_nest_start(skb, UACCE_A_MEMBER);
		if (!nest || fill_member_names(skb, names->name[i], uacce_account_find(names->name[i])))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

int uacce_fill_section(struct sk_buff *skb, const struct uacce_section *section)
{
	unsigned int i;

	if (nla_put_string(skb, UACCE_A_SECTION, uacce_section_name(section)) ||
	    fill_shape(skb, section) || fill_slots(skb, section) || fill_open_ctxs(skb, section) ||
	    fill_opens(skb, &section->opens) ||
	    nla_put_string(skb, UACCE_A_REASON, section->reason))
		return -EMSGSIZE;
	if (section->state == UACCE_NL_SECTION_CONFIGURED)
		return fill_configured(skb, section->devices);
	for (i = 0; i < section->nr_members; i++)
		if (fill_member(skb, section, i))
			return -EMSGSIZE;
	return 0;
}

/* ------ grants ------ */

size_t uacce_grants_bytes(const struct uacce_attachment *a)
{
	return NUMBERS_BYTES + nla_total_size(UACCE_SLOT_NAME_SIZE) +
	       a->section->nr_members * (GRANT_BYTES + nla_total_size(UACCE_NAME_SIZE + 16));
}

static int fill_grant(struct sk_buff *skb, const struct uacce_member *m)
{
	struct nlattr *nest = nla_nest_start(skb, UACCE_A_GRANT);

	if (!nest ||
	    nla_put_string(skb, UACCE_A_GRANT_DEV, dev_name(&m->uacce->dev)) ||
	    nla_put_s32(skb, UACCE_A_GRANT_NODE, uacce_account_zone(m->uacce)) ||
	    nla_put_u32(skb, UACCE_A_GRANT_SYNC, m->sync) ||
	    nla_put_u32(skb, UACCE_A_GRANT_ASYNC, m->async))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int uacce_fill_slot(struct sk_buff *skb, const struct uacce_slot *slot)
{
	char name[UACCE_SLOT_NAME_SIZE];

	uacce_slot_name(slot, name);
	return nla_put_string(skb, UACCE_A_SLOT, name);
}

int uacce_fill_grants(struct sk_buff *skb, const struct uacce_attachment *a)
{
	const struct uacce_section *section = a->section;
	unsigned int i;

	if (!a->slot)
		return nla_put_u32(skb, UACCE_A_TICKET, a->ticket);
	if (uacce_fill_slot(skb, a->slot) ||
	    nla_put_u32(skb, UACCE_A_QUEUE_PRIORITY, section->queue_priority) ||
	    nla_put_u32(skb, UACCE_A_MAX_EXTRA, section->max_extra))
		return -EMSGSIZE;
	for (i = 0; i < section->nr_members; i++)
		if (uacce_member_is_on(&section->members[i]) && uacce_slot_has(a->slot, i) &&
		    fill_grant(skb, &section->members[i]))
			return -EMSGSIZE;
	return 0;
}

/* ------ contexts ------ */

static u32 ctx_state(const struct uacce_ctx *ctx)
{
	/* The locks may be held while hardware works, so this reads a possibly stale state. */
	switch (READ_ONCE(ctx->state)) {
	case UACCE_CTX_OPENING:
		return UACCE_NL_CTX_OPENING;
	case UACCE_CTX_INIT:
		return UACCE_NL_CTX_INIT;
	case UACCE_CTX_STARTED:
		return UACCE_NL_CTX_STARTED;
	case UACCE_CTX_ZOMBIE:
		break;
	}
	return UACCE_NL_CTX_DEAD;
}

/* The driver assigns the id at the end of open(). */
int uacce_fill_ctx_id(struct sk_buff *skb, const struct uacce_charge *charge)
{
	u32 id = READ_ONCE(charge->id);

	return id == UACCE_CTX_NO_ID ? 0 : nla_put_u32(skb, UACCE_A_CTX_ID, id);
}

u32 uacce_pid_nr(struct pid *pid, struct pid_namespace *pid_ns)
{
	u32 nr;

	rcu_read_lock();
	nr = pid_task(pid, PIDTYPE_TGID) ? pid_nr_ns(pid, pid_ns) : 0;
	rcu_read_unlock();
	return nr;
}

int uacce_fill_process(struct sk_buff *skb, const struct uacce_owner *owner, const char *comm,
		       struct pid_namespace *pid_ns)
{
	if (nla_put_u32(skb, UACCE_A_PID, owner ? uacce_pid_nr(owner->pid, pid_ns) : 0) ||
	    nla_put_string(skb, UACCE_A_COMM, comm))
		return -EMSGSIZE;
	return 0;
}

int uacce_fill_ctx(struct sk_buff *skb, const struct uacce_ctx *ctx, struct pid_namespace *pid_ns)
{
	const struct uacce_charge *charge = &ctx->charge;
	const struct uacce_slot *slot = charge->slot;
	u64 age = ktime_ms_delta(ktime_get(), charge->since);

	if (uacce_fill_ctx_id(skb, charge) ||
	    nla_put_u32(skb, UACCE_A_CTX_CLASS, charge->class) ||
	    nla_put_u32(skb, UACCE_A_CTX_STATE, ctx_state(ctx)) ||
	    nla_put_u64_64bit(skb, UACCE_A_CTX_AGE_MS, age, UACCE_A_PAD) ||
	    nla_put_u32(skb, UACCE_A_CTX_ERRORS, atomic_read(&ctx->errors)) ||
	    uacce_fill_wrong(skb, atomic64_read(&ctx->wrong_results)) ||
	    ((ctx->q.uacce->flags & UACCE_DEV_REQUESTS) && uacce_fill_requests(skb, READ_ONCE(ctx->q.requests))) ||
	    uacce_fill_process(skb, charge->owner, charge->comm, pid_ns) ||
	    nla_put_string(skb, UACCE_A_DEV, dev_name(&ctx->q.uacce->dev)) ||
	    nla_put_s32(skb, UACCE_A_NODE, uacce_account_zone(ctx->q.uacce)))
		return -EMSGSIZE;
	if (!slot)
		return 0;
	if (nla_put_string(skb, UACCE_A_SECTION, uacce_section_name(slot->section)) ||
	    uacce_fill_slot(skb, slot))
		return -EMSGSIZE;
	return 0;
}
