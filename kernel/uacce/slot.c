// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots: which slot to give out next, and slots by name.
 *
 * Called with uacce_prov held. A free slot is a zero bit in its bitmap; its struct exists while
 * a process is attached or contexts are charged.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "provision.h"

static bool parse_canonical(const char **s, u32 *res)
{
	size_t len = strspn(*s, "0123456789");
	char number[8];

	if (!len || len >= sizeof(number) || (**s == '0' && len > 1))
		return false;
	memcpy(number, *s, len);
	number[len] = 0;
	*s += len;
	return !kstrtou32(number, 10, res);
}

/* -ENOENT: the section has no slot of that name now. */
int uacce_slot_parse(struct uacce_section *section, const char *name, int *endpoint, int *index)
{
	size_t len = strlen(uacce_section_name(section));
	u32 k = 0, i;

	if (strncmp(name, uacce_section_name(section), len))
		return -ENOENT;
	name += len;
	if (section->limit_dev_access) {
		if (strncmp(name, "_DEV", 4))
			return -ENOENT;
		name += 4;
		if (!parse_canonical(&name, &k) || k >= uacce_endpoints_max(section))
			return -ENOENT;
	}
	if (strncmp(name, "_INT_", 5))
		return -ENOENT;
	name += 5;
	if (!parse_canonical(&name, &i) || *name || i >= section->num_processes)
		return -ENOENT;
	*endpoint = section->limit_dev_access ? k : -1;
	*index = i;
	return 0;
}

static int first_free(const struct uacce_section *section, int endpoint, int want)
{
	unsigned long *map = section->taken[endpoint];
	unsigned long i;

	/* num_processes may have shrunk since the request. */
	if (want >= 0)
		return want >= section->num_processes || test_bit(want, map) ? -1 : want;
	i = find_first_zero_bit(map, section->num_processes);
	return i < section->num_processes ? i : -1;
}

static int zone_distance(int from, const struct uacce_device *uacce)
{
	int zone = uacce_account_zone(uacce);

	return zone < 0 || from < 0 || zone >= nr_node_ids ? LOCAL_DISTANCE : node_distance(from, zone);
}

/* The member's slots have contexts, and its device is registered and announced. */
static bool gives_slots(const struct uacce_member *m)
{
	return m->sync + m->async && uacce_member_is_on(m) && m->uacce->announced;
}

/* A device of the endpoint that gives its slots contexts now, or NULL. */
static const struct uacce_device *endpoint_device(const struct uacce_section *section, int endpoint)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++)
		if (section->places[k].endpoint == endpoint && gives_slots(&section->members[k]))
			return section->members[k].uacce;
	return NULL;
}

/* Mode 1: of the nearest endpoints, the one whose first free slot is lowest. */
static int nearest_free(const struct uacce_section *section, const struct uacce_attachment *a, int *index)
{
	int best = -1, best_distance = 0, e, count = endpoints_count(section->places, section->nr_members);

	for (e = 0; e < count; e++) {
		const struct uacce_device *uacce = endpoint_device(section, e);
		int i, distance;

		if (!uacce || (a->want_endpoint >= 0 && a->want_endpoint != e))
			continue;
		i = first_free(section, e, a->want_index);
		distance = zone_distance(a->node, uacce);
		if (i < 0 || (best >= 0 && (distance > best_distance || (distance == best_distance && i >= *index))))
			continue;
		best = e;
		best_distance = distance;
		*index = i;
	}
	return best;
}

struct uacce_slot *uacce_slot_take(struct uacce_attachment *a)
{
	struct uacce_section *section = a->section;
	struct uacce_slot *slot;
	int endpoint = 0, index;

	if (section->limit_dev_access)
		endpoint = nearest_free(section, a, &index);
	else
		index = first_free(section, 0, a->want_index);
	if (endpoint < 0 || index < 0)
		return NULL;
	slot = kzalloc(struct_size(slot, used, section->nr_members), GFP_KERNEL);
	if (!slot)
		return ERR_PTR(-ENOMEM);
	slot->section = section;
	slot->index = index;
	slot->endpoint = endpoint;
	__set_bit(index, section->taken[endpoint]);
	list_add_tail(&slot->node, &section->slots);
	return slot;
}

bool uacce_slot_free(struct uacce_slot *slot)
{
	struct uacce_section *section = slot->section;

	if (slot->attachment || slot->charges)
		return false;
	__clear_bit(slot->index, section->taken[slot->endpoint]);
	list_del(&slot->node);
	kfree(slot);
	return true;
}
