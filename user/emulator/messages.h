/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between wd-emulate, which answers for the kernel where sections are
 * concerned, and the library in each of its programs. A generic netlink socket
 * of a program is in truth a connection to wd-emulate; these messages, with
 * netlink's header, go over one of the library's own.
 */
#ifndef EMU_MESSAGES_H
#define EMU_MESSAGES_H

#include <linux/netlink.h>

#define EMU_SECTIONS_FAMILY	0x20	/* number of the family "uacce" */
#define EMU_SECTIONS_ADDRESS	64	/* bytes of an abstract socket's name, at most */

enum emu_sections_type {
	EMU_CHARGE = 0x7f00,	/* value: the device's number; the answer's: a charge, or -errno */
	EMU_UNCHARGE,		/* value: the charge */
	EMU_LEFT,		/* value: the device's number; the answer's: what the sender could still open of it, or -errno */
	EMU_CONTROL,		/* name, command: drain, revoke, live */
};

struct emu_sections_message {
	struct nlmsghdr h;
	int value;
	char name[32];
	char command[16];
};

#endif
