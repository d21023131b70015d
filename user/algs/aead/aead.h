/* SPDX-License-Identifier: Apache-2.0 */
/* Between libwd_aead and its drivers; private. */
#ifndef WD_AEAD_PRIVATE_H
#define WD_AEAD_PRIVATE_H

#include <wd_aead.h>
#include "crypto.h"

#define AEAD_IV_MAX	128	/* of GCM */
#define GCM_IV_BYTES	12	/* that devices have */

extern const struct wd_driver hisi_aead_driver;
extern const struct wd_driver soft_aead_driver;

#endif
