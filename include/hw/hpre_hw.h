/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Registers, descriptor, operand layouts and result codes of the HPRE engine. */
#ifndef WD_HPRE_HW_H
#define WD_HPRE_HW_H

#include <linux/types.h>
#include "hw/qm_hw.h"

#define HPRE_SQE_SIZE		64
#define HPRE_QUEUES_DEFAULT	64
#define HPRE_SHAPER_RATE	640

/* Queue algorithm type, SQC w13 [11:8]: a queue carries one kind of requests */
enum hpre_qc_type {
	HPRE_QC_RSA_DH = 0,	/* the only kind on V2 */
	HPRE_QC_ECC = 1,
};

/* Capability registers with their V3 defaults */
#define HPRE_CAP_NFE_MASK	0x3130
#define HPRE_CAP_RESET_MASK	0x3134
#define HPRE_CAP_CE_MASK	0x3138
#define HPRE_CAP_CORES		0x313c	/* [23:20] clusters, [19:16] core types, [15:8] cores, [7:0] per cluster */
#define HPRE_CAP_CORE_ENABLE	0x3140
#define HPRE_CAP_DRV_ALGS	0x3144
#define HPRE_CAP_DEV_ALGS	0x3148
#define HPRE_CAP_CORE_ALGS_FIRST 0x314c
#define HPRE_CAP_CORE_ALGS_LAST	0x3170

#define HPRE_CAP_QM_NFE_V3	0x7c37
#define HPRE_CAP_QM_RESET_V3	0x6c37
#define HPRE_CAP_QM_CE_V3	0x8
#define HPRE_CAP_NFE_MASK_V3	0x1fffc3e
#define HPRE_CAP_RESET_MASK_V3	0xbffc3e
#define HPRE_CAP_CE_MASK_V3	0x1
#define HPRE_CAP_CORES_V3	0x120a0a
#define HPRE_CAP_CORE_ENABLE_V3	0x3ff
#define HPRE_CAP_DRV_ALGS_V3	0x27
#define HPRE_CAP_DEV_ALGS_V3	0x7f
#define HPRE_CAP_CORE_ALGS_V3	0x7f	/* cores 1 to 8 */
#define HPRE_CAP_CORE_SM2_V3	0x10	/* cores 9 and 10 */
#define HPRE_CORES_V3		10

/* Generation 2, which has no capability registers */
#define HPRE_QM_NFE_V2		0x1c37
#define HPRE_QM_CE_V2		0x8
#define HPRE_QM_BLOCKS_V2	0x4	/* of these errors, those that close the bus master */
#define HPRE_NFE_V2		0x3ffffe
#define HPRE_CE_V2		0x1
#define HPRE_CORES_V2		0xf	/* of each cluster */

/* Bits of HPRE_CAP_DEV_ALGS */
#define HPRE_ALG_RSA		(1u << 0)
#define HPRE_ALG_DH		(1u << 1)
#define HPRE_ALG_ECDH		(1u << 2)
#define HPRE_ALG_ECDSA		(1u << 3)
#define HPRE_ALG_SM2		(1u << 4)
#define HPRE_ALG_X25519		(1u << 5)
#define HPRE_ALG_X448		(1u << 6)

/* Engine registers, PF only */
#define HPRE_CNT_CLR_CE		0x301000
#define HPRE_AXQOS		0x30100c
#define HPRE_AXCACHE		0x301010
#define HPRE_AXCACHE_VALUE	0xffu
#define HPRE_START_INIT		0x301014
#define HPRE_AWUSER_FP		0x301018
#define HPRE_BD_ENDIAN		0x301020
#define HPRE_ECC_BYPASS		0x301024
#define HPRE_RAS_WIDTH		0x301028
#define HPRE_POISON_BYPASS	0x30102c
#define HPRE_BD_READ_USER	0x301030
#define HPRE_BD_WRITE_USER	0x301034
#define HPRE_BD_USER_VALUE	0x3u
#define HPRE_TYPES_ENABLE	0x301038
#define HPRE_TYPES_RSA		(1u << 0)
#define HPRE_TYPES_ECC		(1u << 1)
#define HPRE_DATA_READ_USER	0x30103c
#define HPRE_DATA_WRITE_USER	0x301040
#define HPRE_DATA_USER_SVA	(1u << 9)	/* V2 */
#define HPRE_OOO_SHUTDOWN	0x301044
#define HPRE_OOO_SHUTDOWN_ON	(1u << 0)
#define HPRE_PREFETCH_CFG	0x301130
#define HPRE_PREFETCH_DISABLE	(1u << 30)
#define HPRE_PREFETCH_ENABLE_CLR ((1u << 30) | (1u << 0))
#define HPRE_SVA_TRANS		0x30115c
#define HPRE_SVA_TRANS_BUSY	((1u << 4) | (1u << 8))
#define HPRE_ERR_MASK		0x301400	/* 1 = masked */
#define HPRE_RAS_CE		0x301410
#define HPRE_RAS_NFE		0x301414
#define HPRE_RAS_FE		0x301418
#define HPRE_ERR_SET		0x301500
#define HPRE_ERR_SOURCE		0x301600
#define HPRE_ERR_STATUS		0x301800
#define HPRE_INIT_DONE		0x301a00
#define HPRE_ECC_1BIT_CNT	0x301a04
#define HPRE_ECC_2BIT_CNT	0x301a08
#define HPRE_CLOCK_GATE		0x301a10
#define HPRE_CLOCK_GATE_ON	(1u << 0)
#define HPRE_PEH_GATE		0x301a2c
#define HPRE_PEH_GATE_ON	(1u << 0)
#define HPRE_RNG_TIMEOUTS	0x301a34
#define HPRE_OOO_SHUTDOWN_SEL	0x301a3c

/* Registers of each cluster of cores, at HPRE_CLUSTER_BASE + HPRE_CLUSTER_STRIDE * number */
#define HPRE_CLUSTER_BASE	0x302000
#define HPRE_CLUSTER_STRIDE	0x1000
#define HPRE_CLUSTERS_MAX	4
#define HPRE_CLUSTER_CORES	0x4	/* mask of cores to use */
#define HPRE_CLUSTER_GATE	0x10	/* first cluster only */
#define HPRE_CLUSTER_GATE_ON	(1u << 0)
#define HPRE_CLUSTER_START	0x20
#define HPRE_CLUSTER_READY	0x80	/* mask of ready cores */
#define HPRE_CLUSTER_AUTO_GATE	0x88	/* first cluster only */
#define HPRE_CLUSTER_AUTO_GATE_ON 0xc0000000u
#define HPRE_CLUSTER_HEARTBEAT	0x8c	/* mask of late cores */
#define HPRE_CLUSTER_SCHEDULED	0x90
#define HPRE_CLUSTER_INQUIRY	0x100	/* write the number of a core */
#define HPRE_CLUSTER_ANSWER	0x104

/**
 * struct hpre_sqe - one request
 *
 * Numbers in memory are big-endian, right-aligned in fields of equal size, padded with leading
 * zeroes. The device writes done, both errors and sva_status, and for a verification the out
 * word. All other fields come back unchanged.
 */
struct hpre_sqe {
	__le32 dw0;
	__u8 task_len1;		/* operand size in bytes / 8 - 1 */
	__u8 task_len2;
	__u8 mrttest_num;
	__u8 flags;
	__le64 key;
	__le64 in;
	__le64 out;		/* verification: the device writes the result here */
	__le64 tag;
	__le32 dw10;
	__le32 kek_key;
	__le32 rsvd[4];
};
QM_HW_ASSERT("HPRE SQE is 64 bytes", sizeof(struct hpre_sqe) == HPRE_SQE_SIZE);

/* dw0 */
#define HPRE_DW0_ALG_MASK	0x1fu		/* enum hpre_op */
#define HPRE_DW0_ETYPE_SHIFT	5		/* enum hpre_error */
#define HPRE_DW0_ETYPE_MASK	0x7ffu
#define HPRE_DW0_ETYPE1_SHIFT	16
#define HPRE_DW0_ETYPE1_MASK	0x3fffu
#define HPRE_ETYPE1_SVA		(1u << 5)	/* address not mapped, see sva_status */
#define HPRE_DW0_DONE_SHIFT	30
#define HPRE_DW0_DONE_MASK	0x3u
#define HPRE_DONE_SOFTWARE	1u
#define HPRE_DONE_HARDWARE	3u

/* flags */
#define HPRE_FLAG_WRAPPED_KEY	(1u << 0)
#define HPRE_FLAG_SM2_KSEL	(1u << 1)	/* the device chooses SM2's random number */
#define HPRE_FLAG_SVA_BYPASS	(1u << 2)
#define HPRE_FLAG_SVA_STATUS_SHIFT 3
#define HPRE_FLAG_SVA_STATUS_MASK 0xfu
#define HPRE_FLAG_RSV2		(1u << 7)	/* fast core of secp256r1; otherwise free for software */

/* dw10 */
#define HPRE_DW10_SM2_MLEN_MASK	0x1ffu		/* size of SM2's plaintext in bytes - 1; otherwise free for software */
#define HPRE_DW10_UWKEY_SEL_SHIFT 16
#define HPRE_DW10_UWKEY_SEL_MASK 0xfu
#define HPRE_DW10_WRAP_NUM_SHIFT 20
#define HPRE_DW10_WRAP_NUM_MASK	0x7u

/* Result of a verification, in the low half of out */
#define HPRE_VERIFY_VALID	(1u << 1)

enum hpre_op {
	HPRE_RSA = 0x0,			/* key e or d, n; in and out: size of n */
	HPRE_RSA_CRT = 0x1,		/* key dq, dp, q, p, qinv */
	HPRE_RSA_KEYGEN = 0x2,		/* key e, p, q; out d, n */
	HPRE_RSA_KEYGEN_CRT = 0x3,	/* key e, p, q; out d, n, qinv, dq, dp */
	HPRE_DH_G2 = 0x4,		/* key x, p */
	HPRE_DH = 0x5,			/* key x, p; in g or the peer's value */
	HPRE_PRIME = 0x6,
	HPRE_MOD = 0x7,
	HPRE_MOD_INV = 0x8,
	HPRE_MUL = 0x9,
	HPRE_COPRIME = 0xa,
	HPRE_ECC_CURVE_TEST = 0xb,
	HPRE_ECDH_PLUS = 0xc,
	HPRE_ECC_MULTIPLY = 0xd,	/* key p, a, k, b; in, out x, y */
	HPRE_ECDSA_SIGN = 0xe,		/* key p, a, d, b, n, gx, gy; in e, k; out r, s */
	HPRE_ECDSA_VERIFY = 0xf,	/* key p, a, b, n, gx, gy, px, py; in e, s, r */
	HPRE_MONTGOMERY = 0x10,		/* key p, (A - 2) / 4, k; in, out u */
	HPRE_SM2_KEYGEN = 0x11,		/* key as ECDSA_VERIFY; in gx, gy; out px, py, d */
	HPRE_SM2_SIGN = 0x12,		/* as ECDSA_SIGN */
	HPRE_SM2_VERIFY = 0x13,		/* as ECDSA_VERIFY */
	HPRE_SM2_ENCRYPT = 0x14,	/* key as ECDSA_VERIFY; in k, text; out x1, y1, c2, c3 */
	HPRE_SM2_DECRYPT = 0x15,	/* key as ECDSA_SIGN; in x1, y1, c2, c3; out text */
};

/* The values of hardware, except 0, aren't public: these are the simulated device's. */
enum hpre_error {
	HPRE_ERR_OK = 0,
	HPRE_ERR_BAD_SQE = 1,		/* invalid field in the descriptor */
	HPRE_ERR_OPERATION = 2,		/* operation unknown, or not allowed on this kind of queue */
	HPRE_ERR_LENGTH = 3,		/* the operation doesn't take this size */
	HPRE_ERR_ADDRESS = 4,		/* key, operand or result not mapped; etype1 is set too */
	HPRE_ERR_MODULUS = 5,		/* modulus even or too small, or invalid curve or key */
	HPRE_ERR_OPERAND = 6,		/* number out of range, or point not on the curve */
	HPRE_ERR_RESULT = 7,		/* point at infinity, or a signature of 0: retry with other random numbers */
	HPRE_ERR_MISMATCH = 8,		/* SM2 decryption: the hash doesn't match */
	HPRE_ERR_ABORTED = 9,		/* queue stopped, or engine failure */
};

/* Sizes */
#define HPRE_MAX_BYTES		512	/* of an operand of RSA or DH */
#define HPRE_KEY_MAX		1280	/* RSA-4096: a key with CRT */
#define HPRE_IN_MAX		640	/* SM2: a point, text and hash */
#define HPRE_OUT_MAX		1792	/* RSA-4096: a generated key with CRT */
#define HPRE_ECC_BYTES_256	32	/* of a number, on curves of up to 256 bits */
#define HPRE_ECC_BYTES_384	48
#define HPRE_ECC_BYTES_576	72
#define HPRE_SM2_BYTES		32
#define HPRE_SM2_MAX_TEXT	512
#define HPRE_SIGN_KEY_FIELDS	7
#define HPRE_PUBLIC_KEY_FIELDS	8
#define HPRE_MULTIPLY_KEY_FIELDS 4
#define HPRE_MONTGOMERY_KEY_FIELDS 3

#endif
