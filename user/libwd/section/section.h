/* SPDX-License-Identifier: Apache-2.0 */
/* The process' attachment to a section, and the places for contexts that it grants. */
#ifndef WD_SECTION_H
#define WD_SECTION_H

#include <wd_user.h>
#include "device/table.h"

/* Contexts of a device that the slot is entitled to. */
struct wd_grant {
	char dev[WD_NAME_SIZE];
	int node;
	__u32 share[2];		/* [async] */
};

/**
 * struct wd_section - what this process has
 * @state:	enum wd_user_state. Becomes WD_USER_LOST under the grants' lock, all else
 *		under the engine's lock, too
 * @closing:	contexts are being closed, by whoever has the turn
 * @name:	the section's; "" none. Both as @slot .. @grants under the grants' lock
 * @socket:	the attachment lives as long as it is open
 */
struct wd_section {
	_Atomic int state;
	atomic_bool closing;
	char name[WD_SECTION_NAME_MAX + 1];
	char slot[WD_NAME_SIZE];
	__u32 queue_priority;
	__u32 max_extra;
	bool inherited;
	unsigned int nr;
	struct wd_grant *grants;
	__u64 read_at;		/* when the grants were */
	__u64 no_extra_until;	/* the kernel has refused one */
	int family;
	struct wd_fork_file socket;
};

extern struct wd_section wd_section;

static inline enum wd_user_state wd_section_state(void)
{
	return (enum wd_user_state)atomic_load_explicit(&wd_section.state, memory_order_acquire);
}

/* --- state.c --- */
/* Before any of this is used. */
void wd_section_init(void);
/* Starting, stopping, a first session: one after the other. Not to be cancelled meanwhile. */
void wd_section_turn_begin(int *cancel);
void wd_section_turn_end(int cancel);
void wd_grant_lock(void);
void wd_grant_unlock(void);
/* In this thread's turn and under the engine's lock: from now on that is the process' section, or state why there is none. */
void wd_section_settle(const struct wd_section *a, enum wd_user_state state);
/* The same: the process takes its contexts from the pool, by its own choice. */
void wd_section_choose_pool(void);
/* It does so because nothing else was asked for. */
void wd_section_default_pool(void);
/* May contexts be opened now? 0, -ESHUTDOWN, or why wd_user_start() has failed, recorded. */
int wd_section_usable(void);
/* What this thread was told is what other threads' sessions and requests will be told, too; err: of wd_user_start(), or 0. */
void wd_section_refusal_keep(int err);
void wd_section_refusal_clear(void);
/* Has wd_user_start() failed? */
bool wd_section_refused(void);

/* --- section.c --- */
/* 1 to 31 of A-Z a-z 0-9 _ - */
bool wd_section_is_name(const char *name);
/* How long to wait for a slot, as WD_ATTACH_TIMEOUT says. 0, or -EINVAL, recorded. */
int wd_section_wait_ms(__u32 *wait_ms);
/*
 * In this thread's turn: attach. 0 or -errno, recorded. A kernel without sections is no failure, unless the slot has to
 * be held; it is recorded all the same.
 */
int wd_section_enter(const char *name, __u32 wait_ms, bool held);
/* In this thread's turn: it was in that state; the slot is given back. No context is open. */
void wd_section_leave(enum wd_user_state state);
/* Before a session is bound to devices: attach, if that is due. 0 or -errno, recorded. No lock is held. */
int wd_section_begin(void);
/* A child that found no slot may find one now: asked for without waiting. No lock is held. */
void wd_section_again(void);

/* --- attach.c --- */
/* Attach to it, or take over what this process inherited: fills in a. 0 or -errno, recorded; -EOPNOTSUPP, not recorded: no sections here. */
int wd_attach(struct wd_section *a, const char *name, __u32 wait_ms);
/* Give the slot back. */
void wd_detach(struct wd_section *a);
/* Name of the section that this process inherited a slot of, or NULL. */
const char *wd_attach_inherited(char name[WD_SECTION_NAME_MAX + 1]);
/* Has the kernel still got this attachment? Under the grants' lock. */
bool wd_attach_alive(struct wd_section *a);
/* Read the grants again: devices come and go. Under the grants' lock. */
void wd_attach_refresh(struct wd_section *a);

/* --- grant.c --- */
enum wd_place {
	WD_PLACE_SPARE,		/* one that neither the other mode nor another queue type will miss */
	WD_PLACE_FREE,		/* one that is free */
	WD_PLACE_EXTRA,		/* or one out of the pool, as far as the section allows */
	WD_PLACE_OWN,		/* the same, for one session alone; outside of sections not counted */
	WD_PLACE_EXCHANGE,	/* or that of an idle context, which is closed */
};

/* Is anything granted of that device? Always, outside of sections. */
bool wd_grant_has(const char *dev);
/* Devices have come that were not there when the grants were read? */
void wd_grant_look(const struct uacce_dev_list *list);
#define WD_PLACE_TAKEN	1

/*
 * Under the lock: a place for q, which isn't open. 0, -EDQUOT, -EACCES (nothing of that device), -ESHUTDOWN, recorded;
 * WD_PLACE_TAKEN, not recorded: with WD_PLACE_EXCHANGE, only that of another.
 */
int wd_grant_place(const struct wd_queue *q, enum wd_place how);
/* -EDQUOT, recorded: all are in use. Under the lock. */
int wd_grant_refuse(const struct wd_queue *q);
/* Under the lock: open q in the place that it got. 0 or -errno; *refused: as a context beyond the grants. */
int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info, bool *refused);
/* Are more contexts of the device open than the slot has places of its own for? Always, outside of sections. Under the lock. */
bool wd_grant_overdrawn(const char *dev);
/* How many contexts of it are open. */
void wd_grant_count(const char *dev, __u32 open[2]);

#endif
