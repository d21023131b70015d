// SPDX-License-Identifier: Apache-2.0
/* What else UADK's libwd_comp exports: streams like zlib's. */
#include "refused.h"

UADK_REFUSED_INT(wd_deflate_init)
UADK_REFUSED_INT(wd_deflate)
UADK_REFUSED_INT(wd_deflate_reset)
UADK_REFUSED_INT(wd_deflate_end)
UADK_REFUSED_INT(wd_inflate_init)
UADK_REFUSED_INT(wd_inflate)
UADK_REFUSED_INT(wd_inflate_reset)
UADK_REFUSED_INT(wd_inflate_end)
