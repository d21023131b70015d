// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The members of a section: which devices it has, in which order, and why it was refused what it asked for. Called with
 * uacce_prov held.
 */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include "provision.h"

void uacce_section_refused(struct uacce_section *section, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(section->reason, sizeof(section->reason), fmt, args);
	va_end(args);
}

const char *uacce_member_name(const struct uacce_member *m)
{
	return m->uacce ? dev_name(&m->uacce->dev) : m->name;
}

/* Natural order: numbers in names are compared by value. */
static int natural_cmp(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit(*a) && isdigit(*b)) {
			size_t la, lb;

			a += strspn(a, "0");
			b += strspn(b, "0");
			la = strspn(a, "0123456789");
			lb = strspn(b, "0123456789");
			if (la != lb)
				return la < lb ? -1 : 1;
			for (; la; la--, a++, b++)
				if (*a != *b)
					return *a < *b ? -1 : 1;
			continue;
		}
		if (*a != *b)
			return *a < *b ? -1 : 1;
		a++;
		b++;
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int member_cmp(const void *a, const void *b)
{
	return natural_cmp(uacce_member_name(a), uacce_member_name(b));
}

/* A device that is being removed has returned its reservations, and gets no new ones. */
struct uacce_device *uacce_member_present(const char *name)
{
	struct uacce_device *uacce = uacce_account_find(name);

	return uacce && uacce->acct.on ? uacce : NULL;
}

static int member_add(struct uacce_section *section, const char *name, struct uacce_device *uacce)
{
	struct uacce_member *m = &section->members[section->nr_members];

	if (uacce && uacce_section_position(section, uacce) >= 0) {
		uacce_section_refused(section, "%s: named twice in devices", name);
		return -EINVAL;
	}
	m->name = kstrdup(name, GFP_KERNEL);
	if (!m->name)
		return -ENOMEM;
	m->uacce = uacce;
	section->nr_members++;
	return 0;
}

/* The devices named, present or not; by default, those present. */
static int members_list(struct uacce_section *section)
{
	struct uacce_names *names = section->devices;
	struct uacce_account *acct;
	unsigned int i;
	int ret = 0;

	for (i = 0; names && i < names->nr && !ret; i++)
		ret = member_add(section, names->name[i], uacce_member_present(names->name[i]));
	if (names)
		return ret;
	list_for_each_entry(acct, &uacce_accounts, all) {
		struct uacce_device *uacce = uacce_of_account(acct);

		if (acct->on && !uacce_doorbells_other(uacce, section) && !ret)
			ret = member_add(section, dev_name(uacce->parent), uacce);
	}
	return ret;
}

static unsigned int members_room(const struct uacce_section *section)
{
	struct uacce_account *acct;
	unsigned int nr = 0;

	if (section->devices)
		return section->devices->nr;
	list_for_each_entry(acct, &uacce_accounts, all)
		nr++;
	return nr;
}

int uacce_members_make(struct uacce_section *section)
{
	unsigned int room = members_room(section);
	int ret;

	section->members = kvcalloc(max(room, 1u), sizeof(*section->members), GFP_KERNEL);
	section->places = kvcalloc(max(room, 1u), sizeof(*section->places), GFP_KERNEL);
	section->taken = kvcalloc(max(room, 1u), sizeof(*section->taken), GFP_KERNEL);
	if (!section->members || !section->places || !section->taken)
		return -ENOMEM;
	ret = members_list(section);
	if (!ret && !section->nr_members) {
		uacce_section_refused(section,
				      "no device is present that could be part of a section, and none is named");
		ret = -ENODEV;
	}
	if (ret)
		return ret;
	sort(section->members, section->nr_members, sizeof(*section->members), member_cmp, NULL);
	return 0;
}

void uacce_members_free(struct uacce_section *section)
{
	unsigned int k;

	for (k = 0; k < section->nr_members; k++) {
		kfree(section->members[k].name);
		kvfree(section->taken[k]);
	}
	kvfree(section->members);
	kvfree(section->places);
	kvfree(section->taken);
	section->members = NULL;
	section->places = NULL;
	section->taken = NULL;
	section->nr_members = 0;
	section->taken_bits = 0;
}
