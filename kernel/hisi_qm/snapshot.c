// SPDX-License-Identifier: GPL-2.0-or-later
/* Named registers with their values at the time the driver was bound, and what a device says of them before a reset. */
#include <linux/jiffies.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "internal.h"

/* A device with a lasting error is reset five times a second, which must not fill the log. */
#define QM_LAST_WORDS_PERIOD	(60 * HZ)

/**
 * qm_snapshot_take - keep the values of registers
 * @qm: a started function
 * @base: added to the registers' offsets
 * @regs: the registers; must remain valid
 * @nr: number of @regs
 *
 * Freed with the driver's binding. NULL if there is no memory.
 */
struct qm_snapshot *qm_snapshot_take(struct hisi_qm *qm, u32 base, const struct hisi_qm_named_reg *regs,
				     unsigned int nr)
{
	struct qm_snapshot *s = devm_kmalloc(&qm->pdev->dev, struct_size(s, first, nr), GFP_KERNEL);
	unsigned int i;

	if (!s)
		return NULL;
	*s = (struct qm_snapshot) { .qm = qm, .base = base, .regs = regs, .nr = nr };
	for (i = 0; i < nr; i++)
		s->first[i] = qm_snapshot_now(s, i);
	list_add_tail(&s->node, &qm->snapshots);
	return s;
}

static void qm_snapshot_log(const struct qm_snapshot *s)
{
	unsigned int i;
	u32 now;

	for (i = 0; i < s->nr; i++) {
		now = qm_snapshot_now(s, i);
		if (now != s->first[i])
			pci_info(s->qm->pdev, "%s (0x%x): 0x%08x => 0x%08x\n", s->regs[i].name,
				 s->base + s->regs[i].offset, s->first[i], now);
	}
}

/**
 * qm_last_words - log the registers that have changed, as the reset that follows clears them
 * @qm: the physical function
 */
void qm_last_words(struct hisi_qm *qm)
{
	const struct qm_snapshot *s;

	if (qm->last_words && time_before(jiffies, qm->last_words + QM_LAST_WORDS_PERIOD))
		return;
	if (qm_gone(qm, hisi_qm_read(qm, QM_ABNORMAL_INT_STATUS)))
		return;
	qm->last_words = jiffies ?: 1;
	list_for_each_entry(s, &qm->snapshots, node)
		qm_snapshot_log(s);
}
