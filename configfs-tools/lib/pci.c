// SPDX-License-Identifier: Apache-2.0
/* PCI functions that are accelerators, real or simulated, whether or not a driver is bound to them. */
#include <stdlib.h>
#include <string.h>

#include "pci.h"

#define VENDOR_HUAWEI 0x19e5

/* Physical and virtual functions of each engine. */
static const struct {
	unsigned int id;
	const char *driver;
} engines[] = {
	{ 0xa250, "hisi_zip" }, { 0xa251, "hisi_zip" },
	{ 0xa255, "hisi_sec2" }, { 0xa256, "hisi_sec2" },
	{ 0xa258, "hisi_hpre" }, { 0xa259, "hisi_hpre" },
};

unsigned long pci_number(const struct root *r, const char *function, const char *file)
{
	char text[32];

	if (root_read(r, text, sizeof(text), "/sys/bus/pci/devices/%s/%s", function, file))
		return 0;
	return strtoul(text, NULL, 16);
}

const char *pci_driver(const struct root *r, const char *function)
{
	unsigned long id;
	size_t i;

	if (pci_number(r, function, "vendor") != VENDOR_HUAWEI)
		return NULL;
	id = pci_number(r, function, "device");
	for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (engines[i].id == id)
			return engines[i].driver;
	return NULL;
}

bool pci_present(const struct root *r, const char *driver)
{
	struct root_names names;
	bool found = false;
	size_t i;

	if (root_list(r, &names, "/sys/bus/pci/devices"))
		return false;
	for (i = 0; i < names.count && !found; i++) {
		const char *its = pci_driver(r, names.name[i]);

		found = its && (!driver || !strcmp(its, driver));
	}
	root_names_free(&names);
	return found;
}
