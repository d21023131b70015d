/* SPDX-License-Identifier: Apache-2.0 */
/* Emulated devices are threads, and tests fork meanwhile: makes ThreadSanitizer accept forks of such a process. */
#ifndef WD_TEST_TSAN_FORK_H
#define WD_TEST_TSAN_FORK_H

#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif

#endif
