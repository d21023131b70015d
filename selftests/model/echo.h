/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for completed descriptors: only documented outputs differ from what was sent. */
#ifndef ECHO_H
#define ECHO_H

#include "rig.h"

/* The bits of word @dw that the device may change in a descriptor that was sent as @sent. */
u32 echo_outputs(enum wdm_type type, const u32 *sent, u32 dw);
/* Notes what is in a slot, as its request was sent. */
void echo_sent(struct rig *r, u32 q, u32 slot);
/* Never compares a queue whose client changes slots that the device owns, or rings for slots that it hasn't filled. */
void echo_lawless(struct rig *r, u32 q);
/* Aborts, and says why, unless the completed descriptor of a slot has kept its inputs. */
void echo_check(struct rig *r, u32 q, u32 slot);

#endif
