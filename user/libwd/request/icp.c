// SPDX-License-Identifier: Apache-2.0
/* Starting and stopping under the names of QAT's API. */
#include <icp_sal_user.h>

#include "request/core.h"

static CpaStatus status(int ret)
{
	return !ret ? CPA_STATUS_SUCCESS : ret == -EINVAL ? CPA_STATUS_INVALID_PARAM : CPA_STATUS_FAIL;
}

CpaStatus icp_sal_userStart(const char *pSectionName)
{
	return status(wd_section_start_held(pSectionName));
}

CpaStatus icp_sal_userStartMultiProcess(const char *pSectionName, CpaBoolean limitDevAccess)
{
	(void)limitDevAccess;
	return icp_sal_userStart(pSectionName);
}

CpaStatus icp_sal_userStop(void)
{
	return status(wd_section_stop_all());
}
