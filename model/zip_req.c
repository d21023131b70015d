// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Shared by both directions of the ZIP engine: a request's checksum, its trailer, and the status of an error. */
#include "zip.h"

u32 wdm_zip_trailer_bytes(const struct wdm_zip_req *r)
{
	return r->type == ZIP_REQ_ZLIB ? 4 : r->type == ZIP_REQ_GZIP ? 8 : 0;
}

u32 wdm_zip_checksum(const struct wdm_zip_req *r, const u8 *p, u32 len)
{
	if (r->type == ZIP_REQ_ZLIB)
		return wdm_adler32(r->checksum, p, len);
	if (r->type == ZIP_REQ_GZIP)
		return wdm_crc32(&r->s->crc, r->checksum, p, len);
	return 0;
}

u32 wdm_zip_error(int err, bool dst)
{
	switch (err) {
	case -EFAULT:
		return ZIP_ST_ADDRESS;
	case -EINVAL:
		return ZIP_ST_BAD_SGL;
	case -ENODATA:
		return dst ? ZIP_ST_NOSPACE : ZIP_ST_BAD_SGL;
	default:
		return ZIP_ST_ABORTED;
	}
}
