// SPDX-License-Identifier: GPL-2.0-or-later
/* Driver of the ZIP accelerator: module parameters, tables, probe and remove. */
#include <linux/module.h>
#include "zip.h"

/* ------ module parameters ------ */

static struct hisi_qm_config zip_config = {
	.queues = ZIP_QUEUES_DEFAULT,
	.user = 1,
};
module_param_cb(pf_q_num, &hisi_qm_queues_ops, &zip_config, 0444);
MODULE_PARM_DESC(pf_q_num, "Queues of the physical function, 2..1024 (default 64)");
module_param_cb(uacce_mode, &hisi_qm_switch_ops, &zip_config.user, 0444);
MODULE_PARM_DESC(uacce_mode, "User space can open queues: 1 (default) or 0");
module_param_cb(vfs_num, &hisi_qm_vfs_ops, &zip_config.vfs, 0444);
MODULE_PARM_DESC(vfs_num, "Virtual functions to enable, 0..63 (default 0)");

static unsigned int perf_mode;
module_param_cb(perf_mode, &hisi_qm_switch_ops, &perf_mode, 0444);
MODULE_PARM_DESC(perf_mode, "Compress for size: 0 (default), or for speed: 1");

/* ------ tables ------ */

static const struct hisi_qm_cap zip_caps[ZIP_CAP_ID_END] = {
	[HISI_QM_ENGINE_CAP_QM_NFE] =
		{ QM_CAP_NFE_MASK, 0, 0xffffffff, 0x1c57, ZIP_CAP_QM_NFE_V3 },
	[HISI_QM_ENGINE_CAP_QM_RESET] =
		{ QM_CAP_RESET_MASK, 0, 0xffffffff, 0xc57, ZIP_CAP_QM_RESET_V3 },
	[HISI_QM_ENGINE_CAP_QM_CE] =
		{ QM_CAP_CE_MASK, 0, 0xffffffff, 0x8, ZIP_CAP_QM_CE_V3 },
	[HISI_QM_ENGINE_CAP_NFE] =
		{ ZIP_CAP_NFE_MASK, 0, 0xffffffff, 0x7fe, ZIP_CAP_NFE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_RESET] =
		{ ZIP_CAP_RESET_MASK, 0, 0xffffffff, 0x7fe, ZIP_CAP_RESET_MASK_V3 },
	[HISI_QM_ENGINE_CAP_CE] =
		{ ZIP_CAP_CE_MASK, 0, 0xffffffff, 0x1, ZIP_CAP_CE_MASK_V3 },
	[HISI_QM_ENGINE_CAP_ALGS] =
		{ ZIP_CAP_DEV_ALGS, 0, 0xffffffff, 0xf, ZIP_CAP_DEV_ALGS_V3 },
	[HISI_QM_ENGINE_CAP_ALGS_HIGH] = {},
	[ZIP_CAP_ID_CORE_ENABLE] =
		{ ZIP_CAP_CORE_ENABLE, 0, 0xffffffff, 0xfc0003, ZIP_CAP_CORE_ENABLE_V3 },
	[ZIP_CAP_ID_COMP_CORES] =
		{ ZIP_CAP_CORES, 8, 0xff, 2, ZIP_CAP_CORES_V3 >> 8 & 0xff },
	[ZIP_CAP_ID_DECOMP_CORES] =
		{ ZIP_CAP_CORES, 0, 0xff, 6, ZIP_CAP_CORES_V3 & 0xff },
};

static const struct hisi_qm_alg zip_algs[] = {
	{ ZIP_ALG_ZLIB, "zlib" },
	{ ZIP_ALG_GZIP, "gzip" },
	{ ZIP_ALG_DEFLATE, "deflate" },
	{ ZIP_ALG_LZ77, "lz77_zstd" },
	{ ZIP_ALG_LZ77, "lz77_only" },
	{ ZIP_ALG_LZ4, "lz4" },
	{}
};

/* The average to which the levels of other engines relate. */
static const struct uacce_alg_level zip_levels[] = {
	{ "zlib", UACCE_CAPA_STREAM, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{ "gzip", UACCE_CAPA_STREAM, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{ "deflate", UACCE_CAPA_STREAM, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{ "lz77_zstd", UACCE_CAPA_STREAM, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{ "lz77_only", UACCE_CAPA_STREAM, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{ "lz4", 0, UACCE_LEVEL_AVERAGE, UACCE_LEVEL_AVERAGE },
	{}
};

static const struct hisi_qm_error zip_errors[] = {
	{ BIT(0), "corrected memory error" },
	{ BIT(1), "uncorrectable memory error" },
	{ BIT(2), "bus read error" },
	{ BIT(3), "bus write error" },
	{ BIT(4), "source address could not be parsed" },
	{ BIT(5), "destination address could not be parsed" },
	{ BIT(6), "input address error" },
	{ BIT(7), "input data error" },
	{ BIT(8), "compression core error" },
	{ BIT(9), "encoder error" },
	{ BIT(10), "output error" },
	{ BIT(11), "poisoned bus data" },
	{ BIT(12), "address translation error" },
	{}
};

static const struct hisi_qm_error_block zip_error_block = {
	.name = "zip",
	.source = ZIP_ERR_SOURCE,
	.mask = ZIP_ERR_MASK,
	.status = ZIP_ERR_STATUS,
	.ce = ZIP_RAS_CE,
	.nfe = ZIP_RAS_NFE,
	.fe = ZIP_RAS_FE,
	.shutdown = ZIP_OOO_SHUTDOWN_SEL,
	.errors = zip_errors,
};

/* ------ binding ------ */

static int zip_engine_init(struct hisi_qm *qm)
{
	return zip_hw_init(qm, perf_mode);
}

static const struct hisi_qm_engine zip_engine = {
	.name = "hisi_zip",
	.wd_type = "compression",
	.reset_method = "ZRST",
	.sqe_size = ZIP_SQE_SIZE,
	.sqe_hide = 64,
	.sqe_hide_bytes = 48,
	.shaper_rates = { 750, 140 },
	.qc_types = 2,
	.qc_types_v2 = 2,
	.sgl = true,
	.translation = TR_ZIP,
	.regs_size = ZIP_REGS_SIZE,
	.caps = zip_caps,
	.cap_nr = ARRAY_SIZE(zip_caps),
	.algs = zip_algs,
	.levels = zip_levels,
	.errors = &zip_error_block,
	.ecc = { .bits = BIT(1), .set = ZIP_ERR_SET, .msi_port = BIT(11) },
	.keep_functions = hisi_qm_keep_functions,
	.hw_init = zip_engine_init,
	.hw_exit = zip_hw_exit,
	.debugfs_init = zip_debugfs_init,
	.counts = zip_counts,
};

static int zip_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	return hisi_qm_probe(pdev, id, &zip_engine, &zip_config);
}

static const struct pci_device_id zip_ids[] = {
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_ZIP_PF) },
	{ PCI_DEVICE(QM_PCI_VENDOR_HUAWEI, QM_PCI_ID_ZIP_VF), .driver_data = HISI_QM_VF },
	{}
};
MODULE_DEVICE_TABLE(pci, zip_ids);

static struct pci_driver zip_driver = {
	.name = "hisi_zip",
	.id_table = zip_ids,
	.probe = zip_probe,
	.remove = hisi_qm_remove,
	.shutdown = hisi_qm_shutdown,
	.sriov_configure = hisi_qm_configure_vfs,
	.err_handler = &hisi_qm_err_handlers,
	.driver.pm = pm_ptr(&hisi_qm_pm_ops),
};

static int __init zip_init(void)
{
	return hisi_qm_register(&zip_driver, THIS_MODULE, &zip_config);
}
module_init(zip_init);

static void __exit zip_exit(void)
{
	hisi_qm_unregister(&zip_driver, &zip_config);
}
module_exit(zip_exit);

MODULE_DESCRIPTION("HiSilicon ZIP accelerator");
MODULE_AUTHOR("The WarpDrive authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
