/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of hisi_zip.ko. */
#ifndef WD_ZIP_H
#define WD_ZIP_H

#include "qm.h"
#include "hw/zip_hw.h"

/* The engine's own capabilities, after those that every engine has. */
enum zip_cap {
	ZIP_CAP_ID_CORE_ENABLE = HISI_QM_ENGINE_CAP_OWN,
	ZIP_CAP_ID_COMP_CORES,
	ZIP_CAP_ID_DECOMP_CORES,
	ZIP_CAP_ID_END,
};

/* The register blocks of the two compression cores come first, then those of the decompression cores. */
#define ZIP_CORES_MAX		8
#define ZIP_CORE_LAST		0x9c
#define ZIP_REGS_SIZE		(ZIP_CORE_BASE + ZIP_CORES_MAX * ZIP_CORE_STRIDE)

/* zip_setup.c */
int zip_hw_init(struct hisi_qm *qm, bool perf_mode);
void zip_hw_exit(struct hisi_qm *qm);
u32 zip_cores(struct hisi_qm *qm);
u64 zip_cores_sum(struct hisi_qm *qm, u32 offset);
void zip_counts(struct hisi_qm *qm, struct uacce_counts *counts);

/* zip_debugfs.c */
void zip_debugfs_init(struct hisi_qm *qm, struct dentry *dir);

#endif
