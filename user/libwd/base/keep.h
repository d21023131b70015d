/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a device may still write to: it stays. */
#ifndef WD_KEEP_H
#define WD_KEEP_H

/* A member of what has to be kept. */
struct wd_kept {
	struct wd_kept *next;
};

/* Its memory, and all that it points to, is never freed, and a search for leaks finds it: see close of struct wd_driver. */
void wd_keep(struct wd_kept *k);

#endif
