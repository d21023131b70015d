/* SPDX-License-Identifier: Apache-2.0 */
/* How long a test waits for what comes: longer than any machine takes. */
#ifndef WD_TEST_WAIT_MS_H
#define WD_TEST_WAIT_MS_H

#define WAIT_MS	300000	/* only a hang takes so long */

#endif
