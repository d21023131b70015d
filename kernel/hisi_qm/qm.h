/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between the queue manager core and the drivers of the engines (ZIP, SEC, HPRE). */
#ifndef WD_QM_H
#define WD_QM_H

#include <linux/dcache.h>
#include <linux/pci.h>
#include <linux/types.h>
#include "hw/qm_hw.h"
#include "translate/translate.h"
#include "uacce/uacce.h"

struct hisi_qm;

/**
 * struct hisi_qm_cap - one capability field and the source of its value
 * @offset:	register, read on generations that have capability registers
 * @shift:	position of the field
 * @mask:	mask of the field, after the shift
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

/* Every engine's capability table starts with these entries; the engine's own follow. */
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

/* A line of the "algorithms" attribute, present when a bit of @mask is set. */
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
 * @name:	name of the block in log messages
 * @source:	errors that have occurred, write 1 to clear
 * @mask:	1 = not reported, unless @mask_enables
 * @mask_enables: in @mask, 1 = reported
 * @status:	errors that are being reported
 * @ce:		enables the correctable errors
 * @nfe:	enables the non-fatal errors
 * @fe:		enables the fatal errors
 * @shutdown:	errors on which hardware closes its bus master by itself
 * @errors:	texts, terminated by a zero bit
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
 * struct hisi_qm_ecc - uncorrectable memory errors on generation 2
 * @bits:	those of the engine, on which it closes its bus master
 * @set:	register that injects them, for an engine that the queue manager's error doesn't stop; 0: it stops with
 *		that
 * @msi_port:	bit of AM_CFG_PORT_WR_EN for interrupts
 */
struct hisi_qm_ecc {
	u32 bits;
	u32 set;
	u32 msi_port;
};

/**
 * struct hisi_qm_engine - differences between the engines
 * @name:	PCI driver and base of the uacce device's name
 * @wd_type:	category, "compression" or "crypto"
 * @reset_method: ACPI method that resets the device
 * @sqe_size:	bytes of a submission descriptor, a power of two
 * @sqe_hide:	first byte of a descriptor that a dump omits (addresses)
 * @sqe_hide_bytes: number of bytes omitted
 * @shaper_rates: bandwidths of the engine classes, in units of QM_SHAPER_CFG
 * @qc_types:	number of engine classes that a queue can choose from
 * @qc_types_v2: the same on generation 2
 * @sgl:		the engine takes scatter-gather lists
 * @translation: the table of its descriptors
 * @regs_size:	bytes of BAR2 that the driver accesses
 * @caps:	capability table, beginning with the entries of enum hisi_qm_engine_cap
 * @cap_nr:	number of entries of @caps
 * @algs:	algorithm names, terminated by a NULL name
 * @levels:	levels of the algorithms for the framework, terminated by a NULL name; NULL: all
 *		average
 * @errors:	the engine's error bits
 * @ecc:	of these, the uncorrectable memory errors
 * @keep_functions: let the end of bus mastering leave functions as they are
 * @hw_init:	initialise the engine's registers; the function isn't started
 * @hw_exit:	undo @hw_init as far as needed; the function is stopped
 * @debugfs_init: create the engine's files in the function's directory, with which they are
 *		removed
 * @counts:	optional; add what the engine's registers count, without waiting
 *
 * The last five are for physical functions only: virtual ones have no registers of the engine.
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
	enum tr_engine translation;
	u32 regs_size;
	const struct hisi_qm_cap *caps;
	unsigned int cap_nr;
	const struct hisi_qm_alg *algs;
	const struct uacce_alg_level *levels;
	const struct hisi_qm_error_block *errors;
	struct hisi_qm_ecc ecc;
	void (*keep_functions)(struct hisi_qm *qm);
	int (*hw_init)(struct hisi_qm *qm);
	void (*hw_exit)(struct hisi_qm *qm);
	void (*debugfs_init)(struct hisi_qm *qm, struct dentry *dir);
	void (*counts)(struct hisi_qm *qm, struct uacce_counts *counts);
};

/**
 * struct hisi_qm_config - the administrator's settings, and the driver's debugfs directory
 * @queues:	queues of the physical function
 * @queues_asked: @queues was set explicitly, so too large a number is an error; the default is
 *		lowered instead
 * @vfs:	virtual functions to enable when a physical function is bound
 * @user:	1: queues can be opened by user space
 * @debugfs:	the driver's directory
 */
struct hisi_qm_config {
	unsigned int queues;
	bool queues_asked;
	unsigned int vfs;
	unsigned int user;
	struct dentry *debugfs;
};

#define HISI_QM_QUEUES_MIN	2
#define HISI_QM_QUEUES_MAX	QM_MAX_QUEUES_V2

/* A register and the value written to it. */
struct hisi_qm_reg {
	u32 offset;
	u32 value;
};

/* A register shown in debugfs. */
struct hisi_qm_named_reg {
	u32 offset;
	const char *name;
};

/**
 * struct hisi_qm_prefetch - an engine's registers of the translation prefetcher
 * @config:	register that switches the prefetcher
 * @disable:	bit of @config that disables it
 * @closed:	bits of @config to clear when it opens
 * @status:	register that shows prefetches in flight
 * @busy:	bits of @status that show them
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
extern const struct dev_pm_ops hisi_qm_pm_ops;

/* In driver_data of a row of an engine's table of PCI ids: a virtual function. */
#define HISI_QM_VF	1

int hisi_qm_probe(struct pci_dev *pdev, const struct pci_device_id *id, const struct hisi_qm_engine *engine,
		  const struct hisi_qm_config *config);
int hisi_qm_configure_vfs(struct pci_dev *pdev, int vfs);
void hisi_qm_remove(struct pci_dev *pdev);
void hisi_qm_shutdown(struct pci_dev *pdev);
int hisi_qm_register(struct pci_driver *driver, struct module *owner, struct hisi_qm_config *config);
void hisi_qm_unregister(struct pci_driver *driver, struct hisi_qm_config *config);

struct pci_dev *hisi_qm_pdev(struct hisi_qm *qm);
bool hisi_qm_is_v3(struct hisi_qm *qm);
bool hisi_qm_mediated(const struct hisi_qm *qm);
bool hisi_qm_has(struct hisi_qm *qm, u32 feature);
u32 hisi_qm_cap(struct hisi_qm *qm, unsigned int cap);

u32 hisi_qm_read(struct hisi_qm *qm, u32 reg);
void hisi_qm_write(struct hisi_qm *qm, u32 reg, u32 value);
int hisi_qm_wait(struct hisi_qm *qm, u32 reg, u32 mask, u32 value);
void hisi_qm_write_regs(struct hisi_qm *qm, const struct hisi_qm_reg *regs, unsigned int nr);
void hisi_qm_set_bits(struct hisi_qm *qm, u32 reg, u32 bits);
void hisi_qm_clear_bits(struct hisi_qm *qm, u32 reg, u32 bits);

void hisi_qm_keep_functions(struct hisi_qm *qm);
void hisi_qm_bus_init(struct hisi_qm *qm);
int hisi_qm_prefetch_open(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch);
void hisi_qm_prefetch_close(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch);
void hisi_qm_counters_clear(struct hisi_qm *qm);

int hisi_qm_look_begin(struct hisi_qm *qm);
void hisi_qm_look_end(struct hisi_qm *qm);

void hisi_qm_debugfs_regs(struct hisi_qm *qm, struct dentry *dir, u32 base,
			  const struct hisi_qm_named_reg *regs, unsigned int nr);
void hisi_qm_debugfs_switch(struct hisi_qm *qm, struct dentry *dir, const char *name, u32 reg, u32 bits);

#endif
