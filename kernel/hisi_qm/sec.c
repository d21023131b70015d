// SPDX-License-Identifier: GPL-2.0-or-later
/* Driver of the SEC accelerator: module parameters, tables, binding. */
#include <linux/module.h>
#include "sec.h"

/* ------ module parameters ------ */

static struct hisi_qm_config sec_config = {
	.queues = SEC_QUEUES_DEFAULT,
	.user = 1,
};
module_param_cb(pf_q_num, &hisi_qm_queues_ops, &sec_config, 0444);
MODULE_PARM_DESC(pf_q_num, "Queues of the physical function, 2..1024 (default 256)");
module_param_cb(uacce_mode, &hisi_qm_switch_ops, &sec_config.user, 0444);
MODULE_PARM_DESC(uacce_mode, "User space can open queues: 1 (default) or 0");
module_param_cb(vfs_num, &hisi_qm_vfs_ops, &sec_config.vfs, 0444);
MODULE_PARM_DESC(vfs_num, "Virtual functions to enable, 0..63 (default 0)");

/* ------ tables ------ */

static const struct hisi_qm_cap sec_caps[SEC_CAP_ID_END] = {
	[HISI_QM_ENGINE_CAP_QM_NFE] =
		{ QM_CAP_NFE_MASK, 0, 0xffffffff, 0x1c77, SEC_CAP_QM_NFE_V3 },
	[HISI_QM_ENGINE_CAP_QM_RESET] =
		{ QM_CAP_RESET_MASK, 0, 0xffffffff, 0xc77, SEC_CAP_QM_RESET_V3 },
	[HISI_QM_ENGINE_CAP_QM_CE] =
		{ QM_CAP_CE_MASK, 0, 0xffffffff, 0x8, SEC_CAP_QM_CE_V3 },
	[HISI_QM_ENGINE_CAP_NFE] =
		{ SEC_CAP_NFE_MASK, 0, 0xffffffff, 0x177, SEC_CAP_NFE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_RESET] =
		{ SEC_CAP_RESET_MASK, 0, 0xffffffff, 0x177, SEC_CAP_RESET_MASK_V3 },
	[HISI_QM_ENGINE_CAP_CE] =
		{ SEC_CAP_CE_MASK, 0, 0xffffffff, 0x88, SEC_CAP_CE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_ALGS] =
		{ SEC_CAP_DEV_ALGS_LOW, 0, 0xffffffff, 0xffffffff, SEC_CAP_DEV_ALGS_LOW_V3 },
	[HISI_QM_ENGINE_CAP_ALGS_HIGH] =
		{ SEC_CAP_DEV_ALGS_HIGH, 0, 0xffffffff, 0x3fff, SEC_CAP_DEV_ALGS_HIGH_V3 },
	[SEC_CAP_ID_CORE_ENABLE] =
		{ SEC_CAP_CORE_ENABLE, 0, 0xffffffff, 0x17f, SEC_CAP_CORE_ENABLE_V3 },
};

static const struct hisi_qm_alg sec_algs[] = {
	{ SEC_ALG_CIPHER, "cipher" },
	{ SEC_ALG_DIGEST, "digest" },
	{ SEC_ALG_AEAD, "aead" },
	{}
};

/* Relative to ZIP, which is average: faster, with lower latency. */
static const struct uacce_alg_level sec_levels[] = {
	{ "cipher", 0, 5, 20 },
	{ "digest", UACCE_CAPA_STREAM, 6, 16 },
	{ "aead", UACCE_CAPA_STREAM, 7, 14 },
	{}
};

static const struct hisi_qm_error sec_errors[] = {
	{ BIT(0), "bus read error" },
	{ BIT(1), "bus write error" },
	{ BIT(2), "uncorrectable memory error" },
	{ BIT(3), "corrected memory error" },
	{ BIT(4), "random number generator does not answer" },
	{ BIT(5), "state machine stands still" },
	{ BIT(6), "no random numbers for a channel in time" },
	{ BIT(7), "malformed descriptor" },
	{ BIT(8), "malformed scatter-gather list" },
	{ BIT(14), "access that is not secure" },
	{ BIT(15), "wrapping key not authentic" },
	{ BIT(16), "checksum of a managed key" },
	{ BIT(17), "poisoned bus data" },
	{ BIT(18), "address translation error" },
	{}
};

static const struct hisi_qm_error_block sec_error_block = {
	.name = "sec",
	.source = SEC_ERR_SOURCE,
	.mask = SEC_ERR_ENABLE,
	.mask_enables = true,
	.status = SEC_ERR_STATUS,
	.ce = SEC_RAS_CE,
	.nfe = SEC_RAS_NFE,
	.fe = SEC_RAS_FE,
	.shutdown = SEC_OOO_SHUTDOWN_SEL,
	.errors = sec_errors,
};

/* A dump omits the addresses: everything between the tag and the last length. */
static const struct hisi_qm_engine sec_engine = {
	.name = "hisi_sec2",
	.wd_type = "crypto",
	.reset_method = "SRST",
	.sqe_size = SEC_BD_SIZE,
	.sqe_hide = 16,
	.sqe_hide_bytes = 96,
	.shaper_rates = { SEC_SHAPER_RATE },
	.qc_types = 1,
	.qc_types_v2 = 1,
	.sgl = true,
	.translation = TR_SEC,
	.regs_size = SEC_REGS_SIZE,
	.caps = sec_caps,
	.cap_nr = ARRAY_SIZE(sec_caps),
	.algs = sec_algs,
	.levels = sec_levels,
	.errors = &sec_error_block,
	.ecc = { .bits = BIT(2), .msi_port = BIT(0) },
	.keep_functions = hisi_qm_keep_functions,
	.hw_init = sec_hw_init,
	.hw_exit = sec_hw_exit,
	.debugfs_init = sec_debugfs_init,
};

/* ------ binding ------ */

static int sec_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	return hisi_qm_probe(pdev, id, &sec_engine, &sec_config);
}

static const struct pci_device_id sec_ids[] = {
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_SEC_PF) },
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_SEC_VF), .driver_data = HISI_QM_VF },
	{}
};
MODULE_DEVICE_TABLE(pci, sec_ids);

static struct pci_driver sec_driver = {
	.name = "hisi_sec2",
	.id_table = sec_ids,
	.probe = sec_probe,
	.remove = hisi_qm_remove,
	.shutdown = hisi_qm_shutdown,
	.sriov_configure = hisi_qm_configure_vfs,
	.err_handler = &hisi_qm_err_handlers,
	.driver.pm = pm_ptr(&hisi_qm_pm_ops),
};

static int __init sec_init(void)
{
	return hisi_qm_register(&sec_driver, THIS_MODULE, &sec_config);
}
module_init(sec_init);

static void __exit sec_exit(void)
{
	hisi_qm_unregister(&sec_driver, &sec_config);
}
module_exit(sec_exit);

MODULE_DESCRIPTION("HiSilicon SEC accelerator");
MODULE_AUTHOR("The WarpDrive authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
