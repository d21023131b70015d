// SPDX-License-Identifier: GPL-2.0-or-later
/* Life cycle of a simulated device: its parts are added and removed in order, one device at a time. */
/*
 * Adding and removing a device probes and unbinds drivers, which register and unregister
 * configfs directories of their own, and take locks under which they do so when they handle an
 * error. It runs on one separate thread, so that none of it happens under the locks that a
 * configfs store holds.
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
	void (*run)(struct move *move);
	const char *name;
	const struct sim_shape *shape;
	struct sim_dev *sdev;
	bool surprise;
	enum sim_aer aer;
	int err;
	unsigned int inject;
};

static struct sim_dev *device_alloc(const struct sim_shape *shape)
{
	unsigned int nr_fns = 1 + shape->vfs, i;
	struct sim_dev *sdev;

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
	sim_mapped_init(sdev);
	return sdev;
}

static void bars_free(struct sim_dev *sdev)
{
	sim_aperture_free(&sdev->vf_db);
	sim_aperture_free(&sdev->vf_regs);
	sim_aperture_free(&sim_pf(sdev)->db);
	sim_aperture_free(&sim_pf(sdev)->regs);
}

static struct sim_bar bar_of_vf(const struct sim_bar *bars, const struct sim_fn *vf)
{
	size_t size = bars->size / vf->sdev->shape.vfs, at = size * (vf->index - 1);

	return (struct sim_bar){ .phys = bars->phys + at, .size = size, .io = bars->io + at };
}

/* Each kind of BAR of the virtual functions is one range, as SR-IOV demands. */
static int bars_alloc(struct sim_dev *sdev)
{
	size_t db = sim_db_size(&sdev->shape);
	unsigned int vfs = sdev->shape.vfs, i;
	struct sim_fn *pf = sim_pf(sdev);
	int err;

	err = sim_aperture_alloc(&pf->regs, QM_BAR2_PF_SIZE, 1);
	if (!err && db)
		err = sim_aperture_alloc(&pf->db, db, 1);
	if (!err && vfs)
		err = sim_aperture_alloc(&sdev->vf_regs, sim_vf_regs_size(&sdev->shape), vfs);
	if (!err && db && vfs)
		err = sim_aperture_alloc(&sdev->vf_db, db, vfs);
	if (err) {
		bars_free(sdev);
		return err;
	}
	for (i = SIM_PF + 1; i < sdev->nr_fns; i++) {
		sdev->fns[i].regs = bar_of_vf(&sdev->vf_regs, &sdev->fns[i]);
		if (db)
			sdev->fns[i].db = bar_of_vf(&sdev->vf_db, &sdev->fns[i]);
	}
	return 0;
}

static void report_no_space(const char *name, const struct sim_shape *shape)
{
	u64 db = sim_db_size(shape), free, all;
	u64 vfs = (u64)shape->vfs * (sim_vf_regs_size(shape) + db);

	sim_aperture_space(&free, &all);
	pr_err("hisi_sim: %s: the BARs need %llu KiB, %llu KiB of them for %u virtual functions; "
	       "the aperture has %llu KiB free of %llu KiB, maybe in pieces\n",
	       name, (QM_BAR2_PF_SIZE + db + vfs) >> 10, vfs >> 10, shape->vfs, free >> 10, all >> 10);
}

static void configs_exit(struct sim_dev *sdev)
{
	unsigned int i;

	for (i = 0; i < sdev->nr_fns; i++)
		sim_config_exit(&sdev->fns[i]);
}

static int configs_init(struct sim_dev *sdev)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < sdev->nr_fns && !err; i++)
		err = sim_config_init(&sdev->fns[i]);
	if (err)
		configs_exit(sdev);
	return err;
}

/* The number of its bus. With a bridge it has the next one, too, and both come from the end, where there are fewer. */
static int id_alloc(const struct sim_shape *shape)
{
	int id;

	if (!shape->bridge)
		return ida_alloc_max(&ids, DEVICES_MAX - 1, GFP_KERNEL);
	for (id = DEVICES_MAX - 2; id >= 0; id--) {
		if (ida_alloc_range(&ids, id, id, GFP_KERNEL) < 0)
			continue;
		if (ida_alloc_range(&ids, id + 1, id + 1, GFP_KERNEL) >= 0)
			return id;
		ida_free(&ids, id);
	}
	return -ENOSPC;
}

static void id_free(const struct sim_dev *sdev)
{
	if (sdev->shape.bridge)
		ida_free(&ids, sdev->id + 1);
	ida_free(&ids, sdev->id);
}

static struct sim_dev *add_now(const char *name, const struct sim_shape *shape)
{
	struct sim_dev *sdev;
	int err;

	sdev = device_alloc(shape);
	if (!sdev)
		return ERR_PTR(-ENOMEM);
	err = id_alloc(shape);
	if (err < 0)
		goto err_free_device;
	sdev->id = err;
	sim_bridge_init(sdev);
	err = bars_alloc(sdev);
	if (err == -ENOSPC)
		report_no_space(name, shape);
	if (err)
		goto err_free_id;
	err = configs_init(sdev);
	if (err)
		goto err_free_bars;
	err = sim_msi_init(sdev);
	if (err)
		goto err_exit_configs;
	err = sim_worker_start(sdev);
	if (err)
		goto err_exit_msi;
	if (shape->reset_method != SIM_RESET_NONE)
		err = sim_firmware_init(sdev, name);
	if (err)
		goto err_stop_worker;
	sim_sva_register();
	err = sim_bus_add(sdev);
	if (err)
		goto err_exit_firmware;
	return sdev;

err_exit_firmware:
	sim_firmware_exit(sdev);
err_stop_worker:
	sim_worker_stop(sdev);
err_exit_msi:
	sim_msi_exit(sdev);
err_exit_configs:
	configs_exit(sdev);
err_free_bars:
	bars_free(sdev);
err_free_id:
	id_free(sdev);
err_free_device:
	kfree(sdev);
	return ERR_PTR(err);
}

static void pull_out(struct wdm_device *model, void *arg)
{
	struct sim_dev *sdev = arg;
	unsigned int i;

	for (i = 0; i < sdev->nr_fns; i++) {
		wdm_function_detach(model, i);
		memset_io(sdev->fns[i].regs.io, 0xff, sdev->fns[i].regs.size);
		if (sdev->fns[i].db.io)
			memset_io(sdev->fns[i].db.io, 0xff, sdev->fns[i].db.size);
	}
}

/*
 * Surprise removal: no access is answered, registers read as ones, and the drivers aren't
 * notified. Must not run while the device is added or removed.
 */
void sim_device_vanish(struct sim_dev *sdev)
{
	unsigned int i;

	for (i = 0; i < sdev->nr_fns; i++)
		sim_config_vanish(&sdev->fns[i]);
	sim_worker_call(sdev, pull_out, sdev);
}

static void remove_now(struct sim_dev *sdev)
{
	sim_bus_remove(sdev);
	sim_firmware_exit(sdev);
	sim_worker_stop(sdev);
	sim_msi_exit(sdev);
	configs_exit(sdev);
	bars_free(sdev);
	id_free(sdev);
	kfree(sdev);
}

static void add_run(struct move *move)
{
	move->sdev = add_now(move->name, move->shape);
}

static void remove_run(struct move *move)
{
	if (move->surprise) {
		sim_device_vanish(move->sdev);
		sim_bus_disconnect(move->sdev);
	}
	remove_now(move->sdev);
}

static void error_run(struct move *move)
{
	move->err = sim_aer_report(move->sdev, move->aer);
}

static void move_run(struct kthread_work *work)
{
	struct move *move = container_of(work, struct move, work);

	sim_inject_give(move->inject);
	move->run(move);
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

/* @name: the device's, for the log */
struct sim_dev *sim_device_add(const char *name, const struct sim_shape *shape)
{
	struct move move = { .run = add_run, .name = name, .shape = shape };

	move_wait(&move);
	return move.sdev;
}

void sim_device_remove(struct sim_dev *sdev, bool surprise)
{
	struct move move = { .run = remove_run, .sdev = sdev, .surprise = surprise };

	/* The removal of a driver, of this device or of one queued earlier, waits for processes in open(). */
	sim_sva_hold_binds(sdev, false);
	move_wait(&move);
}

/* Returns what sim_aer_report() does. */
int sim_device_error(struct sim_dev *sdev, enum sim_aer aer)
{
	struct move move = { .run = error_run, .sdev = sdev, .aer = aer };

	move_wait(&move);
	return move.err;
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
