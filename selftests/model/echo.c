// SPDX-License-Identifier: Apache-2.0
/* Compares completed descriptors with what was sent. */
#include <stdio.h>
#include <stdlib.h>

#include "echo.h"
#include "emu.h"
#include "hw/hpre_hw.h"
#include "hw/sec_hw.h"

/* Lengths and status; state of a stream, length and checksum */
static u32 zip_outputs(u32 dw)
{
	return dw <= 3 || dw == 15 || dw >= 28 ? ~0u : 0;
}

/* The result word */
static u32 sec_outputs(u32 dw)
{
	return dw == SEC_BD_RESULT_FIRST ? ~0u : 0;
}

/* All of the first word but the operation; the detail of an address fault; the answer of a verification */
static u32 hpre_outputs(u32 op, u32 dw)
{
	if (!dw)
		return ~HPRE_DW0_ALG_MASK;
	if (dw == 1)
		return (u32)HPRE_FLAG_SVA_STATUS_MASK << HPRE_FLAG_SVA_STATUS_SHIFT << 24;
	return dw == 6 && (op == HPRE_ECDSA_VERIFY || op == HPRE_SM2_VERIFY) ? ~0u : 0;
}

u32 echo_outputs(enum wdm_type type, const u32 *sent, u32 dw)
{
	switch (type) {
	case WDM_ZIP:
		return zip_outputs(dw);
	case WDM_SEC:
		return sec_outputs(dw);
	case WDM_HPRE:
		return hpre_outputs(sent[0] & HPRE_DW0_ALG_MASK, dw);
	}
	return 0;
}

static u32 *of_slot(struct rig *r, u32 q, u32 slot)
{
	return r->sent + ((size_t)q * RIG_DEPTH + slot) * RIG_SQE_WORDS;
}

void echo_sent(struct rig *r, u32 q, u32 slot)
{
	memcpy(of_slot(r, q, slot), rig_slot(r, q, slot), rig_sqe_bytes(r));
	r->pushed[q][slot] = !r->lawless[q];
}

void echo_lawless(struct rig *r, u32 q)
{
	r->lawless[q] = true;
	memset(r->pushed[q], 0, sizeof(r->pushed[q]));
}

void echo_check(struct rig *r, u32 q, u32 slot)
{
	const u32 *sent = of_slot(r, q, slot), *got = rig_slot(r, q, slot);
	u32 dw, differs;

	for (dw = 0; r->pushed[q][slot] && dw < rig_sqe_bytes(r) / 4; dw++) {
		differs = (sent[dw] ^ got[dw]) & ~echo_outputs(r->kind->type, sent, dw);
		if (!differs)
			continue;
		fprintf(stderr, "completed descriptor in slot %u of queue %u: word %u is 0x%x, sent was 0x%x\n", slot,
			q, dw, got[dw], sent[dw]);
		abort();
	}
}
