/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pci_bus_find_emul_domain_nr() as of 6.18; earlier kernels don't reserve the domains of emulated host bridges. */
#ifndef WD_SHIM_LINUX_PCI_H
#define WD_SHIM_LINUX_PCI_H

#include_next <linux/pci.h>

static inline int pci_bus_find_emul_domain_nr(u32 hint, u32 min, u32 max)
{
	struct pci_bus *bus = NULL;
	u32 nr = max(hint, min);

	while ((bus = pci_find_next_bus(bus))) {
		if (pci_domain_nr(bus) != nr)
			continue;
		if (++nr > max)
			return -ENOSPC;
		bus = NULL;
	}
	return nr;
}

static inline void pci_bus_release_emul_domain_nr(int domain_nr)
{
}

#endif
