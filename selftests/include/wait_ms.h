/* SPDX-License-Identifier: Apache-2.0 */
/* How long a test waits for an event that must come: longer than any machine takes. */
#ifndef WD_TEST_WAIT_MS_H
#define WD_TEST_WAIT_MS_H

#define WAIT_MS	300000	/* only a hang takes this long */

#endif
