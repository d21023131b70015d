// SPDX-License-Identifier: GPL-2.0-or-later
/* Revoking a section: ends its attachments and takes back its contexts. */
#include "provision.h"

/* Returns one context that is charged to the section, with a reference. */
static struct uacce_ctx *section_ctx(struct uacce_section *section)
{
	struct uacce_account *acct;
	struct uacce_charge *charge;

	list_for_each_entry(acct, &uacce_accounts, all)
		list_for_each_entry(charge, &acct->charges, node)
			if (charge->slot && charge->slot->section == section) {
				kref_get(&uacce_of_charge(charge)->ref);
				return uacce_of_charge(charge);
			}
	return NULL;
}

int uacce_section_revoke(struct uacce_section *section)
{
	atomic64_t waited_us = ATOMIC64_INIT(0);
	struct uacce_ctx *ctx;
	int ret = 0;

	mutex_lock(&uacce_prov);
	if (section->revoking) {
		uacce_section_refused(section, "the section is being revoked already");
		ret = -EBUSY;
	}
	if (ret || section->state == UACCE_NL_SECTION_CONFIGURED)
		goto unlock;
	section->revoking = true;
	if (section->state == UACCE_NL_SECTION_LIVE)
		uacce_section_begin_drain(section);
	uacce_attachments_end(section);
	while ((ctx = section_ctx(section))) {
		mutex_unlock(&uacce_prov);
		uacce_ctx_kill(ctx, &waited_us);
		uacce_uncharge(ctx);
		uacce_ctx_put(ctx);
		mutex_lock(&uacce_prov);
	}
	section->revoking = false;
	uacce_section_settle(section);
unlock:
	mutex_unlock(&uacce_prov);
	return ret;
}
