/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provisioning: who may open how many contexts of which device.
 *
 * One mutex, uacce_prov, protects all of it: devices' sums, sections, slots,
 * owners, attachments, charges. It is a leaf: under it come only the locks of
 * netlink sockets and pids; memory is allocated, and events are sent, so that
 * their order is that of the changes. That memory isn't charged to the process'
 * control group, whose limit would make everybody wait or fail: there is as much
 * of it as contexts and slots that can be had, and waiters, which are bounded. No driver is called under it, but for
 * get_isolate_state, which waits for nothing.
 * docs/provisioning.md says why.
 */
#ifndef WD_UACCE_PROVISION_H
#define WD_UACCE_PROVISION_H

#include <linux/configfs.h>
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <linux/uacce_netlink.h>
#include "internal.h"

#define UACCE_SECTION_NAME_MAX	31
#define UACCE_SLOT_NAME_SIZE	64
#define UACCE_NUM_PROCESSES_MAX	65535
#define UACCE_CTXS_MAX		1024	/* sync_ctxs, async_ctxs, and each number in "nodes" */
#define UACCE_RANGES_MAX	128
#define UACCE_WAITERS_MAX	1024
#define UACCE_VALUE_MAX		4000	/* bytes of one write */
#define UACCE_REASON_SIZE	256
#define UACCE_LEVEL_MAX		99
#define UACCE_QUEUE_PRIORITY_MAX 7

extern struct mutex uacce_prov;

/* A thread group that has contexts, or an attachment, or waits for one. */
struct uacce_owner {
	struct hlist_node hash;
	struct pid *pid;		/* identity: compared by pointer, pinned */
	struct list_head charges;
	u32 extras;
	struct uacce_slot *slot;	/* what its contexts are charged to, or it is attached to */
	struct uacce_attachment *attachment;
};

/* A socket's and a process' claim to a slot: waiting (no slot), or attached. */
struct uacce_attachment {
	struct kref ref;
	struct list_head all;		/* uacce_attachments */
	struct list_head waiting;	/* uacce_section::waiters */
	struct uacce_section *section;
	struct uacce_slot *slot;
	struct uacce_owner *owner;
	bool over;			/* nobody finds it any more */

	struct sock *sk;
	struct net *net;		/* the socket's; valid while that isn't dead */
	u32 portid;
	u32 seq;			/* of the request */
	const struct cred *cred;
	bool admin;			/* may attach whatever the lists say */
	char comm[TASK_COMM_LEN];
	int node;			/* of the caller's CPU */

	u32 ticket;
	int want_member;		/* -1: any */
	int want_index;			/* -1: any */
	struct delayed_work expiry;

	wait_queue_entry_t death;
	struct work_struct died;
};

struct uacce_nodes {
	unsigned int nr;
	struct {
		int node;
		u32 sync;
		u32 async;
	} at[];
};

struct uacce_names {
	unsigned int nr;
	char *name[];
};

struct uacce_ranges {
	bool all;
	unsigned int nr;
	struct {
		u32 first;
		u32 last;
	} at[];
};

/* A device of a live section. Its place among the members is its position k. */
struct uacce_member {
	char *name;			/* as configured; else the parent's */
	struct uacce_device *uacce;	/* NULL: absent, or there but short: pending */
	bool is_short;
	u32 sync;			/* contexts a slot; 0 + 0: not used */
	u32 async;
	u32 reserved;			/* its part of the device's */
	unsigned long *taken;		/* in mode 1: slots of this device; in mode 0 the first member's is all slots' */
};

/* A slot that isn't free; free ones are bits. */
struct uacce_slot {
	struct list_head node;		/* uacce_section::slots */
	struct uacce_section *section;
	u32 index;
	int member;			/* position, -1 in mode 0 */
	struct uacce_attachment *attachment;	/* NULL: lingering */
	u32 charges;
	u16 used[];			/* by position in mode 0; one in mode 1 */
};

struct uacce_section {
	struct config_group group;
	struct list_head all;		/* uacce_sections */
	struct list_head claims;	/* uacce_claims: in the order of going live */
	enum uacce_nl_section_state state;
	bool revoking;
	char reason[UACCE_REASON_SIZE];

	u32 num_processes;
	bool limit_dev_access;
	u32 sync;
	u32 async;
	struct uacce_nodes *nodes;	/* NULL: the two above hold everywhere */
	struct uacce_names *devices;	/* NULL: those present */
	u32 queue_priority;
	u32 max_extra;
	struct uacce_ranges *uids;	/* NULL: none */
	struct uacce_ranges *gids;

	unsigned int nr_members;	/* the rest is there while it isn't configured */
	struct uacce_member *members;
	unsigned int taken_bits;	/* that each bitmap has room for */
	struct list_head slots;
	u32 attached;
	u32 lingering;
	struct list_head waiters;
	u32 waiting;
};

/* Not so while a removal ends its charges, before the claim is dropped. */
static inline bool uacce_member_is_on(const struct uacce_member *m)
{
	return m->uacce && m->uacce->acct.on;
}

#define to_uacce_section(i)	container_of(to_config_group(i), struct uacce_section, group)

extern struct list_head uacce_accounts;		/* of registered devices */
extern struct list_head uacce_sections;
extern struct list_head uacce_claims;		/* of sections that aren't configured, in the order of going live */
extern u32 uacce_prov_generation;		/* counts devices and sections that come and go */
extern u32 uacce_ctx_generation;		/* the same of contexts */

static inline const char *uacce_section_name(const struct uacce_section *section)
{
	return section->group.cg_item.ci_name;
}

static inline struct uacce_device *uacce_of_account(struct uacce_account *acct)
{
	return container_of(acct, struct uacce_device, acct);
}

static inline struct uacce_ctx *uacce_of_charge(struct uacce_charge *charge)
{
	return container_of(charge, struct uacce_ctx, charge);
}

/* ledger.c: what there is; with uacce_prov held unless said otherwise */
int uacce_ledger_init(void);
void uacce_ledger_exit(void);
extern struct workqueue_struct *uacce_wq;	/* what can't be done where it is heard of */
struct uacce_settings *uacce_settings_get(const char *parent);	/* found or made; NULL: no memory */
int uacce_account_zone(const struct uacce_device *uacce);
s64 uacce_account_free(const struct uacce_device *uacce);
u32 uacce_account_room(const struct uacce_device *uacce);
struct uacce_device *uacce_account_find(const char *name);	/* by its own or its parent's name */
struct uacce_owner *uacce_owner_get(struct pid *pid);	/* found or made; NULL: no memory */
struct uacce_owner *uacce_owner_find(struct pid *pid);
void uacce_owner_put(struct uacce_owner *owner);	/* frees it when nothing is left of it */
struct uacce_section *uacce_section_find(const char *name);
int uacce_section_position(const struct uacce_section *section, const struct uacce_device *uacce);
u64 uacce_section_slots(const struct uacce_section *section);
bool uacce_section_uses_nodes_of(const struct uacce_device *uacce);
unsigned long *uacce_slot_map(const struct uacce_section *section, int member);	/* -1: in mode 0 */
u32 uacce_slots_taken(const struct uacce_section *section, int member);
void uacce_slot_name(const struct uacce_slot *slot, char *name);	/* UACCE_SLOT_NAME_SIZE */
bool uacce_slot_has(const struct uacce_slot *slot, int position);
u16 *uacce_slot_used(struct uacce_slot *slot, int position);

/* slot.c: given out and given back */
struct uacce_slot *uacce_slot_take(struct uacce_attachment *a);	/* NULL: none is free; ERR_PTR(-ENOMEM) */
bool uacce_slot_free(struct uacce_slot *slot);			/* without settling; false: somebody is left */
int uacce_slot_parse(struct uacce_section *section, const char *name, int *member, int *index);

/* waiters.c: attachments in a section; with uacce_prov held; none of these settles */
extern struct list_head uacce_attachments;
void uacce_attachment_put(struct uacce_attachment *a);
void uacce_attachment_finish(struct uacce_attachment *a, int error);	/* error: what a waiting one is told, 0 = nothing */
void uacce_attachment_has(struct uacce_attachment *a, struct uacce_slot *slot);
bool uacce_section_allows(const struct uacce_section *section, const struct uacce_attachment *a);
void uacce_waiters_serve(struct uacce_section *section);
void uacce_attachments_end(struct uacce_section *section);	/* the attached ones */
void uacce_waiters_end(struct uacce_section *section, int error);
void uacce_waiters_cut(struct uacce_section *section);	/* for slots that went */

/* section.c: configured, live, draining */
struct uacce_section *uacce_section_new(void);	/* ERR_PTR() */
void uacce_section_free(struct uacce_section *section);
int uacce_section_drain(struct uacce_section *section);
void uacce_section_begin_drain(struct uacce_section *section);	/* a live one; to be settled */
/* Without uacce_prov: memory is looked for. 0 or an error; going live is 1 when it wasn't. */
int uacce_section_live(struct uacce_section *section);
int uacce_section_resize(struct uacce_section *section, u32 num_processes);
/* Slots came free, or there are more: who waits gets them; a draining section that is empty is configured again. */
void uacce_section_settle(struct uacce_section *section);
void uacce_claims_serve(struct uacce_device *uacce);
void uacce_claims_retry(struct uacce_device *uacce);	/* contexts of it came free */
void uacce_claims_drop(struct uacce_device *uacce);
void uacce_section_device_opens(struct uacce_device *uacce);	/* who waits for its slots gets them */
void uacce_section_refused(struct uacce_section *section, const char *fmt, ...) __printf(2, 3);

/* account.c: who is charged */
void uacce_account_init(void);
void uacce_account_exit(void);
void uacce_uncharge_locked(struct uacce_ctx *ctx);	/* with uacce_prov held */
u32 uacce_account_left(struct uacce_device *uacce);	/* what current could still open */

/* revoke.c */
int uacce_section_revoke(struct uacce_section *section);	/* without uacce_prov: queues are stopped */

/* attach.c: processes and sockets; takes uacce_prov where not said otherwise */
struct uacce_attach_request {
	struct sock *sk;
	struct net *net;
	u32 portid;
	u32 seq;
	bool admin;			/* CAP_SYS_ADMIN in the initial namespaces */
	const char *section;
	const char *slot;		/* or NULL */
	const char *dev;		/* or NULL */
	u32 wait_ms;
};

/* What was refused, and by which attribute (UACCE_A_*, 0 = none). */
struct uacce_refusal {
	const char *why;
	u16 attr;
};

int uacce_attach_init(void);
void uacce_attach_exit(void);
/*
 * 0: attached or waiting, *a as it is (a->slot NULL: waiting, a->ticket).
 * Called with uacce_prov held, so that the reply can be made before anything else happens.
 */
int uacce_attach(const struct uacce_attach_request *req, struct uacce_attachment **a, struct uacce_refusal *no);
/* For a reply that couldn't be delivered, or at the end of anything; with uacce_prov held. */
void uacce_attachment_end(struct uacce_attachment *a, int error);
int uacce_detach(struct uacce_refusal *no);

/* parse.c */
int uacce_parse_u32(const char *s, size_t len, u32 min, u32 max, u32 *res);
int uacce_parse_int(const char *s, size_t len, int *res);
int uacce_parse_nodes(const char *s, size_t len, struct uacce_nodes **res);
int uacce_parse_names(const char *s, size_t len, struct uacce_names **res);
int uacce_parse_ranges(const char *s, size_t len, struct uacce_ranges **res);
ssize_t uacce_print_nodes(const struct uacce_nodes *nodes, char *buf, size_t size);
ssize_t uacce_print_names(const struct uacce_names *names, char *buf, size_t size);
ssize_t uacce_print_ranges(const struct uacce_ranges *ranges, char *buf, size_t size);
void uacce_names_free(struct uacce_names *names);
bool uacce_ranges_have(const struct uacce_ranges *ranges, u32 id);

/* configfs.c, configfs_device.c, configfs_section.c: the tree */
int uacce_configfs_init(void);
void uacce_configfs_exit(void);
extern const struct config_item_type uacce_sections_type;
struct config_group *uacce_configfs_devices(void);	/* once */
int uacce_configfs_add_device(struct uacce_device *uacce);	/* without uacce_prov */
void uacce_configfs_del_device(struct uacce_device *uacce);	/* without uacce_prov */

/* netlink.c: the family; event.c: what it says by itself */
int uacce_netlink_init(void);
void uacce_netlink_exit(void);
extern struct genl_family uacce_genl_family;
enum uacce_mcgrp { UACCE_GRP_CONFIG, UACCE_GRP_EVENT };

/*
 * netlink_fill.c: with uacce_prov held; -EMSGSIZE, and what was put until then is
 * the caller's to cancel. *_bytes(): what the same needs at most.
 */
size_t uacce_dev_bytes(const struct uacce_device *uacce);
int uacce_fill_dev(struct sk_buff *skb, const struct uacce_device *uacce);
int uacce_fill_dev_names(struct sk_buff *skb, const struct uacce_device *uacce);
size_t uacce_section_bytes(const struct uacce_section *section);
int uacce_fill_section(struct sk_buff *skb, const struct uacce_section *section);
size_t uacce_grants_bytes(const struct uacce_attachment *a);
int uacce_fill_grants(struct sk_buff *skb, const struct uacce_attachment *a);	/* or the ticket */
int uacce_fill_slot(struct sk_buff *skb, const struct uacce_slot *slot);
int uacce_fill_ctx_id(struct sk_buff *skb, const struct uacce_charge *charge);
u32 uacce_pid_nr(struct pid *pid, struct pid_namespace *pid_ns);	/* 0 when the number may be another's by now */
int uacce_fill_process(struct sk_buff *skb, const struct uacce_owner *owner, const char *comm,
		       struct pid_namespace *pid_ns);
int uacce_fill_ctx(struct sk_buff *skb, const struct uacce_ctx *ctx, struct pid_namespace *pid_ns);

/* event.c: all with uacce_prov held, none fails: an event that can't be sent is a gap in the numbers */
extern u64 uacce_config_seq, uacce_event_seq;
void uacce_event_dev(enum uacce_nl_cmd cmd, const struct uacce_device *uacce);		/* DEV_* */
void uacce_event_section(enum uacce_nl_cmd cmd, const struct uacce_section *section);	/* SECTION_* */
void uacce_event_slot(enum uacce_nl_cmd cmd, const struct uacce_attachment *a);		/* SLOT_ATTACH, _DETACH */
void uacce_event_quota(const struct uacce_device *uacce, const struct uacce_section *section, int error);	/* of current */
void uacce_event_ctx_error(struct uacce_ctx *ctx);
/* To one who waits: its slot, or (error != 0) none. 0, or the error of the delivery. */
int uacce_tell_granted(const struct uacce_attachment *a, int error);
void uacce_event_init(struct genl_family *family);
void uacce_event_exit(void);

#endif
