// SPDX-License-Identifier: GPL-2.0-or-later
/* Bandwidth of a function, in thousandths of the device, and the shaper's parameters for it. */
#include "internal.h"

/* A rate is cir_b * 2^cir_u * 8000 / (768 * 2^cir_s) Mbit/s. */
#define QM_CIR_B_MIN		100u
#define QM_CIR_B_MAX		200u
#define QM_CIR_U_MAX		6u
#define QM_CIR_FACTOR		8000u
#define QM_CIR_DIVISOR		768u
#define QM_CIR_ERROR_MAX	5u	/* thousandths of the rate */
#define QM_CBS_B		1u	/* the burst is cbs_b * 2^cbs_s */

#define QM_FIELD(entry, shift, end) ((u32)((entry) >> (shift)) & GENMASK((end) - (shift) - 1, 0))

/* The parameter for rates up to @most. */
struct qm_qos_row {
	u32 most;
	u8 value;
};

static const struct qm_qos_row qm_cir_s[] = {
	{ 100, 4 }, { 200, 3 }, { 500, 2 }, { 1000, 1 }, { 100000, 0 },
};

static const struct qm_qos_row qm_cbs_s[] = {
	{ 200, 9 }, { 500, 11 }, { 1000, 12 }, { 10000, 16 }, { 25000, 17 }, { 50000, 18 }, { 100000, 19 },
};

static u32 qm_qos_look_up(const struct qm_qos_row *row, u32 mbps)
{
	while (row->most < mbps)
		row++;
	return row->value;
}

static bool qm_rate_is_near(u32 mbps, u32 cir_b, u32 cir_u, u32 cir_s)
{
	u32 rate = (cir_b * QM_CIR_FACTOR << cir_u) / (QM_CIR_DIVISOR << cir_s);
	u32 error = rate > mbps ? rate - mbps : mbps - rate;

	return error * 1000 / mbps <= QM_CIR_ERROR_MAX;
}

/* The first pair, which mainline takes, too. Each rate that a number of thousandths stands for has one. */
static u32 qm_cir_find(u32 mbps, u32 cir_s)
{
	u32 b, u;

	for (b = QM_CIR_B_MIN; b <= QM_CIR_B_MAX; b++)
		for (u = 0; u <= QM_CIR_U_MAX; u++)
			if (qm_rate_is_near(mbps, b, u, cir_s))
				return b | u << QM_VFT_SHAPER_CIR_U_SHIFT;
	return 0;
}

/**
 * qm_qos_mbps - the rate that a number of thousandths stands for, in Mbit/s
 * @qos: 1..QM_QOS_MAX
 */
u32 qm_qos_mbps(u32 qos)
{
	return qos * QM_QOS_MBPS;
}

/**
 * qm_qos_entry - the shaper's entry in the queue table
 * @qos: 1..QM_QOS_MAX
 */
u64 qm_qos_entry(u32 qos)
{
	u32 mbps = qm_qos_mbps(qos), cir_s = qm_qos_look_up(qm_cir_s, mbps);

	return qm_cir_find(mbps, cir_s) | cir_s << QM_VFT_SHAPER_CIR_S_SHIFT |
	       QM_CBS_B << QM_VFT_SHAPER_CBS_B_SHIFT | qm_qos_look_up(qm_cbs_s, mbps) << QM_VFT_SHAPER_CBS_S_SHIFT;
}

/**
 * qm_qos_is - does an entry limit a function to that number of thousandths?
 * @entry: the shaper's entry, as the device has it
 * @qos: 1..QM_QOS_MAX
 */
bool qm_qos_is(u64 entry, u32 qos)
{
	return qm_rate_is_near(qm_qos_mbps(qos), QM_FIELD(entry, 0, QM_VFT_SHAPER_CIR_U_SHIFT),
			       QM_FIELD(entry, QM_VFT_SHAPER_CIR_U_SHIFT, QM_VFT_SHAPER_CIR_S_SHIFT),
			       QM_FIELD(entry, QM_VFT_SHAPER_CIR_S_SHIFT, QM_VFT_SHAPER_CBS_B_SHIFT));
}
