// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption on SEC engines of generation 3, and those that take its descriptors. */
#define SEC_TYPE	CRYPTO_BD3
#include "sec_aead.inc.h"

const struct wd_driver hisi_aead_driver = {
	SEC_DRIVER,
	HISI_FAST,
};
