/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of hisi_sec2.ko. */
#ifndef WD_SEC_H
#define WD_SEC_H

#include "qm.h"
#include "hw/sec_hw.h"

/* The engine's own capabilities, after those that every engine has. */
enum sec_cap {
	SEC_CAP_ID_CORE_ENABLE = HISI_QM_ENGINE_CAP_OWN,
	SEC_CAP_ID_END,
};

#define SEC_REGS_SIZE		(SEC_USER_CTRL1_V3 + 4)

/* Counters and states of descriptors; a read clears a register while SEC_CNT_CLR_CE is set. */
extern const struct hisi_qm_named_reg sec_dfx_regs[];
extern const unsigned int sec_dfx_nr;

/* sec_setup.c */
int sec_hw_init(struct hisi_qm *qm);
void sec_hw_exit(struct hisi_qm *qm);

/* sec_debugfs.c */
void sec_debugfs_init(struct hisi_qm *qm, struct dentry *dir);

#endif
