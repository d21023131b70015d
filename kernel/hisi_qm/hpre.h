/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of hisi_hpre.ko. */
#ifndef WD_HPRE_H
#define WD_HPRE_H

#include "hw/hpre_hw.h"
#include "qm.h"

/* The engine's own capabilities, after those that every engine has. */
enum hpre_cap {
	HPRE_CAP_ID_CLUSTERS = HISI_QM_ENGINE_CAP_OWN,
	HPRE_CAP_ID_CORES,
	HPRE_CAP_ID_CORE_ENABLE,
	HPRE_CAP_ID_END,
};

#define HPRE_REGS_SIZE		(HPRE_CLUSTER_BASE + HPRE_CLUSTERS_MAX * HPRE_CLUSTER_STRIDE)

/* hpre_setup.c */
void hpre_keep_functions(struct hisi_qm *qm);
int hpre_hw_init(struct hisi_qm *qm);
void hpre_hw_exit(struct hisi_qm *qm);
u32 hpre_clusters(struct hisi_qm *qm);
u32 hpre_cluster(u32 number);

/* hpre_debugfs.c */
void hpre_debugfs_init(struct hisi_qm *qm, struct dentry *dir);

#endif
