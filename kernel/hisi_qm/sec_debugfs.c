// SPDX-License-Identifier: GPL-2.0-or-later
/* The SEC engine's counters in debugfs. For debugging, not an ABI. */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include "sec.h"

const struct hisi_qm_named_reg sec_dfx_regs[] = {
	{ SEC_ERR_SOURCE, "SEC_PF_ABNORMAL_INT_SOURCE" },
	{ SEC_SAA_EN, "SEC_SAA_EN" },
	{ SEC_RAS_CE, "SEC_RAS_CE_ENABLE" },
	{ SEC_RAS_FE, "SEC_RAS_FE_ENABLE" },
	{ SEC_RAS_NFE, "SEC_RAS_NFE_ENABLE" },
	{ 0x30112c, "SEC_REQ_TRNG_TIME_TH" },
	{ 0x302110, "SEC_CHANNEL_RNG_REQ_THLD" },
	{ SEC_BD_LATENCY_MIN, "SEC_BD_LATENCY_MIN" },
	{ SEC_BD_LATENCY_MAX, "SEC_BD_LATENCY_MAX" },
	{ SEC_BD_LATENCY_AVG, "SEC_BD_LATENCY_AVG" },
	{ SEC_BD_NUM_IN_SAA0, "SEC_BD_NUM_IN_SAA0" },
	{ SEC_BD_NUM_IN_SAA1, "SEC_BD_NUM_IN_SAA1" },
	{ SEC_BD_NUM_IN_SEC, "SEC_BD_NUM_IN_SEC" },
	{ SEC_ECC_1BIT_CNT, "SEC_ECC_1BIT_CNT" },
	{ SEC_ECC_1BIT_INFO, "SEC_ECC_1BIT_INFO" },
	{ SEC_ECC_2BIT_CNT, "SEC_ECC_2BIT_CNT" },
	{ SEC_ECC_2BIT_INFO, "SEC_ECC_2BIT_INFO" },
	{ SEC_BD_SAA_FIRST, "SEC_BD_SAA0" },
	{ SEC_BD_SAA_FIRST + 0x04, "SEC_BD_SAA1" },
	{ SEC_BD_SAA_FIRST + 0x08, "SEC_BD_SAA2" },
	{ SEC_BD_SAA_FIRST + 0x0c, "SEC_BD_SAA3" },
	{ SEC_BD_SAA_FIRST + 0x10, "SEC_BD_SAA4" },
	{ SEC_BD_SAA_FIRST + 0x14, "SEC_BD_SAA5" },
	{ SEC_BD_SAA_FIRST + 0x18, "SEC_BD_SAA6" },
	{ SEC_BD_SAA_FIRST + 0x1c, "SEC_BD_SAA7" },
	{ SEC_BD_SAA_LAST, "SEC_BD_SAA8" },
};

const unsigned int sec_dfx_nr = ARRAY_SIZE(sec_dfx_regs);

/**
 * sec_debugfs_init - create the engine's files
 * @qm: a started function
 * @dir: directory; removed, with its contents, before the function stops
 */
void sec_debugfs_init(struct hisi_qm *qm, struct dentry *dir)
{
	hisi_qm_debugfs_switch(qm, dir, "clear_enable", SEC_CNT_CLR_CE, BIT(0));
	hisi_qm_debugfs_regs(qm, debugfs_create_dir("sec_dfx", dir), 0, sec_dfx_regs, sec_dfx_nr);
}
