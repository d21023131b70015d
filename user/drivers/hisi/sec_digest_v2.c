// SPDX-License-Identifier: Apache-2.0
/* Digests on SEC engines of generation 2. */
#define SEC_TYPE	CRYPTO_BD2
#include "sec_digest.inc.h"

const struct wd_driver hisi_digest_v2_driver = {
	SEC_V2_DRIVER,
	HISI_FAST,
};
