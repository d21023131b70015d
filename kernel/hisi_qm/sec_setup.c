// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of the SEC engine: initialisation and shutdown. */
#include "sec.h"

static const struct hisi_qm_prefetch sec_prefetch = {
	.config = SEC_PREFETCH_CFG,
	.disable = SEC_PREFETCH_DISABLE,
	.closed = SEC_PREFETCH_ENABLE_CLR,
	.status = SEC_SVA_TRANS,
	.busy = SEC_SVA_TRANS_BUSY,
};

/* Generation 2 checks descriptors too strictly for SM4's modes, and for XTS with several values. */
static const struct hisi_qm_reg sec_check_regs_v2[] = {
	{ SEC_BD_ERR_CHK_EN0, SEC_BD_ERR_CHK_EN0_V2 },
	{ SEC_BD_ERR_CHK_EN1, SEC_BD_ERR_CHK_EN1_V2 },
	{ SEC_BD_ERR_CHK_EN3, SEC_BD_ERR_CHK_EN3_V2 },
};

/* The address space of descriptors and payload. */
static void sec_address_space_init(struct hisi_qm *qm)
{
	if (hisi_qm_is_v3(qm)) {
		hisi_qm_set_bits(qm, SEC_USER_CTRL0_V3, SEC_USER_CTRL0_SVA);
		hisi_qm_write(qm, SEC_USER_CTRL1_V3,
			      (hisi_qm_read(qm, SEC_USER_CTRL1_V3) & SEC_USER_CTRL1_V3_KEEP) |
			      SEC_USER_CTRL1_V3_SVA);
		return;
	}
	hisi_qm_set_bits(qm, SEC_USER_CTRL0_V2, SEC_USER_CTRL0_SVA);
	hisi_qm_set_bits(qm, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER);
	if (hisi_qm_mediated(qm))
		hisi_qm_clear_bits(qm, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_SVA);
	else
		hisi_qm_set_bits(qm, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_SVA);
}

static int sec_memory_init(struct hisi_qm *qm)
{
	int ret;

	/* With a gated clock the memory never becomes ready. */
	hisi_qm_clear_bits(qm, SEC_CONTROL, SEC_CONTROL_CLOCK_GATE);
	hisi_qm_write(qm, SEC_MEM_START_INIT, 1);
	ret = hisi_qm_wait(qm, SEC_MEM_INIT_DONE, 1, 1);
	if (ret)
		pci_err(hisi_qm_pdev(qm), "memory of the engine is not ready (%d)\n", ret);
	return ret;
}

static void sec_counters_clear(struct hisi_qm *qm)
{
	unsigned int i;

	hisi_qm_counters_clear(qm);
	hisi_qm_write(qm, SEC_CNT_CLR_CE, 1);
	for (i = 0; i < sec_dfx_nr; i++)
		hisi_qm_read(qm, sec_dfx_regs[i].offset);
	hisi_qm_write(qm, SEC_CNT_CLR_CE, 0);
}

/**
 * sec_hw_init - initialise the engine's registers
 * @qm: a function that isn't started
 */
int sec_hw_init(struct hisi_qm *qm)
{
	u32 control = hisi_qm_read(qm, SEC_CONTROL);
	int ret;

	hisi_qm_bus_init(qm);
	ret = sec_memory_init(qm);
	if (ret)
		goto err_restore_control;
	hisi_qm_set_bits(qm, SEC_CONTROL, SEC_CONTROL_TRNG);
	sec_address_space_init(qm);
	ret = hisi_qm_prefetch_open(qm, &sec_prefetch);
	if (ret)
		goto err_restore_control;

	hisi_qm_write(qm, SEC_AM_MAX_TRANS, SEC_AM_MAX_TRANS_VALUE);
	hisi_qm_write(qm, SEC_SAA_EN, hisi_qm_cap(qm, SEC_CAP_ID_CORE_ENABLE));
	if (!hisi_qm_is_v3(qm))
		hisi_qm_write_regs(qm, sec_check_regs_v2, ARRAY_SIZE(sec_check_regs_v2));
	hisi_qm_clear_bits(qm, SEC_CONTROL, SEC_CONTROL_ENDIAN);
	if (hisi_qm_is_v3(qm)) {
		hisi_qm_set_bits(qm, SEC_CONTROL, SEC_CONTROL_CLOCK_GATE);
		hisi_qm_set_bits(qm, SEC_DYNAMIC_GATE, SEC_DYNAMIC_GATE_ON);
		hisi_qm_set_bits(qm, SEC_CORE_AUTO_GATE, SEC_CORE_AUTO_GATE_ON);
	}
	hisi_qm_set_bits(qm, SEC_CONTROL, SEC_CONTROL_AXI_SHUTDOWN);
	sec_counters_clear(qm);
	return 0;

err_restore_control:
	hisi_qm_write(qm, SEC_CONTROL, control);
	return ret;
}

/**
 * sec_hw_exit - undo sec_hw_init() as far as needed
 * @qm: a stopped function
 */
void sec_hw_exit(struct hisi_qm *qm)
{
	hisi_qm_clear_bits(qm, SEC_CONTROL, SEC_CONTROL_AXI_SHUTDOWN);
	hisi_qm_prefetch_close(qm, &sec_prefetch);
}
