/* SPDX-License-Identifier: Apache-2.0 */
/* Caches what a device reports that doesn't change during its life, so that its files are read once. */
#ifndef WD_FACTS_H
#define WD_FACTS_H

#include <stdbool.h>
#include <time.h>
#include <sys/types.h>
#include <wd.h>

/* One life of a device: a device that returns under its old name has a new folder. */
struct wd_life {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
};

/* The life that the folder belongs to now. 0 or -ENODEV. */
int wd_life_of(const char *folder, struct wd_life *life);

/*
 * Fills info, whose name, number and folder are set, and *rdev from the entry of that life. False: there is none, and
 * both are unchanged. Only api, algs, flags, qfrs_offs, simulated and mediated are valid afterwards.
 */
bool wd_facts_recall(const struct wd_life *life, struct uacce_dev_info *info, dev_t *rdev);

/*
 * Stores the facts, and replaces the entry of another device or life; does nothing if that life ended while info was
 * read.
 */
void wd_facts_keep(const struct wd_life *life, const struct uacce_dev_info *info, dev_t rdev);

#endif
