/* SPDX-License-Identifier: Apache-2.0 */
/* An administrator's control of a device beside its settings in configfs: virtual functions, isolation, reset. */
#ifndef WDCTL_DEVICE_CONTROL_H
#define WDCTL_DEVICE_CONTROL_H

#include "device.h"

enum control {
	CONTROL_FUNCTIONS,
	CONTROL_ISOLATE,
	CONTROL_BANDWIDTH,
	CONTROLS,
};

#define CONTROL_WHY_SIZE 320

/* Of one device; a value that isn't known can't be set. */
struct controls {
	char driver[64];		/* "": none */
	char reset_methods[64];		/* of PCI, separated by blanks; "": it can't be reset */
	bool resets;
	struct device_number value[CONTROLS];
	struct device_number functions_max;
};

void controls_read(const struct root *r, const struct device *d, struct controls *c);

/* "Functions" */
const char *control_key(enum control i);
/* The control of that key, in upper or lower case; CONTROLS: there is none. */
enum control control_find(const char *key, size_t len);

/** control_check() - whether this device can take the value. Return: 0, or -EINVAL and @why, printable. */
int control_check(const struct device *d, const struct controls *c, enum control i, const char *text, long *value,
		  char why[CONTROL_WHY_SIZE]);

/** control_set() - write it. Return: 0 or -errno. */
int control_set(const struct root *r, const struct device *d, const struct controls *c, enum control i, long value);

/** control_reset() - reset the device, which ends all its contexts. Return: 0 or -errno. */
int control_reset(const struct root *r, const struct device *d);

/** control_function() - the PCI address of virtual function @i. Return: 0 or -errno. */
int control_function(const struct root *r, const struct device *d, unsigned int i, char *buf, size_t len);

#endif
