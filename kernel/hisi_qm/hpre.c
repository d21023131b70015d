// SPDX-License-Identifier: GPL-2.0-or-later
/* Driver of the HPRE accelerator: module parameters, tables, binding. */
#include <linux/module.h>
#include "hpre.h"

/* ------ module parameters ------ */

static struct hisi_qm_config hpre_config = {
	.queues = HPRE_QUEUES_DEFAULT,
	.user = 1,
};
module_param_cb(pf_q_num, &hisi_qm_queues_ops, &hpre_config, 0444);
MODULE_PARM_DESC(pf_q_num, "Queues of the physical function, 2..1024 (default 64)");
module_param_cb(uacce_mode, &hisi_qm_switch_ops, &hpre_config.user, 0444);
MODULE_PARM_DESC(uacce_mode, "User space can open queues: 1 (default) or 0");
module_param_cb(vfs_num, &hisi_qm_vfs_ops, &hpre_config.vfs, 0444);
MODULE_PARM_DESC(vfs_num, "Virtual functions to enable, 0..63 (default 0)");

/* ------ tables ------ */

static const struct hisi_qm_cap hpre_caps[HPRE_CAP_ID_END] = {
	[HISI_QM_ENGINE_CAP_QM_NFE] =
		{ QM_CAP_NFE_MASK, 0, 0xffffffff, 0x1c37, HPRE_CAP_QM_NFE_V3 },
	[HISI_QM_ENGINE_CAP_QM_RESET] =
		{ QM_CAP_RESET_MASK, 0, 0xffffffff, 0xc37, HPRE_CAP_QM_RESET_V3 },
	[HISI_QM_ENGINE_CAP_QM_CE] =
		{ QM_CAP_CE_MASK, 0, 0xffffffff, 0x8, HPRE_CAP_QM_CE_V3 },
	[HISI_QM_ENGINE_CAP_NFE] =
		{ HPRE_CAP_NFE_MASK, 0, 0xffffffff, 0x3ffffe, HPRE_CAP_NFE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_RESET] =
		{ HPRE_CAP_RESET_MASK, 0, 0xffffffff, 0x3ffffe, HPRE_CAP_RESET_MASK_V3 },
	[HISI_QM_ENGINE_CAP_CE] =
		{ HPRE_CAP_CE_MASK, 0, 0xffffffff, 0x1, HPRE_CAP_CE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_ALGS] =
		{ HPRE_CAP_DEV_ALGS, 0, 0xffffffff, 0x3, HPRE_CAP_DEV_ALGS_V3 },
	[HISI_QM_ENGINE_CAP_ALGS_HIGH] = {},
	[HPRE_CAP_ID_CLUSTERS] =
		{ HPRE_CAP_CORES, 20, 0xf, 4, HPRE_CAP_CORES_V3 >> 20 & 0xf },
	[HPRE_CAP_ID_CORES] =
		{ HPRE_CAP_CORES, 0, 0xff, 2, HPRE_CAP_CORES_V3 & 0xff },
	[HPRE_CAP_ID_CORE_ENABLE] =
		{ HPRE_CAP_CORE_ENABLE, 0, 0xffffffff, 0xf, HPRE_CAP_CORE_ENABLE_V3 },
};

static const struct hisi_qm_alg hpre_algs[] = {
	{ HPRE_ALG_RSA, "rsa" },
	{ HPRE_ALG_DH, "dh" },
	{ HPRE_ALG_ECDH, "ecdh" },
	{ HPRE_ALG_ECDSA, "ecdsa" },
	{ HPRE_ALG_SM2, "sm2" },
	{ HPRE_ALG_X25519, "x25519" },
	{ HPRE_ALG_X448, "x448" },
	{}
};

/* Relative to ZIP, which is average: long requests with little data; those on curves are the shortest. */
static const struct uacce_alg_level hpre_levels[] = {
	{ "rsa", 0, 40, 3 },
	{ "dh", 0, 40, 3 },
	{ "ecdh", 0, 22, 6 },
	{ "ecdsa", 0, 24, 5 },
	{ "sm2", 0, 24, 5 },
	{ "x25519", 0, 20, 7 },
	{ "x448", 0, 30, 4 },
	{}
};

static const struct hisi_qm_error hpre_errors[] = {
	{ BIT(0), "corrected memory error" },
	{ BIT(1), "uncorrectable memory error" },
	{ BIT(2), "poisoned data written" },
	{ BIT(3), "poisoned data read" },
	{ BIT(4), "poisoned descriptor" },
	{ BIT(5), "uncorrectable memory error of the bus master" },
	{ GENMASK(9, 6), "cluster of cores stands still" },
	{ GENMASK(15, 10), "bus read error" },
	{ GENMASK(21, 16), "bus write error" },
	{ BIT(22), "random number generator does not answer" },
	{ BIT(23), "address translation not finished in time" },
	{ BIT(24), "address translation error" },
	{}
};

static const struct hisi_qm_error_block hpre_error_block = {
	.name = "hpre",
	.source = HPRE_ERR_SOURCE,
	.mask = HPRE_ERR_MASK,
	.status = HPRE_ERR_STATUS,
	.ce = HPRE_RAS_CE,
	.nfe = HPRE_RAS_NFE,
	.fe = HPRE_RAS_FE,
	.shutdown = HPRE_OOO_SHUTDOWN_SEL,
	.errors = hpre_errors,
};

/* A dump omits the addresses. */
static const struct hisi_qm_engine hpre_engine = {
	.name = "hisi_hpre",
	.wd_type = "crypto",
	.reset_method = "HRST",
	.sqe_size = HPRE_SQE_SIZE,
	.sqe_hide = 8,
	.sqe_hide_bytes = 24,
	.shaper_rates = { HPRE_SHAPER_RATE },
	.qc_types = 2,
	.qc_types_v2 = 1,
	.translation = TR_HPRE,
	.regs_size = HPRE_REGS_SIZE,
	.caps = hpre_caps,
	.cap_nr = ARRAY_SIZE(hpre_caps),
	.algs = hpre_algs,
	.levels = hpre_levels,
	.errors = &hpre_error_block,
	.ecc = { .bits = BIT(1) | BIT(5), .msi_port = BIT(2) },
	.keep_functions = hpre_keep_functions,
	.hw_init = hpre_hw_init,
	.hw_exit = hpre_hw_exit,
	.debugfs_init = hpre_debugfs_init,
};

/* ------ binding ------ */

static int hpre_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	return hisi_qm_probe(pdev, id, &hpre_engine, &hpre_config);
}

static const struct pci_device_id hpre_ids[] = {
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_HPRE_PF) },
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_HPRE_VF), .driver_data = HISI_QM_VF },
	{}
};
MODULE_DEVICE_TABLE(pci, hpre_ids);

static struct pci_driver hpre_driver = {
	.name = "hisi_hpre",
	.id_table = hpre_ids,
	.probe = hpre_probe,
	.remove = hisi_qm_remove,
	.shutdown = hisi_qm_shutdown,
	.sriov_configure = hisi_qm_configure_vfs,
	.err_handler = &hisi_qm_err_handlers,
	.driver.pm = pm_ptr(&hisi_qm_pm_ops),
};

static int __init hpre_init(void)
{
	return hisi_qm_register(&hpre_driver, THIS_MODULE, &hpre_config);
}
module_init(hpre_init);

static void __exit hpre_exit(void)
{
	hisi_qm_unregister(&hpre_driver, &hpre_config);
}
module_exit(hpre_exit);

MODULE_DESCRIPTION("HiSilicon HPRE accelerator");
MODULE_AUTHOR("The WarpDrive authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
