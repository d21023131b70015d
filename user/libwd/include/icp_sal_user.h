/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names under which programs written for QAT attach to a section: see
 * wd_user.h for what they do. Where Intel's cpa.h is used too, include it first.
 */
#ifndef ICP_SAL_USER_H
#define ICP_SAL_USER_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CPA_STATUS_SUCCESS
#define CPA_STATUS_SUCCESS		(0)
#define CPA_STATUS_FAIL			(-1)
#define CPA_STATUS_RETRY		(-2)
#define CPA_STATUS_RESOURCE		(-3)
#define CPA_STATUS_INVALID_PARAM	(-4)
#define CPA_STATUS_FATAL		(-5)
#define CPA_STATUS_UNSUPPORTED		(-6)
#define CPA_STATUS_RESTARTING		(-7)

typedef int CpaStatus;

typedef enum _CpaBoolean {
	CPA_FALSE = 0,
	CPA_TRUE = 1
} CpaBoolean;
#endif

/*
 * icp_sal_userStart() - wd_user_start(), which never waits for a slot here, and
 *	fails on a kernel without sections, where nothing is held back.
 * icp_sal_userStartMultiProcess() - the same; limitDevAccess is the section's, and ignored here.
 * icp_sal_userStop() - wd_user_stop(), which ends what sessions have instead of
 *	being refused: requests end as when the slot is taken away. Such sessions
 *	get no context again and are to be freed as ever.
 *
 * Return CPA_STATUS_SUCCESS; CPA_STATUS_INVALID_PARAM for what can't be a
 * section's name; CPA_STATUS_FAIL, and wd_error_detail(0, ...) says why.
 */
CpaStatus icp_sal_userStart(const char *pSectionName);
CpaStatus icp_sal_userStartMultiProcess(const char *pSectionName, CpaBoolean limitDevAccess);
CpaStatus icp_sal_userStop(void);

#ifdef __cplusplus
}
#endif
#endif
