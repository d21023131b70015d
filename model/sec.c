// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The SEC engine: registers, descriptor in, one operation, result out. */
#include "sec.h"

/*
 * One word in each 32 bytes of the descriptor: high halves of addresses, and words and offsets that are 0. A copy in
 * units of 32 bytes stores the third of these last. An emulated CPU splits that store, so another word is at its end.
 */
static const struct wdm_mark sec_marks_v2[] = {
	{ 7, ~0u }, { 9, ~0u }, { SEC_BD2_A_KEY + 1, WDM_MARK_ADDRESS }, { SEC_BD2_C_KEY + 1, WDM_MARK_ADDRESS },
	{ 31, ~0u }, { 0, 0 },
};

static const struct wdm_mark sec_marks_v3[] = {
	{ SEC_BD3_A_KEY + 1, WDM_MARK_ADDRESS }, { 11, ~0u }, { 16, 0xffffu }, { SEC_BD3_MAC + 1, WDM_MARK_ADDRESS },
	{ 31, ~0u }, { 0, 0 },
};

static const struct wdm_error_block sec_errors = {
	.source = SEC_ERR_SOURCE,
	.mask = SEC_ERR_ENABLE,
	.set = SEC_ERR_SET,
	.status = SEC_ERR_STATUS,
	.shutdown = SEC_OOO_SHUTDOWN_SEL,
	.shutdown_on = SEC_CONTROL,
	.shutdown_bit = SEC_CONTROL_AXI_SHUTDOWN,
	.mask_enables = true,
};

static const struct wdm_reg sec_regs_v2[] = {
	{ SEC_BD_ERR_CHK_EN0, SEC_BD_ERR_CHK_ALL },
	{ SEC_BD_ERR_CHK_EN1, SEC_BD_ERR_CHK_ALL },
	{ SEC_BD_ERR_CHK_EN3, SEC_BD_ERR_CHK_ALL },
	{ 0, 0 },
};

static const struct wdm_reg sec_sva_v2[] = {
	{ SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_SVA },
	{ 0, 0 },
};

static const struct wdm_reg_range sec_absent_v2[] = {
	{ SEC_OOO_SHUTDOWN_SEL, SEC_OOO_SHUTDOWN_SEL + 4 },
	{ SEC_PREFETCH_CFG, SEC_PREFETCH_CFG + 4 },
	{ 0, 0 },
};

static const struct wdm_reg sec_regs_v3[] = {
	{ QM_CAP_NFE_MASK, SEC_CAP_QM_NFE_V3 },
	{ QM_CAP_RESET_MASK, SEC_CAP_QM_RESET_V3 },
	{ QM_CAP_CE_MASK, SEC_CAP_QM_CE_V3 },
	{ SEC_CAP_NFE_MASK, SEC_CAP_NFE_MASK_V3 },
	{ SEC_CAP_RESET_MASK, SEC_CAP_RESET_MASK_V3 },
	{ SEC_CAP_CE_MASK, SEC_CAP_CE_MASK_V3 },
	{ SEC_CAP_CORES, SEC_CAP_CORES_V3 },
	{ SEC_CAP_CORE_ENABLE, SEC_CAP_CORE_ENABLE_V3 },
	{ SEC_CAP_DRV_ALGS_LOW, SEC_CAP_DRV_ALGS_LOW_V3 },
	{ SEC_CAP_DRV_ALGS_HIGH, SEC_CAP_DRV_ALGS_HIGH_V3 },
	{ SEC_CAP_DEV_ALGS_LOW, SEC_CAP_DEV_ALGS_LOW_V3 },
	{ SEC_CAP_DEV_ALGS_HIGH, SEC_CAP_DEV_ALGS_HIGH_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST, SEC_CAP_DEV_ALGS_LOW_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 4, SEC_CAP_DEV_ALGS_HIGH_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 8, SEC_CAP_DEV_ALGS_LOW_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 12, SEC_CAP_DEV_ALGS_HIGH_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 16, SEC_CAP_DEV_ALGS_LOW_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 20, SEC_CAP_DEV_ALGS_HIGH_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 24, SEC_CAP_DEV_ALGS_LOW_V3 },
	{ SEC_CAP_CORE_ALGS_FIRST + 28, SEC_CAP_DEV_ALGS_HIGH_V3 },
	{ 0, 0 },
};

static const struct wdm_init sec_inits[] = {
	{ SEC_MEM_START_INIT, SEC_MEM_INIT_DONE, 1, 0 },
	{ 0, 0, 0, 0 },
};

static const struct wdm_need sec_needs_v2[] = {
	{ SEC_MEM_INIT_DONE, 1, WDM_CLASS_ANY },
	{ SEC_SAA_EN, SEC_CORES_V2, WDM_CLASS_ANY },
	{ 0, 0, 0 },
};

static const struct wdm_need sec_needs_v3[] = {
	{ SEC_MEM_INIT_DONE, 1, WDM_CLASS_ANY },
	{ SEC_SAA_EN, SEC_CAP_CORE_ENABLE_V3, WDM_CLASS_ANY },
	{ 0, 0, 0 },
};

/* The bits that drivers clear are known; which of them is for what in XTS isn't, so all are needed. */
static u8 sec_checks(const struct wdm_function *pf)
{
	u8 allowed = 0;

	if (!(wdm_reg_read(pf, SEC_BD_ERR_CHK_EN0) & ~SEC_BD_ERR_CHK_EN0_V2))
		allowed |= WDM_SEC_SM4_ECB;
	if (!(wdm_reg_read(pf, SEC_BD_ERR_CHK_EN1) & ~SEC_BD_ERR_CHK_EN1_V2) &&
	    !(wdm_reg_read(pf, SEC_BD_ERR_CHK_EN3) & ~SEC_BD_ERR_CHK_EN3_V2))
		allowed |= WDM_SEC_SM4_XTS;
	return allowed;
}

static void sec_core_show(struct wdm_function *pf, const struct wdm_core *cores, u32 nr)
{
	(void)nr;
	wdm_reg_write(pf, SEC_BD_NUM_IN_SEC, cores[0].taken + cores[1].taken);
	wdm_reg_write(pf, SEC_BD_NUM_IN_SAA0, cores[0].taken);
	wdm_reg_write(pf, SEC_BD_NUM_IN_SAA1, cores[1].taken);
}

static struct sec_bd *sec_bd(u32 *sqe)
{
	return (struct sec_bd *)sqe;
}

static const struct sec_bd *sec_bd_const(const u32 *sqe)
{
	return (const struct sec_bd *)sqe;
}

static bool sec_answered(const u32 *sqe)
{
	return sec_get(sec_bd_const(sqe), SEC_BD_DONE);
}

static u32 sec_bytes(const u32 *sqe)
{
	const struct sec_bd *bd = sec_bd_const(sqe);
	bool type3 = sec_get(bd, SEC_BD_TYPE) == SEC_BD_TYPE3;
	u32 a = sec_get(bd, type3 ? SEC_BD3_A_LEN : SEC_BD2_A_LEN),
	    c = sec_get(bd, type3 ? SEC_BD3_C_LEN : SEC_BD2_C_LEN);

	return a > c ? a : c;
}

static bool sec_failure(u32 status)
{
	return status && status <= sec_field_mask(SEC_BD_ERROR) >> 16;
}

static void sec_result(u32 *sqe, u32 error, enum sec_icv icv, enum sec_flag flag)
{
	struct sec_bd *bd = sec_bd(sqe);

	bd->dw[SEC_BD_RESULT_FIRST] = 0;
	sec_put(bd, SEC_BD_DONE, 1);
	sec_put(bd, SEC_BD_ICV, icv);
	sec_put(bd, SEC_BD_FLAG, flag);
	sec_put(bd, SEC_BD_ERROR, error);
}

static void sec_fail(u32 *sqe, u32 status)
{
	sec_result(sqe, status, SEC_ICV_NONE, 0);
}

static void sec_abort(u32 *sqe)
{
	sec_fail(sqe, SEC_ERR_ABORTED);
}

static u32 sec_run(struct wdm_sec_req *r)
{
	switch (r->op) {
	case WDM_SEC_NOTHING:
		return SEC_ERR_OK;
	case WDM_SEC_CIPHER:
		return wdm_sec_cipher(r);
	case WDM_SEC_HASH:
	case WDM_SEC_HMAC:
		return wdm_sec_digest(r);
	case WDM_SEC_XCBC:
	case WDM_SEC_CMAC:
		return wdm_sec_mac(r);
	case WDM_SEC_GMAC:
		return wdm_sec_gmac(r);
	case WDM_SEC_GCM:
		return wdm_sec_gcm(r);
	case WDM_SEC_GCM_AAD:
	case WDM_SEC_GCM_DATA:
		return wdm_sec_gcm_part(r);
	case WDM_SEC_CCM:
		return wdm_sec_ccm(r);
	case WDM_SEC_AUTHENC:
		return wdm_sec_authenc(r);
	}
	return SEC_ERR_ABORTED;
}

static void sec_execute(struct wdm_job *job, struct wdm_scratch *s)
{
	struct wdm_sec_req r = { .job = job, .s = s };
	u32 status;

	if (wdm_load(&job->abort)) {
		sec_abort(job->sqe);
		return;
	}
	status = sec_answered(job->sqe) ? SEC_ERR_BAD_BD : wdm_sec_decode(&r, sec_bd_const(job->sqe));
	job->refused = status != SEC_ERR_OK;
	if (!status)
		status = sec_run(&r);
	job->refused |= status == SEC_ERR_VALUE;
	/* No key remains after its request, neither here nor with the host. */
	wdm_wipe(&s->sec, sizeof(s->sec));
	job->env->engine->forget(s->engine_ws);
	if (status) {
		sec_fail(job->sqe, status);
		return;
	}
	sec_result(job->sqe, SEC_ERR_OK, r.icv, r.flag);
	job->bytes_in = r.aad + r.len;
	job->bytes_out = r.flag == SEC_FLAG_DIGEST ? r.mac_bytes : r.len;
}

const struct wdm_personality wdm_sec = {
	.vf_id = QM_PCI_ID_SEC_VF,
	.sqe_shift = 7,
	.queues_default = SEC_QUEUES_DEFAULT,
	.variant = {
		[WDM_ROW(2)] = {
			.alg_types = 1,
			.cores = { 2 },
			.regs = sec_regs_v2,
			.inits = sec_inits,
			.needs = sec_needs_v2,
			.sva = sec_sva_v2,
			.absent = sec_absent_v2,
			.marks = sec_marks_v2,
			.errors = { SEC_QM_NFE_V2 | SEC_QM_CE_V2, SEC_NFE_V2 | SEC_CE_V2 },
			.closes = { SEC_QM_BLOCKS_V2, 0 },
			.refused = SEC_ERROR_BD,
		},
		[WDM_ROW(3)] = {
			.alg_types = 1,
			.cores = { 2 },
			.regs = sec_regs_v3,
			.inits = sec_inits,
			.needs = sec_needs_v3,
			.marks = sec_marks_v3,
			.errors = { SEC_CAP_QM_NFE_V3 | SEC_CAP_QM_CE_V3, SEC_CAP_NFE_MASK_V3 | SEC_CAP_CE_MASK_V3 },
		},
	},
	.errors = &sec_errors,
	.core_show = sec_core_show,
	.clear_reg = SEC_CNT_CLR_CE,
	.clear_bits = 1,
	.checks = sec_checks,
	.bytes = sec_bytes,
	.execute = sec_execute,
	.abort = sec_abort,
	.failure = sec_failure,
	.fail = sec_fail,
	.answered = sec_answered,
};
