// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mediated queues, whose submissions the driver executes: docs/no-sva.md. Such a call may wait for its process' memory
 * for ever, so it has no lock, and no queue: the queue may be put, and the device removed, while it waits. It holds
 * what it needs by a reference, and the driver's module.
 */
#include <linux/module.h>
#include "internal.h"

bool uacce_mediated(const struct uacce_device *uacce)
{
	return uacce->flags & UACCE_DEV_MEDIATED;
}
EXPORT_SYMBOL_GPL(uacce_mediated);

int uacce_hold(struct uacce_ctx *ctx, struct uacce_hold *hold)
{
	const struct uacce_ops *ops = ctx->q.uacce->ops;

	lockdep_assert_held(&ctx->lock);
	if (ctx->state != UACCE_CTX_STARTED)
		return -EINVAL;
	/* A module that is being unloaded takes the queue away in a moment. */
	if (!try_module_get(ops->owner))
		return -ENXIO;
	hold->held = ops->hold(&ctx->q);
	if (!hold->held) {
		module_put(ops->owner);
		return -ESHUTDOWN;
	}
	hold->ops = ops;
	return 0;
}

void uacce_hold_end(const struct uacce_hold *hold)
{
	struct module *owner = hold->ops->owner;

	hold->ops->drop(hold->held);
	module_put(owner);
}

/* Lets the driver bring a started queue up to date. */
void uacce_mediated_look(struct uacce_ctx *ctx)
{
	struct uacce_hold hold;
	int ret;

	if (!uacce_mediated(ctx->q.uacce))
		return;
	spin_lock(&ctx->lock);
	ret = uacce_hold(ctx, &hold);
	spin_unlock(&ctx->lock);
	if (ret)
		return;
	if (hold.ops->look)
		hold.ops->look(hold.held);
	uacce_hold_end(&hold);
}
