/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The record that a hypervisor's driver moves with a virtual function. */
#ifndef WD_MIGRATE_HW_H
#define WD_MIGRATE_HW_H

#include "qm_hw.h"

#define QM_MIGRATION_MAGIC	0xaaccfeeddecadedeull
#define QM_MIGRATION_MAGIC_OLD	0xcdcdcdcdfeedaaccull	/* the addresses of the two event rings are wrong */
#define QM_MIGRATION_MAJOR	1
#define QM_MIGRATION_MINOR	0
#define QM_MIGRATION_MATCH	40	/* bytes that say whether a target fits; alone if the function has no driver */

struct qm_migration {
	__le64 magic;
	__le32 queues;
	__le32 device;		/* PCI device id of the VF */
	__le32 isolation;	/* QM_QUE_ISO_CFG of the PF */
	__le32 first;		/* absolute number of the first queue, which a target doesn't need */
	__le32 state;		/* QM_VF_STATE */
	__le16 major;
	__le16 minor;
	__le64 rsvd0;
	__le32 aeq_mask;
	__le32 eq_mask;
	__le32 ifc_source;
	__le32 ifc_mask;
	__le32 ifc_set;
	__le32 page_size;
	__le32 eqc[QM_EQC_SIZE / 4];
	__le32 aeqc[QM_EQC_SIZE / 4];
	__le32 rsvd1[6];
	__le64 eq_ring;
	__le64 aeq_ring;
	__le64 sqc_table;
	__le64 cqc_table;
};

#define QM_MIGRATION_SIZE	176

QM_HW_ASSERT("migration record is 176 bytes", sizeof(struct qm_migration) == QM_MIGRATION_SIZE);

#endif
