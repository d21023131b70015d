/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between wd-emulate, which serves sections instead of the kernel, and the library in each of its programs. A
 * program's generic netlink socket is really a connection to wd-emulate. These messages, with netlink's header, go over
 * a connection of the library's own.
 */
#ifndef EMU_MESSAGES_H
#define EMU_MESSAGES_H

#include <linux/netlink.h>

#define EMU_SECTIONS_FAMILY	0x20	/* number of the family "uacce" */
#define EMU_SECTIONS_ADDRESS	64	/* most bytes of an abstract socket's name */

enum emu_sections_type {
	EMU_CHARGE = 0x7f00,	/* value: the device's number; in the answer: a charge, or -errno */
	EMU_UNCHARGE,		/* value: the charge */
	EMU_LEFT,		/* the same; in the answer: contexts that the sender can still open, or -errno */
	EMU_CONTROL,		/* name, command: drain, revoke, live */
};

struct emu_sections_message {
	struct nlmsghdr h;
	int value;
	char name[32];
	char command[16];
};

#endif
