/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver of one engine (zip, ...) gives to and calls in the queue manager core. */
#ifndef WD_QM_H
#define WD_QM_H

#include <linux/dcache.h>
#include <linux/pci.h>
#include <linux/types.h>
#include "hw/qm_hw.h"
#include "uacce/uacce.h"

struct hisi_qm;

/**
 * struct hisi_qm_cap - one capability field and where its value comes from
 * @offset:	register, read on generations that have capability registers
 * @shift:	of the field
 * @mask:	of the field, after the shift
 * @v2:		value on generation 2
 * @v3:		value when the device's capability version is 0
 */
struct hisi_qm_cap {
	u32 offset;
	u32 shift;
	u32 mask;
	u32 v2;
	u32 v3;
};

/* Every engine's capability table starts with these; its own follow. */
enum hisi_qm_engine_cap {
	HISI_QM_ENGINE_CAP_QM_NFE,
	HISI_QM_ENGINE_CAP_QM_RESET,
	HISI_QM_ENGINE_CAP_QM_CE,
	HISI_QM_ENGINE_CAP_NFE,
	HISI_QM_ENGINE_CAP_RESET,
	HISI_QM_ENGINE_CAP_CE,
	HISI_QM_ENGINE_CAP_ALGS,
	HISI_QM_ENGINE_CAP_ALGS_HIGH,
	HISI_QM_ENGINE_CAP_OWN,
};

/* A line of the "algorithms" attribute, there when a bit of @mask is set. */
struct hisi_qm_alg {
	u64 mask;
	const char *name;
};

struct hisi_qm_error {
	u32 bit;
	const char *text;
};

/**
 * struct hisi_qm_error_block - registers and texts of one group of error bits
 * @name:	whose errors these are
 * @source:	what happened, write 1 to clear
 * @mask:	1 = not reported, or the other way round
 * @mask_enables: the other way round
 * @status:	what is reported now
 * @ce:		bits that are correctable
 * @nfe:	bits that are not fatal
 * @fe:		bits that are fatal
 * @shutdown:	bits on which hardware closes its bus master by itself
 * @errors:	texts, ends with a zero bit
 */
struct hisi_qm_error_block {
	const char *name;
	u32 source;
	u32 mask;
	bool mask_enables;
	u32 status;
	u32 ce;
	u32 nfe;
	u32 fe;
	u32 shutdown;
	const struct hisi_qm_error *errors;
};

/**
 * struct hisi_qm_engine - what differs between the engines
 * @name:	PCI driver and base of the uacce device's name
 * @wd_type:	category, "compression" or "crypto"
 * @reset_method: ACPI method that resets the device
 * @sqe_size:	bytes of a submission descriptor, a power of two
 * @sqe_hide:	first byte of a descriptor that a dump leaves out (addresses)
 * @sqe_hide_bytes: how many
 * @shaper_rates: bandwidth of the engine classes, as QM_SHAPER_CFG counts it
 * @qc_types:	number of engine classes a queue can choose from
 * @qc_types_v2: the same on generation 2
 * @sgl:		it takes scatter-gather lists
 * @regs_size:	bytes of BAR2 that the driver touches
 * @caps:	capability table, starts as enum hisi_qm_engine_cap says
 * @cap_nr:	its length
 * @algs:	algorithm names, ends with a NULL name
 * @levels:	what the framework tells of them, ends with a NULL name; NULL: all of them are average
 * @errors:	the engine's error bits
 * @hw_init:	give the engine's registers their working values; the function isn't started
 * @hw_exit:	undo it as far as it matters; the function is stopped
 * @debugfs_init: make the engine's files in the function's directory; they go with it
 */
struct hisi_qm_engine {
	const char *name;
	const char *wd_type;
	const char *reset_method;
	u32 sqe_size;
	u32 sqe_hide;
	u32 sqe_hide_bytes;
	u16 shaper_rates[2];
	u16 qc_types;
	u16 qc_types_v2;
	bool sgl;
	u32 regs_size;
	const struct hisi_qm_cap *caps;
	unsigned int cap_nr;
	const struct hisi_qm_alg *algs;
	const struct uacce_alg_level *levels;
	const struct hisi_qm_error_block *errors;
	int (*hw_init)(struct hisi_qm *qm);
	void (*hw_exit)(struct hisi_qm *qm);
	void (*debugfs_init)(struct hisi_qm *qm, struct dentry *dir);
};

/**
 * struct hisi_qm_config - what the administrator asked for, and where people look at it
 * @queues:	queues of the physical function
 * @queues_asked: @queues was given, so too many is an error, not a wish
 * @user:	1: queues can be opened by user space
 * @debugfs:	the driver's directory
 */
struct hisi_qm_config {
	unsigned int queues;
	bool queues_asked;
	unsigned int user;
	struct dentry *debugfs;
};

#define HISI_QM_QUEUES_MIN	2
#define HISI_QM_QUEUES_MAX	QM_MAX_QUEUES_V2

/* A register and what is written to it. */
struct hisi_qm_reg {
	u32 offset;
	u32 value;
};

/* A register that people look at. */
struct hisi_qm_named_reg {
	u32 offset;
	const char *name;
};

/**
 * struct hisi_qm_prefetch - an engine's registers of the translation prefetcher
 * @config:	switches it
 * @disable:	the bit that does
 * @closed:	bits to clear when it opens
 * @status:	says what is under way
 * @busy:	bits that do
 */
struct hisi_qm_prefetch {
	u32 config;
	u32 disable;
	u32 closed;
	u32 status;
	u32 busy;
};

extern const struct kernel_param_ops hisi_qm_queues_ops;
extern const struct kernel_param_ops hisi_qm_switch_ops;
extern const struct kernel_param_ops hisi_qm_vfs_ops;
extern const struct pci_error_handlers hisi_qm_err_handlers;

int hisi_qm_probe(struct pci_dev *pdev, const struct hisi_qm_engine *engine,
		  const struct hisi_qm_config *config);
void hisi_qm_remove(struct pci_dev *pdev);
void hisi_qm_shutdown(struct pci_dev *pdev);
int hisi_qm_register(struct pci_driver *driver, struct module *owner, struct hisi_qm_config *config);
void hisi_qm_unregister(struct pci_driver *driver, struct hisi_qm_config *config);

struct pci_dev *hisi_qm_pdev(struct hisi_qm *qm);
bool hisi_qm_is_v3(struct hisi_qm *qm);
bool hisi_qm_has(struct hisi_qm *qm, u32 feature);
u32 hisi_qm_cap(struct hisi_qm *qm, unsigned int cap);

u32 hisi_qm_read(struct hisi_qm *qm, u32 reg);
void hisi_qm_write(struct hisi_qm *qm, u32 reg, u32 value);
int hisi_qm_wait(struct hisi_qm *qm, u32 reg, u32 mask, u32 value);
void hisi_qm_write_regs(struct hisi_qm *qm, const struct hisi_qm_reg *regs, unsigned int nr);
void hisi_qm_set_bits(struct hisi_qm *qm, u32 reg, u32 bits);
void hisi_qm_clear_bits(struct hisi_qm *qm, u32 reg, u32 bits);

void hisi_qm_bus_init(struct hisi_qm *qm);
int hisi_qm_prefetch_open(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch);
void hisi_qm_prefetch_close(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch);
void hisi_qm_counters_clear(struct hisi_qm *qm);

void hisi_qm_debugfs_regs(struct hisi_qm *qm, struct dentry *dir, u32 base,
			  const struct hisi_qm_named_reg *regs, unsigned int nr);
void hisi_qm_debugfs_switch(struct hisi_qm *qm, struct dentry *dir, const char *name, u32 reg, u32 bits);

#endif
