/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a device may still write to: it is never freed. */
#ifndef WD_KEEP_H
#define WD_KEEP_H

/* Embedded in each structure that may have to be kept. */
struct wd_kept {
	struct wd_kept *next;
};

/*
 * The structure's memory, and all memory that it points to, is never freed; leak checkers can reach it. See @close of
 * struct wd_driver.
 */
void wd_keep(struct wd_kept *k);

#endif
