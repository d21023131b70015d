/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of libwd_digest and its drivers; private. */
#ifndef WD_DIGEST_PRIVATE_H
#define WD_DIGEST_PRIVATE_H

#include <wd_digest.h>
#include "crypto.h"

WD_ARG_ASSERT(struct wd_digest_arg);

/* Hidden, so that the compiler may use its values. */
extern const struct wd_class digest_class __attribute__((visibility("hidden")));
extern const struct wd_driver hisi_digest_driver;
extern const struct wd_driver hisi_digest_v2_driver;
extern const struct wd_driver soft_digest_driver;

/* --- soft/digest.c: steps on the software path --- */

struct soft_ctx;
/* Begins a hash, or an HMAC with the session's key. */
bool soft_digest_begin(struct soft_ctx *x);
bool soft_digest_add(struct soft_ctx *x, const void *data, size_t len);
bool soft_digest_end(struct soft_ctx *x, __u8 *mac, __u32 mac_len);

#endif
