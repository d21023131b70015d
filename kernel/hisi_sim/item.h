/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configfs directory, and the state that its attributes share. */
#ifndef HISI_SIM_ITEM_H
#define HISI_SIM_ITEM_H

#include <linux/configfs.h>
#include <linux/workqueue.h>

#include "internal.h"

/* configfs.c describes the locks. */
struct sim_item {
	struct config_group group;
	struct config_group faults;
	struct list_head made;	/* list of items made by the devices parameter */
	bool by_parameter;
	struct mutex lock;
	struct work_struct pull_out;
	struct sim_shape shape;
	struct sim_dev *sdev;
};

/* configfs.c */
/* Removes the device; @surprise: without notifying its driver. */
void sim_item_go_away(struct sim_item *item, bool surprise);

/* faults.c */
void sim_faults_init(struct sim_item *item);
/* Can the device have the faults that it would start with? The log names the one it can't have. */
int sim_faults_check(struct sim_item *item);
/* Keeps the remaining faults when the device is removed. */
void sim_faults_keep(struct sim_item *item);

#endif
