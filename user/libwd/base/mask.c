// SPDX-License-Identifier: Apache-2.0
/* Sets of devices. */
#include <stdlib.h>
#include "base/bits.h"
#include "base/error.h"
#include "base/set.h"

#define MASK_MAGIC	0x57444d53u	/* "WDMS" */

int wd_dev_mask_check(const wd_dev_mask_t *mask)
{
	if (!mask)
		return wd_fail(NULL, EINVAL, "device mask is NULL");
	if (mask->magic != MASK_MAGIC || mask->len < 0 || (mask->len && !mask->mask))
		return wd_fail(NULL, EINVAL, "the device mask was not made by wd_dev_mask_alloc(), or was freed");
	return 0;
}

static int index_check(int idx)
{
	if (idx < 0 || idx >= WD_DEV_MASK_BITS)
		return wd_fail_num(NULL, EINVAL, "device number %d is not within 0 .. %d", idx, WD_DEV_MASK_BITS - 1);
	return 0;
}

wd_dev_mask_t *wd_dev_mask_alloc(void)
{
	wd_dev_mask_t *mask = calloc(1, sizeof(*mask));

	if (!mask)
		return wd_null(wd_fail(NULL, ENOMEM, "no memory for the device mask"));
	mask->magic = MASK_MAGIC;
	return mask;
}

wd_dev_mask_t *wd_dev_mask_from_list(const struct uacce_dev_list *list)
{
	wd_dev_mask_t *mask;
	int ret;

	if (!list)
		return wd_null(wd_fail(NULL, EINVAL, "wd_dev_mask_from_list: list is NULL"));
	mask = wd_dev_mask_alloc();
	if (!mask)
		return NULL;
	for (; list; list = list->next) {
		ret = wd_dev_mask_set(mask, list->info->node_id);
		if (ret) {
			wd_dev_mask_free(mask);
			return wd_null(ret);
		}
	}
	return mask;
}

void wd_dev_mask_free(wd_dev_mask_t *mask)
{
	if (!mask || wd_dev_mask_check(mask))
		return;
	free(mask->mask);
	mask->magic = 0;
	free(mask);
}

int wd_dev_mask_set(wd_dev_mask_t *mask, int idx)
{
	int ret = wd_dev_mask_check(mask);

	if (!ret)
		ret = index_check(idx);
	if (ret)
		return ret;
	if (wd_bits_widen(&mask->mask, &mask->len, idx))
		return wd_fail_num(NULL, ENOMEM, "no memory for device number %d in the device mask", idx, 0);
	mask->mask[idx >> 3] |= (unsigned char)(1 << (idx & 7));
	return 0;
}

int wd_clear_mask(wd_dev_mask_t *mask, int idx)
{
	int ret = wd_dev_mask_check(mask);

	if (!ret)
		ret = index_check(idx);
	if (!ret && idx >> 3 < mask->len)
		mask->mask[idx >> 3] &= (unsigned char)~(1 << (idx & 7));
	return ret;
}

int wd_dev_mask_test(const wd_dev_mask_t *mask, int idx)
{
	int ret = wd_dev_mask_check(mask);

	if (!ret)
		ret = index_check(idx);
	return ret ? ret : wd_bits_test(mask->mask, mask->len, idx);
}
