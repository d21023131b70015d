/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of available_instances (selftests/provision/available.c) need of each program that has them. */
#ifndef WD_TEST_AVAILABLE_H
#define WD_TEST_AVAILABLE_H

#define SECTION	"ROOM"
#define MEMBER	"hisi_zip-0"	/* SECTION's device: one slot of 1 + 1 contexts, and 2 extra contexts */

/* Before the tests; argv is that of main(). The program may start itself again here. */
void available_prepare(char **argv);

/* Makes SECTION live with MEMBER. Returns the device's number of queues, or -errno. */
long available_begin(void);

/* Makes SECTION drain. */
void available_drain(void);

/* Removes SECTION completely, after the process has stopped using it. */
void available_end(void);

#endif
