/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by libwd_aead and its drivers; private. */
#ifndef WD_AEAD_PRIVATE_H
#define WD_AEAD_PRIVATE_H

#include <wd_aead.h>
#include "crypto.h"

WD_ARG_ASSERT(struct wd_aead_arg);

#define AEAD_IV_MAX	128	/* of GCM */
#define GCM_IV_BYTES	12	/* on devices */

/* Hidden, so that the compiler may use its values. */
extern const struct wd_class aead_class __attribute__((visibility("hidden")));
extern const struct wd_driver hisi_aead_driver;
extern const struct wd_driver hisi_aead_v2_driver;
extern const struct wd_driver soft_aead_driver;

/* Check a request's iv, its operation, and its tag; recorded. */
int aead_check_iv(struct crypto_sess *s, const struct wd_aead_arg *arg);
int aead_check_op(struct crypto_sess *s, const struct wd_aead_arg *arg);
int aead_check_mac(struct crypto_sess *s, const struct wd_aead_arg *arg);

/* --- soft/aead.c: steps of GCM on the software path; between them soft_cipher_update() --- */

struct soft_ctx;
bool soft_gcm_begin(struct soft_ctx *x, const __u8 *iv, __u32 iv_len);
/* Writes or compares the tag: 0, -EBADMSG, -EIO. */
int soft_gcm_end(struct soft_ctx *x, bool decrypt, __u8 *mac, __u32 mac_len);

#endif
