// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose absent pages the job threads wait for: the users that make them wait much, and those left waiting. */
/*
 * Lock		protects		taken under
 * waits_lock	debtors, left, nr_left	nothing; a leaf, spins
 *
 * Users, not processes: a process is made anew in no time, and so is what it has open.
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
/* A user may keep a quarter of one thread waiting all the time. */
#define DEBT_FORGIVEN	4

#define LEFT_USER_MAX	8
#define LEFT_MAX	64

/* Time that threads have waited for this user's pages, as of @stamp. */
struct debtor {
	kuid_t uid;
	unsigned long debt;
	unsigned long stamp;
};

static DEFINE_SPINLOCK(waits_lock);
static struct debtor debtors[DEBTORS];
static LIST_HEAD(left);
static unsigned int nr_left;
/* Nobody is slow from then on. */
static unsigned long slow_until;
static bool slow_ever;

/* A user namespace has as many users as its maker likes: all of them count as that one. */
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

/* The user's entry, or the one that is least worth keeping. */
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
 * sim_waits_charge - a job thread has waited for pages of a user
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

/* Is anybody slow? Without a lock, for each job. */
bool sim_waits_any_slow(void)
{
	return READ_ONCE(slow_ever) && time_before_eq(jiffies, READ_ONCE(slow_until));
}

/* Have threads waited for this user's pages much of the last seconds? */
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
 * May another thread be left waiting for a page of @mm, of @uid? One is enough of a process: what
 * that waits for concerns this process alone, and so does the refusal.
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

/* @l stays until sim_waits_returned(). */
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
