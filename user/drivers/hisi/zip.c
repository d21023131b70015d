// SPDX-License-Identifier: Apache-2.0
/* Compression on ZIP engines of generation 3, and those that take its descriptors. */
#define ZIP_TYPE	ZIP_SQE_TYPE_3
#include "zip_fast.inc.h"

static const char *const zip_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

const struct wd_driver hisi_zip_driver = {
	ZIP_DRIVER,
	HISI_FAST,
	.apis = zip_apis,
	.push = zip_push,
	.result = zip_result,
};
