// SPDX-License-Identifier: GPL-2.0-or-later
/* Life cycle of a simulated device: its parts are added and removed in order, one device at a time. */
/*
 * Adding and removing a device probes and unbinds drivers, which register and unregister
 * configfs directories of their own. It runs on one separate thread, so that none of it happens
 * under the locks that a configfs store holds.
 */
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "inject.h"
#include "internal.h"
#include "model/model.h"
#include "hw/qm_hw.h"

#define DEVICES_MAX	256	/* number of PCI buses */

static DEFINE_IDA(ids);
static struct kthread_worker *mover;

struct move {
	struct kthread_work work;
	const struct sim_shape *shape;
	struct sim_dev *sdev;
	bool surprise;
	unsigned int inject;
};

static struct sim_dev *device_alloc(const struct sim_shape *shape)
{
	const unsigned int nr_fns = 1;
	struct sim_dev *sdev;
	unsigned int i;

	sdev = kzalloc(struct_size(sdev, fns, nr_fns), GFP_KERNEL);
	if (!sdev)
		return NULL;
	sdev->shape = *shape;
	sdev->nr_fns = nr_fns;
	for (i = 0; i < nr_fns; i++) {
		sdev->fns[i].sdev = sdev;
		sdev->fns[i].index = i;
	}
	sim_sva_init(sdev);
	return sdev;
}

static struct sim_dev *add_now(const struct sim_shape *shape)
{
	struct sim_dev *sdev;
	struct sim_fn *pf;
	int err;

	sdev = device_alloc(shape);
	if (!sdev)
		return ERR_PTR(-ENOMEM);
	pf = sim_pf(sdev);
	err = ida_alloc_max(&ids, DEVICES_MAX - 1, GFP_KERNEL);
	if (err < 0)
		goto err_free_device;
	sdev->id = err;
	err = sim_aperture_alloc(&pf->regs, QM_BAR2_PF_SIZE);
	if (err)
		goto err_free_id;
	err = sim_aperture_alloc(&pf->db, roundup_pow_of_two(shape->queues) * QM_DB_WINDOW);
	if (err)
		goto err_free_regs;
	err = sim_config_init(pf);
	if (err)
		goto err_free_db;
	err = sim_msi_init(sdev);
	if (err)
		goto err_exit_config;
	err = sim_worker_start(sdev);
	if (err)
		goto err_exit_msi;
	sim_sva_register();
	err = sim_bus_add(sdev);
	if (err)
		goto err_stop_worker;
	return sdev;

err_stop_worker:
	sim_worker_stop(sdev);
err_exit_msi:
	sim_msi_exit(sdev);
err_exit_config:
	sim_config_exit(pf);
err_free_db:
	sim_aperture_free(&pf->db);
err_free_regs:
	sim_aperture_free(&pf->regs);
err_free_id:
	ida_free(&ids, sdev->id);
err_free_device:
	kfree(sdev);
	return ERR_PTR(err);
}

static void pull_out(struct wdm_device *model, void *arg)
{
	struct sim_fn *pf = sim_pf(arg);

	wdm_function_detach(model, WDM_PF);
	memset_io(pf->regs.io, 0xff, pf->regs.size);
	memset_io(pf->db.io, 0xff, pf->db.size);
}

/*
 * Surprise removal: no access is answered, registers read as ones, and the driver isn't
 * notified. Must not run while the device is added or removed.
 */
void sim_device_vanish(struct sim_dev *sdev)
{
	sim_config_vanish(sim_pf(sdev));
	sim_worker_call(sdev, pull_out, sdev);
}

static void remove_now(struct sim_dev *sdev)
{
	struct sim_fn *pf = sim_pf(sdev);

	sim_bus_remove(sdev);
	sim_sva_drop(pf);
	sim_worker_stop(sdev);
	sim_msi_exit(sdev);
	sim_config_exit(pf);
	sim_aperture_free(&pf->db);
	sim_aperture_free(&pf->regs);
	ida_free(&ids, sdev->id);
	kfree(sdev);
}

static void move_run(struct kthread_work *work)
{
	struct move *move = container_of(work, struct move, work);

	sim_inject_give(move->inject);
	if (move->surprise) {
		sim_device_vanish(move->sdev);
		sim_bus_disconnect(move->sdev);
	}
	if (move->shape)
		move->sdev = add_now(move->shape);
	else
		remove_now(move->sdev);
	move->inject = sim_inject_take();
}

static void move_wait(struct move *move)
{
	kthread_init_work(&move->work, move_run);
	move->inject = sim_inject_take();
	kthread_queue_work(mover, &move->work);
	kthread_flush_work(&move->work);
	sim_inject_give(move->inject);
}

struct sim_dev *sim_device_add(const struct sim_shape *shape)
{
	struct move move = { .shape = shape };

	move_wait(&move);
	return move.sdev;
}

void sim_device_remove(struct sim_dev *sdev, bool surprise)
{
	struct move move = { .sdev = sdev, .surprise = surprise };

	/* The removal of a driver, of this device or of one queued earlier, waits for processes in open(). */
	sim_sva_hold_binds(sdev, false);
	move_wait(&move);
}

int sim_device_init(void)
{
	mover = kthread_create_worker(0, "hisi_sim");
	return PTR_ERR_OR_ZERO(mover);
}

void sim_device_exit(void)
{
	kthread_destroy_worker(mover);
	ida_destroy(&ids);
}
