/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test may ask of the emulator it runs under. The functions are in the
 * preloaded library: find them with dlsym(RTLD_DEFAULT, ...), which says NULL
 * on a real device.
 */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include <stddef.h>

/*
 * wd_emulate_control() - act on a device of this process, "hisi_zip-0" or "hisi_sec2-1", from any thread.
 *
 *	fault KIND=WHEN,...	as wd-emulate's --fault; KIND=0 ends one
 *	seed N			of the faults; zeroes their counters
 *	hold			the device doesn't look at anything any more, not even at what it has finished
 *	release			it goes on
 *	release-at WHEN		it goes on by itself at the next poll() of one of its queues with ("sleep") or
 *				without ("look") a time limit other than 0, which first waits until a request
 *				has completed
 *	reset			everything accepted is dropped, then all open queues are dead (stop words, POLLHUP)
 *	remove			the same, and the device is gone: from /sys and /dev too
 *	return			it is there again
 *	mainline-poll on|off	of all devices
 *
 * reset and remove return when the device has let go of all memory.
 * Returns 0, -ENODEV (no such device, or it is gone), -EINVAL.
 */
int wd_emulate_control(const char *device, const char *command);

/*
 * wd_emulate_count() - how often something has happened in this process' device.
 *
 * A kind of fault; "completions", "descriptors", "sq_recovered", "arm_recovered", "async_events"; "running": requests that are
 * being executed now; "sleeps", "timeouts": how
 * often a poll() of a queue began to sleep, and how often that ended with its time (of all devices).
 * Returns 0, -ENODEV, -EINVAL. Before the first open everything is 0.
 */
int wd_emulate_count(const char *device, const char *what, unsigned long long *value);

/*
 * wd_emulate_section() - act on a section of wd-emulate --sections.
 *
 *	drain	no attach and no open any more; configured when the last slot is free
 *	revoke	its slots are free at once, and the section is configured; this process' queues are dead, whatever
 *		they were charged to (those of others live on, as the kernel's wouldn't)
 *	live	again
 *
 * Returns 0, -ENOENT, -EBUSY (draining), -EINVAL.
 */
int wd_emulate_section(const char *name, const char *command);

/*
 * wd_emulate_guard() - name memory that devices may not touch now.
 *
 * A device's access to any byte of [base, base + len) whose granule of 1 <<
 * shift bytes has a byte other than 0 in map ends the process with a message
 * and SIGABRT. The test changes the map as it gives buffers away and gets them
 * back; one map at a time, len 0 ends it, while no request is in flight.
 */
void wd_emulate_guard(const void *base, size_t len, unsigned int shift, const unsigned char *map);

#endif
