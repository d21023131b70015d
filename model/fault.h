/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Faults to inject into a device, for tests of a driver's response. */
#ifndef WDM_FAULT_H
#define WDM_FAULT_H

#include "env.h"

struct wdm_attr;
struct wdm_device;

/*
 * Kinds of fault, and what a rule's value means for each. All but WDM_FAULT_MAILBOX are drawn
 * once for each descriptor when the device accepts it; several may apply to one.
 */
enum wdm_fault {
	WDM_FAULT_FAIL,		/* not executed; value: the engine's status, 0 = "aborted" */
	WDM_FAULT_DELAY,	/* completed later; value: delay in ns */
	WDM_FAULT_REORDER,	/* completed after later ones of its queue; value: ns to wait for those, 0 = 100 us */
	WDM_FAULT_DROP,		/* executed, but neither written back nor completed */
	WDM_FAULT_DUPLICATE,	/* completed twice in a row */
	WDM_FAULT_CORRUPT,	/* a bit of each piece of its results in memory is wrong, and its status is good */
	WDM_FAULT_STUCK,	/* its queue takes no more descriptors, including this one, and can't be stopped */
	WDM_FAULT_MAILBOX,	/* a command is answered later; value: delay in ns, 0 = until the function's reset */
	WDM_FAULT_ERROR,	/* the device reports a multi-bit ECC error, which needs a reset */
	WDM_FAULT_REMOVE,	/* the host removes the device without notice, see struct wdm_env */
	WDM_FAULT_NR,
};

/* The kinds with names: the model's, and one that the host implements. */
enum {
	WDM_FAULT_PAGE = WDM_FAULT_NR,	/* an access to payload takes longer; value: delay in ns */
	WDM_FAULT_NAMED,
};

#define WDM_FAULT_ANY	(~0u)

/**
 * struct wdm_fault_rule - when a fault happens
 * @next: the number of next times, all of which have the fault
 * @one_in: afterwards at random, once in this many times on average; 0 = never
 * @every_ns: or, instead of @one_in, whenever this time has passed since it began last; 0 = never
 * @burst: how many times in a row it happens each time it begins so; 0 = once
 * @queue: only on that queue of the device (its number among all functions' queues), or
 *		WDM_FAULT_ANY; mailbox commands belong to no queue
 * @value: see enum wdm_fault
 */
struct wdm_fault_rule {
	u32 next;
	u32 one_in;
	u32 burst;
	u32 queue;
	u64 every_ns;
	u64 value;
};

/* Where a rule is: zeroed when the rule begins. */
struct wdm_fault_state {
	u32 left;	/* of its burst */
	u64 due;	/* time before which it doesn't begin again */
};

static inline bool wdm_fault_may(const struct wdm_fault_rule *rule)
{
	return rule->next || rule->one_in || rule->every_ns;
}

/*
 * Does the fault happen this time? @random is the generator's state, which any number may begin. A host that has faults
 * of its own calls it under a lock of its own.
 */
bool wdm_fault_happens(struct wdm_fault_rule *rule, struct wdm_fault_state *state, u64 now_ns, u64 *random);

/* One rule per kind; part of the device. */
struct wdm_faults {
	bool on;		/* a rule may still apply */
	u64 random;
	u64 count[WDM_FAULT_NR];
	struct wdm_fault_rule rule[WDM_FAULT_NR];
	struct wdm_fault_state state[WDM_FAULT_NR];
};

/* Groups of errors of the device itself. */
enum wdm_errors {
	WDM_ERRORS_QM,
	WDM_ERRORS_ENGINE,
	WDM_ERRORS_NR,
};

/*
 * Could a device of that shape have that rule? 0, or -EINVAL for an unknown kind, a queue that
 * the device doesn't have, or a status that doesn't mean failure.
 */
int wdm_fault_check(const struct wdm_attr *attr, enum wdm_fault kind, const struct wdm_fault_rule *rule);

/*
 * Control context. Takes effect from the next descriptor or command on; a rule with neither
 * @next, @one_in nor @every_ns ends that fault. A stuck queue recovers only when its function is reset or
 * loses its queues. Errors as for wdm_fault_check().
 */
int wdm_fault_set(struct wdm_device *dev, enum wdm_fault kind, const struct wdm_fault_rule *rule);

/* Control context. The remainder of each rule. */
const struct wdm_fault_rule *wdm_fault_rules(const struct wdm_device *dev);

/*
 * Control context. Raises error @bit of a group, as if software had set it. -EINVAL: the device
 * has no such error, or no physical function is attached.
 */
int wdm_fault_error(struct wdm_device *dev, enum wdm_errors which, u32 bit);

/* Control context. Reports an overrun of the event queue. -EINVAL: no physical function is attached. */
int wdm_fault_overflow(struct wdm_device *dev);

/* The same seed and the same requests have the same faults. Clears the counters. */
void wdm_fault_seed(struct wdm_device *dev, u64 seed);

/* How often each fault has occurred. */
const u64 *wdm_fault_counts(const struct wdm_device *dev);

/* The name used in texts; NULL if there is no such kind. */
const char *wdm_fault_name(u32 kind);

/*
 * Adds WHEN[:VALUE][@QUEUE] to a rule. WHEN is N, the next N times (0: never); B/N, at random
 * once in N times; or B/TIME, whenever TIME has passed. B is how many times in a row then, mostly
 * 1. Times have a unit. A rule has one value and one queue, and B/N or B/TIME; a text that
 * contradicts an earlier one is refused. Returns NULL, or what is wrong with the text. Doesn't check against a device:
 * see wdm_fault_check().
 */
const char *wdm_fault_parse(u32 kind, const char *text, struct wdm_fault_rule *rule);

#endif
