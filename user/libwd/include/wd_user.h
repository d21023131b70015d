/* SPDX-License-Identifier: Apache-2.0 */
/* The process and its section: attaching, what is granted, giving it back. */
#ifndef WD_USER_H
#define WD_USER_H

#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WD_SECTION_NAME_MAX	31	/* of [A-Za-z0-9_-] */

/* What the contexts of sessions are taken from. */
enum wd_user_state {
	WD_USER_NONE = 0,		/* undecided: wd_user_start() or the first session that may use devices says */
	WD_USER_POOL = 1,		/* outside any section: what is reserved for nobody */
	WD_USER_SECTION = 2,		/* a slot of a section */
	WD_USER_UNPROVISIONED = 3,	/* a section was named, but this kernel has none: as WD_USER_POOL */
	WD_USER_LOST = 4,		/* the slot was taken away: nothing */
	WD_USER_STOPPED = 5,		/* after wd_user_stop(): nothing */
};

struct wd_user_info {
	__u32 state;			/* enum wd_user_state */
	__u32 inherited;		/* 1: attached before this program was executed (wdctl run) */
	char section[64];		/* "" where none was named */
	char slot[64];			/* "SSL_INT_0"; "" unless attached */
	__u32 queue_priority;		/* of the section's contexts in the device, 0 .. 7 */
	__u32 max_extra_ctxs;		/* beyond the grants, out of the pool, where sessions need them */
	__u32 nr_grants;		/* for wd_user_grant() */
	__u32 sessions;			/* that may use devices: wd_user_stop() wants none */
	__u64 reserved[8];
};

struct wd_user_grant {
	char dev_name[64];		/* "hisi_zip-0" */
	int numa_node;			/* -1 unknown */
	__u32 sync_ctxs;		/* granted */
	__u32 async_ctxs;
	__u32 sync_open;		/* opened for sessions; either kind may lend to the other, and extras count, too */
	__u32 async_open;
	__u32 reserved32;
	__u64 reserved[4];
};

/*
 * wd_user_start() - attach this process to a section.
 *
 * From now on its contexts are those that the section's slot is entitled to,
 * opened as sessions need them. When all slots are taken it waits
 * WD_ATTACH_TIMEOUT (milliseconds, from the environment; 0) for its turn.
 *
 * It need not be called: without it the first session that may use devices
 * attaches to the section that WD_SECTION in the environment names, and where
 * that isn't set, the process stays outside any section. Neither falls back to
 * the pool when a section can't be had: the session can't be allocated. After
 * this has failed, outside of any section, everything that may use devices is
 * refused with its error, until it succeeds or wd_user_stop() is called.
 *
 * section NULL: the pool, whatever WD_SECTION says; a child's, too.
 *
 * On a kernel without sections (mainline's uacce) it returns 0, and
 * wd_user_info() and wd_error_detail(0, ...) say WD_USER_UNPROVISIONED.
 *
 * Threads: any; start, stop and first sessions take turns. fork: a child has no
 * slot of its parent's. Its first session or request attaches it to the section
 * that its parent was in, unless it calls this before. exec: the slot is given
 * back, except when it was inherited (wdctl run).
 *
 * Returns 0; -EALREADY (in that section, or the pool), -EBUSY (in another one; or sessions
 * exist that were bound outside it; or raw contexts are charged to another
 * slot); -EINVAL (not a name); -ENOENT (no such section), -ESHUTDOWN (it isn't
 * live, or is draining), -EACCES (this user may not), -EUSERS (full, after the
 * time to wait), -EINTR (a signal's handler ran meanwhile), -ENOBUFS (too many wait), -ENOMEM, -EMFILE, -ENFILE.
 */
int wd_user_start(const char *section);

/*
 * wd_user_stop() - close the contexts and give the slot back.
 *
 * Until the next wd_user_start() no context can be opened, nor a session
 * allocated that is for devices only or names devices (-ESHUTDOWN); one that may
 * use this CPU is made, and uses that for its life (WD_REASON_POLICY). WD_SECTION
 * isn't heeded again. Returns 0; -EBUSY while such sessions exist (nothing is changed);
 * -ENOTCONN before any start, failed ones included, or session; -ESHUTDOWN when stopped already.
 */
int wd_user_stop(void);

/*
 * wd_user_ctxs() - how many contexts to have outside of sections.
 *
 * nodes: as a section's Nodes, "0=2+2 1=1+0": on each device of NUMA node 0 two
 * contexts for synchronous sessions and two for asynchronous ones. "2+2"
 * without a node: on each device of the nodes that aren't named, or aren't
 * known; one and one without it. A number is up to 1024, and holds for each class
 * (compression, ciphers, ...) and queue type by itself. NULL: what WD_CTXS in
 * the environment says, which the first session heeds where this wasn't called;
 * without it, one and one.
 *
 * Each session opens another context, on the best devices in turn, until there
 * are that many; from then on sessions share them. Fewer of one kind than
 * sessions need are made up for by the other kind, which then serves both.
 * "0+0": none on these devices.
 *
 * Heeded by sessions that are allocated from now on; open contexts stay. No
 * meaning in a section, which grants contexts. Completion queues have theirs for
 * themselves, as many each. Any thread. A fork's child inherits it.
 * Returns 0, -EINVAL (the text; wd_error_detail() says where; nothing has changed).
 */
int wd_user_ctxs(const char *nodes);

/* wd_user_info() - where this process stands. Any thread. Returns 0, -EINVAL (NULL). */
int wd_user_info(struct wd_user_info *info);

/* wd_user_grant() - grant number i, below nr_grants. Any thread. Returns 0, -EINVAL (NULL), -ENOENT. */
int wd_user_grant(unsigned int i, struct wd_user_grant *grant);

/* A word for people: "none", "pool", "section", ... Never NULL, static storage. */
const char *wd_user_state_str(unsigned int state);

#ifdef __cplusplus
}
#endif
#endif
