// SPDX-License-Identifier: Apache-2.0
/* The emulated devices. */
#include <stdio.h>
#include <string.h>
#include "devices.h"

static unsigned int counts[DEVICE_KINDS], generations[DEVICE_KINDS][DEVICES_MAX];

void devices_add(enum device_kind kind, unsigned int nr, unsigned int generation)
{
	for (; nr--; counts[kind]++)
		if (counts[kind] < DEVICES_MAX)
			generations[kind][counts[kind]] = generation;
}

void devices_none(enum device_kind kind)
{
	counts[kind] = 0;
}

unsigned int device_generation(unsigned int id)
{
	enum device_kind kind = device_kind(id), before;

	for (before = 0; before < kind; before++)
		id -= counts[before];
	return generations[kind][id];
}

void devices_text(enum device_kind kind, char text[DEVICES_TEXT])
{
	unsigned int i;

	strcpy(text, "0");
	for (i = 0; i < counts[kind] && i < DEVICES_MAX; i++)
		snprintf(text + 4 * i, DEVICES_TEXT - 4 * i, "1@%u%s", generations[kind][i],
			 i + 1 < counts[kind] ? "," : "");
}

unsigned int devices_nr(void)
{
	unsigned int kind, nr = 0;

	for (kind = 0; kind < DEVICE_KINDS; kind++)
		nr += counts[kind];
	return nr;
}

enum device_kind device_kind(unsigned int id)
{
	unsigned int kind;

	for (kind = 0; kind < DEVICE_KINDS - 1 && id >= counts[kind]; kind++)
		id -= counts[kind];
	return kind;
}

const char *device_driver(enum device_kind kind)
{
	static const char * const drivers[DEVICE_KINDS] = {
		[DEVICE_ZIP] = "hisi_zip", [DEVICE_SEC] = "hisi_sec2", [DEVICE_HPRE] = "hisi_hpre",
	};

	return drivers[kind];
}

void device_name(unsigned int id, char name[DEVICE_NAME])
{
	snprintf(name, DEVICE_NAME, "%s-%u", device_driver(device_kind(id)), id);
}

int device_find(const char *name)
{
	unsigned int id, nr = devices_nr();
	char known[DEVICE_NAME];

	for (id = 0; id < nr; id++) {
		device_name(id, known);
		if (!strcmp(name, known))
			return (int)id;
	}
	return -1;
}
