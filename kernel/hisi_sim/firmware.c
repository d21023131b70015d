// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The firmware's side of a device. A table that the machine has booted with (scripts/acpi-table) describes an ACPI
 * device for each bus and, below it, the physical function with the methods that drivers look for. These methods write
 * to a region of a vendor's address space, whose accesses end here.
 */
#include <linux/acpi.h>
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "internal.h"

#define BUS_HID		"WDSM0001"
#define REGION_SPACE	ACPI_USER_REGION_BEGIN

#define REGION_RESET	0	/* a write resets the device and waits; reads as 0 after success */

/* The last job from before the reset may wait for a page. */
#define RESET_LIMIT	(60 * HZ * SIM_SLOWNESS)

/* -ETIMEDOUT: it goes on. */
static int reset_device(struct sim_dev *sdev)
{
	unsigned long limit = jiffies + RESET_LIMIT;

	sim_reset_begin(sdev);
	sim_worker_kick(sdev);
	while (sim_reset_wanted(sdev)) {
		if (time_after(jiffies, limit))
			return -ETIMEDOUT;
		usleep_range(500, 1000);
	}
	return 0;
}

static acpi_status region_setup(acpi_handle region, u32 function, void *handler_context, void **region_context)
{
	*region_context = NULL;
	return AE_OK;
}

/* ACPICA calls this without its locks, so it may sleep. */
static acpi_status region_access(u32 function, acpi_physical_address at, u32 bits, u64 *value, void *context,
				 void *region_context)
{
	struct sim_dev *sdev = context;

	if (at != REGION_RESET || bits != 32)
		return AE_BAD_PARAMETER;
	if ((function & ACPI_IO_MASK) == ACPI_WRITE)
		return reset_device(sdev) ? AE_TIME : AE_OK;
	*value = READ_ONCE(sdev->reset);
	return AE_OK;
}

int sim_firmware_init(struct sim_dev *sdev, const char *name)
{
	acpi_status status;
	char uid[12];

	snprintf(uid, sizeof(uid), "%u", sdev->id);
	sdev->firmware = acpi_dev_get_first_match_dev(BUS_HID, uid, -1);
	if (!sdev->firmware && sdev->shape.reset_method == SIM_RESET_AUTO)
		return 0;
	if (!sdev->firmware) {
		pr_err("hisi_sim: %s: reset_method acpi: expected an ACPI device " BUS_HID " with _UID %s\n", name,
		       uid);
		return -ENODEV;
	}
	status = acpi_install_address_space_handler(sdev->firmware->handle, REGION_SPACE, region_access, region_setup,
						    sdev);
	if (ACPI_FAILURE(status)) {
		pr_err("hisi_sim: %s: the region of " BUS_HID " %s can't be served: %s\n", name, uid,
		       acpi_format_exception(status));
		acpi_dev_put(sdev->firmware);
		sdev->firmware = NULL;
		return -ENODEV;
	}
	return 0;
}

/* After the driver is gone: no method runs any more. */
void sim_firmware_exit(struct sim_dev *sdev)
{
	if (!sdev->firmware)
		return;
	acpi_remove_address_space_handler(sdev->firmware->handle, REGION_SPACE, region_access);
	acpi_dev_put(sdev->firmware);
	sdev->firmware = NULL;
}
