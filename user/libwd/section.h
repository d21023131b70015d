/* SPDX-License-Identifier: Apache-2.0 */
/* The process' attachment to a section, and the places for contexts that it grants. */
#ifndef WD_SECTION_H
#define WD_SECTION_H

#include <wd_user.h>
#include "engine.h"

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
 * @name:	the section's; "" none. Both as @slot .. @grants under the grants' lock
 * @socket:	the attachment lives as long as it is open
 */
struct wd_section {
	_Atomic int state;
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

/* --- section.c --- */
/* wd_user_start(), with a time to wait of its own. */
int wd_section_start(const char *name, __u32 wait_ms);
/* Before a session is bound to devices: attach, if that is due. 0 or -errno, recorded. No lock is held. */
int wd_section_begin(void);
/* A child that found no slot may find one now: asked for without waiting. No lock is held. */
void wd_section_again(void);
/* May contexts be opened now? 0 or -ESHUTDOWN, recorded. */
int wd_section_usable(void);
void wd_section_init(void);

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
	WD_PLACE_EXCHANGE,	/* or that of an idle context, which is closed */
};

void wd_grant_lock(void);
void wd_grant_unlock(void);
void wd_grant_fork_child(void);
/* Is anything granted of that device? Always, outside of sections. */
bool wd_grant_has(const char *dev);
/* Devices have come that were not there when the grants were read? */
void wd_grant_look(const struct uacce_dev_list *list);
/* Under the lock: a place for q, which isn't open. 0, -EDQUOT, -EACCES (nothing of that device), -ESHUTDOWN. */
int wd_grant_place(struct wd_queue *q, enum wd_place how);
/* Under the lock: open q in the place that it got. 0 or -errno. */
int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info);
/* Under the engine's lock: close what is open; no session uses it. */
void wd_grant_close_all(void);
/* How many contexts of it are open. */
void wd_grant_count(const char *dev, __u32 open[2]);

#endif
