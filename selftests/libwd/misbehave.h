/* SPDX-License-Identifier: Apache-2.0 */
/* A device that misbehaves when a test says so: emulated, or simulated by the kernel (as root, in the VM). */
#ifndef WD_TEST_MISBEHAVE_H
#define WD_TEST_MISBEHAVE_H

#include "../sim/sim_item.h"
#include "emulated.h"
#include "uacce_sys.h"

#define SIM_ITEM	"zip0"

/* The name of the kernel's simulated device that takes orders; false: there is none. */
static inline bool sim_device(char name[UACCE_NAME_MAX])
{
	char address[64];

	if (sim_get(SIM_ITEM, "address", address, sizeof(address)) < 0)
		return false;
	return uacce_of_parent("hisi_zip", address, name);
}

/* For wd_emulate_control()'s "fault KIND=WHEN,...". */
static inline int sim_faults(const char *orders)
{
	char text[128], path[64], *order, *when, *next = text;

	snprintf(text, sizeof(text), "%s", orders);
	while ((order = strsep(&next, ","))) {
		when = strchr(order, '=');
		if (!when)
			return -EINVAL;
		*when++ = '\0';
		snprintf(path, sizeof(path), "faults/%s", order);
		if (sim_set(SIM_ITEM, path, when))
			return -EIO;
	}
	return 0;
}

/* Of wd_emulate_control()'s commands, "fault" and "reset" for a device of the kernel as well. */
static inline int misbehave(const char *device, const char *command)
{
	char path[160];

	if (emulated())
		return emulated_control(device, command);
	if (!strncmp(command, "fault ", 6))
		return sim_faults(command + 6);
	if (strcmp(command, "reset"))
		return -EINVAL;
	snprintf(path, sizeof(path), UACCE_CLASS "/%s/device/reset", device);
	return text_write(path, "1");
}

/* How often the device has lost a request. */
static inline unsigned long long misbehaved_drop(const char *device)
{
	char buf[512], *at;

	if (emulated())
		return emulated_count(device, "drop");
	if (sim_get(SIM_ITEM, "faults/counts", buf, sizeof(buf)) < 0)
		return 0;
	at = strstr(buf, "drop");
	return at ? strtoull(at + strlen("drop"), NULL, 10) : 0;
}

#endif
