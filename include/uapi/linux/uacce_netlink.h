/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Generic netlink family "uacce", version 1: reports accelerators, their
 * sections and contexts, attaches a process to a section, and sends events.
 * docs/netlink/uacce.yaml is the specification; a test compares the two.
 *
 * DEV_GET (do: DEV; dump): one device per message, a snapshot of UACCE_A_DEV ..
 *	UACCE_A_EVENT_SEQ and DEV_RESETS. Allowed for every user.
 * SECTION_GET (do: SECTION; dump): SECTION .. SLOTS_LINGERING, REASON, and one
 *	MEMBER per device; members of a section that isn't live have names only.
 *	Allowed for every user.
 * SECTION_ATTACH (do: SECTION; optional SLOT or DEV; optional WAIT_MS): the
 *	reply has the same command and either SLOT, QUEUE_PRIORITY, MAX_EXTRA and
 *	a GRANT for each present device, or TICKET: the process waits for a slot.
 *	The end of the wait is reported by SLOT_GRANTED on the same socket, with
 *	the request's sequence number: the same attributes, or ERROR (a positive
 *	errno). SLOT_GRANTED comes after the reply, but may come before the
 *	acknowledgement.
 *	Errors: ENOENT no such section, or no such slot or device in it; ESHUTDOWN
 *	not live; EACCES not allowed; EUSERS no slot is free (WAIT_MS 0 or absent);
 *	EALREADY attached or waiting; EBUSY contexts of this process are charged to
 *	another slot; ENOBUFS 1,024 processes wait already.
 *	The attachment ends with DETACH, with the socket, or with the process.
 *	With JOIN and SECTION only: the same reply for the slot that this process
 *	has already, which changes nothing: for a second library in it. ENOENT it has
 *	none; EBUSY it has one of another section; EALREADY it waits.
 * SECTION_DETACH (do): ends the calling process' attachment, or withdraws its
 *	ticket. ENOENT: it has neither.
 * CTX_GET (dump): one context per message, CTX_ID .. CTX_AGE_MS with DEV, NODE
 *	and, for contexts of a section, SECTION and SLOT. Lists the contexts whose
 *	opener has the requester's effective user id; with CAP_SYS_ADMIN, all.
 *	CTX_ID is missing while open() runs.
 *
 * A dump takes no attributes. It has NLM_F_DUMP_INTR if listed objects appeared
 * or disappeared meanwhile. Its messages are as large as the largest entry (a
 * section of many devices), so peek at their length. Every refusal gives its
 * reason in the extended acknowledgement (except for attributes of a dump, on
 * Linux 6.1).
 *
 * Group "config": DEV_ADD, DEV_DEL, DEV_CHANGE (as DEV_GET's reply; DEL: DEV and
 * DEV_PARENT only), SECTION_ADD, SECTION_DEL, SECTION_CHANGE (as SECTION_GET's
 * reply; DEL: SECTION only). CONFIG_SEQ is the event's number.
 * Group "event" (initial network namespace, CAP_SYS_ADMIN): SLOT_ATTACH,
 * SLOT_DETACH (SECTION, SLOT, PID, COMM), QUOTA (DEV, PID, COMM, ERROR, COUNT
 * refusals within about a second, SECTION if attached), CTX_ERROR (DEV, CTX_ID,
 * PID, COMM, ERROR), DEV_RESET, DEV_ISOLATE (DEV, DEV_PARENT), DEV_READY (DEV,
 * DEV_PARENT, DEV_RESETS). PID is the number in the initial pid namespace,
 * EVENT_SEQ the event's number.
 * A gap in a group's numbers means lost events; a client that lost some
 * (ENOBUFS) compares with the current numbers in DEV_GET.
 */
#ifndef _UAPI_LINUX_UACCE_NETLINK_H
#define _UAPI_LINUX_UACCE_NETLINK_H

#define UACCE_GENL_NAME		"uacce"
#define UACCE_GENL_VERSION	1
#define UACCE_MCGRP_CONFIG	"config"
#define UACCE_MCGRP_EVENT	"event"

enum uacce_nl_cmd {
	UACCE_NL_UNSPEC,
	UACCE_NL_DEV_GET,
	UACCE_NL_SECTION_GET,
	UACCE_NL_SECTION_ATTACH,
	UACCE_NL_SECTION_DETACH,
	UACCE_NL_CTX_GET,
	UACCE_NL_SLOT_GRANTED,
	UACCE_NL_DEV_ADD,
	UACCE_NL_DEV_DEL,
	UACCE_NL_DEV_CHANGE,
	UACCE_NL_SECTION_ADD,
	UACCE_NL_SECTION_DEL,
	UACCE_NL_SECTION_CHANGE,
	UACCE_NL_SLOT_ATTACH,
	UACCE_NL_SLOT_DETACH,
	UACCE_NL_QUOTA,
	UACCE_NL_CTX_ERROR,
	UACCE_NL_DEV_RESET,
	UACCE_NL_DEV_ISOLATE,
	UACCE_NL_DEV_READY,
	__UACCE_NL_CMD_MAX,
	UACCE_NL_CMD_MAX = __UACCE_NL_CMD_MAX - 1,
};

/* Properties of a device. */
enum uacce_nl_dev_flags {
	UACCE_NL_DEV_SIMULATED		= 1,
	UACCE_NL_DEV_ISOLATED_DOORBELLS	= 2,	/* each queue has a window of its own */
	UACCE_NL_DEV_SVA		= 4,
	UACCE_NL_DEV_MEDIATED		= 8,	/* the kernel executes its queues' submissions */
};

enum uacce_nl_dev_state {
	UACCE_NL_DEV_NORMAL,
	UACCE_NL_DEV_ISOLATED,
	UACCE_NL_DEV_RESETTING,
};

/*
 * How queues ring. Where a window has the doorbells of all queues, each process that maps it can ring for the queues of
 * all others. docs/doorbells.md of WarpDrive has the reasons.
 */
enum uacce_nl_doorbells {
	UACCE_NL_DOORBELLS_ISOLATED,	/* by a window of their own */
	UACCE_NL_DOORBELLS_KERNEL,	/* by an ioctl; only CAP_SYS_RAWIO maps the window */
	UACCE_NL_DOORBELLS_EXCLUSIVE,	/* one section at a time has the device; its queues may map the window */
	UACCE_NL_DOORBELLS_MAPPED,	/* every queue may map the window */
};

enum uacce_nl_section_state {
	UACCE_NL_SECTION_CONFIGURED,
	UACCE_NL_SECTION_LIVE,
	UACCE_NL_SECTION_DRAINING,
};

/* The account that a context is charged to. */
enum uacce_nl_ctx_class {
	UACCE_NL_CTX_POOL,	/* the contexts that aren't reserved */
	UACCE_NL_CTX_EXTRA,	/* the pool too, beyond the slot of an attached process */
	UACCE_NL_CTX_SLOT,
};

enum uacce_nl_ctx_state {
	UACCE_NL_CTX_OPENING,
	UACCE_NL_CTX_INIT,
	UACCE_NL_CTX_STARTED,
	UACCE_NL_CTX_DEAD,	/* taken from its owner, who hasn't closed it yet */
};

/* The attributes of all messages. */
enum uacce_nl_attr {
	UACCE_A_UNSPEC,
	UACCE_A_PAD,

	UACCE_A_DEV,			/* string, "hisi_zip-0"; requests may give the parent's name */
	UACCE_A_DEV_PARENT,		/* string, "0000:75:00.0" */
	UACCE_A_DEV_API,		/* string */
	UACCE_A_DEV_ALGORITHMS,		/* string, lines */
	UACCE_A_DEV_FLAGS,		/* u32, enum uacce_nl_dev_flags */
	UACCE_A_DEV_STATE,		/* u32, enum uacce_nl_dev_state */
	UACCE_A_NODE,			/* s32, NUMA node, -1 unknown */
	UACCE_A_DEV_PRIORITY,		/* s32, as in configfs */
	UACCE_A_DEV_LATENCY,		/* u32 */
	UACCE_A_DEV_THROUGHPUT,		/* u32 */
	UACCE_A_DEV_MAX_CTXS,		/* u32, max_ctxs_per_process */
	UACCE_A_CTXS_TOTAL,		/* u32 */
	UACCE_A_CTXS_RESERVED,		/* u32 */
	UACCE_A_CTXS_USED,		/* u32 */
	UACCE_A_CTXS_USED_POOL,		/* u32 */
	UACCE_A_CTXS_FREE,		/* u32 */
	UACCE_A_CTXS_QUARANTINED,	/* u32 */
	UACCE_A_CONFIG_SEQ,		/* u64, number of the last event of group "config", or of this event */
	UACCE_A_EVENT_SEQ,		/* u64, the same for group "event" */

	UACCE_A_SECTION,		/* string */
	UACCE_A_SECTION_STATE,		/* u32, enum uacce_nl_section_state */
	UACCE_A_NUM_PROCESSES,		/* u32 */
	UACCE_A_LIMIT_DEV_ACCESS,	/* u32, 0 or 1 */
	UACCE_A_SYNC_CTXS,		/* u32 */
	UACCE_A_ASYNC_CTXS,		/* u32 */
	UACCE_A_NODES,			/* string, "0=2+2 1=1+0" */
	UACCE_A_QUEUE_PRIORITY,		/* u32, 0 .. 7 */
	UACCE_A_MAX_EXTRA,		/* u32 */
	UACCE_A_ALLOWED_UIDS,		/* string */
	UACCE_A_ALLOWED_GIDS,		/* string */
	UACCE_A_SLOTS_TOTAL,		/* u32, includes slots on absent devices whose engine is known */
	UACCE_A_SLOTS_ATTACHED,		/* u32 */
	UACCE_A_SLOTS_LINGERING,	/* u32, without a process, but with open contexts */
	UACCE_A_WAITING,		/* u32, processes in the queue */
	UACCE_A_REASON,			/* string, why the last write of "live" was refused */
	UACCE_A_MEMBER,			/* nest, one per device of a section: enum uacce_nl_member_attr */

	UACCE_A_SLOT,			/* string, "SSL_INT_0" or "SSL_DEV1_INT_0" */
	UACCE_A_WAIT_MS,		/* u32 */
	UACCE_A_TICKET,			/* u32, not 0 */
	UACCE_A_GRANT,			/* nest, one per device: enum uacce_nl_grant_attr */

	UACCE_A_CTX_ID,			/* u32, the queue's number, unique among the device's open contexts */
	UACCE_A_CTX_CLASS,		/* u32, enum uacce_nl_ctx_class */
	UACCE_A_CTX_STATE,		/* u32, enum uacce_nl_ctx_state */
	UACCE_A_CTX_AGE_MS,		/* u64, since open() */
	UACCE_A_PID,			/* u32, thread group in the requester's pid namespace; 0: none or ended */
	UACCE_A_COMM,			/* string, chosen by the process: escape it */

	UACCE_A_ERROR,			/* u32, a positive errno */
	UACCE_A_COUNT,			/* u32 */
	UACCE_A_DEV_RESETS,		/* u32, resets of a device that ended well, since it was registered */
	UACCE_A_OPENS,			/* u64, contexts opened on a device, or by a section's processes */
	UACCE_A_OPENS_REFUSED,		/* u64, opens refused for any reason */
	UACCE_A_OPENS_FULL,		/* u64, of these: no context was left or allowed */
	UACCE_A_CTX_ERRORS,		/* u32, errors of a context, or of all contexts of a device */
	UACCE_A_DEV_REQUESTS,		/* u32, finished by the device, for all its functions */
	UACCE_A_DEV_REQUEST_ERRORS,	/* u32, of these: refused by the engine, or not answered */
	UACCE_A_DEV_BYTES_IN,		/* u32 */
	UACCE_A_DEV_BYTES_OUT,		/* u32 */
	UACCE_A_DEV_BUSY_CYCLES,	/* u32, of all cores */
	UACCE_A_BANDWIDTH,		/* u32, thousandths of each device of a section; 0: no limit */
	UACCE_A_REQUESTS,		/* u64, completed on a context, on a device's contexts, or on a section's */
	UACCE_A_DEV_DOORBELLS,		/* u32, enum uacce_nl_doorbells */
	UACCE_A_WRONG_RESULTS,		/* u64, reported by the owners of a context, of a device's, or of a section's */
	UACCE_A_MAX_PINNED,		/* u32, MiB of each mediated queue of a section; 0: the driver's default */
	UACCE_A_CTXS_EXTRA,		/* u32, open contexts of a section's processes beyond their slots */
	UACCE_A_EVENTS_LOST,		/* u64, events that the kernel could not deliver to a listener */
	UACCE_A_JOIN,			/* flag, of SECTION_ATTACH */
	__UACCE_A_MAX,
	UACCE_A_MAX = __UACCE_A_MAX - 1,
};

/* A section's device. */
enum uacce_nl_member_attr {
	UACCE_A_MEMBER_UNSPEC,
	UACCE_A_MEMBER_NAME,		/* string, as configured, or the parent's name */
	UACCE_A_MEMBER_DEV,		/* string, only if present */
	UACCE_A_MEMBER_SYNC,		/* u32, contexts per slot */
	UACCE_A_MEMBER_ASYNC,		/* u32 */
	UACCE_A_MEMBER_RESERVED,	/* u32, for the whole section; 0 while pending */
	UACCE_A_MEMBER_PENDING,		/* flag: absent, or present but too small */
	UACCE_A_MEMBER_ENDPOINT,	/* u32, k of the slots DEVk that have the device; only with LIMIT_DEV_ACCESS */
	__UACCE_A_MEMBER_MAX,
	UACCE_A_MEMBER_MAX = __UACCE_A_MEMBER_MAX - 1,
};

/* A slot's contexts on one device. */
enum uacce_nl_grant_attr {
	UACCE_A_GRANT_UNSPEC,
	UACCE_A_GRANT_DEV,		/* string */
	UACCE_A_GRANT_NODE,		/* s32 */
	UACCE_A_GRANT_SYNC,		/* u32 */
	UACCE_A_GRANT_ASYNC,		/* u32 */
	__UACCE_A_GRANT_MAX,
	UACCE_A_GRANT_MAX = __UACCE_A_GRANT_MAX - 1,
};

#endif
