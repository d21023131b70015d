/* SPDX-License-Identifier: Apache-2.0 */
/* What a device says that stays as long as it lives, so that its files are read once. */
#ifndef WD_FACTS_H
#define WD_FACTS_H

#include <stdbool.h>
#include <time.h>
#include <sys/types.h>
#include <wd.h>

/* One life of a device: a device that returns under its old name has another folder. */
struct wd_life {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
};

/* The life that the folder is of now. 0 or -ENODEV. */
int wd_life_of(const char *folder, struct wd_life *life);

/*
 * Fills info, whose name, number and folder are set, with what was kept in that life, and the device's number; false:
 * nothing, and both stay. Only api, algs, flags, qfrs_offs and simulated still hold.
 */
bool wd_facts_recall(const struct wd_life *life, struct uacce_dev_info *info, dev_t *rdev);

/* Keep it, in the place of what another device or life left, unless that life ended while info was read. */
void wd_facts_keep(const struct wd_life *life, const struct uacce_dev_info *info, dev_t rdev);

#endif
