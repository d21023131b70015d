/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provisioning: which process may open how many contexts of which device.
 *
 * One mutex, uacce_prov, protects all of it: the sums of devices, sections, slots, owners,
 * attachments and charges. It is a leaf: only the locks of netlink sockets and pids are taken
 * under it. Memory is allocated under it, and events are sent under it, so that their order is
 * the order of the changes. That memory isn't charged to the process' control group, whose
 * limit would make every caller wait or fail. The number of contexts, slots and waiters bounds
 * it. No driver is called under uacce_prov except get_isolate_state and get_counts, which wait
 * for nothing.
 * docs/provisioning.md gives the reasons.
 */
#ifndef WD_UACCE_PROVISION_H
#define WD_UACCE_PROVISION_H

#include <linux/atomic.h>
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
#include "endpoints.h"
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
#define UACCE_MAX_PINNED_MAX	(1u << 20)	/* MiB */
#define UACCE_BANDWIDTH_MAX	1000

extern struct mutex uacce_prov;

/* A thread group that has contexts or an attachment, granted or waiting. */
struct uacce_owner {
	struct hlist_node hash;
	struct pid *pid;		/* identity: compared by pointer, pinned by a reference */
	struct list_head charges;
	u32 extras;
	struct uacce_slot *slot;	/* its contexts are charged to this slot, or it is attached to it */
	struct uacce_attachment *attachment;
	unsigned int ends;		/* of its contexts, that use the next field */
	atomic64_t waited_us;		/* see struct uacce_queue: of calls for its contexts since it ends */
};

/* A claim of a socket and a process to a slot: waiting (no slot), or attached. */
struct uacce_attachment {
	struct kref ref;
	struct list_head all;		/* uacce_attachments */
	struct list_head waiting;	/* uacce_section::waiters */
	struct uacce_section *section;
	struct uacce_slot *slot;
	struct uacce_owner *owner;
	bool over;			/* ended; on no list any more */

	struct sock *sk;
	struct net *net;		/* the socket's; valid until the socket is dead */
	u32 portid;
	u32 seq;			/* the request's */
	const struct cred *cred;
	bool admin;			/* may attach whatever uids and gids say */
	char comm[TASK_COMM_LEN];
	int node;			/* node of the caller's CPU */

	u32 ticket;
	int want_endpoint;		/* -1: any */
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

/* A device of a live section. Its index among the members is called its position, k. */
struct uacce_member {
	char *name;			/* as configured, or the parent's */
	struct uacce_device *uacce;	/* NULL: pending, because absent or short */
	bool is_short;
	u32 sync;			/* contexts per slot; 0 + 0: unused */
	u32 async;
	u32 reserved;			/* this member's part of the device's reserved */
};

/* A slot in use; free slots are zero bits in the bitmap. */
struct uacce_slot {
	struct list_head node;		/* uacce_section::slots */
	struct uacce_section *section;
	u32 index;
	int endpoint;			/* 0 in mode 0 */
	struct uacce_attachment *attachment;	/* NULL: lingering */
	u32 charges;
	u16 used[];			/* by position */
};

struct uacce_section {
	struct config_group group;
	struct list_head all;		/* uacce_sections */
	struct list_head claims;	/* uacce_claims, in the order of going live */
	enum uacce_nl_section_state state;
	bool revoking;
	char reason[UACCE_REASON_SIZE];

	u32 num_processes;
	bool limit_dev_access;
	u32 sync;
	u32 async;
	struct uacce_nodes *nodes;	/* NULL: sync and async hold on every node */
	struct uacce_names *devices;	/* NULL: all devices present */
	u32 queue_priority;
	u32 bandwidth;			/* of each device, in thousandths; 0: no limit */
	u32 max_extra;
	u32 max_pinned;			/* MiB of each mediated queue; 0: the driver's default */
	struct uacce_ranges *uids;	/* NULL: none */
	struct uacce_ranges *gids;

	unsigned int nr_members;	/* the rest is unused in state CONFIGURED */
	struct uacce_member *members;
	struct endpoint_device *places;	/* of the members; in mode 0, all are of endpoint 0 */
	unsigned long **taken;		/* the slots of each endpoint */
	unsigned int taken_bits;	/* capacity of each bitmap */
	struct list_head slots;
	u32 attached;
	u32 lingering;
	struct list_head waiters;
	u32 waiting;
	struct uacce_opens opens;	/* of attached processes, since the section was made */
	u64 requests;			/* of its slots' contexts, since then */
	u64 wrong_results;		/* the same */
};

/* False while a removal ends the device's charges, before it drops the claim. */
static inline bool uacce_member_is_on(const struct uacce_member *m)
{
	return m->uacce && m->uacce->acct.on;
}

#define to_uacce_section(i)	container_of(to_config_group(i), struct uacce_section, group)

extern struct list_head uacce_accounts;		/* of registered devices */
extern struct list_head uacce_sections;
extern struct list_head uacce_claims;		/* sections that are live or draining, in the order of going live */
extern u32 uacce_prov_generation;		/* counts devices and sections that appear and disappear */
extern u32 uacce_ctx_generation;		/* counts contexts that appear and disappear */

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

/* ledger.c: lookup and sums; called with uacce_prov held unless said otherwise */
int uacce_ledger_init(void);
void uacce_ledger_exit(void);
extern struct workqueue_struct *uacce_wq;	/* for work that the context that triggers it can't do */
struct uacce_settings *uacce_settings_get(const char *parent);	/* looked up or created; NULL: out of memory */
enum uacce_memory uacce_memory_wanted(const char *parent);	/* called without uacce_prov */
bool uacce_memory_forbidden(const struct uacce_device *uacce);	/* its queues can't be opened */
int uacce_account_zone(const struct uacce_device *uacce);
s64 uacce_account_free(const struct uacce_device *uacce);
u32 uacce_account_room(const struct uacce_device *uacce);
struct uacce_device *uacce_account_find(const char *name);	/* by the device's name or its parent's */
struct uacce_owner *uacce_owner_get(struct pid *pid);	/* looked up or created; NULL: out of memory */
struct uacce_owner *uacce_owner_find(struct pid *pid);
void uacce_owner_put(struct uacce_owner *owner);	/* frees the owner if nothing uses it */
struct uacce_section *uacce_section_find(const char *name);
void uacce_section_refused(struct uacce_section *section, const char *fmt, ...) __printf(2, 3);
const char *uacce_member_name(const struct uacce_member *m);
struct uacce_device *uacce_member_present(const char *name);	/* NULL while the device is removed */
int uacce_members_make(struct uacce_section *section);	/* on an error, uacce_members_free() is to follow */
void uacce_members_free(struct uacce_section *section);
int uacce_section_position(const struct uacce_section *section, const struct uacce_device *uacce);
u64 uacce_section_slots(const struct uacce_section *section);
bool uacce_section_uses_nodes_of(const struct uacce_device *uacce);
u32 uacce_slots_taken(const struct uacce_section *section, int endpoint);
void uacce_slot_name(const struct uacce_slot *slot, char *name);	/* UACCE_SLOT_NAME_SIZE */
bool uacce_slot_has(const struct uacce_slot *slot, int position);	/* the device at this position */

/* slot.c: taking and freeing slots */
struct uacce_slot *uacce_slot_take(struct uacce_attachment *a);	/* NULL: no slot is free; ERR_PTR(-ENOMEM) */
bool uacce_slot_free(struct uacce_slot *slot);			/* doesn't settle; false: the slot is still in use */
int uacce_slot_parse(struct uacce_section *section, const char *name, int *endpoint, int *index);

/* endpoint.c */
void uacce_endpoints_make(struct uacce_section *section);	/* when it goes live */
void uacce_endpoints_join(struct uacce_section *section, unsigned int k, const struct uacce_device *uacce);
unsigned int uacce_endpoints_max(const struct uacce_section *section);	/* with those that absent devices may begin */

/* doorbells.c: called with uacce_prov held */
enum uacce_nl_doorbells uacce_doorbells(const struct uacce_device *uacce);
int uacce_doorbells_set(struct uacce_device *uacce, enum uacce_nl_doorbells mode);	/* logs why not */
/* Another section than @section (NULL: any) that has an exclusive device. */
const struct uacce_section *uacce_doorbells_other(const struct uacce_device *uacce,
						  const struct uacce_section *section);
/* May it reserve? */
bool uacce_doorbells_allow(const struct uacce_device *uacce, const struct uacce_section *section);

/* bandwidth.c */
void uacce_bandwidth_set(struct uacce_device *uacce, u32 limit);	/* called with uacce_prov held */

/* waiters.c: attachments of a section; called with uacce_prov held; none of these settles */
extern struct list_head uacce_attachments;
void uacce_attachment_put(struct uacce_attachment *a);
void uacce_attachment_finish(struct uacce_attachment *a, int error);	/* error: sent to a waiter, 0 = nothing */
void uacce_attachment_has(struct uacce_attachment *a, struct uacce_slot *slot);
bool uacce_section_allows(const struct uacce_section *section, const struct uacce_attachment *a);
void uacce_waiters_serve(struct uacce_section *section);
void uacce_attachments_end(struct uacce_section *section);	/* ends those that are attached */
void uacce_waiters_end(struct uacce_section *section, int error);
void uacce_waiters_cut(struct uacce_section *section);	/* ends those that wait for slots beyond num_processes */

/* section.c: configured, live, draining */
struct uacce_section *uacce_section_new(void);	/* ERR_PTR() */
void uacce_section_free(struct uacce_section *section);
int uacce_section_drain(struct uacce_section *section);
void uacce_section_begin_drain(struct uacce_section *section);	/* of a live section; the caller settles it */
/*
 * Called without uacce_prov, since they allocate memory. 0 or an error; uacce_section_live()
 * returns 1 if the state changed.
 */
int uacce_section_live(struct uacce_section *section);
int uacce_section_resize(struct uacce_section *section, u32 num_processes);
/*
 * Called when slots have become free or were added: waiters get them. A draining section that
 * is empty becomes configured.
 */
void uacce_section_settle(struct uacce_section *section);
void uacce_claims_serve(struct uacce_device *uacce);
void uacce_claims_retry(struct uacce_device *uacce);	/* when contexts of the device have become free */
void uacce_claims_drop(struct uacce_device *uacce);
void uacce_section_device_opens(struct uacce_device *uacce);	/* waiters get the slots that the device adds */

/* account.c: charges of contexts */
void uacce_account_init(void);
void uacce_account_exit(void);
void uacce_uncharge_locked(struct uacce_ctx *ctx);	/* with uacce_prov held */
void uacce_charge_settle(struct uacce_charge *charge);	/* with uacce_prov held */
u32 uacce_account_left(struct uacce_device *uacce);	/* how many contexts current could still open */

/* requests.c: called without uacce_prov, since it asks devices */
void uacce_requests_update(bool all, kuid_t euid);

/* revoke.c */
int uacce_section_revoke(struct uacce_section *section);	/* called without uacce_prov, since it stops queues */

/* attach.c: processes and sockets; these take uacce_prov unless said otherwise */
struct uacce_attach_request {
	struct sock *sk;
	struct net *net;
	u32 portid;
	u32 seq;
	bool admin;			/* CAP_SYS_ADMIN in the initial namespaces */
	const char *section;
	const char *slot;		/* NULL: any */
	const char *dev;		/* NULL: any */
	u32 wait_ms;
};

/* The reason of a refusal, and the attribute to blame (UACCE_A_*, 0 = none). */
struct uacce_refusal {
	const char *why;
	u16 attr;
};

int uacce_attach_init(void);
void uacce_attach_exit(void);
/*
 * On 0, *a is attached (a->slot set) or waiting (a->slot NULL, a->ticket set). Called with
 * uacce_prov held, so that the caller can reply before anything else happens.
 */
int uacce_attach(const struct uacce_attach_request *req, struct uacce_attachment **a, struct uacce_refusal *no);
/* The attachment that the calling process has already. */
int uacce_attach_join(const char *section, struct uacce_attachment **a, struct uacce_refusal *no);
/* Ends an attachment for any reason, a reply that couldn't be delivered included. Called with uacce_prov held. */
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
struct config_group *uacce_configfs_devices(void);	/* called once */
int uacce_configfs_add_device(struct uacce_device *uacce);	/* called without uacce_prov */
void uacce_configfs_del_device(struct uacce_device *uacce);	/* called without uacce_prov */

/* netlink.c: the family; event.c: unsolicited messages */
int uacce_netlink_init(void);
void uacce_netlink_exit(void);
extern struct genl_family uacce_genl_family;
enum uacce_mcgrp { UACCE_GRP_CONFIG, UACCE_GRP_EVENT };

/*
 * netlink_fill.c: called with uacce_prov held. On -EMSGSIZE the caller cancels the partly
 * filled message. uacce_*_bytes() are upper bounds for the uacce_fill_*() of the same name.
 */
size_t uacce_dev_bytes(const struct uacce_device *uacce);
int uacce_fill_dev(struct sk_buff *skb, const struct uacce_device *uacce);
int uacce_fill_dev_work(struct sk_buff *skb, const struct uacce_device *uacce);
int uacce_fill_requests(struct sk_buff *skb, u64 requests);
int uacce_fill_wrong(struct sk_buff *skb, u64 results);
int uacce_fill_dev_names(struct sk_buff *skb, const struct uacce_device *uacce);
int uacce_fill_dev_resets(struct sk_buff *skb, const struct uacce_device *uacce);
size_t uacce_section_bytes(const struct uacce_section *section);
int uacce_fill_section(struct sk_buff *skb, const struct uacce_section *section);
size_t uacce_grants_bytes(const struct uacce_attachment *a);
int uacce_fill_grants(struct sk_buff *skb, const struct uacce_attachment *a);	/* or the ticket of a waiter */
int uacce_fill_slot(struct sk_buff *skb, const struct uacce_slot *slot);
int uacce_fill_ctx_id(struct sk_buff *skb, const struct uacce_charge *charge);
u32 uacce_pid_nr(struct pid *pid, struct pid_namespace *pid_ns);	/* 0: the process has ended */
int uacce_fill_process(struct sk_buff *skb, const struct uacce_owner *owner, const char *comm,
		       struct pid_namespace *pid_ns);
int uacce_fill_ctx(struct sk_buff *skb, const struct uacce_ctx *ctx, struct pid_namespace *pid_ns);

/* event.c: called with uacce_prov held; none fails: an event that can't be sent leaves a gap in the numbers */
extern u64 uacce_config_seq, uacce_event_seq, uacce_events_lost;
void uacce_event_dev(enum uacce_nl_cmd cmd, const struct uacce_device *uacce);		/* DEV_* */
void uacce_event_section(enum uacce_nl_cmd cmd, const struct uacce_section *section);	/* SECTION_* */
void uacce_event_slot(enum uacce_nl_cmd cmd, const struct uacce_attachment *a);		/* SLOT_ATTACH, _DETACH */
/* Of current. */
void uacce_event_quota(const struct uacce_device *uacce, const struct uacce_section *section, int error);
void uacce_event_ctx_error(struct uacce_ctx *ctx);
/* Sends a waiter its slot, or the error (error != 0). Returns 0, or the error of the delivery. */
int uacce_tell_granted(const struct uacce_attachment *a, int error);
void uacce_event_init(struct genl_family *family);
void uacce_event_exit(void);

#endif
