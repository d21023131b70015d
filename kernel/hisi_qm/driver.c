// SPDX-License-Identifier: GPL-2.0-or-later
/* Common parts of the engines' PCI drivers: module parameters, probe, remove. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include "internal.h"

/* ------ module parameters ------ */

static const char *qm_param_module(const struct kernel_param *kp)
{
	return kp->mod ? kp->mod->name : KBUILD_MODNAME;
}

static int qm_queues_set(const char *value, const struct kernel_param *kp)
{
	struct hisi_qm_config *config = kp->arg;
	unsigned int number;
	int ret;

	ret = kstrtouint(value, 10, &number);
	if (ret || number < HISI_QM_QUEUES_MIN || number > HISI_QM_QUEUES_MAX) {
		pr_err("%s: %s=%.32s: expected %u..%u\n", qm_param_module(kp), kp->name, value,
		       HISI_QM_QUEUES_MIN, HISI_QM_QUEUES_MAX);
		return -EINVAL;
	}
	config->queues = number;
	config->queues_asked = true;
	return 0;
}

static int qm_queues_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%u\n", ((struct hisi_qm_config *)kp->arg)->queues);
}

/* Number of queues of a function; the argument is a struct hisi_qm_config. */
const struct kernel_param_ops hisi_qm_queues_ops = {
	.set = qm_queues_set,
	.get = qm_queues_get,
};
EXPORT_SYMBOL_GPL(hisi_qm_queues_ops);

static int qm_switch_set(const char *value, const struct kernel_param *kp)
{
	unsigned int number;
	int ret;

	ret = kstrtouint(value, 10, &number);
	if (ret || number > 1) {
		pr_err("%s: %s=%.32s: expected 0 or 1\n", qm_param_module(kp), kp->name, value);
		return -EINVAL;
	}
	*(unsigned int *)kp->arg = number;
	return 0;
}

/* 0 or 1: the argument is an unsigned int. */
const struct kernel_param_ops hisi_qm_switch_ops = {
	.set = qm_switch_set,
	.get = param_get_uint,
};
EXPORT_SYMBOL_GPL(hisi_qm_switch_ops);

static int qm_vfs_set(const char *value, const struct kernel_param *kp)
{
	unsigned int number;
	int ret;

	ret = kstrtouint(value, 10, &number);
	if (ret || number > QM_MAX_VFS) {
		pr_err("%s: %s=%.32s: expected 0..%u\n", qm_param_module(kp), kp->name, value, QM_MAX_VFS);
		return -EINVAL;
	}
	*(unsigned int *)kp->arg = number;
	return 0;
}

/* Number of virtual functions to enable: the argument is an unsigned int. */
const struct kernel_param_ops hisi_qm_vfs_ops = {
	.set = qm_vfs_set,
	.get = param_get_uint,
};
EXPORT_SYMBOL_GPL(hisi_qm_vfs_ops);

/* ------ probe and remove ------ */

static int qm_probe(struct pci_dev *pdev, struct hisi_qm *physical, bool pf, const struct hisi_qm_engine *engine,
		    const struct hisi_qm_config *config)
{
	struct hisi_qm *qm;
	struct dentry *dir;
	int ret;

	qm = qm_alloc(pdev, physical, pf, engine, config);
	if (IS_ERR(qm))
		return PTR_ERR(qm);

	ret = pf ? engine->hw_init(qm) : 0;
	if (ret)
		goto err_free_qm;
	ret = qm_start(qm);
	if (ret)
		goto err_exit_hw;
	dir = qm_debugfs_init(qm, config->debugfs);
	if (pf)
		engine->debugfs_init(qm, dir);
	ret = qm_register(qm);
	if (ret)
		goto err_exit_debugfs;
	/* Drivers of virtual functions look for it. */
	pci_set_drvdata(pdev, qm);
	qm_message_forget(qm);
	qm_message_start(qm);
	ret = pf ? qm_vfs_begin(qm, config->vfs) : 0;
	if (ret)
		goto err_unregister;
	qm_config_save(qm);
	qm_vfs_add(qm);
	qm_reset_allow(qm);
	qm_power_init(qm);
	return 0;

err_unregister:
	/* Those of an earlier driver may know this one by now. */
	qm_vfs_disable(qm);
	qm_message_stop(qm);
	qm_unregister(qm);
err_exit_debugfs:
	qm_debugfs_exit(qm);
	qm_stop(qm);
err_exit_hw:
	if (pf)
		engine->hw_exit(qm);
err_free_qm:
	qm_free(qm);
	return ret;
}

/**
 * hisi_qm_probe - take over a function; its queues can be opened afterwards
 * @pdev: the function; the core sets its driver data
 * @id: its row in the table of PCI ids
 * @engine: description of the engine
 * @config: the administrator's settings
 */
int hisi_qm_probe(struct pci_dev *pdev, const struct pci_device_id *id, const struct hisi_qm_engine *engine,
		  const struct hisi_qm_config *config)
{
	bool pf = id->driver_data != HISI_QM_VF;
	struct hisi_qm *physical = pf ? NULL : qm_physical(pdev);
	int ret;

	if (!physical)
		return qm_probe(pdev, NULL, pf, engine, config);
	qm_claim(physical);
	if (READ_ONCE(physical->broken)) {
		pci_err(pdev, "not bound, as the physical function is broken\n");
		ret = -EIO;
	} else {
		ret = qm_probe(pdev, physical, pf, engine, config);
	}
	qm_claim_end(physical);
	return ret;
}
EXPORT_SYMBOL_GPL(hisi_qm_probe);

/**
 * hisi_qm_remove - undo hisi_qm_probe(); doesn't wait for user space
 * @pdev: the device
 */
void hisi_qm_remove(struct pci_dev *pdev)
{
	struct hisi_qm *qm = pci_get_drvdata(pdev);
	struct hisi_qm *physical = qm->physical;

	qm_power_exit(qm);
	WRITE_ONCE(qm->removing, true);
	qm_reset_forbid(qm);
	if (physical)
		qm_claim(physical);
	qm_vfs_remove(qm);
	qm_vfs_disable(qm);
	qm_message_stop(qm);
	qm_unregister(qm);
	qm_debugfs_exit(qm);
	qm_stop(qm);
	if (qm->pf)
		qm->engine->hw_exit(qm);
	/* A function without data is nobody's: a reset doesn't wait for it. */
	pci_set_drvdata(pdev, NULL);
	if (physical)
		qm_claim_end(physical);
	/* Waits for processes in the middle of an open(), for which nobody else has to wait. */
	qm_free(qm);
}
EXPORT_SYMBOL_GPL(hisi_qm_remove);

/**
 * hisi_qm_shutdown - end all DMA, before the machine shuts down or boots another kernel
 * @pdev: the device
 */
void hisi_qm_shutdown(struct pci_dev *pdev)
{
	struct hisi_qm *qm = pci_get_drvdata(pdev);

	WRITE_ONCE(qm->removing, true);
	qm_reset_forbid(qm);
	/* A later reset of the physical function must not start it again. */
	if (qm->physical)
		qm_claim(qm->physical);
	qm_vfs_remove(qm);
	qm_shutdown(qm);
	if (qm->physical)
		qm_claim_end(qm->physical);
}
EXPORT_SYMBOL_GPL(hisi_qm_shutdown);

/* ------ resets and errors ------ */

static void qm_err_reset_prepare(struct pci_dev *pdev)
{
	qm_functions_reset_prepare(pci_get_drvdata(pdev));
}

static void qm_err_reset_done(struct pci_dev *pdev)
{
	qm_functions_reset_done(pci_get_drvdata(pdev));
}

static pci_ers_result_t qm_err_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	return qm_error_detected(pci_get_drvdata(pdev), state);
}

static pci_ers_result_t qm_err_slot_reset(struct pci_dev *pdev)
{
	return qm_slot_reset(pci_get_drvdata(pdev));
}

const struct pci_error_handlers hisi_qm_err_handlers = {
	.error_detected = qm_err_detected,
	.slot_reset = qm_err_slot_reset,
	.reset_prepare = qm_err_reset_prepare,
	.reset_done = qm_err_reset_done,
};
EXPORT_SYMBOL_GPL(hisi_qm_err_handlers);

/* ------ registration of drivers ------ */

/**
 * hisi_qm_register - register an engine's PCI driver
 * @driver: the driver
 * @owner: its module
 * @config: the administrator's settings; @debugfs is filled in
 */
int hisi_qm_register(struct pci_driver *driver, struct module *owner, struct hisi_qm_config *config)
{
	int ret;

	config->debugfs = debugfs_create_dir(driver->name, NULL);
	ret = __pci_register_driver(driver, owner, module_name(owner));
	if (ret)
		debugfs_remove(config->debugfs);
	return ret;
}
EXPORT_SYMBOL_GPL(hisi_qm_register);

/**
 * hisi_qm_unregister - undo hisi_qm_register()
 * @driver: the driver
 * @config: the same as for hisi_qm_register()
 */
void hisi_qm_unregister(struct pci_driver *driver, struct hisi_qm_config *config)
{
	pci_unregister_driver(driver);
	debugfs_remove(config->debugfs);
}
EXPORT_SYMBOL_GPL(hisi_qm_unregister);
