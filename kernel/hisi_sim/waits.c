// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits of job threads for absent pages: users that cause long waits, and abandoned threads. */
/*
 * Lock		protects		taken under
 * waits_lock	debtors, left, nr_left	nothing; a leaf, spins
 *
 * Waits are charged to users, not processes: a process and its open files are quickly replaced.
 */
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "internal.h"

#define DEBTORS		32
#define DEBT_SLOW	msecs_to_jiffies(250 * SIM_SLOWNESS)
#define DEBT_MAX	(10 * DEBT_SLOW)
/* A user may keep a quarter of one thread waiting permanently. */
#define DEBT_FORGIVEN	4

#define LEFT_USER_MAX	8
#define LEFT_MAX	64

/* Time that threads have waited for this user's pages, at @stamp. */
struct debtor {
	kuid_t uid;
	unsigned long debt;
	unsigned long stamp;
};

static DEFINE_SPINLOCK(waits_lock);
static struct debtor debtors[DEBTORS];
static LIST_HEAD(left);
static unsigned int nr_left;
/* After this time no user is slow. */
static unsigned long slow_until;
static bool slow_ever;

/* The creator of a user namespace can have any number of users in it: all count as the creator. */
kuid_t sim_waits_user(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_uid();

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static unsigned long debt_now(const struct debtor *d)
{
	unsigned long forgiven = (jiffies - d->stamp) / DEBT_FORGIVEN;

	return d->debt > forgiven ? d->debt - forgiven : 0;
}

/* Returns the user's entry, or reuses the one with the smallest debt. */
static struct debtor *debtor_find(kuid_t uid)
{
	struct debtor *d, *least = debtors;

	lockdep_assert_held(&waits_lock);
	for (d = debtors; d < debtors + DEBTORS; d++) {
		if (d->debt && uid_eq(d->uid, uid))
			return d;
		if (debt_now(d) < debt_now(least))
			least = d;
	}
	*least = (struct debtor){ .uid = uid };
	return least;
}

/**
 * sim_waits_charge - charge a job thread's wait for pages to their user
 * @uid:	the user
 * @waited:	jiffies
 */
void sim_waits_charge(kuid_t uid, unsigned long waited)
{
	struct debtor *d;
	unsigned long until;

	if (!waited)
		return;
	spin_lock(&waits_lock);
	d = debtor_find(uid);
	d->debt = min(debt_now(d) + waited, DEBT_MAX);
	d->stamp = jiffies;
	if (d->debt > DEBT_SLOW) {
		until = jiffies + (d->debt - DEBT_SLOW) * DEBT_FORGIVEN;
		if (!slow_ever || time_after(until, slow_until))
			WRITE_ONCE(slow_until, until);
		WRITE_ONCE(slow_ever, true);
	}
	spin_unlock(&waits_lock);
}

/* Is any user slow? Called for each job, so without the lock. */
bool sim_waits_any_slow(void)
{
	return READ_ONCE(slow_ever) && time_before_eq(jiffies, READ_ONCE(slow_until));
}

/* Have threads waited for this user's pages during much of the last seconds? */
bool sim_waits_slow(kuid_t uid)
{
	bool slow = false;
	struct debtor *d;

	spin_lock(&waits_lock);
	for (d = debtors; d < debtors + DEBTORS && !slow; d++)
		slow = d->debt && uid_eq(d->uid, uid) && debt_now(d) > DEBT_SLOW;
	spin_unlock(&waits_lock);
	return slow;
}

/*
 * May another thread be abandoned while it waits for a page of @mm, owned by @uid? One per
 * process is enough: both the wait and the refusal concern only that process.
 */
bool sim_waits_may_leave(kuid_t uid, const struct mm_struct *mm)
{
	unsigned int of_user = 0;
	struct sim_left *l;
	bool may = true;

	spin_lock(&waits_lock);
	if (nr_left >= LEFT_MAX)
		may = false;
	list_for_each_entry(l, &left, node) {
		of_user += uid_eq(l->uid, uid);
		if (l->mm == mm || of_user >= LEFT_USER_MAX)
			may = false;
	}
	spin_unlock(&waits_lock);
	return may;
}

/* @l must remain valid until sim_waits_returned(). */
void sim_waits_left(struct sim_left *l, kuid_t uid, const struct mm_struct *mm)
{
	l->uid = uid;
	l->mm = mm;
	spin_lock(&waits_lock);
	list_add(&l->node, &left);
	nr_left++;
	spin_unlock(&waits_lock);
}

void sim_waits_returned(struct sim_left *l)
{
	spin_lock(&waits_lock);
	list_del(&l->node);
	nr_left--;
	spin_unlock(&waits_lock);
}
