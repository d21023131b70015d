// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The HPRE engine: descriptor in, one operation, result out. */
#include "hpre.h"

static const struct wdm_reg hpre_regs_v2[] = {
	{ 0, 0 },
};

static const struct wdm_reg hpre_sva_v2[] = {
	{ HPRE_DATA_READ_USER, HPRE_DATA_USER_SVA },
	{ HPRE_DATA_WRITE_USER, HPRE_DATA_USER_SVA },
	{ 0, 0 },
};

static const struct wdm_reg_range hpre_absent_v2[] = {
	{ HPRE_PREFETCH_CFG, HPRE_PREFETCH_CFG + 4 },
	{ HPRE_OOO_SHUTDOWN_SEL, HPRE_OOO_SHUTDOWN_SEL + 4 },
	{ 0, 0 },
};

static const struct wdm_reg hpre_regs_v3[] = {
	{ QM_CAP_NFE_MASK, HPRE_CAP_QM_NFE_V3 },
	{ QM_CAP_RESET_MASK, HPRE_CAP_QM_RESET_V3 },
	{ QM_CAP_CE_MASK, HPRE_CAP_QM_CE_V3 },
	{ HPRE_CAP_NFE_MASK, HPRE_CAP_NFE_MASK_V3 },
	{ HPRE_CAP_RESET_MASK, HPRE_CAP_RESET_MASK_V3 },
	{ HPRE_CAP_CE_MASK, HPRE_CAP_CE_MASK_V3 },
	{ HPRE_CAP_CORES, HPRE_CAP_CORES_V3 },
	{ HPRE_CAP_CORE_ENABLE, HPRE_CAP_CORE_ENABLE_V3 },
	{ HPRE_CAP_DRV_ALGS, HPRE_CAP_DRV_ALGS_V3 },
	{ HPRE_CAP_DEV_ALGS, HPRE_CAP_DEV_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 4, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 8, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 12, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 16, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 20, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 24, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_FIRST + 28, HPRE_CAP_CORE_ALGS_V3 },
	{ HPRE_CAP_CORE_ALGS_LAST - 4, HPRE_CAP_CORE_SM2_V3 },
	{ HPRE_CAP_CORE_ALGS_LAST, HPRE_CAP_CORE_SM2_V3 },
	{ 0, 0 },
};

#define CLUSTER(i, reg)	(HPRE_CLUSTER_BASE + (i) * HPRE_CLUSTER_STRIDE + (reg))
#define CLUSTER_INIT(i, cores) \
	{ CLUSTER(i, HPRE_CLUSTER_START), CLUSTER(i, HPRE_CLUSTER_READY), cores, CLUSTER(i, HPRE_CLUSTER_CORES) }
#define CLUSTER_NEED(i, cores)	{ CLUSTER(i, HPRE_CLUSTER_READY), cores, WDM_CLASS_ANY }

static const struct wdm_init hpre_inits_v2[] = {
	{ HPRE_START_INIT, HPRE_INIT_DONE, 1, 0 },
	CLUSTER_INIT(0, HPRE_CORES_V2),
	CLUSTER_INIT(1, HPRE_CORES_V2),
	CLUSTER_INIT(2, HPRE_CORES_V2),
	CLUSTER_INIT(3, HPRE_CORES_V2),
	{ 0, 0, 0, 0 },
};

static const struct wdm_need hpre_needs_v2[] = {
	{ HPRE_INIT_DONE, 1, WDM_CLASS_ANY },
	{ HPRE_TYPES_ENABLE, HPRE_TYPES_RSA, WDM_CLASS_ANY },
	CLUSTER_NEED(0, HPRE_CORES_V2),
	CLUSTER_NEED(1, HPRE_CORES_V2),
	CLUSTER_NEED(2, HPRE_CORES_V2),
	CLUSTER_NEED(3, HPRE_CORES_V2),
	{ 0, 0, 0 },
};

static const struct wdm_init hpre_inits_v3[] = {
	{ HPRE_START_INIT, HPRE_INIT_DONE, 1, 0 },
	CLUSTER_INIT(0, HPRE_CAP_CORE_ENABLE_V3),
	{ 0, 0, 0, 0 },
};

static const struct wdm_need hpre_needs_v3[] = {
	{ HPRE_INIT_DONE, 1, WDM_CLASS_ANY },
	{ HPRE_TYPES_ENABLE, HPRE_TYPES_RSA, WDM_CLASS(HPRE_QC_RSA_DH) },
	{ HPRE_TYPES_ENABLE, HPRE_TYPES_ECC, WDM_CLASS(HPRE_QC_ECC) },
	CLUSTER_NEED(0, HPRE_CAP_CORE_ENABLE_V3),
	{ 0, 0, 0 },
};

static const struct wdm_error_block hpre_errors = {
	.source = HPRE_ERR_SOURCE,
	.mask = HPRE_ERR_MASK,
	.set = HPRE_ERR_SET,
	.status = HPRE_ERR_STATUS,
	.shutdown = HPRE_OOO_SHUTDOWN_SEL,
	.shutdown_on = HPRE_OOO_SHUTDOWN,
	.shutdown_bit = HPRE_OOO_SHUTDOWN_ON,
};

/* One word in each 16 bytes: the high halves of two addresses, and words that are 0. */
static const struct wdm_mark hpre_marks[] = {
	{ 3, WDM_MARK_ADDRESS }, { 7, WDM_MARK_ADDRESS }, { 11, ~0u }, { 15, ~0u }, { 0, 0 },
};

static bool hpre_answered(const u32 *sqe)
{
	return wdm_get32(sqe) >> HPRE_DW0_DONE_SHIFT == HPRE_DONE_HARDWARE;
}

static u32 hpre_bytes(const u32 *sqe)
{
	return (((const u8 *)sqe)[offsetof(struct hpre_sqe, task_len1)] + 1u) * 8;
}

static bool hpre_failure(u32 status)
{
	return status && status <= HPRE_DW0_ETYPE_MASK;
}

static void hpre_fail(u32 *sqe, u32 status)
{
	wdm_put32(sqe, (wdm_get32(sqe) & HPRE_DW0_ALG_MASK) | status << HPRE_DW0_ETYPE_SHIFT |
		  HPRE_DONE_HARDWARE << HPRE_DW0_DONE_SHIFT);
}

static void hpre_abort(u32 *sqe)
{
	hpre_fail(sqe, HPRE_ERR_ABORTED);
}

static void hpre_fail_address(const struct wdm_job *job, u32 *sqe)
{
	u8 *flags = (u8 *)sqe + offsetof(struct hpre_sqe, flags);

	hpre_fail(sqe, HPRE_ERR_ADDRESS);
	/* Generation 2 doesn't have these fields. */
	if (!job->pasid_valid || job->generation == 2)
		return;
	wdm_put32(sqe, wdm_get32(sqe) | HPRE_ETYPE1_SVA << HPRE_DW0_ETYPE1_SHIFT);
	*flags = (u8)(*flags | 1u << HPRE_FLAG_SVA_STATUS_SHIFT);
}

static bool hpre_verifies(const struct wdm_hpre_req *r)
{
	return r->op == HPRE_ECDSA_VERIFY || r->op == HPRE_SM2_VERIFY;
}

static void hpre_succeed(const struct wdm_hpre_req *r, u32 *sqe)
{
	hpre_fail(sqe, HPRE_ERR_OK);
	/* A corrupt result of a verification is the opposite verdict. */
	if (hpre_verifies(r))
		wdm_put64((u8 *)sqe + offsetof(struct hpre_sqe, out),
			  r->valid != wdm_fault_corrupts(r->job) ? HPRE_VERIFY_VALID : 0);
}

static u32 hpre_run(struct wdm_hpre_req *r)
{
	switch (r->op) {
	case HPRE_RSA:
	case HPRE_DH:
	case HPRE_DH_G2:
		return wdm_hpre_power(r);
	case HPRE_RSA_CRT:
		return wdm_hpre_crt(r);
	case HPRE_RSA_KEYGEN:
	case HPRE_RSA_KEYGEN_CRT:
		return wdm_hpre_keygen(r);
	case HPRE_ECC_MULTIPLY:
		return wdm_hpre_multiply(r);
	case HPRE_MONTGOMERY:
		return wdm_hpre_montgomery(r);
	case HPRE_ECDSA_SIGN:
		return wdm_hpre_ecdsa_sign(r);
	case HPRE_ECDSA_VERIFY:
		return wdm_hpre_ecdsa_verify(r);
	case HPRE_SM2_KEYGEN:
		return wdm_hpre_sm2_keygen(r);
	case HPRE_SM2_SIGN:
		return wdm_hpre_sm2_sign(r);
	case HPRE_SM2_VERIFY:
		return wdm_hpre_sm2_verify(r);
	case HPRE_SM2_ENCRYPT:
		return wdm_hpre_sm2_encrypt(r);
	case HPRE_SM2_DECRYPT:
		return wdm_hpre_sm2_decrypt(r);
	default:
		return HPRE_ERR_OPERATION;
	}
}

static u32 hpre_work(struct wdm_hpre_req *r)
{
	const struct wdm_job *job = r->job;
	u32 status;

	if (wdm_payload_read(job, r->key, r->w->key, r->key_bytes) ||
	    (r->in_bytes && wdm_payload_read(job, r->in, r->w->in, r->in_bytes)))
		return HPRE_ERR_ADDRESS;
	status = job->env->engine->power ? hpre_run(r) : HPRE_ERR_OK;
	if (wdm_load(&job->abort))
		return HPRE_ERR_ABORTED;
	if (!status && r->out_bytes && wdm_payload_write(job, r->out, r->w->out, r->out_bytes))
		return HPRE_ERR_ADDRESS;
	return status;
}

/* Is the request to blame for an error, rather than memory, chance or the device? */
static bool hpre_refuses(u32 status)
{
	return status && status != HPRE_ERR_ADDRESS && status != HPRE_ERR_RESULT && status != HPRE_ERR_MISMATCH &&
	       status != HPRE_ERR_ABORTED;
}

static void hpre_execute(struct wdm_job *job, struct wdm_scratch *s)
{
	struct wdm_hpre_req r = { .job = job, .s = s, .w = &s->hpre, .valid = !job->env->engine->power };
	u32 status;

	if (wdm_load(&job->abort)) {
		hpre_abort(job->sqe);
		return;
	}
	status = wdm_hpre_decode(&r, job->sqe);
	if (!status) {
		status = hpre_work(&r);
		/* No key remains after its request. */
		wdm_wipe(r.w, sizeof(*r.w));
	}
	job->refused = hpre_refuses(status);
	if (status == HPRE_ERR_ADDRESS) {
		hpre_fail_address(job, job->sqe);
	} else if (status) {
		hpre_fail(job->sqe, status);
	} else {
		hpre_succeed(&r, job->sqe);
		job->bytes_in = r.key_bytes + r.in_bytes;
		job->bytes_out = r.out_bytes;
	}
}

const struct wdm_personality wdm_hpre = {
	.vf_id = QM_PCI_ID_HPRE_VF,
	.sqe_shift = 6,
	.queues_default = HPRE_QUEUES_DEFAULT,
	.variant = {
		[WDM_ROW(2)] = {
			.alg_types = 1,
			.regs = hpre_regs_v2,
			.inits = hpre_inits_v2,
			.needs = hpre_needs_v2,
			.marks = hpre_marks,
			.sva = hpre_sva_v2,
			.absent = hpre_absent_v2,
			.errors = { HPRE_QM_NFE_V2 | HPRE_QM_CE_V2, HPRE_NFE_V2 | HPRE_CE_V2 },
			.closes = { HPRE_QM_BLOCKS_V2, 0 },
		},
		[WDM_ROW(3)] = {
			.alg_types = 2,
			.regs = hpre_regs_v3,
			.inits = hpre_inits_v3,
			.needs = hpre_needs_v3,
			.marks = hpre_marks,
			.errors = { HPRE_CAP_QM_NFE_V3 | HPRE_CAP_QM_CE_V3,
				    HPRE_CAP_NFE_MASK_V3 | HPRE_CAP_CE_MASK_V3 },
		},
	},
	.errors = &hpre_errors,
	.bytes = hpre_bytes,
	.execute = hpre_execute,
	.abort = hpre_abort,
	.failure = hpre_failure,
	.fail = hpre_fail,
	.answered = hpre_answered,
};
