// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices: allocation, registration, removal, and revoking all queues of a device.
 *
 * lock                    protects                           taken with
 * ----------------------  ---------------------------------  ------------------------
 * uacce_device.kill_lock  one walk over the queues at a time  any lock of the driver
 * uacce_device.lock       ctxs, held, bonds, dead,           any lock; a leaf, spins
 *                         kill_round
 * uacce_ctx.*             see queue.c                        kill_lock
 *
 * References: a device lives as long as any open file of it. open() looks the device up by
 * its number and holds a reference, which the context takes over. Nothing of the device is
 * visible to a driver or provider after uacce_remove(): only memory remains.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "trace.h"

static void uacce_device_release(struct device *dev)
{
	struct uacce_device *uacce = to_uacce_device(dev);

	uacce_sysfs_exit(uacce);
	kfree(uacce->wd_type);
	kfree(uacce->algorithms);
	kfree(uacce->api);
	kfree(uacce->name);
	kfree(uacce);
}

static int uacce_device_describe(struct uacce_device *uacce,
				 const struct uacce_interface *interface)
{
	uacce->flags = interface->flags;
	uacce->can_mediate = uacce_mediated(uacce);
	uacce->capa = interface->capa;
	uacce->mmio_size = interface->mmio_size;
	uacce->mmio_hidden = interface->mmio_hidden;
	uacce->dus_size = interface->dus_size;
	uacce->ops = interface->ops;
	uacce->name = kstrndup(interface->name, UACCE_NAME_SIZE - 1, GFP_KERNEL);
	uacce->api = kstrdup(interface->api, GFP_KERNEL);
	uacce->algorithms = kstrdup(interface->algorithms, GFP_KERNEL);
	uacce->wd_type = kstrdup(interface->wd_type, GFP_KERNEL);
	if (!uacce->name || !uacce->api || !uacce->algorithms || !uacce->wd_type)
		return -ENOMEM;
	return 0;
}

static bool uacce_interface_valid(const struct uacce_interface *interface)
{
	const struct uacce_ops *ops = interface->ops;
	unsigned int i;

	if (!interface->name[0] || !interface->api || !interface->algorithms ||
	    !interface->wd_type)
		return false;
	if (!PAGE_ALIGNED(interface->mmio_size) || !PAGE_ALIGNED(interface->dus_size))
		return false;
	if (interface->mmio_hidden > interface->mmio_size)
		return false;
	for (i = 0; i < UACCE_RINGS_MAX; i++)
		if (!PAGE_ALIGNED(interface->rings[i].size) || !interface->rings[i].size != !interface->rings[i].count)
			return false;
	return ops && ops->get_queue && ops->put_queue && ops->start_queue &&
	       ops->stop_queue && ops->kill_queue && ops->get_available_instances &&
	       (!interface->mmio_size || ops->get_mmio) &&
	       (!(interface->flags & UACCE_DEV_BANDWIDTH) || ops->set_bandwidth) &&
	       (!(interface->flags & UACCE_DEV_REQUESTS) || ops->count_requests) &&
	       (!(interface->flags & UACCE_DEV_MEDIATED) || (ops->hold && ops->drop));
}

struct uacce_device *uacce_alloc(struct device *parent,
				 const struct uacce_interface *interface)
{
	struct uacce_device *uacce;
	int ret;

	if (!uacce_interface_valid(interface))
		return ERR_PTR(-EINVAL);
	uacce = kzalloc(sizeof(*uacce), GFP_KERNEL);
	if (!uacce)
		return ERR_PTR(-ENOMEM);
	mutex_init(&uacce->kill_lock);
	spin_lock_init(&uacce->lock);
	/* Processes cause it: one line a minute for each device, without a line about those that are left out. */
	ratelimit_state_init(&uacce->wrong_log, 60 * HZ, 1);
	ratelimit_set_flags(&uacce->wrong_log, RATELIMIT_MSG_ON_RELEASE);
	INIT_LIST_HEAD(&uacce->ctxs);
	INIT_LIST_HEAD(&uacce->held);
	INIT_LIST_HEAD(&uacce->bonds);
	init_waitqueue_head(&uacce->opened);
	uacce_bandwidth_init(uacce);
	device_initialize(&uacce->dev);
	uacce->dev.class = &uacce_class;
	uacce->dev.parent = parent;
	uacce->dev.release = uacce_device_release;

	ret = uacce_device_describe(uacce, interface);
	if (ret)
		goto err_put_device;
	ret = uacce_id_alloc();
	if (ret < 0)
		goto err_put_device;
	uacce->id = ret;
	uacce->dev.devt = uacce_devt(uacce->id);
	ret = dev_set_name(&uacce->dev, "%s-%d", uacce->name, uacce->id);
	if (ret)
		goto err_free_id;
	uacce->parent = get_device(parent);
	if (uacce->can_mediate && uacce_memory_wanted(dev_name(parent)) == UACCE_MEMORY_MEDIATED)
		uacce->flags &= ~UACCE_DEV_SVA;
	ret = uacce_sva_attach(uacce);
	if (ret)
		goto err_put_parent;
	uacce_pool_init(uacce, interface->rings);
	ret = uacce_sysfs_init(uacce, interface->levels);
	if (ret)
		goto err_detach_sva;
	return uacce;

err_detach_sva:
	uacce_sva_detach(uacce);
err_put_parent:
	put_device(uacce->parent);
err_free_id:
	uacce_id_free(uacce->id);
err_put_device:
	put_device(&uacce->dev);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(uacce_alloc);

/* ------ accounting of a registered device ------ */

static void account_insert(struct uacce_device *uacce)
{
	struct uacce_account *acct;

	list_for_each_entry(acct, &uacce_accounts, all)
		if (uacce_of_account(acct)->id > uacce->id)
			break;
	list_add_tail(&uacce->acct.all, &acct->all);
	uacce_prov_generation++;
}

static void uacce_account_stop(struct uacce_device *uacce)
{
	struct uacce_account *acct = &uacce->acct;
	struct uacce_charge *charge;

	mutex_lock(&uacce_prov);
	if (acct->on) {
		acct->on = false;
		while ((charge = list_first_entry_or_null(&acct->charges, struct uacce_charge, node)))
			uacce_uncharge_locked(uacce_of_charge(charge));
		uacce_claims_drop(uacce);
	}
	mutex_unlock(&uacce_prov);
}

static void uacce_account_del(struct uacce_device *uacce)
{
	uacce_configfs_del_device(uacce);
	mutex_lock(&uacce_prov);
	/* A section that reserves on a device that is off would keep a pointer to freed memory. */
	WARN_ON(uacce->acct.reserved);
	list_del(&uacce->acct.all);
	uacce_prov_generation++;
	if (uacce->announced)
		uacce_event_dev(UACCE_NL_DEV_DEL, uacce);
	mutex_unlock(&uacce_prov);
}

static int uacce_account_add(struct uacce_device *uacce)
{
	struct uacce_account *acct = &uacce->acct;
	int total = uacce->ops->get_available_instances(uacce), ret = 0;

	INIT_LIST_HEAD(&acct->charges);
	mutex_lock(&uacce_prov);
	acct->settings = uacce_settings_get(dev_name(uacce->parent));
	if (acct->settings) {
		acct->total = max(total, 0);
		account_insert(uacce);
		acct->on = true;
		uacce_claims_serve(uacce);
	} else {
		ret = -ENOMEM;
	}
	mutex_unlock(&uacce_prov);
	if (ret)
		return ret;
	ret = uacce_configfs_add_device(uacce);
	if (ret) {
		uacce_account_stop(uacce);
		uacce_account_del(uacce);
	}
	return ret;
}

static void uacce_account_announce(struct uacce_device *uacce)
{
	mutex_lock(&uacce_prov);
	uacce->announced = true;
	uacce_event_dev(UACCE_NL_DEV_ADD, uacce);
	uacce_section_device_opens(uacce);
	mutex_unlock(&uacce_prov);
}

/* ------ registration and removal ------ */

int uacce_register(struct uacce_device *uacce)
{
	int ret;

	/* Claims are served before the device can be opened. */
	ret = uacce_account_add(uacce);
	if (ret)
		return ret;
	uacce_id_publish(uacce);
	ret = device_add(&uacce->dev);
	if (ret) {
		uacce_id_withdraw(uacce);
		uacce_account_stop(uacce);
		uacce_account_del(uacce);
		return ret;
	}
	uacce->registered = true;
	uacce_account_announce(uacce);
	return 0;
}
EXPORT_SYMBOL_GPL(uacce_register);

static void uacce_ctx_unhold(struct uacce_ctx *ctx)
{
	mutex_lock(&ctx->mutex);
	uacce_sva_unbind(ctx);
	mutex_unlock(&ctx->mutex);
	uacce_ctx_put(ctx);
}

void uacce_queue_recovered(struct uacce_queue *q)
{
	struct uacce_ctx *ctx = to_uacce_ctx(q);
	struct uacce_device *uacce = q->uacce;

	/* Waits for the thread in put_queue(), which has yet to hold the context. */
	mutex_lock(&ctx->mutex);
	spin_lock(&uacce->lock);
	list_del_init(&ctx->held);
	spin_unlock(&uacce->lock);
	mutex_unlock(&ctx->mutex);
	/* The address space first: the next context that is charged relies on it. */
	uacce_ctx_unhold(ctx);
	uacce_unquarantine(uacce);
}
EXPORT_SYMBOL_GPL(uacce_queue_recovered);

static void uacce_release_held(struct uacce_device *uacce)
{
	struct uacce_ctx *ctx;

	for (;;) {
		spin_lock(&uacce->lock);
		ctx = list_first_entry_or_null(&uacce->held, struct uacce_ctx, held);
		if (ctx)
			list_del_init(&ctx->held);
		spin_unlock(&uacce->lock);
		if (!ctx)
			return;
		uacce_ctx_unhold(ctx);
	}
}

/*
 * Returns the next context that this round hasn't visited. Visited contexts and those opened
 * since the round began are at the end of the list, so checking the first is enough.
 */
static struct uacce_ctx *uacce_next_ctx(struct uacce_device *uacce, u64 round)
{
	struct uacce_ctx *ctx;

	spin_lock(&uacce->lock);
	ctx = list_first_entry_or_null(&uacce->ctxs, struct uacce_ctx, node);
	if (ctx && ctx->kill_round < round) {
		ctx->kill_round = round;
		list_move_tail(&ctx->node, &uacce->ctxs);
		kref_get(&ctx->ref);
	} else {
		ctx = NULL;
	}
	spin_unlock(&uacce->lock);
	return ctx;
}

static void uacce_kill_round(struct uacce_device *uacce, bool dead)
{
	struct uacce_ctx *ctx;
	u64 round;

	mutex_lock(&uacce->kill_lock);
	spin_lock(&uacce->lock);
	if (dead)
		WRITE_ONCE(uacce->dead, true);
	round = ++uacce->kill_round;
	spin_unlock(&uacce->lock);
	while ((ctx = uacce_next_ctx(uacce, round))) {
		uacce_ctx_kill(ctx, NULL);
		uacce_ctx_put(ctx);
	}
	mutex_unlock(&uacce->kill_lock);
}

/* A device that fails before it is announced sends no events. */
static void uacce_tell(struct uacce_device *uacce, enum uacce_nl_cmd cmd)
{
	mutex_lock(&uacce_prov);
	if (uacce->announced)
		uacce_event_dev(cmd, uacce);
	mutex_unlock(&uacce_prov);
}

void uacce_kill_queues(struct uacce_device *uacce)
{
	bool already = uacce->resetting;

	WRITE_ONCE(uacce->resetting, true);
	if (!already)
		uacce_tell(uacce, UACCE_NL_DEV_RESET);
	uacce_kill_round(uacce, false);
}
EXPORT_SYMBOL_GPL(uacce_kill_queues);

void uacce_reset_done(struct uacce_device *uacce)
{
	WRITE_ONCE(uacce->resetting, false);
	WRITE_ONCE(uacce->resets, uacce->resets + 1);
	trace_reset(uacce, uacce->resets);
	uacce_tell(uacce, UACCE_NL_DEV_READY);
}
EXPORT_SYMBOL_GPL(uacce_reset_done);

void uacce_isolated(struct uacce_device *uacce)
{
	WRITE_ONCE(uacce->resetting, false);
	uacce_tell(uacce, UACCE_NL_DEV_ISOLATE);
}
EXPORT_SYMBOL_GPL(uacce_isolated);

void uacce_isolation_ended(struct uacce_device *uacce)
{
	uacce_tell(uacce, UACCE_NL_DEV_READY);
}
EXPORT_SYMBOL_GPL(uacce_isolation_ended);

void uacce_unregister(struct uacce_device *uacce)
{
	if (uacce->unregistered)
		return;
	/* Removes the node and waits for readers of attributes, so no op runs on their behalf. */
	if (uacce->registered) {
		device_del(&uacce->dev);
		uacce_id_withdraw(uacce);
		uacce_account_stop(uacce);
	}
	uacce_kill_round(uacce, true);
	if (uacce->registered)
		uacce_account_del(uacce);
	uacce_bandwidth_exit(uacce);
	uacce->unregistered = true;
}
EXPORT_SYMBOL_GPL(uacce_unregister);

void uacce_remove(struct uacce_device *uacce)
{
	uacce_unregister(uacce);
	/* An open() that was killed may still be in the provider. */
	wait_event(uacce->opened, !atomic_read(&uacce->openers));
	uacce_pool_exit(uacce);
	uacce_release_held(uacce);
	uacce_sva_detach(uacce);
	put_device(uacce->parent);
	/* Last, so that the name is free only when nothing of the device remains. */
	uacce_id_free(uacce->id);
	put_device(&uacce->dev);
}
EXPORT_SYMBOL_GPL(uacce_remove);

void uacce_set_drvdata(struct uacce_device *uacce, void *data)
{
	uacce->drvdata = data;
}
EXPORT_SYMBOL_GPL(uacce_set_drvdata);

void *uacce_get_drvdata(const struct uacce_device *uacce)
{
	return uacce->drvdata;
}
EXPORT_SYMBOL_GPL(uacce_get_drvdata);

struct device *uacce_parent(struct uacce_device *uacce)
{
	return uacce->parent;
}
EXPORT_SYMBOL_GPL(uacce_parent);
