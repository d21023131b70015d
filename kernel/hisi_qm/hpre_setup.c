// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of the HPRE engine: initialisation and shutdown. */
#include <linux/acpi.h>
#include <linux/bits.h>
#include "hpre.h"

/* Generation 2: firmware sets whether the end of bus mastering resets the function. */
#define HPRE_DSM_FUNCTION	1
static const guid_t hpre_dsm_guid =
	GUID_INIT(0xb06b81ab, 0x0134, 0x4a45, 0x9b, 0x0c, 0x48, 0x34, 0x47, 0xb9, 0x5f, 0xa7);

/* Clock gates on generation 3: cleared when the initialisation begins, set when it ends. */
static const struct hisi_qm_reg hpre_gates[] = {
	{ HPRE_CLOCK_GATE, HPRE_CLOCK_GATE_ON },
	{ HPRE_PEH_GATE, HPRE_PEH_GATE_ON },
	{ HPRE_CLUSTER_BASE + HPRE_CLUSTER_GATE, HPRE_CLUSTER_GATE_ON },
	{ HPRE_CLUSTER_BASE + HPRE_CLUSTER_AUTO_GATE, HPRE_CLUSTER_AUTO_GATE_ON },
};

/* The bus side differs from that of the other engines. */
static const struct hisi_qm_reg hpre_regs[] = {
	{ QM_ARUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_AWUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_AXI_M_CFG, QM_AXI_M_CFG_VALUE },
	{ HPRE_AXCACHE, HPRE_AXCACHE_VALUE },
	{ HPRE_BD_ENDIAN, 0 },
	{ HPRE_POISON_BYPASS, 0 },
	{ HPRE_ECC_BYPASS, 0 },
	{ HPRE_BD_READ_USER, HPRE_BD_USER_VALUE },
	{ HPRE_BD_WRITE_USER, HPRE_BD_USER_VALUE },
};

static const struct hisi_qm_prefetch hpre_prefetch = {
	.config = HPRE_PREFETCH_CFG,
	.disable = HPRE_PREFETCH_DISABLE,
	.closed = HPRE_PREFETCH_ENABLE_CLR,
	.status = HPRE_SVA_TRANS,
	.busy = HPRE_SVA_TRANS_BUSY,
};

/* @was: receives the gates' old values, one per gate */
static void hpre_gates_clear(struct hisi_qm *qm, u32 *was)
{
	unsigned int i;

	for (i = 0; hisi_qm_is_v3(qm) && i < ARRAY_SIZE(hpre_gates); i++) {
		was[i] = hisi_qm_read(qm, hpre_gates[i].offset);
		hisi_qm_write(qm, hpre_gates[i].offset, was[i] & ~hpre_gates[i].value);
	}
}

static void hpre_gates_restore(struct hisi_qm *qm, const u32 *was)
{
	unsigned int i;

	for (i = 0; hisi_qm_is_v3(qm) && i < ARRAY_SIZE(hpre_gates); i++)
		hisi_qm_write(qm, hpre_gates[i].offset, was[i]);
}

static void hpre_gates_set(struct hisi_qm *qm)
{
	unsigned int i;

	for (i = 0; hisi_qm_is_v3(qm) && i < ARRAY_SIZE(hpre_gates); i++)
		hisi_qm_set_bits(qm, hpre_gates[i].offset, hpre_gates[i].value);
}

/**
 * hpre_clusters - number of clusters of cores
 * @qm: the function
 */
u32 hpre_clusters(struct hisi_qm *qm)
{
	return min_t(u32, hisi_qm_cap(qm, HPRE_CAP_ID_CLUSTERS), HPRE_CLUSTERS_MAX);
}

/**
 * hpre_cluster - offset of a cluster's first register
 * @number: the cluster's number
 */
u32 hpre_cluster(u32 number)
{
	return HPRE_CLUSTER_BASE + number * HPRE_CLUSTER_STRIDE;
}

static int hpre_clusters_init(struct hisi_qm *qm)
{
	u32 cores = hisi_qm_cap(qm, HPRE_CAP_ID_CORE_ENABLE), i, base;
	int ret;

	for (i = 0; i < hpre_clusters(qm); i++) {
		base = hpre_cluster(i);
		hisi_qm_write(qm, base + HPRE_CLUSTER_CORES, cores);
		hisi_qm_write(qm, base + HPRE_CLUSTER_START, 1);
		ret = hisi_qm_wait(qm, base + HPRE_CLUSTER_READY, cores, cores);
		if (ret) {
			pci_err(hisi_qm_pdev(qm), "cluster %u is not ready (%d)\n", i, ret);
			return ret;
		}
	}
	return 0;
}

static int hpre_engine_init(struct hisi_qm *qm)
{
	int ret;

	hisi_qm_write_regs(qm, hpre_regs, ARRAY_SIZE(hpre_regs));
	hisi_qm_write(qm, HPRE_TYPES_ENABLE, HPRE_TYPES_RSA | (hisi_qm_is_v3(qm) ? HPRE_TYPES_ECC : 0));
	hisi_qm_write(qm, HPRE_START_INIT, 1);
	ret = hisi_qm_wait(qm, HPRE_INIT_DONE, 1, 1);
	if (ret) {
		pci_err(hisi_qm_pdev(qm), "engine is not ready (%d)\n", ret);
		return ret;
	}
	return hpre_clusters_init(qm);
}

/* Generation 2 only: payload is in the caller's address space, unless the kernel executes submissions. */
static void hpre_v2_init(struct hisi_qm *qm)
{
	void (*change)(struct hisi_qm *qm, u32 reg, u32 bits) =
		hisi_qm_mediated(qm) ? hisi_qm_clear_bits : hisi_qm_set_bits;

	change(qm, HPRE_DATA_READ_USER, HPRE_DATA_USER_SVA);
	change(qm, HPRE_DATA_WRITE_USER, HPRE_DATA_USER_SVA);
}

/**
 * hpre_keep_functions - let the end of bus mastering leave functions as they are
 * @qm: the physical function
 *
 * Nothing is known of such a setting on generation 3; mainline's driver makes none.
 */
void hpre_keep_functions(struct hisi_qm *qm)
{
	union acpi_object *answer;
	acpi_handle handle = ACPI_HANDLE(&hisi_qm_pdev(qm)->dev);

	if (hisi_qm_is_v3(qm))
		return;
	hisi_qm_clear_bits(qm, QM_PEH_AXUSER_CFG, BIT(7) | BIT(12));
	hisi_qm_set_bits(qm, QM_PEH_AXUSER_CFG, BIT(11));
	answer = handle ? acpi_evaluate_dsm(handle, &hpre_dsm_guid, 0, HPRE_DSM_FUNCTION, NULL) : NULL;
	if (!answer)
		pci_warn(hisi_qm_pdev(qm), "firmware has no method (_DSM) for the reset behaviour of the function\n");
	ACPI_FREE(answer);
}

static void hpre_counters_clear(struct hisi_qm *qm)
{
	u32 i;

	hisi_qm_counters_clear(qm);
	for (i = 0; i < hpre_clusters(qm); i++)
		hisi_qm_write(qm, hpre_cluster(i) + HPRE_CLUSTER_INQUIRY, 0);
	hisi_qm_write(qm, HPRE_CNT_CLR_CE, 0);
}

/**
 * hpre_hw_init - initialise the engine's registers
 * @qm: a function that isn't started
 */
int hpre_hw_init(struct hisi_qm *qm)
{
	u32 gates[ARRAY_SIZE(hpre_gates)];
	int ret;

	/* With gated clocks the clusters never become ready. */
	hpre_gates_clear(qm, gates);
	ret = hpre_engine_init(qm);
	if (ret)
		goto err_restore_gates;
	if (!hisi_qm_is_v3(qm))
		hpre_v2_init(qm);
	ret = hisi_qm_prefetch_open(qm, &hpre_prefetch);
	if (ret)
		goto err_restore_gates;
	hpre_gates_set(qm);
	hisi_qm_set_bits(qm, HPRE_OOO_SHUTDOWN, HPRE_OOO_SHUTDOWN_ON);
	hpre_counters_clear(qm);
	return 0;

err_restore_gates:
	hpre_gates_restore(qm, gates);
	return ret;
}

/**
 * hpre_hw_exit - undo hpre_hw_init() as far as needed
 * @qm: a stopped function
 */
void hpre_hw_exit(struct hisi_qm *qm)
{
	hisi_qm_clear_bits(qm, HPRE_OOO_SHUTDOWN, HPRE_OOO_SHUTDOWN_ON);
	hisi_qm_prefetch_close(qm, &hpre_prefetch);
}
