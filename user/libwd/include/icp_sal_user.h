/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions by which programs written for QAT attach to a section; wd_user.h
 * describes sections. If Intel's cpa.h is used too, include it first.
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
 * icp_sal_userStart() - wd_user_start() that never waits for a slot, and fails
 *	on a kernel without sections, which reserves nothing for the process.
 * icp_sal_userStartMultiProcess() - the same; limitDevAccess is ignored, since the section determines it.
 * icp_sal_userStop() - wd_user_stop() that doesn't fail while sessions exist:
 *	their contexts are closed, and requests end as when the slot is taken
 *	away. These sessions never get a context again; the program frees them.
 *
 * Return CPA_STATUS_SUCCESS; CPA_STATUS_INVALID_PARAM if the name can't be that
 * of a section; CPA_STATUS_FAIL, and wd_error_detail(0, ...) says why.
 */
CpaStatus icp_sal_userStart(const char *pSectionName);
CpaStatus icp_sal_userStartMultiProcess(const char *pSectionName, CpaBoolean limitDevAccess);
CpaStatus icp_sal_userStop(void);

#ifdef __cplusplus
}
#endif
#endif
