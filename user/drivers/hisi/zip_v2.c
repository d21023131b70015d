// SPDX-License-Identifier: Apache-2.0
/* Compression on ZIP engines of generation 2, which have zlib and gzip only. */
#define ZIP_TYPE	ZIP_SQE_TYPE_0
#include "zip_fast.inc.h"

static const char *const zip_v2_apis[] = { "hisi_qm_v2", NULL };

static bool zip_v2_serves(const struct wd_session_attr *attr)
{
	return attr->alg == WD_ZLIB || attr->alg == WD_GZIP;
}

const struct wd_driver hisi_zip_v2_driver = {
	ZIP_DRIVER,
	HISI_FAST,
	.apis = zip_v2_apis,
	.serves = zip_v2_serves,
	.push = zip_v2_push,
	.result = zip_v2_result,
};
