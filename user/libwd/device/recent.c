// SPDX-License-Identifier: Apache-2.0
/*
 * Lists of devices for sessions. A scan reads some ten files a device; a server
 * that makes sessions for each connection would do little else. Nothing tells
 * a process cheaply that sysfs has changed, so a list is kept for a time that
 * an administrator doesn't notice, and is dropped as soon as a device fails here.
 */
#include <stdlib.h>

#include "base/fork.h"
#include "base/node.h"
#include "base/sleep.h"
#include "device/recent.h"

#define KEEP_NS	100000000ull
#define LISTS	32	/* algorithms that are in use at the same time */

/* Each change under the lock is one word, so that a fork's child finds a whole table. */
static struct wd_fork_mutex lock = WD_FORK_MUTEX(lock, NULL);
static struct wd_recent *kept[LISTS];
static unsigned int turn;

static void drop(struct wd_recent *r)
{
	if (!r || --r->refs)
		return;
	wd_free_list_accels((struct uacce_dev_list *)r->list);
	free(r);
}

static bool same_key(const struct wd_recent *a, const struct wd_recent *b)
{
	return a->alg_name == b->alg_name && a->rank == b->rank && a->features == b->features && a->node == b->node;
}

/* Where a list of that key is, or may be put. */
static struct wd_recent **place_of(const struct wd_recent *key)
{
	unsigned int i;

	for (i = 0; i < LISTS; i++)
		if (kept[i] && same_key(kept[i], key))
			return &kept[i];
	for (i = 0; i < LISTS; i++)
		if (!kept[i])
			return &kept[i];
	return &kept[turn++ % LISTS];
}

static struct wd_recent *recent_find(const struct wd_recent *key)
{
	struct wd_recent *r;

	wd_fork_mutex_lock(&lock);
	r = *place_of(key);
	if (r && same_key(r, key) && wd_now_ns() < r->until)
		r->refs++;
	else
		r = NULL;
	wd_fork_mutex_unlock(&lock);
	return r;
}

struct wd_recent *wd_recent_get(const char *alg_name, enum wd_rank rank, unsigned int features, bool *old)
{
	struct wd_recent key = {
		.alg_name = alg_name, .rank = rank, .features = features, .node = wd_node_of_caller()
	};
	struct wd_recent *r = recent_find(&key), **place, *before;

	*old = r;
	if (r)
		return r;
	/* Not older than its first file. */
	key.until = wd_now_ns() + KEEP_NS;
	key.list = wd_device_list(alg_name, rank, features);
	if (!key.list)
		return NULL;
	r = malloc(sizeof(*r));
	if (!r) {
		wd_free_list_accels((struct uacce_dev_list *)key.list);
		return wd_null(wd_fail(NULL, ENOMEM, "device list"));
	}
	*r = key;
	r->refs = 2;
	wd_fork_mutex_lock(&lock);
	place = place_of(r);
	before = *place;
	*place = r;
	drop(before);
	wd_fork_mutex_unlock(&lock);
	return r;
}

void wd_recent_put(struct wd_recent *recent)
{
	wd_fork_mutex_lock(&lock);
	drop(recent);
	wd_fork_mutex_unlock(&lock);
}

void wd_recent_forget(void)
{
	unsigned int i;

	wd_fork_mutex_lock(&lock);
	for (i = 0; i < LISTS; i++)
		if (kept[i])
			kept[i]->until = 0;
	wd_fork_mutex_unlock(&lock);
}
