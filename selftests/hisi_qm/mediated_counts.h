/* SPDX-License-Identifier: Apache-2.0 */
/* What must be as before in the end of a test on a device without shared virtual addressing: pins and mappings. */
#ifndef WD_TEST_MEDIATED_COUNTS_H
#define WD_TEST_MEDIATED_COUNTS_H

#include "faulty.h"
#include "pins.h"

static inline bool mediated_possible(void)
{
	bool possible = !sim_mkdir("probe") && !sim_set("probe", "sva", "0");

	sim_rmdir("probe");
	return possible;
}

static inline long maps_count(const char *name)
{
	char text[256], *at;

	if (sim_get(FAULTY_NAME, "mappings", text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

static inline long maps_now(void)
{
	return maps_count("present ");
}

#endif
