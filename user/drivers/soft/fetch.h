/* SPDX-License-Identifier: Apache-2.0 */
/* Where the software path's algorithms come from. */
#ifndef WD_SOFT_FETCH_H
#define WD_SOFT_FETCH_H

/*
 * The property query of each algorithm, key and context that is fetched from libcrypto. The provider named "warpdrive"
 * uses this library, so the software path would call itself through it. The query overrides only what the process'
 * default query says about "provider": every other requirement of the administrator, such as fips=yes, still applies.
 */
#define SOFT_PROPERTIES	"provider!=warpdrive"

#endif
