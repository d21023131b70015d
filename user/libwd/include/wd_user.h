/* SPDX-License-Identifier: Apache-2.0 */
/* The process and its section: attach, inspect the grants, leave. */
#ifndef WD_USER_H
#define WD_USER_H

#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
/* Some functions have the names of the structs that they fill in, which C allows, and C++ as well. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#define WD_SECTION_NAME_MAX	31	/* of [A-Za-z0-9_-] */

/* Where the contexts of sessions come from. The pool is what is reserved for no section. */
enum wd_user_state {
	WD_USER_NONE = 0,		/* undecided until wd_user_start(), or the first session that may use devices */
	WD_USER_POOL = 1,		/* outside of any section: the pool */
	WD_USER_SECTION = 2,		/* a slot of a section */
	WD_USER_UNPROVISIONED = 3,	/* the pool: a section was named, but this kernel has none */
	WD_USER_LOST = 4,		/* nothing: the slot was taken away */
	WD_USER_STOPPED = 5,		/* nothing, after wd_user_stop() */
};

struct wd_user_info {
	__u32 state;			/* enum wd_user_state */
	__u32 inherited;		/* 1: attached before this program was executed (wdctl run) */
	char section[64];		/* "" where none was named */
	char slot[64];			/* "SSL_INT_0"; "" unless attached */
	__u32 queue_priority;		/* of the section's contexts in the device, 0 .. 7 */
	__u32 max_extra_ctxs;		/* in addition to the grants, from the pool, if sessions need them */
	__u32 nr_grants;		/* for wd_user_grant() */
	__u32 sessions;			/* that may use devices; wd_user_stop() requires 0 */
	__u64 reserved[8];
};

struct wd_user_grant {
	char dev_name[64];		/* "hisi_zip-0" */
	int numa_node;			/* -1 unknown */
	__u32 sync_ctxs;		/* granted */
	__u32 async_ctxs;
	__u32 sync_open;		/* open for sessions, extras included; either mode may use contexts of the
					 * other */
	__u32 async_open;
	__u32 reserved32;
	__u64 reserved[4];
};

/*
 * wd_user_start() - attach this process to a section.
 *
 * From now on its contexts are those that the section's slot grants, opened as
 * sessions need them. If all slots are taken, the call waits for its turn, at
 * most WD_ATTACH_TIMEOUT milliseconds (from the environment; default 0). The
 * same time is for a section that doesn't exist yet, or isn't live, and for
 * the kernel's module while no device is present.
 *
 * The call is optional: without it the first session that may use devices
 * attaches to the section that WD_SECTION in the environment names. If
 * WD_SECTION isn't set, the process stays outside of any section. If a named
 * section is unavailable, the session can't be allocated; there is no fallback
 * to the pool. After the call has failed outside of any section, all sessions
 * and contexts that may use devices are refused with its error, until it
 * succeeds or wd_user_stop() is called.
 *
 * section NULL selects the pool, whatever WD_SECTION says, also for children.
 *
 * On a kernel without sections (mainline's uacce) the call returns 0, and
 * wd_user_info() and wd_error_detail(0, ...) report WD_USER_UNPROVISIONED.
 *
 * Another copy of this library in the process, such as the one in the libraries
 * with UADK's names, shares the slot: who attaches first returns it.
 *
 * Threads: any; start, stop and first sessions wait for each other. fork: a
 * child doesn't inherit the slot. Its first session or request attaches it to
 * its parent's section, unless it calls this function before. exec: the slot
 * is returned, except if it was inherited (wdctl run).
 *
 * Returns 0; -EALREADY (in that section, or the pool), -EBUSY (in another
 * section; or another copy of the library waits for a slot; or sessions exist
 * that were bound outside of it; or raw contexts are charged to another slot);
 * -EINVAL (not a name); -ENOENT (no such section),
 * -ESHUTDOWN (not live, or draining), -EACCES (this user may not use it),
 * -EUSERS (full, also after the wait), -EINTR (a signal handler ran during the
 * wait), -ENOBUFS (too many processes wait), -ENOMEM, -EMFILE, -ENFILE.
 */
int wd_user_start(const char *section);

/*
 * wd_user_stop() - close the contexts and return the slot.
 *
 * Until the next wd_user_start() contexts, and sessions that are restricted to
 * devices or name devices, are refused (-ESHUTDOWN). A session that may use the
 * software path uses only that for its life (WD_REASON_POLICY). WD_SECTION is
 * not read again. Returns 0; -EBUSY while sessions exist that may use devices
 * (nothing is changed); -ENOTCONN before any start, failed ones included, or
 * session; -ESHUTDOWN if stopped already.
 */
int wd_user_stop(void);

/*
 * wd_user_ctxs() - set how many contexts the process has outside of sections.
 *
 * nodes has the form of a section's Nodes. "0=2+2 1=1+0": on each device of
 * NUMA node 0 two contexts for synchronous sessions and two for asynchronous
 * ones. "2+2" without a node: on each device of the nodes that aren't named, or
 * are unknown; without such a pair, one and one. A number is up to 1024, and
 * applies to each class (compression, ciphers, ...) and queue type separately.
 * NULL takes the value of WD_CTXS, which the first session reads if this
 * function wasn't called; if it isn't set, one and one.
 *
 * Each session opens another context, on the best devices in turn, until there
 * are that many; from then on sessions share them. If there are none of a
 * session's mode, it shares one of the other mode, which then serves both.
 * "0+0": none on these devices.
 *
 * Applies to sessions that are allocated from now on; open contexts stay open.
 * No effect in a section, which grants contexts. Completion queues have as many
 * of their own, which they share. Any thread. A fork's child inherits the numbers.
 * Returns 0, or -EINVAL (nodes is malformed; wd_error_detail() says where;
 * nothing has changed).
 */
int wd_user_ctxs(const char *nodes);

/* wd_user_info() - describe this process' attachment. Any thread. Returns 0, -EINVAL (NULL). */
int wd_user_info(struct wd_user_info *info);

/* wd_user_grant() - describe grant number i, below nr_grants. Any thread. Returns 0, -EINVAL (NULL), -ENOENT. */
int wd_user_grant(unsigned int i, struct wd_user_grant *grant);

/* A name to print: "none", "pool", "section", ... Never NULL, static storage. */
const char *wd_user_state_str(unsigned int state);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
