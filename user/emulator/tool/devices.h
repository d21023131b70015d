/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated devices: kind after kind, numbered consecutively as by the kernel. */
#ifndef EMULATE_DEVICES_H
#define EMULATE_DEVICES_H

#define DEVICES_MAX	16
#define DEVICE_NAME	32	/* bytes of a name, at most */

enum device_kind {
	DEVICE_ZIP,
	DEVICE_SEC,
	DEVICE_HPRE,
	DEVICE_KINDS,
};

/* How a device reaches the memory of processes, and the preloaded library's letter for it; none: by their addresses */
#define DEVICE_SVA	'\0'
#define DEVICE_IOMMU	'i'	/* the kernel maps each request, and an IOMMU makes one range of scattered pages */
#define DEVICE_DIRECT	'd'	/* the same without an IOMMU */

/* Adds nr devices of that generation, 2 or 3, behind those of the kind. */
void devices_add(enum device_kind kind, unsigned int nr, unsigned int generation, char memory);
void devices_none(enum device_kind kind);
unsigned int device_generation(unsigned int id);
char device_memory(unsigned int id);
/* The kind's devices as the preloaded library reads them. */
#define DEVICES_TEXT	(5 * DEVICES_MAX + 1)
void devices_text(enum device_kind kind, char text[DEVICES_TEXT]);
unsigned int devices_nr(void);
enum device_kind device_kind(unsigned int id);
/* The name of its driver. */
const char *device_driver(enum device_kind kind);
void device_name(unsigned int id, char name[DEVICE_NAME]);
/* The number of the device with that name, or -1. */
int device_find(const char *name);

#endif
