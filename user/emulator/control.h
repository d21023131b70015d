/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a test to the emulator under which it runs. The functions are in the preloaded library: find them with
 * dlsym(RTLD_DEFAULT, ...), which returns NULL without the emulator.
 */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include <stddef.h>

/*
 * wd_emulate_control() - act on a device of this process, "hisi_zip-0" or "hisi_sec2-1", from any thread.
 *
 *	fault KIND=WHEN,...	as wd-emulate's --fault; KIND=0 ends a fault
 *	seed N			seed of the faults' chances; zeroes their counters
 *	hold			the device stops: it accepts nothing, and completes nothing, not even finished work
 *	release			the device continues
 *	release-at WHEN		the device continues by itself at the next poll() of one of its queues with ("sleep") or
 *				without ("look") a time limit other than 0, and this poll() first waits until a request
 *				has completed
 *	reset			drop all accepted requests, then end all open queues (stop words, POLLHUP)
 *	reset-begin, reset-end	the same, and open() fails with EPERM in between, as while the kernel resets a device
 *	remove			the same, and remove the device, also from /sys and /dev
 *	return			add the removed device again
 *	mainline-poll on|off	for all devices
 *
 * reset and remove return when the device no longer uses any memory.
 * Returns 0, -ENODEV (no such device, or it was removed), -EINVAL.
 */
int wd_emulate_control(const char *device, const char *command);

/*
 * wd_emulate_count() - read a counter of this process' device.
 *
 * @what is a kind of fault; "completions", "descriptors", "sq_recovered", "arm_recovered" or "async_events"; "running":
 * requests that are being executed now; "wrong_results": those that this process has reported; "outside": accesses of a
 * device without shared virtual addressing to memory that isn't mapped for them; "sleeps" or "timeouts": how often a
 * poll() of a queue began to sleep, and how often it timed out (for all devices together).
 * Returns 0, -ENODEV, -EINVAL. Before the first open all counters are 0.
 */
int wd_emulate_count(const char *device, const char *what, unsigned long long *value);

/*
 * wd_emulate_section() - act on a section of wd-emulate --sections.
 *
 *	drain	refuse attachments and opens; the section is configured when its last slot is free
 *	revoke	free its slots at once, and make it configured; end all queues of this process, whatever they were
 *		charged to (unlike in the kernel, the queues of other processes stay)
 *	live	make it live again
 *
 * Returns 0, -ENOENT, -EBUSY (draining), -EINVAL.
 */
int wd_emulate_section(const char *name, const char *command);

/*
 * wd_emulate_guard() - name memory that devices may not touch now.
 *
 * Each byte of map stands for a granule of 1 << shift bytes in [base, base + len). If a device accesses a granule whose
 * byte isn't 0, the process ends with a message and SIGABRT. The test changes the map when it gives buffers to the
 * device and when it gets them back. There is one map at a time; len 0 removes it, while no request is in flight.
 */
void wd_emulate_guard(const void *base, size_t len, unsigned int shift, const unsigned char *map);

#endif
