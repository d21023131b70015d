// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which processes may map a window that all queues of a device share. docs/doorbells.md has the reasons.
 *
 * Everything here is called with uacce_prov held, except uacce_window_map(), uacce_window_unmap() and
 * uacce_windows_end(), which take it, and uacce_window_tell(). The first two hold mmap_lock, which is never taken under
 * uacce_prov.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/sched.h>
#include "provision.h"

enum uacce_nl_doorbells uacce_doorbells(const struct uacce_device *uacce)
{
	if (uacce_mediated(uacce))
		return UACCE_NL_DOORBELLS_KERNEL;
	return uacce->flags & UACCE_DEV_SHARED_MMIO ? uacce->acct.settings->doorbells : UACCE_NL_DOORBELLS_ISOLATED;
}

/* Hidden registers must not be in the same page as a doorbell. */
static bool window_can_be_mapped(const struct uacce_device *uacce)
{
	return PAGE_ALIGNED(uacce->mmio_hidden);
}

/* ------ exclusive: one section at a time ------ */

static bool section_has(const struct uacce_section *section, const struct uacce_device *uacce)
{
	int k = uacce_section_position(section, uacce);

	return k >= 0 && section->members[k].reserved;
}

const struct uacce_section *uacce_doorbells_other(const struct uacce_device *uacce, const struct uacce_section *section)
{
	const struct uacce_section *other;

	if (uacce_doorbells(uacce) != UACCE_NL_DOORBELLS_EXCLUSIVE)
		return NULL;
	list_for_each_entry(other, &uacce_claims, claims)
		if (other != section && section_has(other, uacce))
			return other;
	return NULL;
}

bool uacce_doorbells_allow(const struct uacce_device *uacce, const struct uacce_section *section)
{
	if (uacce_doorbells(uacce) != UACCE_NL_DOORBELLS_EXCLUSIVE)
		return true;
	/* The owners of contexts outside of the section would be at the mercy of its processes. */
	return !uacce_doorbells_other(uacce, section) && (section_has(section, uacce) || !uacce->acct.used_pool);
}

static int may_become_exclusive(const struct uacce_device *uacce)
{
	const struct uacce_section *section;
	unsigned int nr = 0;

	list_for_each_entry(section, &uacce_claims, claims)
		nr += section_has(section, uacce);
	if (nr > 1) {
		dev_notice(&uacce->dev, "doorbells: %u sections have contexts, expected at most 1\n", nr);
		return -EBUSY;
	}
	if (nr && uacce->acct.used_pool) {
		dev_notice(&uacce->dev, "doorbells: a section has contexts, and %u outside of it are open\n",
			   uacce->acct.used_pool);
		return -EBUSY;
	}
	return 0;
}

/* ------ the mode ------ */

int uacce_doorbells_set(struct uacce_device *uacce, enum uacce_nl_doorbells mode)
{
	enum uacce_nl_doorbells now = uacce_doorbells(uacce);
	int ret = 0;

	if (mode == now)
		return 0;
	if (uacce_mediated(uacce)) {
		dev_notice(&uacce->dev, "doorbells: the kernel executes all submissions, so there is nothing to set\n");
		return -EOPNOTSUPP;
	}
	if (now == UACCE_NL_DOORBELLS_ISOLATED) {
		dev_notice(&uacce->dev, "doorbells: each queue has a window of its own, so there is nothing to set\n");
		return -EOPNOTSUPP;
	}
	if (mode == UACCE_NL_DOORBELLS_ISOLATED) {
		dev_notice(&uacce->dev,
			   "doorbells: all queues share their doorbells: expected kernel, exclusive or mapped\n");
		return -EINVAL;
	}
	if (mode == UACCE_NL_DOORBELLS_MAPPED && !window_can_be_mapped(uacce)) {
		dev_notice(&uacce->dev,
			   "doorbells: in pages of %lu bytes they can't be mapped without other registers\n",
			   PAGE_SIZE);
		return -EOPNOTSUPP;
	}
	if (uacce->acct.mapped) {
		dev_notice(&uacce->dev, "doorbells: %u windows are mapped by processes\n", uacce->acct.mapped);
		return -EBUSY;
	}
	if (mode == UACCE_NL_DOORBELLS_EXCLUSIVE)
		ret = may_become_exclusive(uacce);
	if (!ret)
		uacce->acct.settings->doorbells = mode;
	return ret;
}

/* ------ mmap ------ */

static bool window_may_map(const struct uacce_ctx *ctx, bool trusted)
{
	const struct uacce_device *uacce = ctx->q.uacce;
	enum uacce_nl_doorbells mode = uacce_doorbells(uacce);

	if (!window_can_be_mapped(uacce))
		return false;
	if (mode == UACCE_NL_DOORBELLS_MAPPED)
		return true;
	/* Not an extra: it may outlive its process' slot. */
	if (mode == UACCE_NL_DOORBELLS_EXCLUSIVE && ctx->charge.slot)
		return true;
	return trusted;
}

int uacce_window_map(struct uacce_ctx *ctx)
{
	struct uacce_device *uacce = ctx->q.uacce;
	int ret = -EPERM;
	bool trusted;

	/* A doorbell would have the device execute a descriptor again whose pages aren't pinned any more. */
	if (uacce_mediated(uacce)) {
		WRITE_ONCE(ctx->window_refused, true);
		return -EPERM;
	}
	if (!(uacce->flags & UACCE_DEV_SHARED_MMIO))
		return 0;
	/* Most processes try, and ring by the ioctl then: no denial is to be logged. */
	trusted = ns_capable_noaudit(&init_user_ns, CAP_SYS_RAWIO);
	mutex_lock(&uacce_prov);
	if (window_may_map(ctx, trusted)) {
		uacce->acct.mapped++;
		ctx->windows++;
		ret = 0;
	}
	mutex_unlock(&uacce_prov);
	if (ret)
		WRITE_ONCE(ctx->window_refused, true);
	return ret;
}

/*
 * A library that rings by the ioctl goes on after a refusal, and starts its queue. Another one gives up, and says no
 * more than EPERM.
 */
void uacce_window_tell(const struct uacce_ctx *ctx)
{
	const struct uacce_device *uacce = ctx->q.uacce;

	if (!READ_ONCE(ctx->window_refused) || ctx->started)
		return;
	if (uacce_mediated(uacce))
		dev_notice_ratelimited(&uacce->dev, "doorbells: %s[%d] may not map those of a device without shared "
				       "virtual addressing, and didn't start its queue without: expected a library "
				       "that submits by an ioctl\n", current->comm, task_tgid_nr(current));
	else
		dev_notice_ratelimited(&uacce->dev, "doorbells: %s[%d] may not map those that all queues share, "
				       "and didn't start its queue without: the attribute doorbells of the device in "
				       "configfs decides who may\n", current->comm, task_tgid_nr(current));
}

static void windows_end(struct uacce_ctx *ctx, unsigned int count)
{
	if (!(ctx->q.uacce->flags & UACCE_DEV_SHARED_MMIO))
		return;
	mutex_lock(&uacce_prov);
	count = min(count, ctx->windows);
	ctx->windows -= count;
	ctx->q.uacce->acct.mapped -= count;
	mutex_unlock(&uacce_prov);
}

void uacce_window_unmap(struct uacce_ctx *ctx)
{
	windows_end(ctx, 1);
}

/* The queue was taken away, and its window with it; the mapping may stay. */
void uacce_windows_end(struct uacce_ctx *ctx)
{
	windows_end(ctx, UINT_MAX);
}
