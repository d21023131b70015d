// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A SEC request's data in memory: parameters, AAD and payload in chunks, the tag. */
#include "sec.h"

static u32 sec_memory_error(int err)
{
	return err == -EFAULT ? SEC_ERR_ADDRESS : SEC_ERR_BAD_SGL;
}

u32 wdm_sec_engine_error(int err)
{
	return !err ? SEC_ERR_OK : err == -EOPNOTSUPP ? SEC_ERR_ALGORITHM : SEC_ERR_ABORTED;
}

u32 wdm_sec_fetch(struct wdm_sec_req *r, u64 addr, u8 *p, u32 len)
{
	return wdm_payload_read(r->job, addr, p, len) ? SEC_ERR_ADDRESS : SEC_ERR_OK;
}

u32 wdm_sec_store(struct wdm_sec_req *r, u64 addr, const u8 *p, u32 len)
{
	return wdm_payload_write(r->job, addr, p, len) ? SEC_ERR_ADDRESS : SEC_ERR_OK;
}

u32 wdm_sec_open(struct wdm_sec_req *r)
{
	u32 skip = r->in_place ? r->aad : 0, len = r->aad + r->len;
	int err = wdm_cursor_init(&r->s->src, r->job, r->src_sgl, r->src, 0, len);

	if (err || r->flag == SEC_FLAG_DIGEST)
		return err ? sec_memory_error(err) : SEC_ERR_OK;
	/* In place, unchanged bytes aren't written. */
	err = wdm_cursor_init(&r->s->dst, r->job, r->dst_sgl, r->dst_sgl ? r->dst : r->dst + skip,
			      r->dst_sgl ? skip : 0, len - skip);
	return err ? sec_memory_error(err) : SEC_ERR_OK;
}

/* A multiple of every algorithm's block size that never leaves less than two blocks for the last chunk. */
static u32 chunk_bytes(u32 left)
{
	if (left <= WDM_CHUNK)
		return left;
	return left - WDM_CHUNK <= WDM_BLOCK_BYTES ? WDM_CHUNK - WDM_HASH_BLOCK_MAX : WDM_CHUNK;
}

static u32 sec_stream(struct wdm_sec_req *r, u32 left, bool write, wdm_sec_chunk chunk)
{
	u32 n;
	int err;

	for (; left; left -= n) {
		n = chunk_bytes(left);
		err = wdm_cursor_read(&r->s->src, r->s->in, n);
		if (err)
			return sec_memory_error(err);
		r->last = n == left;
		chunk(r, r->s->in, n);
		wdm_relax();
		if (wdm_load(&r->job->abort))
			return SEC_ERR_ABORTED;
		err = write ? wdm_cursor_write(&r->s->dst, r->s->in, n) : 0;
		if (err)
			return sec_memory_error(err);
	}
	return SEC_ERR_OK;
}

u32 wdm_sec_aad(struct wdm_sec_req *r, wdm_sec_chunk chunk)
{
	return sec_stream(r, r->aad, !r->in_place, chunk);
}

u32 wdm_sec_data(struct wdm_sec_req *r, wdm_sec_chunk chunk)
{
	return sec_stream(r, r->len, r->flag != SEC_FLAG_DIGEST, chunk);
}

u32 wdm_sec_tag(struct wdm_sec_req *r, const u8 *tag)
{
	u8 theirs[WDM_HASH_STATE_MAX], differ = 0;
	u32 status, i;

	if (r->encrypt || r->flag == SEC_FLAG_DIGEST)
		return wdm_sec_store(r, r->mac, tag, r->mac_bytes);
	status = wdm_sec_fetch(r, r->mac, theirs, r->mac_bytes);
	if (status)
		return status;
	/* Compares all bytes, since the time would otherwise reveal how many were right. */
	for (i = 0; i < r->mac_bytes; i++)
		differ |= theirs[i] ^ tag[i];
	r->icv = differ ? SEC_ICV_MISMATCH : SEC_ICV_OK;
	return SEC_ERR_OK;
}
