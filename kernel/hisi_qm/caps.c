// SPDX-License-Identifier: GPL-2.0-or-later
/* Capabilities of a device: the hardware generations and the capability tables of core and engine. */
#include <linux/module.h>
#include <linux/slab.h>
#include "internal.h"

/* Newest last */
static const struct qm_generation qm_generations[] = {
	{
		.version = QM_HW_V2,
		.api = "hisi_qm_v2",
		.resets_by_mask = true,
	}, {
		.version = QM_HW_V3,
		.api = "hisi_qm_v3",
		.cap_registers = true,
		.pasid_in_context = true,
		.pm_control = true,
		.shutdown_on_error = true,
	}, {
		.version = QM_HW_V4,
		.api = "hisi_qm_v3",
		.cap_registers = true,
		.pasid_in_context = true,
		.pm_control = true,
		.shutdown_on_error = true,
		.message_registers = true,
	}, {
		.version = QM_HW_V5,
		.api = "hisi_qm_v5",
		.cap_registers = true,
		.pasid_in_context = true,
		.pm_control = true,
		.shutdown_on_error = true,
		.message_registers = true,
	},
};

static bool any_version;
module_param(any_version, bool, 0644);
MODULE_PARM_DESC(any_version, "Drive hardware of an unknown version as the newest known one before it (default: N)");

static const struct hisi_qm_cap qm_caps[QM_CAP_ID_NR] = {
	[QM_CAP_ID_FEATURES] =
		{ QM_CAP_VERSION, 0, 0xffffffff, 0, QM_CAP_V3_DEFAULT },
	[QM_CAP_ID_EQ_DEPTH] =
		{ QM_CAP_EQ_DEPTH, 0, 0xffff, QM_EQ_DEPTH_V2, QM_EQ_DEPTH_V2 },
	[QM_CAP_ID_AEQ_DEPTH] =
		{ QM_CAP_EQ_DEPTH, 16, 0xffff, QM_AEQ_DEPTH_V2, QM_AEQ_DEPTH_V2 },
	[QM_CAP_ID_SQ_DEPTH] =
		{ QM_CAP_QP_DEPTH, 0, 0xffff, QM_SQ_DEPTH_V2, QM_SQ_DEPTH_V2 },
	[QM_CAP_ID_CQ_DEPTH] =
		{ QM_CAP_QP_DEPTH, 16, 0xffff, QM_CQ_DEPTH_V2, QM_CQ_DEPTH_V2 },
	[QM_CAP_ID_EQ_IRQ_TYPE] =
		{ QM_CAP_EQ_IRQ, 16, 0xffff, 1, 1 },
	[QM_CAP_ID_EQ_IRQ_VECTOR] =
		{ QM_CAP_EQ_IRQ, 0, 0xffff, 0, 0 },
	[QM_CAP_ID_AEQ_IRQ_TYPE] =
		{ QM_CAP_AEQ_IRQ, 16, 0xffff, 1, 1 },
	[QM_CAP_ID_AEQ_IRQ_VECTOR] =
		{ QM_CAP_AEQ_IRQ, 0, 0xffff, 1, 1 },
	[QM_CAP_ID_ABNORMAL_IRQ_TYPE] =
		{ QM_CAP_ABNORMAL_IRQ, 16, 0xff, 1, 1 },
	[QM_CAP_ID_ABNORMAL_IRQ_VECTOR] =
		{ QM_CAP_ABNORMAL_IRQ, 0, 0xffff, 3, 3 },
	[QM_CAP_ID_MESSAGE_IRQ_TYPE] =
		{ QM_CAP_MSG_IRQ, 16, 0xffff, 0, 1 },
	[QM_CAP_ID_MESSAGE_IRQ_VECTOR] =
		{ QM_CAP_MSG_IRQ, 0, 0xffff, 0, 2 },
	[QM_CAP_ID_PF_IRQ_NUM] =
		{ QM_CAP_IRQ_NUM, 16, 0xffff, 4, 4 },
	[QM_CAP_ID_VF_IRQ_NUM] =
		{ QM_CAP_IRQ_NUM, 0, 0xffff, 2, 3 },
};

static u32 qm_hw_version(struct hisi_qm *qm)
{
	u32 version = qm->pdev->revision == QM_HW_V3 ? hisi_qm_read(qm, QM_SUB_VERSION_ID) : 0;

	return version ?: qm->pdev->revision;
}

/* The other registers of an unknown version are unknown, so only an administrator's word lets it through. */
static const struct qm_generation *qm_generation_find(struct hisi_qm *qm)
{
	const struct qm_generation *gen;
	u32 version = qm_hw_version(qm);
	int i = ARRAY_SIZE(qm_generations) - 1;

	while (i > 0 && version < qm_generations[i].version)
		i--;
	gen = &qm_generations[i];
	if (version == gen->version)
		return gen;
	if (version < gen->version || !READ_ONCE(any_version)) {
		pci_err(qm->pdev, "hardware version 0x%x is unknown, expected 0x%x, 0x%x, 0x%x or 0x%x%s\n", version,
			QM_HW_V2, QM_HW_V3, QM_HW_V4, QM_HW_V5,
			version < gen->version ? "" : "; hisi_qm's parameter any_version=1 tries it all the same");
		return NULL;
	}
	pci_warn(qm->pdev, "hardware version 0x%x is unknown, and is driven as 0x%x\n", version, gen->version);
	return gen;
}

static u32 qm_cap_read(struct hisi_qm *qm, const struct hisi_qm_cap *cap, bool registers)
{
	if (!qm->gen->cap_registers)
		return cap->v2;
	if (!registers)
		return cap->v3;
	return hisi_qm_read(qm, cap->offset) >> cap->shift & cap->mask;
}

static int qm_caps_check(struct hisi_qm *qm)
{
	static const struct {
		enum qm_cap cap;
		u32 most;
		const char *name;
	} depths[] = {
		{ QM_CAP_ID_EQ_DEPTH, 0x10000, "EQ" },
		{ QM_CAP_ID_AEQ_DEPTH, 0x10000, "AEQ" },
		{ QM_CAP_ID_SQ_DEPTH, QM_QC_DEPTH_MASK + 1, "SQ" },
		{ QM_CAP_ID_CQ_DEPTH, QM_QC_DEPTH_MASK + 1, "CQ" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		u32 depth = qm->caps[depths[i].cap];

		if (depth < 2 || depth > depths[i].most) {
			pci_err(qm->pdev, "%s depth %u: expected 2..%u\n",
				depths[i].name, depth, depths[i].most);
			return -EINVAL;
		}
	}
	return 0;
}

static int qm_algorithms_init(struct hisi_qm *qm)
{
	u64 bitmap = qm->engine_caps[HISI_QM_ENGINE_CAP_ALGS] |
		     (u64)qm->engine_caps[HISI_QM_ENGINE_CAP_ALGS_HIGH] << 32;
	const struct hisi_qm_alg *alg;
	size_t len = 0, pos = 0;

	for (alg = qm->engine->algs; alg->name; alg++)
		len += strlen(alg->name) + 1;
	qm->algorithms = kzalloc(len + 1, GFP_KERNEL);
	if (!qm->algorithms)
		return -ENOMEM;

	for (alg = qm->engine->algs; alg->name; alg++)
		if (bitmap & alg->mask)
			pos += scnprintf(qm->algorithms + pos, len + 1 - pos, "%s%s",
					 pos ? "\n" : "", alg->name);
	return 0;
}

/* Doorbells that would be looked for in the wrong place lose requests, so contradictions are refused. */
static int qm_caps_check_doorbells(struct hisi_qm *qm)
{
	resource_size_t bytes = pci_resource_len(qm->pdev, QM_BAR_DB);

	if (!qm->gen->cap_registers && bytes) {
		pci_err(qm->pdev, "revision 0x%x has no doorbell windows, but the device has BAR%d of %pa bytes\n",
			qm->pdev->revision, QM_BAR_DB, &bytes);
		return -ENODEV;
	}
	if (qm->isolated_doorbells && bytes < QM_DB_WINDOW) {
		pci_err(qm->pdev, "register 0x%x says that each queue has a doorbell window, but BAR%d has %pa bytes\n",
			QM_QUE_ISO_CFG, QM_BAR_DB, &bytes);
		return -ENODEV;
	}
	return 0;
}

/**
 * qm_caps_init - determine the generation and read all capabilities
 * @qm: the function; its registers are mapped
 */
int qm_caps_init(struct hisi_qm *qm)
{
	const struct hisi_qm_engine *engine = qm->engine;
	bool registers = false;
	unsigned int i;
	int ret;

	qm->gen = qm_generation_find(qm);
	if (!qm->gen)
		return -ENODEV;

	if (qm->gen->cap_registers) {
		registers = hisi_qm_read(qm, QM_CAP_VERSION) & QM_CAP_VERSION_MASK;
		qm->isolated_doorbells = hisi_qm_read(qm, QM_QUE_ISO_CFG) & 1;
	}

	for (i = 0; i < QM_CAP_ID_NR; i++)
		qm->caps[i] = qm_cap_read(qm, &qm_caps[i], registers);
	ret = qm_caps_check_doorbells(qm) ?: qm_caps_check(qm);
	if (ret)
		return ret;

	qm->engine_caps = kcalloc(engine->cap_nr, sizeof(*qm->engine_caps), GFP_KERNEL);
	if (!qm->engine_caps)
		return -ENOMEM;
	for (i = 0; i < engine->cap_nr; i++)
		qm->engine_caps[i] = qm_cap_read(qm, &engine->caps[i], registers);

	ret = qm_algorithms_init(qm);
	if (ret)
		goto err_free_engine_caps;
	return 0;

err_free_engine_caps:
	kfree(qm->engine_caps);
	return ret;
}

/**
 * qm_caps_exit - undo qm_caps_init()
 * @qm: the function
 */
void qm_caps_exit(struct hisi_qm *qm)
{
	kfree(qm->algorithms);
	kfree(qm->engine_caps);
}

/**
 * hisi_qm_has - does the queue manager have a feature?
 * @qm: the function
 * @feature: QM_CAP_* bit of the capability version register
 */
bool hisi_qm_has(struct hisi_qm *qm, u32 feature)
{
	return qm->caps[QM_CAP_ID_FEATURES] & feature;
}
EXPORT_SYMBOL_GPL(hisi_qm_has);

/**
 * hisi_qm_cap - value of a capability of the engine
 * @qm: the function
 * @cap: index into the engine's table
 */
u32 hisi_qm_cap(struct hisi_qm *qm, unsigned int cap)
{
	return qm->engine_caps[cap];
}
EXPORT_SYMBOL_GPL(hisi_qm_cap);

/**
 * hisi_qm_is_v3 - does the function have the registers and contexts of generation 3?
 * @qm: the function
 */
bool hisi_qm_is_v3(struct hisi_qm *qm)
{
	return qm->gen->version >= QM_HW_V3;
}
EXPORT_SYMBOL_GPL(hisi_qm_is_v3);

/**
 * hisi_qm_mediated - are its queues for processes mediated?
 * @qm: the function, whose registers are set up accordingly
 */
bool hisi_qm_mediated(const struct hisi_qm *qm)
{
	return qm->uacce && uacce_mediated(qm->uacce);
}
EXPORT_SYMBOL_GPL(hisi_qm_mediated);
