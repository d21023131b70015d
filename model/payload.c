// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Payload access: flat and scatter-gather. Lists are in user memory: every field is bounded before use. */
#include "payload.h"
#include "internal.h"

static bool wdm_wraps(u64 addr, u32 len)
{
	return len && addr + (len - 1) < addr;
}

/* PASID 0 isn't an address space: an IOMMU aborts such accesses. */
static bool wdm_lost(const struct wdm_job *job)
{
	return job->pasid_valid && !job->pasid;
}

int wdm_payload_read(const struct wdm_job *job, u64 addr, void *buf, u32 len)
{
	if (wdm_wraps(addr, len) || wdm_lost(job))
		return -EFAULT;
	if (job->pasid_valid)
		return job->env->sva_read(job->env_host, job->fn, job->pasid, addr, buf, len);
	return job->env->dma_read(job->env_host, job->fn, addr, buf, len);
}

static int wdm_payload_put(const struct wdm_job *job, u64 addr, const void *buf, u32 len)
{
	if (job->pasid_valid)
		return job->env->sva_write(job->env_host, job->fn, job->pasid, addr, buf, len);
	return job->env->dma_write(job->env_host, job->fn, addr, buf, len);
}

int wdm_payload_write(const struct wdm_job *job, u64 addr, const void *buf, u32 len)
{
	u8 last;
	int err;

	if (wdm_wraps(addr, len) || wdm_lost(job))
		return -EFAULT;
	err = wdm_payload_put(job, addr, buf, len);
	if (err || !len || !job->faults || !wdm_fault_corrupts(job))
		return err;
	/* The lowest bit of a big-endian number: it stays below its modulus. */
	last = ((const u8 *)buf)[len - 1] ^ 1;
	return wdm_payload_put(job, addr + len - 1, &last, 1);
}

static int wdm_sgl_open(struct wdm_cursor *c, u64 addr)
{
	u8 header[16];
	u32 sum, capacity;
	int err;

	if (!addr)
		return -ENODATA;
	if (addr % QM_SGL_ALIGN || c->lists++ >= QM_SGL_MAX_CHAIN)
		return -EINVAL;
	err = wdm_payload_read(c->job, addr, header, sizeof(header));
	if (err)
		return err;
	sum = wdm_get16(header + 10);
	capacity = wdm_get16(header + 12);
	if (!sum || sum > capacity || sum > QM_SGL_MAX_ENTRIES)
		return -EINVAL;
	c->next_sgl = wdm_get64(header);
	c->entry_addr = addr + sizeof(struct qm_sgl);
	c->entries = sum;
	c->batch = c->batch_pos = 0;
	return 0;
}

/* Advances to the next non-empty piece. */
static int wdm_sgl_next(struct wdm_cursor *c)
{
	const u8 *sge;
	int err;

	for (;;) {
		if (c->batch_pos == c->batch) {
			if (!c->entries) {
				err = wdm_sgl_open(c, c->next_sgl);
				if (err)
					return err;
			}
			c->batch = c->entries < WDM_SGE_BATCH ? c->entries : WDM_SGE_BATCH;
			c->batch_pos = 0;
			err = wdm_payload_read(c->job, c->entry_addr, c->sge, c->batch * sizeof(struct qm_sge));
			if (err) {
				c->batch = 0;
				return err;
			}
			c->entry_addr += c->batch * sizeof(struct qm_sge);
			c->entries -= c->batch;
		}
		sge = c->sge[c->batch_pos++];
		c->addr = wdm_get64(sge);
		c->piece = wdm_get32(sge + 16);
		if (c->piece > QM_SGE_MAX_BYTES)
			return -EINVAL;
		if (c->piece)
			return 0;
	}
}

/* Returns the next contiguous range of at most @len bytes. */
static int wdm_cursor_step(struct wdm_cursor *c, u32 len, u64 *addr, u32 *n)
{
	int err;

	if (!c->piece) {
		if (!c->sgl)
			return -ENODATA;
		err = wdm_sgl_next(c);
		if (err)
			return err;
	}
	*n = len < c->piece ? len : c->piece;
	*addr = c->addr;
	c->addr += *n;
	c->piece -= *n;
	return 0;
}

int wdm_cursor_init(struct wdm_cursor *c, const struct wdm_job *job, bool sgl, u64 addr, u32 skip, u32 len)
{
	u64 at;
	u32 n;
	int err;

	c->job = job;
	c->sgl = sgl;
	c->addr = addr;
	c->left = len;
	c->piece = sgl ? 0 : len;
	c->next_sgl = addr;
	c->entries = c->lists = c->batch = c->batch_pos = 0;
	if (!sgl)
		return skip ? -EINVAL : 0;
	while (skip) {
		err = wdm_cursor_step(c, skip, &at, &n);
		if (err)
			return err;
		skip -= n;
	}
	return 0;
}

int wdm_cursor_read(struct wdm_cursor *c, u8 *buf, u32 len)
{
	u64 addr;
	u32 n;
	int err;

	if (len > c->left)
		return -ENODATA;
	for (; len; len -= n, buf += n) {
		err = wdm_cursor_step(c, len, &addr, &n);
		if (!err)
			err = wdm_payload_read(c->job, addr, buf, n);
		if (err)
			return err;
		c->left -= n;
	}
	return 0;
}

int wdm_cursor_write(struct wdm_cursor *c, const u8 *buf, u32 len)
{
	u64 addr;
	u32 n;
	int err;

	if (len > c->left)
		return -ENODATA;
	for (; len; len -= n, buf += n) {
		err = wdm_cursor_step(c, len, &addr, &n);
		if (!err)
			err = wdm_payload_write(c->job, addr, buf, n);
		if (err)
			return err;
		c->left -= n;
	}
	return 0;
}
