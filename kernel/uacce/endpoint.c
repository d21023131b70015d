// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Endpoints of a section: which of its devices a slot has. With limit_dev_access, an endpoint has one device of each
 * engine at most (endpoints.h); without, all devices are endpoint 0.
 *
 * Called with uacce_prov held.
 */
#include "provision.h"

/* A device that gives the slots no contexts takes no part. */
static void place_set(struct uacce_section *section, unsigned int k, const struct uacce_device *uacce)
{
	struct endpoint_device *place = &section->places[k];
	const struct uacce_member *m = &section->members[k];

	place->engine[0] = 0;
	place->node = uacce ? uacce_account_zone(uacce) : NUMA_NO_NODE;
	if (m->sync + m->async)
		endpoint_set_engine(place, uacce ? dev_name(&uacce->dev) : m->name);
}

static void endpoints_clear(struct uacce_section *section)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++)
		section->places[k].endpoint = section->limit_dev_access ? ENDPOINT_NONE : 0;
}

void uacce_endpoints_make(struct uacce_section *section)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++)
		place_set(section, k, section->members[k].uacce);
	endpoints_clear(section);
	if (section->limit_dev_access)
		endpoints_form(section->places, section->nr_members);
}

/*
 * A device has come. Its engine and its node may not have been known before, so the endpoints are formed anew, as long
 * as no process has a slot or waits for one. Otherwise the device joins an endpoint or begins one.
 */
void uacce_endpoints_join(struct uacce_section *section, unsigned int k, const struct uacce_device *uacce)
{
	const struct endpoint_device *place = &section->places[k];

	if (!section->limit_dev_access || (place->endpoint >= 0 && place->node == uacce_account_zone(uacce)))
		return;
	place_set(section, k, uacce);
	if (list_empty(&section->slots) && !section->waiting)
		endpoints_clear(section);
	endpoints_form(section->places, section->nr_members);
}

unsigned int uacce_endpoints_max(const struct uacce_section *section)
{
	unsigned int count = endpoints_count(section->places, section->nr_members), k;

	for (k = 0; k < section->nr_members; k++)
		count += !section->members[k].uacce && section->places[k].endpoint < 0;
	return count;
}
