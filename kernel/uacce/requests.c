// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks the drivers how many requests open contexts have completed. The code that stops or closes a context counts its
 * requests by itself.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include "provision.h"

/*
 * The owners whose contexts are wanted, and the last context visited: devices in the order of their ids, contexts of
 * their openings.
 */
struct position {
	bool all;
	kuid_t euid;
	int dev;
	u64 serial;
};

static struct uacce_ctx *next_on(struct uacce_account *acct, struct position *at)
{
	int id = uacce_of_account(acct)->id;
	struct uacce_charge *charge;

	if (id < at->dev)
		return NULL;
	if (id > at->dev)
		at->serial = 0;
	at->dev = id;
	list_for_each_entry(charge, &acct->charges, node)
		if (charge->serial > at->serial && (at->all || uid_eq(charge->euid, at->euid))) {
			at->serial = charge->serial;
			return uacce_of_charge(charge);
		}
	return NULL;
}

/* Returns the next context, with a reference. */
static struct uacce_ctx *next_ctx(struct position *at)
{
	struct uacce_ctx *ctx = NULL;
	struct uacce_account *acct;

	mutex_lock(&uacce_prov);
	list_for_each_entry(acct, &uacce_accounts, all) {
		ctx = next_on(acct, at);
		if (ctx)
			break;
	}
	if (ctx)
		kref_get(&ctx->ref);
	mutex_unlock(&uacce_prov);
	return ctx;
}

static void ctx_update(struct uacce_ctx *ctx)
{
	const struct uacce_device *uacce = ctx->q.uacce;

	/* A call that holds the mutex while hardware works counts by itself. */
	if (mutex_trylock(&ctx->mutex)) {
		if (ctx->state == UACCE_CTX_STARTED && (uacce->flags & UACCE_DEV_REQUESTS))
			uacce->ops->count_requests(&ctx->q);
		mutex_unlock(&ctx->mutex);
	}
	mutex_lock(&uacce_prov);
	uacce_charge_settle(&ctx->charge);
	mutex_unlock(&uacce_prov);
}

/* Of @all contexts, or of those that @euid has opened. A signal that kills the caller ends it. */
void uacce_requests_update(bool all, kuid_t euid)
{
	struct position at = { .all = all, .euid = euid };
	struct uacce_ctx *ctx;

	while (!fatal_signal_pending(current) && (ctx = next_ctx(&at))) {
		ctx_update(ctx);
		uacce_ctx_put(ctx);
	}
}
