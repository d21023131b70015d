/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Faults that a device is told to have: what a test needs to see a driver's answer to them. */
#ifndef WDM_FAULT_H
#define WDM_FAULT_H

#include "env.h"

struct wdm_attr;
struct wdm_device;

/*
 * What can go wrong, and what a rule's value means for it. The first five are
 * drawn once for each descriptor when the device accepts it, and may meet in one.
 */
enum wdm_fault {
	WDM_FAULT_FAIL,		/* not executed; value: the engine's status, 0 = its "aborted" */
	WDM_FAULT_DELAY,	/* completed so many ns later than it could be */
	WDM_FAULT_REORDER,	/* completed after later ones of its queue; value: ns it waits for them, 0 = 100 us */
	WDM_FAULT_DROP,		/* executed, but neither written back nor completed */
	WDM_FAULT_DUPLICATE,	/* completed twice in a row */
	WDM_FAULT_STUCK,	/* its queue takes nothing more, this one included, and can't be stopped */
	WDM_FAULT_MAILBOX,	/* a command is answered so many ns late; 0 = not before the function's reset */
	WDM_FAULT_NR,
};

/* The kinds that have names: the model's, and one that a host makes by itself. */
enum {
	WDM_FAULT_PAGE = WDM_FAULT_NR,	/* an access to payload takes so many ns longer */
	WDM_FAULT_NAMED,
};

#define WDM_FAULT_ANY	(~0u)

/**
 * struct wdm_fault_rule - when a fault happens
 * @next: the next so many times, at once
 * @one_in: after those by chance, once in so many times on average; 0 = never
 * @queue: only on that queue of the device (its number among all functions' queues), or WDM_FAULT_ANY;
 *	mailbox commands belong to no queue
 * @value: see enum wdm_fault
 */
struct wdm_fault_rule {
	u32 next;
	u32 one_in;
	u32 queue;
	u64 value;
};

/* One rule for each kind; part of the device. */
struct wdm_faults {
	bool on;		/* some rule may still fire */
	u64 random;
	u64 count[WDM_FAULT_NR];
	struct wdm_fault_rule rule[WDM_FAULT_NR];
};

/* The groups of errors that a device reports of itself. */
enum wdm_errors {
	WDM_ERRORS_QM,
	WDM_ERRORS_ENGINE,
	WDM_ERRORS_NR,
};

/*
 * Whether a device of that shape could have that rule: 0, or -EINVAL for an unknown kind, a queue that it
 * hasn't, a status that doesn't mean failure.
 */
int wdm_fault_check(const struct wdm_attr *attr, enum wdm_fault kind, const struct wdm_fault_rule *rule);

/*
 * Control context. Takes effect from the next descriptor or command on; a rule with neither @next nor
 * @one_in ends that fault. A stuck queue comes free when its function is reset or loses its queues, only then. As wdm_fault_check().
 */
int wdm_fault_set(struct wdm_device *dev, enum wdm_fault kind, const struct wdm_fault_rule *rule);

/* Control context. What is left of each rule. */
const struct wdm_fault_rule *wdm_fault_rules(const struct wdm_device *dev);

/*
 * Control context. Error @bit of a group happens, as if software had set it. -EINVAL: the device has no such
 * error, or no physical function is attached.
 */
int wdm_fault_error(struct wdm_device *dev, enum wdm_errors which, u32 bit);

/* Control context. The device reports that its event queue has overrun. -EINVAL: no physical function is attached. */
int wdm_fault_overflow(struct wdm_device *dev);

/* The same seed and the same requests give the same faults. Zeroes the counters. */
void wdm_fault_seed(struct wdm_device *dev, u64 seed);

/* How often each has happened. */
const u64 *wdm_fault_counts(const struct wdm_device *dev);

/* As in the texts below; NULL for no kind. */
const char *wdm_fault_name(u32 kind);

/*
 * Adds WHEN[:VALUE][@QUEUE] to a rule: WHEN is N, the next N times (0: never), or 1/N, once in N. Times have a unit.
 * A rule has one value and one queue; another than it has is refused.
 * NULL, or what is wrong with the text. Doesn't know the device: see wdm_fault_check().
 */
const char *wdm_fault_parse(u32 kind, const char *text, struct wdm_fault_rule *rule);

#endif
