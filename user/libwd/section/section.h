/* SPDX-License-Identifier: Apache-2.0 */
/* The process' attachment to a section, and the places for contexts that it grants. */
#ifndef WD_SECTION_H
#define WD_SECTION_H

#include <wd_user.h>
#include "device/table.h"

/* The contexts of a device that the slot may open. */
struct wd_grant {
	char dev[WD_NAME_SIZE];
	int node;
	__u32 share[2];		/* [async] */
};

/**
 * struct wd_section - the process' section, slot and grants
 * @state:	enum wd_user_state. Becomes WD_USER_LOST under the grants' lock; other changes
 *		are also under the engine's lock
 * @closing:	the thread that has the turn is closing contexts
 * @name:	the section's name; "": none. Like @slot to @grants under the grants' lock
 * @joined:	the slot is that of another library in this process, and so is the end of the attachment
 * @socket:	the attachment lasts as long as it is open, unless @joined
 */
struct wd_section {
	_Atomic int state;
	atomic_bool closing;
	char name[WD_SECTION_NAME_MAX + 1];
	char slot[WD_NAME_SIZE];
	__u32 queue_priority;
	__u32 max_extra;
	bool inherited;
	bool joined;
	unsigned int nr;
	struct wd_grant *grants;
	__u64 read_at;		/* when the grants were read */
	__u64 no_extra_until;	/* set after the kernel has refused an extra context */
	int family;
	struct wd_fork_file socket;
};

extern struct wd_section wd_section;

static inline enum wd_user_state wd_section_state(void)
{
	return (enum wd_user_state)atomic_load_explicit(&wd_section.state, memory_order_acquire);
}

/* --- state.c --- */
/* Call before using anything here. */
void wd_section_init(void);
/* Starting, stopping and a first session take turns. The thread must not be cancelled during its turn. */
void wd_section_turn_begin(int *cancel);
void wd_section_turn_end(int cancel);
void wd_grant_lock(void);
void wd_grant_unlock(void);
/* Under the lock, which is left meanwhile: until some context's opening or closing is over. Not to be cancelled. */
void wd_grant_wait(void);
void wd_grant_wake(void);
/*
 * In this thread's turn and under the engine's lock: from now on that is the process' section, or state why there is
 * none.
 */
void wd_section_settle(const struct wd_section *a, enum wd_user_state state);
/* The same: the process chooses to take its contexts from the pool. */
void wd_section_choose_pool(void);
/* The process uses the pool because nothing else was asked for. */
void wd_section_default_pool(void);
/* Whether contexts may be opened now: 0, -ESHUTDOWN, or the error with which wd_user_start() failed; recorded. */
int wd_section_usable(void);
/* Keeps this thread's last error for other threads' sessions and requests; err: of wd_user_start(), or 0. */
void wd_section_refusal_keep(int err);
void wd_section_refusal_clear(void);
/* Whether wd_user_start() failed. */
bool wd_section_refused(void);

/* --- section.c --- */
/* Whether name is 1 to 31 characters of A-Z a-z 0-9 _ - */
bool wd_section_is_name(const char *name);
/* How long to wait for a slot, from WD_ATTACH_TIMEOUT. 0, or -EINVAL, recorded. */
int wd_section_wait_ms(__u32 *wait_ms);
/*
 * In this thread's turn: attaches. 0 or -errno, recorded. A kernel without sections is a failure, -EOPNOTSUPP, only if
 * held demands a slot; it is recorded in any case.
 */
int wd_section_enter(const char *name, __u32 wait_ms, bool held);
/* In this thread's turn: leaves the given state and gives the slot back. No context is open. */
void wd_section_leave(enum wd_user_state state);
/* Before a session is bound to devices: attaches if the process needs to. 0 or -errno, recorded. No lock is held. */
int wd_section_begin(void);
/* Asks again, without waiting, for a child that found no slot. No lock is held. */
void wd_section_again(void);

/* --- attach.c --- */
/*
 * Attaches to the section, or takes over an inherited slot; fills in a. Waits for a section that doesn't exist, isn't
 * live or is full. 0 or -errno, recorded; -EOPNOTSUPP, not recorded: no sections here.
 */
int wd_attach(struct wd_section *a, const char *name, __u32 wait_ms);
/* Gives the slot back. */
void wd_detach(struct wd_section *a);
/* The section of the slot that this process inherited, or NULL. */
const char *wd_attach_inherited(char name[WD_SECTION_NAME_MAX + 1]);
/* Whether the kernel still has this attachment. Under the grants' lock. */
bool wd_attach_alive(struct wd_section *a);
/* Reads the grants again: devices come and go. Under the grants' lock. */
void wd_attach_refresh(struct wd_section *a);

/* --- grant.c --- */
enum wd_place {
	WD_PLACE_SPARE,		/* a place that neither the other mode nor another queue type needs */
	WD_PLACE_FREE,		/* or any free place */
	WD_PLACE_EXTRA,		/* or a place from the pool, as far as the section allows */
	WD_PLACE_OWN,		/* the same, for one session alone; neither limited nor counted outside of sections */
	WD_PLACE_EXCHANGE,	/* or the place of an idle context, which is closed */
};

/* Whether the slot grants contexts of that device. Always true outside of sections. */
bool wd_grant_has(const char *dev);
/* Reads the grants again if the list has a device that they don't. */
void wd_grant_look(const struct uacce_dev_list *list);

/* A context that isn't made yet. */
struct wd_place_kind {
	const char *dev;
	int node;
	const struct wd_class *cls;
	__u8 qc_type;
	bool async;
	bool for_cq;
};

/* Whether wd_grant_place() may find a WD_PLACE_SPARE for one. Always true in a section. */
bool wd_grant_may_spare(const struct wd_place_kind *kind);

#define WD_PLACE_TAKEN	1

/*
 * Under the lock: a place for q, which isn't open. 0, -EDQUOT, -EACCES (the slot grants no context of that device),
 * -ESHUTDOWN, recorded; WD_PLACE_TAKEN, not recorded: with WD_PLACE_EXCHANGE, only another context's place is left.
 */
int wd_grant_place(const struct wd_queue *q, enum wd_place how);
/* -EDQUOT, recorded: all places are in use. Under the lock. */
int wd_grant_refuse(const struct wd_queue *q);
/*
 * Under the lock: q has the place, whatever its state, while this thread opens or closes it and others take the lock;
 * and no more than its state says. A thread that waits for another's, or for a lock, holds none.
 */
void wd_grant_hold(struct wd_queue *q);
void wd_grant_let_go(struct wd_queue *q);
/* Under the lock: does another thread open or close a context of that device? dev NULL: of any. */
bool wd_grant_moving(const char *dev);
/* How often that was over, of others than this thread. The same. */
__u32 wd_grant_moves(void);
/*
 * Under the lock, which is left meanwhile: open q in the place that it holds. 0 or -errno; *refused: as a context
 * beyond the grants.
 */
int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info, bool *refused);
/*
 * Whether more contexts of the device are open than the slot has places for. Always true outside of sections. Under the
 * lock.
 */
bool wd_grant_overdrawn(const char *dev);
/* How many contexts of the device are open. */
void wd_grant_count(const char *dev, __u32 open[2]);

#endif
