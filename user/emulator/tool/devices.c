// SPDX-License-Identifier: Apache-2.0
/* The emulated devices. */
#include <stdio.h>
#include <string.h>
#include "devices.h"

struct shape {
	unsigned int generation;
	char memory;
};

static struct shape shapes[DEVICE_KINDS][DEVICES_MAX];
static unsigned int counts[DEVICE_KINDS];

void devices_add(enum device_kind kind, unsigned int nr, unsigned int generation, char memory)
{
	for (; nr--; counts[kind]++)
		if (counts[kind] < DEVICES_MAX)
			shapes[kind][counts[kind]] = (struct shape){ .generation = generation, .memory = memory };
}

void devices_none(enum device_kind kind)
{
	counts[kind] = 0;
}

static const struct shape *device_shape(unsigned int id)
{
	enum device_kind kind = device_kind(id), before;

	for (before = 0; before < kind; before++)
		id -= counts[before];
	return &shapes[kind][id];
}

unsigned int device_generation(unsigned int id)
{
	return device_shape(id)->generation;
}

char device_memory(unsigned int id)
{
	return device_shape(id)->memory;
}

void devices_text(enum device_kind kind, char text[DEVICES_TEXT])
{
	const struct shape *s = shapes[kind];
	unsigned int i, n = 0;

	strcpy(text, "0");
	for (i = 0; i < counts[kind] && i < DEVICES_MAX; i++, s++) {
		n += (unsigned int)snprintf(text + n, DEVICES_TEXT - n, "%s1@%u", i ? "," : "", s->generation);
		if (s->memory)
			n += (unsigned int)snprintf(text + n, DEVICES_TEXT - n, "%c", s->memory);
	}
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
