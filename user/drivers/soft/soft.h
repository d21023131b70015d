/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the software driver; private. */
#ifndef WD_SOFT_H
#define WD_SOFT_H

#include "comp.h"

/* A flat buffer in one go, by libdeflate. 0 or -errno, results in the message. */
int soft_whole(struct comp_msg *c);

#endif
