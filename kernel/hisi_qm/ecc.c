// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generation 2: what the driver does around the reset that an uncorrectable memory error needs. Later generations do it
 * by themselves.
 */
#include "internal.h"

static const struct hisi_qm_ecc *qm_ecc(struct hisi_qm *qm)
{
	return qm->pf && !qm->gen->shutdown_on_error ? &qm->engine->ecc : NULL;
}

/* The sources, since an error that needs a reset isn't reported twice. */
static bool qm_ecc_in_qm(struct hisi_qm *qm)
{
	return hisi_qm_read(qm, QM_ABNORMAL_INT_SOURCE) & QM_ERR_ECC_MBIT;
}

static bool qm_ecc_in_engine(struct hisi_qm *qm)
{
	return hisi_qm_read(qm, qm->engine->errors->source) & qm->engine->ecc.bits;
}

static void qm_ecc_inject(struct hisi_qm *qm, u32 nfe, u32 set, u32 bit)
{
	/* Without a report: it isn't an error of its own. */
	hisi_qm_clear_bits(qm, nfe, bit);
	hisi_qm_write(qm, set, bit);
}

/**
 * qm_ecc_close - make both parts of the device close their bus masters, if one has an uncorrectable memory error
 * @qm: a function that is broken
 */
void qm_ecc_close(struct hisi_qm *qm)
{
	const struct hisi_qm_ecc *ecc = qm_ecc(qm);
	bool in_qm, in_engine;

	if (!ecc)
		return;
	in_qm = qm_ecc_in_qm(qm);
	in_engine = qm_ecc_in_engine(qm);
	qm->ecc = in_qm || in_engine;
	if (in_qm && !in_engine && ecc->set)
		qm_ecc_inject(qm, qm->engine->errors->nfe, ecc->set, ecc->bits);
	else if (in_engine && !in_qm && !ecc->set)
		qm_ecc_inject(qm, QM_RAS_NFE_ENABLE, QM_ABNORMAL_INT_SET, QM_ERR_ECC_MBIT);
}

/**
 * qm_ecc_clear - forget the memory error after the reset of the device; no interrupt comes until qm_ecc_end()
 * @qm: the function
 */
void qm_ecc_clear(struct hisi_qm *qm)
{
	const struct hisi_qm_ecc *ecc = qm_ecc(qm);

	if (!ecc || !qm->ecc)
		return;
	hisi_qm_clear_bits(qm, AM_CFG_PORT_WR_EN, ecc->msi_port);
	hisi_qm_write(qm, qm->engine->errors->source, ecc->bits);
	hisi_qm_write(qm, QM_ABNORMAL_INT_SOURCE, QM_ERR_ECC_MBIT);
	hisi_qm_write(qm, AM_ROB_ECC_INT_STS, AM_ROB_ECC_INT_MULTIPLE);
}

/**
 * qm_ecc_end - undo qm_ecc_clear(), when the device works again
 * @qm: the function
 */
void qm_ecc_end(struct hisi_qm *qm)
{
	const struct hisi_qm_ecc *ecc = qm_ecc(qm);

	if (ecc && qm->ecc)
		hisi_qm_set_bits(qm, AM_CFG_PORT_WR_EN, ecc->msi_port);
	qm->ecc = false;
}
