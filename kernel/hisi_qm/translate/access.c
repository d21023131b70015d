// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Accesses of a request, and its small data in a slot. */
#include "engine.h"

struct tr_access *tr_add(struct tr_request *r, const struct hw_access *field, u64 addr, u32 len)
{
	struct tr_access *a = &r->access[r->nr];

	if (!len) {
		r->empty[r->nr_empty++] = field->word;
		return NULL;
	}
	*a = (struct tr_access){
		.field = field->extent, .word = { field->word }, .dir = field->dir, .form = field->form, .addr = addr,
		.len = len,
	};
	r->nr++;
	return a;
}

int tr_slot_fill(const struct tr_request *r, void *slot, const struct tr_user *user)
{
	const struct tr_access *a;
	int err;

	memset(slot, 0, r->slot_bytes);
	for (a = r->access; a < r->access + r->nr; a++) {
		if (a->form != HW_SMALL || !(a->dir & HW_READ))
			continue;
		if (a->addr + (a->len - 1) < a->addr)
			return -EFAULT;
		err = user->copy(user->arg, (u8 *)slot + a->at, a->addr, a->len);
		if (err)
			return err;
	}
	return 0;
}
