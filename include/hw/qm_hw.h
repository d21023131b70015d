/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Registers and memory layouts of the queue manager, shared by kernel, model and user space. */
#ifndef WD_QM_HW_H
#define WD_QM_HW_H

#include <linux/types.h>

#define QM_PCI_VENDOR_HUAWEI	0x19e5
#define QM_PCI_ID_ZIP_PF	0xa250
#define QM_PCI_ID_ZIP_VF	0xa251
#define QM_PCI_ID_SEC_PF	0xa255
#define QM_PCI_ID_SEC_VF	0xa256
#define QM_PCI_ID_HPRE_PF	0xa258
#define QM_PCI_ID_HPRE_VF	0xa259

/* PCI revision = hardware version */
#define QM_HW_V1		0x20
#define QM_HW_V2		0x21
#define QM_HW_V3		0x30
/* Later versions keep the revision of V3, and say their own in QM_SUB_VERSION_ID. */
#define QM_HW_V4		0x50
#define QM_HW_V5		0x51

#define QM_BAR_REGS		2
#define QM_BAR_DB		4
#define QM_BAR2_PF_SIZE		0x400000
#define QM_BAR2_VF_SIZE		0x10000
#define QM_BAR2_VF_HALF		0x8000	/* what a guest sees of it: the upper half is the hypervisor's */
#define QM_DB_WINDOW		0x10000	/* bytes of BAR4 per queue, with isolated doorbells */
#define QM_MAX_QUEUES_V2	1024
#define QM_MAX_VFS		63

/* Per-function registers (BAR2) */
#define QM_AEQ_INT_SOURCE	0x0
#define QM_AEQ_INT_MASK		0x4
#define QM_EQ_INT_SOURCE	0x8
#define QM_EQ_INT_MASK		0xc
#define QM_IFC_INT_SOURCE_V	0x20
#define QM_IFC_INT_MASK		0x24
#define QM_IFC_INT_STATUS	0x28
#define QM_IFC_INT_SET_V	0x2c
#define QM_QUE_ISO_CFG		0x30
#define QM_PAGE_SIZE		0x34
#define QM_VF_STATE		0x60
#define QM_VF_READY		0
#define QM_VF_NOT_READY		1
#define QM_DFX_FUNS_ACTIVE_ST	0x200
#define QM_CACHE_WB_START	0x204
#define QM_CACHE_WB_DONE	0x208
#define QM_SUB_VERSION_ID	0x210
#define QM_MB			0x300
#define QM_MB_DATA_L		0x304
#define QM_MB_DATA_H		0x308
#define QM_MB_LAST		0x30c
#define QM_DB_V1		0x340
#define QM_DB_SQ_CQ		0x1000	/* offset from the queue's doorbell base */
#define QM_DB_EQ_AEQ		0x2000	/* always BAR2 */

/* Capability registers (V3+) */
#define QM_CAP_VERSION		0x3100
#define QM_CAP_VERSION_MASK	0xff
#define QM_CAP_QOS		(1u << 8)
#define QM_CAP_STOP_QP		(1u << 9)
#define QM_CAP_FLUSH_QM		(1u << 10)
#define QM_CAP_PF_VF_MSG	(1u << 11)
#define QM_CAP_PM_VF		(1u << 12)
#define QM_CAP_PM_PF		(1u << 13)
#define QM_CAP_SVA_PREFETCH	(1u << 14)
#define QM_CAP_V3_DEFAULT	0x6f01
#define QM_CAP_EQ_DEPTH		0x3104	/* [15:0] EQ, [31:16] AEQ */
#define QM_CAP_QP_DEPTH		0x3108	/* [15:0] SQ, [31:16] CQ */
#define QM_CAP_EQ_IRQ		0x310c
#define QM_CAP_AEQ_IRQ		0x3110
#define QM_CAP_ABNORMAL_IRQ	0x3114
#define QM_CAP_MSG_IRQ		0x3118
#define QM_CAP_IRQ_NUM		0x311c	/* [31:16] PF, [15:0] VF */
#define QM_CAP_EXT_BAR		0x3120
#define QM_CAP_NFE_MASK		0x3124
#define QM_CAP_RESET_MASK	0x3128
#define QM_CAP_CE_MASK		0x312c
#define QM_CAP_ENGINE_FIRST	0x3130
#define QM_CAP_ENGINE_LAST	0x317c
#define QM_VF_REGS_END		0x3180	/* behind the last register that a VF's driver uses */

/* Images of a paused VF's event queue contexts, of 7 dwords each; the upper half of a VF's BAR2 isn't for its driver */
#define QM_EQC_IMAGE		0x8000
#define QM_AEQC_IMAGE		0x8020

#define QM_EQ_DEPTH_V2		2048
#define QM_AEQ_DEPTH_V2		1024
#define QM_SQ_DEPTH_V2		1024
#define QM_CQ_DEPTH_V2		1024

/* PF-only registers (BAR2) */
#define QM_ABNORMAL_INT_SOURCE	0x100000
#define QM_ABNORMAL_INT_MASK	0x100004
#define QM_ABNORMAL_INT_STATUS	0x100008
#define QM_ABNORMAL_INT_SET	0x10000c
#define QM_ABNORMAL_INF00	0x100010
#define QM_ABNORMAL_INF01	0x100014
#define QM_ABNORMAL_INF02	0x100018
#define QM_MEM_START_INIT	0x100040
#define QM_MEM_INIT_DONE	0x100044
#define QM_CACHE_CTL		0x100050
#define QM_CACHE_CTL_VALUE	0x1833
#define QM_VFT_OP_ENABLE	0x100054
#define QM_VFT_OP_WR		0x100058	/* 0 write, 1 read */
#define QM_VFT_TYPE		0x10005c	/* enum qm_vft_type */
#define QM_VFT_FUNC		0x100060
#define QM_VFT_DATA_L		0x100064
#define QM_VFT_DATA_H		0x100068
#define QM_VFT_RDY		0x10006c
#define QM_DB_TIMEOUT_CFG	0x100074	/* ns */
#define QM_DB_TIMEOUT_NS	0x1fffff
#define QM_ARUSER_M_CFG_1	0x100088
#define QM_ARUSER_M_CFG_ENABLE	0x100090
#define QM_AWUSER_M_CFG_1	0x100098
#define QM_AWUSER_M_CFG_ENABLE	0x1000a0
#define QM_WUSER_M_CFG_ENABLE	0x1000a8
#define QM_AXI_M_CFG		0x1000ac
#define QM_AXI_M_CFG_ENABLE	0x1000b0
#define QM_PEH_AXUSER_CFG	0x1000cc
#define QM_PEH_AXUSER_CFG_ENABLE 0x1000d0
#define QM_PEH_VENDOR_ID	0x1000d8
#define QM_RAS_CE_ENABLE	0x1000ec
#define QM_RAS_FE_ENABLE	0x1000f0
#define QM_RAS_NFE_ENABLE	0x1000f4
#define QM_RAS_CE_THRESHOLD	0x1000f8
#define QM_PEH_DFX_INFO0	0x1000fc
#define QM_PEH_DFX_INFO1	0x100100
#define QM_DFX_CNT_CLR_CE	0x100118
#define QM_IFC_READY_STATUS	0x100128	/* 64 bit */
#define QM_IFC_INT_SET_P	0x100130
#define QM_IFC_INT_CFG		0x100134
#define QM_IFC_INT_SOURCE_P	0x100138	/* 64 bit */
#define QM_PM_CTRL		0x100148
#define QM_PM_CTRL_IDLE_DISABLE	(1u << 9)
#define QM_QUEUE_NUM		0x100158	/* [10:0] queues of the device, [21:11] most per function */
#define QM_QUEUE_NUM_MAX_SHIFT	11
#define QM_SHAPER_CFG		0x100164	/* [9:0], [19:10]: rates of the two engine classes */
#define QM_SHAPER_CFG_RATE1_SHIFT 10
#define QM_SHAPER_CFG_ENABLE	(1u << 30)
#define QM_DFX_ECC_1BIT_CNT	0x104000
#define QM_DFX_ECC_1BIT_INF	0x104004
#define QM_DFX_ECC_MBIT_CNT	0x104008
#define QM_DFX_ECC_MBIT_INF	0x10400c
#define QM_DFX_MB_SELECT	0x104010	/* function whose mailbox commands are counted */
#define QM_DFX_MB_CNT		0x104018
#define QM_DFX_DB_SELECT	0x104020	/* function whose doorbells are counted */
#define QM_DFX_DB_CNT		0x104028
#define QM_DFX_SQE_SELECT	0x104030	/* a function's queue */
#define QM_DFX_SELECT_FUNC_MASK	0x3fu
#define QM_DFX_SELECT_QUEUE_SHIFT 16
#define QM_DFX_SQE_CNT		0x104038
#define QM_DFX_CQE_SELECT	0x104040	/* the same for completions */
#define QM_DFX_CQE_CNT		0x104048
#define QM_DFX_SEND_SQE_CNT	0x104050	/* from here on: of the whole device */
#define QM_DFX_WB_SQE_CNT	0x104058
#define QM_DFX_FINISH_CNT	0x104060
#define QM_DFX_CQE_ERR_CNT	0x1040b4
#define QM_DFX_IDLE_ST		0x1040e4
#define QM_OOO_SHUTDOWN_SEL	0x1040f8

/* Values of the user and cache configuration registers, at PF init */
#define QM_AXUSER_BASE		0x40001070
#define QM_AXUSER_SSV		(1u << 0)
#define QM_XUSER_ENABLE		0xfffffffe
#define QM_AXI_M_CFG_VALUE	0xffff
#define QM_PEH_AXUSER_VALUE	0x401001

/* Master port, shared by the engines */
#define ACC_MASTER_GLOBAL_CTRL	0x300000
#define AM_CFG_PORT_WR_EN	0x30001c	/* generation 2: a bit of it lets interrupts out */
#define AM_ROB_ECC_INT_STS	0x300104	/* generation 2 */
#define AM_ROB_ECC_INT_MULTIPLE	(1u << 1)
#define ACC_MASTER_TRANS_RETURN	0x300150
#define ACC_MASTER_TRANS_IDLE	0x3

/* Error bits of QM_ABNORMAL_INT_* */
#define QM_ERR_AXI_RRESP	(1u << 0)
#define QM_ERR_AXI_BRESP	(1u << 1)
#define QM_ERR_ECC_MBIT		(1u << 2)
#define QM_ERR_ECC_1BIT		(1u << 3)
#define QM_ERR_GET_TASK_TIMEOUT	(1u << 4)
#define QM_ERR_DO_TASK_TIMEOUT	(1u << 5)
#define QM_ERR_WB_NOT_READY	(1u << 6)
#define QM_ERR_SQ_CQ_VF_INVALID	(1u << 7)
#define QM_ERR_CQ_VF_INVALID	(1u << 8)
#define QM_ERR_SQ_VF_INVALID	(1u << 9)
#define QM_ERR_DB_TIMEOUT	(1u << 10)
#define QM_ERR_OF_FIFO		(1u << 11)
#define QM_ERR_DB_RANDOM	(1u << 12)
#define QM_ERR_MB_TIMEOUT	(1u << 13)
#define QM_ERR_FLR_TIMEOUT	(1u << 14)

/* Mailbox, 16 bytes at QM_MB */
struct qm_mailbox {
	__le16 w0;
	__le16 queue;
	__le32 base_l;
	__le32 base_h;
	__le32 rsvd;
};

#define QM_MB_CMD_MASK		0xff
#define QM_MB_STATUS_SHIFT	9
#define QM_MB_STATUS_MASK	(0xfu << QM_MB_STATUS_SHIFT)
#define QM_MB_BUSY		(1u << 13)
#define QM_MB_OP_GET		(1u << 14)

enum qm_mb_cmd {
	QM_MB_CMD_SQC = 0x0,
	QM_MB_CMD_CQC = 0x1,
	QM_MB_CMD_EQC = 0x2,
	QM_MB_CMD_AEQC = 0x3,
	QM_MB_CMD_SQC_BT = 0x4,
	QM_MB_CMD_CQC_BT = 0x5,
	QM_MB_CMD_SQC_VFT = 0x6,
	QM_MB_CMD_STOP_QP = 0x8,
	QM_MB_CMD_FLUSH_QM = 0x9,
	QM_MB_CMD_SRC = 0xc,
	QM_MB_CMD_DST = 0xd,
	QM_MB_CMD_PAUSE_QM = 0xe,
};

/* Contexts */
struct qm_sqc {
	__le16 head;
	__le16 tail;
	__le32 base_l;
	__le32 base_h;
	__le32 dw3;
	__le16 w8;
	__le16 rsvd0;
	__le16 pasid;
	__le16 w11;
	__le16 cq_num;
	__le16 w13;
	__le32 rsvd1;
};

struct qm_cqc {
	__le16 head;
	__le16 tail;
	__le32 base_l;
	__le32 base_h;
	__le32 dw3;
	__le16 w8;
	__le16 rsvd0;
	__le16 pasid;
	__le16 w11;
	__le32 dw6;
	__le32 rsvd1;
};

struct qm_eqc {
	__le16 head;
	__le16 tail;
	__le32 base_l;
	__le32 base_h;
	__le32 dw3;
	__le32 rsvd[2];
	__le32 dw6;
};

#define QM_QC_SIZE		32	/* SQC, CQC and their table entries */
#define QM_EQC_SIZE		28

#define QM_QC_DEPTH_MASK	0xfffu		/* dw3: depth - 1 */
#define QM_QC_ENTRY_SHIFT	12		/* dw3: log2 of the entry size in bytes */
#define QM_SQC_W11_PASID	(1u << 7)
#define QM_CQC_W11_PASID	(1u << 0)
#define QM_QC_W11_TAIL_WRAP	(1u << 6)
#define QM_SQC_W13_PRIO_MASK	0xfu
#define QM_SQC_W13_ORDER_ONE	(1u << 4)
#define QM_SQC_W13_DISABLED	(1u << 6)	/* doorbells have no effect */
#define QM_SQC_W13_ALG_SHIFT	8
#define QM_QC_RAND_PARKED	0xaaaau		/* w8 of a queue without an owner */
#define QM_CQC_DW6_PHASE	(1u << 0)
#define QM_CQC_DW6_C_FLAG	(1u << 1)
#define QM_EQC_DW6_PHASE	(1u << 16)

/* Doorbells, 64 bit */
#define QM_DB_QN_MASK		0xfffu
#define QM_DB_CMD_SHIFT		12
#define QM_DB_RAND_SHIFT	16
#define QM_DB_INDEX_SHIFT	32
#define QM_DB_PRIO_SHIFT	48
#define QM_DB_C_FLAG		1u	/* priority field of a CQ doorbell: arm */
#define QM_DB_START		1u	/* priority field of an SQ doorbell with index 0 in BAR2: start a paused VF */

enum qm_db_cmd {
	QM_DB_CMD_SQ = 0,
	QM_DB_CMD_CQ = 1,
	QM_DB_CMD_EQ = 2,
	QM_DB_CMD_AEQ = 3,
};

static inline __u64 qm_db_value(__u16 qn, enum qm_db_cmd cmd, __u16 index, __u16 prio)
{
	return ((__u64)qn & QM_DB_QN_MASK) | (__u64)cmd << QM_DB_CMD_SHIFT |
	       (__u64)index << QM_DB_INDEX_SHIFT | (__u64)prio << QM_DB_PRIO_SHIFT;
}

/* Completion, event and asynchronous event entries */
struct qm_cqe {
	__le32 rsvd0;
	__le16 cmd_id;
	__le16 rsvd1;
	__le16 sq_head;
	__le16 sq_num;
	__le16 rsvd2;
	__le16 w7;
};

#define QM_CQE_PHASE		1u
#define QM_EQE_QN_MASK		0xffffu
#define QM_EQE_PHASE		(1u << 16)
#define QM_AEQE_TYPE_SHIFT	17
#define QM_AEQE_TYPE_MASK	0xfu

enum qm_aeqe_type {
	QM_AEQE_CQ_OVERFLOW = 0,
	QM_AEQE_EQ_OVERFLOW = 1,
	QM_AEQE_CQE_ERROR = 2,
};

/* Queue table (VFT) entries (V2, V3) */
enum qm_vft_type {
	QM_VFT_TYPE_SQC = 0,
	QM_VFT_TYPE_CQC = 1,
	QM_VFT_TYPE_SHAPER = 2,
};

#define QM_VFT_SQC_BASE_SHIFT	28
#define QM_VFT_SQC_BASE_MASK	0xffffull
#define QM_VFT_SQC_VALID	(1ull << 44)
#define QM_VFT_SQC_NUM_SHIFT	45
#define QM_VFT_SQC_NUM_MASK	0x3ffull
#define QM_VFT_CQC_VALID	(1ull << 28)
#define QM_VFT_SHAPER_CIR_U_SHIFT 8	/* [7:0] is cir_b */
#define QM_VFT_SHAPER_CIR_S_SHIFT 11
#define QM_VFT_SHAPER_CBS_B_SHIFT 15
#define QM_VFT_SHAPER_CBS_S_SHIFT 19
#define QM_VFT_FUNC_CLASS_SHIFT	6	/* in QM_VFT_FUNC, for a shaper entry */

/* Words at the end of a DUS block */
#define QM_DUS_TX_STOP(size)	((size) - 4)
#define QM_DUS_RX_STOP(size)	((size) - 8)

/* Hardware scatter-gather list */
struct qm_sgl {
	__le64 next_dma;
	__le16 entry_sum_in_chain;
	__le16 entry_sum_in_sgl;
	__le16 entry_length_in_sgl;
	__le16 rsvd0;
	__le64 soft[6];	/* bytes 16..63, ignored by the device */
};

struct qm_sge {
	__le64 buf;
	__le64 soft0;
	__le32 len;
	__le32 rsvd;
	__le64 soft1;
};

#define QM_SGL_MAX_ENTRIES	255
#define QM_SGL_MAX_CHAIN	256
#define QM_SGL_ALIGN		64
#define QM_SGE_MAX_BYTES	(8u << 20)

#ifdef __cplusplus
#define QM_HW_ASSERT(name, cond) static_assert(cond, name)
#else
#define QM_HW_ASSERT(name, cond) _Static_assert(cond, name)
#endif
QM_HW_ASSERT("mailbox is 16 bytes", sizeof(struct qm_mailbox) == 16);
QM_HW_ASSERT("SQC is 32 bytes", sizeof(struct qm_sqc) == QM_QC_SIZE);
QM_HW_ASSERT("CQC is 32 bytes", sizeof(struct qm_cqc) == QM_QC_SIZE);
QM_HW_ASSERT("EQC is 28 bytes", sizeof(struct qm_eqc) == QM_EQC_SIZE);
QM_HW_ASSERT("CQE is 16 bytes", sizeof(struct qm_cqe) == 16);
QM_HW_ASSERT("SGL header is 64 bytes", sizeof(struct qm_sgl) == 64);
QM_HW_ASSERT("SGE is 32 bytes", sizeof(struct qm_sge) == 32);

#endif
