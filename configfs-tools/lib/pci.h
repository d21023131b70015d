/* SPDX-License-Identifier: Apache-2.0 */
/* PCI functions that are accelerators, real or simulated, whether or not a driver is bound to them. */
#ifndef WDCTL_PCI_H
#define WDCTL_PCI_H

#include <stdbool.h>

#include "root.h"

/** pci_number() - read a file of a function that has a hexadecimal number. Return: 0 without it. */
unsigned long pci_number(const struct root *r, const char *function, const char *file);
/** pci_driver() - the name of the driver for a function; NULL: it is no accelerator. */
const char *pci_driver(const struct root *r, const char *function);
/** pci_present() - is there a function for this driver? NULL: for any of them. */
bool pci_present(const struct root *r, const char *driver);

#endif
