/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The record of a paused virtual function, for a host that moves the function to another device of the model. */
#ifndef WDM_RECORD_H
#define WDM_RECORD_H

#include "env.h"

struct wdm_device;

/*
 * Control context, both. The record is struct qm_migration of hw/migrate_hw.h; it doesn't contain memory. The order:
 *	the function's mailbox command QM_MB_CMD_PAUSE_QM, QM_CACHE_WB_START, wdm_record_save();
 *	memory moves;
 *	wdm_record_load() into a function that has been reset and has as many queues;
 *	an SQ doorbell with index 0 and QM_DB_START for each queue, at QM_DB_SQ_CQ of BAR2.
 * The same doorbells let a paused function go on where it is.
 */

/*
 * Return: the length of the record, which is QM_MIGRATION_MATCH if the function's driver isn't ready. -EINVAL: not an
 * attached VF, -EBUSY: it isn't paused, -ENOSPC: @room is less than the record.
 */
int wdm_record_save(struct wdm_device *dev, u32 fn, void *record, u32 room);

/*
 * Return: 1, or 0 if the record's function wasn't ready, and so there is nothing to load. After an error nothing has
 * changed. -EINVAL: not an attached VF; a malformed record; or one of another device, number of queues, doorbell
 * isolation or version. -ENOMEM: a longer record. -EBUSY: the function is in use; reset it.
 */
int wdm_record_load(struct wdm_device *dev, u32 fn, const void *record, u32 len);

#endif
