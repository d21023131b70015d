/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that UADK exports and programs don't need: they say so. */
#ifndef UADK_REFUSED_H
#define UADK_REFUSED_H

#include "log.h"
#include "uadk/wd.h"

/* Their arguments don't matter, and are another's structs. */
#define UADK_REFUSED(name, type, value) \
type name(void); \
type name(void) \
{ \
	UADK_REFUSE(); \
	return value; \
}

#define UADK_REFUSED_INT(name)	UADK_REFUSED(name, int, -WD_EINVAL)
/* NULL, false, none. */
#define UADK_REFUSED_NONE(name)	UADK_REFUSED(name, void *, NULL)

#endif
