/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness for tests that take minutes: whole files of vectors on a simulated device and a simulated CPU,
 * and streams in small steps on an emulated device under a sanitizer.
 */
#ifndef WD_HARNESS_LONG_H
#define WD_HARNESS_LONG_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600	/* seconds, for each test */

#endif
