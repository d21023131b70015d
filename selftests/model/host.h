/* SPDX-License-Identifier: Apache-2.0 */
/* A hypervisor's driver for a virtual function: it stops, saves, loads and starts the function through registers. */
#ifndef HOST_H
#define HOST_H

#include "rig.h"
#include "hw/migrate_hw.h"

/* Begins to stop the function; host_stopped() waits until it has stopped. */
void host_stop_begin(struct rig *vf);
/* 0, -EIO: the function refuses or doesn't answer, -EBUSY: something is still going on. */
int host_stopped(struct rig *vf);
int host_stop(struct rig *vf);

/* Return: the record's length, or -errno. */
int host_save(struct rig *vf, struct qm_migration *record);
/* Return: 1, 0 when there is nothing to load, or -errno. */
int host_load(struct rig *vf, const void *record, u32 len);
/* Rings for each queue; the device looks after the last one, or after each. */
void host_start(struct rig *vf);
void host_start_slowly(struct rig *vf);

/*
 * The guest, its memory and its driver go from one function to another one, whose old memory must not be used any more.
 */
void guest_move(struct rig *to, struct rig *from);
/* Attaches VF 1 of a device whose PF is bare, with @num queues from @base on. */
void guest_attach(struct rig *vf, struct rig *pf, u32 base, u32 num);

#endif
