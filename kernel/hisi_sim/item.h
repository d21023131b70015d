/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of configfs, and what its attributes share. */
#ifndef HISI_SIM_ITEM_H
#define HISI_SIM_ITEM_H

#include <linux/configfs.h>

#include "internal.h"

/* The locks are at the top of configfs.c. */
struct sim_item {
	struct config_group group;
	struct config_group faults;
	struct list_head made;	/* those of the devices parameter */
	bool by_parameter;
	struct mutex lock;
	struct sim_shape shape;
	struct sim_dev *sdev;
};

/* configfs.c */
/* The device goes; @surprise: nobody has told its driver. */
void sim_item_go_away(struct sim_item *item, bool surprise);

/* faults.c */
void sim_faults_init(struct sim_item *item);
/* Whether the device can have the faults it is to start with; the log says which it can't. */
int sim_faults_check(struct sim_item *item);
/* What is left of them when it goes. */
void sim_faults_keep(struct sim_item *item);

#endif
