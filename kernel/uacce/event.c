// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unsolicited messages: events to two multicast groups, and slots granted to waiting processes.
 *
 * Each event takes a number, under uacce_prov and before anything can fail, so that a listener
 * that misses an event sees a gap.
 */
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include "trace.h"

#define QUOTA_ENTRIES	64
#define QUOTA_PERIOD	HZ

/* Room for names, a process, a number or two. */
#define EVENT_BYTES	512

/* Set before there is anything to send. */
static struct genl_family *family;

/* ------ sending ------ */

/* NULL: no listener, or out of memory. */
static struct sk_buff *event_new(enum uacce_mcgrp group, enum uacce_nl_cmd cmd, size_t bytes, void **hdr)
{
	struct sk_buff *skb;

	/* Looking in one namespace is enough: listeners are counted for all namespaces together. */
	if (!genl_has_listeners(family, &init_net, group))
		return NULL;
	skb = genlmsg_new(bytes, GFP_KERNEL);
	*hdr = skb ? genlmsg_put(skb, 0, 0, family, 0, cmd) : NULL;
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	uacce_events_lost++;
	return NULL;
}

/* In some namespaces nobody listens (ESRCH). */
static bool event_lost(int sent)
{
	return sent == -ENOBUFS || sent == -ENOMEM;
}

/*
 * Sends to each namespace separately: genlmsg_multicast_allns() stops at the first namespace
 * where a listener has asked for delivery errors (NETLINK_BROADCAST_ERROR).
 */
static bool send_everywhere(struct sk_buff *skb)
{
	struct sk_buff *copy;
	bool lost = false;
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net) {
		copy = skb_clone(skb, GFP_ATOMIC);
		lost |= !copy ||
			event_lost(genlmsg_multicast_netns(family, net, copy, 0, UACCE_GRP_CONFIG, GFP_ATOMIC));
	}
	rcu_read_unlock();
	consume_skb(skb);
	return lost;
}

/* Sends the message if @ret, the result of filling it, is 0. */
static void event_end(enum uacce_mcgrp group, struct sk_buff *skb, void *hdr, int ret)
{
	if (ret) {
		nlmsg_free(skb);
		uacce_events_lost++;
		return;
	}
	genlmsg_end(skb, hdr);
	if (group == UACCE_GRP_CONFIG)
		uacce_events_lost += send_everywhere(skb);
	else
		uacce_events_lost += event_lost(genlmsg_multicast_netns(family, &init_net, skb, 0, group, GFP_KERNEL));
}

static int put_config_seq(struct sk_buff *skb)
{
	return nla_put_u64_64bit(skb, UACCE_A_CONFIG_SEQ, uacce_config_seq, UACCE_A_PAD);
}

static int put_event_seq(struct sk_buff *skb)
{
	return nla_put_u64_64bit(skb, UACCE_A_EVENT_SEQ, uacce_event_seq, UACCE_A_PAD);
}

/* ------ group "config" ------ */

static int fill_dev_config(struct sk_buff *skb, enum uacce_nl_cmd cmd, const struct uacce_device *uacce)
{
	if (cmd != UACCE_NL_DEV_DEL)
		return uacce_fill_dev(skb, uacce);
	return uacce_fill_dev_names(skb, uacce) || put_config_seq(skb) ? -EMSGSIZE : 0;
}

static void event_dev_config(enum uacce_nl_cmd cmd, const struct uacce_device *uacce)
{
	struct sk_buff *skb;
	void *hdr;

	uacce_config_seq++;
	skb = event_new(UACCE_GRP_CONFIG, cmd, uacce_dev_bytes(uacce), &hdr);
	if (skb)
		event_end(UACCE_GRP_CONFIG, skb, hdr, fill_dev_config(skb, cmd, uacce));
}

static int fill_section_config(struct sk_buff *skb, enum uacce_nl_cmd cmd, const struct uacce_section *section)
{
	int ret = cmd == UACCE_NL_SECTION_DEL ?
		nla_put_string(skb, UACCE_A_SECTION, uacce_section_name(section)) :
		uacce_fill_section(skb, section);

	return ret ? ret : put_config_seq(skb);
}

void uacce_event_section(enum uacce_nl_cmd cmd, const struct uacce_section *section)
{
	struct sk_buff *skb;
	void *hdr;

	lockdep_assert_held(&uacce_prov);
	uacce_config_seq++;
	skb = event_new(UACCE_GRP_CONFIG, cmd, uacce_section_bytes(section), &hdr);
	if (skb)
		event_end(UACCE_GRP_CONFIG, skb, hdr, fill_section_config(skb, cmd, section));
}

/* ------ group "event" ------ */

static int fill_dev_state(struct sk_buff *skb, enum uacce_nl_cmd cmd, const struct uacce_device *uacce)
{
	if (uacce_fill_dev_names(skb, uacce) || put_event_seq(skb) ||
	    (cmd == UACCE_NL_DEV_READY && uacce_fill_dev_resets(skb, uacce)))
		return -EMSGSIZE;
	return 0;
}

static void event_dev_state(enum uacce_nl_cmd cmd, const struct uacce_device *uacce)
{
	struct sk_buff *skb;
	void *hdr;

	trace_device_state(uacce, cmd);
	uacce_event_seq++;
	skb = event_new(UACCE_GRP_EVENT, cmd, EVENT_BYTES, &hdr);
	if (skb)
		event_end(UACCE_GRP_EVENT, skb, hdr, fill_dev_state(skb, cmd, uacce));
}

void uacce_event_dev(enum uacce_nl_cmd cmd, const struct uacce_device *uacce)
{
	lockdep_assert_held(&uacce_prov);
	if (cmd == UACCE_NL_DEV_RESET || cmd == UACCE_NL_DEV_ISOLATE || cmd == UACCE_NL_DEV_READY)
		event_dev_state(cmd, uacce);
	else
		event_dev_config(cmd, uacce);
}

static int fill_slot_event(struct sk_buff *skb, const struct uacce_attachment *a)
{
	if (nla_put_string(skb, UACCE_A_SECTION, uacce_section_name(a->section)) ||
	    (a->slot && uacce_fill_slot(skb, a->slot)) ||
	    uacce_fill_process(skb, a->owner, a->comm, &init_pid_ns) || put_event_seq(skb))
		return -EMSGSIZE;
	return 0;
}

void uacce_event_slot(enum uacce_nl_cmd cmd, const struct uacce_attachment *a)
{
	struct sk_buff *skb;
	void *hdr;

	lockdep_assert_held(&uacce_prov);
	if (cmd == UACCE_NL_SLOT_ATTACH)
		trace_attach(a);
	else
		trace_detach(a);
	uacce_event_seq++;
	skb = event_new(UACCE_GRP_EVENT, cmd, EVENT_BYTES, &hdr);
	if (skb)
		event_end(UACCE_GRP_EVENT, skb, hdr, fill_slot_event(skb, a));
}

static int fill_ctx_error(struct sk_buff *skb, const struct uacce_ctx *ctx, int error)
{
	const struct uacce_charge *charge = &ctx->charge;

	if (nla_put_string(skb, UACCE_A_DEV, dev_name(&ctx->q.uacce->dev)) ||
	    uacce_fill_ctx_id(skb, charge) ||
	    uacce_fill_process(skb, charge->owner, charge->comm, &init_pid_ns) ||
	    nla_put_u32(skb, UACCE_A_ERROR, abs(error)) || put_event_seq(skb))
		return -EMSGSIZE;
	return 0;
}

/* Sends one event for all errors since the last. Called by a work item, or before the context's owner is forgotten. */
void uacce_event_ctx_error(struct uacce_ctx *ctx)
{
	struct sk_buff *skb;
	void *hdr;
	int error;

	lockdep_assert_held(&uacce_prov);
	error = xchg(&ctx->error, 0);
	if (!error || !ctx->charge.owner)
		return;
	uacce_event_seq++;
	skb = event_new(UACCE_GRP_EVENT, UACCE_NL_CTX_ERROR, EVENT_BYTES, &hdr);
	if (skb)
		event_end(UACCE_GRP_EVENT, skb, hdr, fill_ctx_error(skb, ctx, error));
}

/* ------ refusals of open(), one event a second for each process and device ------ */

/* An entry lives until a second has passed without refusals. Names are copies: the objects that they name may go. */
struct quota {
	struct pid *pid;		/* NULL: the entry is free */
	char dev[UACCE_NAME_SIZE + 16];
	char section[UACCE_SECTION_NAME_MAX + 1];	/* section of the last refusal; "": not attached */
	char comm[TASK_COMM_LEN];
	int error;
	u32 count;			/* refusals not reported yet */
	unsigned long told;		/* time of the last report, in jiffies */
};

static struct quota quotas[QUOTA_ENTRIES];

static void quota_flush(struct work_struct *work);
static DECLARE_DELAYED_WORK(quota_work, quota_flush);

static int fill_quota(struct sk_buff *skb, const struct quota *q)
{
	if (nla_put_string(skb, UACCE_A_DEV, q->dev) ||
	    nla_put_u32(skb, UACCE_A_PID, uacce_pid_nr(q->pid, &init_pid_ns)) ||
	    nla_put_string(skb, UACCE_A_COMM, q->comm) ||
	    nla_put_u32(skb, UACCE_A_ERROR, -q->error) ||
	    nla_put_u32(skb, UACCE_A_COUNT, q->count) ||
	    (q->section[0] && nla_put_string(skb, UACCE_A_SECTION, q->section)) ||
	    put_event_seq(skb))
		return -EMSGSIZE;
	return 0;
}

static void quota_tell(struct quota *q)
{
	struct sk_buff *skb;
	void *hdr;

	uacce_event_seq++;
	skb = event_new(UACCE_GRP_EVENT, UACCE_NL_QUOTA, EVENT_BYTES, &hdr);
	if (skb)
		event_end(UACCE_GRP_EVENT, skb, hdr, fill_quota(skb, q));
	q->count = 0;
	q->told = jiffies;
}

static void quota_free(struct quota *q)
{
	put_pid(q->pid);
	q->pid = NULL;
}

static bool quota_due(const struct quota *q)
{
	return time_after_eq(jiffies, q->told + QUOTA_PERIOD);
}

static void quota_flush(struct work_struct *work)
{
	unsigned long next = MAX_JIFFY_OFFSET;
	struct quota *q;

	mutex_lock(&uacce_prov);
	for (q = quotas; q < quotas + QUOTA_ENTRIES; q++) {
		if (!q->pid)
			continue;
		if (quota_due(q)) {
			if (!q->count) {
				quota_free(q);
				continue;
			}
			quota_tell(q);
		}
		next = min(next, q->told + QUOTA_PERIOD - jiffies);
	}
	if (next != MAX_JIFFY_OFFSET)
		schedule_delayed_work(&quota_work, next);
	mutex_unlock(&uacce_prov);
}

static struct quota *quota_find(const struct pid *pid, const char *dev)
{
	struct quota *q;

	for (q = quotas; q < quotas + QUOTA_ENTRIES; q++)
		if (q->pid == pid && !strcmp(q->dev, dev))
			return q;
	return NULL;
}

/* Returns a free entry, or else reuses the entry that was reported longest ago. */
static struct quota *quota_room(void)
{
	struct quota *q, *oldest = quotas;

	for (q = quotas; q < quotas + QUOTA_ENTRIES; q++) {
		if (!q->pid)
			return q;
		if (time_before(q->told, oldest->told))
			oldest = q;
	}
	if (oldest->count)
		quota_tell(oldest);
	quota_free(oldest);
	return oldest;
}

void uacce_event_quota(const struct uacce_device *uacce, const struct uacce_section *section, int error)
{
	struct pid *pid = task_tgid(current);
	struct quota *q;
	bool known;

	lockdep_assert_held(&uacce_prov);
	trace_quota_refused(uacce, section, error);
	q = quota_find(pid, dev_name(&uacce->dev));
	known = q;
	if (!known) {
		q = quota_room();
		q->pid = get_pid(pid);
		q->count = 0;
		strscpy(q->dev, dev_name(&uacce->dev), sizeof(q->dev));
	}
	strscpy(q->section, section ? uacce_section_name(section) : "", sizeof(q->section));
	get_task_comm(q->comm, current);
	q->error = error;
	q->count++;
	if (!known || quota_due(q))
		quota_tell(q);
	/* Doesn't postpone work that is already scheduled. */
	schedule_delayed_work(&quota_work, QUOTA_PERIOD);
}

/* ------ to a waiting process ------ */

static int fill_granted(struct sk_buff *skb, const struct uacce_attachment *a, int error)
{
	return error ? nla_put_u32(skb, UACCE_A_ERROR, abs(error)) : uacce_fill_grants(skb, a);
}

static struct sk_buff *granted_new(const struct uacce_attachment *a, int error)
{
	struct sk_buff *skb = genlmsg_new(uacce_grants_bytes(a), GFP_KERNEL);
	void *hdr;
	int ret;

	if (!skb)
		return ERR_PTR(-ENOMEM);
	hdr = genlmsg_put(skb, a->portid, a->seq, family, 0, UACCE_NL_SLOT_GRANTED);
	ret = hdr ? fill_granted(skb, a, error) : -EMSGSIZE;
	if (ret) {
		nlmsg_free(skb);
		return ERR_PTR(ret);
	}
	genlmsg_end(skb, hdr);
	return skb;
}

int uacce_tell_granted(const struct uacce_attachment *a, int error)
{
	struct sk_buff *skb;
	int ret;

	lockdep_assert_held(&uacce_prov);
	if (sock_flag(a->sk, SOCK_DEAD))
		return -ECONNREFUSED;
	skb = granted_new(a, error);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	ret = genlmsg_unicast(a->net, skb, a->portid);
	/* A port is freed before its socket is dead: another socket may have the port, and the message, by now. */
	if (!ret && sock_flag(a->sk, SOCK_DEAD))
		ret = -ECONNREFUSED;
	return ret;
}

/* ------ init and exit ------ */

void uacce_event_init(struct genl_family *genl_family)
{
	family = genl_family;
}

/* No open() runs any more, and no process is attached. */
void uacce_event_exit(void)
{
	struct quota *q;

	cancel_delayed_work_sync(&quota_work);
	for (q = quotas; q < quotas + QUOTA_ENTRIES; q++)
		if (q->pid)
			quota_free(q);
}
