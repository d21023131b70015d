// SPDX-License-Identifier: Apache-2.0
/* Ciphers on SEC engines of generation 2. */
#define SEC_TYPE	CRYPTO_BD2
#include "sec_cipher.inc.h"

const struct wd_driver hisi_cipher_v2_driver = {
	SEC_V2_DRIVER,
	HISI_FAST,
};
