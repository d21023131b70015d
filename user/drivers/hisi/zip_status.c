// SPDX-License-Identifier: Apache-2.0
/* What a status of the ZIP engine means for a request. */
#include <errno.h>

#include "zip.h"

int zip_status_error(struct comp_msg *c, __u32 status)
{
	switch (status) {
	case ZIP_ST_OK:
	case ZIP_ST_NEGATIVE_COMP:
	case ZIP_ST_END:
		if (c->hw || c->last_block || c->dir == WD_DIR_COMPRESS)
			return 0;
		c->why = "the stream ends early";
		return -EBADMSG;
	case ZIP_ST_NOSPACE:
		return -ENOSPC;
	case ZIP_ST_CHECKSUM:
		c->why = "the checksum of the data is wrong";
		return -EBADMSG;
	case ZIP_ST_ABORTED:
		return WD_STOPPED;
	}
	if (status == ZIP_ST_ADDRESS || !probe_msg(c))
		return -EFAULT;
	if (c->dir == WD_DIR_COMPRESS)
		return -EIO;
	c->why = status == ZIP_ST_TRUNCATED ? "the stream ends early" : "the data is corrupt or cut off";
	return -EBADMSG;
}
